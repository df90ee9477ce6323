/*
 * Opens regular files, and nothing else: a FIFO, a device or a socket is not even opened, since
 * that alone wakes who waits at its other end, rewinds a tape or starts a watchdog.
 */
#ifndef SD_REGULAR_FILE_H
#define SD_REGULAR_FILE_H

#include <stddef.h>
#include <sys/stat.h>

/*
 * Opens `path` below the folder descriptor `at` (AT_FDCWD: as open()) for reading; `flags` may be
 * O_NOFOLLOW. *st, unless NULL, is the file's. Never blocks. Returns the descriptor, or -errno;
 * -EINVAL: it is not a regular file.
 */
int sd_regular_file_open_at(int at, const char *path, int flags, struct stat *st);
int sd_regular_file_open(const char *path, int flags, struct stat *st); /* at AT_FDCWD */

/* Opens for reading the file that an O_PATH descriptor stands for, which stays open. As above. */
int sd_regular_file_reopen(int path_fd, struct stat *st);

/* Up to `size` bytes of it from `offset` on; fewer: it ends there, or cannot be read. */
size_t sd_regular_file_bytes(int fd, void *to, size_t size, off_t offset);

/*
 * The whole of it in fresh memory that the caller frees, with a zero after it; *size is its length.
 * A file is read and not mapped: one that is cut meanwhile is shorter, and no SIGBUS. NULL: larger
 * than `most`, unreadable, or no memory.
 */
unsigned char *sd_regular_file_read(int fd, size_t most, size_t *size);

#endif
