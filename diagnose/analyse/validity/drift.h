/*
 * Did the machine change while the program was measured? By the first core count, which is run
 * again at the end (an A/A test, METHODS 5).
 */
#ifndef SD_DRIFT_H
#define SD_DRIFT_H

#include "case/case.h"

/* Drift of the first count's time, last against first. */
struct sd_drift {
	enum sd_status status; /* absent: it was not run again, or another count is the reference */
	double all;            /* relative change */
	double own;            /* of it, what the core's other users may not have done */
	double noise;          /* the smallest change that its runs' scatter lets one see */
};

/* 0 or -ENOMEM. */
int sd_drift_measure(const struct sd_case *c, struct sd_drift *out);

/* Fills c->a->drift; a drift that is no noise is said. */
void sd_drift_check(struct sd_case *c);

#endif
