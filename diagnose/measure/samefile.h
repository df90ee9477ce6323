/*
 * Whether two processes are writing the same file.
 */
#ifndef SD_SAMEFILE_H
#define SD_SAMEFILE_H

#include <stddef.h>
#include <sys/types.h>

/*
 * Looks at the open files of these processes, as far as /proc shows them at this moment. 1 when a
 * regular file is open for writing in two of them: *path is its name, cut to size - 1 bytes; 0 when
 * none was seen.
 */
int sd_samefile_written(const pid_t *pid, size_t n, char *path, size_t size);

#endif
