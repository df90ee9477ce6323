/* Events by whatever name another tool gives them, and perf stat as people paste it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>
#include <errno.h>
#include "support/near.h"

#include "diagnose/record/import/import_said.h"
#include "import/import.h"
#include "import/perf_lines.h"
#include "diagnose/record/import/loaded_maps.h"

enum { PERF, LIKWID, CSV };

static void complain(void *ctx, enum sd_level level, const char *text)
{
	(void)ctx;
	if (level == SD_LEVEL_ERROR)
		print_error("%s\n", text);
}

static void import(struct sd_import *im, int from, const char *cpu, const char *text)
{
	const struct sd_sink sink = {.emit = complain};
	const struct sd_import_text t = {"t", text, strlen(text), &sink};

	*im = (struct sd_import){0};
	if (cpu) {
		im->cpu = (struct sd_import_cpu){&maps, sd_event_map_set_find(&maps, cpu)};
		assert_non_null(im->cpu.map);
	}
	assert_int_equal(from == PERF     ? sd_import_perf(im, &t, 4)
			 : from == LIKWID ? sd_import_likwid(im, &t, 0)
					  : sd_import_csv(im, &t, NULL),
		0);
}

static double role(const struct sd_import *im, enum sd_role r)
{
	const struct sd_role_count *const c = sd_run_role(&im->record.run[0], r);

	if (!c)
		fail_msg("no %s", sd_role_name(r));
	return c->value.value;
}

static double metric(const struct sd_import *im, enum sd_metric m)
{
	assert_int_equal(im->record.run[0].metric[m].status, SD_STATUS_OK);
	return im->record.run[0].metric[m].value;
}

static void a_name_is_known_in_every_spelling(void **state)
{
	static const struct {
		const char *cpu, *name;
		enum sd_role role;
	} row[] = {
		/* the origin paper's, and how its text varies them */
		{"core2", "MEM_LOAD_RETIRED.L2_LINE_MISS", SD_ROLE_LLC_LOAD_MISSES},
		{"core2", "EXT_SNOOP.ALL_AGENTS.HITM", SD_ROLE_HITM_BUS},
		{"core2", "EXT_SNOOP.HITM.ALL_AGENTS", SD_ROLE_HITM_BUS},
		{"core2", "BUS_HITM_DRV", SD_ROLE_HITM_SUPPLIED},
		{"core2", "BUS_TRANS_BURST.SELF", SD_ROLE_BUS_BURST},
		{"core2", "BUS_TRANS_BURST.ALL_AGENTS", SD_ROLE_BUS_BURST_ALL},
		{"core2", "L2_LINES_IN.SELF.ANY", SD_ROLE_LLC_LINES_IN},
		{"core2", "L2_LOCK.SELF.E_STATE", SD_ROLE_LOCK_L2_E},
		{"core2", "CPU_CLK_UNHALTED.CORE", SD_ROLE_CYCLES},
		{"core2", "INST_RETIRED.ANY", SD_ROLE_INSTRUCTIONS},
		{"core2", "r7024", SD_ROLE_LLC_LINES_IN},
		/* likwid's */
		{"core2", "L2_LINES_IN_THIS_CORE_ALL", SD_ROLE_LLC_LINES_IN},
		{"core2", "INSTR_RETIRED_ANY", SD_ROLE_INSTRUCTIONS},
		/* a vendor's list, libpfm4's, raw codes */
		{"skx", "mem_load_l3_hit_retired.xsnp_hitm", SD_ROLE_HITM_LOAD},
		{"skx", "MEM_LOAD_L3_HIT_RETIRED:XSNP_HITM:u", SD_ROLE_HITM_LOAD},
		{"skx", "r4d2", SD_ROLE_HITM_LOAD},
		{"skx", "r04d2:u", SD_ROLE_HITM_LOAD},
		{"skx", "cpu/event=0xd2,umask=0x04/", SD_ROLE_HITM_LOAD},
		{"skx", "cpu/event=0xd2,umask=4,name=HITM/u", SD_ROLE_HITM_LOAD},
		{"skx", "cpu/event=0xb7,umask=0x1,offcore_rsp=0x10003c0002/", SD_ROLE_HITM_STORE},
		{"zen4", "cpu/event=0x43,umask=0x4/", SD_ROLE_HITM_LOAD},
	};

	(void)state;
	for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
		char text[300];
		struct sd_import im;

		snprintf(text, sizeof text,
			"4000000000;ns;duration_time;1;100.00;;\n1234;;%s;1;100.00;;\n",
			row[i].name);
		import(&im, PERF, row[i].cpu, text);
		if (!sd_run_role(&im.record.run[0], row[i].role) || im.unknown.n)
			fail_msg("%s: %s", row[i].cpu, row[i].name);
		assert_near(role(&im, row[i].role), 1234, 0);
		assert_string_equal(im.record.run[0].role[0].source, row[i].cpu);
		sd_import_free(&im);
	}
}

