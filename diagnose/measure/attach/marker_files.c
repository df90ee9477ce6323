#include "attach/marker_files.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define SD_MARKER_LAYOUT_ONLY
#include "markers/scalediag.h"

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

/* Of the process's own file tree: a container has another than this. */
static int open_of(pid_t pid, const char *value, struct stat *st)
{
	char path[PATH_MAX];
	int fd;

	if (snprintf(path, sizeof path, "/proc/%d/root%s", (int)pid, value) >= (int)sizeof path)
		return -1;
	fd = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	if (fd >= 0 && (fstat(fd, st) || !S_ISREG(st->st_mode) ||
			       st->st_size != (off_t)sizeof(struct sd_marker_file))) {
		close(fd);
		return -1;
	}
	return fd;
}

static int add(struct sd_marker_files *f, int fd)
{
	const struct sd_marker_file **const grown =
		reallocarray(f->file, f->n + 1, sizeof(const struct sd_marker_file *));
	void *map;

	if (!grown)
		return -ENOMEM;
	f->file = grown;
	map = mmap(NULL, sizeof(struct sd_marker_file), PROT_READ, MAP_SHARED, fd, 0);
	if (map != MAP_FAILED)
		f->file[f->n++] = map;
	return 0;
}

int sd_marker_files_open(struct sd_marker_files *f, const struct sd_attached *program)
{
	struct identity *const seen = calloc(program->n + 1, sizeof *seen);
	size_t n = 0, k;
	int rc = seen ? 0 : -ENOMEM;

	*f = (struct sd_marker_files){0};
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

void sd_marker_files_close(struct sd_marker_files *f)
{
	union {
		const struct sd_marker_file *map;
		void *start;
	} at;

	for (size_t i = 0; i < f->n; i++) {
		at.map = f->file[i];
		munmap(at.start, sizeof(struct sd_marker_file));
	}
	free(f->file);
	*f = (struct sd_marker_files){0};
}
