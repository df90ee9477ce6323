/*
 * The changes of a layout that can be said exactly, from a contested line and the sources: a table
 * of them by kind. What cannot be said exactly is refused with the reason.
 */
#ifndef SD_FIX_KINDS_H
#define SD_FIX_KINDS_H

#include "fix/fix_case.h"

/*
 * Finds the change that ends the sharing of c's line, and adds it to the sources. 0; -ENOENT: none
 * that can be said exactly, and why; -ENOMEM. The first four members are to be set, the others
 * zeroed.
 */
int sd_fix_kinds_line(struct sd_fix_case *c);

#endif
