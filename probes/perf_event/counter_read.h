/*
 * One counter of perf_event_open: interprets errors and readings.
 */
#ifndef SD_COUNTER_READ_H
#define SD_COUNTER_READ_H

#include <stdint.h>

#include "base/status.h"

/* The read format of counters: value, total time enabled and running. */
#define SD_COUNTER_READ_FORMAT (PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING)

struct sd_counter_read_reading {
	uint64_t value, enabled, running; /* ns */
};

/* Why opening failed: denied or unsupported; absent for other reasons (no descriptors left, process
 * gone). `error` is -errno. */
enum sd_status sd_counter_read_error(int error);

/*
 * The count. If the counter ran only part of the time the value is scaled by enabled/running, here
 * and nowhere else, and multiplexed; absent if it never ran.
 */
struct sd_value sd_counter_read_value(const struct sd_counter_read_reading *r);

/* Reads descriptor `fd`, opened with SD_COUNTER_READ_FORMAT. */
struct sd_value sd_counter_read(int fd);

#endif
