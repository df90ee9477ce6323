/*
 * What experiments do to the verdicts: a cause that moves the time when it is taken away, or the
 * like of it added, is confirmed; one that does not is ruled out (METHODS 2.3 and 5).
 */
#ifndef SD_APPLY_H
#define SD_APPLY_H

#include "case/case.h"

/* After the rules, before the findings are sorted: finding[i] is cause i's. Fills a->tested's loss
 * and seen, and a->growth. */
void sd_apply(struct sd_case *c);

#endif
