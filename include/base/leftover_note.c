#include "base/leftover_note.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/texts.h"

#define HEAD "scalediag leftover "
#define MOST_BYTES (sizeof HEAD + 32 + PATH_MAX)
#define TRIES 20
#define PAUSE_NS 2000000L /* until a sweep of others is over, which is done in less */

/* clang-format off */
static const char *const kind_name[SD_LEFTOVER_KINDS] = {
	[SD_LEFTOVER_ASIDE]     = "aside",
	[SD_LEFTOVER_FOLDER]    = "folder",
	[SD_LEFTOVER_COPY]      = "copy",
	[SD_LEFTOVER_SIMULATED] = "simulated",
	[SD_LEFTOVER_CGROUP]    = "cgroup",
	[SD_LEFTOVER_LOCK]      = "lock",
	[SD_LEFTOVER_CPUS]      = "cpus",
};
/* clang-format on */

/* ---- the folder of notes --------------------------------------------------------------------- */

/* Not where TMPDIR says: the next command may have another one. */
static void notes_path(char *path, size_t size)
{
	snprintf(path, size, "/tmp/scalediag-%lu", (unsigned long)geteuid());
}

/* Open when it is ours alone, which nobody else can make or replace in a folder with the sticky
 * bit; else -1. */
static int open_notes(int make)
{
	char path[64];
	struct stat st;
	int fd;

	notes_path(path, sizeof path);
	if (make && mkdir(path, 0700) != 0 && errno != EEXIST)
		return -1;
	fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0)
		return -1;
	if (fstat(fd, &st) == 0 && st.st_uid == geteuid() && (st.st_mode & 077) == 0)
		return fd;
	close(fd);
	return -1;
}

/* Shared: notes are being made. Exclusive: they are being swept. 0 or -errno. */
static int lock_notes(int fd, int operation, int tries)
{
	const struct timespec pause = {.tv_nsec = PAUSE_NS};

	while (flock(fd, operation | LOCK_NB) != 0) {
		if (errno != EWOULDBLOCK || --tries <= 0)
			return -errno;
		nanosleep(&pause, NULL);
	}
	return 0;
}

/* ---- making and removing one ----------------------------------------------------------------- */

/* The path from the root without a link in its folder's name; NULL without one. */
static char *absolute(const char *path)
{
	const char *const slash = strrchr(path, '/');
	char *const folder = slash ? strndup(path, (size_t)(slash - path) + 1) : strdup(".");
	char *const real = folder ? realpath(folder, NULL) : NULL;
	char *whole = NULL;

	if (real && asprintf(&whole, "%s/%s", strcmp(real, "/") == 0 ? "" : real,
			    slash ? slash + 1 : path) < 0)
		whole = NULL;
	free(real);
	free(folder);
	return whole;
}

static int put(int fd, enum sd_leftover kind, const char *path)
{
	return dprintf(fd, HEAD "%s %s", kind_name[kind], path) < 0 ? -EIO : 0;
}

static int make_note(
	struct sd_leftover_note *n, int folder, enum sd_leftover kind, const char *path)
{
	char own[64], name[48];
	uint64_t r;

