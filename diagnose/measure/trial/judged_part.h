/*
 * Cuts a run of which only a part is judged (--region; an MPI program from MPI_Init to
 * MPI_Finalize) to the numbers of that part.
 */
#ifndef SD_JUDGED_PART_H
#define SD_JUDGED_PART_H

#include "record/options.h"
#include "record/run.h"

/*
 * Once everything of the run is measured. The run's own time becomes `whole`. Steal and the
 * CPU time of others are taken to have come as time went by; what was only measured of the whole
 * run, and cannot be divided so, is dropped. A run that never entered the region has the end
 * SD_END_REGION_MISSING.
 */
void sd_judged_part(const struct sd_options *o, struct sd_run *run);

#endif
