/*
 * Whether processes that run at the same time, all of one program, write the same file.
 */
#ifndef SD_SHARED_OUTPUT_H
#define SD_SHARED_OUTPUT_H

#include <stddef.h>
#include <sys/types.h>

#include "base/texts.h"

/*
 * Looks at the open files of these processes, as far as /proc shows them at this moment. 1 when a
 * regular file is open for writing in two of them, and not in this process, from which they would
 * have inherited it: *path is its name, cut to size - 1 bytes; 0 when none was seen.
 */
int sd_shared_output_written(const pid_t *pid, size_t n, char *path, size_t size);

/*
 * The folder in which all of them work: files there that are closed after writing more than once,
 * as every copy does it, however short; an inotify(7) of that folder. It joins equal events that
 * nobody has read yet, so what all close at one moment may pass unseen.
 */
struct sd_shared_output_folder {
	int fd; /* -1: none is watched */
	char folder[256];
	struct sd_texts once; /* names that were written once */
};

void sd_shared_output_open(struct sd_shared_output_folder *f, const char *folder);
/* What happened since; 1 and *path as above. */
int sd_shared_output_closed(struct sd_shared_output_folder *f, char *path, size_t size);
void sd_shared_output_close(struct sd_shared_output_folder *f); /* accepts one with fd -1 */

#endif
