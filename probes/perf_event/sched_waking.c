#include "perf_event/sched_waking.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "perf_event/tracepoint.h"

/* sched_waking is in the waker's context; sched_wakeup may be on the CPU of the woken one. */
#define POINT "sched/sched_waking"

/* "field:pid_t pid;	offset:24;	size:4;	signed:1;" */
static int offset_of_pid(const char *format, uint32_t *out)
{
	const char *const field = strstr(format, "field:pid_t pid;");
	unsigned offset, size;

	if (!field || sscanf(field, "field:pid_t pid; offset:%u; size:%u;", &offset, &size) != 2 ||
		size != 4 || offset > 4096)
		return -EINVAL;
	*out = offset;
	return 0;
}

int sd_sched_waking_find(const char *root, struct sd_sched_waking *out)
{
	struct sd_tracepoint t;
	const int rc = sd_tracepoint_find(root, POINT, &t);

	if (rc)
		return rc;
	out->config = t.config;
	return offset_of_pid(t.format, &out->woken_at);
}
