/*
 * Sections that a lock guards, which become shorter: what touches nothing that threads share is
 * done before the lock is taken, or after it is given back.
 */
#ifndef SD_FIX_SECTIONS_H
#define SD_FIX_SECTIONS_H

#include "fix/fix_case.h"

/* Shortens the section around a line of a file, `critical` of OpenMP too. Returns as
 * sd_fix_kinds_line(). */
int sd_fix_sections_at(struct sd_fix_case *c, const char *file, unsigned line);

#endif
