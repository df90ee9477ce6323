/*
 * The verdicts, from the causes' rows (METHODS 3 and 5).
 */
#ifndef SD_JUDGE_H
#define SD_JUDGE_H

#include "case/rule.h"

/* Judges every cause by what the runs show: fills c->a->finding, by cause. */
void sd_judge_all(struct sd_case *c);

/* After the experiments and the ledger had their say: advice, next steps and `undecided`. */
void sd_judge_rank(struct sd_case *c);

#endif
