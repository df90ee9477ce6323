#include "base/regular_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

int sd_regular_file_reopen(int path_fd, struct stat *st)
{
	char link[32];
	struct stat own;
	int fd;

	if (fstat(path_fd, st ? st : &own) != 0)
		return -errno;
	if (!S_ISREG((st ? st : &own)->st_mode))
		return -EINVAL;
	snprintf(link, sizeof link, "/proc/self/fd/%d", path_fd);
	fd = open(link, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

int sd_regular_file_open_at(int at, const char *path, int flags, struct stat *st)
{
	const int name = openat(at, path, O_PATH | O_CLOEXEC | (flags & O_NOFOLLOW));
	int fd;

	if (name < 0)
		return -errno;
	fd = sd_regular_file_reopen(name, st);
	close(name);
	return fd;
}

int sd_regular_file_open(const char *path, int flags, struct stat *st)
{
	return sd_regular_file_open_at(AT_FDCWD, path, flags, st);
}

size_t sd_regular_file_bytes(int fd, void *to, size_t size, off_t offset)
{
	size_t got = 0;
	ssize_t n = 1;

	while (got < size && n > 0) {
		n = pread(fd, (char *)to + got, size - got, offset + (off_t)got);
		if (n > 0)
			got += (size_t)n;
		else if (n < 0 && errno == EINTR)
			n = 1;
	}
	return got;
}

unsigned char *sd_regular_file_read(int fd, size_t most, size_t *size)
{
	unsigned char *bytes;
	struct stat st;

	*size = 0;
	if (fstat(fd, &st) != 0 || st.st_size < 0 || (uint64_t)st.st_size > most)
		return NULL;
	bytes = malloc((size_t)st.st_size + 1);
	if (!bytes)
		return NULL;
	*size = sd_regular_file_bytes(fd, bytes, (size_t)st.st_size, 0);
	bytes[*size] = '\0';
	return bytes;
}
