/*
 * Where a curve that was level begins to climb: the last count that a set-associative or a fully
 * associative table still holds.
 */
#ifndef SD_KNEE_H
#define SD_KNEE_H

#include <stddef.h>

/*
 * The largest x[k] of the n points (x rising) that is not yet on the climb. Of all places the one
 * where two lines fit best by least squares: up to it the curve may rise slowly, as where somebody
 * else takes a few entries; after it, it jumps (all entries of a fully associative table miss) or
 * rises more steeply (one set after another overflows), or both. Returns k, or n when there are
 * fewer than 4 points, or nothing climbs.
 */
size_t sd_knee(const double *x, const double *y, size_t n);

#endif
