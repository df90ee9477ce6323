/* Lines of perf c2c, regions of PAPI, and which CPU a file is of. */
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
#include "diagnose/record/import/loaded_maps.h"

typedef int reader(struct sd_import *im, const struct sd_import_text *t, unsigned cores);

static int take(struct sd_import *im, reader *read, const char *text, unsigned cores, char *said)
{
	const struct sd_sink sink = {.emit = keep, .ctx = said};
	const struct sd_import_text t = {"t", text, strlen(text), &sink};

	said[0] = '\0';
	return read(im, &t, cores);
}

static int table(struct sd_import *im, const struct sd_import_text *t, unsigned cores)
{
	(void)cores;
	return sd_import_csv(im, t, NULL);
}

/* ---- perf c2c -------------------------------------------------------------------------------- */

/* Numbers of Leo Yan's "perf c2c: Support display for Arm64" (2022), x86 and SPE, and of
 * jolsa's older form. */
#define PARETO                                                                                                                                                                                                                                                       \
	"      Shared Cache Line Distribution Pareto      \n"                                                                                                                                                                                                        \
	"#   Num  RmtHitm  LclHitm     Peer   L1 Hit  L1 Miss  Any Lvl              Offset  Node  PA cnt        Code address  rmt hitm  lcl hitm      load      peer  records       cnt                  Symbol             Object              Source:Line  Node\n" \
	"# .....  .......  .......  .......  .......  .......  .......  ..................  ....  ......  ..................  ........  ........  ........  ........  .......  ........  ......................  .................  .......................  ....\n"
#define ROW "  ----------------------------------------------------\n"

static void contested_lines_have_their_code_and_offsets(void **state)
{
	struct sd_import im = {0};
	const struct sd_memory_sampled *m;
	const struct sd_sim_contested *l;
	char said[512];

	(void)state;
	assert_int_equal(take(&im, table, "cores,seconds\n1,4\n4,3\n", 0, said), 0);
	assert_int_equal(
		take(&im, sd_import_c2c,
			"  Load Operations                   :       4464\n"
			"  Load Local HITM                   :        381\n" PARETO ROW
			"      0        0      252        0     2024      470        0      0x55c8971f0080\n" ROW
			"           0.00%   12.30%    0.00%    0.00%    0.00%    0.00%                 0x0     0       1      0x55c8971ed3e9         0      1313       863         0     1222         1  [.] writer              false_sharing.exe  fs.c:12                   0\n"
			"           0.00%    0.79%    0.00%   90.51%    0.00%    0.00%                 0x0     0       1      0x55c8971ed3e2         0      1800       878         0     3029         1  [.] writer              false_sharing.exe  fs.c:11                   0\n"
			"           0.00%   86.90%    0.00%    0.00%    0.00%    0.00%                0x20     0       1      0x55c8971ed447         0       141       103         0     1131         2  [.] 0x0000000000001447  false_sharing.exe  false_sharing.exe[1447]   0\n"
			"\n" ROW
			"      1        0      129        0        9        0        0      0x55c8971f00c0\n" ROW
			"           0.00%  100.00%    0.00%  100.00%    0.00%    0.00%                0x20     0       1      0x55c8971ed455         0        88        94         0      914         2  [.] 0x0000000000001455  false_sharing.exe  false_sharing.exe[1455]   0\n",
			0, said),
		0);
	assert_int_equal(sd_import_finish(&im, "t", NULL), 0);
	assert_int_equal(im.record.n_run, 3);
	assert_int_equal(im.record.run[2].kind, SD_RUN_MEMORY);
	assert_int_equal(im.record.plan.point[im.record.run[2].point].cores, 4);
	m = im.record.run[2].memory;
	assert_near(m->loads, 4464, 0);
	assert_near(m->local, 381, 0);
	assert_int_equal(m->n_contested, 2);
	l = &m->contested[0].line;
	assert_int_equal(l->address, 0x55c8971f0080);
	assert_near(l->hitm_load, 252, 0);
	assert_near(l->share, 252. / 381, 1e-9);
	/* what is read at 0x20 nobody writes; what is written at 0 is one CPU's */
	assert_int_equal(l->sharing, SD_SIM_FALSE);
	assert_int_equal(l->n_code, 3);
	assert_near(l->code[0].hitm, .869 * 252, 1e-6); /* most first */
	assert_int_equal(l->code[2].writes, 1);
	assert_near(m->contested[0].cycles.value,
		(.123 * 1313 + .0079 * 1800 + .869 * 141) / (.123 + .0079 + .869), 1e-6);
	/* the same bytes by two CPUs */
	assert_int_equal(m->contested[1].line.sharing, SD_SIM_TRUE);
	assert_string_equal(
		im.record.stacks.text
			[im.record.stacks.frame[im.record.stacks.node[l->code[1].node].frame].file],
		"fs.c");
	assert_sound(&im.record);
	sd_import_free(&im);
}

