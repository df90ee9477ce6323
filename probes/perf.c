#include "perf.h"

#include <errno.h>
#include <sys/syscall.h>
#include <unistd.h>

int sd_perf_open(const struct perf_event_attr *attr, pid_t pid, int cpu)
{
	const long fd = syscall(SYS_perf_event_open, attr, pid, cpu, -1, PERF_FLAG_FD_CLOEXEC);

	return fd < 0 ? -errno : (int)fd;
}
