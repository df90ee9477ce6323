#include "profile/profile_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int read_file(const char *path, char **text, size_t *size)
{
	const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	struct stat st = {0};
	size_t n = 0;
	char *p = NULL;
	int rc = fd < 0 ? -errno : fstat(fd, &st) != 0 ? -errno : 0;

	if (rc == 0 && !S_ISREG(st.st_mode))
		rc = S_ISDIR(st.st_mode) ? -EISDIR : -EINVAL;
	if (rc == 0 && (size_t)st.st_size > SD_PROFILE_BYTES)
		rc = -EFBIG;
	if (rc == 0 && !(p = malloc((size_t)st.st_size + 1)))
		rc = -ENOMEM;
	while (rc == 0 && n < (size_t)st.st_size) {
		const ssize_t got = read(fd, p + n, (size_t)st.st_size - n);

		if (got < 0 && errno != EINTR)
			rc = -errno;
		else if (got == 0)
			break;
		n += got > 0 ? (size_t)got : 0;
	}
	if (fd >= 0)
		close(fd);
	if (rc) {
		free(p);
		return rc;
	}
	*text = p;
	*size = n;
	return 0;
}

int sd_profile_read(const char *path, struct sd_profile *out, const struct sd_sink *sink)
{
	char *text = NULL;
	size_t size = 0;
	int rc = read_file(path, &text, &size);

	*out = (struct sd_profile){0};
	if (rc == 0)
		rc = sd_profile_parse(text, size, path, out, sink);
	else if (rc != -ENOENT)
		sd_say(sink, SD_LEVEL_ERROR, "%s: cannot read the profile: %s", path,
			rc == -EINVAL ? "it is no regular file" : strerror(-rc));
	free(text);
	return rc;
}
