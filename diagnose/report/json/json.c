#include "page/report_style.h"

#include <jansson.h>
#include <string.h>
#include <time.h>

#include "facts/facts.h"
#include "json/json_losses.h"
#include "render/json_values.h"
#include "render/render.h"
#include "json/json_view.h"
#include "view/view.h"

#define SCHEMA 1 /* of this report, not of the record */

/* Every put_ returns a new reference, or NULL without memory; json_pack's "o*" leaves a NULL member
 * out, so here "o" makes the whole thing fail instead. */

static json_t *put_stack(const struct sd_point *p)
{
	json_t *out = json_array();

	for (int i = 0; out && i < SD_COMPONENT_COUNT; i++) {
		const struct sd_interval *c = &p->stack[i];

		if (c->status != SD_STATUS_OK && c->status != SD_STATUS_NOISY)
			continue;
		sd_json_add(&out, json_pack("{s:s, s:o}", "component", sd_component_info[i].name,
					  "cores", sd_json_interval(*c, p->runs)));
	}
	return out;
}

/* Quality of a metric of the tables: how far its counts mean what it says; else the status. */
static const char *quality_of(const struct sd_shown *s)
{
	if (s->multiplexed)
		return sd_status_name(SD_STATUS_MULTIPLEXED);
	return s->meaning && s->value.status == SD_STATUS_OK ? sd_quality_name(s->quality)
							     : sd_status_name(s->value.status);
}

static json_t *put_shown(const struct sd_shown *s, size_t runs)
{
	json_t *out = json_pack("{s:s, s:s}", "name", s->name, "unit", s->unit);
	json_t *value = sd_json_interval(s->value, runs);

	if (!out || !value || json_object_update(out, value) != 0) {
		json_decref(out);
		out = NULL;
	}
	json_decref(value);
	sd_json_set(&out, "quality", json_string(quality_of(s)));
	sd_json_set(&out, "source", json_string(s->source));
	if (s->meaning)
		sd_json_set(&out, "meaning", json_string(s->meaning));
	if (s->meaning && s->reference)
		sd_json_set(&out, "reference", json_string(s->reference));
	if (s->meaning)
		sd_json_set(&out, "over", json_boolean(s->over));
	return out;
}

static json_t *put_metrics(const struct sd_point *p)
{
	json_t *out = json_array();

	for (size_t i = 0; out && i < p->n_shown; i++)
		sd_json_add(&out, put_shown(&p->shown[i], p->runs));
	return out;
}

static json_t *put_points(const struct sd_analysis *a)
{
	const struct sd_fact_rows rows = sd_facts_points_table(a, 0);
	json_t *out = json_array();

	for (size_t i = 0; out && i < a->n_point; i++) {
		json_t *point = sd_render_json_row(&rows, i);

		sd_json_set(&point, "stack", put_stack(&a->point[i]));
		sd_json_set(&point, "metrics", put_metrics(&a->point[i]));
		sd_json_add(&out, point);
	}
	return out;
}

/* The machine's settings, as far as they are known; NULL: nothing, or no memory. */
static json_t *put_setup(const struct sd_node_facts *facts)
{
	json_t *out = NULL;

	for (size_t i = 0; i < SD_NODE_FACT_COUNT; i++) {
		if (!facts->text[i][0])
			continue;
		out = out ? out : json_object();
		json_object_set_new(out, sd_node_fact_name[i], sd_json_text(facts->text[i]));
	}
	return out;
}

static json_t *put_host(const struct sd_host *h)
{
	return json_pack("{s:o, s:o, s:o, s:o, s:I, s:I, s:I, s:o, s:I, s:I, s:I, s:I, s:I, s:o, "
			 "s:o, s:s, s:o*}",
		"name", sd_json_text(h->name), "cpu", sd_json_text(h->cpu), "kernel",
		sd_json_text(h->kernel), "hypervisor",
		h->hypervisor[0] ? sd_json_text(h->hypervisor) : json_null(), "online_cpus",
		(json_int_t)h->online, "allowed_cpus", (json_int_t)h->allowed, "granted_cpus",
		(json_int_t)h->granted, "quota_cpus", sd_json_value(h->quota), "cores",
		(json_int_t)h->cores, "packages", (json_int_t)h->packages, "numa_nodes",
		(json_int_t)h->numa, "llc_domains", (json_int_t)h->llc, "core_kinds",
		(json_int_t)h->kinds, "llc_bytes", sd_json_value(h->llc_bytes), "memory_bytes",
		sd_json_value(h->memory_bytes), "pmu", sd_status_name(h->pmu), "setup",
		put_setup(&h->setup));
}

