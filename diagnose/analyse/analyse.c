#include "analyse/analyse.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "runs/run_selection.h"
#include "prediction/scaling_fits.h"
#include "hotspots/constructs.h"
#include "hotspots/lock_table.h"
#include "hotspots/region_table.h"
#include "hotspots/slow_requests.h"
#include "hotspots/task_span.h"
#include "hotspots/function_losses.h"
#include "metrics/metric_intervals.h"
#include "metrics/metric_roles.h"
#include "simulated/simulated_speedup.h"
#include "simulated/line_words.h"
#include "evidence/event_places.h"
#include "evidence/evidence_os.h"
#include "evidence/own_waits.h"
#include "evidence/rank_waits.h"
#include "experiments/next_experiment.h"
#include "experiments/next_looks.h"
#include "experiments/next_passes.h"
#include "experiments/next_rest.h"
#include "experiments/next_runs.h"
#include "experiments/next_windows.h"
#include "experiments/node_costs.h"
#include "experiments/steps_taken.h"
#include "prediction/predict.h"
#include "advice/advice_texts.h"
#include "case/coverage.h"
#include "causes/cause_row.h"
#include "causes/finding_bounds.h"
#include "causes/next_step.h"
#include "hotspots/runtimes.h"
#include "metrics/os_metrics.h"
#include "stack/stack.h"
#include "experiments/apply.h"
#include "experiments/experiment_results.h"
#include "hotspots/concurrency.h"
#include "native/native_causes.h"
#include "native/native_words.h"
#include "validity/compared_state.h"
#include "validity/machine_facts.h"
#include "validity/scaling_verdict.h"
#include "validity/short_program.h"
#include "validity/validity.h"
#include "evidence/cause_places.h"

/* How much of the growth of CPI the mechanisms counted would explain: above 1 they overlap. */
static int add_explained(
	const struct sd_chosen *r, const struct sd_chosen *p, struct sd_point *point)
{
	struct sd_account ref, now;
	struct sd_shown *grown;
	double v;

	sd_account_make(&ref, r->n, r->known, &r->mean);
	sd_account_make(&now, p->n, p->known, &p->mean);
	v = sd_account_explained(&ref, &now, p->work);
	if (!(v > 0))
		return 0;
	grown = realloc(point->shown, (point->n_shown + 1) * sizeof *grown);
	if (!grown)
		return -ENOMEM;
	point->shown = grown;
	point->shown[point->n_shown++] = (struct sd_shown){.name = "cpi-explained",
		.unit = "ratio",
		.source = "counters",
		.meaning = "growth of CPI that the mechanisms counted would explain, of the growth "
			   "there is; above 1 they overlap, and the stack has them in proportion",
		.quality = SD_QUALITY_PROXY,
		.over = v > 1,
		.value = sd_status_unbounded(v, SD_STATUS_OK)};
	return 0;
}

static int fill_shown(const struct sd_record *record, const struct sd_run_selection *choice,
	const struct sd_model *model, struct sd_analysis *out)
{
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < choice->n_point; i++) {
		rc = sd_os_metrics_fill(&choice->point[i], &out->point[i]);
		if (rc == 0)
			rc = sd_metric_intervals_fill(
				model, &choice->point[i], record->plan.seed, i, &out->point[i]);
		if (rc == 0 && i > 0)
			rc = add_explained(&choice->point[0], &choice->point[i], &out->point[i]);
	}
	return rc;
}

/* Names those of a file's counts that say nothing without others, which a reader would look for in
 * vain. What our own runs count is planned. */
static int warn_unused(
	const struct sd_record *record, const struct sd_model *model, struct sd_analysis *out)
{
	enum sd_role role[SD_ROLE_COUNT];
	const size_t n = model->row && record->host.granted == 0
				 ? sd_metric_roles_unused(model->f, model->family, record, role)
				 : 0;
	char list[400] = "";
	size_t used = 0;

	for (size_t i = 0; i < n && used < sizeof list; i++)
		used += (size_t)snprintf(list + used, sizeof list - used, "%s%s", i ? ", " : "",
			sd_role_name(role[i]));
	return n == 0 ? 0
		      : sd_texts_add(&out->warnings,
				"counted, and used by no metric, which need other counts beside "
				"them: %s (scalediag events --cpu %s names their events)",
				list, model->family);
}

