#include "attach/counter_progress.h"

#include <errno.h>
#include <string.h>

#include "base/clock.h"
#define SD_MARKER_LAYOUT_ONLY
#include "markers/scalediag.h"

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

/* 0; -EIO: one of the files is not what it was. */
static int sum_of_all(struct sd_counter_progress *c, uint64_t *sum, int *found)
{
	*found = 0;
	*sum = 0;
	for (size_t i = 0; i < c->files.n; i++) {
		const struct sd_marker_file *const rows = sd_marker_files_rows(&c->files, i);

		if (!rows)
			return -EIO;
		*sum += sd_counter_progress_sum(rows, c->name, found);
	}
	return 0;
}

static int read_count(void *ctx, double *count, uint64_t *when, const struct sd_sink *sink)
{
	struct sd_counter_progress *const c = ctx;
	uint64_t sum;
	int found;
	const int rc = sum_of_all(c, &sum, &found);

	*count = (double)sum;
	*when = sd_clock_ns();
	if (rc)
		sd_say(sink, SD_LEVEL_ERROR,
			"--progress: the program has cut the file of its markers: '%s' is not known any more",
			c->name);
	return rc;
}

int sd_counter_progress_open(struct sd_counter_progress *c, const struct sd_attached *program,
	const char *name, const struct sd_sink *sink)
{
	uint64_t sum;
	int found = 0, rc;

	*c = (struct sd_counter_progress){.name = name};
	rc = sd_marker_files_open(&c->files, program);
	if (!rc)
		(void)sum_of_all(c, &sum, &found);
	if (!rc && !c->files.n)
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
	sd_marker_files_close(&c->files);
	*c = (struct sd_counter_progress){0};
}
