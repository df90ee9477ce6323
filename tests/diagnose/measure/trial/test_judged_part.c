/* A run of which a part is judged has the part's numbers, and none of the whole run's. */
#include "trial/judged_part.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "support/near.h"

/* 10 s, 8 of user and 2 of system CPU time, 1 of others; 4 s of it in "solve", at 6 CPU-s. */
static void make(struct sd_run *run, size_t spans)
{
	struct sd_region_time *t;

	*run = (struct sd_run){.end = SD_END_EXITED};
	run->metric[SD_METRIC_WALL] = SD_OK(10);
	run->metric[SD_METRIC_USER] = SD_OK(8);
	run->metric[SD_METRIC_SYSTEM] = SD_OK(2);
	run->metric[SD_METRIC_FOREIGN] = SD_OK(1);
	run->metric[SD_METRIC_TASK_CLOCK] = SD_OK(10);
	run->metric[SD_METRIC_MINOR_FAULTS] = SD_OK(77);
	run->metric[SD_METRIC_BOUND_WAIT] = SD_OK(5);
	run->idle[SD_IDLE_SERIAL] = SD_OK(3);
	run->concurrency = calloc(3, sizeof *run->concurrency);
	run->n_concurrency = 3;
	run->sampled.status = SD_STATUS_OK;
	run->sampled.idle = 1;
	run->regions = calloc(1, sizeof *run->regions);
	t = sd_region_run_row(run->regions, SD_REGION_MARKED, "solve", 0);
	assert_non_null(t);
	t->elapsed = 4;
	t->cpu = SD_OK(6);
	strcpy(run->regions->judged, "solve");
	run->regions->judged_s = 4;
	run->regions->span = calloc(1, sizeof *run->regions->span);
	run->regions->n_span = spans;
}

/* As above, of MPI ranks with 7 of the 10 s between MPI_Init() and MPI_Finalize(). */
static void make_ranks(struct sd_run *run, unsigned ranks)
{
	make(run, 1);
	run->mpi = calloc(1, sizeof *run->mpi);
	assert_non_null(run->mpi);
	run->mpi->status = SD_STATUS_OK;
	run->mpi->divided = 1;
	run->mpi->elapsed = 7;
	run->mpi->expected = ranks;
}

static void a_region_has_its_own_times(void **state)
{
	const struct sd_options o = {.region = "solve"};
	struct sd_run run;

	(void)state;
	make(&run, 1);
	sd_judged_part(&o, &run);
	assert_near(run.metric[SD_METRIC_WALL].value, 4, 1e-12);
	assert_near(run.whole.value, 10, 1e-12);
	assert_near(run.metric[SD_METRIC_USER].value, 4.8, 1e-12);
	assert_near(run.metric[SD_METRIC_SYSTEM].value, 1.2, 1e-12);
	assert_near(run.metric[SD_METRIC_FOREIGN].value, .4, 1e-12);
	assert_false(sd_has(run.metric[SD_METRIC_TASK_CLOCK]));
	assert_false(sd_has(run.metric[SD_METRIC_MINOR_FAULTS]));
	assert_false(sd_has(run.metric[SD_METRIC_BOUND_WAIT]));
	/* what the narrowed timeline has made stays */
	assert_true(sd_has(run.idle[SD_IDLE_SERIAL]));
	assert_int_equal(run.n_concurrency, 3);
	sd_run_free(&run);
}

static void what_was_not_narrowed_is_dropped(void **state)
{
	const struct sd_options o = {.region = "solve"};
	struct sd_run run;

	(void)state;
	make(&run, 0); /* entered too often to say when */
	sd_judged_part(&o, &run);
	assert_near(run.metric[SD_METRIC_WALL].value, 4, 1e-12);
	assert_false(sd_has(run.idle[SD_IDLE_SERIAL]));
	assert_int_equal(run.n_concurrency, 0);
	assert_int_equal(run.sampled.status, SD_STATUS_ABSENT);
	sd_run_free(&run);
}