/* Evaluates each point's counts for the mechanisms. */
static void find_mechanisms(struct sd_run_selection *choice, const struct sd_model *model)
{
	for (size_t i = 0; i < choice->n_point; i++) {
		struct sd_chosen *p = &choice->point[i];

		p->known |= sd_metric_eval_mechanisms(model, p, NULL, &p->mean);
	}
}

/* Says of every cause why nothing is known of it. 0 or -ENOMEM. */
static int no_findings(struct sd_analysis *out, const char *why)
{
	for (int i = 0; i < SD_CAUSE_COUNT; i++) {
		out->finding[i] = (struct sd_finding){
			.cause = (enum sd_cause)i, .verdict = SD_VERDICT_NOT_MEASURABLE};
		if (sd_texts_add(&out->finding[i].evidence, "%s", why))
			return -ENOMEM;
	}
	return 0;
}

/* Names no cause of a program that takes too short a time, and nothing that would tell more: what
 * was asked for is done, and judged by whoever asked. */
static int name_no_cause(const struct sd_record *record, struct sd_analysis *out)
{
	const struct sd_ledger nothing = {0};
	const int rc = no_findings(out, "the program takes too short a time");

	out->next = out->n_point > 1 ? sd_next_experiment_asked(record, out) : out->n_tested;
	out->runs_wanted = SD_RUNS_ENOUGH;
	out->stop = out->next < out->n_tested ? SD_STOP_NOT : SD_STOP_SHORT;
	return rc ? rc : sd_next_experiment_undone(record, &nothing, SD_NARROWING_DECIDED, out);
}

static const enum sd_stop stop[] = {
	[SD_NARROWING_GO_ON] = SD_STOP_NOT,
	[SD_NARROWING_DECIDED] = SD_STOP_DECIDED,
	[SD_NARROWING_NOTHING] = SD_STOP_NOTHING,
	[SD_NARROWING_BUDGET] = SD_STOP_BUDGET,
};

/* Why it ended. Of a program that ran already there are windows alone to choose. */
static enum sd_stop stop_of(const struct sd_case *c, enum sd_narrowing_end end)
{
	if (c->record->program.attached)
		return c->a->runs_wanted == SD_RUNS_ENOUGH ? SD_STOP_KNOWN : SD_STOP_WINDOWS;
	return c->a->n_point < 2 || !c->a->n_tested ? SD_STOP_NOT : stop[end];
}

/* Chooses the next experiment, if any, and notes why those that were never begun were not. */
static int choose_next(const struct sd_case *c, const struct sd_ledger *l)
{
	const struct sd_record *const record = c->record;
	struct sd_analysis *const out = c->a;
	struct sd_run_choice looks_are, watch_is;
	size_t next = out->n_tested;
	double rate, of_looks, of_watch, of_burst;
	const enum sd_narrowing_end end =
		sd_next_experiment(record, out, l, &next, &out->next_is, &rate);

	out->next = end == SD_NARROWING_GO_ON ? next : out->n_tested;
	of_looks = sd_next_passes(c, l, end, &out->passes, &looks_are);
	of_watch = sd_next_looks(c, l, end, SD_LOOK_WATCH, &watch_is);
	if (of_watch > of_looks) {
		of_looks = of_watch;
		looks_are = watch_is;
		out->passes.n = 0;
	}
	of_burst = sd_next_looks(c, l, end, SD_LOOK_BURST, &out->burst_is);
	out->runs_wanted = sd_next_runs(c, l, end, fmax(rate, of_looks), &out->runs_are);
	out->burst_first = out->runs_wanted != SD_RUNS_FIRST && of_burst > fmax(rate, of_looks);
	if (of_looks > rate && out->runs_wanted != SD_RUNS_FIRST) {
		out->runs_wanted = SD_RUNS_FIRST;
		out->runs_are = looks_are;
	}
	if (sd_next_windows_looked(c))
		out->runs_wanted = sd_next_windows(c, &out->runs_are);
	else if (out->runs_wanted != SD_RUNS_ENOUGH)
		out->rest = sd_next_rest(c, sd_next_runs_block(out));
	out->is_decided = end == SD_NARROWING_DECIDED;
	out->stop = stop_of(c, end);
	out->needs_node = sd_node_costs_wanted(record, out);
	return sd_next_experiment_undone(record, l, end, out);
}

