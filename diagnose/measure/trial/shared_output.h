/*
 * Detects concurrent processes of one program that write the same file.
 */
#ifndef SD_SHARED_OUTPUT_H
#define SD_SHARED_OUTPUT_H

#include <stddef.h>
#include <sys/types.h>

#include "base/texts.h"

/*
 * Inspects the currently open files of these processes by /proc. 1 if two of them have a regular
 * file open for writing that this process, from which they might have inherited it, has not; path[]
 * is its name, cut to size - 1 bytes. 0: none seen.
 */
int sd_shared_output_written(const pid_t *pid, size_t n, char *path, size_t size);

/*
 * Watches their common working folder with inotify(7) for files that are closed after writing more
 * than once, as every copy would, however briefly. Since inotify merges equal unread events, files
 * that all copies close at the same moment may be missed.
 */
struct sd_shared_output_folder {
	int fd; /* -1: none is watched */
	char folder[256];
	struct sd_texts once; /* names written once so far */
};

void sd_shared_output_open(struct sd_shared_output_folder *f, const char *folder);
/* Reads what happened since the last call; 1 and path[] as above. */
int sd_shared_output_closed(struct sd_shared_output_folder *f, char *path, size_t size);
void sd_shared_output_close(struct sd_shared_output_folder *f); /* accepts one with fd -1 */

#endif
