/* Measurements of others become a record; what they did not measure does not. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>
#include <errno.h>
#include "support/near.h"

#include "diagnose/record/import/import_said.h"
#include "write/encode.h"
#include "import/import.h"
#include "record/record_file.h"

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

static int perf(struct sd_import *im, const char *text, unsigned cores, char *said)
{
	const struct sd_sink sink = {.emit = keep, .ctx = said};
	const struct sd_import_text t = {"p.csv", text, strlen(text), &sink};

	said[0] = '\0';
	return sd_import_perf(im, &t, cores);
}

static void a_table_becomes_points_with_what_it_says(void **state)
{
	struct sd_import im;
	char said[512];
	const struct sd_run *run;

	(void)state;
	assert_int_equal(csv(&im,
				 "# a comment\r\ncores,seconds,user,system,llc_lines_in,L3miss\r\n"
				 "4,3,11,.5,2e6,\r\n1,10,9.5,0.25,1e6,NaN\r\n",
				 NULL, said),
		0);
	assert_int_equal(im.record.plan.n_point, 2);
	assert_int_equal(im.record.plan.point[0].cores, 1);
	assert_int_equal(im.record.plan.point[1].cores, 4);
	run = &im.record.run[0];
	assert_int_equal(run->point, 1);
	assert_near(run->metric[SD_METRIC_WALL].value, 3, 0);
	assert_near(run->metric[SD_METRIC_USER].value, 11, 0);
	assert_near(sd_run_role(run, SD_ROLE_LLC_LINES_IN)->value.value, 2e6, 0);
	/* empty and NaN are not 0 */
	assert_null(sd_run_role(run, SD_ROLE_LLC_MISSES));
	assert_null(sd_run_role(&im.record.run[1], SD_ROLE_LLC_MISSES));
	assert_sound(&im.record);
	sd_import_free(&im);
}

static void a_pop_table_says_where_mpi_processes_wait(void **state)
{
	struct sd_import im;
	char said[512];

	(void)state;
	assert_int_equal(csv(&im,
				 "procs,runtime_us,runtime_ideal_us,useful_avg_us,useful_max_us,"
				 "useful_total_us\n2,10000000,9000000,7000000,8000000,14000000\n",
				 NULL, said),
		0);
	assert_near(im.record.run[0].idle[SD_IDLE_IMBALANCE].value, 2, 1e-9);
	assert_near(im.record.run[0].idle[SD_IDLE_SERIAL].value, 2, 1e-9);
	assert_near(im.record.run[0].idle[SD_IDLE_MPI].value, 2, 1e-9);
	assert_near(im.record.run[0].metric[SD_METRIC_TASK_CLOCK].value, 14, 1e-9);
	assert_int_equal(im.record.run[0].idle[SD_IDLE_LOCK].status, SD_STATUS_ABSENT);
	assert_sound(&im.record);
	sd_import_free(&im);
}

static void a_table_of_several_programs_wants_a_choice(void **state)
{
	static const char text[] = "app,threads,seconds\na,1,10\nb,1,20\na,2,5\n";
	struct sd_import im;
	char said[512];

	(void)state;
	assert_int_equal(csv(&im, text, NULL, said), -EINVAL);
	assert_non_null(strstr(said, "t.csv:3: programs 'a' and 'b'"));
	sd_import_free(&im);
	assert_int_equal(csv(&im, text, "a", said), 0);
	assert_int_equal(im.record.n_run, 2);
	sd_import_free(&im);
	assert_int_equal(csv(&im, text, "c", said), -EINVAL);
	assert_non_null(strstr(said, "no row of program 'c'"));
	sd_import_free(&im);
}

