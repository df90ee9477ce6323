/*
 * A program whose times are the same at every count: may it run for a fixed time?
 */
#ifndef SD_FIXED_TIME_H
#define SD_FIXED_TIME_H

#include "case/case.h"

/*
 * Sets c->fixed_time, and warns, where the wall time is the same to 1 % at the first and the
 * largest count, varies no more than a timer's, and the CPU time grows with the cores: nothing is
 * said to be lost then. Counts that do not grow (instructions, lines of memory) show that the work
 * is fixed.
 */
void sd_fixed_time_check(struct sd_case *c);

#endif
