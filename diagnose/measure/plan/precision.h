/*
 * How well a ratio of medians is known: when does a point need more runs?
 */
#ifndef SD_PRECISION_H
#define SD_PRECISION_H

#include <stddef.h>
#include <stdint.h>

/*
 * Half the width of the 95 % percentile-bootstrap interval of median(a) / median(b), runs drawn
 * within each, as a fraction of the ratio. All values above 0. The same input gives the
 * same result. Sorts a and b. INFINITY when a or b has fewer than 2 values, or without memory: not
 * known.
 */
double sd_precision_ratio(double *a, size_t n_a, double *b, size_t n_b, uint64_t seed);

#endif
