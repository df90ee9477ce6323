/*
 * Compares the working sets of a simulated run, from its reuse distances, with the last-level
 * cache.
 */
#ifndef SD_WORKING_SETS_H
#define SD_WORKING_SETS_H

#include "analysis/contested_lines.h"

/* Fills share, llc and set of *out, whose `simulated` and `cores` are set. 0 or -ENOMEM. */
int sd_working_sets(struct sd_contested_lines *out);

#endif
