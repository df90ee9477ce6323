/*
 * Names the processes that disturbed the runs, in a warning.
 */
#ifndef SD_NAMED_NEIGHBOURS_H
#define SD_NAMED_NEIGHBOURS_H

#include "case/case.h"

/* Nothing where none was seen. */
void sd_named_neighbours_warn(struct sd_case *c);

#endif
