#include "tree/source_copy.h"

#include <dirent.h>
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/regular_file.h"
#include "tree/git_answer.h"

#define DEPTH 64 /* of folders within each other */

struct copying {
	const char *program; /* from the folder on */
	const char *ignored; /* paths that git ignores, each ending with a zero; folders with "/" */
	size_t n_ignored;    /* bytes of them */
	struct stat copy, around; /* the copy itself, and the folder that it is in */
};

static int is_one_of(const char *name, const char *const *names)
{
	for (; *names; names++)
		if (strcmp(name, *names) == 0)
			return 1;
	return 0;
}

static int is_ignored(const struct copying *c, const char *path)
{
	const size_t n = strlen(path);

	for (const char *p = c->ignored; p && p < c->ignored + c->n_ignored; p += strlen(p) + 1)
		if (strncmp(p, path, n) == 0 && (!p[n] || strcmp(p + n, "/") == 0))
			return 1;
	return 0;
}

/* Did a compiler make it, and will again? */
static int is_compiled(const struct copying *c, int fd, const char *path)
{
	unsigned char head[EI_NIDENT + 2];

	if (sd_regular_file_bytes(fd, head, sizeof head, 0) != sizeof head ||
		memcmp(head, ELFMAG, SELFMAG) != 0)
		return 0;
	return head[EI_NIDENT + (head[EI_DATA] == ELFDATA2MSB)] == ET_REL ||
	       strcmp(path, c->program) == 0;
}

static int copy_bytes(int from, int to, const struct stat *st)
{
	const struct timespec times[2] = {st->st_atim, st->st_mtim};
	ssize_t n = 1;

	while (n > 0) {
		n = sendfile(to, from, NULL, (size_t)1 << 30);
		if (n < 0 && errno == EINTR)
			n = 1;
	}
	return n < 0 || fchmod(to, st->st_mode & 07777) != 0 || futimens(to, times) != 0 ? -errno
											 : 0;
}

static int copy_file(
	const struct copying *c, int from_dir, int to_dir, const char *name, const char *path)
{
	struct stat st;
	const int from = sd_regular_file_open_at(from_dir, name, O_NOFOLLOW, &st);
	int to, rc = 0;

	if (from < 0)
		return from;
	if (!is_compiled(c, from, path)) {
		to = openat(to_dir, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
		rc = to < 0 ? -errno : copy_bytes(from, to, &st);
		if (to >= 0 && close(to) != 0 && !rc)
			rc = -errno;
	}
	close(from);
	return rc;
}

static int copy_link(int from_dir, int to_dir, const char *name)
{
	char target[PATH_MAX];
	const ssize_t n = readlinkat(from_dir, name, target, sizeof target - 1);

	if (n < 0)
		return -errno;
	target[n] = '\0';
	return symlinkat(target, to_dir, name) != 0 ? -errno : 0;
}

/* Is the folder one that a build was configured in? */
static int is_build(int dir)
{
	static const char *const marks[] = {"CMakeCache.txt", "meson-info", "CACHEDIR.TAG"};

	for (size_t i = 0; i < sizeof marks / sizeof *marks; i++)
		if (faccessat(dir, marks[i], F_OK, AT_SYMLINK_NOFOLLOW) == 0)
			return 1;
	return 0;
}

static int is_same(const struct stat *a, const struct stat *b)
{
	return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

static int copy_all(const struct copying *c, int from, int to, const char *path, unsigned depth);

static int copy_folder(const struct copying *c, int from_dir, int to_dir, const char *name,
	const char *path, unsigned depth)
{
	const int from = openat(from_dir, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	struct stat st;
	int to = -1, rc = 0;

	if (from < 0 || fstat(from, &st) != 0)
		rc = -errno;
	else if (!is_same(&st, &c->copy) && !is_same(&st, &c->around) && !is_build(from)) {
		if (mkdirat(to_dir, name, 0700) != 0 ||
			(to = openat(to_dir, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC)) < 0)
			rc = -errno;
		rc = rc ? rc : copy_all(c, from, to, path, depth + 1);
		if (!rc && fchmod(to, (st.st_mode & 07777) | S_IRWXU) != 0)
			rc = -errno;
	}
	if (from >= 0)
		close(from);
	if (to >= 0)
		close(to);
	return rc;
}

static int copy_one(const struct copying *c, int from, int to, const char *name, const char *folder,
	unsigned depth)
{
	static const char *const not_sources[] = {
		".", "..", ".git", ".hg", ".svn", "CMakeCache.txt", "CMakeFiles", NULL};
	struct stat st;
	char *path;
	int rc = 0;

	if (is_one_of(name, not_sources))
		return 0;
	if (fstatat(from, name, &st, AT_SYMLINK_NOFOLLOW) != 0)
		return errno == ENOENT ? 0 : -errno; /* it has just been removed */
	if (asprintf(&path, "%s%s%s", folder, *folder ? "/" : "", name) < 0)
		return -ENOMEM;
	if (is_ignored(c, path))
		;
	else if (S_ISREG(st.st_mode))
		rc = copy_file(c, from, to, name, path);
	else if (S_ISLNK(st.st_mode))
		rc = copy_link(from, to, name);
	else if (S_ISDIR(st.st_mode))
		rc = copy_folder(c, from, to, name, path, depth);
	free(path);
	return rc;
}

static int copy_all(const struct copying *c, int from, int to, const char *path, unsigned depth)
{
	const int listed = depth < DEPTH ? fcntl(from, F_DUPFD_CLOEXEC, 0) : -1;
	DIR *const d = listed < 0 ? NULL : fdopendir(listed);
	const struct dirent *one;
	int rc = d ? 0 : depth < DEPTH ? -errno : -ELOOP;

	while (!rc && (one = readdir(d)))
		rc = copy_one(c, from, to, one->d_name, path, depth);
	if (d)
		closedir(d);
	else if (listed >= 0)
		close(listed);
	return rc;
}

int sd_source_copy(const char *from, const char *to, const char *program)
{
	static const char *const words[] = {"ls-files", "-z", "--others", "--ignored",
		"--exclude-standard", "--directory", NULL};
	struct copying c = {.program = program};
	const int source = open(from, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	char *ignored = NULL;
	int copy = -1, rc = source < 0 ? -errno : 0;

	if (!rc && (mkdir(to, 0700) != 0 ||
			   (copy = open(to, O_RDONLY | O_DIRECTORY | O_CLOEXEC)) < 0 ||
			   fstat(copy, &c.copy) != 0 || fstatat(copy, "..", &c.around, 0) != 0))
		rc = -errno;
	if (!rc) {
		rc = sd_git_answer(from, words, &ignored, &c.n_ignored);
		c.ignored = ignored;
		/* without git nothing is ignored */
		rc = rc && rc != -ENOENT ? rc : copy_all(&c, source, copy, "", 0);
	}
	free(ignored);
	if (source >= 0)
		close(source);
	if (copy >= 0)
		close(copy);
	return rc;
}
