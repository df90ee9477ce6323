/*
 * Loops of which threads get unequal parts: the schedule of OpenMP's, and blocks that become turns.
 */
#ifndef SD_FIX_LOOPS_H
#define SD_FIX_LOOPS_H

#include "fix/fix_case.h"

/* Gives the loop around a line of a file out in smaller parts. `regions`: of OpenMP, of the run
 * whose costs give the chunk; NULL: none. Returns as sd_fix_kinds_line(). */
int sd_fix_loops_at(struct sd_fix_case *c, const char *file, unsigned line);

#endif
