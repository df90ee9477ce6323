/*
 * One arm of an experiment: the program as it is, or with the experiment's one change.
 */
#ifndef SD_ARM_H
#define SD_ARM_H

#include <stdio.h>

#include "experiment/experiments.h"

/* A pair of runs in progress. */
struct sd_arm_round {
	const struct sd_experiments *x;
	const struct sd_trial *t;
	struct sd_plan *plan;
	struct sd_plan_experiment *e;
	size_t index; /* of it in the plan */
	double deadline;
	char why[400];    /* why it does not work */
	double unended_s; /* set if a changed run was killed after so long; else 0 */
};

#define SD_GIVE_UP(r, ...) snprintf((r)->why, sizeof(r)->why, __VA_ARGS__)

/* Share of the memory free at the start that copies and files may use. */
#define SD_ARM_MEMORY_SHARE .8

/* s; a changed run that takes that many times a plain run's time has said all it can. */
double sd_arm_timeout(const struct sd_arm_round *r, size_t point);

/*
 * Makes a changed run; without the signs of its treatment (treatments.h) in the process that did
 * the work it is given up. `library`: base names of what is preloaded, NULL: nothing. As below.
 */
int sd_arm_witnessed(struct sd_arm_round *r, struct sd_run *run, struct sd_trial_change *change,
	const char *const *library);

/*
 * A second instance of some programs hands its work to the first and ends: then there were no
 * copies, and the experiment is given up.
 */
void sd_arm_judge_copies(struct sd_arm_round *r, const struct sd_run *run);

/* Makes one run; may create run->tried. 0, with r->why if it does not work; -errno. */
int sd_arm_run(struct sd_arm_round *r, struct sd_run *run, enum sd_arm arm);

/* Those that change the machine: the prefetchers, the page cache. */
int sd_arm_prefetchers(struct sd_arm_round *r, struct sd_run *run);
int sd_arm_cached(struct sd_arm_round *r, struct sd_run *run, enum sd_arm arm);

#endif
