/*
 * Which experiment is done next, and when no more is.
 */

#include "diagnose/analyse/experiments/experiment_pairs.h"
#include "base/configs.h"
#include "experiments/next_experiment.h"
#include "experiments/node_costs.h"
#include "record/short_budget.h"
#include "advice/advice_texts.h"

static int next_of(struct sd_record *r)
{
	struct sd_analysis a;
	int next;

	assert_int_equal(sd_analyse(r, NULL, NULL, &a), 0);
	next = a.next < a.n_tested ? (int)a.next : -1;
	sd_analysis_free(&a);
	return next;
}

static void the_first_experiment_is_copies(void **state)
{
	struct sd_record r;

	(void)state;
	with_experiments(&r, &slow);
	assert_int_equal(next_of(&r), SD_EXPERIMENT_REPLICAS);
	copies(&r, 2, 1);
	assert_int_equal(next_of(&r), SD_EXPERIMENT_REPLICAS);
	sd_record_free(&r);
}

/* Pairs that say neither this nor that. */
static void what_was_begun_gets_its_least_pairs(void **state)
{
	struct sd_record r;

	(void)state;
	with_experiments(&r, &slow);
	for (int i = 0; i < SD_EXPERIMENT_COUNT; i++)
		if (i != SD_EXPERIMENT_PADDING && i != SD_EXPERIMENT_HUGE_PAGES)
			r.plan.experiment[i].skipped = strdup("not here");
	for (unsigned i = 0; i < SD_EXPERIMENT_RESULTS_LEAST; i++) {
		struct sample s = slow;

		assert_int_equal(next_of(&r), SD_EXPERIMENT_PADDING);
		s.wall *= i % 2 ? 1.3 : .6;
		add(&r, SD_EXPERIMENT_PADDING, 1, SD_ARM_PLAIN, i, &slow);
		add(&r, SD_EXPERIMENT_PADDING, 1, SD_ARM_CHANGED, i, &s);
	}
	assert_int_equal(next_of(&r), SD_EXPERIMENT_HUGE_PAGES);
	pairs(&r, SD_EXPERIMENT_HUGE_PAGES, 1, SD_EXPERIMENT_RESULTS_LEAST, 1);
	pairs(&r, SD_EXPERIMENT_HUGE_PAGES, 0, SD_EXPERIMENT_RESULTS_LEAST, 1);
	assert_int_equal(next_of(&r), SD_EXPERIMENT_PADDING);
	sd_record_free(&r);
}

static void what_was_not_begun_says_why(void **state)
{
	const struct sd_tested *t;
	struct sd_record r;
	struct sd_analysis a;

	(void)state;
	with_experiments(&r, &slow);
	copies(&r, 5, 1);
	r.complete = 0;
	assert_int_equal(sd_analyse(&r, NULL, NULL, &a), 0);
	assert_null(a.tested[SD_EXPERIMENT_PADDING].skipped);
	sd_analysis_free(&a);
	r.complete = 1;
	assert_int_equal(sd_analyse(&r, NULL, NULL, &a), 0);
	t = a.tested;
	assert_null(t[SD_EXPERIMENT_REPLICAS].skipped);
	assert_non_null(strstr(t[SD_EXPERIMENT_PADDING].skipped, "--experiments padding"));
	assert_non_null(strstr(t[SD_EXPERIMENT_BANDWIDTH_THIEF].skipped, "tells nothing"));
	sd_analysis_free(&a);
	sd_record_free(&r);
}

static void hardware_that_copies_ruled_out_is_not_looked_at(void **state)
{
	struct sd_record r;

	(void)state;
	with_experiments(&r, &slow);
	copies(&r, 5, 1);
	assert_int_equal(next_of(&r), SD_EXPERIMENT_PASSIVE_WAIT);
	r.plan.experiment[SD_EXPERIMENT_PASSIVE_WAIT].skipped = strdup("no OpenMP");
	r.plan.experiment[SD_EXPERIMENT_INTERLEAVE].skipped = strdup("one node");
	/* in the time that is left it tells more for each second */
	assert_int_equal(next_of(&r), SD_EXPERIMENT_SOFTWARE_PMU);
	r.plan.experiment[SD_EXPERIMENT_SOFTWARE_PMU].skipped = strdup("no emulator");
	assert_int_equal(next_of(&r), SD_EXPERIMENT_PADDING);
	sd_record_free(&r);
}