static void what_no_role_is_made_of_is_listed(void **state)
{
	struct sd_import im;

	(void)state;
	/* the second event is of no role; the other two are of two that want others besides */
	import(&im, PERF, "skx",
		"4000000000,ns,duration_time,1,100.00,,\n"
		"5,,cpu/event=0xff,umask=0xee/,1,100.00,,\n"
		"6,,ILD_STALL.LCP,1,100.00,,\n"
		"7,,cycles:k,1,100.00,,\n");
	assert_int_equal(im.unknown.n, 3);
	assert_int_equal(im.record.run[0].n_role, 0);
	sd_import_free(&im);
	/* the other socket's agents are no usual case */
	import(&im, PERF, "core2",
		"4000000000,ns,duration_time,1,100.00,,\n5,,BUS_TRANS_WB_THIS_CORE_ALL_A,1,100.00,,\n");
	assert_int_equal(im.unknown.n, 1);
	sd_import_free(&im);
}

/* Numbers of the tutorial of perf's wiki: `perf stat -B dd if=/dev/zero of=/dev/null
 * count=1000000`; and of the form that perf prints today. */
static void what_perf_stat_prints_is_read_as_it_is_pasted(void **state)
{
	struct sd_import im;

	(void)state;
	import(&im, PERF, NULL,
		" Performance counter stats for 'dd if=/dev/zero of=/dev/null':\n\n"
		"            5,099 cache-misses             #      0.005 M/sec (scaled from 66.58%)\n"
		"    1,403,561,257 instructions             #      0.679 IPC (scaled from 50.23%)\n"
		"    2,066,201,729 cycles                   #   2160.227 M/sec (scaled from 66.67%)\n"
		"                3 CPU-migrations           #      0.000 M/sec\n"
		"       956.474238 task-clock-msecs         #      0.999 CPUs\n\n"
		"       0.957617512  seconds time elapsed\n");
	assert_near(metric(&im, SD_METRIC_WALL), .957617512, 1e-12);
	assert_near(metric(&im, SD_METRIC_TASK_CLOCK), .956474238, 1e-12);
	assert_near(role(&im, SD_ROLE_CYCLES) / .6667, 2066201729., 1);
	assert_near(role(&im, SD_ROLE_LLC_MISSES) / .6658, 5099., 1e-3);
	sd_import_free(&im);
	/* a German locale, repeated runs, user time, an event that was not counted */
	import(&im, PERF, NULL,
		" Performance counter stats for './a' (5 runs):\n\n"
		"          3.999,12 msec task-clock:u     #    3,998 CPUs utilized  ( +-  0,10% )\n"
		"    12.345.678.901      cycles:u         #    3,087 GHz            ( +-  0,20% )  (83,21%)\n"
		"   <not supported>      LLC-load-misses\n\n"
		"           1,00025 +- 0,00100 seconds time elapsed  ( +-  0,10% )\n"
		"       3,910000000 seconds user\n"
		"       0,080000000 seconds sys\n");
	assert_near(metric(&im, SD_METRIC_WALL), 1.00025, 1e-12);
	assert_near(metric(&im, SD_METRIC_USER), 3.91, 1e-12);
	assert_near(metric(&im, SD_METRIC_TASK_CLOCK), 3.99912, 1e-12);
	assert_near(role(&im, SD_ROLE_CYCLES) / .8321, 12345678901., 1e-3);
	assert_int_equal(im.record.run[0].role[0].user, 1);
	assert_int_equal(im.record.run[0].n_role, 1);
	sd_import_free(&im);
}

