/*
 * How precisely a ratio of medians is known, to decide whether a point needs more runs.
 */
#ifndef SD_PRECISION_H
#define SD_PRECISION_H

#include <stddef.h>
#include <stdint.h>

/*
 * Half the width of the 95 % percentile-bootstrap interval of median(a) / median(b), with runs
 * drawn within each group, as a fraction of the ratio. All values must be positive. Deterministic.
 * Sorts a and b. INFINITY (unknown) if a or b has fewer than 2 values, or out of memory.
 */
double sd_precision_ratio(double *a, size_t n_a, double *b, size_t n_b, uint64_t seed);

#endif