static void a_region_that_was_not_entered_is_an_end(void **state)
{
	const struct sd_options o = {.region = "elsewhere"};
	struct sd_run run;

	(void)state;
	make(&run, 1);
	strcpy(run.regions->judged, "");
	sd_judged_part(&o, &run);
	assert_int_equal(run.end, SD_END_REGION_MISSING);
	sd_run_free(&run);
	/* one that failed says that */
	run = (struct sd_run){.end = SD_END_EXITED, .code = 3};
	sd_judged_part(&o, &run);
	assert_int_equal(run.end, SD_END_EXITED);
	sd_run_free(&run);
}

static void mpi_is_judged_without_its_launch_unless_asked(void **state)
{
	struct sd_options o = {0};
	struct sd_run run;

	(void)state;
	for (int with = 0; with < 2; with++) {
		make_ranks(&run, 1);
		o.with_launch = with;
		sd_judged_part(&o, &run);
		assert_near(run.metric[SD_METRIC_WALL].value, with ? 10 : 7, 1e-12);
		assert_int_equal(sd_has(run.whole), !with);
		assert_near(run.metric[SD_METRIC_MINOR_FAULTS].value, 77, 0);
		sd_run_free(&run);
	}
}

/* 7 of the 10 s, and 6 of the 10 CPU-s, between MPI_Init() and MPI_Finalize(); no call was logged.
 */
static void ranks_whose_calls_are_not_logged_are_judged_without_their_launch_too(void **state)
{
	const struct sd_options o = {0};
	struct sd_run run;

	(void)state;
	for (size_t spans = 0; spans < 2; spans++) {
		make_ranks(&run, 2);
		run.mpi->status = SD_STATUS_UNSUPPORTED;
		run.mpi->divided = 0;
		run.mpi->launch = 1;
		run.mpi->cpu = SD_OK(6);
		run.regions->n_span = spans;
		sd_judged_part(&o, &run);
		assert_near(run.metric[SD_METRIC_WALL].value, 7, 1e-12);
		assert_near(run.whole.value, 10, 1e-12);
		assert_near(run.metric[SD_METRIC_USER].value + run.metric[SD_METRIC_SYSTEM].value,
			6, 1e-12);
		/* page faults of the launch are none of it */
		assert_false(sd_has(run.metric[SD_METRIC_MINOR_FAULTS]));
		/* a timeline that was not narrowed has the launch's waits */
		assert_int_equal(sd_has(run.idle[SD_IDLE_SERIAL]), spans);
		sd_run_free(&run);
	}
	/* runs with and without the log are compared by all of their CPU time */
	make_ranks(&run, 2);
	run.kind = SD_RUN_COST;
	run.mpi->launch = 1;
	run.mpi->cpu = SD_OK(6);
	sd_judged_part(&o, &run);
	assert_near(
		run.metric[SD_METRIC_USER].value + run.metric[SD_METRIC_SYSTEM].value, 10, 1e-12);
	sd_run_free(&run);
}

/* 3 s of the 10 are launch: one rank may have waited for its core in all of them, two in more than
 * was waited at all. */
static void waits_for_a_bound_core_in_the_launch_are_left_out(void **state)
{
	const struct sd_options o = {0};

	(void)state;
	for (unsigned ranks = 1; ranks <= 2; ranks++) {
		struct sd_run run;

		make_ranks(&run, ranks);
		sd_judged_part(&o, &run);
		assert_int_equal(sd_has(run.metric[SD_METRIC_BOUND_WAIT]), ranks == 1);
		if (ranks == 1)
			assert_near(run.metric[SD_METRIC_BOUND_WAIT].value, 5 - 3, 1e-12);
		sd_run_free(&run);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_region_has_its_own_times),
		cmocka_unit_test(what_was_not_narrowed_is_dropped),
		cmocka_unit_test(a_region_that_was_not_entered_is_an_end),
		cmocka_unit_test(mpi_is_judged_without_its_launch_unless_asked),
		cmocka_unit_test(
			ranks_whose_calls_are_not_logged_are_judged_without_their_launch_too),
		cmocka_unit_test(waits_for_a_bound_core_in_the_launch_are_left_out),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