/* Every form of the same 6000 cycles in 2 s. */
static void intervals_cores_and_separators_are_added_up(void **state)
{
	static const char *const text[] = {
		"     1.000100000,1000,,cycles,1,100.00,,\n     2.000000000,5000,,cycles,1,100.00,,\n",
		"     1,000100000;1000;;cycles;1;100,00;;\n     2,000000000;5000;;cycles;1;100,00;;\n",
		"#           time             counts unit events\n"
		"     1.000100000              1,000      cycles   #    1.0 GHz\n"
		"     2.000000000              5,000      cycles   #    1.0 GHz\n",
		"S0-D0-C0,2,2500,,cycles,1,100.00,,\nS0-D0-C1,2,3500,,cycles,1,100.00,,\n"
		"S0-D0-C0,2,2000000000,ns,duration_time,1,100.00,,\n"
		"S0-D0-C1,2,0,ns,duration_time,1,100.00,,\n",
		"S0,8,2500,,cycles,1,100.00,,\nS1,8,3500,,cycles,1,100.00,,\n"
		"S0,8,2000000000,ns,duration_time,1,100.00,,\n",
		"a.out-12|2500||cycles|1|100.00||\na.out-13|3500||cycles|1|100.00||\n"
		"a.out-12|2000000000|ns|duration_time|1|100.00||\n",
		"6000  cycles 1 100.00\n2000000000 ns duration_time 1 100.00\n",
		"6000::cycles:1:100.00\n2000000000:ns:duration_time:1:100.00\n",
		"6000,,cycles,my/group,1,100.00,,\n2000000000,ns,duration_time,my/group,1,100.00,,\n",
		"2500,,cpu_core/cycles/,1,100.00,,\n3500,,cpu_atom/cycles/,1,100.00,,\n"
		"2000000000,ns,duration_time,1,100.00,,\n",
		"{\"interval\" : 1.0, \"counter-value\" : \"1000.0\", \"unit\" : \"\", \"event\" : \"cycles\"}\n"
		"{\"interval\" : 2.0, \"counter-value\" : \"5000.0\", \"unit\" : \"\", \"event\" : \"cycles\"}\n",
		"{\"core\" : \"S0-D0-C0\", \"counter-value\" : \"2500\", \"unit\" : \"\", \"event\" : \"cycles\"}\n"
		"{\"core\" : \"S0-D0-C1\", \"counter-value\" : \"3500\", \"unit\" : \"\", \"event\" : \"cycles\"}\n"
		"{\"counter-value\" : \"2000000000\", \"unit\" : \"ns\", \"event\" : \"duration_time\"}\n",
		" Performance counter stats for 'system wide':\n\n"
		"S0-D0-C0           2              2,500      cycles\n"
		"S0-D0-C1           2              3,500      cycles\n\n"
		"       2.000000000 seconds time elapsed\n",
	};

	(void)state;
	for (size_t i = 0; i < sizeof text / sizeof *text; i++) {
		struct sd_import im;

		import(&im, PERF, NULL, text[i]);
		if (!sd_run_role(&im.record.run[0], SD_ROLE_CYCLES))
			fail_msg("text %zu", i);
		if (role(&im, SD_ROLE_CYCLES) < 5999 || role(&im, SD_ROLE_CYCLES) > 6001 ||
			metric(&im, SD_METRIC_WALL) > 2.01 || metric(&im, SD_METRIC_WALL) < 1.99)
			fail_msg("text %zu: %g cycles, %g s", i, role(&im, SD_ROLE_CYCLES),
				metric(&im, SD_METRIC_WALL));
		sd_import_free(&im);
	}
}

