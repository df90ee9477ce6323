/* Results of hyperfine and Google Benchmark become runs; what they do not say does not. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <errno.h>
#include <stdlib.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>
#include "support/near.h"

#include "diagnose/record/import/import_said.h"
#include "import/import.h"

static int bench(struct sd_import *im, const char *text, int google, const char *app,
	unsigned cores, char *said)
{
	const struct sd_sink sink = {.emit = keep, .ctx = said};
	struct sd_import_text t = {"b.json", text, strlen(text), &sink};
	int rc;

	*im = (struct sd_import){0};
	said[0] = '\0';
	rc = google ? sd_import_google(im, &t, app) : sd_import_hyperfine(im, &t, cores);
	return rc ? rc : sd_import_finish(im, "t", &sink);
}

#define HYPER_ONE(threads, times)                                                       \
	"{\"command\":\"app\",\"mean\":1,\"user\":0.9,\"system\":0.05,\"times\":" times \
	",\"exit_codes\":[0],\"parameters\":{\"threads\":\"" threads "\"}}"

static void hyperfines_runs_are_runs(void **state)
{
	struct sd_import im;
	char said[512];

	(void)state;
	assert_int_equal(bench(&im,
				 "{\"results\":[" HYPER_ONE("1", "[1.0,1.1,0.9]") "," HYPER_ONE(
					 "2", "[0.5,0.6]") "]}",
				 0, NULL, 0, said),
		0);
	assert_int_equal(im.record.n_run, 5);
	assert_int_equal(im.record.plan.n_point, 2);
	assert_near(im.record.run[1].metric[SD_METRIC_WALL].value, 1.1, 1e-12);
	assert_near(im.record.run[1].metric[SD_METRIC_USER].value, .9, 1e-12);
	assert_sound(&im.record);
	sd_import_free(&im);
	/* as people name it */
	assert_int_equal(
		bench(&im,
			"{\"results\":[{\"times\":[1],\"parameters\":{\"N\":\"1\"}},"
			"{\"times\":[0.5],\"parameters\":{\"size\":\"9\",\"NPROC\":\"2\"}}]}",
			0, NULL, 0, said),
		0);
	assert_int_equal(im.record.plan.point[1].cores, 2);
	sd_import_free(&im);
}

#define GOOGLE_ONE(name, threads, time)                                          \
	"{\"name\":\"" name "\",\"run_type\":\"iteration\",\"threads\":" threads \
	",\"iterations\":1000,\"real_time\":" time ",\"cpu_time\":1.0,\"time_unit\":\"ms\"}"

static void google_benchmarks_times_are_of_so_many_iterations(void **state)
{
	struct sd_import im;
	char said[512];

	(void)state;
	assert_int_equal(
		bench(&im,
			"{\"context\":{},\"benchmarks\":[" GOOGLE_ONE("BM_A/real_time/threads:1",
				"1", "1.0") "," GOOGLE_ONE("BM_A/real_time/threads:2", "2",
				"0.6") ","
				       "{\"name\":\"BM_A/threads:2_mean\",\"run_type\":\"aggregate\",\"threads\":2}]}",
			1, NULL, 0, said),
		0);
	assert_int_equal(im.record.n_run, 2);
	assert_near(im.record.run[0].metric[SD_METRIC_WALL].value, 1, 1e-12);
	assert_near(im.record.run[1].metric[SD_METRIC_WALL].value, .6, 1e-12);
	assert_near(im.record.run[1].metric[SD_METRIC_TASK_CLOCK].value, 1, 1e-12);
	assert_sound(&im.record);
	sd_import_free(&im);
}

#define GOOGLE_TWO(version, time, cpu)                                                       \
	"{\"context\":{\"library_version\":\"" version "\"},\"benchmarks\":["                \
	"{\"name\":\"BM_A/threads:1\",\"threads\":1,\"iterations\":1000,\"real_time\":1.0,"  \
	"\"cpu_time\":1.0,\"time_unit\":\"ms\"},"                                            \
	"{\"name\":\"BM_A/threads:8\",\"threads\":8,\"iterations\":8000,\"real_time\":" time \
	",\"cpu_time\":" cpu ",\"time_unit\":\"ms\"}]}"

/* Eight threads that do 1000 iterations each in 1.13 s: a thousand take .14 s. */
static void google_benchmarks_real_time_is_of_a_thread_since_version_1_9(void **state)
{
	static const char *const text[] = {GOOGLE_TWO("v1.9.4", "1.13", "1.0"),
		GOOGLE_TWO("1.10.0-3", "1.13", "1.0"), GOOGLE_TWO("v1.8.5", "0.14125", "1.0"),
		GOOGLE_TWO("v0.0.0", "0.14125", "1.0")};
	struct sd_import im;
	char said[512];

	(void)state;
	for (size_t i = 0; i < sizeof text / sizeof *text; i++) {
		assert_int_equal(bench(&im, text[i], 1, NULL, 0, said), 0);
		assert_near(im.record.run[1].metric[SD_METRIC_WALL].value, .14125, 1e-12);
		assert_near(im.record.run[1].metric[SD_METRIC_TASK_CLOCK].value, 1, 1e-12);
		sd_import_free(&im);
	}
	/* of either, if the threads seldom ran */
	assert_int_equal(
		bench(&im, GOOGLE_TWO("v0.0.0", "1.13", "1.0"), 1, NULL, 0, said), -EINVAL);
	assert_non_null(strstr(said, "library_version"));
	sd_import_free(&im);
}