static void whose_stores_they_are_may_stay_open(void **state)
{
	struct sd_import im = {0};
	char said[512];

	(void)state;
	assert_int_equal(take(&im, table, "cores,seconds\n2,3\n", 0, said), 0);
	/* two CPUs at each of two offsets: threads that moved, or data that is shared */
	assert_int_equal(
		take(&im, sd_import_c2c,
			PARETO ROW
			"      0        0      100        0      100        0        0      0x55c8971f0080\n" ROW
			"           0.00%   50.00%    0.00%   50.00%    0.00%    0.00%                 0x0     0       1      0x55c8971ed3e9         0      1313       863         0     1222         2  [.] a                   false_sharing.exe  fs.c:12                   0\n"
			"           0.00%   50.00%    0.00%   50.00%    0.00%    0.00%                 0x8     0       1      0x55c8971ed3e2         0      1800       878         0     3029         2  [.] b                   false_sharing.exe  fs.c:11                   0\n",
			2, said),
		0);
	assert_int_equal(im.record.run[1].memory->contested[0].line.sharing, SD_SIM_UNTOLD);
	assert_int_equal(take(&im, sd_import_c2c, PARETO, 2, said), -EINVAL);
	assert_non_null(strstr(said, "has no contested line"));
	assert_int_equal(take(&im, sd_import_c2c, PARETO, 8, said), -EINVAL);
	assert_non_null(strstr(said, "no run of that core count"));
	sd_import_free(&im);
}

/* ---- PAPI ------------------------------------------------------------------------------------ */

/* The shape of PAPI 7's rank_000003.json, and of PAPI 6's, whose threads and regions are arrays. */
static void papi_s_regions_are_added_up_over_their_threads(void **state)
{
	static const char *const text[] = {
		"{\"papi_version\": \"7.2.0.0\", \"cpu_info\": \"AMD Ryzen 7 7735HS\", \"threads\": {"
		"\"0\": {\"regions\": {\"0\": {\"name\": \"a\", \"parent_region_id\": \"-1\", "
		"\"cycles\": \"9\", \"real_time_nsec\": \"427162799\", \"PAPI_TOT_INS\": \"20971520\", "
		"\"perf::TASK-CLOCK\": \"400000000\", \"PAPI_L1_ICA\": \"1\"},"
		"\"1\": {\"name\": \"inner\", \"parent_region_id\": \"0\", "
		"\"real_time_nsec\": \"5\", \"PAPI_TOT_INS\": \"77\"}}},"
		"\"1\": {\"regions\": {\"0\": {\"name\": \"a\", \"parent_region_id\": \"-1\", "
		"\"real_time_nsec\": \"427162000\", \"perf::TASK-CLOCK\": \"300000000\", "
		"\"PAPI_TOT_INS\": {\"region_value\": \"10\", \"read_1\": \"4\"}}}}}}",
		"{\"cpu_info\": \"AMD Ryzen 7 7735HS\", \"threads\": [{\"id\": 0, \"regions\": "
		"[{\"name\": \"a\", \"parent_region_id\": -1, \"real_time_nsec\": 427162799, "
		"\"perf::TASK-CLOCK\": 700000000, \"PAPI_TOT_INS\": 20971530, \"PAPI_L1_ICA\": 1}]},"
		"{\"id\": 1, \"regions\": [{\"name\": \"a\", \"real_time_nsec\": 427162000, "
		"\"PAPI_TOT_INS\": 0}]}]}",
	};

	(void)state;
	for (size_t i = 0; i < sizeof text / sizeof *text; i++) {
		struct sd_import im = {0};
		const struct sd_run *run;
		char said[512];

		assert_int_equal(take(&im, sd_import_papi, text[i], 0, said), 0);
		run = &im.record.run[0];
		assert_int_equal(im.cores[0], 2);
		assert_near(run->metric[SD_METRIC_WALL].value, .427162799, 1e-12);
		assert_near(run->metric[SD_METRIC_TASK_CLOCK].value, .7, 1e-12);
		assert_near(sd_run_role(run, SD_ROLE_INSTRUCTIONS)->value.value, 20971530, 0);
		assert_int_equal(im.unknown.n, 1);
		assert_string_equal(im.unknown.text[0], "PAPI_L1_ICA");
		assert_string_equal(im.record.host.cpu, "AMD Ryzen 7 7735HS");
		sd_import_free(&im);
	}
}

