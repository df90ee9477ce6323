/*
 * The kernel's wake-up tracepoint, if tracefs is readable.
 */
#ifndef SD_SCHED_WAKING_H
#define SD_SCHED_WAKING_H

#include <stdint.h>

struct sd_sched_waking {
	uint64_t config;   /* for PERF_TYPE_TRACEPOINT */
	uint32_t woken_at; /* offset of the woken thread's tid in its data */
};

/* If tracefs is not mounted but we have the right to, reads a detached mount of it. 0; -ENOENT:
 * neither, or no such tracepoint; -EACCES; -EINVAL: unknown format. */
int sd_sched_waking_find(const char *root, struct sd_sched_waking *out);

#endif
