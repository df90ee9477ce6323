#include "perf_event/tracepoint.h"

#include <errno.h>
#include <linux/mount.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/number.h"
#include "proc/textfile.h"

static const char *const mounts[] = {"/sys/kernel/tracing", "/sys/kernel/debug/tracing"};

static int read_in(const char *root, const char *mount, const char *point, const char *name,
	char *buf, size_t size)
{
	char path[160];

	snprintf(path, sizeof path, "%s/events/%s/%s", mount, point, name);
	return sd_textfile_read(root, path, buf, size);
}

static int find(const char *root, const char *mount, const char *point, struct sd_tracepoint *out)
{
	char id[32];
	int rc = read_in(root, mount, point, "id", id, sizeof id);

	if (rc)
		return rc;
	rc = read_in(root, mount, point, "format", out->format, sizeof out->format);
	return rc ? rc : sd_number_u64(id, 0, UINT32_MAX, &out->config);
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

int sd_tracepoint_find(const char *root, const char *point, struct sd_tracepoint *out)
{
	char own[32];
	int rc = -ENOENT, fd;

	for (size_t i = 0; i < sizeof mounts / sizeof *mounts && rc == -ENOENT; i++)
		rc = find(root, mounts[i], point, out);
	if (rc != -ENOENT || (root && *root) || (fd = detached()) < 0)
		return rc;
	snprintf(own, sizeof own, "/proc/self/fd/%d", fd);
	rc = find(NULL, own, point, out);
	close(fd);
	return rc;
}
