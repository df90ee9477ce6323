/*
 * Finds where a level curve starts to climb: the last count that a set-associative or fully
 * associative table still holds.
 */
#ifndef SD_KNEE_H
#define SD_KNEE_H

#include <stddef.h>

/*
 * The index k of the last of n points (x ascending) before the climb, where two lines fit best by
 * least squares. Before the knee the curve may rise slowly, if others use a few entries; after it,
 * it jumps (all entries of a fully associative table miss), rises more steeply (one set after
 * another overflows), or both. Returns n if there are fewer than 4 points or no climb.
 */
size_t sd_knee(const double *x, const double *y, size_t n);

#endif
