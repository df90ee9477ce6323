/*
 * Did the machine change while the program was measured? By the first core count, which is run
 * again at the end (an A/A test, METHODS 5).
 */
#ifndef SD_DRIFT_H
#define SD_DRIFT_H

#include "case/case.h"

/* Fills c->a->drift; a drift that matters is said and caps the verdicts. */
void sd_drift_check(struct sd_case *c);

#endif