static void what_scales_needs_no_experiment_unless_it_was_asked_for(void **state)
{
	struct sd_record r;

	(void)state;
	with_experiments(&r, &good);
	assert_int_equal(next_of(&r), -1);
	r.plan.experiment[SD_EXPERIMENT_PADDING].asked = 1;
	assert_int_equal(next_of(&r), SD_EXPERIMENT_PADDING);
	pairs(&r, SD_EXPERIMENT_PADDING, 1, 5, 1);
	assert_int_equal(next_of(&r), -1);
	sd_record_free(&r);
}

/* Once it is hardware that the cores share, both thieves say which. */
static void hardware_that_copies_found_is_looked_at(void **state)
{
	int seen[SD_EXPERIMENT_COUNT] = {0};
	struct sd_record r;

	(void)state;
	with_experiments(&r, &slow);
	copies(&r, 5, 1 / EFFICIENCY);
	clock_is(&r, 1);
	r.plan.experiment[SD_EXPERIMENT_PASSIVE_WAIT].skipped = strdup("no OpenMP");
	r.plan.experiment[SD_EXPERIMENT_INTERLEAVE].skipped = strdup("one node");
	for (unsigned i = 0; i < 2 * SD_EXPERIMENT_RESULTS_LEAST; i++) {
		const int next = next_of(&r);
		struct sample s = one;

		s.wall *= i % 2 ? 3 : .8; /* neither this nor that */
		seen[next]++;
		add(&r, (enum sd_experiment)next, 0, SD_ARM_PLAIN, i, &one);
		add(&r, (enum sd_experiment)next, 0, SD_ARM_CHANGED, i, &s);
	}
	assert_int_equal(seen[SD_EXPERIMENT_BANDWIDTH_THIEF], SD_EXPERIMENT_RESULTS_LEAST);
	assert_int_equal(seen[SD_EXPERIMENT_CACHE_THIEF], SD_EXPERIMENT_RESULTS_LEAST);
	sd_record_free(&r);
}

static void a_program_of_few_runs_has_time_for_experiments(void **state)
{
	static const struct {
		double each;
		int next;
	} row[] = {{1.5, SD_EXPERIMENT_PASSIVE_WAIT}, {2.1, -1}};

	(void)state;
	for (size_t k = 0; k < sizeof row / sizeof *row; k++) {
		struct sd_record r;

		with_experiments(&r, &slow);
		r.plan.experiment[SD_EXPERIMENT_SOFTWARE_PMU].skipped = strdup("no emulator");
		copies(&r, 5, 1);
		for (size_t i = 0; i < r.n_run; i++) {
			struct sd_run *const run = &r.run[i];

			run->metric[SD_METRIC_WALL].value *= run->tried ? row[k].each / 4 : .02;
			run->metric[SD_METRIC_USER].value *= run->tried ? row[k].each / 4 : .02;
			for (size_t c = 0; run->tried && c < run->tried->n_copy; c++)
				run->tried->copy[c].wall.value *= row[k].each / 4;
		}
		assert_int_equal(next_of(&r), row[k].next);
		sd_record_free(&r);
	}
}

/* Threads that wait for a lock: thread states say how long, and no experiment says more. */
static void what_is_decided_needs_no_experiment(void **state)
{
	struct sd_record r;
	struct sd_analysis a;

	(void)state;
	with_experiments(&r, &slow);
	r.complete = 1;
	for (size_t i = 0; i < r.n_run; i++) {
		struct sd_run *const run = &r.run[i];

		if (run->point == 0)
			continue;
		run->metric[SD_METRIC_USER] = SD_OK(one.user);
		run->idle[SD_IDLE_LOCK] = SD_OK(2 * slow.wall - one.user);
		run->metric[SD_METRIC_POLL_CPU] = SD_OK(0);
	}
	assert_int_equal(sd_analyse(&r, NULL, NULL, &a), 0);
	assert_true(finding_of(&a, SD_CAUSE_LOCK_CONTENTION)->verdict <= SD_VERDICT_LIKELY);
	assert_true(a.is_decided);
	assert_int_equal(a.next, a.n_tested);
	for (size_t i = 0; i < a.n_tested; i++)
		assert_non_null(a.tested[i].skipped);
	done(&r, &a);
}

