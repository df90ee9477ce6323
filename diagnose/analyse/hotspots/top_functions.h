/*
 * The functions with the largest share of a quantity.
 */
#ifndef SD_TOP_FUNCTIONS_H
#define SD_TOP_FUNCTIONS_H

#include "analysis/analysis.h"
#include "hotspots/code_places.h"

/*
 * The functions with the largest sums of weight[spot], most first: at most `most`, each with at
 * least `least` of `all`. Each has its heaviest line, and the function it called and its caller if
 * these account for more than half of its weight. Shares are relative to `all`; if that is 0, to
 * the sum of all positive functions and weight[0], the part without a stack. 0 or -ENOMEM; *out
 * must be freed in every case.
 */
int sd_top_functions(const struct sd_code_places *p, const double *weight, double all, double least,
	size_t most, struct sd_where **out, size_t *n);

/*
 * The file of code with more than half of the weight, named "[cc1plus]", where that is neither the
 * program's own (`program`: its path or name) nor the kernel; *out is zeroed where there is none. 0
 * or -ENOMEM.
 */
int sd_top_module(const struct sd_code_places *p, const double *weight, const char *program,
	struct sd_where *out);

#endif
