#include "output/output_aside.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <libgen.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

/* Names of files written aside: .NAME.<16 hexadecimal digits>.scalediag-tmp */
#define TAIL ".scalediag-tmp"
#define DIGITS 16

static const char *base_of(const char *path)
{
	const char *const slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

int sd_output_aside_begin(struct sd_output_aside *a, const char *path)
{
	*a = (struct sd_output_aside){.fd = -1, .base = base_of(path)};
	a->folder = a->base > path ? strndup(path, (size_t)(a->base - path)) : strdup("./");
	return a->folder ? 0 : -ENOMEM;
}

void sd_output_aside_end(struct sd_output_aside *a)
{
	if (a->fd >= 0)
		close(a->fd);
	if (a->name)
		unlink(a->name);
	sd_leftover_note_close(&a->note);
	free(a->name);
	free(a->folder);
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

int sd_output_aside_open(struct sd_output_aside *a, mode_t mode)
{
	for (int i = 0; i < 100; i++) {
		uint64_t r;
		int error;

		if (getrandom(&r, sizeof r, 0) != sizeof r)
			return -EIO;
		/* a name may be as long as it can be already */
		if (asprintf(&a->name, "%s.%.200s.%016" PRIx64 TAIL, a->folder, a->base, r) < 0) {
			a->name = NULL;
			return -ENOMEM;
		}
		sd_leftover_note_open(&a->note, SD_LEFTOVER_ASIDE, a->name);
		a->fd = open(a->name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, mode);
		if (a->fd >= 0)
			return 0;
		error = errno;
		sd_leftover_note_close(&a->note);
		free(a->name);
		a->name = NULL;
		if (error != EEXIST)
			return error == ENOENT ? -why_missing(a->folder) : -error;
	}
	return -EEXIST;
}

int sd_output_aside_like(const struct sd_output_aside *a, const struct stat *old)
{
	mode_t mode = old->st_mode & 0777;
	struct stat st;

	if (fstat(a->fd, &st) != 0)
		return -errno;
	if ((st.st_uid != old->st_uid || st.st_gid != old->st_gid) &&
		fchown(a->fd, old->st_uid, old->st_gid) != 0 && st.st_gid != old->st_gid &&
		fchown(a->fd, (uid_t)-1, old->st_gid) != 0)
		mode &= ~(mode_t)070 | (mode & 07) << 3;
	return fchmod(a->fd, mode) == 0 ? 0 : -errno;
}

int sd_output_aside_rename(struct sd_output_aside *a, const char *path, int fresh)
{
	int rc = fresh ? renameat2(AT_FDCWD, a->name, AT_FDCWD, path, RENAME_NOREPLACE) : -1;

	if (rc != 0 && (!fresh || errno == EINVAL || errno == ENOSYS))
		rc = rename(a->name, path);
	if (rc != 0)
		return -errno;
	free(a->name);
	a->name = NULL;
	return 0;
}

/* .*.DIGITS TAIL */
static int is_name(const char *name)
{
	static const char digits[] = "0123456789abcdef";
	const size_t n = strlen(name), end = sizeof TAIL - 1 + DIGITS;

	return n > end + 2 && name[0] == '.' && name[n - end - 1] == '.' &&
	       strspn(name + n - end, digits) == DIGITS &&
	       strcmp(name + n - end + DIGITS, TAIL) == 0;
}

int sd_output_aside_noted(int fd, const char *folder, const char *name)
{
	struct stat st;

	(void)folder;
	if (!is_name(name) || fstatat(fd, name, &st, AT_SYMLINK_NOFOLLOW) != 0 ||
		!S_ISREG(st.st_mode) || st.st_uid != geteuid())
		return 0;
	return unlinkat(fd, name, 0) == 0 || errno == ENOENT ? 0 : -errno;
}

void sd_output_aside_sweep(const char *path)
{
	struct sd_output_aside a;
	char begin[256];
	const struct dirent *e;
	DIR *d;

	if (sd_output_aside_begin(&a, path) != 0)
		return;
	snprintf(begin, sizeof begin, ".%.200s.", a.base);
	d = opendir(a.folder);
	while (d && (e = readdir(d)) != NULL)
		if (strncmp(e->d_name, begin, strlen(begin)) == 0 &&
			strlen(e->d_name) == strlen(begin) + DIGITS + sizeof TAIL - 1)
			(void)sd_output_aside_noted(dirfd(d), a.folder, e->d_name);
	if (d)
		closedir(d);
	sd_output_aside_end(&a);
}
