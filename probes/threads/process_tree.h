/*
 * The threads of a process tree, tracked as they come and go.
 */
#ifndef SD_PROCESS_TREE_H
#define SD_PROCESS_TREE_H

#include <stddef.h>
#include <sys/types.h>

#include "threads/thread_state.h"

struct sd_process_tree {
	pid_t subreaper; /* the tree is everything below it; 0: below those that were adopted */
	struct sd_thread_state **task; /* owned, each owned; tid rising */
	size_t n, room;
	struct sd_thread_views views; /* its array is owned */
	size_t room_views;
	struct sd_thread_state_env env;
	uint64_t stopped;  /* ns in which a signal had stopped all of it */
	int steady;        /* the last reading found the same threads as the one before */
	size_t seen;       /* threads ever found */
	int no_children;   /* the kernel has no .../children files: check every process's parent */
	uint64_t last_pid; /* newest pid of the machine at the last walk */
	size_t todo;       /* threads left to visit since a process was created */
	int cursor;        /* last visited tid */
	/* Called for an ended thread before it is freed; may be NULL. */
	void (*gone)(void *ctx, const struct sd_thread_state *t);
	void *ctx;
};

/* `root` is borrowed. Keeps at most `files` descriptors open. */
void sd_process_tree_init(
	struct sd_process_tree *tree, const char *root, pid_t subreaper, unsigned files);

/* Adds a process that runs already, with its threads; what they start follows. 0 or -ENOMEM. */
int sd_process_tree_adopt(struct sd_process_tree *tree, pid_t pid);

/*
 * Looks for new threads; most calls only find that none were created. Visits at most 64 known
 * threads a call, so that walking a tree of thousands takes several polls. 0 or -ENOMEM.
 */
int sd_process_tree_walk(struct sd_process_tree *tree);

/* Reads all threads at time `now` (ns); drops those that have ended. */
void sd_process_tree_read(struct sd_process_tree *tree, uint64_t now);

/* Provides the last readings as thread views. A view stays valid as long as its thread is in the
 * tree. 0 or -ENOMEM (views.n is then 0). */
int sd_process_tree_view(struct sd_process_tree *tree);

/* Does a process go on that /proc does not show (hidepid, to others than its user)? One that has
 * ended is no such; where nothing lists the children of the subreaper, that is not told apart. */
int sd_process_tree_hides(const struct sd_process_tree *tree, pid_t pid);

struct sd_thread_state *sd_process_tree_find(
	const struct sd_process_tree *tree, int tid); /* NULL: not there */

void sd_process_tree_free(struct sd_process_tree *tree); /* accepts the zeroed value */

#endif
