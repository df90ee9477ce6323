/* The events that texts on performance counters name, each with the role that it has on its CPU: D.
 * Levinthal on Core 2, lectures on top-down analysis, Intel's guides to General Exploration and to
 * profiling the Xeon Phi coprocessor. Names
 * that no CPU has (several of them are misspelt in print) are told with the name that was meant. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>
#include "support/near.h"

#include "diagnose/record/import/import_said.h"
#include "diagnose/record/import/loaded_maps.h"
#include "import/event_hints.h"
#include "import/import.h"

static int import(struct sd_import *im, const char *cpu, const char *name)
{
	char text[200];
	struct sd_import_text t = {"t", text, 0, NULL};

	snprintf(text, sizeof text, "cores,seconds,%s\n1,1,1000\n2,1,2000\n", name);
	t.size = strlen(text);
	*im = (struct sd_import){.cpu = {&maps, sd_event_map_set_find(&maps, cpu)}};
	assert_non_null(im->cpu.map);
	return sd_import_csv(im, &t, NULL);
}

static void each_event_of_the_texts_has_its_role(void **state)
{
	static const struct {
		const char *cpu, *name;
		enum sd_role role;
		double times; /* the weight of the event in the role */
	} row[] = {
		{"core2", "CPU_CLK_UNHALTED.CORE", SD_ROLE_CYCLES, 1},
		{"core2", "CPU_CLK_UNHALTED.CORE_P", SD_ROLE_CYCLES, 1},
		{"core2", "CPU_CLK_UNHALTED.REF", SD_ROLE_REF_CYCLES, 1},
		{"core2", "CPU_CLK_UNHALTED.BUS", SD_ROLE_BUS_CLOCKS, 1},
		{"core2", "INST_RETIRED.ANY", SD_ROLE_INSTRUCTIONS, 1},
		{"core2", "INST_RETIRED.ANY_P", SD_ROLE_INSTRUCTIONS, 1},
		{"core2", "BUS_DRDY_CLOCKS.ALL_AGENTS", SD_ROLE_BUS_BUSY, 1},
		{"core2", "BUS_TRANS_ANY.SELF", SD_ROLE_BUS_ANY, 1},
		{"core2", "BUS_TRANS_MEM.SELF", SD_ROLE_BUS_MEM, 1},
		{"core2", "BUS_TRANS_BURST.SELF", SD_ROLE_BUS_BURST, 1},
		{"core2", "BUS_TRANS_BURST.ALL_AGENTS", SD_ROLE_BUS_BURST_ALL, 1},
		{"core2", "BUS_TRANS_BRD.SELF", SD_ROLE_BUS_READ_LINES, 1},
		{"core2", "BUS_TRANS_RFO.SELF", SD_ROLE_BUS_RFO_LINES, 1},
		{"core2", "BUS_TRANS_IFETCH.SELF", SD_ROLE_BUS_IFETCH_LINES, 1},
		{"core2", "EXT_SNOOP.ALL_AGENTS.HITM", SD_ROLE_HITM_BUS, 1},
		{"core2", "EXT_SNOOP.ALL_AGENTS_HITM", SD_ROLE_HITM_BUS, 1},
		{"core2", "EXT_SNOOP.HITM.ALL_AGENTS", SD_ROLE_HITM_BUS, 1},
		{"core2", "L2_LINES_IN.SELF.ANY", SD_ROLE_LLC_LINES_IN, 1},
		{"core2", "L2_LD.SELF.PREFETCH", SD_ROLE_L2_HWPF_LOADS, 1},
		{"core2", "L2_LD.SELF.DEMAND", SD_ROLE_DEMAND_READS, 1},
		{"core2", "L2_LD.SELF.E_STATE", SD_ROLE_L2_LOADS_E, 1},
		{"core2", "L2_LD.SELF.S_STATE", SD_ROLE_L2_LOADS_S, 1},
		{"core2", "L2_LD.SELF.I_STATE", SD_ROLE_L2_LOADS_I, 1},
		{"core2", "L2_LOCK.SELF.E_STATE", SD_ROLE_LOCK_L2_E, 1},
		{"core2", "L2_LOCK.SELF.M_STATE", SD_ROLE_LOCK_L2_M, 1},
		{"core2", "LOAD_HIT_PRE", SD_ROLE_SWPF_HITS, 1},
		{"core2", "BUS_HITM_DRV", SD_ROLE_HITM_SUPPLIED, 1},
		{"core2", "BUS_REQUEST_OUTSTANDING.SELF", SD_ROLE_BUS_OCCUPANCY, 1},
		{"core2", "BUS_TRANS_WB.SELF", SD_ROLE_BUS_WRITEBACK_LINES, 1},
		{"core2", "L1D_PREFETCH.REQUESTS", SD_ROLE_L1D_HWPF_REQUESTS, 1},
		{"core2", "MEM_LOAD_RETIRED.L2_MISS", SD_ROLE_L2_LOAD_MISSES, 1},
		{"core2", "MEM_LOAD_RETIRED.L2_LINE_MISS", SD_ROLE_LLC_LOAD_MISSES, 1},
		{"core2", "MEM_LOAD_RETIRED.DTLB_MISS", SD_ROLE_DTLB_LOAD_WALKS_RETIRED, 1},
		{"core2", "DTLB_MISSES.ANY", SD_ROLE_DTLB_WALKS, 1},
		{"snb", "CPU_CLK_UNHALTED.THREAD", SD_ROLE_CYCLES, 1},
		{"snb", "CPU_CLK_UNHALTED.THREAD", SD_ROLE_TD_SLOTS, 4},
		{"hsw", "CPU_CLK_UNHALTED.THREAD", SD_ROLE_TD_SLOTS, 4},
		{"skx", "CPU_CLK_UNHALTED.THREAD", SD_ROLE_TD_SLOTS, 4},
		{"skx", "CPU_CLK_UNHALTED.THREAD_P", SD_ROLE_TD_SLOTS, 4},
		{"skx", "UOPS_RETIRED.RETIRE_SLOTS", SD_ROLE_TD_RETIRING, 1},
		{"skx", "UOPS_ISSUED.ANY", SD_ROLE_TD_ISSUED, 1},
		{"skx", "IDQ_UOPS_NOT_DELIVERED.CORE", SD_ROLE_TD_FRONTEND, 1},
		{"skx", "INT_MISC.RECOVERY_CYCLES", SD_ROLE_TD_RECOVERY, 1},
		{"snb", "INST_RETIRED.ANY", SD_ROLE_INSTRUCTIONS, 1},
		{"knc", "CPU_CLK_UNHALTED", SD_ROLE_CYCLES, 1},
		{"knc", "INSTRUCTIONS_EXECUTED", SD_ROLE_INSTRUCTIONS, 1},
		{"knc", "VPU_ELEMENTS_ACTIVE", SD_ROLE_VECTOR_ELEMENTS, 1},
		{"knc", "VPU_INSTRUCTIONS_EXECUTED", SD_ROLE_FP_VECTOR, 1},
		{"knc", "DATA_READ_OR_WRITE", SD_ROLE_L1D_ACCESSES, 1},
		{"knc", "DATA_READ_MISS_OR_WRITE_MISS", SD_ROLE_L1D_MISSES, 1},
		{"knc", "L1_DATA_HIT_INFLIGHT_PF1", SD_ROLE_SWPF_HITS, 1},
		{"knc", "EXEC_STAGE_CYCLES", SD_ROLE_EXEC_CYCLES, 1},
		{"knc", "DATA_PAGE_WALK", SD_ROLE_L1_DTLB_MISSES, 1},
		{"knc", "LONG_DATA_PAGE_WALK", SD_ROLE_DTLB_WALKS, 1},
		{"knc", "L2_DATA_READ_MISS_CACHE_FILL", SD_ROLE_HITM_LOAD, 1},
		{"knc", "L2_DATA_WRITE_MISS_CACHE_FILL", SD_ROLE_HITM_STORE, 1},
		{"knc", "L2_DATA_READ_MISS_MEM_FILL", SD_ROLE_LLC_LOAD_MISSES, 1},
		{"knc", "L2_VICTIM_REQ_WITH_DATA", SD_ROLE_L2_WRITEBACKS, 1},
		{"knc", "HWP_L2MISS", SD_ROLE_L2_HWPF_LLC_MISSES, 1},
		{"knc", "SNP_HITM_L2", SD_ROLE_HITM_SUPPLIED, 1},
	};

	(void)state;
	for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
		const struct sd_role_count *count;
		struct sd_import im;

		assert_int_equal(import(&im, row[i].cpu, row[i].name), 0);
		count = sd_run_role(&im.record.run[0], row[i].role);
		if (!count)
			fail_msg("%s on %s: no %s", row[i].name, row[i].cpu,
				sd_role_name(row[i].role));
		assert_near(count->value.value, 1000 * row[i].times, 1e-9);
		assert_int_equal(im.unknown.n, 0);
		sd_import_free(&im);
	}
}

