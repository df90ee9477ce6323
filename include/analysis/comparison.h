/*
 * Compares two analyses of a program, before and after a change.
 */
#ifndef SD_COMPARISON_H
#define SD_COMPARISON_H

#include <stddef.h>

#include "analysis/analysis.h"
#include "record/record.h"
#include "base/texts.h"

/* Is the difference beyond noise, by its 95 % interval? NOISE: the interval contains no
 * difference. */
enum sd_change { SD_CHANGE_UNKNOWN, SD_CHANGE_NOISE, SD_CHANGE_LESS, SD_CHANGE_MORE };
extern const char *const sd_change_name[]; /* "unknown", "noise", "less", "more" */

struct sd_compared_part {
	enum sd_component component;
	struct sd_interval before, after; /* core-seconds of a run: cores of the stack x its time */
	struct sd_interval difference;    /* after - before */
	enum sd_change change;
};

struct sd_compared_point {
	unsigned cores;
	struct sd_interval wall_before, wall_after; /* s */
	struct sd_interval gain;                    /* before / after: > 1 is faster */
	struct sd_interval efficiency_before, efficiency_after;
	enum sd_change time;                              /* of the wall time */
	struct sd_compared_part part[SD_COMPONENT_COUNT]; /* those that either stack has */
	size_t n_part;
};

/* The fate of a cause between two records. Named means confirmed, likely or possible. */
enum sd_fate {
	SD_FATE_NEVER, /* named in neither */
	SD_FATE_WENT,  /* named before, ruled out after */
	SD_FATE_CAME,  /* the reverse */
	SD_FATE_STAYED,
	SD_FATE_SHRANK,  /* sure before, and now at most half of what it then was at least */
	SD_FATE_UNKNOWN, /* named in one, not measurable in the other */
};
extern const char *const sd_fate_name[];

struct sd_compared_cause {
	enum sd_cause cause;
	enum sd_fate fate;
	enum sd_verdict before, after;
	struct sd_interval cores_before, cores_after; /* at the largest point of each */
	double most_after; /* cores at the largest point after: its own, or else those of what it
			      is a part of, at most; INFINITY unknown */
};

struct sd_comparison {
	struct sd_compared_point *point; /* owned; the core counts both have, ascending */
	size_t n_point;
	struct sd_compared_cause cause[SD_CAUSE_COUNT]; /* in the order of the table */
	enum sd_change verdict; /* of the time at the largest common count */
	double work;   /* throughputs are compared: all times are those of this work; 0: of runs */
	int same_runs; /* both analyse the same runs: nothing differs */
	struct sd_texts warnings; /* why the two may not be comparable */
};

/*
 * Intervals of differences and ratios come from the two intervals by the MOVER rule (Zou and
 * Donner, Statistics in Medicine 27 (2008)): for independent a and b, the lower end of a - b is
 * a - b - sqrt((a - low_a)^2 + (high_b - b)^2); ratios are differences of logarithms. A point with
 * fewer than two runs on either side has no interval, so its change is unknown. Where a record
 * decides nothing because the machine drifted, its times are only as precise as the drift. Between
 * identical runs there is no difference, whatever their noise. 0, -ENOMEM, or -ENODATA if no core
 * count was timed in both. *out must be freed in every case.
 */
int sd_compare(const struct sd_record *before_record, const struct sd_analysis *before,
	const struct sd_record *after_record, const struct sd_analysis *after,
	struct sd_comparison *out);

/* The rules above; absent when either side is, unbounded when either has no interval.
 * For the ratio both must be positive. */
struct sd_interval sd_compare_difference(struct sd_interval a, struct sd_interval b);
struct sd_interval sd_compare_ratio(struct sd_interval a, struct sd_interval b);

void sd_comparison_free(struct sd_comparison *c); /* accepts the zeroed value */

#endif
