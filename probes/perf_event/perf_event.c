#include "perf_event/perf_event.h"

#include <errno.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

int sd_perf_event_open(const struct perf_event_attr *attr, pid_t pid, int cpu)
{
	return sd_perf_event_open_in(attr, pid, cpu, -1);
}

int sd_perf_event_open_in(const struct perf_event_attr *attr, pid_t pid, int cpu, int group)
{
	const long fd = syscall(SYS_perf_event_open, attr, pid, cpu, group, PERF_FLAG_FD_CLOEXEC);

	return fd < 0 ? -errno : (int)fd;
}

int sd_perf_event_read(int fd, struct sd_counter_read_reading *r)
{
	const ssize_t got = read(fd, r, sizeof *r);

	if (got < 0)
		return -errno;
	return got == (ssize_t)sizeof *r ? 0 : -EIO;
}

int sd_perf_event_switch(int fd, int on)
{
	const unsigned long what = on ? PERF_EVENT_IOC_ENABLE : PERF_EVENT_IOC_DISABLE;

	return ioctl(fd, what, PERF_IOC_FLAG_GROUP) ? -errno : 0;
}

int sd_perf_event_count(int fd, uint64_t *count, uint64_t *lost)
{
	uint64_t v[2] = {0};
	const ssize_t n = read(fd, v, sizeof v);

	*count = v[0];
	*lost = v[1];
	return n < 0 ? -errno : n < (ssize_t)sizeof v[0] ? -EIO : 0;
}

int sd_perf_event_pace(int fd, uint64_t n)
{
	return ioctl(fd, PERF_EVENT_IOC_PERIOD, &n) ? -errno : 0;
}

int sd_perf_event_refresh(int fd, int samples)
{
	return ioctl(fd, PERF_EVENT_IOC_REFRESH, samples) ? -errno : 0;
}

void sd_perf_event_close(int fd)
{
	if (fd >= 0)
		close(fd);
}
