/*
 * A program that limits the arenas of its allocator itself, so that its threads meet there.
 */
#ifndef SD_FIX_ARENAS_H
#define SD_FIX_ARENAS_H

#include "fix/fix_case.h"

/* Takes the limit away, wherever the sources of the record's code set it. Returns as
 * sd_fix_kinds_line(). */
int sd_fix_arenas(struct sd_fix_case *c);

#endif
