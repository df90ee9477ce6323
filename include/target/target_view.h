/*
 * A file whose name a program chose: a source, a debug file, a map of its JIT. It is opened below
 * the root directory and with the identity of the process that named it, never with more rights
 * than that one has, and only if it is a regular file of a file system that keeps data.
 */
#ifndef SD_TARGET_VIEW_H
#define SD_TARGET_VIEW_H

#include <stddef.h>
#include <sys/stat.h>
#include <sys/types.h>

#define SD_TARGET_GROUPS 64u /* supplementary ones; later ones are left out: less is readable */

struct sd_target_view {
	int root;     /* owned descriptor of the root directory; -1: ours */
	char *folder; /* owned; where relative names begin, below that root; NULL: they are refused
		       */
	dev_t device; /* of the root directory */
	ino_t inode;
	dev_t mounts_device; /* of the mount namespace; both 0: unknown */
	ino_t mounts;
	uid_t user;
	gid_t group;
	gid_t extra[SD_TARGET_GROUPS];
	size_t n_extra;
};

/* Ours: our root and our identity. */
void sd_target_view_ours(struct sd_target_view *v);

/* Fills in the view of a running process. 0; -errno: it has ended, or is not ours to look at. */
int sd_target_view_of(struct sd_target_view *v, pid_t pid);

void sd_target_view_close(struct sd_target_view *v); /* accepts and leaves one of no root */

/* 1: they see the same files, from the same folder. */
int sd_target_view_same(const struct sd_target_view *a, const struct sd_target_view *b);
int sd_target_view_is_ours(const struct sd_target_view *v); /* the same tree as ours */

/*
 * Opens a file for reading; `flags` may be O_NOFOLLOW. `author`, unless NULL, is the file that
 * holds the name: what root would read for a name in somebody else's file is read as its owner.
 * *st, unless NULL, is the file's. Never blocks. Returns the descriptor or -errno: -EINVAL: not a
 * regular file that holds data; -EACCES: its identity may not; -EPERM: its identity cannot be taken
 * on; -EXDEV: no such view.
 */
int sd_target_view_open(const struct sd_target_view *v, const char *path, int flags,
	const struct stat *author, struct stat *st);

/* Looks a file up likewise, without opening it. 0 or -errno. */
int sd_target_view_stat(const struct sd_target_view *v, const char *path, struct stat *st);

#endif
