/*
 * One run as the plan wants it: prepared, between two looks at the machine's state, tried again
 * when the machine changed, and judged.
 */
#ifndef SD_TRIAL_H
#define SD_TRIAL_H

#include "measure.h"
#include "rate.h"

/* What all runs share. */
struct sd_trial {
	const struct sd_measure *measure;
	const struct sd_record *record;
	struct sd_stacks *stacks; /* the record's: grows by what the runs' probes name */
	const struct sd_sink *sink;
	struct sd_rate rate;
	int has_rate;
	char **prepare; /* words, {n} not replaced; NULL = none */
	/* beside the record; owned */
	char *stdout_path, *stderr_path, *prepare_stdout_path, *prepare_stderr_path;
	char *simulation_path; /* what the software PMU's plugin writes; gone after each run */
	void (*progress)(void *ctx, double seconds); /* of the run in flight; or NULL */
	void *progress_ctx;
};

/* Checks --rate and --prepare. 0; -EINVAL said; -ENOMEM. */
int sd_trial_open(struct sd_trial *t, const struct sd_measure *m, const struct sd_record *record,
	const struct sd_sink *sink);
void sd_trial_close(struct sd_trial *t); /* accepts the zeroed value */

/*
 * Fills *run, all of it; run->point, kind and block are the caller's. Tries again at most twice
 * when the machine changed its state, while `deadline` (CLOCK_MONOTONIC, s; 0 = none) leaves room
 * for another try. 0: measured, well or not; -errno as sd_launch(), -ECANCELED when --prepare
 * failed or could not be started (said); *run is empty then.
 */
int sd_trial_run(const struct sd_trial *t, struct sd_run *run, double deadline);

/* Says that the program failed in this run, how, and where its output is. */
void sd_trial_say_failure(const struct sd_trial *t, const struct sd_run *run);

#endif
