/*
 * Room in the files that preloaded libraries map and write: a store into a page that the disk has
 * no room for is a SIGBUS in the user's program, and growing a file beyond `ulimit -f` a SIGXFSZ.
 */
#ifndef SD_LOG_ROOM_H
#define SD_LOG_ROOM_H

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

/* May a file of this program's be so long? */
static inline int sd_log_room_is_allowed(uint64_t size)
{
	struct rlimit limit;

	return getrlimit(RLIMIT_FSIZE, &limit) == 0 &&
	       (limit.rlim_cur == RLIM_INFINITY || size <= limit.rlim_cur);
}

/* Reserves [from, from + size) of a new file, which reads as zeros. 0, or -1: nothing may be stored
 * there. errno stays. */
static inline int sd_log_room_reserve(int fd, uint64_t from, uint64_t size)
{
	static const char zeros[4096];
	const int error = errno;
	ssize_t n = 1;

	if (!sd_log_room_is_allowed(from + size))
		return -1;
	if (fallocate(fd, 0, (off_t)from, (off_t)size) != 0) {
		/* not every file system reserves: what is written has its room */
		if (errno != EOPNOTSUPP && errno != ENOSYS)
			n = -1;
		while (n > 0 && size) {
			n = pwrite(
				fd, zeros, size < sizeof zeros ? size : sizeof zeros, (off_t)from);
			from += n > 0 ? (uint64_t)n : 0;
			size -= n > 0 ? (uint64_t)n : 0;
		}
	}
	errno = error;
	return n > 0 ? 0 : -1;
}

#endif
