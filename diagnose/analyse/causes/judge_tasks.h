/*
 * Tasks that are too small: making them, handing them out and waiting for the next takes longer
 * than they do.
 */
#ifndef SD_JUDGE_TASKS_H
#define SD_JUDGE_TASKS_H

#include "causes/judge.h"

/* Is more than half of what is lost at barriers and around tasks in the code of a runtime that
 * makes tasks and hands them out, and does that matter? Then barrier overhead (too fine a grain) is
 * all of it, and what the runtime loses by its own locks, lines and memory is no other cause's. */
int sd_judge_tasks_is(const struct sd_case *c);

/* A verdict on barrier overhead where the above is so: 1 and *verdict, with cores and evidence in
 * *f; else 0. */
int sd_judge_tasks_judge(
	struct sd_case *c, const struct sd_rule *r, struct sd_finding *f, enum sd_verdict *verdict);

/* Causes that have most of theirs in such code are possible at most, and say where to look. */
void sd_judge_tasks_settle(struct sd_case *c);

#endif
