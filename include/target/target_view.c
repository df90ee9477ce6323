#include "target/target_view.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdint.h>
#include <linux/magic.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/fsuid.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "base/regular_file.h"

#define NOBODY_SET ((uid_t)-1) /* setfsuid() of it only asks */

/* ---- views ----------------------------------------------------------------------------------- */

void sd_target_view_ours(struct sd_target_view *v)
{
	*v = (struct sd_target_view){.root = -1, .user = geteuid(), .group = getegid()};
}

static int open_root(struct sd_target_view *v, const char *path)
{
	struct stat st;

	v->root = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (v->root < 0)
		return -errno;
	if (fstat(v->root, &st) == 0) {
		v->device = st.st_dev;
		v->inode = st.st_ino;
	}
	return 0;
}

/* Takes from a line of /proc/PID/status the identity that the process's own opens are judged by. */
static void take_line(struct sd_target_view *v, const char *line)
{
	unsigned real, effective, saved, file;
	int at = 0, n = 0;

	if (sscanf(line, "Uid: %u %u %u %u", &real, &effective, &saved, &file) == 4)
		v->user = file;
	else if (sscanf(line, "Gid: %u %u %u %u", &real, &effective, &saved, &file) == 4)
		v->group = file;
	else if (strncmp(line, "Groups:", 7) == 0)
		for (at = 7;
			v->n_extra < SD_TARGET_GROUPS && sscanf(line + at, "%u%n", &file, &n) == 1;
			at += n)
			v->extra[v->n_extra++] = file;
}

static int read_identity(struct sd_target_view *v, pid_t pid)
{
	char path[64], *line = NULL;
	size_t room = 0;
	FILE *f;

	snprintf(path, sizeof path, "/proc/%d/status", (int)pid);
	f = fopen(path, "re");
	if (!f)
		return -errno;
	v->user = NOBODY_SET;
	while (getline(&line, &room, f) > 0)
		take_line(v, line);
	free(line);
	fclose(f);
	return v->user == NOBODY_SET ? -ESRCH : 0;
}

/* The process's working folder, where that is a name below our root too; owned. NULL: unknown. */
static char *folder_of(pid_t pid)
{
	char path[64], text[PATH_MAX];
	ssize_t n;

	snprintf(path, sizeof path, "/proc/%d/cwd", (int)pid);
	n = readlink(path, text, sizeof text - 1);
	text[n < 0 ? 0 : n] = '\0';
	return text[0] == '/' ? strdup(text) : NULL;
}

/* The same root and mounts as ours need no descriptor. */
static void drop_own_root(struct sd_target_view *v)
{
	struct stat root, mounts;

	if (stat("/", &root) != 0 || stat("/proc/self/ns/mnt", &mounts) != 0 ||
		root.st_dev != v->device || root.st_ino != v->inode ||
		mounts.st_dev != v->mounts_device || mounts.st_ino != v->mounts)
		return;
	close(v->root);
	v->root = -1;
}

int sd_target_view_of(struct sd_target_view *v, pid_t pid)
{
	char path[64];
	struct stat st;
	int rc;

	*v = (struct sd_target_view){.root = -1};
	snprintf(path, sizeof path, "/proc/%d/root", (int)pid);
	rc = open_root(v, path);
	snprintf(path, sizeof path, "/proc/%d/ns/mnt", (int)pid);
	if (!rc && stat(path, &st) != 0)
		rc = -errno;
	if (!rc)
		rc = read_identity(v, pid);
	if (rc) {
		sd_target_view_close(v);
		return rc;
	}
	v->mounts_device = st.st_dev;
	v->mounts = st.st_ino;
	drop_own_root(v);
	if (v->root < 0)
		v->folder = folder_of(pid);
	return 0;
}

void sd_target_view_close(struct sd_target_view *v)
{
	if (v->root >= 0)
		close(v->root);
	free(v->folder);
	*v = (struct sd_target_view){.root = -1};
}

int sd_target_view_is_ours(const struct sd_target_view *v)
{
	return v->root < 0;
}

int sd_target_view_same(const struct sd_target_view *a, const struct sd_target_view *b)
{
	return a->user == b->user && a->group == b->group && a->n_extra == b->n_extra &&
	       memcmp(a->extra, b->extra, a->n_extra * sizeof *a->extra) == 0 &&
	       (a->root < 0) == (b->root < 0) && a->device == b->device && a->inode == b->inode &&
	       a->mounts_device == b->mounts_device && a->mounts == b->mounts &&
	       (a->folder == NULL) == (b->folder == NULL) &&
	       (!a->folder || strcmp(a->folder, b->folder) == 0);
}

/* ---- the identity ---------------------------------------------------------------------------- */

struct identity {
	uid_t user;
	gid_t group;
	const gid_t *extra;
	size_t n_extra;
};

/* Whose rights count: the process's, and of root's process those of who wrote the name down. */
static struct identity judged(const struct sd_target_view *v, const struct stat *author)
{
	if (v->user == 0 && author && author->st_uid != 0)
		return (struct identity){.user = author->st_uid, .group = author->st_gid};
	return (struct identity){v->user, v->group, v->extra, v->n_extra};
}

/* Sets the groups of this thread alone; the C library's setgroups() changes every thread's. */
static int set_groups(const gid_t *group, size_t n)
{
	return syscall(SYS_setgroups, (long)n, group) == 0 ? 0 : -errno;
}

/* The identity that this thread had before. */
struct before {
	int changed;
	uid_t user;
	gid_t group;
	int n;
	gid_t *extra; /* owned */
};

