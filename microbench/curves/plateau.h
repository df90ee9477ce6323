/*
 * The levels of a curve that rises in steps: access time over working-set size. A cache or TLB
 * level is a plateau; where the curve climbs from one to the next there is none.
 */
#ifndef SD_PLATEAU_H
#define SD_PLATEAU_H

#include <stddef.h>

struct sd_plateau {
	size_t first, last; /* points of the curve that belong to it */
	double level;       /* median of their y */
};

struct sd_plateau_rule {
	double flat; /* a plateau's largest y is at most (1 + flat) x its smallest */
	double span; /* and its last x at least span x its first */
};

/*
 * The plateaus of the n points (x rising, all x and y > 0), from left to right: the longest run of
 * points that satisfies the rule (by the ratio of its ends), then those left and right of it.
 * Neighbours whose levels differ by no more than `flat` are one. Writes at most `max` (the
 * leftmost) and returns how many there are.
 */
size_t sd_plateau_all(const double *x, const double *y, size_t n, struct sd_plateau_rule rule,
	struct sd_plateau *out, size_t max);

#endif
