/*
 * What the first runs suggest, for the one who waits: a stack of a line and a suspect.
 */
#ifndef SD_FIRST_LOOK_H
#define SD_FIRST_LOOK_H

#include "record/record.h"

/* For struct sd_measure's `glance`; `ctx` is a struct sd_config_tables. Two lines of text; NULL:
 * nothing can be said yet. */
char *sd_first_look(void *ctx, const struct sd_record *record);

#endif
