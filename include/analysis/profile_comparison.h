/*
 * Two calibrations side by side: what changed beyond noise. Pure.
 */
#ifndef SD_PROFILE_COMPARISON_H
#define SD_PROFILE_COMPARISON_H

#include "bench/profile.h"

enum sd_change { SD_CHANGE_NONE, SD_CHANGE_BETTER, SD_CHANGE_WORSE, SD_CHANGE_OTHER };

struct sd_bench_change {
	const struct sd_bench_row *before, *after; /* borrowed from the profiles */
	double ratio;                              /* after / before, of the medians */
	enum sd_change change; /* OTHER: moved, but more is neither better nor worse */
};

struct sd_bench_comparison {
	struct sd_bench_change *change; /* owned; only those that moved, largest first */
	size_t n;
	size_t compared;     /* rows with numbers on both sides that can tell */
	size_t few;          /* rows with numbers on both sides, of too few samples to tell */
	size_t lost, gained; /* rows with a number on one side only */
	int comparable; /* at least half of what the smaller side has was compared: that nothing
			   changed means something */
	const char *differs; /* sd_profile_differs(); NULL: the same machine */
	int states_before, states_after;
	double noise; /* between the two, as a standard deviation of ln(ratio), from all ratios; 0
			 with few rows */
	double smallest; /* the least relative change that could have been seen */
	int quiet;       /* both were measured on a quiet machine */
};

/*
 * Rows are paired by kernel, variant, cores, unit, state (by its round trip) and their order among
 * those. A row has moved when its medians differ by more than 5 % and the samples lie apart: all of
 * them when there are fewer than ten on a side (4 against 4 lie apart by chance once in 35 times, 5
 * against 5 once in 126), the quartiles and the notches (median +- 1.57 IQR / sqrt(n), McGill,
 * Tukey and Larsen 1978) when there are more. Fewer than 4 samples on a side decide nothing, unless
 * they are the very same. 0 or -ENOMEM; *out must be freed in every case.
 */
int sd_profile_compare(const struct sd_profile *before, const struct sd_profile *after,
	struct sd_bench_comparison *out);

void sd_bench_comparison_free(struct sd_bench_comparison *c);

#endif
