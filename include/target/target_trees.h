/*
 * The file trees and identities of the processes that a session has met: what a name from one of
 * their modules leads to is read only if it leads all of them that have this module to one file.
 */
#ifndef SD_TARGET_TREES_H
#define SD_TARGET_TREES_H

#include "target/target_view.h"

/* A zeroed one has met none: it opens nothing. */
struct sd_target_trees {
	struct sd_target_view *view; /* owned, each once */
	size_t n;
	const char *folder; /* borrowed; where relative names begin in our tree; NULL: where each
			       process is */
	int beyond;         /* there were too many: nothing is opened any more */
};

/* Adds a view, which it takes, unless there is one like it; *at: its number. 0, -ENOMEM, or
 * -ENOSPC: there are too many. */
int sd_target_trees_take(struct sd_target_trees *t, struct sd_target_view *v, size_t *at);

/* The programs of this session run as ourselves, in this folder, until another is met. 0 or
 * -ENOMEM. */
int sd_target_trees_add_ours(struct sd_target_trees *t, const char *folder);

/* A process that runs. 0, also if it was met before; otherwise -errno of sd_target_view_of(), or as
 * above. */
int sd_target_trees_add(struct sd_target_trees *t, pid_t pid);

/*
 * Opens the file that `path` names in `module`, the path of a program or library; NULL, or not from
 * the root: there is no such file. *module_st is the module's where it is there still, else its
 * st_ino is 0. Returns the descriptor or -errno; -ENOENT: also where they do not agree, and for
 * root where the module is gone, so that nobody knows whose name it was.
 */
int sd_target_trees_open(const struct sd_target_trees *t, const char *module, const char *path,
	struct stat *module_st, struct stat *st);

void sd_target_trees_free(struct sd_target_trees *t); /* accepts the zeroed value, leaves it */

#endif
