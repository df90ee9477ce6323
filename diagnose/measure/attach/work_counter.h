/*
 * Work that a running program has got done, by a number that only grows: its throughput is the
 * difference in a window.
 */
#ifndef SD_WORK_COUNTER_H
#define SD_WORK_COUNTER_H

#include <stdint.h>

#include "base/sink.h"

struct sd_work_counter {
	/*
	 * Stores the number as it is now, and the moment (CLOCK_MONOTONIC, ns) that it is of. 0, or
	 * -errno after a message.
	 */
	int (*read)(void *ctx, double *count, uint64_t *when, const struct sd_sink *sink);
	void *ctx;
};

#endif
