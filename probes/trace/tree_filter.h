/*
 * Which threads are of the tree, by their numbers, where events are of whole CPUs: the process that
 * waits, from its exec on, and all that is forked by a member. What the rings of several CPUs say
 * is met in any order.
 */
#ifndef SD_FAMILY_H
#define SD_FAMILY_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "trace/trace.h"
#include "trace/tid_set.h"

struct sd_orphan {
	int tid, parent;
};

struct sd_family {
	pid_t pid;      /* of the first of them */
	uint64_t begun; /* time of its first exec; 0: not yet */
	struct sd_members member;
	struct sd_orphan
		*orphan; /* owned; new threads whose parents were not known to be members */
	size_t n_orphan, room;
};

int sd_family_init(struct sd_family *f, pid_t pid); /* 0 or -ENOMEM */

/* A new thread, or an exec (`exec`; it comes with a NAME). */
void sd_family_meet(struct sd_family *f, const struct sd_event *e, int exec);

/* All that there was to meet was met: children whose parents came after them are members too. */
void sd_family_adopt(struct sd_family *f);

/* Is the event of the tree? A wake-up by an interrupt has no thread of its own. */
int sd_family_own(const struct sd_family *f, const struct sd_event *e);

void sd_family_free(struct sd_family *f); /* accepts {0} */

#endif
