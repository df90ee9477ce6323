/*
 * Public formulas, each with made-up counts of a CPU's events by their codes: the text is that of
 * its source, over the vendor's names; where it differs by SMT, it is the one for one thread a
 * core.
 */
#ifndef SD_TESTS_PUBLICMETRICS_H
#define SD_TESTS_PUBLICMETRICS_H

#include <stdint.h>

#define WALL 10. /* s; "duration_time" */

struct event {
	const char *name;
	uint64_t code, config1;
	double count;
};

enum { EVENTS = 14 };

/* ---- what a program did on such a core ---- */

/* Sandy Bridge to Cascade Lake, level 1 */
#define LEVEL1                                                                              \
	{"CLKS", 0x3c, 0, 1e9}, {"INST", 0xc0, 0, 1.1e9}, {"UOPS_ISSUED", 0x10e, 0, 1.5e9}, \
		{"RETIRE_SLOTS", 0x2c2, 0, 1.3e9},                                          \
	{                                                                                   \
		"NOT_DELIVERED", 0x19c, 0, .4e9                                             \
	}
#define RECOVERY                          \
	{                                 \
		"RECOVERY", 0x10d, 0, 2e7 \
	}
#define RECOVERY_OLD                          \
	{                                     \
		"RECOVERY", 0x100030d, 0, 2e7 \
	}

/* with nothing, one or two operations executed, and a late or a fast front end */
#define PORTS_SKX                                                                        \
	{"STALLS_TOTAL", 0x40004a3, 0, .40e9}, {"STALLS_MEM_ANY", 0x140014a3, 0, .30e9}, \
		{"PORTS_1", 0x2a6, 0, .12e9},                                            \
	{                                                                                \
		"PORTS_2", 0x4a6, 0, .15e9                                               \
	}
#define STORES_SKX                                  \
	{                                           \
		"BOUND_ON_STORES", 0x40a6, 0, .05e9 \
	}
#define STORES_ICL                                     \
	{                                              \
		"BOUND_ON_STORES", 0x20040a6, 0, .05e9 \
	}
#define PORTS_OLD(code, late)                                                                   \
	{"NO_EXECUTE", 0x40004a3, 0, .40e9}, {"GE_1", (code) | 0x1000000, 0, .60e9},            \
		{"GE_2", (code) | 0x2000000, 0, .45e9}, {"GE_3", (code) | 0x3000000, 0, .25e9}, \
		{"RS_EMPTY", 0x15e, 0, .08e9}, {"CYCLES_0", 0x400019c, 0, late},                \
	{                                                                                       \
		"SB", 0x8a2, 0, .06e9                                                           \
	}

/* the CPU's own split, of 255 */
#define NATIVE                                                                   \
	{"td_retiring", 0x8000, 0, 61}, {"td_bad_spec", 0x8100, 0, 22},          \
		{"td_fe_bound", 0x8200, 0, 48}, {"td_be_bound", 0x8300, 0, 124}, \
		{"td_mem_bound", 0x8700, 0, 90},                                 \
	{                                                                        \
		"SLOTS", 0x400, 0, 6e9                                           \
	}
#define SUM "(td_fe_bound + td_bad_spec + td_retiring + td_be_bound)"

#define FLOPS                                                \
	{"SCALAR", 0x3c7, 0, 3e8}, {"P128D", 0x4c7, 0, 2e8}, \
	{                                                    \
		"FLOPS_4", 0x18c7, 0, 5e7                    \
	}
#define FLOPS_512                       \
	{"FLOPS_8", 0x60c7, 0, 7e7},    \
	{                               \
		"P512S", 0x80c7, 0, 1e7 \
	}

#define ATOM(width, fe, be, ret)                                                                   \
	{"CLKS", 0x3c, 0, 1e9}, {"FE", fe, 0, .2 * (width)*1e9}, {"BE", be, 0, .35 * (width)*1e9}, \
		{"RET", ret, 0, .4 * (width)*1e9},                                                 \
	{                                                                                          \
		"BAD", 0x73, 0, .05 * (width)*1e9                                                  \
	}

#define ZEN(width)                                                                       \
	{"CYC", 0x76, 0, 1e9}, {"DISP", 0x7aa, 0, 2.2e9}, {"RETIRED", 0xc1, 0, 2e9},     \
		{"NO_OPS", 0x1000001a0, 0, .3 * (width)*1e9},                            \
		{"BE_STALLS", 0x100001ea0, 0, .2 * (width)*1e9},                         \
		{"SMT", 0x1000060a0, 0, .05 * (width)*1e9}, {"LOAD_NC", 0xa2d6, 0, 3e8}, \
	{                                                                                \
		"NOT_COMPLETE", 0x2d6, 0, 5e8                                            \
	}

