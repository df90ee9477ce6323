/*
 * Waits by Amdahl's law, where nobody looked at the threads: one serial fraction meets the speedup
 * at every count (METHODS 1.9). That is the signature of serial code, and waits of another kind may
 * have it by chance, so that the law makes them possible and nothing sure.
 */
#ifndef SD_IDLE_LAW_H
#define SD_IDLE_LAW_H

#include "case/case.h"

/* Serial code may be all cores that CPU time leaves idle, or none; of another cause nobody knows
 * how many. Says nothing where threads were looked at, CPU time grew, or the law does not hold. */
void sd_idle_law_state(struct sd_case *c, struct sd_finding *f);

#endif
