/*
 * The formulas of the texts that the method is from, by their events' names as printed there: a
 * table with these columns is imported, and its metric has the value that was worked out by hand.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>
#include "support/near.h"

#include "diagnose/record/import/loaded_maps.h"
#include "import/import.h"
#include "support/counted_record.h"

/* One run of 10 s on one core, which works all the time, has these counts. */
struct row {
	const char *cpu, *events, *counts, *metric;
	double value;
	int over; /* the text: worth a look */
};

/* clang-format off */
static const struct row rows[] = {
	/* Core 2 non-scaling: cycles, the bus and its parts */
	{"core2", "CPU_CLK_UNHALTED.CORE,INST_RETIRED.ANY", "24e9,12e9", "cpi", 2, 1},
	{"core2", "BUS_TRANS_BURST.ALL_AGENTS,CPU_CLK_UNHALTED.CORE", "48e7,24e9", "cacheline-bandwidth", 3.072e9, 0},
	{"core2", "BUS_TRANS_BURST.ALL_AGENTS,CPU_CLK_UNHALTED.CORE", "48e7,24e9", "appetite", .02, 0},
	{"core2", "BUS_DRDY_CLOCKS.ALL_AGENTS,CPU_CLK_UNHALTED.BUS", "24e8,32e8", "bus-utilisation", .75, 1},
	{"core2", "BUS_REQUEST_OUTSTANDING.SELF,BUS_TRANS_BRD.SELF,BUS_TRANS_IFETCH.SELF", "5e9,6e7,1e7", "bus-latency", 100, 0},
	{"core2", "BUS_TRANS_MEM.SELF,BUS_TRANS_ANY.SELF", "9e7,1e8", "bus-memory-share", .9, 0},
	{"core2", "BUS_TRANS_BURST.SELF,BUS_TRANS_MEM.SELF", "6e7,8e7", "bus-line-share", .75, 0},
	{"core2", "BUS_TRANS_BRD.SELF,BUS_TRANS_BURST.SELF", "4e7,8e7", "bus-read-share", .5, 0},
	{"core2", "BUS_TRANS_IFETCH.SELF,BUS_TRANS_BRD.SELF", "8e6,4e7", "bus-ifetch-share", .2, 1},
	{"core2", "BUS_TRANS_RFO.SELF,BUS_TRANS_BURST.SELF", "3e7,8e7", "rfo-share", .375, 1},
	{"core2", "BUS_TRANS_WB.SELF,BUS_TRANS_BURST.SELF", "1e7,8e7", "bus-writeback-share", .125, 0},
	/* prefetches */
	{"core2", "SSE_PRE_EXEC.NTA,SSE_PRE_EXEC.L1,SSE_PRE_EXEC.L2,LOAD_HIT_PRE", "1e6,2e6,7e6,25e5", "late-prefetch-share", .25, 1},
	{"core2", "L2_LD.SELF.PREFETCH,CPU_CLK_UNHALTED.CORE", "1e6,24e9", "l2-prefetchers-on", 1, 0},
	{"core2", "L1D_PREFETCH.REQUESTS,CPU_CLK_UNHALTED.CORE", "1e3,24e9", "l1d-prefetchers-on", 0, 0},
	/* capacity, pages */
	{"core2", "L2_LINES_IN.SELF.ANY,INST_RETIRED.ANY", "6e7,12e9", "lines-per-instruction", .005, 0},
	{"core2", "DTLB_MISSES.ANY,INST_RETIRED.ANY", "24e6,12e9", "dtlb-walks-per-1000", 2, 0},
	/* single lines */
	{"core2", "EXT_SNOOP.ALL_AGENTS.HITM,INST_RETIRED.ANY", "6e6,12e9", "hitm-per-1000", .5, 0},
	{"core2", "BUS_HITM_DRV,INST_RETIRED.ANY", "6e6,12e9", "hitm-per-1000", .5, 0},
	{"core2", "MEM_LOAD_RETIRED.L2_MISS,MEM_LOAD_RETIRED.L2_LINE_MISS", "5e8,1e8", "misses-per-line", 5, 1},
	{"core2", "MEM_LOAD_RETIRED.L2_LINE_MISS,BUS_TRANS_BURST.SELF", "1e6,8e7", "line-misses-per-bus-line", .0125, 0},
	{"core2", "L2_LD.SELF.E_STATE,L2_LD.SELF.MESI", "1e7,4e7", "l2-loads-exclusive", .25, 0},
	{"core2", "L2_LD.SELF.S_STATE,L2_LD.SELF.MESI", "2e7,4e7", "l2-loads-shared", .5, 0},
	{"core2", "L2_LD.SELF.I_STATE,L2_LD.SELF.MESI", "5e6,4e7", "l2-loads-invalid", .125, 0},
	{"core2", "L2_LOCK.SELF.E_STATE,L2_LOCK.SELF.MESI", "1e6,4e6", "locks-exclusive", .25, 0},
	{"core2", "L2_LOCK.SELF.M_STATE,L2_LOCK.SELF.MESI", "2e6,4e6", "locks-modified", .5, 0},
	{"core2", "L2_LOCK.SELF.E_STATE,L2_LOCK.SELF.M_STATE,INST_RETIRED.ANY", "1e6,5e6,12e9", "locks-taken-per-1000", .5, 0},
	/* the lecture and General Exploration: N is 4 slots a clock */
	{"ivb_ep", "CPU_CLK_UNHALTED.THREAD,INST_RETIRED.ANY", "20392030588,37218055827", "cpi", .5479069, 0},
	{"snb", "CPU_CLK_UNHALTED.THREAD,IDQ_UOPS_NOT_DELIVERED.CORE", "1e9,1e9", "frontend-bound", .25, 1},
	{"snb", "CPU_CLK_UNHALTED.THREAD,UOPS_RETIRED.RETIRE_SLOTS", "1e9,2e9", "retiring", .5, 0},
	{"snb", "CPU_CLK_UNHALTED.THREAD,UOPS_ISSUED.ANY,UOPS_RETIRED.RETIRE_SLOTS,INT_MISC.RECOVERY_CYCLES", "1e9,22e8,2e9,5e7", "bad-speculation", .1, 0},
	{"snb", "CPU_CLK_UNHALTED.THREAD,IDQ_UOPS_NOT_DELIVERED.CORE,UOPS_ISSUED.ANY,UOPS_RETIRED.RETIRE_SLOTS,INT_MISC.RECOVERY_CYCLES", "1e9,5e8,22e8,2e9,5e7", "backend-bound", .275, 1},
	/* Xeon Phi: efficiency */
	{"knc", "CPU_CLK_UNHALTED,INSTRUCTIONS_EXECUTED", "12e8,6e8", "cpi", 2, 0},
	{"knc", "VPU_ELEMENTS_ACTIVE,DATA_READ_OR_WRITE,VPU_INSTRUCTIONS_EXECUTED", "3e9,1e9,5e8", "l1-compute-ratio", 3, 1},
	{"knc", "VPU_ELEMENTS_ACTIVE,DATA_READ_MISS_OR_WRITE_MISS,DATA_READ_OR_WRITE", "3e9,2e7,1e9", "l2-compute-ratio", 150, 1},
	/* and what may be wrong */
	{"knc", "DATA_READ_OR_WRITE,DATA_READ_MISS_OR_WRITE_MISS,L1_DATA_HIT_INFLIGHT_PF1", "1e9,6e7,4e7", "l1-hit-rate", .9, 1},
	{"knc", "CPU_CLK_UNHALTED,EXEC_STAGE_CYCLES,DATA_READ_OR_WRITE,DATA_READ_MISS_OR_WRITE_MISS", "5e9,2e9,1e9,1e7", "latency-impact", 200, 1},
	{"knc", "DATA_PAGE_WALK,DATA_READ_OR_WRITE", "2e7,1e9", "l1-tlb-miss-ratio", .02, 1},
	{"knc", "LONG_DATA_PAGE_WALK,DATA_READ_OR_WRITE", "2e6,1e9", "l2-tlb-miss-ratio", .002, 1},
	{"knc", "DATA_PAGE_WALK,LONG_DATA_PAGE_WALK", "2e7,16e6", "tlb-miss-levels", 1.25, 1},
	{"knc", "VPU_ELEMENTS_ACTIVE,VPU_INSTRUCTIONS_EXECUTED", "6e9,1e9", "vectorization-intensity", 6, 1},
	{"knc", "L2_DATA_READ_MISS_MEM_FILL,L2_DATA_WRITE_MISS_MEM_FILL,HWP_L2MISS,CPU_CLK_UNHALTED", "3e7,2e7,1e7,4e9", "read-bandwidth", .96, 0},
	{"knc", "L2_VICTIM_REQ_WITH_DATA,SNP_HITM_L2,CPU_CLK_UNHALTED", "4e7,1e7,4e9", "write-bandwidth", .8, 0},
	{"knc", "L2_DATA_READ_MISS_MEM_FILL,L2_DATA_WRITE_MISS_MEM_FILL,HWP_L2MISS,L2_VICTIM_REQ_WITH_DATA,SNP_HITM_L2,CPU_CLK_UNHALTED", "3e7,2e7,1e7,4e7,1e7,4e9", "memory-bandwidth", 7.04e8, 1},
	{"knc", "L2_DATA_READ_MISS_CACHE_FILL,L2_DATA_WRITE_MISS_CACHE_FILL,INSTRUCTIONS_EXECUTED", "4e6,2e6,3e9", "hitm-per-1000", 2, 0},
};
/* clang-format on */

