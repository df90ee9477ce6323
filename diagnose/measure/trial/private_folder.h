/*
 * A private working folder for a copy (--isolate): it contains the files of the original folder,
 * but what the copy writes stays private.
 */
#ifndef SD_PRIVATE_FOLDER_H
#define SD_PRIVATE_FOLDER_H

#include "base/sink.h"

struct sd_private_folder {
	char *path; /* owned; absolute */
};

/*
 * Makes the folder `path` (*f takes ownership; NULL is -ENOMEM) from the folder `from` (NULL =
 * ours). It must not exist, except for one left by a killed scalediag, recognised by its mark and
 * replaced. Regular files are cloned if the file system can, else copied; subfolders and links
 * become links, so what a program writes below them is shared. Hidden files, and files beyond 1 GiB
 * in total, are also linked. 0, or -errno after a message; sd_private_folder_free() then removes
 * what was made.
 */
int sd_private_folder_make(
	struct sd_private_folder *f, char *path, const char *from, const struct sd_sink *sink);

/* Removes one that a killed scalediag left at `name` of the open folder `at`, known by its mark. 0:
 * there is none now; -EEXIST: what is there is not ours; -errno: something of it stayed. */
int sd_private_folder_left(int at, const char *name);

/* Removes the folder with everything the copy wrote in it; follows no links. */
void sd_private_folder_free(struct sd_private_folder *f); /* accepts the zeroed value */

#endif
