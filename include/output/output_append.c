#include "output/output_append.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "output/output_message.h"
#include "output/output_signals.h"

int sd_output_append_begin(struct sd_output_append *a, const char *path, enum sd_output_kind kind,
	sd_output_file_fn put, const void *data, const struct sd_sink *sink)
{
	struct stat st;
	int fd = -1;
	const int rc = sd_output_file_write_open(path, kind, put, data, &fd, sink);

	*a = (struct sd_output_append){0};
	if (rc || fd < 0)
		return rc;
	/* without either it is as if another one were there */
	if (fstat(fd, &st) == 0 && fcntl(fd, F_SETFL, O_APPEND) == 0)
		*a = (struct sd_output_append){
			.is_open = 1, .fd = fd, .kind = kind, .path = path, .size = st.st_size};
	else
		close(fd);
	return 0;
}

static int is_still_there(const struct sd_output_append *a)
{
	struct stat mine, there;

	return fstat(a->fd, &mine) == 0 && mine.st_size == a->size && lstat(a->path, &there) == 0 &&
	       mine.st_dev == there.st_dev && mine.st_ino == there.st_ino;
}

static int put(int fd, const char *text, size_t n)
{
	while (n > 0) {
		const ssize_t done = write(fd, text, n);

		if (done < 0 && errno != EINTR)
			return -errno;
		text += done > 0 ? done : 0;
		n -= done > 0 ? (size_t)done : 0;
	}
	return 0;
}

int sd_output_append_add(
	struct sd_output_append *a, const char *text, size_t n, const struct sd_sink *sink)
{
	struct sd_output_signals held;
	int rc;

	if (!a->is_open)
		return -ESTALE;
	if (!is_still_there(a)) {
		sd_output_append_end(a);
		return -ESTALE;
	}
	sd_output_signals_hold(&held, 1);
	rc = put(a->fd, text, n);
	/* else a reader leaves out what has no end */
	if (rc)
		(void)!ftruncate(a->fd, a->size);
	sd_output_signals_release(&held, rc);
	a->size += (off_t)n;
	a->unsynced = 1;
	if (!rc)
		return 0;
	rc = sd_output_message_failed(a->path, a->kind, rc, sink);
	sd_output_append_end(a);
	return rc;
}

int sd_output_append_sync(struct sd_output_append *a, const struct sd_sink *sink)
{
	int rc = 0;

	if (!a->is_open || !a->unsynced)
		return 0;
	a->unsynced = 0;
	if (fdatasync(a->fd) != 0)
		rc = sd_output_message_failed(a->path, a->kind, -errno, sink);
	return rc;
}

void sd_output_append_end(struct sd_output_append *a)
{
	if (a->is_open)
		close(a->fd);
	*a = (struct sd_output_append){0};
}
