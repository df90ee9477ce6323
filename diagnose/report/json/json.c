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

/* Every put_ returns a new reference, or NULL without memory. */

static json_t *put_stack(const struct sd_point *p)
{
	json_t *out = json_array();

	for (int i = 0; out && i < SD_COMPONENT_COUNT; i++) {
		const struct sd_interval *c = &p->stack[i];

		if (c->status != SD_STATUS_OK && c->status != SD_STATUS_NOISY)
			continue;
		sd_json_add(&out, sd_json("component", sd_component_info[i].name, "cores",
					  sd_json_interval(*c, p->runs)));
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
	json_t *out = sd_json("name", s->name, "unit", s->unit);

	sd_json_put_interval(&out, s->value, runs);
	sd_json_put(&out, "quality", quality_of(s), "source", s->source);
	if (s->meaning)
		sd_json_put(&out, "meaning", s->meaning, "?reference",
			s->reference ? sd_json_text(s->reference) : NULL, "over",
			json_boolean(s->over));
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

		sd_json_put(&point, "stack", put_stack(&a->point[i]), "metrics",
			put_metrics(&a->point[i]));
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
	return sd_json("name", h->name, "cpu", h->cpu, "kernel", h->kernel, "hypervisor",
		sd_json_name(h->hypervisor), "online_cpus", h->online, "allowed_cpus", h->allowed,
		"granted_cpus", h->granted, "quota_cpus", h->quota, "cores", h->cores, "packages",
		h->packages, "numa_nodes", h->numa, "llc_domains", h->llc, "core_kinds", h->kinds,
		"llc_bytes", h->llc_bytes, "memory_bytes", h->memory_bytes, "pmu",
		sd_status_name(h->pmu), "?setup", put_setup(&h->setup));
}

static json_t *put_program(const struct sd_program *p)
{
	static const char *const placement[] = {
		[SD_PLACEMENT_COMPACT] = "compact",
		[SD_PLACEMENT_SPREAD] = "spread",
		[SD_PLACEMENT_SMT] = "smt",
	};

	return sd_json("argv", &p->argv, "attached", p->attached, "cwd", p->cwd, "scaling",
		p->scaling == SD_SCALING_WEAK ? "weak" : "strong", "placement",
		placement[p->placement], "rate", p->rate, "latency", p->latency, "latency_before_s",
		p->latency_before, "latency_after_s", p->latency_after, "set", &p->set, "commit",
		sd_json_name(p->source.commit), "branch", sd_json_name(p->source.branch), "?build",
		p->build ? sd_json_text(p->build) : NULL);
}

/* null: recorded by something that knew of no calibration */
static json_t *put_calibration(const struct sd_calibration *c)
{
	json_t *ceilings;

	if (!c->statement)
		return json_null();
	ceilings = json_array();
	for (size_t i = 0; ceilings && i < c->n_ceiling; i++)
		sd_json_add(&ceilings, sd_json("cores", c->ceiling[i].cores,
					       "bandwidth_bytes_per_s", c->ceiling[i].bandwidth));
	return sd_json("statement", c->statement, "latency_llc_s", c->llc, "latency_dram_s",
		c->dram, "ceilings", ceilings);
}

static json_t *put_fits(const struct sd_fits *f)
{
	return sd_json("amdahl_serial", f->amdahl_serial, "usl",
		sd_json("alpha", f->usl_alpha, "beta", f->usl_beta, "gamma", f->usl_gamma,
			"peak_cores", f->usl_peak, "limit_speedup", f->usl_limit));
}

static json_t *put_confidence(const struct sd_analysis *a)
{
	return sd_json("level", 0.95, "bootstraps", a->bootstraps, "smallest_efficiency_difference",
		a->smallest, "efficiency_on_whole_cores",
		sd_json_interval(a->whole, a->n_point ? a->point[a->n_point - 1].runs : 0), "drift",
		a->drift, "noise", a->noise);
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
	return sd_json("state", o->state == 1 ? "near" : "far", "runs", o->runs, "speedup",
		sd_json_interval(o->speedup, o->runs), "same_cause", same[o->says], "cause",
		found ? sd_cause_info[o->cause].name : NULL, "verdict",
		found ? sd_verdict_name[o->verdict] : NULL, "cores",
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
				sd_json("value", a->state_speedup[i], "runs", a->state_runs[i]));
	}
	return sd_json("count", sd_json_number(a->states), "line_transfer_s", lines, "speedups",
		speedups, "?other", put_other_state(a));
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
	return sd_has(a->too_short) ? sd_json("takes_s", a->too_short.value, "mostly_start",
					      json_boolean(a->is_start))
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
		sd_json_add(&out,
			sd_json("cause", sd_cause_info[most].name, "cores", e->cost[most].value));
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

		sd_json_put(&row, "causes", put_charges(&a->estimate[i]), "quality", "simulated");
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
	return sd_json("openmp", put_known(c->openmp), "threads", put_known(c->threads),
		"processes", put_known(c->processes));
}