static void go_back(struct before *b)
{
	const int error = errno;

	if (b->changed) {
		(void)setfsuid(b->user);
		(void)setfsgid(b->group);
		(void)set_groups(b->extra, (size_t)b->n);
	}
	free(b->extra);
	errno = error;
}

/* Only root reads more than another: an unprivileged user opens what is his to open. */
static int take_on(const struct identity *who, struct before *b)
{
	int rc;

	*b = (struct before){0};
	if (geteuid() != 0 || who->user == 0)
		return 0;
	b->n = getgroups(0, NULL);
	b->extra = calloc((size_t)(b->n > 0 ? b->n : 0) + 1, sizeof *b->extra);
	if (!b->extra || b->n < 0 || getgroups(b->n, b->extra) != b->n) {
		free(b->extra);
		return -ENOMEM;
	}
	b->user = (uid_t)setfsuid(NOBODY_SET);
	b->group = (gid_t)setfsgid(NOBODY_SET);
	b->changed = 1;
	rc = set_groups(who->extra, who->n_extra);
	(void)setfsgid(who->group);
	(void)setfsuid(who->user); /* last: it takes away the right to read everything */
	if (!rc && (uid_t)setfsuid(NOBODY_SET) == who->user &&
		(gid_t)setfsgid(NOBODY_SET) == who->group)
		return 0;
	go_back(b);
	return -EPERM;
}

/* ---- the file -------------------------------------------------------------------------------- */

static long open_in_root(int root, const char *path, int flags)
{
	struct open_how how = {.flags = (uint64_t)(O_PATH | O_CLOEXEC | (flags & O_NOFOLLOW)),
		.resolve = RESOLVE_NO_MAGICLINKS | (root >= 0 ? RESOLVE_IN_ROOT : 0)};

	return syscall(SYS_openat2, root >= 0 ? root : AT_FDCWD, path, &how, sizeof how);
}

/* Part by part, through no link and not upwards, where the kernel has no openat2(): before 5.6, and
 * in containers that forbid it. */
static int walk(int root, const char *path)
{
	int at = fcntl(root, F_DUPFD_CLOEXEC, 3);

	for (path += strspn(path, "/"); at >= 0 && *path; path += strspn(path, "/")) {
		const size_t n = strcspn(path, "/");
		char part[NAME_MAX + 1];
		struct stat st;
		int next;

		if (n > NAME_MAX || (n == 2 && path[0] == '.' && path[1] == '.')) {
			close(at);
			return -EXDEV;
		}
		memcpy(part, path, n);
		part[n] = '\0';
		path += n;
		next = openat(at, part, O_PATH | O_NOFOLLOW | O_CLOEXEC);
		if (next < 0)
			next = -errno;
		close(at);
		at = next;
		if (at >= 0 && (fstat(at, &st) != 0 || S_ISLNK(st.st_mode))) {
			close(at);
			return -ELOOP;
		}
	}
	return at;
}

/* An O_PATH descriptor of what a name leads to, or -errno. */
static int find(const struct sd_target_view *v, const char *path, int flags)
{
	char *whole = NULL;
	long fd;

	if (*path != '/') {
		if (!v->folder || asprintf(&whole, "%s/%s", v->folder, path) < 0)
			return -ENOENT;
		path = whole;
	}
	fd = open_in_root(v->root, path, flags);
	if (fd < 0)
		fd = -errno;
	if (fd == -ENOSYS || fd == -EPERM) {
		fd = v->root < 0 ? open(path, O_PATH | O_CLOEXEC | (flags & O_NOFOLLOW))
				 : walk(v->root, path);
		if (fd < 0 && v->root < 0)
			fd = -errno;
	}
	free(whole);
	return (int)fd;
}

/* Files of the kernel say what they say to the one who asks, and that is us. */
static int holds_data(int fd)
{
	static const long others[] = {PROC_SUPER_MAGIC, SYSFS_MAGIC, DEBUGFS_MAGIC, TRACEFS_MAGIC,
		SECURITYFS_MAGIC, CGROUP_SUPER_MAGIC, CGROUP2_SUPER_MAGIC, BPF_FS_MAGIC,
		PSTOREFS_MAGIC, EFIVARFS_MAGIC, SELINUX_MAGIC, SMACK_MAGIC, NSFS_MAGIC,
		BINDERFS_SUPER_MAGIC};
	struct statfs fs;

	if (fstatfs(fd, &fs) != 0)
		return 0;
	for (size_t i = 0; i < sizeof others / sizeof *others; i++)
		if ((long)fs.f_type == others[i])
			return 0;
	return 1;
}

int sd_target_view_open(const struct sd_target_view *v, const char *path, int flags,
	const struct stat *author, struct stat *st)
{
	const struct identity who = judged(v, author);
	struct before before;
	struct stat own;
	int name, rc = take_on(&who, &before);

	if (rc)
		return rc;
	name = find(v, path, flags);
	rc = name;
	if (name >= 0) {
		rc = holds_data(name) ? sd_regular_file_reopen(name, st ? st : &own) : -EINVAL;
		close(name);
	}
	go_back(&before);
	return rc;
}

int sd_target_view_stat(const struct sd_target_view *v, const char *path, struct stat *st)
{
	const struct identity who = judged(v, NULL);
	struct before before;
	int fd, rc = take_on(&who, &before);

	if (rc)
		return rc;
	fd = find(v, path, 0);
	go_back(&before);
	if (fd < 0)
		return fd;
	rc = fstat(fd, st) == 0 ? 0 : -errno;
	close(fd);
	return rc;
}
