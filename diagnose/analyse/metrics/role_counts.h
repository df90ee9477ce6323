/*
 * What the hardware counted at a point: the roles of all its runs and passes brought together.
 */
#ifndef SD_ROLE_COUNTS_H
#define SD_ROLE_COUNTS_H

#include "runs/run_selection.h"
#include "record/role.h"

/* A mean count of one run, and how far to trust it. */
struct sd_count {
	double value;
	enum sd_status status;   /* of the worst run: ok, multiplexed; absent: nobody counted it */
	enum sd_quality quality; /* the worst */
	int shared;              /* SMT siblings may be in it */
	int weak;                /* counted for less than SD_RUN_PARTS_RUNNING of the time */
};

struct sd_role_counts {
	struct sd_count role[SD_ROLE_COUNT];
	double cpu; /* s of CPU time of a run, mean; 0 unknown */
};

/*
 * Means over the runs of a point, run j taken times[j] times (NULL: each once). A role counted in
 * some passes only is taken per cycle of the runs that counted it (per second of CPU time where not
 * all counted cycles, per run where neither is known), times the mean of that over all runs: passes
 * differ in how long they ran, not in what the program does.
 */
void sd_role_counts_make(
	const struct sd_chosen *p, const unsigned *times, struct sd_role_counts *out);

/*
 * How much the cycles per second of CPU time differ between passes, largest over smallest less 1:
 * what bringing passes together may be wrong by. Absent with one pass.
 */
struct sd_value sd_role_counts_spread(const struct sd_chosen *p);

/* The map's family of the first count of a run of the point; NULL: nothing was counted. */
const char *sd_role_counts_family(const struct sd_chosen *p);

#endif
