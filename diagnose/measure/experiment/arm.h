/*
 * One arm of an experiment: the program as it is, or with the one thing changed that the experiment
 * is about.
 */
#ifndef SD_ARM_H
#define SD_ARM_H

#include <stdio.h>

#include "experiment/experiments.h"

/* A pair of runs in the making. */
struct sd_arm_round {
	const struct sd_experiments *x;
	const struct sd_trial *t;
	struct sd_plan *plan;
	struct sd_plan_experiment *e;
	size_t index; /* of it in the plan */
	double deadline;
	char why[400];    /* it does not work: the reason */
	double unended_s; /* because a changed run was ended after so long; else 0 */
};

#define SD_GIVE_UP(r, ...) snprintf((r)->why, sizeof(r)->why, __VA_ARGS__)

/* Copies and files may take this much of the memory that was free at the start. */
#define SD_ARM_MEMORY_SHARE .8

/* s; a changed run that takes so many times a plain one's time says all that it can say. */
double sd_arm_timeout(const struct sd_arm_round *r, size_t point);

/* One run; may begin run->tried. 0, with r->why where it does not work; -errno. */
int sd_arm_run(struct sd_arm_round *r, struct sd_run *run, enum sd_arm arm);

/* Those that change the machine: the prefetchers, the page cache. */
int sd_arm_prefetchers(struct sd_arm_round *r, struct sd_run *run);
int sd_arm_cached(struct sd_arm_round *r, struct sd_run *run, enum sd_arm arm);

#endif
