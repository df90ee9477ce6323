/*
 * Regions, from the program that marks them to the report, and one of them judged alone.
 */
#include "e2e/e2e.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The row of that name; NULL: there is none. */
static const json_t *region(const json_t *report, const char *name)
{
	const json_t *const rows = json_object_get(json_object_get(report, "regions"), "rows");
	const json_t *row;
	size_t i;

	json_array_foreach(rows, i, row) if (strcmp(json_string_value(json_object_get(row, "name")),
						     name) == 0) return row;
	return NULL;
}

static double number(const json_t *row, size_t point, const char *name)
{
	const json_t *const v =
		json_object_get(json_array_get(json_object_get(row, "points"), point), name);

	return json_number_value(json_is_object(v) ? json_object_get(v, "value") : v);
}

static double wall(const json_t *report, unsigned cores)
{
	return json_number_value(
		json_object_get(json_object_get(e2e_point(report, cores), "wall_s"), "value"));
}

/* Setup is as much as all else, and only one thread does it; each share of a program of phases is
 * a share of its time. */
static void regions_are_told_at_every_count(void **state)
{
	struct e2e *const e = *state;
	const json_t *report, *setup, *solve, *kernel;
	struct e2e_result r;

	e2e_need_two_cpus("regions_are_told_at_every_count");
	e2e_run(e, &r, "--cores", "1,2", "--repeats", "3", "--experiments", "none", "--json",
		e2e_program(e, "phases"), "0.05");
	e2e_expect_status(&r, 0);
	report = e2e_report(e, &r);
	setup = region(report, "setup");
	solve = region(report, "solve");
	kernel = region(report, "kernel");
	assert_non_null(setup);
	assert_non_null(solve);
	assert_non_null(kernel);
	for (size_t i = 0; i < 2; i++) {
		assert_true(number(setup, i, "entries") == 1);
		assert_true(number(solve, i, "entries") == 4);
		assert_true(number(kernel, i, "entries") == 4 * (double)(i + 1));
		assert_true(number(setup, i, "elapsed_s") < wall(report, i ? 2 : 1));
		assert_true(number(solve, i, "threads_most") == 1);
		/* another thread may be in it before the first is in the one around it */
		if (!i)
			assert_true(
				number(kernel, i, "elapsed_s") <= number(solve, i, "elapsed_s"));
	}
	assert_true(number(kernel, 1, "threads_most") == 2);
	assert_true(json_is_null(json_object_get(json_object_get(report, "regions"), "judged")));
	/* entered twice as often, so that there is no speedup of it, and the report says so */
	assert_true(json_array_size(json_object_get(kernel, "notes")) > 0);
	e2e_result_free(&r);
}

static void one_region_is_judged_alone(void **state)
{
	struct e2e *const e = *state;
	const json_t *report, *solve;
	struct e2e_result r;

	e2e_need_two_cpus("one_region_is_judged_alone");
	e2e_run(e, &r, "--cores", "1,2", "--repeats", "5", "--region", "solve", "--json",
		e2e_program(e, "phases"), "0.05");
	e2e_expect_status(&r, 0);
	report = e2e_report(e, &r);
	solve = region(report, "solve");
	assert_non_null(solve);
	/* the judged time is the region's, up to which runs are typical */
	for (unsigned n = 1; n <= 2; n++) {
		const double t = number(solve, n - 1, "elapsed_s");

		assert_true(wall(report, n) > .9 * t && wall(report, n) < 1.1 * t);
	}
	assert_non_null(strstr(
		json_string_value(json_object_get(json_object_get(report, "regions"), "judged")),
		"solve"));
	/* what one thread does before it is no serial code of it */
	if (e2e_component(report, 2, "serial") >= number(solve, 1, "threads_most"))
		e2e_show(report);
	e2e_result_free(&r);
}

static void a_region_that_is_never_entered_is_said(void **state)
{
	struct e2e *const e = *state;
	struct e2e_result r;

	e2e_run(e, &r, "--cores", "1", "--region", "nowhere", e2e_program(e, "phases"), "0.01");
	e2e_expect_status(&r, 3);
	assert_non_null(strstr(r.err, "never entered the region 'nowhere'"));
	e2e_result_free(&r);
	e2e_run(e, &r, "--region", "solve", "--experiments", "all", e2e_program(e, "phases"));
	e2e_expect_status(&r, 2);
	e2e_expect_error(&r, "--region");
	e2e_result_free(&r);
}

