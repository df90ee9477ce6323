/* Costs of probes inside of a program, as a report says them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "facts/facts.h"

/* The cell of a key. */
static struct sd_cell cell(const struct sd_record *r, size_t i, const char *key)
{
	const struct sd_fact_rows rows = sd_facts_probe_cost_table(r);
	const struct sd_fact_column *c = rows.table->column;
	struct sd_cell out;

	while (strcmp(c->key, key) != 0)
		c++;
	sd_fact_read(&rows, c, i, &out);
	return out;
}

static struct sd_run run_of(enum sd_run_kind kind, int flags, double user)
{
	struct sd_run run = {.kind = kind, .end = SD_END_EXITED, .flags = (unsigned)flags};

	run.metric[SD_METRIC_WALL] = run.metric[SD_METRIC_USER] = SD_OK(user);
	run.metric[SD_METRIC_SYSTEM] = SD_OK(0);
	if (!(flags & SD_RUN_UNCOUNTED))
		run.metric[SD_METRIC_TASK_CLOCK] = SD_OK(user);
	return run;
}

static void a_probe_that_did_not_run_has_no_row_for_people(void **state)
{
	struct sd_run run[] = {run_of(SD_RUN_BLOCK, 0, 1)};
	struct sd_record r = {.run = run, .n_run = 1};
	const struct sd_fact_rows rows = sd_facts_probe_cost_table(&r);

	(void)state;
	assert_true(sd_fact_wanted(&rows, 0));
	assert_false(sd_fact_wanted(&rows, 1));
	assert_int_equal(cell(&r, 0, "cost").number.status, SD_STATUS_ABSENT);
	assert_non_null(strstr(cell(&r, 0, "how").made, "not measured, less than some 1 %"));
	assert_string_equal(cell(&r, 1, "how").text, "it did not run");
}

/* 1 s without the counters; with them 1.05, or 1.01. */
static void what_runs_by_turns_took_is_the_cost(void **state)
{
	static const double with[] = {1.05, 1.01};
	static const char *const how[] = {
		"by runs with and without; left out of all other runs", "by runs with and without"};

	(void)state;
	for (int k = 0; k < 2; k++) {
		struct sd_run run[] = {run_of(SD_RUN_COST, 0, with[k]),
			run_of(SD_RUN_COST, SD_RUN_UNCOUNTED, 1), run_of(SD_RUN_COST, 0, with[k]),
			run_of(SD_RUN_COST, SD_RUN_UNCOUNTED, 1)};
		const struct sd_record r = {.run = run, .n_run = 4};

		assert_true(cell(&r, 0, "cost").number.value > with[k] - 1 - 1e-12);
		assert_true(cell(&r, 0, "cost").number.value < with[k] - 1 + 1e-12);
		assert_string_equal(cell(&r, 0, "how").text, how[k]);
	}
}

/* Half a second for 5,000 threads, which may cost more than 1 %, and no pair of runs: that it makes
 * few threads would be false. */
static void one_that_may_matter_and_was_not_weighed_is_not_called_seldom(void **state)
{
	struct sd_run run[] = {run_of(SD_RUN_BLOCK, 0, .5)};
	const struct sd_record r = {.run = run, .n_run = 1};

	(void)state;
	run->metric[SD_METRIC_TASKS_MADE] = run->metric[SD_METRIC_VOLUNTARY_SWITCHES] = SD_OK(5000);
	assert_string_equal(
		cell(&r, 0, "how").made, "not measured, at 1e+04 threads a second of CPU time");
}

/* A second for a million calls of MPI, and no time for runs by turns. */
static void a_log_that_was_left_out_unweighed_says_what_there_is_instead(void **state)
{
	struct sd_mpi_rank_time rank = {.calls = 1e6};
	struct sd_mpi_run mpi = {.rank = &rank, .n_rank = 1, .n_host = 1};
	struct sd_run run[] = {run_of(SD_RUN_WARMUP, 0, 1)};
	const struct sd_record r = {.run = run, .n_run = 1};

	(void)state;
	run->mpi = &mpi;
	assert_string_equal(cell(&r, 3, "how").made,
		"not measured, at 1e+06 calls a second of CPU time; left out of all runs but the "
		"warm-up: only the launch is logged");
}

static void what_stays_says_why(void **state)
{
	struct sd_run run[] = {
		run_of(SD_RUN_COST, 0, 1.5), run_of(SD_RUN_COST, SD_RUN_UNTRACED, 1)};
	struct sd_plan_point point = {.cores = 1};
	const struct sd_record r = {
		.run = run, .n_run = 2, .plan = {.point = &point, .n_point = 1}};

	(void)state;
	assert_string_equal(
		cell(&r, 3, "how").text, "by runs with and without; left out of all other runs");
	point.shape.ranks = 1; /* --ranks */
	assert_string_equal(
		cell(&r, 3, "how").made, "by runs with and without; it stays: --ranks asks for it");
}

/* 1.04 s with samples, 1 without: one of 4 is expected to take 1 %, and takes 1.5 %, or 2.5 %. */
static void samples_that_cost_too_much_are_thinned_and_their_rest_is_told(void **state)
{
	struct sd_run run[] = {run_of(SD_RUN_COST, 0, 1.04), run_of(SD_RUN_COST, 0, 1),
		run_of(SD_RUN_COST, SD_RUN_THINNED, 1.015)};
	struct sd_record r = {.run = run, .n_run = 2};

	(void)state;
	run[0].sampled.status = run[2].sampled.status = SD_STATUS_OK;
	assert_string_equal(cell(&r, 5, "how").made,
		"by runs with and without; others have one of 4.0, at an unmeasured cost");
	r.n_run = 3;
	assert_string_equal(cell(&r, 5, "how").made,
		"by runs with and without; others have one of 4.0, at 1.5 %");
	run[2].metric[SD_METRIC_USER] = SD_OK(1.025);
	assert_string_equal(cell(&r, 5, "how").made,
		"by runs with and without; others have one of 4.0, at 2.5 %; it stays: nothing "
		"else tells what its threads do");
	run[2].metric[SD_METRIC_USER] = SD_OK(1.05);
	assert_string_equal(cell(&r, 5, "how").made,
		"by runs with and without; it stays: nothing else tells what its threads do");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_probe_that_did_not_run_has_no_row_for_people),
		cmocka_unit_test(one_that_may_matter_and_was_not_weighed_is_not_called_seldom),
		cmocka_unit_test(a_log_that_was_left_out_unweighed_says_what_there_is_instead),
		cmocka_unit_test(what_stays_says_why),
		cmocka_unit_test(samples_that_cost_too_much_are_thinned_and_their_rest_is_told),
		cmocka_unit_test(what_runs_by_turns_took_is_the_cost),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
