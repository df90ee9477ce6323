/*
 * What experiments state: what moves the time when it is taken away, or the like of it added, is
 * surely the cause's; what does not is not (METHODS 2.3 and 5).
 */
#ifndef SD_APPLY_H
#define SD_APPLY_H

#include "case/case.h"

/* After all other sources, before the ledger: finding[i] is cause i's. Fills a->tested's loss and
 * seen, and a->growth. */
void sd_apply(struct sd_case *c);

#endif
