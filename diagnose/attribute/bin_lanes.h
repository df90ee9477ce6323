/*
 * A run's lanes cut into equal bins, for the record.
 */
#ifndef SD_BIN_LANES_H
#define SD_BIN_LANES_H

#include "analysis/thread_lanes.h"
#include "record/binned_lanes.h"
#include "record/stacks.h"

/*
 * As many bins as give at most `most` steps in all lanes together; of too many threads those that
 * were on CPUs longest. A function is the innermost one of the program's own code on the stack; the
 * names are texts of `stacks`. *out is NULL if nothing of the run is known. 0 or -ENOMEM.
 */
int sd_bin_lanes(const struct sd_thread_lanes_run *run, const struct sd_stacks *stacks,
	unsigned most, struct sd_binned_lanes **out);

#endif
