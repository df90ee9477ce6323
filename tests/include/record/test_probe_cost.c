/* The cost of probes: whose is looked at, how the runs with and without one tell it, and when one
 * is left out. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "record/probe_cost.h"

static struct sd_run made_of(double cpu, unsigned flags)
{
	struct sd_run run = {.kind = SD_RUN_COST, .flags = flags, .end = SD_END_EXITED};

	run.metric[SD_METRIC_USER] = SD_OK(.75 * cpu);
	run.metric[SD_METRIC_SYSTEM] = SD_OK(.25 * cpu);
	return run;
}

static struct sd_value cost_of(const double *cpu, size_t n, unsigned *out)
{
	struct sd_run run[8];
	const struct sd_record r = {.run = run, .n_run = n};

	for (size_t i = 0; i < n; i++)
		run[i] = made_of(cpu[i], i % 2 ? SD_RUN_UNLOGGED : 0);
	*out = sd_probe_cost_left_out(&r);
	return sd_probe_cost(&r, SD_RUN_UNLOGGED);
}

/* By hand: 1.25 against 1, the least of each; the disturbed runs of 9 and 1.1 tell nothing. */
static void a_probe_that_costs_more_than_2_percent_in_each_pair_is_left_out(void **state)
{
	static const struct {
		double cpu[4], cost;
		unsigned out;
	} row[] = {
		{{1.25, 1, 9, 1.1}, .25, SD_RUN_UNLOGGED},
		{{1.01, 1, 1.01, 1}, .01, 0},
		/* a run without it took longer than one with it: noise as large */
		{{1.05, 1, 1.2, 1.3}, .05, 0},
		{{.9, 1, .95, 1}, -.1, 0},
	};

	(void)state;
	for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
		unsigned out;
		const struct sd_value v = cost_of(row[i].cpu, 4, &out);

		assert_int_equal(v.status, SD_STATUS_OK);
		assert_true(fabs(v.value - row[i].cost) < 1e-12);
		assert_int_equal(out, row[i].out);
	}
}

static void without_a_pair_nothing_is_known_or_left_out(void **state)
{
	static const double with = 1;
	unsigned out;

	(void)state;
	assert_int_equal(cost_of(&with, 1, &out).status, SD_STATUS_ABSENT);
	assert_int_equal(out, 0);
}

/* 1 s of CPU time each. */
static void what_the_program_does_seldom_is_not_looked_at(void **state)
{
	static const struct {
		double made, switches, calls;
		unsigned may;
		double wall;
	} row[] = {
		{100, 100, 1e5, 0, 1},
		{25000, 25000, 0, SD_RUN_UNCOUNTED, 1},
		/* it sleeps most of the time */
		{25000, 25000, 1e8, 0, 100},
		/* others made them: own threads would have switched */
		{25000, 30, 0, 0, 1},
		{0, 25000, 0, 0, 1},
		{0, 0, 1e8, SD_RUN_UNLOGGED, 1},
		{25000, 25000, 1e8, SD_RUN_UNCOUNTED | SD_RUN_UNLOGGED, 1},
	};

	(void)state;
	for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
		struct sd_region_run regions = {.calls = row[i].calls};
		struct sd_run run = made_of(1, 0);

		run.regions = &regions;
		run.metric[SD_METRIC_WALL] = SD_OK(row[i].wall);
		run.metric[SD_METRIC_TASKS_MADE] = SD_OK(row[i].made);
		run.metric[SD_METRIC_VOLUNTARY_SWITCHES] = SD_OK(row[i].switches);
		assert_int_equal(sd_probe_cost_may(&run), row[i].may);
		run.flags = row[i].may;
		assert_int_equal(sd_probe_cost_may(&run), 0);
	}
}

/* 1 s of CPU time; a million calls of each kind. */
static void marks_and_calls_of_mpi_are_looked_at_where_a_run_can_be_made_without(void **state)
{
	struct sd_region_time marked = {.kind = SD_REGION_MARKED, .entries = 1e6};
	struct sd_region_run regions = {.row = &marked, .n_row = 1};
	struct sd_mpi_rank_time rank[] = {{.calls = 5e5}, {.calls = 5e5}};
	struct sd_mpi_run mpi = {.rank = rank, .n_rank = 2, .n_host = 1};
	struct sd_run run = made_of(1, 0);
	const struct sd_record r = {.run = &run, .n_run = 1};

	(void)state;
	run.metric[SD_METRIC_WALL] = SD_OK(1);
	run.regions = &regions;
	run.mpi = &mpi;
	assert_int_equal(sd_probe_cost_may(&run), SD_RUN_UNMARKED | SD_RUN_UNTRACED);
	assert_true(sd_probe_cost_rate(&r, &sd_probe_cost_row[2]) == 1e6);
	/* of ranks on other nodes the library measures the CPU time, too */
	mpi.n_host = 2;
	assert_int_equal(sd_probe_cost_may(&run), SD_RUN_UNMARKED);
	marked.entries = 1e3;
	assert_int_equal(sd_probe_cost_may(&run), 0);
}

