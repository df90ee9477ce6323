#include "experiment/input_files.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/regular_file.h"
#include "launch/descendants.h"
#include "experiment/page_cache.h"

#define CHUNK ((size_t)1 << 20)
#define CHILDREN 256u

void sd_input_files_free(struct sd_input_files *in)
{
	sd_texts_free(&in->path);
	*in = (struct sd_input_files){0};
}

/* ---- which ---- */

/*
 * Files of the kernel's own file systems have no pages on any disk, and those of the C library
 * (locales, character sets, host names) every program has.
 */
static int is_input(const char *path)
{
	static const char *const others[] = {"/proc/", "/sys/", "/dev/", "/lib/", "/lib64/",
		"/usr/lib/", "/usr/lib64/", "/usr/share/locale/", "/etc/"};
	struct stat st;

	for (size_t i = 0; i < sizeof others / sizeof *others; i++)
		if (strncmp(path, others[i], strlen(others[i])) == 0)
			return 0;
	return path[0] == '/' && stat(path, &st) == 0 && S_ISREG(st.st_mode) && st.st_size > 0;
}

static int add(struct sd_input_files *in, const char *path)
{
	if (in->path.n >= SD_INPUT_FILES_MOST || !is_input(path))
		return 0;
	return sd_texts_add_once(&in->path, path);
}

static int add_named(struct sd_input_files *in, const char *name, const char *folder)
{
	char *path = NULL, *real = NULL;
	int rc = 0;

	if (!*name)
		return 0;
	if (asprintf(&path, "%s%s%s", *name == '/' ? "" : folder, *name == '/' ? "" : "/", name) <
		0)
		return -ENOMEM;
	real = realpath(path, NULL);
	if (real)
		rc = add(in, real);
	free(path);
	free(real);
	return rc;
}

int sd_input_files_named(struct sd_input_files *in, char *const *argv, size_t argc, const char *cwd)
{
	int rc = 0;

	for (size_t i = 1; i < argc && !rc; i++) {
		const char *value = strchr(argv[i], '=');

		rc = add_named(in, argv[i], cwd ? cwd : ".");
		if (!rc && value)
			rc = add_named(in, value + 1, cwd ? cwd : ".");
	}
	return rc;
}

/* The open mode is the permission of the link in /proc/PID/fd: its owner's read bit. */
static void look_open(struct sd_input_files *in, pid_t pid)
{
	char folder[64], path[PATH_MAX];
	const struct dirent *d;
	DIR *dir;

	snprintf(folder, sizeof folder, "/proc/%d/fd", (int)pid);
	dir = opendir(folder);
	while (dir && (d = readdir(dir))) {
		struct stat link;
		ssize_t n;

		if (d->d_name[0] == '.' || (d->d_name[0] <= '2' && !d->d_name[1]) ||
			fstatat(dirfd(dir), d->d_name, &link, AT_SYMLINK_NOFOLLOW) ||
			!(link.st_mode & S_IRUSR))
			continue;
		n = readlinkat(dirfd(dir), d->d_name, path, sizeof path - 1);
		path[n < 0 ? 0 : n] = '\0';
		(void)add(in, path); /* one more or less */
	}
	if (dir)
		closedir(dir);
}

/*
 * Lines "from-to perms offset dev inode   path". What has a part that is executed is code, and was
 * loaded with the program; the kernel lists the parts of one file one after the other.
 */
static void look_mapped(struct sd_input_files *in, pid_t pid)
{
	char line[PATH_MAX + 128], last[PATH_MAX] = "", name[64];
	int code = 0;
	FILE *f;

	snprintf(name, sizeof name, "/proc/%d/maps", (int)pid);
	f = fopen(name, "re");
	while (f && fgets(line, sizeof line, f)) {
		char *path = strchr(line, '/'), *perms = strchr(line, ' ');

		if (!path || !perms || perms > path)
			continue;
		path[strcspn(path, "\n")] = '\0';
		if (strcmp(path, last) != 0) {
			if (last[0] && !code)
				(void)add(in, last);
			snprintf(last, sizeof last, "%s", path);
			code = 0;
		}
		code |= perms[3] == 'x';
	}
	if (last[0] && !code)
		(void)add(in, last);
	if (f)
		fclose(f);
}

static void look_below(struct sd_input_files *in, pid_t root, unsigned deep)
{
	pid_t child[CHILDREN];
	const size_t n = sd_descendants_children(root, child, CHILDREN);

	for (size_t i = 0; i < n && in->path.n < SD_INPUT_FILES_MOST; i++) {
		look_open(in, child[i]);
		look_mapped(in, child[i]);
		if (deep)
			look_below(in, child[i], deep - 1);
	}
}

void sd_input_files_look(struct sd_input_files *in, pid_t root)
{
	in->looked = 1;
	look_below(in, root, 4); /* a script, a launcher, a helper of it */
}

/* ---- what of them ---- */

/* Negative when it is not there any more. */
static int open_input(const char *path, struct stat *st)
{
	return sd_regular_file_open(path, O_NOFOLLOW, st);
}

struct sd_input_files_cached sd_input_files_cached(const struct sd_input_files *in)
{
	struct sd_input_files_cached all = {.cached = SD_NOT(ABSENT)};
	struct sd_value sum = SD_OK(0);

	for (size_t i = 0; i < in->path.n; i++) {
		struct stat st;
		const int fd = open_input(in->path.text[i], &st);

		if (fd >= 0) {
			const struct sd_value v = sd_page_cache_bytes(fd, (double)st.st_size);

			all.files++;
			all.bytes += (double)st.st_size;
			sum = !sd_has(sum) ? sum : !sd_has(v) ? v : SD_OK(sum.value + v.value);
		}
		if (fd >= 0)
			close(fd);
	}
	if (all.bytes > 0)
		all.cached = sd_has(sum) ? SD_OK(sum.value / all.bytes) : sum;
	return all;
}

int sd_input_files_read(const struct sd_input_files *in, const volatile sig_atomic_t *stop)
{
	char *buffer = malloc(CHUNK);
	int rc = buffer ? 0 : -ENOMEM;

	for (size_t i = 0; i < in->path.n && !rc; i++) {
		const int fd = open_input(in->path.text[i], NULL);

		while (fd >= 0 && !rc && read(fd, buffer, CHUNK) > 0)
			rc = stop && *stop ? -EINTR : 0;
		if (fd >= 0)
			close(fd);
	}
	free(buffer);
	return rc;
}