static void a_misspelt_event_is_told_with_the_one_that_was_meant(void **state)
{
	static const struct {
		const char *name, *meant; /* NULL: nothing is near */
	} row[] = {
		{"BUS_REQUEST_OUSTANDING.SELF", "BUS_REQUEST_OUTSTANDING:SELF"},
		{"EXT_SNOOPS.ALL_AGENTS_HITM", "EXT_SNOOP:ALL_AGENTS:HITM"},
		{"EXT_SNOOPS.ALL_AGENTS.HITM", "EXT_SNOOP:ALL_AGENTS:HITM"},
		{"MEM_LOAD_RETIRE.L2_LINE_MISS", "MEM_LOAD_RETIRED:L2_LINE_MISS"},
		{"MEM_LOAD_RETIRE.L2_MISS", "MEM_LOAD_RETIRED:L2_MISS"},
		{"mem_load_retire.l2_miss", "MEM_LOAD_RETIRED:L2_MISS"},
		{"BUS_TRANS_WRB", "BUS_TRANS_WB:SELF"},
		{"L2_LD.LOCK.E_STATE", "L2_LOCK:SELF:E_STATE"},
		{"BR_MISP_EXEC.ALL_BRANCHES", NULL},
		{"UOPS_DISPATCHED_PORT.PORT_0", NULL},
		{"BR_INST_RETIRED.ALL_BRANCHES_PS", NULL},
		{"note", NULL},
	};

	(void)state;
	for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
		struct sd_import im;
		const char *hint;

		assert_int_equal(import(&im, "core2", row[i].name), 0);
		assert_int_equal(im.unknown.n, 1);
		assert_string_equal(im.unknown.text[0], row[i].name);
		hint = sd_event_hint(im.cpu.map, row[i].name);
		if ((hint != NULL) != (row[i].meant != NULL) ||
			(hint && strcmp(hint, row[i].meant) != 0))
			fail_msg("%s: %s", row[i].name, hint ? hint : "nothing");
		sd_import_free(&im);
	}
}

