/*
 * Which run of a point keeps the lanes of its threads: one is enough to look at.
 */
#ifndef SD_TYPICAL_LANES_H
#define SD_TYPICAL_LANES_H

#include "record/record.h"

/* Keeps the lanes of one of the point's runs, the one nearest to the point's median time; a run
 * that failed keeps none. */
void sd_typical_lanes_keep(struct sd_record *r, size_t point);

#endif
