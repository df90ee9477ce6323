/*
 * A tracepoint of the kernel, if tracefs is readable.
 */
#ifndef SD_TRACEPOINT_H
#define SD_TRACEPOINT_H

#include <stdint.h>

struct sd_tracepoint {
	uint64_t config;   /* for PERF_TYPE_TRACEPOINT */
	char format[4096]; /* of its data, as the kernel describes it */
};

/* `point` as in "sched/sched_waking". If tracefs is not mounted but we have the right to, reads a
 * detached mount of it. 0; -ENOENT: neither, or no such tracepoint; -EACCES; -EINVAL: no number. */
int sd_tracepoint_find(const char *root, const char *point, struct sd_tracepoint *out);

#endif
