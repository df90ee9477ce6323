/*
 * The functions in which most of something is.
 */
#ifndef SD_TOP_FUNCTIONS_H
#define SD_TOP_FUNCTIONS_H

#include "analysis/analysis.h"
#include "hotspots/code_places.h"

/*
 * At most `most` functions, those with the largest sums of weight[spot], most first, and none with
 * less than `least` of `all`; each with its heaviest line, with the function that it called and the
 * one that called it where these are of more than half of its weight. Shares are of `all`; 0: of
 * the sum of all functions above 0 and of weight[0], what has no stack. 0 or -ENOMEM; what is in
 * *out is to be freed in every case.
 */
int sd_top_functions(const struct sd_code_places *p, const double *weight, double all, double least,
	size_t most, struct sd_where **out, size_t *n);

#endif