static json_t *put_program(const struct sd_program *p)
{
	static const char *const placement[] = {
		[SD_PLACEMENT_COMPACT] = "compact",
		[SD_PLACEMENT_SPREAD] = "spread",
		[SD_PLACEMENT_SMT] = "smt",
	};

	return json_pack("{s:o, s:o, s:o, s:s, s:s, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o*}",
		"argv", sd_json_texts(&p->argv), "attached", sd_json_text(p->attached), "cwd",
		sd_json_text(p->cwd), "scaling", p->scaling == SD_SCALING_WEAK ? "weak" : "strong",
		"placement", placement[p->placement], "rate", sd_json_text(p->rate), "latency",
		sd_json_text(p->latency), "latency_before_s", sd_json_value(p->latency_before),
		"latency_after_s", sd_json_value(p->latency_after), "set", sd_json_texts(&p->set),
		"commit", p->source.commit[0] ? sd_json_text(p->source.commit) : json_null(),
		"branch", p->source.branch[0] ? sd_json_text(p->source.branch) : json_null(),
		"build", p->build ? sd_json_text(p->build) : NULL);
}

/* null: recorded by something that knew of no calibration */
static json_t *put_calibration(const struct sd_calibration *c)
{
	json_t *ceilings;

	if (!c->statement)
		return json_null();
	ceilings = json_array();
	for (size_t i = 0; ceilings && i < c->n_ceiling; i++)
		sd_json_add(&ceilings,
			json_pack("{s:I, s:o}", "cores", (json_int_t)c->ceiling[i].cores,
				"bandwidth_bytes_per_s", sd_json_value(c->ceiling[i].bandwidth)));
	return json_pack("{s:o, s:o, s:o, s:o}", "statement", sd_json_text(c->statement),
		"latency_llc_s", sd_json_value(c->llc), "latency_dram_s", sd_json_value(c->dram),
		"ceilings", ceilings);
}

static json_t *put_fits(const struct sd_fits *f)
{
	return json_pack("{s:o, s:{s:o, s:o, s:o, s:o, s:o}}", "amdahl_serial",
		sd_json_value(f->amdahl_serial), "usl", "alpha", sd_json_value(f->usl_alpha),
		"beta", sd_json_value(f->usl_beta), "gamma", sd_json_value(f->usl_gamma),
		"peak_cores", sd_json_value(f->usl_peak), "limit_speedup",
		sd_json_value(f->usl_limit));
}

static json_t *put_confidence(const struct sd_analysis *a)
{
	return json_pack("{s:f, s:I, s:o, s:o, s:o, s:o}", "level", 0.95, "bootstraps",
		(json_int_t)a->bootstraps, "smallest_efficiency_difference",
		sd_json_value(a->smallest), "efficiency_on_whole_cores",
		sd_json_interval(a->whole, a->n_point ? a->point[a->n_point - 1].runs : 0), "drift",
		sd_json_value(a->drift), "noise", sd_json_value(a->noise));
}

/* NULL: all runs are compared, or too few of the other state would be left. */
static json_t *put_other_state(const struct sd_analysis *a)
{
	static const char *const same[] = {[SD_STATES_SAY_NOTHING] = "unknown",
		[SD_STATES_SAY_THE_SAME] = "yes",
		[SD_STATES_SAY_OTHERWISE] = "no"};
	const struct sd_other_state *const o = &a->other;
	const int found = o->cause < SD_CAUSE_COUNT;

	if (!o->state)
		return NULL;
	return json_pack("{s:s, s:I, s:o, s:s, s:o, s:o, s:o}", "state",
		o->state == 1 ? "near" : "far", "runs", (json_int_t)o->runs, "speedup",
		sd_json_interval(o->speedup, o->runs), "same_cause", same[o->says], "cause",
		found ? json_string(sd_cause_info[o->cause].name) : json_null(), "verdict",
		found ? json_string(sd_verdict_name[o->verdict]) : json_null(), "cores",
		sd_json_interval(
			found ? o->cores : (struct sd_interval){.status = SD_STATUS_ABSENT},
			o->runs));
}

