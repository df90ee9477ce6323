#include "trial/shared_output.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <unistd.h>

/* Per process; further files open for writing are not checked. */
#define FILES 64u

struct file {
	dev_t dev;
	ino_t ino;
	size_t of; /* which process */
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
		file[n++] = (struct file){st.st_dev, st.st_ino, of};
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

int sd_shared_output_written(const pid_t *pid, size_t n, char *path, size_t size)
{
	struct file *file = calloc(n ? n * FILES : 1, sizeof *file), ours[FILES];
	const size_t n_ours = files_of(getpid(), 0, ours);
	size_t files = 0;
	int found = 0;

	for (size_t i = 0; file && i < n; i++)
		files += pid[i] > 0 ? files_of(pid[i], i, file + files) : 0;
	for (size_t i = 0; i < files && !found; i++)
		for (size_t j = 0; j < i && !found; j++) {
			found = file[i].of != file[j].of && is_same(&file[i], &file[j]) &&
				!is_inherited(&file[i], ours, n_ours);
			if (found)
				name_of(pid[file[i].of], &file[i], path, size);
		}
	free(file);
	return found;
}

/* ---- what is written too fast to be seen open ---- */

void sd_shared_output_open(struct sd_shared_output_folder *f, const char *folder)
{
	*f = (struct sd_shared_output_folder){.fd = inotify_init1(IN_CLOEXEC | IN_NONBLOCK)};
	snprintf(f->folder, sizeof f->folder, "%s", folder ? folder : ".");
	if (f->fd >= 0 && inotify_add_watch(f->fd, f->folder, IN_CLOSE_WRITE | IN_ONLYDIR) < 0) {
		close(f->fd);
		f->fd = -1;
	}
}

/* 1: this name was seen written before. */
static int written(struct sd_shared_output_folder *f, const char *name)
{
	for (size_t i = 0; i < f->once.n; i++)
		if (strcmp(f->once.text[i], name) == 0)
			return 1;
	if (f->once.n < FILES * 16)
		(void)sd_texts_add(&f->once, "%s", name); /* one less is seen */
	return 0;
}

int sd_shared_output_closed(struct sd_shared_output_folder *f, char *path, size_t size)
{
	_Alignas(struct inotify_event) char buffer[4096];
	int found = 0;
	ssize_t n;

	while (f->fd >= 0 && !found && (n = read(f->fd, buffer, sizeof buffer)) > 0)
		for (char *at = buffer; at < buffer + n && !found;) {
			const struct inotify_event *e = (const void *)at;

			found = e->len > 0 && written(f, e->name);
			if (found)
				snprintf(path, size, "%s/%s", f->folder, e->name);
			at += sizeof *e + e->len;
		}
	return found;
}

void sd_shared_output_close(struct sd_shared_output_folder *f)
{
	if (f->fd >= 0)
		close(f->fd);
	sd_texts_free(&f->once);
	f->fd = -1;
}
