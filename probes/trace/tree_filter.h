/*
 * Which threads belong to the tree, by tid, when events cover whole CPUs: the waiting process, from
 * its exec on, or threads that run already; and everything forked by a member. The events of
 * several CPUs' rings arrive in any order.
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
	pid_t pid;      /* of the first process */
	uint64_t begun; /* time of its first exec; 0: not yet */
	int joined;     /* it ran already: no exec begins it */
	struct sd_tid_set member;
	struct sd_orphan
		*orphan; /* owned; new threads whose parents were not yet known as members */
	size_t n_orphan;
};

int sd_tree_filter_init(struct sd_tree_filter *f, pid_t pid); /* 0 or -ENOMEM */

/* The tree is one that runs already: from `time` on, the members and whatever they start. */
void sd_tree_filter_begin(struct sd_tree_filter *f, uint64_t time);
void sd_tree_filter_add(struct sd_tree_filter *f, int tid);

/* Handles a new thread, or an exec (`exec`; a NAME comes with it). */
void sd_tree_filter_meet(struct sd_tree_filter *f, const struct sd_event *e, int exec);

/* Call when all events have been seen: adopts children whose parents were seen after them. */
void sd_tree_filter_adopt(struct sd_tree_filter *f);

/* Does the event belong to the tree? A wake-up does with the thread that is woken, whoever wakes
 * it: an interrupt, which has no thread of its own, or one of the kernel's, as for a disk or for a
 * change of CPU. From then on the thread is ready. */
int sd_tree_filter_own(const struct sd_tree_filter *f, const struct sd_event *e);

/* A wake-up by a thread that is not of the tree becomes one by the woken thread itself, which says
 * that nobody of the tree did it. */
void sd_tree_filter_hide(const struct sd_tree_filter *f, struct sd_event *e);

void sd_tree_filter_free(struct sd_tree_filter *f); /* accepts {0} */

#endif