/* From the option to the program's marks and back; four entries are too few to say more. */
static void entries_of_a_watched_region_are_timed(void **state)
{
	struct e2e *const e = *state;
	const json_t *slow, *point;
	struct e2e_result r;

	e2e_run(e, &r, "--cores", "1", "--repeats", "2", "--experiments", "none", "--latency",
		"kernel", "--json", e2e_program(e, "phases"), "0.01");
	e2e_expect_status(&r, 0);
	slow = json_object_get(e2e_report(e, &r), "slow_requests");
	assert_string_equal(json_string_value(json_object_get(slow, "region")), "kernel");
	point = json_array_get(json_object_get(slow, "points"), 0);
	assert_true(json_number_value(json_object_get(point, "requests")) == 4);
	assert_true(
		json_number_value(json_object_get(json_object_get(point, "p99_s"), "value")) > 0);
	assert_int_equal(json_array_size(json_object_get(point, "parts")), 0);
	assert_int_equal(json_array_size(json_object_get(point, "notes")), 1);
	e2e_result_free(&r);
	e2e_run(e, &r, "--latency", "kernel", "--region", "solve", e2e_program(e, "phases"));
	e2e_expect_status(&r, 2);
	e2e_expect_error(&r, "--latency");
	e2e_result_free(&r);
}

/* A shell's stages by pipes: sorting takes most of the time, and is the second of three. */
static void stages_of_a_pipeline_are_told(void **state)
{
	struct e2e *const e = *state;
	const json_t *rows, *row;
	struct e2e_result r;
	size_t i, sorts = 0;

	e2e_run(e, &r, "--cores", "1", "--repeats", "3", "--experiments", "none", "--json", "sh",
		"-c", "seq 200000 | sort -R | cat");
	e2e_expect_status(&r, 0);
	rows = json_object_get(json_object_get(e2e_report(e, &r), "threads"), "critical_path");
	if (!json_array_size(rows)) {
		print_message("SKIP: context switches cannot be recorded here\n");
		e2e_result_free(&r);
		skip();
	}
	json_array_foreach(rows, i, row)
	{
		if (strcmp(json_string_value(json_object_get(row, "name")), "sort") != 0)
			continue;
		sorts++;
		assert_int_equal(json_integer_value(json_object_get(row, "stage")), 2);
		assert_int_equal(json_integer_value(json_object_get(row, "stages")), 3);
	}
	assert_true(sorts > 0);
	e2e_result_free(&r);
}

/* A million calls of MPI in less than a second, and no time to weigh their log: a quick look has
 * that of the warm-up alone and says so; the part between MPI_Init and MPI_Finalize is judged all
 * the same. */
static void a_quick_look_logs_the_launch_alone_of_ranks_that_call_often(void **state)
{
	struct e2e *const e = *state;
	const char *const ranks = e2e_program(e, "ranks_openmpi");
	struct e2e_result r;

	if (access(ranks, X_OK) != 0)
		e2e_skip(__func__, "Open MPI is not installed: make deps-check");
	/* what Open MPI wants of whoever runs as root */
	setenv("OMPI_ALLOW_RUN_AS_ROOT", "1", 1);
	setenv("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1", 1);
	e2e_run(e, &r, "--quick", "--json", "mpirun.openmpi", "-n", "{n}", ranks, "halo", "200000",
		"10");
	e2e_expect_status(&r, 0);
	assert_non_null(strstr(r.out, "warm-up: only the launch is logged"));
	assert_non_null(strstr(r.out, "MPI_Init to MPI_Finalize"));
	e2e_result_free(&r);
}

int main(void)
{
#define TEST(t) cmocka_unit_test_setup_teardown(t, e2e_setup, e2e_teardown)
	const struct CMUnitTest tests[] = {
		TEST(regions_are_told_at_every_count),
		TEST(one_region_is_judged_alone),
		TEST(a_region_that_is_never_entered_is_said),
		TEST(entries_of_a_watched_region_are_timed),
		TEST(stages_of_a_pipeline_are_told),
		TEST(a_quick_look_logs_the_launch_alone_of_ranks_that_call_often),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
