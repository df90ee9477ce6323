/*
 * Cgroups by the names that users know: a path, a systemd unit, a container's id.
 */
#ifndef SD_NAMED_GROUP_H
#define SD_NAMED_GROUP_H

#include <sys/types.h>

enum sd_named_group_kind {
	SD_NAMED_GROUP_PATH, /* absolute, or below a hierarchy's root, as /proc/PID/cgroup says */
	SD_NAMED_GROUP_UNIT, /* NAME or NAME.service */
	SD_NAMED_GROUP_CONTAINER, /* an id of hexadecimal digits, or at least its first six: Docker,
				     Podman, containerd, CRI-O, Kubernetes */
};

/*
 * The folder of the first hierarchy (version 2, or 1) that has the group, as a fresh string.
 * `mounts`: a file like /proc/self/mountinfo; NULL: that. 0; -EINVAL: no such name is possible;
 * -EEXIST: several containers begin with it; -ENOENT; -ENOMEM.
 */
int sd_named_group_find(
	const char *mounts, enum sd_named_group_kind kind, const char *name, char **folder);

/* Calls `each` for every process in the group and the groups below it. 0, or what `each` returned;
 * a group that has gone has none. */
int sd_named_group_each(const char *folder, int (*each)(void *ctx, pid_t pid), void *ctx);

#endif
