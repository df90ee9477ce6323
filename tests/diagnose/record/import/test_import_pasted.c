/* Tables as people paste them: every form says the same. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>
#include "support/near.h"

#include "diagnose/record/import/import_said.h"
#include "import/import.h"

static int csv(struct sd_import *im, const char *text, const char *app, char *said)
{
	const struct sd_sink sink = {.emit = keep, .ctx = said};
	const struct sd_import_text t = {"t.csv", text, strlen(text), &sink};
	int rc;

	*im = (struct sd_import){0};
	said[0] = '\0';
	rc = sd_import_csv(im, &t, app);
	return rc ? rc : sd_import_finish(im, "t", &sink);
}

/* One wall time of 10 and 6 s in every row, however it is written. */
static void tables_are_read_as_people_paste_them(void **state)
{
	static const char *const table[] = {
		"cores;real;user;sys\n1;10;9;.5\n2;6;9;.6\n",
		"cores|real|user|sys\n1|10|9|.5\n2|6|9|.6\n",
		"| cores | real | user | sys |\n|---|--:|:-:|---|\n| 1 | 10 | 9 | .5 |\n| 2 | 6 | 9 | .6 |\n",
		"cores  real user   sys\n   1    10    9    .5\n   2     6    9    .6\n",
		"cores:real:user:sys\n1:10:9:.5\n2:6:9:.6\n",
		"nproc\treal\tuser\tsys\n1\t10\t9\t.5\n2\t6\t9\t.6\n",
		"threads,time (ms),user [ms],sys_ms\n1,10000,9000,500\n2,6000,9000,600\n",
		"threads,real_time,user,sys_s,time_unit\n1,1e10,9e9,.5,ns\n2,6e6,9e6,.6,us\n",
		"command,mean,user,system,parameter_threads\napp 1,10,9,.5,1\napp 2,6,9,.6,2\n",
		"threads,mean,user,system\n1,10,9,.5\n2,6,9,.6\n",
		/* as time(1) prints them, below GitHub's marks */
		"`OMP_NUM_THREADS` | wall clock time | user | sys\n--|--|--|--\n"
		"1 | 0m10.000s | **9 s** | 500 ms\n2 | 0m6s | 9s | .6s\n",
		"GOMAXPROCS\telapsed time\tuser\tsys\n1\t0:10.00\t9\t.5\n2\t0:00:06\t9\t.6\n",
		"name,mean,param:threads,user,sys\na,10,1,9,.5\na,6,2,9,.6\n",
		"threads,time (ms),user,sys\n1,10 s,9,.5\n2,6000,9,.6\n",
	};

	(void)state;
	for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
		struct sd_import im;
		char said[512];

		if (csv(&im, table[i], NULL, said))
			fail_msg("table %zu: %s", i, said);
		assert_int_equal(im.record.n_run, 2);
		assert_int_equal(im.record.plan.point[1].cores, 2);
		assert_near(im.record.run[0].metric[SD_METRIC_WALL].value, 10, 1e-9);
		assert_near(im.record.run[1].metric[SD_METRIC_WALL].value, 6, 1e-9);
		assert_near(im.record.run[0].metric[SD_METRIC_USER].value, 9, 1e-9);
		assert_near(im.record.run[1].metric[SD_METRIC_SYSTEM].value, .6, 1e-9);
		assert_sound(&im.record);
		sd_import_free(&im);
	}
}