/* ---- the CPU --------------------------------------------------------------------------------- */

static int cpu_type(struct sd_import *im, const struct sd_import_text *t, unsigned cores)
{
	return sd_import_cpu_type(im, t, cores, t->text);
}

/* likwid's names of CPUs, as its topology module has them. */
static void likwid_s_name_of_a_cpu_is_a_map_or_none(void **state)
{
	static const struct {
		const char *name, *family; /* NULL: not told */
	} row[] = {
		{"Intel Skylake SP processor", "skx"},
		{"Intel Icelake SP processor", "icx"},
		{"Intel SapphireRapids processor", "spr"},
		{"Intel Xeon Phi (Knights Landing) (Co)Processor", "knl"},
		{"AMD K19 (Zen4) architecture", "zen4"},
		{"ARM Neoverse N1", "neoverse_n1"},
		{"Fujitsu A64FX", "a64fx"},
		{"Intel Core Haswell processor", "hsw"},
		{"Intel Xeon Haswell EN/EP/EX processor", "hsw_ep"},
		{"Intel processor", NULL},
		{"Unknown Foo Processor", NULL},
	};

	(void)state;
	for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
		struct sd_import im = {.cpu.maps = &maps};
		char said[512];

		assert_int_equal(take(&im, cpu_type, row[i].name, 1, said), 0);
		if (!im.cpu.map != !row[i].family ||
			(im.cpu.map && strcmp(im.cpu.map->family, row[i].family) != 0))
			fail_msg("%s: %s", row[i].name, im.cpu.map ? im.cpu.map->family : "none");
		sd_import_free(&im);
	}
}

static int cpuid(struct sd_import *im, const struct sd_import_text *t, unsigned cores)
{
	return sd_import_cpuid(im, t, cores, t->text);
}

static void files_are_of_one_cpu_and_the_user_s_word_counts(void **state)
{
	struct sd_import im = {.cpu.maps = &maps};
	char said[512];

	(void)state;
	assert_int_equal(take(&im, cpuid, " GenuineIntel,6,85,4", 1, said), 0);
	assert_int_equal(take(&im, cpuid, " AuthenticAMD,25,17,1", 1, said), -EINVAL);
	assert_non_null(strstr(said, "is of another CPU"));
	im.cpu_said = 1;
	assert_int_equal(take(&im, cpuid, " AuthenticAMD,25,17,1", 1, said), 0);
	assert_string_equal(im.cpu.map->family, "skx");
	/* no numbers, or nobody's */
	im = (struct sd_import){.cpu.maps = &maps};
	assert_int_equal(take(&im, cpuid, " 0x00000000410fd0c0", 1, said), 0);
	assert_int_equal(take(&im, cpuid, " GenuineIntel,99,1,1", 1, said), 0);
	assert_null(im.cpu.map);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(contested_lines_have_their_code_and_offsets),
		cmocka_unit_test(whose_stores_they_are_may_stay_open),
		cmocka_unit_test(papi_s_regions_are_added_up_over_their_threads),
		cmocka_unit_test(likwid_s_name_of_a_cpu_is_a_map_or_none),
		cmocka_unit_test(files_are_of_one_cpu_and_the_user_s_word_counts),
	};

	return cmocka_run_group_tests(tests, load_maps, free_maps);
}
