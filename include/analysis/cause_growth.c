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

enum sd_cause sd_cause_growth_writing(enum sd_cause_bytes bytes)
{
	int i = 0;

	while (i < SD_CAUSE_COUNT && (!bytes || sd_cause_growth[i].bytes != bytes))
		i++;
	return (enum sd_cause)i;
}
