/*
 * State of one call of sd_measure(): the plan's parts (measure.c), single runs (measure_run.c) and
 * the time they may take (measure_budget.c) share it.
 */
#ifndef SD_MEASURE_JOB_H
#define SD_MEASURE_JOB_H

#include "measure/elsewhere.h"
#include "measure/measure.h"
#include "measure/record_save.h"
#include "trial/trial.h"

struct sd_measure_job {
	const struct sd_measure *measure;
	struct sd_record *record;
	const struct sd_sink *sink;
	struct sd_trial trial;
	struct sd_record_save own, *save;
	struct sd_elsewhere elsewhere;
	unsigned goes_on; /* runs after whose end its processes went on working */
	int stays;        /* one had none of these */
	unsigned char *need;
	size_t *order;
	double begun; /* s */
	double left;  /* when the run in flight began; < 0 unknown */
	double spare; /* of it, for experiments that may not be needed */
	double walls; /* sum of the runs of this job */
	size_t runs;  /* of this job */
	struct sd_progress shown;
	char *glance; /* owned; shown */
	char why[64];
	struct sd_pass_list first;           /* passes that runs count before others */
	const struct sd_run_choice *expects; /* of the next run, the first of a step; NULL: it is
						due in any case */
};

#endif
