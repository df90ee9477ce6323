#include "output/folder_removal.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define DEEPEST 64 /* folders within folders */

static int open_folder(int at, const char *name)
{
	return openat(at, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
}

/* Takes the descriptor. */
static void empty(int fd, int depth)
{
	DIR *dir = fdopendir(fd);
	const struct dirent *d;

	if (!dir) {
		close(fd);
		return;
	}
	while ((d = readdir(dir))) {
		int inner;

		if (strcmp(d->d_name, ".") == 0 || strcmp(d->d_name, "..") == 0 ||
			unlinkat(dirfd(dir), d->d_name, 0) == 0 || depth >= DEEPEST)
			continue;
		inner = open_folder(dirfd(dir), d->d_name);
		if (inner >= 0)
			empty(inner, depth + 1);
		unlinkat(dirfd(dir), d->d_name, AT_REMOVEDIR);
	}
	closedir(dir);
}

int sd_folder_removal_at(int at, const char *name)
{
	const int fd = open_folder(at, name);

	if (fd < 0)
		return errno == ENOENT ? 0 : -errno;
	empty(fd, 0);
	return unlinkat(at, name, AT_REMOVEDIR) == 0 || errno == ENOENT ? 0 : -errno;
}

int sd_folder_removal_noted(int at, const char *folder, const char *name)
{
	struct stat st;

	(void)folder;
	if (fstatat(at, name, &st, AT_SYMLINK_NOFOLLOW) != 0 || !S_ISDIR(st.st_mode) ||
		st.st_uid != geteuid())
		return 0;
	return sd_folder_removal_at(at, name);
}
