#include "proc/textfile.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

int sd_textfile_read(const char *root, const char *path, char *buf, size_t size)
{
	char full[PATH_MAX];
	size_t used = 0;
	ssize_t got = 1;
	int fd, rc = 0;

	buf[0] = '\0';
	if (snprintf(full, sizeof full, "%s%s", root ? root : "", path) >= (int)sizeof full)
		return -ENAMETOOLONG;
	fd = open(full, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	while (used < size - 1 && got > 0) {
		got = read(fd, buf + used, size - 1 - used);
		if (got > 0)
			used += (size_t)got;
		else if (got < 0 && errno == EINTR)
			got = 1;
		else if (got < 0)
			rc = -errno;
	}
	close(fd);
	if (rc)
		used = 0;
	buf[used] = '\0';
	used = strlen(buf);
	if (used && buf[used - 1] == '\n')
		buf[used - 1] = '\0';
	return rc;
}

void sd_textfile_clean(char *to, size_t size, const char *from)
{
	size_t n = 0;

	for (; from && *from && n + 1 < size; from++) {
		const char c = (unsigned char)*from < 0x20 || *from == 0x7f ? '?' : *from;

		/* some models are padded with blanks */
		if (c != ' ' || (n && to[n - 1] != ' '))
			to[n++] = c;
	}
	while (n && to[n - 1] == ' ')
		n--;
	to[n] = '\0';
}
