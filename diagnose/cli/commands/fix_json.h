/*
 * The changes that a record asks for, and what came of trying them, as one object.
 */
#ifndef SD_FIX_JSON_H
#define SD_FIX_JSON_H

#include <stdio.h>

#include "commands/fix_try.h"

/* `try` is null where nothing was tried. 0, -EIO or -ENOMEM. */
int sd_fix_json(FILE *f, const struct sd_fix_trial *t);

#endif
