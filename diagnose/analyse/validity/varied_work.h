/*
 * Does the program do the same work in each run? By the CPU time of the reference's runs: other
 * users of a core, its clock and its neighbours change that by less than a different seed does.
 */
#ifndef SD_VARIED_WORK_H
#define SD_VARIED_WORK_H

#include "case/case.h"

/* Fills c->a->varied and says so: what a program's own work makes of its times is no drift of the
 * machine. Only of one core, where no thread waits in a loop for another. */
void sd_varied_work_check(struct sd_case *c);

#endif