static void expect(const struct row *row, const struct sd_formula_tables *f)
{
	char text[1024];
	struct sd_import im = {.cpu = {&maps, sd_event_map_set_find(&maps, row->cpu)}};
	struct sd_import_text t = {"t", text, 0, NULL};
	const struct sd_shown *s;
	struct sd_analysis a;

	snprintf(text, sizeof text, "cores,seconds,user,system,%s\n1,10,10,0,%s\n", row->events,
		row->counts);
	t.size = strlen(text);
	assert_int_equal(sd_import_csv(&im, &t, NULL), 0);
	if (im.unknown.n)
		fail_msg("%s: %s is no event", row->metric, im.unknown.text[0]);
	assert_int_equal(sd_import_finish(&im, "t", NULL), 0);
	assert_int_equal(sd_analyse(&im.record, f, NULL, &a), 0);
	s = shown_of(&a.point[0], row->metric);
	if (!s)
		fail_msg("%s of %s is not there", row->metric, row->events);
	if (!(fabs(s->value.value - row->value) <= 1e-6 * row->value) || s->over != row->over)
		fail_msg("%s of %s is %.9g%s", row->metric, row->events, s->value.value,
			s->over ? ", and worth a look" : "");
	sd_analysis_free(&a);
	sd_import_free(&im);
}

static void each_formula_of_the_texts_has_the_value_worked_out_by_hand(void **state)
{
	struct sd_formula_tables f;

	(void)state;
	load_tables(&f);
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		expect(&rows[i], &f);
	sd_formula_tables_free(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_formula_of_the_texts_has_the_value_worked_out_by_hand),
	};

	return cmocka_run_group_tests(tests, load_maps, free_maps);
}
