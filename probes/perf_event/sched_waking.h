/*
 * The kernel's tracepoint of wake-ups, where tracefs can be read.
 */
#ifndef SD_SCHED_WAKING_H
#define SD_SCHED_WAKING_H

#include <stdint.h>

struct sd_sched_waking {
	uint64_t config;   /* for PERF_TYPE_TRACEPOINT */
	uint32_t woken_at; /* offset of the woken thread's number in its data */
};

/* Where no tracefs is mounted but we may, one is read that is mounted nowhere. 0; -ENOENT: neither,
 * or no such tracepoint; -EACCES; -EINVAL: not understood. */
int sd_sched_waking_find(const char *root, struct sd_sched_waking *out);

#endif
