/*
 * A file that is written under another name in the same folder, and then renamed.
 */
#ifndef SD_OUTPUT_ASIDE_H
#define SD_OUTPUT_ASIDE_H

#include <sys/stat.h>
#include <sys/types.h>

#include "base/leftover_note.h"

struct sd_output_aside {
	char *folder;     /* owned; with its final slash */
	const char *base; /* of the path that it will have; borrowed */
	char *name;       /* owned; of the temporary file; NULL: none */
	int fd;           /* of it; whoever takes it puts -1 here */
	struct sd_leftover_note note;
};

/* Nothing is made yet. 0 or -ENOMEM; to be ended in either case. */
int sd_output_aside_begin(struct sd_output_aside *a, const char *path);

/* A new file under a name that nobody uses, noted for the next start. 0 or -errno, where ENOENT
 * means that the folder could be made, and another error why not. */
int sd_output_aside_open(struct sd_output_aside *a, mode_t mode);

/*
 * Mode and owner of the file that it will replace. Without the permission to give it to that file's
 * owner it is ours; to a group that it was not for it is then no more open than to everybody. 0 or
 * -errno.
 */
int sd_output_aside_like(const struct sd_output_aside *a, const struct stat *old);

/* Gives it its name; with `fresh` nothing that has come there since is replaced, where the file
 * system can say so. 0 or -errno. */
int sd_output_aside_rename(struct sd_output_aside *a, const char *path, int fresh);

/* Removes what was not renamed; the descriptor is closed, unless taken. */
void sd_output_aside_end(struct sd_output_aside *a);

/* Removes what writers of this very path that were killed have left beside it. Only for one that
 * knows that no other is writing. */
void sd_output_aside_sweep(const char *path);

/* As sd_leftover_remove(), of SD_LEFTOVER_ASIDE. */
int sd_output_aside_noted(int fd, const char *folder, const char *name);

#endif
