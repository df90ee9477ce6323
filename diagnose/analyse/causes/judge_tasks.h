/*
 * Tasks that are too small: making them, handing them out and waiting for the next takes longer
 * than they do.
 */
#ifndef SD_JUDGE_TASKS_H
#define SD_JUDGE_TASKS_H

#include "case/rule.h"

/* A verdict on barrier overhead where the above is so: 1 and *verdict, with cores and evidence in
 * *f; else 0. */
int sd_judge_tasks_judge(
	struct sd_case *c, const struct sd_rule *r, struct sd_finding *f, enum sd_verdict *verdict);

/* Causes that have most of theirs in such code are possible at most, and say where to look. */
void sd_judge_tasks_settle(struct sd_case *c);

#endif
