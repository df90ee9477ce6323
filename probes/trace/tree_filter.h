/*
 * Which threads are of the tree, by their numbers, where events are of whole CPUs: the process that
 * waits, from its exec on, and all that is forked by a member. What the rings of several CPUs say
 * is met in any order.
 */
#ifndef SD_TREE_FILTER_H
#define SD_TREE_FILTER_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "trace/trace.h"
#include "trace/tid_set.h"

struct sd_orphan {
	int tid, parent;
};

struct sd_tree_filter {
	pid_t pid;      /* of the first of them */
	uint64_t begun; /* time of its first exec; 0: not yet */
	struct sd_tid_set member;
	struct sd_orphan
		*orphan; /* owned; new threads whose parents were not known to be members */
	size_t n_orphan, room;
};

int sd_tree_filter_init(struct sd_tree_filter *f, pid_t pid); /* 0 or -ENOMEM */

/* A new thread, or an exec (`exec`; it comes with a NAME). */
void sd_tree_filter_meet(struct sd_tree_filter *f, const struct sd_event *e, int exec);

/* All that there was to meet was met: children whose parents came after them are members too. */
void sd_tree_filter_adopt(struct sd_tree_filter *f);

/* Is the event of the tree? A wake-up by an interrupt has no thread of its own. */
int sd_tree_filter_own(const struct sd_tree_filter *f, const struct sd_event *e);

void sd_tree_filter_free(struct sd_tree_filter *f); /* accepts {0} */

#endif
