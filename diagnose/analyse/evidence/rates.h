/*
 * Two sentences that the evidence of several causes shares.
 */
#ifndef SD_RATES_H
#define SD_RATES_H

#include "case/case.h"

/* Says, when samples saw it, that so much of a part was spent spinning: `what` for. */
void sd_rates_spun(struct sd_case *c, struct sd_finding *f, enum sd_part part, const char *what);

/* Says a rate at the reference and at the last point, when both were measured. */
void sd_rates_say(struct sd_case *c, struct sd_finding *f, enum sd_metric metric, const char *what);

#endif
