#include "wakepoint.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "number.h"
#include "textfile.h"

/* sched_waking is in the waker's context; sched_wakeup may be on the CPU of the woken one. */
#define POINT "/events/sched/sched_waking/"

static const char *const mounts[] = {"/sys/kernel/tracing", "/sys/kernel/debug/tracing"};

static int read_in(const char *root, const char *mount, const char *name, char *buf, size_t size)
{
	char path[128];

	snprintf(path, sizeof path, "%s" POINT "%s", mount, name);
	return sd_textfile_read(root, path, buf, size);
}

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

int sd_wakepoint_find(const char *root, struct sd_wakepoint *out)
{
	char id[32], format[4096];
	int rc = -ENOENT;

	for (size_t i = 0; i < sizeof mounts / sizeof *mounts; i++) {
		const int error = read_in(root, mounts[i], "id", id, sizeof id);

		if (error && rc == -ENOENT)
			rc = error;
		if (error)
			continue;
		rc = read_in(root, mounts[i], "format", format, sizeof format);
		if (rc == 0)
			rc = sd_number_u64(id, 0, UINT32_MAX, &out->config);
		return rc ? rc : offset_of_pid(format, &out->woken_at);
	}
	return rc;
}
