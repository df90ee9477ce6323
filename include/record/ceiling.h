/*
 * The node's limits that a diagnosis uses, copied from the calibration into the record so that a
 * report needs no other file.
 */
#ifndef SD_CEILING_H
#define SD_CEILING_H

#include <stddef.h>

#include "base/status.h"

/* The most that this many cores together get from memory, bytes/s, in the machine's state when the
 * diagnosis began. */
struct sd_ceiling {
	unsigned cores;
	struct sd_value bandwidth;
};

struct sd_calibration {
	char *statement; /* owned; a line for the reader, also if there was no calibration; NULL
			    none */
	double made;     /* s since the epoch; 0 = not calibrated */
	struct sd_value llc, dram;  /* latency of a dependent load, s */
	struct sd_value l2;         /* likewise, from L2 */
	struct sd_value remote;     /* likewise, from another node's memory */
	struct sd_value line;       /* s, a modified line from another core */
	struct sd_value walk;       /* s, what a miss of every DTLB level adds to a load */
	struct sd_ceiling *ceiling; /* owned; ascending; those of the plan's core counts that were
				       calibrated */
	size_t n_ceiling;
};

/* Inserts a ceiling, bytes/s, in order. 0; -EEXIST: the count has one; -EINVAL: not a valid
 * ceiling; -ENOMEM. */
int sd_calibration_add(struct sd_calibration *c, unsigned cores, double bandwidth);

/*
 * The ceiling at a count: measured, or interpolated linearly between two measured counts (ceilings
 * are concave, so the true one is not below the line). Absent elsewhere.
 */
struct sd_value sd_calibration_at(const struct sd_calibration *c, unsigned cores);

void sd_calibration_free(struct sd_calibration *c); /* leaves the zeroed value; accepts it */

#endif