static json_t *put_outlook(const struct sd_analysis *a)
{
	const struct sd_outlook *const o = &a->outlook;
	const struct sd_fact_rows counts = sd_facts_predicted_table(a);

	return sd_json("past", sd_json_number(o->last), "counts", sd_render_json(&counts),
		"refused", o->refused, "basis", &o->basis, "stops_paying",
		sd_json("cores", sd_json_number(o->stops), "low", sd_json_number(o->stops_low),
			"high", sd_json_number(o->stops_high), "known_to",
			sd_json_number(o->stops_known)),
		"next_run",
		o->next_run ? sd_json("cores", o->next_run, "why", o->next_why) : json_null());
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
	return sd_json("status", sd_status_name(m.status), "cores", m.cores, "fewest_cores",
		m.least, "runs", m.runs, "other_cores", m.other_cores, "rows",
		sd_render_json(&rows));
}

/* NULL: not known. */
static json_t *put_time(time_t at)
{
	char text[32];
	struct tm tm;

	return at && gmtime_r(&at, &tm) && strftime(text, sizeof text, "%FT%TZ", &tm)
		       ? sd_json_text(text)
		       : NULL;
}

/* NULL: nobody wants any. */
static json_t *put_any(struct sd_fact_rows rows)
{
	return sd_fact_any(&rows) ? sd_render_json(&rows) : NULL;
}

int sd_report_json(FILE *f, const struct sd_record *r, const struct sd_analysis *a)
{
	const size_t runs = a->n_point ? a->point[a->n_point - 1].runs : 0;
	const char *const cwd = r->program.cwd;
	struct sd_neighbours_met neighbours;
	const struct sd_fact_rows findings = sd_facts_finding_table(a, cwd),
				  locks = sd_facts_lock_table(a, cwd),
				  tested = sd_facts_tested_table(a, 1);
	json_t *out = sd_json_head(NULL);

	sd_neighbours_met(r, &neighbours);
	sd_json_put(&out, "complete", json_boolean(r->complete), "view", sd_json_view(r, a), "host",
		put_host(&r->host), "program", put_program(&r->program), "constructs",
		put_constructs(&a->constructs), "calibration", put_calibration(&r->calibration),
		"points", put_points(a), "findings", sd_render_json(&findings), "functions",
		sd_json_functions(a, cwd), "losses", sd_json_losses(a), "locks",
		sd_render_json(&locks), "threads", sd_json_threads(a, cwd), "sampling",
		sd_json_sampling(&a->sampling), "scales",
		a->n_point ? put_scales(a->scales) : json_null(), "surely",
		sd_json_interval(a->surely, runs), "too_short", put_short(a), "lost_cores",
		sd_json_interval(a->lost, runs), "undecided_cores", put_undecided(a, runs), "fits",
		put_fits(&a->fits), "confidence", put_confidence(a), "growth_cause",
		a->growth ? a->growth->name : NULL, "experiments", sd_render_json(&tested),
		"states", put_states(a), "estimates", put_estimates(a), "prediction",
		put_outlook(a), "warnings", put_warnings(r, a));
	/* what only some programs and machines have */
	sd_json_put(&out, "?measured_at", put_time(sd_view_measured_at(r)), "?steps",
		put_any(sd_facts_step_table(a)), "?probe_costs",
		put_any(sd_facts_probe_cost_table(r)), "?neighbours",
		put_any(sd_facts_neighbour_table(&neighbours)), "?kernel_locks",
		put_kernel_locks(r), "?event_hotspots",
		a->events.n_metric ? sd_json_events(&a->events, cwd) : NULL, "?ranks",
		a->ranks.known ? sd_json_ranks(a) : NULL, "?regions",
		a->regions.n_row || a->regions.judged ? sd_json_regions(a) : NULL, "?task_span",
		a->regions.span.notes.n ? sd_json_span(a) : NULL, "?slow_requests",
		a->regions.requests.region ? sd_json_requests(a) : NULL);
	return sd_json_print(f, out);
}