static void auto_ends_when_its_time_is_spent(void **state)
{
	struct sd_record r;

	(void)state;
	with_experiments(&r, &slow);
	copies(&r, 5, 1);
	r.plan.experiment[SD_EXPERIMENT_SOFTWARE_PMU].skipped = strdup("no emulator");
	for (size_t i = 0; i < r.n_run; i++)
		if (r.run[i].kind == SD_RUN_EXPERIMENT)
			r.run[i].metric[SD_METRIC_WALL] = SD_OK(100);
	assert_int_equal(next_of(&r), -1);
	r.plan.experiment[SD_EXPERIMENT_PADDING].asked = 1;
	assert_int_equal(next_of(&r), SD_EXPERIMENT_PADDING);
	sd_record_free(&r);
}

/* The whole measurement took `s` until now, without a pause. */
static void spent(struct sd_record *r, double s)
{
	for (size_t i = 0; i < r->n_run; i++) {
		r->run[i].start = 1e9 + s * (double)i / (double)(r->n_run - 1);
	}
}

static void of_a_short_program_the_last_of_the_time_is_the_software_pmus(void **state)
{
	struct sd_record r;
	double reserved;

	(void)state;
	with_experiments(&r, &slow);
	for (size_t i = 0; i < r.n_run; i++)
		r.run[i].metric[SD_METRIC_WALL].value /= 50;
	r.plan.experiment[SD_EXPERIMENT_ADD_LOOP].skipped = strdup("costs nothing");
	reserved = sd_short_budget_kept(&r) + sd_short_budget_counts(&r);
	spent(&r, SD_SHORT_BUDGET_S - reserved - 2);
	assert_int_equal(next_of(&r), SD_EXPERIMENT_REPLICAS);
	/* pairs that could be begun, and not be made enough to say anything, are not */
	spent(&r, SD_SHORT_BUDGET_S - reserved - .1);
	assert_int_equal(next_of(&r), SD_EXPERIMENT_SOFTWARE_PMU);
	spent(&r, SD_SHORT_BUDGET_S - sd_short_budget_simulated(&r) - .5);
	assert_int_equal(next_of(&r), SD_EXPERIMENT_SOFTWARE_PMU);
	/* too little for it: what it would have taken is for others */
	spent(&r, SD_SHORT_BUDGET_S - sd_short_budget_simulated(&r) + .1);
	assert_int_equal(next_of(&r), SD_EXPERIMENT_REPLICAS);
	spent(&r, SD_SHORT_BUDGET_S - .5);
	assert_int_equal(next_of(&r), -1);
	r.plan.experiment[SD_EXPERIMENT_PADDING].asked = 1;
	assert_int_equal(next_of(&r), SD_EXPERIMENT_PADDING);
	sd_record_free(&r);
}

static int needs_node(const struct sd_record *r)
{
	struct sd_analysis a;
	int needs;

	assert_int_equal(sd_analyse(r, NULL, NULL, &a), 0);
	needs = sd_node_costs_wanted(r, &a);
	sd_analysis_free(&a);
	return needs;
}

/* A node is calibrated for counts whose cost it tells, where that is open, and where it does not
 * take most of the time there is. */
static void a_node_is_calibrated_for_counts_whose_cost_decides_and_in_time(void **state)
{
	struct sd_record r;

	(void)state;
	with_experiments(&r, &slow);
	assert_false(needs_node(&r)); /* nothing was counted */
	for (size_t p = 0; p < 2; p++) {
		struct sd_run *const run = record_sample(&r, p, &one, 1);

		run->kind = SD_RUN_SIMULATED;
		run->simulated = calloc(1, sizeof *run->simulated);
	}
	assert_true(needs_node(&r));
	r.calibration.made = 1e9;
	assert_false(needs_node(&r));
	r.calibration.made = 0;
	for (size_t i = 0; i < r.n_run; i++)
		r.run[i].metric[SD_METRIC_WALL].value /= 50;
	assert_false(needs_node(&r));
	r.plan.budget_s = 1000;
	assert_true(needs_node(&r));
	sd_record_free(&r);
	with_experiments(&r, &good); /* nothing is open */
	for (size_t p = 0; p < 2; p++) {
		struct sd_run *const run = record_sample(&r, p, &one, 1);

		run->kind = SD_RUN_SIMULATED;
		run->simulated = calloc(1, sizeof *run->simulated);
	}
	assert_false(needs_node(&r));
	sd_record_free(&r);
}

