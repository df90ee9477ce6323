/*
 * Compares two calibrations: what changed beyond noise? A pure function.
 */
#ifndef SD_PROFILE_COMPARISON_H
#define SD_PROFILE_COMPARISON_H

#include "bench/profile.h"

enum sd_change { SD_CHANGE_NONE, SD_CHANGE_BETTER, SD_CHANGE_WORSE, SD_CHANGE_OTHER };

struct sd_bench_change {
	const struct sd_bench_row *before, *after; /* borrowed from the profiles */
	double ratio;                              /* after / before, of the medians */
	enum sd_change change; /* OTHER: changed, but neither direction is better */
};

struct sd_bench_comparison {
	struct sd_bench_change *change; /* owned; only those that changed, largest first */
	size_t n;
	size_t compared;     /* rows with enough samples on both sides */
	size_t few;          /* rows with numbers on both sides but too few samples */
	size_t lost, gained; /* rows with a number on one side only */
	int comparable; /* at least half of the smaller side was compared, so "nothing changed" is
			   meaningful */
	const char *differs; /* sd_profile_differs(); NULL: the same machine */
	int states_before, states_after;
	double noise; /* standard deviation of ln(ratio) between the two, from all rows; 0 with few
			 rows */
	double smallest; /* the smallest detectable relative change */
	int quiet;       /* the machine was quiet both times */
};

/*
 * Rows are paired by kernel, variant, cores, unit, state (by its round trip) and their order among
 * those. A row has changed if its medians differ by more than 5 % and the samples do not overlap:
 * none of them with fewer than ten on a side (by chance 1 in 35 for 4 against 4, 1 in 126 for 5
 * against 5), neither quartiles nor notches (median +- 1.57 IQR / sqrt(n), McGill, Tukey and Larsen
 * 1978) with more. Fewer than 4 samples on a side decide nothing, unless they are identical. 0 or
 * -ENOMEM; *out must be freed in every case.
 */
int sd_profile_compare(const struct sd_profile *before, const struct sd_profile *after,
	struct sd_bench_comparison *out);

void sd_bench_comparison_free(struct sd_bench_comparison *c);

#endif