static int judge(const struct sd_record *record, const struct sd_run_selection *choice,
	const struct sd_model *model, const struct sd_loss *loss,
	const struct sd_loss_by_stack *spread, const struct sd_native_growth *native,
	const struct sd_advice_texts *advice, struct sd_analysis *out)
{
	struct sd_case c = {
		.record = record,
		.choice = choice,
		.ref = &choice->point[0],
		.last = &choice->point[choice->n_point - 1],
		.loss = loss,
		.spread = spread,
		.native = native,
		.model = model,
		.neighbours = sd_shared_cores_make(
			record, &choice->point[0], &choice->point[choice->n_point - 1]),
		.a = out,
		.scratch = calloc(loss->n_sample ? loss->n_sample : 1, sizeof(double)),
	};
	struct sd_ledger ledger;
	int rc = -ENOMEM;

	if (!c.scratch)
		return rc;
	if (model->row) {
		sd_metric_eval_point(model, c.ref, NULL, &c.before);
		sd_metric_eval_point(model, c.last, NULL, &c.after);
		sd_coverage_make(&c);
	}
	sd_short_program_find(record, choice, out);
	sd_evidence_output_warn(&c);
	rc = sd_validity_check(&c);
	if (rc || sd_has(out->too_short)) {
		rc = rc ? rc : name_no_cause(record, out);
		goto out;
	}
	rc = rc ? rc : sd_machine_facts_make(&c, &c.facts);
	rc = rc ? rc : sd_rank_waits_show(&c);
	if (rc == 0) {
		sd_disturbance_make(&c.facts, c.disturbance);
		sd_cause_row_state_all(&c);
		sd_apply(&c);
		rc = sd_finding_bounds_fill(&c, &ledger);
	}
	rc = rc ? rc : choose_next(&c, &ledger);
	if (rc == 0) {
		sd_scaling_verdict_say(&c, &ledger);
		sd_native_words_single(&c);
		sd_finding_bounds_advise(&c);
		sd_finding_bounds_sort(&c, &ledger);
		sd_native_causes_places(&c);
		sd_cause_places_fill(&c);
		sd_own_waits_find(&c);
		sd_native_causes_objects(&c);
		for (int i = 0; i < SD_CAUSE_COUNT; i++)
			sd_next_step_names(&c, &out->finding[i]);
		for (size_t i = 0; i < out->n_lock && out->lock[i].n_waiter; i++)
			out->lock[i].waiter[0].interpreter =
				sd_runtimes_interprets(out->lock[i].waiter[0].module);
		if (advice)
			sd_advice_texts_fill(&c, advice);
		rc = c.rc;
	}
out:
	sd_statements_free(&c.said);
	free(c.scratch);
	return rc;
}

/* Fills in all that comes from samples: functions, locks, growth by stack, how they were taken. */
static int fill_sampled(const struct sd_record *record, const struct sd_run_selection *choice,
	struct sd_loss_by_stack *spread, struct sd_native_growth *native, struct sd_analysis *out)
{
	int rc;

	sd_lock_table_sampling(choice, &out->sampling);
	out->constructs = sd_constructs_find(record, choice);
	rc = sd_loss_by_stack_make(record, choice, spread);
	if (rc == 0)
		rc = sd_function_losses_fill(record, spread, out);
	if (rc == 0 && spread->now && !spread->whole)
		rc = sd_native_growth_make(
			record, spread->ref, spread->now, &spread->places, native);
	if (spread->whole)
		spread->now = NULL; /* no loss: nothing to judge by */
	if (rc == 0)
		rc = sd_lock_table_fill(record, choice, out);
	return rc ? rc : sd_concurrency_fill(record, choice, out);
}

