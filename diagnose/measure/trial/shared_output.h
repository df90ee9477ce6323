/*
 * Detects concurrent processes of one program that write the same file.
 */
#ifndef SD_SHARED_OUTPUT_H
#define SD_SHARED_OUTPUT_H

#include <stddef.h>
#include <sys/types.h>

/*
 * Inspects the currently open files of these processes and their descendants by /proc. 1 if two of
 * them have a regular file open for writing that this process, from which they might have inherited
 * it, has not; path[] is its name, cut to size - 1 bytes. 0: none seen.
 */
int sd_shared_output_written(const pid_t *pid, size_t n, char *path, size_t size);

/* A file that one of them closed after writing. */
struct sd_shared_output_file {
	char *name; /* owned */
	size_t by;  /* which copy; SD_SHARED_OUTPUT_ENDED */
};

#define SD_SHARED_OUTPUT_ENDED                                            \
	((size_t)-1) /* a process that had ended before it could be asked \
		      */

/*
 * Watches their common working folder with fanotify(7), which tells who closed a file after
 * writing: what others write there (an editor, a log, a build) is none of theirs. Needs
 * CAP_SYS_ADMIN; without it nothing is watched, and a file is seen only while it is open
 * (sd_shared_output_written).
 */
struct sd_shared_output_folder {
	int fd; /* to poll for reading; -1: none is watched */
	struct sd_shared_output_file *file;
	size_t n;
};

void sd_shared_output_open(struct sd_shared_output_folder *f, const char *folder);

/* Reads what happened since the last call. `session`: of each copy's processes. 1 and path[] as
 * above: two copies wrote the same file, or one and a process that had ended. */
int sd_shared_output_closed(
	struct sd_shared_output_folder *f, const pid_t *session, size_t n, char *path, size_t size);
void sd_shared_output_close(struct sd_shared_output_folder *f); /* accepts one with fd -1 */

#endif
