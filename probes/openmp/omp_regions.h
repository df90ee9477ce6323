/*
 * Reads the logs of the library preloaded into OpenMP programs (trace/omp_log.h). A process may
 * have died while it wrote, and the folder is one that others may write: the bytes are not trusted.
 */
#ifndef SD_OMP_REGIONS_H
#define SD_OMP_REGIONS_H

#include <stddef.h>

#include "record/region_run.h"

struct sd_omp_log;
struct sd_stacks;
struct sd_symbols;

/* Adds the regions of all logs in the folder to *out; their code is named in `stacks` by `symbols`,
 * which know no processes yet (either NULL: it is not). 0 or -ENOMEM. */
int sd_omp_regions_add(const char *folder, struct sd_symbols *symbols, struct sd_stacks *stacks,
	struct sd_region_run *out);

/* Makes a log of `size` bytes what a reader may take it for: its texts end, its rows name modules
 * that there are, no time is longer than any run. 0; -EINVAL: it is none. */
int sd_omp_regions_check(struct sd_omp_log *log, size_t size);

/* Adds those of a checked log; node[i] is the code of row i, 0 unknown. 0 or -ENOMEM. */
int sd_omp_regions_take(
	const struct sd_omp_log *log, const unsigned *node, struct sd_region_run *out);

/* Removes the logs in it, and nothing else. */
void sd_omp_regions_remove(const char *folder);

#endif
