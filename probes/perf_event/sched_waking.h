/*
 * The kernel's tracepoint of wake-ups, where tracefs can be read.
 */
#ifndef SD_WAKEPOINT_H
#define SD_WAKEPOINT_H

#include <stdint.h>

struct sd_wakepoint {
	uint64_t config;   /* for PERF_TYPE_TRACEPOINT */
	uint32_t woken_at; /* offset of the woken thread's number in its data */
};

/* Where no tracefs is mounted but we may, one is read that is mounted nowhere. 0; -ENOENT: neither,
 * or no such tracepoint; -EACCES; -EINVAL: not understood. */
int sd_wakepoint_find(const char *root, struct sd_wakepoint *out);

#endif