#define NEOVERSE(slots)                                                                 \
	{"CPU_CYCLES", 0x11, 0, 1e9}, {"STALL_SLOT", 0x3f, 0, .60 * (slots)*1e9},       \
		{"FE", 0x3e, 0, .35 * (slots)*1e9}, {"BE", 0x3d, 0, .25 * (slots)*1e9}, \
		{"OP_RETIRED", 0x3a, 0, 1.8e9}, {"OP_SPEC", 0x3b, 0, 2e9},              \
	{                                                                               \
		"BR_MIS_PRED", 0x10, 0, 1e7                                             \
	}

/* ---- public expressions ---- */

#define LINUX "Linux, tools/perf/pmu-events: "
#define FE4 "NOT_DELIVERED / (4 * CLKS)"
#define BAD4 "(UOPS_ISSUED - RETIRE_SLOTS + 4 * RECOVERY) / (4 * CLKS)"
#define RET4 "RETIRE_SLOTS / (4 * CLKS)"
#define BE4 "(1 - (" FE4 " + " BAD4 " + " RET4 "))"
#define BE4_SKX "(1 - " FE4 " - (UOPS_ISSUED + 4 * RECOVERY) / (4 * CLKS))"
#define MEM_SKX(retiring, backend)                                                   \
	"(STALLS_MEM_ANY + BOUND_ON_STORES) / (STALLS_TOTAL + (PORTS_1 + (" retiring \
	") * PORTS_2) + BOUND_ON_STORES) * (" backend ")"
#define MEM_OLD(pending)                                                                        \
	"(min(CLKS, " pending ") + SB) / (min(CLKS, NO_EXECUTE) + GE_1 - (INST / CLKS > 1.8 ? " \
	"GE_3 : GE_2) - (4 * min(CLKS, CYCLES_0) / (4 * CLKS) > 0.1 ? RS_EMPTY : 0) + SB) * " BE4
#define FE_DROP "td_fe_bound / " SUM " - UOP_DROPPING / SLOTS"
#define BE_CLEARS "td_be_bound / " SUM " + 5 * CLEARS / SLOTS"
#define RET "td_retiring / " SUM

#define FAST 2.1e9 /* instructions: more than 1.8 a cycle */

