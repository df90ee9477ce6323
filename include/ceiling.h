/*
 * What is known of the node's limits, as far as a diagnosis uses it: copied from the calibration
 * into the record, so that a report needs no other file.
 */
#ifndef SD_CEILING_H
#define SD_CEILING_H

#include <stddef.h>

#include "status.h"

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
	struct sd_ceiling
		*ceiling; /* owned; for the plan's core counts that were calibrated, rising */
	size_t n_ceiling;
};

void sd_calibration_free(struct sd_calibration *c); /* leaves the zeroed value; accepts it */

#endif
