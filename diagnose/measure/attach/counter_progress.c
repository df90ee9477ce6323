#include "attach/counter_progress.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#define SD_MARKER_LAYOUT_ONLY
#include "markers/scalediag.h"

#define VARIABLE "SCALEDIAG_MARKERS="

struct identity {
	dev_t device;
	ino_t inode;
};

/* ---- which files ---- */

/* The value of the variable in a process's environment, a fresh string; NULL: it has none. A
 * program that sets it later is not seen. */
static char *path_of(pid_t pid)
{
	char name[64], *word = NULL, *value = NULL;
	size_t room = 0;
	FILE *f;

	snprintf(name, sizeof name, "/proc/%d/environ", (int)pid);
	f = fopen(name, "re");
	while (f && !value && getdelim(&word, &room, '\0', f) > 0)
		if (strncmp(word, VARIABLE, strlen(VARIABLE)) == 0 && word[strlen(VARIABLE)] == '/')
			value = strdup(word + strlen(VARIABLE));
	free(word);
	if (f)
		fclose(f);
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

static int add(struct sd_counter_progress *c, int fd)
{
	const struct sd_marker_file **const grown =
		reallocarray(c->file, c->n + 1, sizeof(const struct sd_marker_file *));
	void *map;

	if (!grown)
		return -ENOMEM;
	c->file = grown;
	map = mmap(NULL, sizeof(struct sd_marker_file), PROT_READ, MAP_SHARED, fd, 0);
	if (map != MAP_FAILED)
		c->file[c->n++] = map;
	return 0;
}

static int find_files(struct sd_counter_progress *c, const struct sd_attached *program)
{
	struct identity *const seen = calloc(program->n + 1, sizeof *seen);
	size_t n = 0, k;
	int rc = seen ? 0 : -ENOMEM;

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
			rc = add(c, fd);
		}
		close(fd);
	}
	free(seen);
	return rc;
}

/* ---- what they say ---- */

uint64_t sd_counter_progress_sum(const struct sd_marker_file *file, const char *name, int *found)
{
	uint64_t sum = 0;

	if (__atomic_load_n(&file->magic, __ATOMIC_ACQUIRE) != SD_MARKER_MAGIC)
		return 0;
	for (unsigned i = 0; i < SD_MARKER_ROWS; i++) {
		const struct sd_marker_row *const row = &file->row[i];

		if (__atomic_load_n(&row->state, __ATOMIC_ACQUIRE) != SD_MARKER_READY ||
			row->process || strncmp(row->name, name, SD_MARKER_NAME - 1) != 0)
			continue;
		*found = 1;
		for (unsigned k = 0; k < SD_MARKER_SLOTS; k++)
			sum += __atomic_load_n(&row->slot[k].count, __ATOMIC_RELAXED);
	}
	return sum;
}

static uint64_t sum_of_all(const struct sd_counter_progress *c, int *found)
{
	uint64_t sum = 0;

	*found = 0;
	for (size_t i = 0; i < c->n; i++)
		sum += sd_counter_progress_sum(c->file[i], c->name, found);
	return sum;
}

static int read_count(void *ctx, double *count, uint64_t *when, const struct sd_sink *sink)
{
	int found;

	(void)sink;
	*count = (double)sum_of_all(ctx, &found);
	*when = sd_clock_ns();
	return 0;
}

int sd_counter_progress_open(struct sd_counter_progress *c, const struct sd_attached *program,
	const char *name, const struct sd_sink *sink)
{
	int found = 0, rc;

	*c = (struct sd_counter_progress){.name = name};
	rc = find_files(c, program);
	if (!rc)
		(void)sum_of_all(c, &found);
	if (!rc && !c->n)
		sd_say(sink, SD_LEVEL_ERROR,
			"--progress: %s was not started with SCALEDIAG_MARKERS=/path in its "
			"environment, or has called no sd_progress() yet",
			program->label);
	else if (!rc && !found)
		sd_say(sink, SD_LEVEL_ERROR, "--progress: %s has not reported '%s' yet",
			program->label, name);
	if (!rc && !found)
		rc = -ENOENT;
	if (rc) {
		sd_counter_progress_close(c);
		return rc;
	}
	c->counter = (struct sd_work_counter){.read = read_count, .ctx = c};
	return 0;
}

void sd_counter_progress_close(struct sd_counter_progress *c)
{
	union {
		const struct sd_marker_file *map;
		void *start;
	} at;

	for (size_t i = 0; i < c->n; i++) {
		at.map = c->file[i];
		munmap(at.start, sizeof(struct sd_marker_file));
	}
	free(c->file);
	*c = (struct sd_counter_progress){0};
}