static const struct row {
	const char *family, *metric, *expression, *source;
	struct event event[EVENTS];
} rows[] = {
	/* Skylake, Cascade Lake */
	{"skx", "frontend-bound", FE4, LINUX "skx tma_frontend_bound", {LEVEL1, RECOVERY}},
	{"skx", "retiring", RET4, LINUX "skx tma_retiring", {LEVEL1, RECOVERY}},
	{"skx", "bad-speculation", BAD4, LINUX "skx tma_bad_speculation", {LEVEL1, RECOVERY}},
	{"skx", "backend-bound", BE4_SKX, LINUX "skx tma_backend_bound", {LEVEL1, RECOVERY}},
	{"skx", "memory-bound", MEM_SKX(RET4, BE4_SKX), LINUX "skx tma_memory_bound",
		{LEVEL1, RECOVERY, PORTS_SKX, STORES_SKX}},
	{"skx", "core-bound", BE4_SKX " - " MEM_SKX(RET4, BE4_SKX), LINUX "skx tma_core_bound",
		{LEVEL1, RECOVERY, PORTS_SKX, STORES_SKX}},
	{"skl", "memory-bound", MEM_SKX(RET4, BE4_SKX), LINUX "skl tma_memory_bound",
		{LEVEL1, RECOVERY, PORTS_SKX, STORES_SKX}},
	{"clx", "memory-bound", MEM_SKX(RET4, BE4_SKX), LINUX "clx tma_memory_bound",
		{LEVEL1, RECOVERY, PORTS_SKX, STORES_SKX}},
	{"clx", "few-uops-cycles", "PORTS_1 + " RET4 " * PORTS_2",
		"pmu-tools, clx_server_ratios: Few_Uops_Executed_Threshold",
		{LEVEL1, RECOVERY, PORTS_SKX, STORES_SKX}},
	{"skx", "bandwidth-cycle-share", "min(CLKS, DRD_C4) / CLKS",
		"pmu-tools, skx_server_ratios: MEM_Bandwidth",
		{LEVEL1, {"DRD_C4", 0x4000860, 0, 3e8}}},
	{"bdw_ep", "bandwidth-cycle-share", "min(CLKS, DRD_C4) / CLKS",
		LINUX "bdx tma_mem_bandwidth", {LEVEL1, {"DRD_C4", 0x4000860, 0, 3e8}}},
	{"hsw_ep", "bandwidth-cycle-share", "min(CLKS, DRD_C6) / CLKS",
		LINUX "hsx tma_mem_bandwidth", {LEVEL1, {"DRD_C6", 0x6000860, 0, 3e8}}},
	{"snb", "bandwidth-cycle-share", "min(CLKS, DRD_C6) / CLKS", LINUX "snb tma_mem_bandwidth",
		{LEVEL1, {"DRD_C6", 0x6000860, 0, 3e8}}},
	{"skx", "read-latency", "OUTSTANDING / REQUESTS",
		LINUX "skx tma_info_memory_latency_load_l2_miss_latency",
		{{"OUTSTANDING", 0x160, 0, 9e9}, {"REQUESTS", 0x1b0, 0, 4e7}}},
	{"skx", "flop-rate",
		"(SCALAR + 2 * P128D + 4 * FLOPS_4 + 8 * FLOPS_8 + 16 * P512S) / duration_time",
		LINUX "skx tma_info_core_flopc, per second", {FLOPS, FLOPS_512}},
	{"icx", "flop-rate",
		"(SCALAR + 2 * P128D + 4 * FLOPS_4 + 8 * FLOPS_8 + 16 * P512S) / duration_time",
		LINUX "icx tma_info_core_flopc, per second", {FLOPS, FLOPS_512}},
	{"bdw_ep", "flop-rate", "(SCALAR + 2 * P128D + 4 * FLOPS_4 + 8 * P256S) / duration_time",
		LINUX "bdx tma_info_core_flopc, per second", {FLOPS, {"P256S", 0x20c7, 0, 7e7}}},
	{"skx", "memory-bandwidth", "(RD + WR) * 64 / duration_time",
		"likwid, skylakeX MEM: Memory bandwidth",
		{{"RD", 0x304, 0, 4e9}, {"WR", 0xc04, 0, 1e9}}},
	{"icx", "memory-bandwidth", "(RD + WR) * 64 / duration_time",
		LINUX "icx memory_bandwidth_total",
		{{"RD", 0xf04, 0, 4e9}, {"WR", 0x3004, 0, 1e9}}},
	{"skx", "link-bandwidth", "FLITS * 7.111111111111111 / duration_time",
		LINUX "skx upi_data_transmit_bw", {{"FLITS", 0xf02, 0, 9e9}}},
	{"spr", "link-bandwidth", "FLITS / 9.0 * 64.0 / duration_time",
		"likwid, SPR UPI: Sent data bandwidth", {{"FLITS", 0xf02, 0, 9e9}}},
	{"skx", "cpi", "CLKS / INST", "likwid, CPI", {LEVEL1}},
	{"core2", "cpi", "CLKS / INST", "likwid, core2 CLOCK: CPI",
		{{"CLKS", 0x3c, 0, 3e9}, {"INST", 0xc0, 0, 2e9}}},
	{"hsw_ep", "hitm-per-1000", "1000 * (LOCAL + REMOTE) / INST",
		"likwid, haswellEP FALSE_SHARE, per 1000 instructions",
		{{"INST", 0xc0, 0, 2e9}, {"LOCAL", 0x4d2, 0, 3e6}, {"REMOTE", 0x10d3, 0, 1e6}}},

	/* the texts the method is from */
	{"knc", "read-bandwidth", "(READ_FILL + WRITE_FILL + HWP_L2MISS) * 64 / CLKS",
		"Xeon Phi profiling guide, Memory bandwidth: Read bandwidth",
		{{"CLKS", 0x2a, 0, 4e9}, {"READ_FILL", 0x10f6, 0, 3e7},
			{"WRITE_FILL", 0x10f7, 0, 2e7}, {"HWP_L2MISS", 0x10c4, 0, 1e7}}},
	{"knc", "l1-hit-rate", "(ACCESSES - (MISSES + INFLIGHT)) / ACCESSES",
		"Xeon Phi profiling guide, General cache usage: L1 Hit Rate",
		{{"ACCESSES", 0x28, 0, 1e9}, {"MISSES", 0x29, 0, 3e7}, {"INFLIGHT", 0x20, 0, 3e7}}},
	{"knc", "vectorization-intensity", "ELEMENTS / INSTRUCTIONS",
		"Xeon Phi profiling guide, VPU usage",
		{{"ELEMENTS", 0x2018, 0, 5e9}, {"INSTRUCTIONS", 0x2016, 0, 1e9}}},
	{"core2", "bus-latency", "OUTSTANDING / (BRD - IFETCH)",
		"Core 2 non-scaling paper, Bandwidth: BUS_REQUEST_OUTSTANDING.SELF / "
		"(BUS_TRANS_BRD.SELF - BUS_TRANS_IFETCH.SELF)",
		{{"OUTSTANDING", 0x4060, 0, 5e9}, {"BRD", 0x4065, 0, 6e7},
			{"IFETCH", 0x4068, 0, 1e7}}},
	{"core2", "misses-per-line", "L2_MISS / L2_LINE_MISS",
		"Core 2 non-scaling paper, Individual Cacheline Access",
		{{"L2_MISS", 0x4cb, 0, 5e8}, {"L2_LINE_MISS", 0x8cb, 0, 1e8}}},

	/* Broadwell to Sandy Bridge: slow and fast, with a late front end and without */
	{"bdw_ep", "memory-bound", MEM_OLD("PENDING"), LINUX "bdx tma_memory_bound",
		{LEVEL1, RECOVERY_OLD, PORTS_OLD(0x1b1, 5e7), {"PENDING", 0x60006a3, 0, 3e8}}},
	{"bdw", "memory-bound", MEM_OLD("PENDING"), LINUX "bdw tma_memory_bound, a late front end",
		{LEVEL1, RECOVERY_OLD, PORTS_OLD(0x1b1, 2e8), {"PENDING", 0x60006a3, 0, 3e8}}},
	{"bdw_ep", "memory-bound", MEM_OLD("PENDING"),
		LINUX "bdx tma_memory_bound, many instructions",
		{{"CLKS", 0x3c, 0, 1e9}, {"INST", 0xc0, 0, FAST}, {"UOPS_ISSUED", 0x10e, 0, 2.5e9},
			{"RETIRE_SLOTS", 0x2c2, 0, 2.3e9}, {"NOT_DELIVERED", 0x19c, 0, .4e9},
			RECOVERY_OLD, PORTS_OLD(0x1b1, 5e7), {"PENDING", 0x60006a3, 0, 3e8}}},
	{"hsw", "memory-bound", MEM_OLD("PENDING"), LINUX "hsw tma_memory_bound",
		{LEVEL1, RECOVERY_OLD, PORTS_OLD(0x2b1, 5e7), {"PENDING", 0x60006a3, 0, 3e8}}},
	{"hsw_ep", "memory-bound", MEM_OLD("PENDING"), LINUX "hsx tma_memory_bound",
		{LEVEL1, RECOVERY_OLD, PORTS_OLD(0x2b1, 2e8), {"PENDING", 0x60006a3, 0, 3e8}}},
	{"ivb_ep", "memory-bound", MEM_OLD("PENDING"), LINUX "ivt tma_memory_bound",
		{LEVEL1, RECOVERY_OLD, PORTS_OLD(0x1b1, 5e7), {"PENDING", 0x60006a3, 0, 3e8}}},
	{"snb_ep", "memory-bound", MEM_OLD("L1D_PENDING"), LINUX "jkt tma_memory_bound",
		{LEVEL1, RECOVERY_OLD, PORTS_OLD(0x1b1, 5e7), {"L1D_PENDING", 0x60006a3, 0, 3e8}}},
	{"ivb", "bad-speculation", BAD4, LINUX "ivb tma_bad_speculation", {LEVEL1, RECOVERY_OLD}},

	/* Ice Lake and later */
	{"icx", "frontend-bound", FE_DROP, LINUX "icx tma_frontend_bound",
		{NATIVE, {"UOP_DROPPING", 0x100d, 0, 1e8}}},
	{"icx", "backend-bound", BE_CLEARS, LINUX "icx tma_backend_bound",
		{NATIVE, {"CLEARS", 0x104010d, 0, 2e7}}},
	{"icx", "bad-speculation", "max(1 - (" FE_DROP " + " BE_CLEARS " + " RET "), 0)",
		LINUX "icx tma_bad_speculation",
		{NATIVE, {"CLEARS", 0x104010d, 0, 2e7}, {"UOP_DROPPING", 0x100d, 0, 1e8}}},
	{"icx", "memory-bound", MEM_SKX(RET, BE_CLEARS), LINUX "icx tma_memory_bound",
		{NATIVE, {"CLEARS", 0x104010d, 0, 2e7}, PORTS_SKX, STORES_ICL}},
	{"icx", "core-bound", "max(0, " BE_CLEARS " - " MEM_SKX(RET, BE_CLEARS) ")",
		LINUX "icx tma_core_bound",
		{NATIVE, {"CLEARS", 0x104010d, 0, 2e7}, PORTS_SKX, STORES_ICL}},
	{"icl", "memory-bound", MEM_SKX(RET, BE_CLEARS), LINUX "icl tma_memory_bound",
		{NATIVE, {"CLEARS", 0x104010d, 0, 2e7}, PORTS_SKX, STORES_ICL}},
	{"icl", "retiring", RET, LINUX "icl tma_retiring", {NATIVE}},
	{"icl", "frontend-bound", FE_DROP, LINUX "icl tma_frontend_bound",
		{NATIVE, {"UOP_DROPPING", 0x100d, 0, 1e8}}},
	{"spr", "frontend-bound", FE_DROP, LINUX "spr tma_frontend_bound",
		{NATIVE, {"UOP_DROPPING", 0x10ad, 0, 1e8}}},
	{"spr", "backend-bound", "td_be_bound / " SUM, LINUX "spr tma_backend_bound", {NATIVE}},
	{"spr", "memory-bound", "td_mem_bound / " SUM, LINUX "spr tma_memory_bound", {NATIVE}},
	{"spr", "core-bound", "max(0, td_be_bound / " SUM " - td_mem_bound / " SUM ")",
		LINUX "spr tma_core_bound", {NATIVE}},
	{"gnr", "frontend-bound", FE_DROP, LINUX "gnr tma_frontend_bound",
		{NATIVE, {"UOP_DROPPING", 0x10ad, 0, 1e8}}},
	{"gnr", "memory-bound", "td_mem_bound / " SUM, LINUX "gnr tma_memory_bound", {NATIVE}},
	{"mtl", "frontend-bound", FE_DROP, LINUX "mtl cpu_core tma_frontend_bound",
		{NATIVE, {"UOP_DROPPING", 0x10ad, 0, 1e8}}},
	{"adl", "memory-bound", "td_mem_bound / " SUM, LINUX "adl cpu_core tma_memory_bound",
		{NATIVE}},
	{"lnl", "frontend-bound", "td_fe_bound / " SUM, LINUX "lnl cpu_core tma_frontend_bound",
		{NATIVE}},
	{"arl", "memory-bound", "td_mem_bound / " SUM, LINUX "arl cpu_core tma_memory_bound",
		{NATIVE}},

	/* efficiency cores */
	{"gracemont", "frontend-bound", "FE / (5 * CLKS)", LINUX "adl cpu_atom tma_frontend_bound",
		{ATOM(5, 0x71, 0x74, 0xc2)}},
	{"gracemont", "bad-speculation", "(5 * CLKS - (FE + BE + RET)) / (5 * CLKS)",
		LINUX "adl cpu_atom tma_bad_speculation", {ATOM(5, 0x71, 0x74, 0xc2)}},
	{"gracemont", "load-stall-share", "STALLS / CLKS",
		LINUX "adl cpu_atom tma_info_bottleneck_%_load_miss_bound_cycles",
		{ATOM(5, 0x71, 0x74, 0xc2), {"STALLS", 0x734, 0, 3e8}}},
	{"crestmont", "backend-bound", "BE / (6 * CLKS)", LINUX "mtl cpu_atom tma_backend_bound",
		{ATOM(6, 0x71, 0x74, 0x72)}},
	{"srf", "retiring", "RET / (6 * CLKS)", LINUX "srf tma_retiring",
		{ATOM(6, 0x71, 0x74, 0x72)}},
	{"srf", "bad-speculation", "BAD / (6 * CLKS)", LINUX "srf tma_bad_speculation",
		{ATOM(6, 0x71, 0x74, 0x72)}},
	{"skymont", "backend-bound", "BE / (8 * CLKS)", LINUX "arl cpu_atom tma_backend_bound",
		{ATOM(8, 0x19c, 0x2a4, 0x2c2)}},
	{"skymont", "bad-speculation", "BAD / (8 * CLKS)", LINUX "lnl cpu_atom tma_bad_speculation",
		{ATOM(8, 0x19c, 0x2a4, 0x2c2)}},
	{"tremont", "frontend-bound", "FE / (4 * CLKS)", "pmu-tools, ehl_ratios: Frontend_Bound",
		{ATOM(4, 0x71, 0x74, 0xc2)}},

	/* AMD: their back end is ours without the sibling's slots */
	{"zen4", "frontend-bound", "NO_OPS / (6 * CYC)", LINUX "amdzen4 frontend_bound", {ZEN(6)}},
	{"zen4", "bad-speculation", "(DISP - RETIRED) / (6 * CYC)", LINUX "amdzen4 bad_speculation",
		{ZEN(6)}},
	{"zen4", "smt-contention", "SMT / (6 * CYC)", LINUX "amdzen4 smt_contention", {ZEN(6)}},
	{"zen4", "memory-bound", "BE_STALLS / (6 * CYC) * LOAD_NC / NOT_COMPLETE",
		LINUX "amdzen4 backend_bound_by_memory", {ZEN(6)}},
	{"zen4", "core-bound", "BE_STALLS / (6 * CYC) * (1 - LOAD_NC / NOT_COMPLETE)",
		LINUX "amdzen4 backend_bound_by_cpu", {ZEN(6)}},
	{"zen5", "frontend-bound", "NO_OPS / (8 * CYC)", LINUX "amdzen5 frontend_bound", {ZEN(8)}},
	{"zen5", "memory-bound", "BE_STALLS / (8 * CYC) * LOAD_NC / NOT_COMPLETE",
		LINUX "amdzen5 backend_bound_by_memory", {ZEN(8)}},
	{"zen5", "core-bound", "BE_STALLS / (8 * CYC) * (1 - LOAD_NC / NOT_COMPLETE)",
		LINUX "amdzen5 backend_bound_by_cpu", {ZEN(8)}},
	{"zen6", "retiring", "RETIRED / (8 * CYC)", LINUX "amdzen6 retiring", {ZEN(8)}},
	{"zen6", "core-bound", "BE_STALLS / (8 * CYC) * (1 - LOAD_NC / NOT_COMPLETE)",
		LINUX "amdzen6 backend_bound_by_cpu", {ZEN(8)}},

	/* ARM: up to r0p2, the N2 counts a slot too many in each cycle */
	{"neoverse_n2", "frontend-bound",
		"(FE - CPU_CYCLES) / (CPU_CYCLES * 5) - BR_MIS_PRED / CPU_CYCLES",
		LINUX "neoverse-n2-v2 frontend_bound, r0p0", {NEOVERSE(5)}},
	{"neoverse_n2", "retiring",
		"(OP_RETIRED / OP_SPEC) * (1 - (STALL_SLOT - CPU_CYCLES) / (CPU_CYCLES * 5))",
		LINUX "neoverse-n2-v2 retiring, r0p0", {NEOVERSE(5)}},
	{"neoverse_n2_r0p3", "frontend-bound", "FE / (CPU_CYCLES * 5) - BR_MIS_PRED / CPU_CYCLES",
		LINUX "neoverse-n2-v2 frontend_bound, r0p3", {NEOVERSE(5)}},
	{"neoverse_v2", "frontend-bound", "FE / (CPU_CYCLES * 8) - BR_MIS_PRED / CPU_CYCLES",
		LINUX "neoverse-n2-v2 frontend_bound", {NEOVERSE(8)}},
	{"neoverse_v2", "backend-bound", "BE / (CPU_CYCLES * 8) - BR_MIS_PRED * 3 / CPU_CYCLES",
		LINUX "neoverse-n2-v2 backend_bound", {NEOVERSE(8)}},
	{"neoverse_v2", "bad-speculation",
		"(1 - OP_RETIRED / OP_SPEC) * (1 - STALL_SLOT / (CPU_CYCLES * 8)) + BR_MIS_PRED * "
		"4 / CPU_CYCLES",
		LINUX "neoverse-n2-v2 bad_speculation", {NEOVERSE(8)}},
	{"neoverse_v1", "frontend-bound", "FE / (CPU_CYCLES * 8) - BR_MIS_PRED * 4 / CPU_CYCLES",
		LINUX "neoverse-v1 frontend_bound", {NEOVERSE(8)}},
	{"neoverse_v1", "backend-bound", "BE / (8 * CPU_CYCLES)", LINUX "sbsa backend_bound",
		{NEOVERSE(8)}},
};

#endif