static void a_broken_table_is_refused_with_its_place(void **state)
{
	static const struct {
		const char *text, *says;
	} row[] = {
		{"", "t.csv:1: is empty"},
		{"# nothing\n", "has no line of column names"},
		{"cores,user\n1,2\n", "t.csv:1: no column of times"},
		{"seconds,user\n1,2\n", "t.csv:1: no column of core counts"},
		{"cores,seconds\n", "t.csv:1: has no row"},
		{"cores,seconds\n1\n", "t.csv:2: 1 cells, but 2 columns"},
		{"cores,seconds\n1,10,5\n", "t.csv:2: 3 cells, but 2 columns (a decimal comma?"},
		{"cores;seconds\n1;10,5\n", "t.csv:2: seconds: '10,5' has a decimal comma"},
		{"cores,seconds\n1,\n", "t.csv:2: seconds: is missing"},
		{"cores,seconds\n1,nan\n", "t.csv:2: seconds: is missing ('nan')"},
		{"cores,seconds\n<not counted>,1\n", "t.csv:2: cores: is missing"},
		{"cores,seconds\n1,inf\n", "t.csv:2: seconds: 'inf'"},
		{"cores,seconds\n1,-1\n", "t.csv:2: seconds: '-1' is not from 0"},
		{"cores,seconds\n1,0\n", "t.csv:2: a time of 0 s is none"},
		{"cores,seconds\n1.5,1\n", "t.csv:2: cores: '1.5' is no count"},
		{"cores,seconds\n0,1\n", "t.csv:2: cores: '0' is no count"},
		{"cores,seconds\n1,ten\n", "t.csv:2: seconds: 'ten' is not a number"},
		{"cores,seconds,wall\n1,1,1\n",
			"t.csv:1: columns 'seconds' and 'wall' are the same"},
		{"cores,seconds,cycles,cycles\n1,1,1,1\n", "are the same"},
		{"cores,real_time,time_unit\n1,5,parsec\n", "t.csv:2: time_unit: 'parsec' is none"},
		{"cores,ops/s\n1,\n", "t.csv:2: ops/s: is missing"},
		{"cores,ops/s\n1,0\n", "t.csv:2: ops/s: '0' is no throughput"},
		{"cores,ops/s,user\n1,10,5\n", "t.csv:2: CPU times beside a throughput"},
		{"cores,seconds\n1,\"10\n", "t.csv:2: a quotation mark is not closed"},
		{"cores,seconds\n1,1\033[2J\n", "t.csv:2: holds a control character"},
		{"\xff\xfe"
		 "c",
			"t.csv:1: is UTF-16"},
		{"procs,runtime,runtime_ideal,useful_avg,useful_max,useful_total\n1,5,6,4,4,4\n",
			"t.csv:2: the times of a POP table"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
		struct sd_import im;
		char said[512];
		int rc = csv(&im, row[i].text, NULL, said);

		if (rc != -EINVAL || !strstr(said, row[i].says))
			print_error("row %zu: %d '%s'\n", i, rc, said);
		assert_int_equal(rc, -EINVAL);
		assert_non_null(strstr(said, row[i].says));
		sd_import_free(&im);
	}
}

static void perf_stat_says_counts_their_share_of_time_and_the_wall_time(void **state)
{
	static const char text[] = "# started on Sat\n\n"
				   "8000000000,ns,duration_time,8000000000,100.00,,\n"
				   "7900.5,msec,task-clock,7900500000,100.00,0.988,CPUs utilized\n"
				   "24000000000,,cycles:u,7900500000,100.00,3.0,GHz\n"
				   ",,,,,1.25,insn per cycle\n"
				   "<not supported>,,LLC-load-misses,0,100.00,,\n"
				   "<not counted>,,LLC-loads,0,0.00,,\n"
				   "5,,instructions:k,7900500000,100.00,,\n"
				   "150000000,,dTLB-load-misses,3950250000,50.00,,\n"
				   "1024.00,MiB,uncore_imc_0/cas_count_read/,1,100.00,,\n"
				   "1024.00,MiB,uncore_imc_1/cas_count_read/,1,100.00,,\n";
	const struct sd_role_count *c;
	struct sd_import im = {0};
	char said[512];

	(void)state;
	assert_int_equal(perf(&im, text, 1, said), 0);
	assert_int_equal(sd_import_finish(&im, "p", NULL), 0);
	assert_near(im.record.run[0].metric[SD_METRIC_WALL].value, 8, 1e-12);
	assert_near(im.record.run[0].metric[SD_METRIC_TASK_CLOCK].value, 7.9005, 1e-12);
	c = sd_run_role(&im.record.run[0], SD_ROLE_CYCLES);
	assert_near(c->value.value, 24e9, 0);
	assert_int_equal(c->user, 1);
	/* perf has scaled it up already; a record keeps what the counter saw */
	c = sd_run_role(&im.record.run[0], SD_ROLE_DTLB_LOAD_WALKS);
	assert_near(c->value.value, 75e6, 0);
	assert_near(c->running, .5, 1e-12);
	assert_int_equal(c->value.status, SD_STATUS_MULTIPLEXED);
	assert_int_equal(c->quality, SD_QUALITY_PROXY);
	assert_near(sd_run_role(&im.record.run[0], SD_ROLE_DRAM_READ_LINES)->value.value,
		2. * (1 << 30) / 64, 0);
	assert_null(sd_run_role(&im.record.run[0], SD_ROLE_LLC_LOAD_MISSES));
	assert_null(sd_run_role(&im.record.run[0], SD_ROLE_LLC_READS));
	assert_null(sd_run_role(&im.record.run[0], SD_ROLE_INSTRUCTIONS));
	assert_sound(&im.record);
	sd_import_free(&im);
}

static void json_and_repeats_and_a_semicolon_say_the_same(void **state)
{
	static const char *const text[] = {
		"{\"counter-value\" : \"2000.000000\", \"unit\" : \"msec\", \"event\" : "
		"\"task-clock\", "
		"\"event-runtime\" : 1, \"pcnt-running\" : 100.00, \"metric-value\" : \"0.5\", "
		"\"metric-unit\" : \"CPUs utilized\"}\n"
		"{\"counter-value\" : \"6000.000000\", \"unit\" : \"\", \"event\" : \"cycles\", "
		"\"event-runtime\" : 1, \"pcnt-running\" : 100.00}\n"
		"{\"counter-value\" : \"<not counted>\", \"unit\" : \"\", \"event\" : "
		"\"instructions\", "
		"\"event-runtime\" : 0, \"pcnt-running\" : 0.00}\n",
		"2000,msec,task-clock,0.20%,1,100.00,0.5,CPUs "
		"utilized\n6000,,cycles,0.10%,1,100.00,,\n",
		"2000;msec;task-clock;1;100.00;0.5;CPUs utilized\n6000;;cycles;1;100.00;;\n",
	};

	(void)state;
	for (size_t i = 0; i < sizeof text / sizeof *text; i++) {
		struct sd_import im = {0};
		char said[512];

		assert_int_equal(perf(&im, text[i], 2, said), 0);
		/* half a CPU was used: 2 s of CPU time took 4 s */
		assert_near(im.record.run[0].metric[SD_METRIC_WALL].value, 4, 1e-9);
		assert_near(
			sd_run_role(&im.record.run[0], SD_ROLE_CYCLES)->value.value, 6000, 1e-9);
		assert_null(sd_run_role(&im.record.run[0], SD_ROLE_INSTRUCTIONS));
		sd_import_free(&im);
	}
}

static void what_is_not_the_output_of_perf_stat_is_refused_with_its_place(void **state)
{
	static const struct {
		const char *text, *says;
	} row[] = {
		{"", "p.csv:1: is empty"},
		{"# nothing\n", "has no counter of perf stat"},
		{"hello\n", "p.csv:1: is no line of `perf stat -x,`"},
		{"CPU0,123,,cycles,1,100.00,,\n", "says nowhere how long it took"},
		{"1234,56,,cycles,1,100.00\n", "p.csv:1: the count '1234,56' has a decimal comma"},
		{"12x,,cycles,1,100.00,,\n", "p.csv:1: is no line of `perf stat -x,`"},
		{"12,,cycles,a,1,100.00,,\n13,,cycles,b,1,100.00,,\n",
			"p.csv:2: is of the cgroup b, and those before of a"},
		{"12,,cycles,1,100.00,,\n13,,cycles,1,100.00,,\n",
			"p.csv:2: 'cycles' is counted here already"},
		{"12,,cycles,1,100.00,,\n", "says nowhere how long it took"},
		{"{\"counter-value\" : \"1x5\", \"event\" : \"cycles\"}\n",
			"cycles: '1x5' is not a number"},
		{"{\"counter-value\" : 1\n", "p.csv:1: is no JSON object"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
		struct sd_import im = {0};
		char said[512];
		int rc = perf(&im, row[i].text, 1, said);

		if (rc != -EINVAL || !strstr(said, row[i].says))
			print_error("row %zu: %d '%s'\n", i, rc, said);
		assert_int_equal(rc, -EINVAL);
		assert_non_null(strstr(said, row[i].says));
		sd_import_free(&im);
	}
}

static void more_cpu_time_than_the_cores_have_is_refused(void **state)
{
	static const char machine[] =
		"640012.50,msec,task-clock,640012500000,100.00,63.99,CPUs utilized\n"
		"10001000000,ns,duration_time,10001000000,100.00,,\n";
	struct sd_import im = {0};
	char said[512];

	(void)state;
	/* as many CPUs as a machine has, all the time: it was counted whole */
	assert_int_equal(perf(&im, machine, 8, said), 0);
	assert_int_equal(
		im.record.run[0].metric[SD_METRIC_TASK_CLOCK].status, SD_STATUS_UNSUPPORTED);
	sd_import_free(&im);
	assert_int_equal(perf(&im,
				 "640012.5,msec,task-clock,1,100.00,,\n"
				 "13001000000,ns,duration_time,1,100.00,,\n",
				 8, said),
		-EINVAL);
	assert_non_null(strstr(said, "640 s of CPU time in 13 s is more than 8 cores have"));
	sd_import_free(&im);
	assert_int_equal(perf(&im, machine, 64, said), 0);
	assert_true(sd_has(im.record.run[0].metric[SD_METRIC_TASK_CLOCK]));
	sd_import_free(&im);
	assert_int_equal(
		csv(&im, "cores,seconds,user,system\n1,10,9,1\n2,5,10,1\n", NULL, said), -EINVAL);
	assert_non_null(strstr(said, "t.csv:3: 11 s of CPU time in 5 s"));
	sd_import_free(&im);
	/* rounded to the hundredth */
	assert_int_equal(csv(&im, "cores,seconds,user,system\n1,.01,.01,.01\n", NULL, said), 0);
	sd_import_free(&im);
}

static void a_modifier_inside_of_the_slashes_is_read(void **state)
{
	struct sd_import im = {0};
	char said[512];
	const struct sd_role_count *c;

	(void)state;
	assert_int_equal(perf(&im,
				 "4000000000,ns,duration_time,4000000000,100.00,,\n"
				 "3000,,cpu_core/cycles:u/,100,100.00,,\n"
				 "500,,cpu_atom/cycles:u/,100,100.00,,\n",
				 1, said),
		0);
	c = sd_run_role(&im.record.run[0], SD_ROLE_CYCLES);
	assert_non_null(c);
	assert_near(c->value.value, 3500, 0);
	assert_int_equal(c->user, 1);
	sd_import_free(&im);
}

static void the_count_is_the_only_number_of_the_name(void **state)
{
	(void)state;
	assert_int_equal(sd_import_count("out/perf.8.csv"), 8);
	assert_int_equal(sd_import_count("2024/run16.json"), 16);
	assert_int_equal(sd_import_count("2024-run16.json"), 0);
	assert_int_equal(sd_import_count("perf.csv"), 0);
	assert_int_equal(sd_import_count("perf.0.csv"), 0);
	assert_int_equal(sd_import_count("perf.99999999999999999999.csv"), 0);
}

static void ceilings_are_cores_and_gigabytes_a_second(void **state)
{
	static const char *const bad[] = {
		"", "1", "1=", "=3", "0=3", "1=-3", "1=3,1=4", "1=nan", "x=3"};
	struct sd_import im = {0};

	(void)state;
	assert_int_equal(sd_import_ceilings(&im, "1=21.27, 56T 198.4,16:164.2", NULL), 0);
	assert_int_equal(im.record.calibration.n_ceiling, 3);
	assert_near(sd_calibration_at(&im.record.calibration, 16).value, 164.2e9, 1);
	assert_near(sd_calibration_at(&im.record.calibration, 36).value, 181.3e9, 1);
	assert_int_equal(sd_calibration_at(&im.record.calibration, 57).status, SD_STATUS_ABSENT);
	sd_import_free(&im);
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		assert_int_equal(sd_import_ceilings(&im, bad[i], NULL), -EINVAL);
		sd_import_free(&im);
	}
}

static void keep_note(void *ctx, enum sd_level level, const char *text)
{
	if (level == SD_LEVEL_NOTE)
		snprintf(ctx, 512, "%s", text);
}

/* perf stat -r: a mean, whose spread makes no interval. */
static void a_spread_that_is_not_used_is_said(void **state)
{
	static const char *const text[] = {
		"1000000000,ns,duration_time,1.20%,1000000000,100.00,,\n",
		"{\"counter-value\":\"1000000000\",\"unit\":\"ns\",\"event\":\"duration_time\","
		"\"variance\":1.2,\"pcnt-running\":100.0}\n"};

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		char said[512] = "";
		const struct sd_sink sink = {.emit = keep_note, .ctx = said};
		const struct sd_import_text t = {"p.csv", text[i], strlen(text[i]), &sink};
		struct sd_import im = {0};

		assert_int_equal(sd_import_perf(&im, &t, 2), 0);
		assert_non_null(
			strstr(said, "mean of several runs (perf stat -r, first spread 1.2"));
		assert_int_equal(im.record.n_run, 1);
		sd_import_free(&im);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_table_becomes_points_with_what_it_says),
		cmocka_unit_test(a_pop_table_says_where_mpi_processes_wait),
		cmocka_unit_test(a_table_of_several_programs_wants_a_choice),
		cmocka_unit_test(a_broken_table_is_refused_with_its_place),
		cmocka_unit_test(perf_stat_says_counts_their_share_of_time_and_the_wall_time),
		cmocka_unit_test(json_and_repeats_and_a_semicolon_say_the_same),
		cmocka_unit_test(what_is_not_the_output_of_perf_stat_is_refused_with_its_place),
		cmocka_unit_test(more_cpu_time_than_the_cores_have_is_refused),
		cmocka_unit_test(a_modifier_inside_of_the_slashes_is_read),
		cmocka_unit_test(the_count_is_the_only_number_of_the_name),
		cmocka_unit_test(ceilings_are_cores_and_gigabytes_a_second),
		cmocka_unit_test(a_spread_that_is_not_used_is_said),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