/* One emulated run at both points instead of pairs, with an allowance of its own. */
static void the_software_pmu_runs_once_when_nothing_else_is_left(void **state)
{
	struct sd_record r;

	(void)state;
	with_experiments(&r, &slow);
	copies(&r, 5, 1);
	for (int i = 0; i < SD_EXPERIMENT_SOFTWARE_PMU; i++)
		if (i != SD_EXPERIMENT_REPLICAS)
			r.plan.experiment[i].skipped = strdup("not here");
	for (size_t i = 0; i < r.n_run; i++)
		if (r.run[i].kind == SD_RUN_EXPERIMENT)
			r.run[i].metric[SD_METRIC_WALL] = SD_OK(100);
	assert_int_equal(next_of(&r), SD_EXPERIMENT_SOFTWARE_PMU);
	for (size_t p = 0; p < 2; p++)
		record_sample(&r, p, &one, 1)->kind = SD_RUN_SIMULATED;
	assert_int_equal(next_of(&r), -1);
	sd_record_free(&r);
}

static void pairs_go_on_until_they_say_something_or_are_ten(void **state)
{
	struct sd_record r;

	(void)state;
	with_experiments(&r, &slow);
	for (unsigned i = 0; i < SD_EXPERIMENT_PAIRS_MOST; i++) {
		struct sample s = slow;

		for (int k = 0; k < SD_EXPERIMENT_COUNT; k++)
			if (k != SD_EXPERIMENT_PADDING && !r.plan.experiment[k].skipped)
				r.plan.experiment[k].skipped = strdup("not here");
		r.plan.experiment[SD_EXPERIMENT_PADDING].asked = 1;
		assert_int_equal(next_of(&r), SD_EXPERIMENT_PADDING);
		s.wall *= i % 2 ? 1.3 : .6;
		add(&r, SD_EXPERIMENT_PADDING, 1, SD_ARM_PLAIN, i, &slow);
		add(&r, SD_EXPERIMENT_PADDING, 1, SD_ARM_CHANGED, i, &s);
	}
	assert_int_equal(next_of(&r), -1);
	sd_record_free(&r);
}

static void every_experiment_predicts_something_and_has_a_name_of_its_own(void **state)
{
	(void)state;
	for (int i = 0; i < SD_EXPERIMENT_COUNT; i++) {
		enum sd_experiment e;

		assert_int_equal(sd_experiment_predictions((enum sd_experiment)i)->of, i);
		assert_int_equal(sd_experiment_parse(sd_experiment_info[i].name, &e), 0);
		assert_int_equal(e, i);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_first_experiment_is_copies),
		cmocka_unit_test(what_was_begun_gets_its_least_pairs),
		cmocka_unit_test(what_was_not_begun_says_why),
		cmocka_unit_test(hardware_that_copies_ruled_out_is_not_looked_at),
		cmocka_unit_test(what_scales_needs_no_experiment_unless_it_was_asked_for),
		cmocka_unit_test(hardware_that_copies_found_is_looked_at),
		cmocka_unit_test(a_program_of_few_runs_has_time_for_experiments),
		cmocka_unit_test(what_is_decided_needs_no_experiment),
		cmocka_unit_test(auto_ends_when_its_time_is_spent),
		cmocka_unit_test(of_a_short_program_the_last_of_the_time_is_the_software_pmus),
		cmocka_unit_test(a_node_is_calibrated_for_counts_whose_cost_decides_and_in_time),
		cmocka_unit_test(the_software_pmu_runs_once_when_nothing_else_is_left),
		cmocka_unit_test(pairs_go_on_until_they_say_something_or_are_ten),
		cmocka_unit_test(every_experiment_predicts_something_and_has_a_name_of_its_own),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
