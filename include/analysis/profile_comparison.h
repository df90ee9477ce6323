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
	size_t compared;     /* rows whose spread between calibrations is known on both sides */
	size_t few;          /* rows with numbers on both sides, but of one calibration on one */
	size_t lost, gained; /* rows with a number on one side only */
	int comparable; /* at least half of the smaller side was compared: else neither "changed"
			   nor "nothing changed" means anything */
	unsigned calibrations_before, calibrations_after; /* that each side is made of */
	const char *differs; /* sd_profile_differs(); NULL: the same machine */
	/* CPUs, of the same machine: fewer than before, by a quota too, are a change of their own,
	 * since what needs all of them has no counterpart; 0 and 0: the same, or another machine */
	unsigned granted_before, granted_after;
	int states_before, states_after;
	double noise;    /* standard deviation of ln(ratio) of an unchanged machine, from the
			    calibrations of each side; of all rows together (root mean square) */
	double smallest; /* the smallest detectable relative change */
	int blind; /* half of the numbers vary so much that not even twice or half of them would
		      show: that nothing is seen to change says nothing */
	int quiet; /* the machine was quiet both times */
};

/*
 * Rows are paired as in profile_pairs.h. What two calibrations of an unchanged machine differ by is
 * known from several of each side (calibrate --repeat), never from this pair. A row has changed if
 * its medians differ by more than 5 % and by more than chance gives one of thousands of numbers,
 * as far as so few calibrations can tell, and no quartile of one side reaches into the other's. A
 * row of one calibration decides nothing, unless it is identical. 0 or -ENOMEM; *out must be freed
 * in every case.
 */
int sd_profile_compare(const struct sd_profile *before, const struct sd_profile *after,
	struct sd_bench_comparison *out);

void sd_bench_comparison_free(struct sd_bench_comparison *c);

#endif
