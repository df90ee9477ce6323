#include "record/atomic_file.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <libgen.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* What a person can do about an error. */
static const struct {
	int error;
	const char *advice;
} advices[] = {
	{ENOSPC, "free some space there, or choose another place"},
	{EDQUOT, "your disk quota is used up: free some space, or choose another place"},
	{EFBIG, "the limit of file sizes is reached: see `ulimit -f`, or choose another place"},
	{EROFS, "choose another place"},
	{EACCES, "choose a folder you may write to"},
	{EPERM, "choose a folder you may write to"},
	{ENOENT, "create the folder first, or choose another place"},
	{ENOTDIR, "choose another place"},
	{EISDIR, "give the name of a file"},
	{EEXIST, "it is there, but is no regular file: choose another name"},
	{ENAMETOOLONG, "choose a shorter name"},
	{EIO, "the disk failed: choose another place"},
	{EINVAL, "this is a fault of scalediag: please report it"},
};

static int failed(const char *path, const char *what, int error, const struct sd_sink *sink)
{
	const char *advice = "choose another place";

	for (size_t i = 0; i < sizeof advices / sizeof *advices; i++)
		if (advices[i].error == error)
			advice = advices[i].advice;
	sd_say(sink, SD_LEVEL_ERROR, "%s: cannot write the %s: %s; %s", path, what, strerror(error),
		advice);
	return -error;
}

/* The place to replace: what a link points to, so that the link stays. A fresh string or NULL with
 * errno. */
static char *resolve(const char *path)
{
	struct stat st;

	if (lstat(path, &st) != 0)
		return errno == ENOENT ? strdup(path) : NULL;
	if (S_ISLNK(st.st_mode) && stat(path, &st) == 0)
		return S_ISREG(st.st_mode) ? realpath(path, NULL) : (errno = EEXIST, NULL);
	if (S_ISDIR(st.st_mode))
		errno = EISDIR;
	else if (!S_ISREG(st.st_mode) && !S_ISLNK(st.st_mode))
		errno = EEXIST;
	else
		return strdup(path);
	return NULL;
}

/* The folder of a path, with its final slash, or "./"; a fresh string or NULL. */
static char *folder_of(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? strndup(path, (size_t)(slash - path) + 1) : strdup("./");
}

/* Why there is no such folder: what refuses to hold it, or ENOENT when it could be made. */
static int why_missing(const char *folder)
{
	char *copy = strdup(folder), *above = copy;
	int error = copy ? ENOENT : ENOMEM;

	while (error == ENOENT && above[1]) {
		above = dirname(above);
		if (access(above, W_OK | X_OK) == 0)
			break;
		error = errno;
	}
	free(copy);
	return error;
}

/* A new file in the folder under a name nobody uses; its descriptor or -errno, *name a fresh
 * string. */
static int create_temporary(const char *folder, char **name)
{
	*name = NULL;
	for (int i = 0; i < 100; i++) {
		uint64_t r;
		int fd;

		if (getrandom(&r, sizeof r, 0) != sizeof r)
			return -EIO;
		if (asprintf(name, "%s.scalediag-%016" PRIx64 ".tmp", folder, r) < 0) {
			*name = NULL;
			return -ENOMEM;
		}
		fd = open(*name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0666);
		if (fd >= 0)
			return fd;
		fd = -errno;
		free(*name);
		*name = NULL;
		if (fd != -EEXIST)
			return fd == -ENOENT ? -why_missing(folder) : fd;
	}
	return -EEXIST;
}

/* Writes and syncs; takes the descriptor. 0 or -errno. */
static int fill(int fd, sd_atomic_file_fn put, const void *data)
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
	if (!rc && fflush(f) != 0)
		rc = -EIO;
	if (!rc && fsync(fd) != 0)
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

static int replace(const char *target, sd_atomic_file_fn put, const void *data)
{
	char *folder = folder_of(target), *name = NULL;
	int rc = -ENOMEM, fd;

	if (!folder)
		goto out;
	fd = create_temporary(folder, &name);
	if (fd < 0 || !name) {
		rc = fd;
		goto out;
	}
	rc = fill(fd, put, data);
	if (!rc && rename(name, target) != 0)
		rc = -errno;
	if (rc)
		unlink(name);
	else
		rc = sync_folder(folder);
out:
	free(name);
	free(folder);
	return rc;
}

int sd_atomic_file_write(const char *path, const char *what, sd_atomic_file_fn put,
	const void *data, const struct sd_sink *sink)
{
	/* past `ulimit -f` the kernel sends SIGXFSZ, which would end us before we could say so */
	static const struct timespec now = {0};
	sigset_t limit, before;
	char *target;
	int rc;

	sigemptyset(&limit);
	sigaddset(&limit, SIGXFSZ);
	pthread_sigmask(SIG_BLOCK, &limit, &before);
	target = resolve(path);
	rc = target ? replace(target, put, data) : -errno;
	if (rc == -EFBIG && !sigismember(&before, SIGXFSZ))
		sigtimedwait(&limit, NULL, &now);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	free(target);
	return rc ? failed(path, what, -rc, sink) : 0;
}

int sd_atomic_file_check(const char *path, const char *what, const struct sd_sink *sink)
{
	char *target = resolve(path), *folder = target ? folder_of(target) : NULL, *name = NULL;
	int rc = target ? -ENOMEM : -errno, fd;

	if (folder) {
		fd = create_temporary(folder, &name);
		rc = fd < 0 ? fd : 0;
		if (fd >= 0 && name) {
			close(fd);
			unlink(name);
		}
	}
	free(name);
	free(folder);
	free(target);
	return rc ? failed(path, what, -rc, sink) : 0;
}
