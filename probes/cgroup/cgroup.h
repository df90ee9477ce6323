/*
 * Control groups: a process's cgroup in version 1, 2 or both, and the CPU quotas up to the root.
 */
#ifndef SD_CGROUP_H
#define SD_CGROUP_H

#include <stddef.h>
#include <sys/types.h>

#include "base/status.h"

/* The controllers: name in version 1, and the controller that covers it in version 2. */
#define SD_CGROUP_CONTROLLERS(X)      \
	X(CPU, "cpu", "cpu")          \
	X(CPUACCT, "cpuacct", "cpu")  \
	X(CPUSET, "cpuset", "cpuset") \
	X(MEMORY, "memory", "memory") \
	X(IO, "blkio", "io")

enum sd_cgroup_controller {
#define X(id, v1, v2) SD_CGROUP_##id,
	SD_CGROUP_CONTROLLERS(X)
#undef X
		SD_CGROUP_COUNT
};

/* Longest path of a cgroup folder, with its prefix. */
#define SD_CGROUP_PATH 4096

struct sd_cgroup {
	int version;               /* 1 or 2: determines file names and formats */
	char path[SD_CGROUP_PATH]; /* the folder, including `root`, without trailing '/' */
	size_t top;                /* path[0..top) is the topmost visible folder: the mount point */
};

/*
 * The cgroup of `pid` (0 = this process) for controller `c`, as seen through this process's mounts.
 * `root` is the prefix of /proc, /sys and mount points ("" or NULL = this machine). A controller
 * bound to version 1 is found there, any other in the version 2 hierarchy if there is one; the
 * files in that folder then tell whether it is enabled (without the controller version 2 shows only
 * the usage in cpu.stat). 0; -ENOENT: no such hierarchy, not mounted, or this process's cgroup is
 * outside the mounted part; -ENAMETOOLONG; other -errno from reading /proc. *out is zeroed on
 * failure.
 */
int sd_cgroup_find(const char *root, pid_t pid, enum sd_cgroup_controller c, struct sd_cgroup *out);

/* Moves to the parent. 0, or -ENOENT if *cg is the topmost visible one (unchanged). */
int sd_cgroup_up(struct sd_cgroup *cg);

/*
 * Reads one of its files: the first size-1 bytes, NUL-terminated, without the last newline. 0 or
 * -errno; *buf is "" on failure.
 */
int sd_cgroup_read(const struct sd_cgroup *cg, const char *file, char *buf, size_t size);

/*
 * The tightest CPU quota from the cgroup of `pid` up to the topmost visible one, in CPUs
 * (cpu.cfs_quota_us / cpu.cfs_period_us, or cpu.max). Absent: none is set, or there is no cgroup.
 * Denied: a file could not be read; unsupported: its content is not as documented. Both only if no
 * other level gave a number, which is then an upper bound.
 */
struct sd_value sd_cgroup_quota(const char *root, pid_t pid);

#endif
