/*
 * Changes of a layout in languages whose text is not changed here: said as a pattern, in the
 * program's own names.
 */
#ifndef SD_FIX_IDIOMS_H
#define SD_FIX_IDIOMS_H

#include "fix/fix_case.h"

/* Is what lies in c's line declared in such a language? -ENOENT, with the pattern as the reason why
 * there is no diff; 0: it is not. */
int sd_fix_idioms_line(struct sd_fix_case *c);

#endif
