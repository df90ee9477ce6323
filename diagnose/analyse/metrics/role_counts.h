/*
 * The hardware counts of a point: combines the roles of all its runs and passes.
 */
#ifndef SD_ROLE_COUNTS_H
#define SD_ROLE_COUNTS_H

#include "runs/run_selection.h"
#include "record/role.h"

/* A mean count of one run, and how far to trust it. */
struct sd_count {
	double value;
	enum sd_status status;   /* of the worst run: ok, multiplexed; absent: not counted */
	enum sd_quality quality; /* the worst */
	int shared;              /* may include SMT siblings */
	int weak;                /* counted for less than SD_RUN_PARTS_RUNNING of the time, and for
				    less than SD_COUNTER_TURNS_S */
	unsigned sees; /* SD_SIGHT_BIT() of what every run's count sees; 0: no such count */
};

struct sd_role_counts {
	struct sd_count role[SD_ROLE_COUNT];
	double cpu; /* s of CPU time of a run, mean; 0 unknown */
};

/*
 * Means over the runs of a point; run j counts times[j] times (NULL: each once). A role counted
 * only in some passes is computed per cycle of the runs that counted it (per second of CPU time if
 * not all counted cycles, per run if neither is known) and multiplied by the mean of that over all
 * runs: passes differ in duration, not in what the program does.
 */
void sd_role_counts_make(
	const struct sd_chosen *p, const unsigned *times, struct sd_role_counts *out);

/*
 * How much the cycles per second of CPU time differ between passes, largest / smallest - 1: the
 * possible error of combining passes. Absent with one pass.
 */
struct sd_value sd_role_counts_spread(const struct sd_chosen *p);

/* The map's family, from the point's first count; NULL: nothing was counted. */
const char *sd_role_counts_family(const struct sd_chosen *p);

#endif
