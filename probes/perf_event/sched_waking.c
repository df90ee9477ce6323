#include "perf_event/sched_waking.h"

#include <errno.h>
#include <linux/mount.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/number.h"
#include "proc/textfile.h"

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

static int find(const char *root, const char *mount, struct sd_sched_waking *out)
{
	char id[32], format[4096];
	int rc = read_in(root, mount, "id", id, sizeof id);

	if (rc)
		return rc;
	rc = read_in(root, mount, "format", format, sizeof format);
	if (rc == 0)
		rc = sd_number_u64(id, 0, UINT32_MAX, &out->config);
	return rc ? rc : offset_of_pid(format, &out->woken_at);
}

/* A tracefs that hangs nowhere: nobody else sees it, and it is gone when it is closed. Wants
 * CAP_SYS_ADMIN and Linux 5.2; glibc has had names for these calls since 2.36. Below 0: none. */
static int detached(void)
{
	const int context = (int)syscall(SYS_fsopen, "tracefs", FSOPEN_CLOEXEC);
	int fd = -1;

	if (context < 0)
		return -1;
	if (syscall(SYS_fsconfig, context, FSCONFIG_CMD_CREATE, NULL, NULL, 0) == 0)
		fd = (int)syscall(SYS_fsmount, context, FSMOUNT_CLOEXEC,
			MOUNT_ATTR_RDONLY | MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV |
				MOUNT_ATTR_NOEXEC);
	close(context);
	return fd;
}

int sd_sched_waking_find(const char *root, struct sd_sched_waking *out)
{
	char own[32];
	int rc = -ENOENT, fd;

	for (size_t i = 0; i < sizeof mounts / sizeof *mounts && rc == -ENOENT; i++)
		rc = find(root, mounts[i], out);
	if (rc != -ENOENT || (root && *root) || (fd = detached()) < 0)
		return rc;
	snprintf(own, sizeof own, "/proc/self/fd/%d", fd);
	rc = find(NULL, own, out);
	close(fd);
	return rc;
}
