/*
 * Which of the bandwidths that were measured is the machine's ceiling.
 */
#ifndef SD_BANDWIDTH_CEILINGS_H
#define SD_BANDWIDTH_CEILINGS_H

#include "bench/kernel.h"

#define SD_CEILING_KERNEL "ceiling"

/*
 * Appends, for each core count and state, the best of the rows from `first` on. A state in which
 * neither the loop that is best in the most frequent state nor one indistinguishable from it was
 * measured, or that was seen for a moment only, has no ceiling, and its row says so. 0 or -ENOMEM.
 */
int sd_bandwidth_ceilings_add(struct sd_bench_rows *rows, size_t first);

#endif
