/*
 * CPU times of runs that have none, from their cycles: METHODS 6.4.
 */
#ifndef SD_CYCLE_TIMES_H
#define SD_CYCLE_TIMES_H

#include "import/import.h"

/*
 * Makes CPU times where no run has them and every run has its cycles: cycles at a fixed rate if
 * they are there, else core cycles, at the rate that leaves the cores of the smallest count busy
 * throughout, but for the waits that the file says. Said, and marked in the runs. 0 or -ENOMEM.
 */
int sd_cycle_times(struct sd_import *im, const struct sd_sink *sink);

#endif