static json_t *put_states(const struct sd_analysis *a)
{
	json_t *lines = json_array(), *speedups = json_array();

	for (unsigned i = 0; lines && speedups && i < a->states && i < 2; i++) {
		sd_json_add(&lines, sd_json_value(a->state_line[i]));
		if (sd_has(a->state_speedup[i]))
			sd_json_add(&speedups,
				json_pack("{s:o, s:I}", "value", sd_json_value(a->state_speedup[i]),
					"runs", (json_int_t)a->state_runs[i]));
	}
	return json_pack("{s:o, s:o, s:o, s:o*}", "count",
		a->states ? json_integer(a->states) : json_null(), "line_transfer_s", lines,
		"speedups", speedups, "other", put_other_state(a));
}

/* Puts the warnings of measuring and of the analysis, each once. */
static json_t *put_warnings(const struct sd_record *r, const struct sd_analysis *a)
{
	struct sd_texts all = {0};
	json_t *out = NULL;
	int rc = 0;

	for (size_t i = 0; !rc && i < a->warnings.n; i++)
		rc = sd_texts_add_once(&all, a->warnings.text[i]);
	for (size_t i = 0; !rc && i < r->warnings.n; i++)
		rc = sd_texts_add_once(&all, r->warnings.text[i]);
	if (!rc)
		out = sd_json_texts(&all);
	sd_texts_free(&all);
	return out;
}

/* Puts the component of the stack that no rule could attribute, with its interval. */
static json_t *put_undecided(const struct sd_analysis *a, size_t runs)
{
	const struct sd_interval nothing = {.status = a->undecided.status};

	return sd_json_interval(sd_has(a->undecided) ? sd_view_growth(a) : nothing, runs);
}

/* Why no cause is named; null: it takes long enough. */
static json_t *put_short(const struct sd_analysis *a)
{
	return sd_has(a->too_short)
		       ? json_pack("{s:o, s:b}", "takes_s", sd_json_real(a->too_short.value),
				 "mostly_start", a->is_start)
		       : json_null();
}

static json_t *put_scales(enum sd_scales s)
{
	return s == SD_SCALES_UNKNOWN ? json_null() : json_boolean(s == SD_SCALES_YES);
}

/* The largest first; none where they are not known. */
static json_t *put_charges(const struct sd_estimate *e)
{
	unsigned char done[SD_CAUSE_COUNT] = {0};
	json_t *out = json_array();

	for (int n = 0; out && n < SD_CAUSE_COUNT; n++) {
		int most = -1;

		for (int i = 0; i < SD_CAUSE_COUNT; i++)
			if (!done[i] && sd_has(e->cost[i]) &&
				(most < 0 || e->cost[i].value > e->cost[most].value))
				most = i;
		if (most < 0)
			break;
		done[most] = 1;
		sd_json_add(&out, json_pack("{s:s, s:o}", "cause", sd_cause_info[most].name,
					  "cores", sd_json_real(e->cost[most].value)));
	}
	return out;
}

/* By the latency model of simulated runs: never measured. */
static json_t *put_estimates(const struct sd_analysis *a)
{
	const struct sd_fact_rows rows = sd_facts_estimate_table(a);
	json_t *out = json_array();

	for (size_t i = 0; out && i < rows.n; i++) {
		json_t *row = sd_render_json_row(&rows, i);

		sd_json_set(&row, "causes", put_charges(&a->estimate[i]));
		sd_json_set(&row, "quality", json_string("simulated"));
		sd_json_add(&out, row);
	}
	return out;
}

static json_t *put_known(struct sd_value v)
{
	return sd_has(v) ? json_boolean(v.value > 0) : json_null();
}

static json_t *put_constructs(const struct sd_constructs *c)
{
	return json_pack("{s:o, s:o, s:o}", "openmp", put_known(c->openmp), "threads",
		put_known(c->threads), "processes", put_known(c->processes));
}

static json_t *put_count(unsigned n)
{
	return n ? json_integer(n) : json_null();
}

static json_t *put_outlook(const struct sd_analysis *a)
{
	const struct sd_outlook *const o = &a->outlook;
	const struct sd_fact_rows counts = sd_facts_predicted_table(a);

	return json_pack("{s:o, s:o, s:o, s:o, s:{s:o, s:o, s:o, s:o}, s:o}", "past",
		put_count(o->last), "counts", sd_render_json(&counts), "refused",
		sd_json_text(o->refused), "basis", sd_json_texts(&o->basis), "stops_paying",
		"cores", put_count(o->stops), "low", put_count(o->stops_low), "high",
		put_count(o->stops_high), "known_to", put_count(o->stops_known), "next_run",
		o->next_run ? json_pack("{s:I, s:o}", "cores", (json_int_t)o->next_run, "why",
				      sd_json_text(o->next_why))
			    : json_null());
}

