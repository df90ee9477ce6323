#include "output/output_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/number.h"
#include "output/output_aside.h"
#include "output/output_message.h"
#include "output/output_signals.h"

/* ---- what is there --------------------------------------------------------------------------- */

/* The descriptor that a path names by its number, -1: none. */
static int named_descriptor(const char *path)
{
	static const char *const folders[] = {"/dev/fd/", "/proc/self/fd/"};
	uint64_t fd;

	if (strcmp(path, "-") == 0 || strcmp(path, "/dev/stdout") == 0)
		return STDOUT_FILENO;
	if (strcmp(path, "/dev/stderr") == 0)
		return STDERR_FILENO;
	for (size_t i = 0; i < sizeof folders / sizeof *folders; i++)
		if (strncmp(path, folders[i], strlen(folders[i])) == 0 &&
			sd_number_u64(path + strlen(folders[i]), 0, 1 << 20, &fd) == 0)
			return (int)fd;
	return -1;
}

/* Its first bytes; -1 when it cannot be read, or is another one by now. */
static ssize_t read_head(const char *path, const struct stat *seen, char *head, size_t size)
{
	const int fd = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	struct stat st;
	ssize_t n = -1;

	if (fd < 0)
		return -1;
	if (fstat(fd, &st) == 0 && st.st_dev == seen->st_dev && st.st_ino == seen->st_ino)
		n = pread(fd, head, size, 0);
	close(fd);
	return n;
}

/* A program prints anything: that file is known by its name, which carries ours, and its owner. */
static int is_printed(const char *path, const struct stat *st)
{
	const char *const slash = strrchr(path, '/');

	return strstr(slash ? slash : path, ".scalediag.") != NULL &&
	       (geteuid() == 0 || st->st_uid == geteuid());
}

static int is_ours(const char *path, enum sd_output_kind kind, const struct stat *st)
{
	char head[SD_OUTPUT_KIND_HEAD];
	ssize_t n;

	if (kind == SD_OUTPUT_PRINTED)
		return is_printed(path, st);
	n = read_head(path, st, head, sizeof head);
	return n >= 0 && sd_output_kind_recognise(kind, head, (size_t)n);
}

enum sd_output_there sd_output_file_look(
	const char *path, enum sd_output_kind kind, struct stat *st)
{
	const int stream = sd_output_kind_info[kind].stream;

	if (stream && named_descriptor(path) >= 0)
		return SD_OUTPUT_STREAM;
	if (lstat(path, st) != 0)
		return errno == ENOENT ? SD_OUTPUT_NOTHING : SD_OUTPUT_UNKNOWN;
	if (S_ISLNK(st->st_mode))
		return SD_OUTPUT_LINK;
	if (S_ISDIR(st->st_mode))
		return SD_OUTPUT_FOLDER;
	if (stream && (S_ISFIFO(st->st_mode) || S_ISCHR(st->st_mode)))
		return SD_OUTPUT_STREAM;
	if (!S_ISREG(st->st_mode))
		return SD_OUTPUT_SPECIAL;
	return is_ours(path, kind, st) ? SD_OUTPUT_OURS : SD_OUTPUT_FOREIGN;
}

/* ---- writing ---- */

/* Writes and syncs; takes the descriptor. 0 or -errno. */
static int fill(int fd, int sync, sd_output_file_fn put, const void *data)
{
	FILE *f = fdopen(fd, "w");
	int rc;

	if (!f) {
		rc = -errno;
		close(fd);
		return rc;
	}
	errno = 0;
	rc = put(f, data);
	if (!rc && (fflush(f) != 0 || ferror(f)))
		rc = -EIO;
	if (!rc && sync && fsync(fd) != 0)
		rc = -EIO;
	if (rc == -EIO && errno)
		rc = -errno;
	errno = 0;
	/* a network file system may report a full disk only now */
	if (fclose(f) != 0 && !rc)
		rc = errno ? -errno : -EIO;
	return rc;
}

/* The new name of a file is on the disk only when its folder is. Not every file system syncs
 * folders. */
static int sync_folder(const char *folder)
{
	const int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	int rc = 0;

	if (fd < 0)
		return errno == EACCES ? 0 : -errno; /* writable, but not readable */
	if (fsync(fd) != 0 && errno != EINVAL && errno != ENOTSUP && errno != EROFS)
		rc = -errno;
	close(fd);
	return rc;
}

