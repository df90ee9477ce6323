#include "attach/counter_function.h"

#include <errno.h>
#include <limits.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "attach/function_place.h"
#include "base/clock.h"
#include "base/one_more.h"
#include "base/regular_file.h"
#include "base/number.h"
#include "perf_event/perf_event.h"
#include "proc/proc_parse.h"
#include "proc/task_ids.h"
#include "proc/textfile.h"
#include "target/target_view.h"

#define ROUNDS 8 /* of listing threads: each is for those that were made in the one before */
#define UPROBE "/sys/bus/event_source/devices/uprobe/type"

/* ---- where it is ---- */

/* Takes the descriptor. */
static int find_in(int fd, const char *symbol, uint64_t *offset)
{
	int rc = fd;

	if (fd >= 0) {
		rc = sd_function_place_find(fd, symbol, offset);
		close(fd);
	}
	return rc;
}

/* Only the names are the program's to choose: they are opened as it does. */
static int find_in_libraries(pid_t pid, const char *symbol, char path[PATH_MAX], uint64_t *offset)
{
	struct sd_target_view view;
	char *line = NULL;
	struct sd_proc_map map;
	size_t room = 0;
	int rc = -ENOENT;
	FILE *f;

	if (sd_target_view_of(&view, pid) != 0)
		return -ENOENT;

	snprintf(path, PATH_MAX, "/proc/%d/maps", (int)pid);
	f = fopen(path, "re");
	while (f && rc && getline(&line, &room, f) > 0) {
		if (sd_proc_parse_map(line, &map) || map.perms[2] != 'x' || *map.name != '/')
			continue;
		if (snprintf(path, PATH_MAX, "/proc/%d/root%s", (int)pid, map.name) < PATH_MAX)
			rc = find_in(sd_target_view_open(&view, map.name, 0, NULL, NULL), symbol,
				offset);
	}
	free(line);
	if (f)
		fclose(f);
	sd_target_view_close(&view);
	return rc ? -ENOENT : 0;
}

static int find(pid_t pid, const char *symbol, char path[PATH_MAX], uint64_t *offset)
{
	snprintf(path, PATH_MAX, "/proc/%d/exe", (int)pid);
	return find_in(sd_regular_file_open(path, 0, NULL), symbol, offset) == 0
		       ? 0
		       : find_in_libraries(pid, symbol, path, offset);
}

/* ---- counting ---- */

static int open_thread(struct sd_counter_function *c, const struct perf_event_attr *attr, int tid)
{
	const int fd = sd_perf_event_open(attr, tid, -1);

	if (fd < 0)
		return fd == -ESRCH ? 0 : fd;
	if (SD_APPEND(c->fd, c->n, &fd)) {
		close(fd);
		return -ENOMEM;
	}
	return 0;
}

/* All threads are listed before any is opened: what these make is inherited. */
static int open_all(struct sd_counter_function *c, const struct sd_attached *program,
	const struct perf_event_attr *attr)
{
	int rc = 0;

	for (size_t i = 0; i < program->n && !rc; i++) {
		struct sd_task_ids ids = {0};
		int more = 1;

		for (int k = 0; k < ROUNDS && more > 0; k++)
			more = sd_task_ids_add(&ids, "", program->pid[i]);
		for (size_t k = 0; k < ids.n && !rc; k++)
			rc = open_thread(c, attr, ids.tid[k]);
		sd_task_ids_free(&ids);
		rc = more == -ENOMEM ? more : rc;
	}
	return rc;
}

static int read_count(void *ctx, double *count, uint64_t *when, const struct sd_sink *sink)
{
	const struct sd_counter_function *const c = ctx;

	(void)sink;
	*count = 0;
	*when = sd_clock_ns();
	for (size_t i = 0; i < c->n; i++) {
		uint64_t calls, lost;

		if (sd_perf_event_count(c->fd[i], &calls, &lost) == 0)
			*count += (double)calls;
	}
	return 0;
}

int sd_counter_function_open(struct sd_counter_function *c, const struct sd_attached *program,
	const char *symbol, const struct sd_sink *sink)
{
	struct perf_event_attr attr = {.size = sizeof attr, .inherit = 1};
	char path[PATH_MAX], text[32];
	uint64_t type, offset = 0;
	int rc;

	*c = (struct sd_counter_function){0};
	if (sd_textfile_read(NULL, UPROBE, text, sizeof text) ||
		sd_number_u64(text, 0, UINT32_MAX, &type)) {
		sd_say(sink, SD_LEVEL_ERROR,
			"--rate-function: this kernel has no uprobes; use --rate-command");
		return -EOPNOTSUPP;
	}
	if (find(program->pid[0], symbol, path, &offset)) {
		sd_say(sink, SD_LEVEL_ERROR,
			"--rate-function: %s has no function with the symbol '%s' (as nm prints it)",
			program->label, symbol);
		return -ENOENT;
	}
	attr.type = (uint32_t)type;
	attr.config1 = (uint64_t)(uintptr_t)path;
	attr.config2 = offset;
	rc = open_all(c, program, &attr);
	if (rc) {
		if (rc != -ENOMEM)
			sd_say(sink, SD_LEVEL_ERROR,
				"--rate-function: calls cannot be counted%s: %s",
				rc == -EACCES || rc == -EPERM ? " (only root may)" : "",
				strerror(-rc));
		sd_counter_function_close(c);
		return rc;
	}
	c->counter = (struct sd_work_counter){.read = read_count, .ctx = c};
	return 0;
}

void sd_counter_function_close(struct sd_counter_function *c)
{
	for (size_t i = 0; i < c->n; i++)
		sd_perf_event_close(c->fd[i]);
	free(c->fd);
	*c = (struct sd_counter_function){0};
}