static void a_number_is_read_as_its_locale_wrote_it(void **state)
{
	static const struct {
		const char *cell;
		int whole;
		double value; /* < 0: none */
	} row[] = {
		{"1,234", 1, 1234},
		{"1.234", 1, 1234},
		{"1.234", 0, 1.234},
		{"1,234.56", 0, 1234.56},
		{"1.234,56", 0, 1234.56},
		{"1'234'567", 1, 1234567},
		{"1\xc2\xa0"
		 "234",
			1, 1234},
		{"1\xe2\x80\xaf"
		 "234,5",
			0, 1234.5},
		{"12.345.678", 1, 12345678},
		{"7", 1, 7},
		{"0,99", 0, .99},
		{"cycles", 1, -1},
		{"", 1, -1},
		{"12x", 1, -1},
		{"1e400", 0, -1},
	};

	(void)state;
	for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
		double v = -1;
		const int rc = sd_perf_lines_number(row[i].cell, row[i].whole, &v);

		if (rc != (row[i].value < 0 ? -EINVAL : 0))
			fail_msg("'%s'", row[i].cell);
		if (rc == 0)
			assert_near(v, row[i].value, 1e-9);
	}
}

static void likwid_s_tables_are_added_up_over_their_cores(void **state)
{
	struct sd_import im;

	(void)state;
	import(&im, LIKWID, "skx",
		"STRUCT,Info,3,,,\nCPU name:,Intel(R) Xeon(R) Gold 6148 CPU @ 2.40GHz,,,\n"
		"TABLE,Group 1 Raw,MEM,4,,\nEvent,Counter,Core 0,Core 1,,\n"
		"INSTR_RETIRED_ANY,FIXC0,1000,2000,,\n"
		"MEM_LOAD_L3_HIT_RETIRED_XSNP_HITM,PMC0,30,12,,\n"
		"CAS_COUNT_RD,MBOX0C0,500,0,,\nCAS_COUNT_RD,MBOX1C0,700,0,,\n"
		"TABLE,Group 1 Raw Stat,MEM,4,,\nEvent,Counter,Sum,Min,Max,Avg\n"
		"INSTR_RETIRED_ANY STAT,FIXC0,3000,1000,2000,1500\n"
		"TABLE,Group 1 Metric,MEM,2,,\nMetric,Core 0,Core 1,,,\n"
		"Runtime (RDTSC) [s],1.5,1.25,,,\nCPI,0.5,0.6,,,\n");
	assert_near(role(&im, SD_ROLE_INSTRUCTIONS), 3000, 0);
	assert_near(role(&im, SD_ROLE_HITM_LOAD), 42, 0);
	assert_near(role(&im, SD_ROLE_DRAM_READ_LINES), 1200, 0);
	assert_near(metric(&im, SD_METRIC_WALL), 1.5, 1e-12);
	assert_int_equal(im.cores[0], 2);
	assert_int_equal(im.unknown.n, 0);
	sd_import_free(&im);
}

static void a_table_has_waits_threads_output_and_the_cpu_s_events(void **state)
{
	struct sd_import im;
	const struct sd_run *run;

	(void)state;
	import(&im, CSV, "core2",
		"cores,seconds,user,BUS_TRANS_BURST.SELF,wait_disk,wait_lock_ms,thread0,thread1,output\n"
		"2,5,6,1000,3,500,4,2,sum=12\n2,5,6,1000,3,500,4,2,sum=13\n");
	run = &im.record.run[0];
	assert_near(role(&im, SD_ROLE_BUS_BURST), 1000, 0);
	assert_near(run->idle[SD_IDLE_DISK].value, 3, 0);
	assert_near(run->idle[SD_IDLE_LOCK].value, .5, 1e-12);
	assert_int_equal(run->n_thread, 2);
	assert_near(run->thread[1].cpu.value, 2, 0);
	assert_int_not_equal(run->stdout_digest, im.record.run[1].stdout_digest);
	sd_import_free(&im);
}

