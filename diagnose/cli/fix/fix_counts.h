/*
 * Counts that threads share and add to in a loop by atomic operations: each thread adds up by
 * itself, and once to the shared one behind the loop.
 */
#ifndef SD_FIX_COUNTS_H
#define SD_FIX_COUNTS_H

#include "fix/fix_case.h"

/* That at a line of a file. `bytes`: of the object that is counted in, 0 unknown. Adds steps to c,
 * which the caller commits. 0, -ENOENT with the reason, -ENOMEM. */
int sd_fix_counts_at(struct sd_fix_case *c, const char *file, unsigned line, uint64_t bytes);

#endif
