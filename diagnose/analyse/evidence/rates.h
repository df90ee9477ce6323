/*
 * Sentences and numbers that the evidence of several causes shares.
 */
#ifndef SD_RATES_H
#define SD_RATES_H

#include "case/case.h"

/* Cores of the last point that spun for that; 0 without samples. */
double sd_rates_cores_spun(const struct sd_case *c, enum sd_part part);

/* If sampled, adds how much of a part was spent spinning, and for `what`. */
void sd_rates_spun(struct sd_case *c, struct sd_finding *f, enum sd_part part, const char *what);

/* Adds a rate at the reference and at the last point if both were measured. */
void sd_rates_say(struct sd_case *c, struct sd_finding *f, enum sd_metric metric, const char *what);

#endif