static void a_cost_is_a_name_and_a_time(void **state)
{
	static const char *const bad[] = {
		"line", "line=", "line=5", "line=5s", "mine=5ns", "line=xns"};
	struct sd_import im = {0};

	(void)state;
	assert_int_equal(sd_import_costs(&im, "line=120ns,dram=.18us, walk=10ns", NULL), 0);
	assert_near(im.record.calibration.line.value, 120e-9, 1e-18);
	assert_near(im.record.calibration.dram.value, 180e-9, 1e-18);
	assert_int_equal(im.record.calibration.llc.status, SD_STATUS_ABSENT);
	sd_import_free(&im);
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		assert_int_equal(sd_import_costs(&im, bad[i], NULL), -EINVAL);
		sd_import_free(&im);
	}
}

/* The reference never waits, but for what is said; fixed cycles know the clock, core cycles do not.
 */
static void cpu_times_that_are_missing_are_those_of_the_cycles(void **state)
{
	static const struct {
		const char *text;
		double cpu[2]; /* < 0: none */
		unsigned flags;
	} rows[] = {
		{"cores,seconds,cycles\n1,10,30e9\n4,4,36e9\n", {10, 12}, SD_RUN_BY_CYCLES},
		{"cores,seconds,cycles,ref_cycles\n1,10,30e9,20e9\n4,4,24e9,22e9\n", {10, 11}, 0},
		{"cores,seconds,cycles,wait_disk\n1,10,24e9,2\n4,4,24e9,2\n", {8, 8},
			SD_RUN_BY_CYCLES},
		/* no more than there is; not of a file that has some; not where a run lacks them */
		{"cores,seconds,cycles\n1,10,30e9\n2,4,60e9\n", {10, 8}, SD_RUN_BY_CYCLES},
		{"cores,seconds,cycles,cpu\n1,10,30e9,9\n4,4,36e9,\n", {9, -1}, 0},
		{"cores,seconds,cycles\n1,10,30e9\n4,4,\n", {-1, -1}, 0},
	};

	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct sd_import im;

		import(&im, CSV, NULL, rows[i].text);
		assert_int_equal(sd_import_finish(&im, "t", NULL), 0);
		for (size_t k = 0; k < 2; k++) {
			const struct sd_run *const run = &im.record.run[k];
			const struct sd_value cpu = run->metric[SD_METRIC_TASK_CLOCK];

			assert_int_equal(sd_has(cpu), rows[i].cpu[k] >= 0);
			if (sd_has(cpu))
				assert_near(cpu.value, rows[i].cpu[k], 1e-9);
			assert_int_equal(run->flags, rows[i].flags);
		}
		assert_sound(&im.record);
		sd_import_free(&im);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_name_is_known_in_every_spelling),
		cmocka_unit_test(what_no_role_is_made_of_is_listed),
		cmocka_unit_test(what_perf_stat_prints_is_read_as_it_is_pasted),
		cmocka_unit_test(intervals_cores_and_separators_are_added_up),
		cmocka_unit_test(a_number_is_read_as_its_locale_wrote_it),
		cmocka_unit_test(likwid_s_tables_are_added_up_over_their_cores),
		cmocka_unit_test(a_table_has_waits_threads_output_and_the_cpu_s_events),
		cmocka_unit_test(a_cost_is_a_name_and_a_time),
		cmocka_unit_test(cpu_times_that_are_missing_are_those_of_the_cycles),
	};

	return cmocka_run_group_tests(tests, load_maps, free_maps);
}