/* NULL: nobody looked. */
static json_t *put_kernel_locks(const struct sd_record *r)
{
	struct sd_kernel_lock_means m;
	struct sd_fact_rows rows;

	sd_kernel_lock_means_of(r, &m);
	if (m.status == SD_STATUS_ABSENT)
		return NULL;
	rows = sd_facts_kernel_lock_table(r, &m);
	rows.n = m.status == SD_STATUS_OK ? rows.n : 0; /* times of noisy rows mean nothing */
	return json_pack("{s:s, s:i, s:i, s:i, s:f, s:o}", "status", sd_status_name(m.status),
		"cores", (int)m.cores, "fewest_cores", (int)m.least, "runs", (int)m.runs,
		"other_cores", m.other_cores, "rows", sd_render_json(&rows));
}

int sd_report_json(FILE *f, const struct sd_record *r, const struct sd_analysis *a)
{
	const size_t runs = a->n_point ? a->point[a->n_point - 1].runs : 0;
	const char *const cwd = r->program.cwd;
	struct sd_neighbours_met neighbours;
	struct sd_fact_rows beside;
	const struct sd_fact_rows findings = sd_facts_finding_table(a, cwd),
				  locks = sd_facts_lock_table(a, cwd),
				  steps = sd_facts_step_table(a),
				  costs = sd_facts_probe_cost_table(r),
				  tested = sd_facts_tested_table(a, 1);
	const time_t at = sd_view_measured_at(r);
	struct tm tm;
	json_t *const kernel_locks = put_kernel_locks(r);
	char text[32];
	json_t *out = json_pack(
		"{s:i, s:{s:s, s:s}, s:b, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, "
		"s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}",
		"schema", SCHEMA, "tool", "name", "scalediag", "version", SD_VERSION, "complete",
		r->complete, "view", sd_json_view(r, a), "host", put_host(&r->host), "program",
		put_program(&r->program), "constructs", put_constructs(&a->constructs),
		"calibration", put_calibration(&r->calibration), "points", put_points(a),
		"findings", sd_render_json(&findings), "functions", sd_json_functions(a, cwd),
		"losses", sd_json_losses(a), "locks", sd_render_json(&locks), "threads",
		sd_json_threads(a, cwd), "sampling", sd_json_sampling(&a->sampling), "scales",
		a->n_point ? put_scales(a->scales) : json_null(), "surely",
		sd_json_interval(a->surely, runs), "too_short", put_short(a), "lost_cores",
		sd_json_interval(a->lost, runs), "undecided_cores", put_undecided(a, runs), "fits",
		put_fits(&a->fits), "confidence", put_confidence(a), "growth_cause",
		a->growth ? json_string(a->growth->name) : json_null(), "experiments",
		sd_render_json(&tested), "states", put_states(a), "estimates", put_estimates(a),
		"prediction", put_outlook(a), "warnings", put_warnings(r, a));

	if (out && at && gmtime_r(&at, &tm) && strftime(text, sizeof text, "%FT%TZ", &tm))
		json_object_set_new(out, "measured_at", json_string(text));
	if (out && a->n_step)
		json_object_set_new(out, "steps", sd_render_json(&steps));
	if (out && sd_fact_any(&costs))
		json_object_set_new(out, "probe_costs", sd_render_json(&costs));
	sd_neighbours_met(r, &neighbours);
	beside = sd_facts_neighbour_table(&neighbours);
	if (out && sd_fact_any(&beside))
		json_object_set_new(out, "neighbours", sd_render_json(&beside));
	if (out && kernel_locks)
		json_object_set(out, "kernel_locks", kernel_locks);
	json_decref(kernel_locks);
	/* only where there are counters */
	if (out && a->events.n_metric)
		json_object_set_new(out, "event_hotspots", sd_json_events(&a->events, cwd));
	/* only of MPI programs */
	if (out && a->ranks.known)
		json_object_set_new(out, "ranks", sd_json_ranks(a));
	if (out && (a->regions.n_row || a->regions.judged))
		json_object_set_new(out, "regions", sd_json_regions(a));
	if (out && a->regions.span.notes.n)
		json_object_set_new(out, "task_span", sd_json_span(a));
	if (out && a->regions.requests.region)
		json_object_set_new(out, "slow_requests", sd_json_requests(a));
	return sd_json_print(f, out);
}