/* 1.5 s of CPU time with MPI's library, 1 without; no run of the heap's log tells its cost. */
static void the_library_for_mpi_is_left_out_unless_ranks_were_asked_for(void **state)
{
	struct sd_run run[] = {made_of(1.5, 0), made_of(1, SD_RUN_UNTRACED), made_of(1.5, 0),
		made_of(1, SD_RUN_UNTRACED)};
	struct sd_mpi_rank_time rank = {.calls = 1e6};
	struct sd_mpi_run mpi = {.rank = &rank, .n_rank = 1, .n_host = 1};
	struct sd_plan_point points[] = {{.cores = 1}, {.cores = 2}}, *const point = points;
	struct sd_record r = {.run = run, .n_run = 4, .plan = {.point = points, .n_point = 1}};

	(void)state;
	assert_true(fabs(sd_probe_cost(&r, SD_RUN_UNTRACED).value - .5) < 1e-12);
	assert_int_equal(sd_probe_cost_left_out(&r), SD_RUN_UNTRACED);
	point->shape.ranks = 1; /* --ranks */
	assert_int_equal(sd_probe_cost_left_out(&r), 0);
	/* a launch of a third of a run is told from it without the log of its calls, too */
	point->shape.ranks = 0;
	run[0].mpi = &mpi;
	mpi.elapsed = .67;
	run[0].metric[SD_METRIC_WALL] = SD_OK(1);
	r.plan.n_point = 2;
	assert_int_equal(sd_probe_cost_left_out(&r), SD_RUN_UNTRACED);
	assert_int_equal(sd_probe_cost(&r, sd_probe_cost_row[4].flag).status, SD_STATUS_ABSENT);
}

/* The warm-up made a million calls in its second of CPU time, and there was no time for runs by
 * turns: other runs log the launch alone. Of few calls it stays, as where ranks are asked for, and
 * in a record whose runs were made with it. */
static void the_library_for_mpi_is_left_out_where_nobody_weighed_it(void **state)
{
	struct sd_mpi_rank_time rank = {.calls = 1e6}, brief = {0};
	struct sd_mpi_run mpi = {.rank = &rank, .n_rank = 1, .n_host = 1};
	struct sd_mpi_run launch = {.rank = &brief, .n_rank = 1, .n_host = 1};
	struct sd_run run[] = {made_of(1, 0), made_of(1, SD_RUN_UNTRACED)};
	struct sd_plan_point point = {.cores = 1};
	struct sd_record r = {.run = run, .n_run = 1, .plan = {.point = &point, .n_point = 1}};

	(void)state;
	run[0].kind = SD_RUN_WARMUP;
	run[0].mpi = &mpi;
	run[1].kind = SD_RUN_BLOCK;
	run[1].mpi = &launch;
	run[0].metric[SD_METRIC_WALL] = run[1].metric[SD_METRIC_WALL] = SD_OK(1);
	assert_int_equal(sd_probe_cost_left_out(&r), SD_RUN_UNTRACED);
	r.n_run = 2;
	assert_int_equal(sd_probe_cost_left_out(&r), SD_RUN_UNTRACED);
	run[1].flags = 0;
	assert_int_equal(sd_probe_cost_left_out(&r), 0);
	run[1].flags = SD_RUN_UNTRACED;
	rank.calls = 1e3;
	assert_int_equal(sd_probe_cost_left_out(&r), 0);
	rank.calls = 1e6;
	point.shape.ranks = 1;
	assert_int_equal(sd_probe_cost_left_out(&r), 0);
}

/* A second of CPU time, 50,000 switches: a run with samples takes 1.25 s, one without 1. Where none
 * is sampled, as where nobody may, there is no pair. */
