/*
 * One run of a job: done, put into the record and its file, and looked at for work that is done
 * outside the process tree.
 */
#ifndef SD_MEASURE_RUN_H
#define SD_MEASURE_RUN_H

#include "measure/measure_job.h"

/* Does one run, records and writes it. -ECHILD if the program failed in it; reported, except for an
 * emulated run. -ENOTSUP, reported: the work is not done by its processes. Any other error as of
 * sd_trial_run(). */
int sd_measure_run_once(
	struct sd_measure_job *j, size_t point, enum sd_run_kind kind, unsigned block);

/* Runs the first count once, which counts nowhere, unless the program runs already or the machine
 * is a modelled one, which are warm; then the passes may change (struct sd_measure). As above. */
int sd_measure_run_warm_up(struct sd_measure_job *j);

/* Adds a run to the record and its file; owns it from then on, on an error too. A failed simulation
 * is recorded as missing; otherwise it would read as one that found nothing. */
int sd_measure_run_add(struct sd_measure_job *j, struct sd_run *run);

/* Shows the progress after so many seconds of the run; `ctx` is the job. */
void sd_measure_run_show(void *ctx, double seconds);

/* Warns if the work may be done outside the tree, but too few runs tell. 0 or -ENOMEM. */
int sd_measure_run_warn_elsewhere(struct sd_measure_job *j);

#endif
