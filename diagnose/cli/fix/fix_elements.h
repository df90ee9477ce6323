/*
 * Elements of an array of which threads use different ones: they get lines of their own.
 */
#ifndef SD_FIX_ELEMENTS_H
#define SD_FIX_ELEMENTS_H

#include "fix/fix_case.h"

/* Adds the steps to the case: structures are aligned, or padded where an allocator gives them;
 * numbers become structures, or lie further apart. 0; -ENOENT with the reason; -ENOMEM. */
int sd_fix_elements_part(struct sd_fix_case *c);

#endif