static void runs_without_samples_tell_what_samples_and_switches_cost(void **state)
{
	struct sd_run run[] = {made_of(1.25, 0), made_of(1, 0)};
	const struct sd_record r = {.run = run, .n_run = 2};

	(void)state;
	assert_int_equal(sd_probe_cost(&r, SD_PROBE_COST_UNSAMPLED).status, SD_STATUS_ABSENT);
	for (int i = 0; i < 2; i++)
		run[i].metric[SD_METRIC_VOLUNTARY_SWITCHES] = SD_OK(50000);
	run[0].sampled.status = SD_STATUS_OK;
	assert_int_equal(sd_probe_cost_may(&run[0]), SD_PROBE_COST_UNSAMPLED);
	assert_int_equal(sd_probe_cost_may(&run[1]), 0);
	assert_true(fabs(sd_probe_cost(&r, SD_PROBE_COST_UNSAMPLED).value - .25) < 1e-12);
}

/* 1.05 s with samples and switches, 1 without: one of 5 of them is expected to cost half of the
 * most. Nothing else tells what threads do, so that none is left out; and cheap ones stay whole. */
static void samples_and_switches_that_cost_too_much_are_thinned(void **state)
{
	struct sd_run run[] = {made_of(1.05, 0), made_of(1, 0), made_of(1.01, SD_RUN_THINNED)};
	struct sd_record r = {.run = run, .n_run = 2};
	const struct sd_probe_cost_row *row = sd_probe_cost_row;

	(void)state;
	while (row->flag != SD_PROBE_COST_UNSAMPLED)
		row++;
	run[0].sampled.status = run[2].sampled.status = SD_STATUS_OK;
	assert_int_equal(sd_probe_cost_left_out(&r), SD_RUN_THINNED);
	assert_true(fabs(sd_probe_cost_thin(&r) - 5) < 1e-9);
	assert_int_equal(sd_probe_cost_thinned(&r, row).status, SD_STATUS_ABSENT);
	r.n_run = 3;
	assert_true(fabs(sd_probe_cost_thinned(&r, row).value - .01) < 1e-12);
	assert_true(fabs(sd_probe_cost(&r, row->flag).value - .05) < 1e-12);
	/* fewer cost as much, or more: they are not fewer for nothing */
	run[2] = made_of(1.05, SD_RUN_THINNED);
	run[2].sampled.status = SD_STATUS_OK;
	assert_int_equal(sd_probe_cost_left_out(&r), 0);
	run[2] = made_of(1.01, SD_RUN_THINNED);
	run[2].sampled.status = SD_STATUS_OK;
	run[0] = made_of(3, 0);
	run[0].sampled.status = SD_STATUS_OK;
	assert_true(sd_probe_cost_thin(&r) == SD_PROBE_COST_THINNEST);
	run[0] = made_of(1.005, 0);
	run[0].sampled.status = SD_STATUS_OK;
	assert_int_equal(sd_probe_cost_left_out(&r), 0);
	assert_true(sd_probe_cost_thin(&r) == 1);
}

/* A second of CPU time, 15,000 threads that each wait once: their starts and ends are records, too.
 */
static void threads_made_are_records_as_switches_are(void **state)
{
	struct sd_run run = made_of(1, 0);

	(void)state;
	run.metric[SD_METRIC_WALL] = SD_OK(1);
	run.metric[SD_METRIC_VOLUNTARY_SWITCHES] = SD_OK(15000);
	run.sampled.status = SD_STATUS_OK;
	assert_int_equal(sd_probe_cost_may(&run), 0);
	run.metric[SD_METRIC_TASKS_MADE] = SD_OK(15000);
	assert_true(sd_probe_cost_may(&run) & SD_PROBE_COST_UNSAMPLED);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_probe_that_costs_more_than_2_percent_in_each_pair_is_left_out),
		cmocka_unit_test(without_a_pair_nothing_is_known_or_left_out),
		cmocka_unit_test(what_the_program_does_seldom_is_not_looked_at),
		cmocka_unit_test(
			marks_and_calls_of_mpi_are_looked_at_where_a_run_can_be_made_without),
		cmocka_unit_test(the_library_for_mpi_is_left_out_unless_ranks_were_asked_for),
		cmocka_unit_test(the_library_for_mpi_is_left_out_where_nobody_weighed_it),
		cmocka_unit_test(runs_without_samples_tell_what_samples_and_switches_cost),
		cmocka_unit_test(samples_and_switches_that_cost_too_much_are_thinned),
		cmocka_unit_test(threads_made_are_records_as_switches_are),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