static void a_throughput_is_a_time_or_stands_beside_one(void **state)
{
	struct sd_import im;
	char said[512];

	(void)state;
	assert_int_equal(csv(&im, "threads,ops/s\n1,2e6\n4,5e6\n", NULL, said), 0);
	assert_near(im.record.run[0].metric[SD_METRIC_WALL].value, 1, 0);
	assert_near(im.record.run[1].metric[SD_METRIC_WALL].value, .4, 1e-12);
	assert_null(im.record.program.rate);
	sd_import_free(&im);
	assert_int_equal(
		csv(&im, "| threads | ops/s |\n| 1 | 400k |\n| 4 | 1M/s |\n", NULL, said), 0);
	assert_near(im.record.run[1].metric[SD_METRIC_WALL].value, .4, 1e-12);
	sd_import_free(&im);
	/* JMH's, -rf csv */
	assert_int_equal(
		csv(&im,
			"\"Benchmark\",\"Mode\",\"Threads\",\"Score\",\"Unit\"\n"
			"\"a\",\"thrpt\",1,400,\"ops/ms\"\n\"a\",\"thrpt\",4,1e6,\"ops/s\"\n",
			NULL, said),
		0);
	assert_near(im.record.run[1].metric[SD_METRIC_WALL].value, .4, 1e-12);
	sd_import_free(&im);
	assert_int_equal(csv(&im, "Threads,Score,Unit\n1,4,us/op\n", NULL, said), -EINVAL);
	assert_non_null(strstr(said, "'us/op' is none of"));
	sd_import_free(&im);
	assert_int_equal(
		csv(&im, "threads,throughput,seconds\n1,2e6,10\n4,5e6,10.1\n", NULL, said), 0);
	assert_near(im.record.run[1].metric[SD_METRIC_WALL].value, 10.1, 0);
	assert_near(im.record.run[1].metric[SD_METRIC_RATE].value, 5e6, 0);
	assert_string_equal(im.record.program.rate, "throughput");
	assert_sound(&im.record);
	sd_import_free(&im);
}

/* The triad of STREAM is memory's bandwidth: 12.8 GB/s are 2e8 lines in the first row's second, the
 * same work in every row, and each row is a ceiling. */
static void a_table_of_stream_says_what_memory_moves(void **state)
{
	static const char *const table[] = {
		"threads,triad GB/s\n1,12.8\n4,25.6\n",
		"threads;Triad (MB/s)\n1;12800\n4;25600\n",
		"| threads | triad |\n|---|---|\n| 1 | 12800 |\n| 4 | 25600 |\n",
	};
	struct sd_import im;
	char said[512];

	(void)state;
	for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
		assert_int_equal(csv(&im, table[i], NULL, said), 0);
		assert_near(im.record.run[1].metric[SD_METRIC_WALL].value, .5, 1e-12);
		assert_near(
			sd_run_role(&im.record.run[1], SD_ROLE_DRAM_LINES)->value.value, 2e8, 1);
		assert_near(sd_calibration_at(&im.record.calibration, 1).value, 12.8e9, 1);
		assert_near(sd_calibration_at(&im.record.calibration, 4).value, 25.6e9, 1);
		assert_sound(&im.record);
		sd_import_free(&im);
	}
	/* what a program prints in GB/s may be of a file, or of a compressor */
	assert_int_equal(csv(&im, "threads,GB/s\n1,12.8\n4,25.6\n", NULL, said), 0);
	assert_null(sd_run_role(&im.record.run[1], SD_ROLE_DRAM_LINES));
	assert_int_equal(im.record.calibration.n_ceiling, 0);
	sd_import_free(&im);
}

static void what_says_no_time_is_refused(void **state)
{
	static const char *const cell[] = {
		"6x", "1:2:3:4", "1:60", ":5", "5:", "3s 1m", "1s2", "s", "1..2s", "1m1m"};
	struct sd_import im;
	char said[512], table[64];

	(void)state;
	for (size_t i = 0; i < sizeof cell / sizeof *cell; i++) {
		snprintf(table, sizeof table, "cores,time\n1,%s\n", cell[i]);
		if (csv(&im, table, NULL, said) == 0 || !strstr(said, "is not a number"))
			fail_msg("'%s': %s", cell[i], said);
		sd_import_free(&im);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(tables_are_read_as_people_paste_them),
		cmocka_unit_test(what_says_no_time_is_refused),
		cmocka_unit_test(a_throughput_is_a_time_or_stands_beside_one),
		cmocka_unit_test(a_table_of_stream_says_what_memory_moves),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
