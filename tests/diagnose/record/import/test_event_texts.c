/* The events that texts on performance counters name, each with the role that it has on its CPU: D.
 * Levinthal on Core 2, lectures on top-down analysis, Intel's guide to General Exploration. Names
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
		{"BUS_TRANS_WRB", NULL},
		{"L2_LD.LOCK.E_STATE", NULL},
		{"SSE_PRE_EXEC.L2", NULL},
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_event_of_the_texts_has_its_role),
		cmocka_unit_test(a_misspelt_event_is_told_with_the_one_that_was_meant),
	};
	return cmocka_run_group_tests(tests, load_maps, free_maps);
}
