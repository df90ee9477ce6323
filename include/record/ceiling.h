/*
 * What is known of the node's limits, as far as a diagnosis uses it: copied from the calibration
 * into the record, so that a report needs no other file.
 */
#ifndef SD_CEILING_H
#define SD_CEILING_H

#include <stddef.h>

#include "base/status.h"

/* The most that so many cores together get from memory, bytes/s, in the state the machine was in
 * when the diagnosis began. */
struct sd_ceiling {
	unsigned cores;
	struct sd_value bandwidth;
};

struct sd_calibration {
	char *statement; /* owned; a line for the reader, also when there was none; NULL none */
	double made;     /* s since the epoch; 0 = not calibrated */
	struct sd_value llc, dram; /* latency of a dependent load, s */
	struct sd_value l2;        /* the same from the L2 */
	struct sd_value remote;    /* the same from another node's memory */
	struct sd_value line;      /* s, a modified line from another core */
	struct sd_value walk;      /* s, what a miss of every DTLB level adds to a load */
	struct sd_ceiling
		*ceiling; /* owned; for the plan's core counts that were calibrated, rising */
	size_t n_ceiling;
};

/* Adds a ceiling, bytes/s, in its place. 0; -EEXIST when that count has one; -EINVAL for what is
 * none; -ENOMEM. */
int sd_calibration_add(struct sd_calibration *c, unsigned cores, double bandwidth);

/*
 * The ceiling at a count: measured there, or between two measured counts on the straight line that
 * joins them (a ceiling rises ever slower, so it is not below the line). Absent elsewhere.
 */
struct sd_value sd_calibration_at(const struct sd_calibration *c, unsigned cores);

void sd_calibration_free(struct sd_calibration *c); /* leaves the zeroed value; accepts it */

#endif
