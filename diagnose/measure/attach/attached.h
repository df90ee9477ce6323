/*
 * The processes of a program that runs already, found by what the user calls it.
 */
#ifndef SD_ATTACHED_H
#define SD_ATTACHED_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/cpulist.h"
#include "base/sink.h"
#include "base/status.h"

enum sd_attach_by {
	SD_ATTACH_PID,       /* a process with its descendants */
	SD_ATTACH_CGROUP,    /* what is in a cgroup and those below it */
	SD_ATTACH_UNIT,      /* the cgroup of a systemd unit */
	SD_ATTACH_CONTAINER, /* that of a container, by the first digits of its id or more */
	SD_ATTACH_COUNT
};

struct sd_attached {
	enum sd_attach_by by;
	pid_t root;    /* of SD_ATTACH_PID */
	uint64_t born; /* its start time (proc(5), field 22): a later process may have its number */
	char *group;   /* owned; path of the cgroup's folder; NULL: by pid */
	char label[320]; /* "process 4711", "unit nginx.service", ...: what reports call it */
	pid_t *pid; /* owned; its processes when it was last looked for, the first the oldest */
	size_t n;
};

/*
 * Finds the program. 0; after a message: -ESRCH: there is no such process, group, unit or
 * container, or it has no process; -EINVAL: `name` cannot be one, or several containers begin with
 * it; -EPERM: a kernel thread, or scalediag runs inside it, and would look at itself; -ENOMEM. *a
 * must be freed in every case.
 */
int sd_attached_find(
	struct sd_attached *a, enum sd_attach_by by, const char *name, const struct sd_sink *sink);

/* Lists its processes anew. 0; -ESRCH: there is none left, and those known stay; -ENOMEM. */
int sd_attached_refresh(struct sd_attached *a);

/* The CPUs that any of its threads may run on, rising, and how many threads there are. 0; -ESRCH:
 * none could be asked; -ENOMEM. */
int sd_attached_cpus(const struct sd_attached *a, struct sd_cpulist *cpus, size_t *threads);

/* The tightest CPU quota on its first process (sd_cgroup_quota()). */
struct sd_value sd_attached_quota(const struct sd_attached *a);

/* The command line of its first process, or its name where it wrote a title over that, as a fresh
 * NULL-terminated array (sd_command_words_free); NULL: out of memory. */
char **sd_attached_argv(const struct sd_attached *a);

void sd_attached_free(struct sd_attached *a); /* accepts the zeroed value */

#endif
