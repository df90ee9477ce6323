#include "attach/marker_files.h"

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/one_more.h"
#include "base/regular_file.h"
#define SD_MARKER_LAYOUT_ONLY
#include "markers/scalediag.h"
#include "target/target_view.h"

#define VARIABLE "SCALEDIAG_MARKERS="

struct identity {
	dev_t device;
	ino_t inode;
};

/* The value of the variable in a process's environment, a fresh string; NULL: it has none. A
 * program that sets it later is not seen. */
static char *path_of(pid_t pid)
{
	char name[64], *word = NULL, *value = NULL;
	size_t room = 0;
	FILE *in;

	snprintf(name, sizeof name, "/proc/%d/environ", (int)pid);
	in = fopen(name, "re");
	while (in && !value && getdelim(&word, &room, '\0', in) > 0)
		if (strncmp(word, VARIABLE, strlen(VARIABLE)) == 0 && word[strlen(VARIABLE)] == '/')
			value = strdup(word + strlen(VARIABLE));
	free(word);
	if (in)
		fclose(in);
	return value;
}

/* As the process sees it: another may have written the name, and a container has another tree. */
static int open_of(pid_t pid, const char *value, struct stat *st)
{
	struct sd_target_view view;
	int fd;

	if (sd_target_view_of(&view, pid) != 0)
		return -1;
	fd = sd_target_view_open(&view, value, O_NOFOLLOW, NULL, st);
	sd_target_view_close(&view);
	if (fd >= 0 && st->st_size != (off_t)sizeof(struct sd_marker_file)) {
		close(fd);
		return -1;
	}
	return fd;
}

static int add(struct sd_marker_files *f, int fd)
{
	const int kept = fcntl(fd, F_DUPFD_CLOEXEC, 3);
	const int rc = kept < 0 ? 0 : SD_APPEND(f->fd, f->n, &kept);

	if (rc)
		close(kept);
	return rc;
}

int sd_marker_files_open(struct sd_marker_files *f, const struct sd_attached *program)
{
	struct identity *const seen = calloc(program->n + 1, sizeof *seen);
	size_t n = 0, k;
	int rc = seen ? 0 : -ENOMEM;

	*f = (struct sd_marker_files){.copy = calloc(1, sizeof *f->copy)};
	rc = f->copy ? rc : -ENOMEM;
	for (size_t i = 0; i < program->n && !rc; i++) {
		char *const value = path_of(program->pid[i]);
		struct stat st;
		const int fd = value ? open_of(program->pid[i], value, &st) : -1;

		free(value);
		if (fd < 0)
			continue;
		for (k = 0; k < n && (seen[k].device != st.st_dev || seen[k].inode != st.st_ino);
			k++)
			;
		if (k == n) {
			seen[n++] = (struct identity){st.st_dev, st.st_ino};
			rc = add(f, fd);
		}
		close(fd);
	}
	free(seen);
	return rc;
}

const struct sd_marker_file *sd_marker_files_rows(struct sd_marker_files *f, size_t i)
{
	const size_t size = offsetof(struct sd_marker_file, mark);

	return sd_regular_file_bytes(f->fd[i], f->copy, size, 0) == size ? f->copy : NULL;
}

int sd_marker_files_lasted(const struct sd_marker_files *f, size_t i, unsigned row, void *to)
{
	const size_t size = sizeof f->copy->lasted[row];
	const size_t at = offsetof(struct sd_marker_file, lasted) + row * size;

	return sd_regular_file_bytes(f->fd[i], to, size, (off_t)at) == size ? 0 : -EIO;
}

void sd_marker_files_close(struct sd_marker_files *f)
{
	for (size_t i = 0; i < f->n; i++)
		close(f->fd[i]);
	free(f->fd);
	free(f->copy);
	*f = (struct sd_marker_files){0};
}
