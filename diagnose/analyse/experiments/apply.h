/*
 * Statements from experiments: a cause owns the time that goes with it when it is taken away, or
 * comes when the like is added; it does not own the time that stays (METHODS 2.3 and 5).
 */
#ifndef SD_APPLY_H
#define SD_APPLY_H

#include "case/case.h"

/* After all other sources, before the ledger: finding[i] is cause i's. Fills a->tested's loss and
 * seen, and a->growth. */
void sd_apply(struct sd_case *c);

#endif