static int replace(const char *path, const struct sd_output_kind_info *kind, const struct stat *old,
	sd_output_file_fn put, const void *data, int *kept)
{
	struct sd_output_aside a;
	int fd, own = -1, rc = sd_output_aside_begin(&a, path);

	if (!rc)
		rc = sd_output_aside_open(&a, old ? 0600 : kind->mode);
	if (!rc && old)
		rc = sd_output_aside_like(&a, old);
	if (!rc) {
		own = kept ? fcntl(a.fd, F_DUPFD_CLOEXEC, 3) : -1;
		fd = a.fd;
		a.fd = -1;
		rc = fill(fd, kind->sync, put, data);
	}
	if (!rc)
		rc = sd_output_aside_rename(&a, path, !old);
	if (!rc && kind->sync)
		rc = sync_folder(a.folder);
	sd_output_aside_end(&a);
	if (rc && own >= 0)
		close(own);
	else if (kept)
		*kept = own;
	return rc;
}

/* ---- for others ------------------------------------------------------------------------------ */

/* Writes to a stream; a descriptor that was opened for us stays open. */
static int write_stream(const char *path, sd_output_file_fn put, const void *data)
{
	const int named = named_descriptor(path);
	int fd;

	if (named == STDOUT_FILENO)
		fflush(stdout);
	fd = named >= 0 ? fcntl(named, F_DUPFD_CLOEXEC, 3)
			: open(path, O_WRONLY | O_NOFOLLOW | O_NOCTTY | O_CLOEXEC);
	return fd < 0 ? -errno : fill(fd, 0, put, data);
}

int sd_output_file_write_open(const char *path, enum sd_output_kind kind, sd_output_file_fn put,
	const void *data, int *kept, const struct sd_sink *sink)
{
	enum sd_output_there there;
	struct sd_output_signals held;
	struct stat old;
	int rc;

	there = sd_output_file_look(path, kind, &old);
	rc = sd_output_file_refuse(path, kind, there, sink);
	if (rc)
		return rc;
	/* a stream may block for ever, and is interrupted */
	sd_output_signals_hold(&held, there != SD_OUTPUT_STREAM);
	if (there == SD_OUTPUT_STREAM)
		rc = write_stream(path, put, data);
	else
		rc = replace(path, &sd_output_kind_info[kind],
			there == SD_OUTPUT_OURS ? &old : NULL, put, data, kept);
	sd_output_signals_release(&held, rc);
	return rc ? sd_output_message_failed(path, kind, rc, sink) : 0;
}

int sd_output_file_write(const char *path, enum sd_output_kind kind, sd_output_file_fn put,
	const void *data, const struct sd_sink *sink)
{
	return sd_output_file_write_open(path, kind, put, data, NULL, sink);
}

int sd_output_file_check(
	const char *path, enum sd_output_kind kind, long room, const struct sd_sink *sink)
{
	struct stat st;
	struct sd_output_aside a;
	const enum sd_output_there there = sd_output_file_look(path, kind, &st);
	int rc = sd_output_file_refuse(path, kind, there, sink), full;

	if (rc || there == SD_OUTPUT_STREAM)
		return rc;
	rc = sd_output_aside_begin(&a, path);
	if (!rc)
		rc = sd_output_aside_open(&a, 0600);
	/* not every file system can reserve space; those that can say no in time */
	full = !rc && room > 0 ? posix_fallocate(a.fd, 0, room) : 0;
	if (full == ENOSPC || full == EDQUOT || full == EFBIG)
		rc = -full;
	sd_output_aside_end(&a);
	return rc ? sd_output_message_failed(path, kind, rc, sink) : 0;
}

int sd_output_file_create(const char *path)
{
	struct stat old;
	struct sd_output_aside a;
	const enum sd_output_there there = sd_output_file_look(path, SD_OUTPUT_PRINTED, &old);
	int fd, rc = sd_output_file_refuse(path, SD_OUTPUT_PRINTED, there, NULL);

	if (rc)
		return rc;
	rc = sd_output_aside_begin(&a, path);
	if (!rc)
		rc = sd_output_aside_open(&a, sd_output_kind_info[SD_OUTPUT_PRINTED].mode);
	if (!rc && there == SD_OUTPUT_OURS)
		rc = sd_output_aside_like(&a, &old);
	if (!rc && fcntl(a.fd, F_SETFL, O_APPEND) != 0)
		rc = -errno;
	if (!rc)
		rc = sd_output_aside_rename(&a, path, there == SD_OUTPUT_NOTHING);
	fd = a.fd;
	if (!rc)
		a.fd = -1;
	sd_output_aside_end(&a);
	return rc ? rc : fd;
}

void sd_output_file_folders(const char *path)
{
	char *const folder = strdup(path);

	if (!folder)
		return;
	for (char *p = strchr(folder + 1, '/'); p; p = strchr(p + 1, '/')) {
		*p = '\0';
		(void)mkdir(folder, 0700);
		*p = '/';
	}
	free(folder);
}