/* By hand: what 1000 iterations take, of which two threads do one in .8 us, and four in .4. The CPU
 * time of four tells whose times they all are. */
static void google_benchmarks_lines_are_read_as_it_prints_them(void **state)
{
	static const char text[] =
		"Run on (8 X 2112 MHz CPU s)\nLoad Average: 1.33, 5.90, 4.25\n"
		"----------------------------------------\n"
		"Benchmark       Time             CPU   Iterations UserCounters...\n"
		"----------------------------------------\n"
		"BM_A/threads:1      1000 ns       990 ns     1000 items/s=1M\r\n"
		"BM_A/threads:2       800 ns      1000 ns     2000\n"
		"BM_A/threads:4       400 ns      1600 ns     8000 items/s=1M\n"
		"BM_A/threads:4_mean  400 ns      1600 ns        3\n"
		"BM_B                  10 ms        10 ms       70\n";
	struct sd_import im;
	char said[512];

	(void)state;
	assert_int_equal(bench(&im, text, 1, "BM_A", 0, said), 0);
	assert_int_equal(im.record.n_run, 3);
	assert_int_equal(im.record.plan.point[2].cores, 4);
	assert_near(im.record.run[1].metric[SD_METRIC_WALL].value, .8e-3, 1e-12);
	assert_near(im.record.run[2].metric[SD_METRIC_WALL].value, .4e-3, 1e-12);
	assert_near(im.record.run[2].metric[SD_METRIC_TASK_CLOCK].value, 1.6e-3, 1e-12);
	assert_sound(&im.record);
	sd_import_free(&im);
	/* by CPU time and by wall time: another number of iterations, so another measurement */
	assert_int_equal(
		bench(&im,
			"BM_A/threads:1 100 us 99 us 100\nBM_A/threads:2 90 us 160 us 100\n"
			"BM_A/real_time/threads:1 101 us 99 us 100\n",
			1, NULL, 0, said),
		-EINVAL);
	assert_non_null(strstr(said, "BM_A/real_time/threads:1: choose with --app"));
	sd_import_free(&im);
	assert_int_equal(
		bench(&im,
			"BM_A/threads:1 100 us 99 us 100\nBM_A/threads:2 90 us 160 us 100\n"
			"BM_A/real_time/threads:1 101 us 99 us 100\n",
			1, "BM_A", 0, said),
		0);
	assert_int_equal(im.record.n_run, 2);
	sd_import_free(&im);
	/* each thread's own time, or that of threads that wait */
	assert_int_equal(
		bench(&im,
			"BM_A/threads:1 1000 ns 990 ns 1000\nBM_A/threads:2 1000 ns 990 ns 2000\n",
			1, NULL, 0, said),
		-EINVAL);
	assert_non_null(strstr(said, "library_version"));
	sd_import_free(&im);
}

static void what_no_benchmark_says_is_refused_by_name(void **state)
{
	static const struct {
		const char *text;
		int google;
		const char *app, *says;
	} row[] = {
		{"{}", 0, NULL, "has no results"},
		{"[]", 0, NULL, "no JSON object"},
		{"command,mean\na,1\n", 0, NULL, "--export-json"},
		{"{\"results\":[{\"mean\":1}]}", 0, NULL, "has no times"},
		{"{\"results\":[{\"times\":[1]}]}", 0, NULL, "how many cores"},
		{"{\"results\":[" HYPER_ONE("2", "[0]") "]}", 0, NULL, "microsecond"},
		{"{\"results\":[{\"times\":[1],\"exit_codes\":[1],\"parameters\":{\"n\":\"2\"}}]}",
			0, NULL, "failed"},
		{"{\"results\":[" HYPER_ONE("2", "[0.1]") "]}", 0, NULL, "more than 2 cores"},
		{"{}", 1, NULL, "has no benchmarks"},
		{"{\"benchmarks\":[" GOOGLE_ONE("BM_A", "1", "1") "," GOOGLE_ONE(
			 "BM_B", "1", "1") "]}",
			1, NULL, "choose with --app"},
		{"{\"benchmarks\":[" GOOGLE_ONE("BM_A", "1", "1") "]}", 1, "BM_C",
			"no benchmark BM_C"},
		{"{\"benchmarks\":[" GOOGLE_ONE("BM_A", "0", "1") "]}", 1, NULL,
			"number of threads"},
		{"{\"benchmarks\":[" GOOGLE_ONE("BM_A", "1", "\"x\"") "]}", 1, NULL, "real_time"},
	};
	char said[512];

	(void)state;
	for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
		struct sd_import im;
		const int rc = bench(&im, row[i].text, row[i].google, row[i].app, 0, said);

		if (rc != -EINVAL || !strstr(said, row[i].says))
			fail_msg("row %zu: %d: %s", i, rc, said);
		sd_import_free(&im);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(hyperfines_runs_are_runs),
		cmocka_unit_test(google_benchmarks_times_are_of_so_many_iterations),
		cmocka_unit_test(google_benchmarks_real_time_is_of_a_thread_since_version_1_9),
		cmocka_unit_test(google_benchmarks_lines_are_read_as_it_prints_them),
		cmocka_unit_test(what_no_benchmark_says_is_refused_by_name),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
