#include "analysis/cause_growth.h"

const struct sd_cause_growth sd_cause_growth[SD_CAUSE_COUNT] = {
	[SD_CAUSE_MEMORY_BANDWIDTH] = {.grown = 1},
	[SD_CAUSE_LLC_CAPACITY] = {.grown = 1},
	[SD_CAUSE_DTLB] = {.grown = 1},
	[SD_CAUSE_FALSE_SHARING] = {.grown = 1, .bytes = SD_CAUSE_BYTES_DIFFERENT},
	[SD_CAUSE_TRUE_SHARING] = {.grown = 1, .bytes = SD_CAUSE_BYTES_SAME},
	[SD_CAUSE_BUS_LOCKS] = {.grown = 1},
	[SD_CAUSE_EXTRA_WORK] = {.grown = 1},
	[SD_CAUSE_NUMA] = {.grown = 1},
	[SD_CAUSE_SMT] = {.grown = 1},
	[SD_CAUSE_FREQUENCY] = {.grown = 1},
};