/* As sd_analyse(), of the runs of one state of the machine; NONE: of those that are compared. */
static int analyse_in(const struct sd_record *record, const struct sd_formula_tables *tables,
	const struct sd_advice_texts *advice, enum sd_label state, struct sd_analysis *out)
{
	struct sd_run_selection choice = {0};
	struct sd_model model = {0};
	struct sd_loss loss = {0};
	struct sd_loss_by_stack spread = {0};
	struct sd_native_growth native = {0};
	int rc;

	*out = (struct sd_analysis){.scales = SD_SCALES_UNKNOWN,
		.next_is = {.of = SD_CAUSE_COUNT},
		.runs_are = {.of = SD_CAUSE_COUNT}};
	rc = sd_run_selection_make(record, state, &choice);
	if (rc == 0)
		rc = sd_validity_missing(record, &choice, out);
	if (rc)
		goto out;
	if (choice.n_point == 0) {
		/* without a point there is still an answer for every cause */
		rc = no_findings(out, "no usable run");
		rc = rc ? rc : -ENODATA;
		goto out;
	}
	rc = -ENOMEM;
	out->point = calloc(choice.n_point, sizeof *out->point);
	if (!out->point)
		goto out;
	out->n_point = choice.n_point;
	out->work = choice.work;
	rc = sd_metric_eval_make(&model, record, &choice, tables);
	if (rc)
		goto out;
	find_mechanisms(&choice, &model);
	rc = sd_stack_fill(&choice, &model, record->plan.seed, out, &loss);
	if (rc == 0)
		rc = fill_shown(record, &choice, &model, out);
	if (rc == 0)
		rc = warn_unused(record, &model, out);
	if (rc == 0)
		rc = sd_scaling_fits_fill(out, record->program.scaling == SD_SCALING_WEAK);
	if (rc == 0)
		rc = sd_simulated_speedup(record, &choice, out);
	if (rc == 0)
		rc = fill_sampled(record, &choice, &spread, &native, out);
	if (rc == 0)
		rc = sd_event_places_fill(record, &choice.point[choice.n_point - 1], &model, out);
	if (rc == 0)
		rc = sd_region_table_fill(record, &choice, out);
	if (rc == 0)
		rc = sd_slow_requests_fill(record, &choice, &out->regions.requests);
	if (rc == 0 && !choice.rates && !record->program.attached)
		rc = sd_task_span_fill(&choice, &out->regions.span);
	if (rc == 0)
		rc = sd_predict_fill(record, &choice, out);
	if (rc == 0)
		rc = sd_experiment_results_fill(record, &choice, out);
	if (rc == 0)
		rc = sd_steps_taken_fill(record, out);
	if (rc == 0)
		rc = judge(record, &choice, &model, &loss, &spread, &native, advice, out);
	if (rc == 0)
		rc = sd_predict_withdraw(out);
	if (rc == 0)
		rc = sd_line_words_fill(record, out);
out:
	sd_native_growth_free(&native);
	sd_loss_by_stack_free(&spread);
	sd_loss_free(&loss);
	sd_metric_eval_free(&model);
	sd_run_selection_free(&choice);
	return rc;
}

int sd_analyse(const struct sd_record *record, const struct sd_formula_tables *tables,
	const struct sd_advice_texts *advice, struct sd_analysis *out)
{
	struct sd_analysis other;
	int rc = analyse_in(record, tables, advice, SD_LABEL_NONE, out);

	if (rc || !out->other.state)
		return rc;
	rc = analyse_in(record, tables, advice, (enum sd_label)out->other.state, &other);
	if (rc == 0 && sd_compared_state_is_other(&other, out)) {
		const struct sd_analysis was = *out;

		*out = other;
		other = was;
	}
	if (rc == 0)
		rc = sd_compared_state_beside(&other, out);
	sd_analysis_free(&other);
	return rc == -ENODATA ? 0 : rc;
}
