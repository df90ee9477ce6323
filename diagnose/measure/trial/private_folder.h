/*
 * A working folder of a copy's own (--isolate): it finds there what lies in the folder of the
 * others, and what it writes there is its own.
 */
#ifndef SD_PRIVATE_FOLDER_H
#define SD_PRIVATE_FOLDER_H

#include "base/sink.h"

struct sd_private_folder {
	char *path; /* owned; absolute */
};

/*
 * Makes the folder `path` (taken, owned by *f from then on; NULL is -ENOMEM), which must not be
 * there yet (one that a killed scalediag left, known by its mark, is replaced), for the folder
 * `from` (NULL = ours): its regular files are cloned where the file system can and else copied, its
 * folders and links appear as links: what a program writes below those is shared. Hidden files, and
 * files beyond 1 GiB together, are links too. 0; -errno, said, what was made is removed by
 * sd_private_folder_free().
 */
int sd_private_folder_make(
	struct sd_private_folder *f, char *path, const char *from, const struct sd_sink *sink);

/* Removes one that a killed scalediag left at `name` of the open folder `at`, known by its mark. 0:
 * there is none now; -EEXIST: what is there is not ours; -errno: something of it stayed. */
int sd_private_folder_left(int at, const char *name);

/* Removes the folder with what the copy wrote in it; follows no link out of it. */
void sd_private_folder_free(struct sd_private_folder *f); /* accepts the zeroed value */

#endif
