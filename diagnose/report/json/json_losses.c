#include "json/json_losses.h"

#include "json/json_values.h"
#include "page/short_names.h"
#include "base/near_path.h"

/* Appends to an array; frees it and yields NULL when that fails. */
static json_t *append(json_t *array, json_t *item)
{
	if (array && json_array_append_new(array, item) == 0)
		return array;
	json_decref(array);
	return NULL;
}

static json_t *put_line(unsigned line)
{
	return line ? json_integer(line) : json_null();
}

static json_t *put_file(const char *file, const char *folder)
{
	return sd_json_text(file ? sd_near_path(file, folder) : NULL);
}

/* With its share. */
static json_t *where_object(const struct sd_where *w, const char *folder)
{
	return json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "function",
		sd_json_text(w->function), "file", put_file(w->file, folder), "line",
		put_line(w->line), "module", put_file(w->module, folder), "in", sd_json_text(w->in),
		"from", sd_json_text(w->from), "share", sd_json_real(w->share));
}

json_t *sd_json_wheres(const struct sd_where *w, size_t n, const char *folder)
{
	json_t *out = json_array();

	for (size_t i = 0; out && i < n; i++)
		out = append(out, where_object(&w[i], folder));
	return out;
}

static json_t *put_costs(const double cost[SD_COST_COUNT])
{
	json_t *out = json_object();

	for (int k = 0; out && k < SD_COST_COUNT; k++)
		if (json_object_set_new(out, sd_cost_name[k], sd_json_real(cost[k])) != 0) {
			json_decref(out);
			out = NULL;
		}
	return out;
}

static json_t *put_lines(const struct sd_losses *l, size_t row)
{
	json_t *out = json_array();

	for (size_t i = 0; out && i < l->n_line; i++)
		if (l->line[i].row == row)
			out = append(out, json_pack("{s:o, s:o}", "line", put_line(l->line[i].line),
						  "cores", sd_json_real(l->line[i].cores)));
	return out;
}

json_t *sd_json_functions(const struct sd_analysis *a, size_t runs, const char *folder)
{
	const struct sd_losses *l = &a->losses;
	json_t *out = json_array();

	for (size_t i = 0; out && i < l->n_row; i++) {
		const struct sd_loss_row *r = &l->row[i];

		out = append(out,
			json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:b, s:o, s:o, s:o, s:o, s:o}",
				"function", sd_json_text(r->at.function), "file",
				put_file(r->at.file, folder), "line", put_line(r->at.line),
				"module", put_file(r->at.module, folder), "in",
				sd_json_text(r->at.in), "from", sd_json_text(r->at.from), "own",
				r->own, "cores", sd_json_interval(r->total, runs), "components",
				put_costs(r->cost), "exclusive",
				sd_json_interval(r->exclusive, runs), "inclusive",
				sd_json_interval(r->inclusive, runs), "lines", put_lines(l, i)));
	}
	return out;
}

static json_t *put_calls(const struct sd_losses *l)
{
	json_t *out = json_array();

	for (size_t i = 0; out && i < l->n_call; i++)
		out = append(
			out, json_pack("{s:I, s:I, s:o}", "caller", (json_int_t)l->call[i].caller,
				     "callee", (json_int_t)l->call[i].callee, "cores",
				     sd_json_real(l->call[i].cores)));
	return out;
}

static json_t *put_contexts(const struct sd_losses *l)
{
	json_t *out = json_array();

	for (size_t i = 0; out && i < l->n_path; i++)
		out = append(out, json_pack("{s:o, s:o}", "stack", sd_json_text(l->path[i].path),
					  "cores", sd_json_real(l->path[i].cores)));
	return out;
}

json_t *sd_json_losses(const struct sd_analysis *a)
{
	const struct sd_losses *l = &a->losses;

	if (l->n_row == 0)
		return json_null();
	return json_pack("{s:o, s:o, s:o, s:o}", "other_functions", put_costs(l->rest), "no_stack",
		put_costs(l->unknown), "calls", put_calls(l), "contexts", put_contexts(l));
}

json_t *sd_json_locks(const struct sd_analysis *a, size_t runs, const char *folder)
{
	json_t *out = json_array();

	for (size_t i = 0; out && i < a->n_lock; i++) {
		const struct sd_lock_row *l = &a->lock[i];

		out = append(
			out, json_pack("{s:o, s:s, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "name",
				     sd_json_text(l->name), "kind", l->kind, "waits",
				     sd_json_real(l->waits), "wait_s", sd_json_real(l->wait_s),
				     "longest_s", sd_json_real(l->longest_s), "cores",
				     sd_json_interval(l->cores, runs), "conflict",
				     sd_json_value(l->conflict), "busy", sd_json_value(l->busy),
				     "holders", sd_json_wheres(l->holder, l->n_holder, folder),
				     "waiters", sd_json_wheres(l->waiter, l->n_waiter, folder)));
	}
	return out;
}

