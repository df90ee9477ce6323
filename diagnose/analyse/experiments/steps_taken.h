/*
 * The steps that were run, in their order, with what was expected of each: a pure function of the
 * record.
 */
#ifndef SD_STEPS_TAKEN_H
#define SD_STEPS_TAKEN_H

#include "analysis/analysis.h"
#include "record/record.h"

/* Fills a->step: runs of one kind, of one experiment, that were due or were chosen for the same
 * cause and followed each other are one row. 0 or -ENOMEM. */
int sd_steps_taken_fill(const struct sd_record *r, struct sd_analysis *a);

#endif
