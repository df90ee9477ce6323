/*
 * One counter of perf_event_open: what an error and a reading mean.
 */
#ifndef SD_COUNTER_READ_H
#define SD_COUNTER_READ_H

#include <stdint.h>

#include "base/status.h"

/* The format a counter is opened with: total time enabled and running beside the value. */
#define SD_COUNTER_READ_FORMAT (PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING)

struct sd_counter_read_reading {
	uint64_t value, enabled, running; /* ns */
};

/* Why opening failed: denied or unsupported; absent for what is neither (no descriptors left, the
 * process is gone). `error` is -errno. */
enum sd_status sd_counter_read_error(int error);

/*
 * The count: multiplexed and scaled up by enabled/running when it ran for a part of the time (the
 * one place where that is done); absent when it never ran.
 */
struct sd_value sd_counter_read_value(const struct sd_counter_read_reading *r);

/* Reads descriptor `fd`, opened with SD_COUNTER_READ_FORMAT. */
struct sd_value sd_counter_read(int fd);

#endif
