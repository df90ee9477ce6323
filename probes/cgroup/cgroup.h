/*
 * Control groups: where a process is, version 1, 2 or both, and the CPU quota on its way to the
 * root.
 */
#ifndef SD_CGROUP_H
#define SD_CGROUP_H

#include <stddef.h>
#include <sys/types.h>

#include "base/status.h"

/* What is looked for; the name in version 1, and what accounts for it in version 2. */
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
	int version;               /* 1 or 2: which file names and formats */
	char path[SD_CGROUP_PATH]; /* the folder, `root` included, no '/' at its end */
	size_t top; /* path[0..top) is the topmost folder that is visible here: the mount point */
};

/*
 * The cgroup of `pid` (0 = this process) that controls `c`, as seen through the mounts of this
 * process. `root` is the prefix of /proc and /sys ("" or NULL = this machine); mount points are
 * taken below it too. A controller bound to version 1 is found there, any other in the version 2
 * hierarchy where there is one; whether it is enabled in that folder is then seen by its files
 * (version 2 shows only cpu.stat's usage without the controller).
 * 0; -ENOENT when there is no such hierarchy, or it is not mounted, or this process's part of it is
 * outside of what is mounted here; -ENAMETOOLONG; other -errno from reading /proc. *out is zeroed
 * on failure.
 */
int sd_cgroup_find(const char *root, pid_t pid, enum sd_cgroup_controller c, struct sd_cgroup *out);

/* Moves to the parent. 0, or -ENOENT when *cg is the topmost visible one (unchanged). */
int sd_cgroup_up(struct sd_cgroup *cg);

/*
 * The text of one of its files, at most size-1 bytes, NUL-terminated, without the last newline.
 * Bytes after a longer text's first size-1 are cut. 0 or -errno; *buf is "" on failure.
 */
int sd_cgroup_read(const struct sd_cgroup *cg, const char *file, char *buf, size_t size);

/*
 * The tightest CPU quota from the cgroup of `pid` up to the topmost visible one, in CPUs
 * (cpu.cfs_quota_us / cpu.cfs_period_us, or cpu.max). Absent: none is set, or there is no cgroup.
 * Denied: a file could not be read; unsupported: its content is not what the kernel documents
 * (both only when no other level gave a number: a number is then an upper bound).
 */
struct sd_value sd_cgroup_quota(const char *root, pid_t pid);

#endif