static json_t *put_together(const struct sd_busiest_threads *t)
{
	json_t *out = json_array();

	for (size_t k = 0; out && k < t->n_together; k++)
		out = append(out, json_pack("{s:I, s:o}", "threads", (json_int_t)k, "share",
					  sd_json_real(t->together[k])));
	return out;
}

static json_t *put_thread_rows(const struct sd_busiest_threads *t)
{
	json_t *out = json_array();

	for (size_t i = 0; out && i < t->n_row; i++)
		out = append(out,
			json_pack("{s:i, s:o, s:I, s:I, s:o, s:o, s:o}", "tid", t->row[i].tid,
				"name", sd_json_text(t->row[i].name), "stage",
				(json_int_t)t->row[i].stage, "stages", (json_int_t)t->row[i].stages,
				"share", sd_json_real(t->row[i].share), "height_s",
				sd_json_real(t->row[i].height_s), "width",
				sd_json_real(t->row[i].width)));
	return out;
}

json_t *sd_json_threads(const struct sd_busiest_threads *t, const char *folder)
{
	if (!t->n_together && !t->n_row)
		return json_null();
	return json_pack("{s:s, s:o, s:o, s:o, s:I}", "from",
		t->by_switches ? "switches" : "poller", "at_a_time", put_together(t), "alone",
		sd_json_wheres(t->alone, t->n_alone, folder), "critical_path", put_thread_rows(t),
		"threads_seen", (json_int_t)t->n_seen);
}

json_t *sd_json_sampling(const struct sd_sampling *s)
{
	if (s->status == SD_STATUS_ABSENT)
		return json_null();
	return json_pack(
		"{s:s, s:s, s:s, s:s, s:s, s:s, s:b, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, "
		"s:o, s:o, s:o}",
		"status", sd_status_name(s->status), "waits_from",
		s->status == SD_STATUS_OK && s->idle ? "switches" : "poller", "switch_stacks",
		sd_status_name(s->switch_stacks), "kernel", sd_status_name(s->kernel), "wakers",
		sd_status_name(s->wakers), "kernel_programs", sd_status_name(s->programs),
		"some_runs_only", s->mixed, "hz_least", sd_json_real(s->hz_least), "hz_most",
		sd_json_real(s->hz_most), "sample_s", sd_json_value(s->sample_s), "samples",
		sd_json_real(s->samples), "switches", sd_json_real(s->switches), "lost",
		sd_json_real(s->lost), "unwatched", sd_json_real(s->unwatched), "whole_stacks",
		sd_json_value(s->unwound), "stack_bytes_least", sd_json_real(s->stack_least),
		"stack_bytes_most", sd_json_real(s->stack_most), "by_frame_pointers",
		sd_json_value(s->pointed), "cost", sd_json_value(s->cost));
}

static json_t *put_event_metrics(const struct sd_event_hotspots *h)
{
	json_t *out = json_array();

	for (size_t m = 0; out && m < h->n_metric; m++)
		out = append(
			out, json_pack("{s:s, s:s, s:s, s:f, s:f, s:b}", "name", h->metric[m].name,
				     "unit", h->metric[m].unit, "meaning", h->metric[m].meaning,
				     "samples", h->metric[m].samples, "period", h->metric[m].period,
				     "precise", h->metric[m].precise));
	return out;
}

/* Of one function, those that it has events of. */
static json_t *put_event_cells(const struct sd_event_hotspots *h, const struct sd_event_row *r)
{
	json_t *out = json_array();

	for (size_t m = 0; out && m < h->n_metric; m++)
		if (r->cell[m].samples > 0)
			out = append(out, json_pack("{s:s, s:f, s:o, s:o, s:b}", "name",
						  h->metric[m].name, "samples", r->cell[m].samples,
						  "share", sd_json_real(r->cell[m].share), "metric",
						  sd_json_interval(r->cell[m].metric, 2), "over",
						  r->cell[m].over));
	return out;
}

json_t *sd_json_events(const struct sd_event_hotspots *h, const char *folder)
{
	json_t *functions = json_array();

	for (size_t i = 0; functions && i < h->n_row; i++) {
		const struct sd_where *const w = h->row[i].at;

		functions = append(functions,
			json_pack("{s:o, s:o, s:o, s:o, s:o}", "function",
				sd_json_text(w->function), "file", put_file(w->file, folder),
				"line", put_line(w->line), "module", put_file(w->module, folder),
				"metrics", put_event_cells(h, &h->row[i])));
	}
	return json_pack("{s:I, s:o, s:o}", "cores", (json_int_t)h->cores, "metrics",
		put_event_metrics(h), "functions", functions);
}
