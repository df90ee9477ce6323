#include "experiment/msr.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/file.h>
#include <unistd.h>

static int open_file(const struct sd_msr *m, unsigned cpu, int flags)
{
	char path[512];
	int fd;

	snprintf(path, sizeof path, "%s/dev/cpu/%u/msr", m->root, cpu);
	fd = open(path, flags | O_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

/* The register's address is the offset in the file. */
static int read_one(const struct sd_msr *m, unsigned cpu, uint32_t address, uint64_t *value)
{
	const int fd = open_file(m, cpu, O_RDONLY);
	ssize_t n;
	int rc;

	if (fd < 0)
		return fd;
	n = pread(fd, value, sizeof *value, address);
	rc = n < 0 ? -errno : n == (ssize_t)sizeof *value ? 0 : -EIO;
	close(fd);
	return rc;
}

static int write_one(const struct sd_msr *m, unsigned cpu, uint32_t address, uint64_t value)
{
	const int fd = open_file(m, cpu, O_WRONLY);
	ssize_t n;
	int rc;

	if (fd < 0)
		return fd;
	n = pwrite(fd, &value, sizeof value, address);
	rc = n < 0 ? -errno : n == (ssize_t)sizeof value ? 0 : -EIO;
	close(fd);
	return rc;
}

struct sd_msr sd_msr_of(const char *root)
{
	return (struct sd_msr){.root = root, .read = read_one, .write = write_one};
}

int sd_msr_lock(const struct sd_msr *m)
{
	char path[512];
	int fd, rc = 0;

	snprintf(path, sizeof path, "%s/dev/cpu", m->root);
	fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	if (flock(fd, LOCK_EX | LOCK_NB))
		rc = -errno;
	if (rc)
		close(fd);
	return rc ? rc : fd;
}
