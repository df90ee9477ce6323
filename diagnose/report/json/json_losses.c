#include "json/json_losses.h"

#include "facts/facts.h"
#include "facts/facts_functions.h"
#include "render/json_values.h"
#include "render/render.h"

static json_t *put_costs(const double cost[SD_COST_COUNT])
{
	json_t *out = json_object();

	for (int k = 0; out && k < SD_COST_COUNT; k++)
		sd_json_set(&out, sd_cost_name[k], sd_json_real(cost[k]));
	return out;
}

static json_t *put_lines(const struct sd_losses *l, size_t row)
{
	json_t *out = json_array();

	for (size_t i = 0; out && i < l->n_line; i++)
		if (l->line[i].row == row)
			sd_json_add(&out, sd_json("line", sd_json_number(l->line[i].line), "cores",
						  l->line[i].cores));
	return out;
}

json_t *sd_json_functions(const struct sd_analysis *a, const char *folder)
{
	const struct sd_fact_rows rows = sd_facts_function_table(a, folder);
	json_t *out = json_array();

	for (size_t i = 0; out && i < rows.n; i++) {
		json_t *row = sd_render_json_where(&a->losses.row[i].at, folder);

		sd_render_json_members(&row, &rows, i);
		sd_json_set(&row, "lines", put_lines(&a->losses, i));
		sd_json_add(&out, row);
	}
	return out;
}

static json_t *put_calls(const struct sd_losses *l)
{
	json_t *out = json_array();

	for (size_t i = 0; out && i < l->n_call; i++)
		sd_json_add(&out, sd_json("caller", l->call[i].caller, "callee", l->call[i].callee,
					  "cores", l->call[i].cores));
	return out;
}

static json_t *put_contexts(const struct sd_losses *l)
{
	json_t *out = json_array();

	for (size_t i = 0; out && i < l->n_path; i++)
		sd_json_add(&out, sd_json("stack", l->path[i].path, "cores", l->path[i].cores));
	return out;
}

json_t *sd_json_losses(const struct sd_analysis *a)
{
	const struct sd_losses *l = &a->losses;

	if (l->n_row == 0)
		return json_null();
	return sd_json("other_functions", put_costs(l->rest), "no_stack", put_costs(l->unknown),
		"calls", put_calls(l), "contexts", put_contexts(l));
}

json_t *sd_json_threads(const struct sd_analysis *a, const char *folder)
{
	const struct sd_busiest_threads *const t = &a->threads;
	const struct sd_fact_rows together = sd_facts_together_table(a, folder),
				  rows = sd_facts_thread_table(a);

	if (!t->n_together && !t->n_row)
		return json_null();
	return sd_json("from", t->by_switches ? "switches" : "poller", "at_a_time",
		sd_render_json(&together), "alone",
		sd_render_json_places(t->alone, t->n_alone, folder), "critical_path",
		sd_render_json(&rows), "threads_seen", t->n_seen);
}

json_t *sd_json_sampling(const struct sd_sampling *s)
{
	if (s->status == SD_STATUS_ABSENT)
		return json_null();
	return sd_json("status", sd_status_name(s->status), "waits_from",
		s->status == SD_STATUS_OK && s->idle ? "switches" : "poller", "switch_stacks",
		sd_status_name(s->switch_stacks), "kernel", sd_status_name(s->kernel), "wakers",
		sd_status_name(s->wakers), "kernel_programs", sd_status_name(s->programs),
		"some_runs_only", json_boolean(s->mixed), "hz_least", s->hz_least, "hz_most",
		s->hz_most, "sample_s", s->sample_s, "samples", s->samples, "switches", s->switches,
		"lost", s->lost, "unwatched", s->unwatched, "whole_stacks", s->unwound,
		"stack_bytes_least", s->stack_least, "stack_bytes_most", s->stack_most,
		"by_frame_pointers", s->pointed, "cost", s->cost);
}

