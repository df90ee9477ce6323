#include "trial/private_folder.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/regular_file.h"
#include "output/folder_removal.h"

/* bytes of all files together that are copied; beyond, they are linked */
#define COPY_MOST ((off_t)1 << 30)
#define MARK ".scalediag-copy" /* marks a folder as made by us */

/* Clones or copies one regular file. 0 or -errno. */
static int copy_file(int from_dir, int to_dir, const char *name, const struct stat *st)
{
	const int from = sd_regular_file_open_at(from_dir, name, O_NOFOLLOW, NULL);
	const int to =
		openat(to_dir, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, st->st_mode & 07777);
	ssize_t n = 1;
	int rc = 0;

	if (from < 0 || to < 0)
		rc = from < 0 ? from : -errno;
	else if (ioctl(to, FICLONE, from) != 0)
		while ((n = copy_file_range(from, NULL, to, NULL, (size_t)1 << 30, 0)) > 0)
			;
	if (!rc && n < 0)
		rc = -errno;
	if (from >= 0)
		close(from);
	if (to >= 0)
		close(to);
	return rc;
}

static int link_to(int to_dir, const char *folder, const char *name)
{
	char *target = NULL;
	int rc;

	if (asprintf(&target, "%s/%s", folder, name) < 0)
		return -ENOMEM;
	rc = symlinkat(target, to_dir, name) ? -errno : 0;
	free(target);
	return rc;
}

static int fill(DIR *from, const char *folder, int to_dir)
{
	const struct dirent *d;
	off_t copied = 0;
	int rc = 0;

	while (!rc && (d = readdir(from))) {
		struct stat st;

		if (strcmp(d->d_name, ".") == 0 || strcmp(d->d_name, "..") == 0 ||
			strcmp(d->d_name, MARK) == 0)
			continue;
		if (fstatat(dirfd(from), d->d_name, &st, AT_SYMLINK_NOFOLLOW))
			continue; /* it has just been removed */
		if (S_ISREG(st.st_mode) && d->d_name[0] != '.' &&
			copied + st.st_size <= COPY_MOST &&
			copy_file(dirfd(from), to_dir, d->d_name, &st) == 0)
			copied += st.st_size;
		else if (unlinkat(to_dir, d->d_name, 0) == 0 || errno == ENOENT)
			rc = link_to(to_dir, folder, d->d_name);
	}
	return rc;
}

int sd_private_folder_left(int at, const char *name)
{
	const int fd = openat(at, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	struct stat st;
	int ours;

	if (fd < 0)
		return errno == ENOENT ? 0 : -EEXIST;
	ours = fstatat(fd, MARK, &st, AT_SYMLINK_NOFOLLOW) == 0 && S_ISREG(st.st_mode) &&
	       st.st_uid == geteuid();
	close(fd);
	return ours ? sd_folder_removal_at(at, name) : -EEXIST;
}

static int make_folder(const char *path)
{
	int rc = mkdir(path, 0700) ? -errno : 0;

	if (rc == -EEXIST && (rc = sd_private_folder_left(AT_FDCWD, path)) == 0)
		rc = mkdir(path, 0700) ? -errno : 0;
	return rc;
}

/* Call while the folder is still empty. */
static int put_mark(int folder)
{
	const int fd = openat(folder, MARK, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);

	if (fd >= 0)
		close(fd);
	return fd < 0 ? -errno : 0;
}

/* path, filled from `folder`, which `from` lists. */
static int make_from(struct sd_private_folder *f, const char *path, DIR *from, const char *folder)
{
	int to = -1, rc = make_folder(path);

	if (!rc && !(f->path = realpath(path, NULL)))
		rc = -ENOMEM;
	if (!rc && (to = open(f->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)) < 0)
		rc = -errno;
	if (!rc)
		rc = put_mark(to);
	if (!rc)
		rc = fill(from, folder, to);
	if (to >= 0)
		close(to);
	return rc;
}

int sd_private_folder_make(
	struct sd_private_folder *f, char *path, const char *from, const struct sd_sink *sink)
{
	char *const folder = path ? realpath(from ? from : ".", NULL) : NULL;
	/* opened before the new folder is made, which may lie inside this one */
	DIR *const dir = folder ? opendir(folder) : NULL;
	int rc = path ? -errno : -ENOMEM;

	*f = (struct sd_private_folder){0};
	if (dir)
		rc = make_from(f, path, dir, folder);
	if (rc)
		sd_say(sink, SD_LEVEL_WARNING, "cannot make the folder of a copy %s: %s%s",
			path ? path : "", strerror(-rc),
			rc == -EEXIST
				? "; it is not ours: remove it, or name another record with -o"
				: "");
	if (dir)
		closedir(dir);
	free(folder);
	free(path);
	return rc;
}

void sd_private_folder_free(struct sd_private_folder *f)
{
	if (f->path)
		(void)sd_folder_removal_at(AT_FDCWD, f->path);
	free(f->path);
	*f = (struct sd_private_folder){0};
}
