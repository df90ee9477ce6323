/*
 * Regions that a program wrote, of any bytes: a head, some rows, and marks. Whatever they are, no
 * region lasts longer than the run, the parts that are judged are apart and in order, and entries
 * lie in the run.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "regions/marker_regions.h"

#define SD_MARKER_LAYOUT_ONLY
#include "markers/scalediag.h"

#define ROWS 4u
#define FROM 1000u
#define TO 1000000000u

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static size_t take(void *to, size_t most, const uint8_t **data, size_t *size)
{
	const size_t n = *size < most ? *size : most;

	memcpy(to, *data, n);
	*data += n;
	*size -= n;
	return n;
}

static void check(const struct sd_region_run *run)
{
	const double length = (TO - FROM) * 1e-9 * 1.000001;

	if (run->n_row > SD_REGION_RUN_ROWS || run->judged_s > length)
		abort();
	for (size_t i = 0; i < run->n_row; i++)
		if (!(run->row[i].elapsed >= 0 && run->row[i].elapsed <= length &&
			    run->row[i].thread_s >= 0) ||
			!memchr(run->row[i].name, '\0', sizeof run->row[i].name))
			abort();
	for (size_t i = 0; i < run->n_entry; i++)
		if (run->entry[i].from < FROM || run->entry[i].to > TO ||
			run->entry[i].from > run->entry[i].to || run->entry[i].tid <= 0)
			abort();
	for (size_t i = 0; i < run->n_span; i++)
		if (run->span[i].from >= run->span[i].to ||
			(i && run->span[i - 1].to >= run->span[i].from))
			abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct sd_marker_file file;
	struct sd_region_run *const run = calloc(1, sizeof *run);
	size_t marks;

	memset(file.row, 0, ROWS * sizeof *file.row);
	take(&file, offsetof(struct sd_marker_file, row), &data, &size);
	take(file.row, ROWS * sizeof *file.row, &data, &size);
	marks = take(file.mark, sizeof file.mark, &data, &size);
	if (run && !sd_marker_regions_add(&file, FROM, TO, "part", run)) {
		sd_region_run_sort(run);
		check(run);
	}
	memset(file.mark, 0, marks);
	sd_region_run_free(run);
	return 0;
}
