/*
 * From which core count on more cores stop paying, and which run would tell more.
 */
#ifndef SD_SATURATION_H
#define SD_SATURATION_H

#include "analysis/analysis.h"
#include "runs/machine_borders.h"
#include "prediction/envelope.h"

/* A doubling that gains less than this has stopped paying: METHODS 3, the plateau. */
#define SD_SATURATION_GAIN 1.1

/* Fills stops, stops_low, stops_high and stops_known of the outlook from its counts and the points.
 */
void sd_saturation_fill(struct sd_analysis *a);

/*
 * Fills next_run and next_why: the predicted count itself if the machine can run it; else the count
 * between measured ones that, if its result were the median of the laws, would most narrow the
 * envelope at the largest predicted count. 0 or -ENOMEM.
 */
int sd_saturation_next(const struct sd_record *r, const struct sd_envelope *e,
	const struct sd_reach *reach, struct sd_outlook *o);

#endif