/* An event that is a part of a sum alone is none; with the others it is. */
static void parts_of_a_role_are_told_what_they_need(void **state)
{
	struct sd_import im;
	char why[96];

	(void)state;
	assert_int_equal(import(&im, "core2", "SSE_PRE_EXEC.L2"), 0);
	assert_int_equal(im.unknown.n, 1);
	sd_event_hint_text(im.cpu.map, im.unknown.text[0], why, sizeof why);
	assert_string_equal(why, " (only together with SSE_PRE_EXEC:NTA, SSE_PRE_EXEC:L1)");
	sd_event_hint_text(im.cpu.map, "BUS_TRANS_WRB", why, sizeof why);
	assert_string_equal(why, " (BUS_TRANS_WB:SELF?)");
	sd_event_hint_text(im.cpu.map, "note", why, sizeof why);
	assert_string_equal(why, "");
	sd_import_free(&im);
}

/* LOAD_HIT_PRE of the lines that were prefetched: what of them came too late. */
static void prefetches_of_every_level_are_one_sum(void **state)
{
	static const char table[] =
		"cores,seconds,SSE_PRE_EXEC.NTA,SSE_PRE_EXEC.L1,SSE_PRE_EXEC.L2,LOAD_HIT_PRE\n"
		"1,1,100,200,700,250\n";
	const struct sd_import_text t = {"t", table, sizeof table - 1, NULL};
	struct sd_import im = {.cpu = {&maps, sd_event_map_set_find(&maps, "core2")}};

	(void)state;
	assert_int_equal(sd_import_csv(&im, &t, NULL), 0);
	assert_int_equal(im.unknown.n, 0);
	assert_near(sd_run_role(&im.record.run[0], SD_ROLE_SWPF)->value.value, 1000, 1e-9);
	assert_near(sd_run_role(&im.record.run[0], SD_ROLE_SWPF_HITS)->value.value, 250, 1e-9);
	sd_import_free(&im);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_event_of_the_texts_has_its_role),
		cmocka_unit_test(a_misspelt_event_is_told_with_the_one_that_was_meant),
		cmocka_unit_test(parts_of_a_role_are_told_what_they_need),
		cmocka_unit_test(prefetches_of_every_level_are_one_sum),
	};
	return cmocka_run_group_tests(tests, load_maps, free_maps);
}