	if (getrandom(&r, sizeof r, 0) != sizeof r)
		return -EIO;
	notes_path(own, sizeof own);
	snprintf(name, sizeof name, "%d-%016" PRIx64, (int)getpid(), r);
	if (asprintf(&n->path, "%s/%s", own, name) < 0) {
		n->path = NULL;
		return -ENOMEM;
	}
	n->fd = openat(folder, name, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (n->fd >= 0 && flock(n->fd, LOCK_EX | LOCK_NB) == 0 &&
		put(n->fd, kind, path ? path : n->path) == 0 &&
		(path || write(n->fd, "\n", 1) == 1))
		return 0;
	sd_leftover_note_close(n);
	return -EIO;
}

void sd_leftover_note_open(struct sd_leftover_note *n, enum sd_leftover kind, const char *path)
{
	char *const whole = path ? absolute(path) : NULL;
	int made = 0;

	*n = (struct sd_leftover_note){0};
	/* the folder may be removed by who held the last note, between our opening and making */
	for (int i = 0; (whole || !path) && !made && i < TRIES; i++) {
		const int folder = open_notes(1);

		if (folder < 0)
			break;
		if (lock_notes(folder, LOCK_SH, TRIES) == 0)
			made = make_note(n, folder, kind, whole) == 0;
		close(folder);
	}
	free(whole);
}

void sd_leftover_note_keep(struct sd_leftover_note *n)
{
	if (n->path && n->fd >= 0)
		close(n->fd);
	free(n->path);
	*n = (struct sd_leftover_note){0};
}

void sd_leftover_note_close(struct sd_leftover_note *n)
{
	char folder[64];

	if (n->path) {
		unlink(n->path);
		if (n->fd >= 0)
			close(n->fd);
		notes_path(folder, sizeof folder);
		(void)rmdir(folder); /* the last one */
	}
	free(n->path);
	*n = (struct sd_leftover_note){0};
}

/* ---- sweeping -------------------------------------------------------------------------------- */

/* One that was read. */
struct note {
	char text[MOST_BYTES];
	int fd;
	int alive; /* its maker is */
};

/* 0, or -errno: it is none of ours. */
static int read_note(int notes, const char *name, struct note *n)
{
	struct stat st;
	ssize_t got;

	n->alive = 1;
	n->fd = openat(notes, name, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	if (n->fd < 0)
		return -errno;
	n->alive = flock(n->fd, LOCK_EX | LOCK_NB) != 0;
	got = fstat(n->fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_uid == geteuid()
		      ? pread(n->fd, n->text, sizeof n->text - 1, 0)
		      : -1;
	if (got >= 0) {
		n->text[got] = '\0';
		return 0;
	}
	close(n->fd);
	return -EINVAL;
}

/* The kind, and in *path where; SD_LEFTOVER_KINDS when it is no whole note. */
static enum sd_leftover parse(char *text, char **path)
{
	char *const word = text + strlen(HEAD);
	enum sd_leftover kind = 0;

	if (strncmp(text, HEAD, strlen(HEAD)) != 0 || (*path = strchr(word, ' ')) == NULL)
		return SD_LEFTOVER_KINDS;
	*(*path)++ = '\0';
	if (strcmp(word, kind_name[SD_LEFTOVER_CPUS]) == 0)
		(*path)[strcspn(*path, "\n")] = '\0';
	while (kind < SD_LEFTOVER_KINDS && strcmp(word, kind_name[kind]) != 0)
		kind++;
	return **path == '/' ? kind : SD_LEFTOVER_KINDS;
}

/* The folder of that absolute path, none of its parts a link; -errno. */
static int open_without_links(const char *folder)
{
	char *const copy = strdup(folder), *rest = NULL;
	int fd = copy ? open("/", O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -ENOMEM;

	for (char *part = fd >= 0 ? strtok_r(copy, "/", &rest) : NULL; part && fd >= 0;
		part = strtok_r(NULL, "/", &rest)) {
		const int next = openat(fd, part, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
		const int error = errno;

		close(fd);
		fd = next < 0 ? -error : next;
	}
	free(copy);
	return fd;
}

/* 0: the note is done with. */
static int remove_noted(char *text, sd_leftover_remove *const *remove)
{
	char *path = NULL, *name;
	const enum sd_leftover kind = parse(text, &path);
	int fd, rc;

	/* killed before it was written, and so before anything was made */
	if (kind == SD_LEFTOVER_KINDS)
		return 0;
	if (!remove[kind])
		return -ENOTSUP;
	name = strrchr(path, '/');
	*name++ = '\0';
	fd = open_without_links(path);
	/* gone with its folder, or another one's by now */
	if (fd < 0)
		return fd == -ENOENT || fd == -ENOTDIR || fd == -ELOOP ? 0 : fd;
	rc = *name ? remove[kind](fd, path, name) : 0;
	close(fd);
	return rc;
}

/* The task of one pass over all notes. */
struct sweep {
	int notes;
	sd_leftover_remove *const *remove; /* NULL: those of the living are collected */
	struct sd_texts alive;
};

/* 0 or -ENOMEM. */
static int handle(struct sweep *s, struct note *n, const char *name)
{
	if (!s->remove)
		return n->alive ? sd_texts_add(&s->alive, "%s", n->text) : 0;
	if (!n->alive && !sd_texts_has(&s->alive, n->text) && remove_noted(n->text, s->remove) == 0)
		unlinkat(s->notes, name, 0);
	return 0;
}

static int for_each(struct sweep *s)
{
	const int again = openat(s->notes, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *const d = again >= 0 ? fdopendir(again) : NULL;
	const struct dirent *e;
	struct note n;
	int rc = d ? 0 : -ENOMEM;

	while (!rc && (e = readdir(d)) != NULL) {
		if (e->d_name[0] == '.' || read_note(s->notes, e->d_name, &n) != 0)
			continue;
		rc = handle(s, &n, e->d_name);
		close(n.fd);
	}
	if (d)
		closedir(d);
	else if (again >= 0)
		close(again);
	return rc;
}

void sd_leftover_note_sweep(sd_leftover_remove *const remove[SD_LEFTOVER_KINDS])
{
	struct sweep s = {.notes = open_notes(0)};
	char path[64];

	if (s.notes < 0)
		return;
	/* when another one is at it, or making a note: the next command */
	if (lock_notes(s.notes, LOCK_EX, 1) == 0 && for_each(&s) == 0) {
		s.remove = remove;
		(void)for_each(&s);
		notes_path(path, sizeof path);
		(void)rmdir(path);
	}
	close(s.notes);
	sd_texts_free(&s.alive);
}
