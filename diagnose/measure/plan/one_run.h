/*
 * Worth of one run to the plan, by itself.
 */
#ifndef SD_ONE_RUN_H
#define SD_ONE_RUN_H

#include <stddef.h>

#include "record/run.h"

/* A line-transfer time that differs by this factor is another machine state (DESIGN 9: factors of 2
 * to 5 have been observed; the probe itself is reproducible to a few percent). */
#define SD_ONE_RUN_STATE 1.6

/* Did the program end well in this run? */
int sd_one_run_good(const struct sd_run *run);

/* Was the machine in another state after the run than before? */
int sd_one_run_mixed(const struct sd_run *run);

/* Is it a good run of the point in a block? */
int sd_one_run_counts(const struct sd_run *run, size_t point);

#endif