static json_t *put_event_metrics(const struct sd_event_hotspots *h)
{
	json_t *out = json_array();

	for (size_t m = 0; out && m < h->n_metric; m++)
		sd_json_add(&out, sd_json("name", h->metric[m].name, "unit", h->metric[m].unit,
					  "meaning", h->metric[m].meaning, "samples",
					  h->metric[m].samples, "period", h->metric[m].period,
					  "precise", json_boolean(h->metric[m].precise)));
	return out;
}

/* Puts one function's cells: the metrics that it has events of. */
static json_t *put_event_cells(const struct sd_event_hotspots *h, const struct sd_event_row *r)
{
	json_t *out = json_array();

	for (size_t m = 0; out && m < h->n_metric; m++)
		if (r->cell[m].samples > 0)
			sd_json_add(&out, sd_json("name", h->metric[m].name, "samples",
						  r->cell[m].samples, "share", r->cell[m].share,
						  "metric", sd_json_interval(r->cell[m].metric, 2),
						  "over", json_boolean(r->cell[m].over)));
	return out;
}

json_t *sd_json_events(const struct sd_event_hotspots *h, const char *folder)
{
	json_t *functions = json_array();

	for (size_t i = 0; functions && i < h->n_row; i++) {
		json_t *row = sd_render_json_where(h->row[i].at, folder);

		sd_json_set(&row, "metrics", put_event_cells(h, &h->row[i]));
		sd_json_add(&functions, row);
	}
	return sd_json("cores", h->cores, "metrics", put_event_metrics(h), "functions", functions);
}

json_t *sd_json_ranks(const struct sd_analysis *a)
{
	const struct sd_rank_losses *const l = &a->ranks;
	const struct sd_fact_rows nodes = sd_facts_node_table(a), rows = sd_facts_rank_table(a);
	const struct sd_fact_rows factors = sd_facts_factor_table(a);

	return sd_json("library", l->library, "ranks", l->ranks, "expected", l->expected, "divided",
		json_boolean(l->divided), "why", l->why, "elapsed_s", l->elapsed, "startup_s",
		l->startup, "load_balance", l->load_balance, "serialisation",
		l->divided ? sd_json_real(l->serialisation) : json_null(), "transfer",
		l->divided ? sd_json_real(l->transfer) : json_null(), "factors",
		sd_render_json(&factors), "waits", &l->waits, "nodes", sd_render_json(&nodes),
		"rows", sd_render_json(&rows));
}

json_t *sd_json_regions(const struct sd_analysis *a)
{
	const struct sd_region_losses *const l = &a->regions;
	const struct sd_fact_rows rows = sd_facts_region_table(a);

	return sd_json("judged", l->judged, "notes", &l->notes, "seen", l->n_seen, "rows",
		sd_render_json(&rows));
}

json_t *sd_json_span(const struct sd_analysis *a)
{
	static const char *const state[SD_SPAN_STATE_COUNT] = {
#define X(id, name) [SD_SPAN_##id] = name,
		SD_SPAN_STATES(X)
#undef X
	};
	const struct sd_span_limits *const l = &a->regions.span;
	const struct sd_fact_rows rows = sd_facts_span_table(a);
	json_t *const out = sd_json(
		"state", state[l->state], "points", sd_render_json(&rows), "notes", &l->notes);

	for (size_t k = 0; k < SD_SPAN_AT_COUNT && out && l->state == SD_SPAN_TOLD; k++) {
		char name[32];

		snprintf(name, sizeof name, "limit_%u", sd_span_cores[k]);
		json_object_set_new(out, name, sd_json_interval(l->limit[k], l->point[0].runs));
	}
	return out;
}

json_t *sd_json_requests(const struct sd_analysis *a)
{
	const struct sd_slow_requests *const s = &a->regions.requests;
	const struct sd_fact_rows rows = sd_facts_request_table(a);

	return sd_json("region", s->region, "points", sd_render_json(&rows), "notes", &s->notes);
}
