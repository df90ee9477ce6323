/*
 * Sums that OpenMP guards by `atomic` or `critical`, which become the reduction of the loop around;
 * others that are atomic become counts of each thread (fix_counts.h).
 */
#ifndef SD_FIX_SUMS_H
#define SD_FIX_SUMS_H

#include "fix/fix_case.h"

/* The sum at a line of a file; `view` and `layout` are not looked at. Returns as
 * sd_fix_kinds_line(). */
int sd_fix_sums_at(struct sd_fix_case *c, const char *file, unsigned line);

/* That of the code which writes c's line by atomic accesses most, without adding it to the sources.
 * Likewise. */
int sd_fix_sums_line(struct sd_fix_case *c);

#endif
