/*
 * Finds the levels of a curve that rises in steps, such as access time over working-set size. A
 * cache or TLB level is a plateau; the climbs between are not.
 */
#ifndef SD_PLATEAU_H
#define SD_PLATEAU_H

#include <stddef.h>

struct sd_plateau {
	size_t first, last; /* its points of the curve */
	double level;       /* median of their y */
};

struct sd_plateau_rule {
	double flat; /* a plateau's largest y is at most (1 + flat) x its smallest */
	double span; /* and its last x at least span x its first */
};

/*
 * The plateaus of n points (x ascending, all x and y > 0), from left to right: the longest run of
 * points (by the ratio of its ends) that satisfies the rule, then recursively those left and right
 * of it. Neighbours whose levels differ by at most `flat` are merged. Writes at most `max` (the
 * leftmost) and returns the total number.
 */
size_t sd_plateau_all(const double *x, const double *y, size_t n, struct sd_plateau_rule rule,
	struct sd_plateau *out, size_t max);

#endif
