#include "trial/shared_output.h"

#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/fanotify.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/one_more.h"
#include "launch/descendants.h"

/* Per process; further files open for writing are not checked. */
#define FILES 64u
#define PROCESSES 16u /* per copy, the first of them */

struct file {
	dev_t dev;
	ino_t ino;
	size_t of; /* which copy */
	pid_t pid;
};

/* The open mode shows in the permissions of the link in /proc/PID/fd: the owner's write bit. */
static size_t files_of(pid_t pid, size_t of, struct file *file)
{
	char folder[64];
	const struct dirent *d;
	size_t n = 0;
	DIR *dir;

	snprintf(folder, sizeof folder, "/proc/%d/fd", (int)pid);
	dir = opendir(folder);
	while (dir && n < FILES && (d = readdir(dir))) {
		struct stat link, st;

		if (d->d_name[0] == '.' ||
			fstatat(dirfd(dir), d->d_name, &link, AT_SYMLINK_NOFOLLOW) ||
			!(link.st_mode & S_IWUSR) || fstatat(dirfd(dir), d->d_name, &st, 0) ||
			!S_ISREG(st.st_mode))
			continue;
		file[n++] = (struct file){st.st_dev, st.st_ino, of, pid};
	}
	if (dir)
		closedir(dir);
	return n;
}

static void name_of(pid_t pid, const struct file *f, char *path, size_t size)
{
	char folder[64];
	const struct dirent *d;
	DIR *dir;

	snprintf(path, size, "?");
	snprintf(folder, sizeof folder, "/proc/%d/fd", (int)pid);
	dir = opendir(folder);
	while (dir && (d = readdir(dir))) {
		struct stat st;
		ssize_t n;

		if (d->d_name[0] == '.' || fstatat(dirfd(dir), d->d_name, &st, 0) ||
			st.st_dev != f->dev || st.st_ino != f->ino)
			continue;
		n = readlinkat(dirfd(dir), d->d_name, path, size - 1);
		path[n < 0 ? 0 : n] = '\0';
		break;
	}
	if (dir)
		closedir(dir);
}

static int is_same(const struct file *a, const struct file *b)
{
	return a->dev == b->dev && a->ino == b->ino;
}

/* Open in this process too: our caller had it open, and all descendants inherit it. */
static int is_inherited(const struct file *file, const struct file *ours, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (is_same(file, &ours[i]))
			return 1;
	return 0;
}

/* Lists the files of a copy and its descendants. */
static size_t files_of_copy(pid_t pid, size_t of, struct file *file)
{
	pid_t list[PROCESSES] = {pid};
	size_t n = 1, files = 0;

	for (size_t i = 0; i < n; i++) {
		n += sd_descendants_children(list[i], list + n, PROCESSES - n);
		files += files_of(list[i], of, file + files);
	}
	return files;
}

int sd_shared_output_written(const pid_t *pid, size_t n, char *path, size_t size)
{
	struct file *file = calloc((n ? n : 1) * FILES * PROCESSES, sizeof *file), ours[FILES];
	const size_t n_ours = files_of(getpid(), 0, ours);
	size_t files = 0;
	int found = 0;

	for (size_t i = 0; file && i < n; i++)
		files += pid[i] > 0 ? files_of_copy(pid[i], i, file + files) : 0;
	for (size_t i = 0; i < files && !found; i++)
		for (size_t j = 0; j < i && !found; j++) {
			found = file[i].of != file[j].of && is_same(&file[i], &file[j]) &&
				!is_inherited(&file[i], ours, n_ours);
			if (found)
				name_of(file[i].pid, &file[i], path, size);
		}
	free(file);
	return found;
}

/* ---- what is written too fast to be seen open ---- */

#define MOST_NAMES (FILES * 16) /* of later ones less is seen */

void sd_shared_output_open(struct sd_shared_output_folder *f, const char *folder)
{
	*f = (struct sd_shared_output_folder){
		.fd = fanotify_init(
			FAN_CLASS_NOTIF | FAN_CLOEXEC | FAN_NONBLOCK, O_RDONLY | O_CLOEXEC)};
	if (f->fd >= 0 &&
		fanotify_mark(f->fd, FAN_MARK_ADD | FAN_MARK_ONLYDIR,
			FAN_CLOSE_WRITE | FAN_EVENT_ON_CHILD, AT_FDCWD, folder ? folder : ".")) {
		close(f->fd);
		f->fd = -1;
	}
}

/* Which copy the process is of; SD_SHARED_OUTPUT_ENDED; n: of none. A copy's processes have its
 * session, also when they have ended and nobody has waited for them yet. */
static size_t writer(pid_t pid, const pid_t *session, size_t n)
{
	const pid_t s = getsid(pid);
	size_t i = 0;

	if (s < 0)
		return SD_SHARED_OUTPUT_ENDED;
	while (i < n && session[i] != s)
		i++;
	return i;
}

/* 1: another wrote it before, or may have. */
static int written(struct sd_shared_output_folder *f, const char *name, size_t by)
{
	struct sd_shared_output_file p = {.by = by};

	for (size_t i = 0; i < f->n; i++)
		if (strcmp(f->file[i].name, name) == 0)
			return f->file[i].by != by || by == SD_SHARED_OUTPUT_ENDED;
	p.name = f->n < MOST_NAMES ? strdup(name) : NULL;
	if (p.name && SD_APPEND(f->file, f->n, &p))
		free(p.name);
	return 0;
}

static int event(struct sd_shared_output_folder *f, const struct fanotify_event_metadata *e,
	const pid_t *session, size_t n, char *path, size_t size)
{
	const size_t by = writer(e->pid, session, n);
	char link[64], name[PATH_MAX];
	ssize_t length;

	if (e->fd < 0 || by == n)
		return 0;
	snprintf(link, sizeof link, "/proc/self/fd/%d", e->fd);
	length = readlink(link, name, sizeof name - 1);
	name[length < 0 ? 0 : length] = '\0';
	if (length < 0 || !written(f, name, by))
		return 0;
	snprintf(path, size, "%s", name);
	return 1;
}

int sd_shared_output_closed(
	struct sd_shared_output_folder *f, const pid_t *session, size_t n, char *path, size_t size)
{
	_Alignas(struct fanotify_event_metadata) char buffer[4096];
	int found = 0;
	ssize_t got;

	while (f->fd >= 0 && (got = read(f->fd, buffer, sizeof buffer)) > 0) {
		const struct fanotify_event_metadata *e = (const void *)buffer;

		for (; FAN_EVENT_OK(e, got); e = FAN_EVENT_NEXT(e, got)) {
			if (!found)
				found = event(f, e, session, n, path, size);
			if (e->fd >= 0)
				close(e->fd);
		}
	}
	return found;
}

void sd_shared_output_close(struct sd_shared_output_folder *f)
{
	if (f->fd >= 0)
		close(f->fd);
	for (size_t i = 0; i < f->n; i++)
		free(f->file[i].name);
	free(f->file);
	*f = (struct sd_shared_output_folder){.fd = -1};
}
