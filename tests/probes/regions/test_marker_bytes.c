/* Bytes where a program notes its regions that were not written by one. */
#include "regions/marker_regions.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#define SD_MARKER_LAYOUT_ONLY
#include "markers/scalediag.h"

/* Bytes of somebody else's. */
static void any_bytes_are_survived(void **state)
{
	struct sd_marker_file *const file = malloc(sizeof *file);
	struct sd_region_run *const run = calloc(1, sizeof *run);

	(void)state;
	assert_non_null(file);
	assert_non_null(run);
	memset(file, 0xff, sizeof *file);
	assert_int_equal(sd_marker_regions_add(file, 5, 1000, "x", run), 0);
	assert_int_equal(run->n_row, 0);
	file->magic = SD_MARKER_MAGIC;
	for (unsigned i = 0; i < SD_MARKER_ROWS; i++)
		file->row[i].state = SD_MARKER_READY;
	assert_int_equal(sd_marker_regions_add(file, 5, 1000, "x", run), 0);
	for (size_t i = 0; i < run->n_row; i++)
		assert_true(run->row[i].elapsed <= 995e-9);
	sd_region_run_free(run);
	free(file);
}

/* Entries before the run, after it, without a thread, and of no length: one of five is one. */
static void entries_outside_of_the_run_are_none(void **state)
{
	static const struct {
		uint64_t time;
		uint32_t thread;
		int32_t step;
	} mark[] = {{4, 1, 2}, {900, 1, 4}, {10, 0, 2}, {10, 1, 1}, {100, 7, 2 + 10}};
	struct sd_marker_file *const file = calloc(1, sizeof *file);
	struct sd_region_run *const run = calloc(1, sizeof *run);

	(void)state;
	assert_non_null(file);
	assert_non_null(run);
	file->magic = SD_MARKER_MAGIC;
	file->marks = 5;
	for (size_t i = 0; i < 5; i++) {
		file->mark[i].time = mark[i].time;
		file->mark[i].process = mark[i].thread;
		file->mark[i].step = mark[i].step;
	}
	file->row[3].state = SD_MARKER_READY;
	file->row[3].process = 1;
	file->row[3].marked = 2;
	memset(file->row[3].name, 'x', sizeof file->row[3].name);
	assert_int_equal(sd_marker_regions_add(file, 5, 1000, "", run), 0);
	assert_non_null(run->requests);
	assert_int_equal(strlen(run->requests->name), SD_MARKER_NAME - 1);
	assert_int_equal(run->n_entry, 1);
	assert_int_equal(run->entry[0].tid, 7);
	assert_true(run->entry[0].to - run->entry[0].from == 10 * SD_MARKER_TICK);
	assert_true(run->requests->p50 == 640e-9 && run->requests->p99 == 640e-9);
	sd_region_run_free(run);
	free(file);
}

static void a_file_that_is_not_ours_stays(void **state)
{
	struct sd_region_run run = {0};
	char path[] = "/tmp/scalediag-regions-XXXXXX";
	const int fd = mkstemp(path);

	(void)state;
	assert_true(fd >= 0);
	assert_int_equal(write(fd, "a letter to somebody", 20), 20);
	close(fd);
	assert_int_equal(sd_marker_regions_remove(path), -EEXIST);
	assert_int_equal(sd_marker_regions_take(path, 0, 1, "", &run), 0);
	assert_int_equal(run.n_row, 0);
	assert_int_equal(access(path, F_OK), 0);
	unlink(path);
	assert_int_equal(sd_marker_regions_remove(path), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(any_bytes_are_survived),
		cmocka_unit_test(entries_outside_of_the_run_are_none),
		cmocka_unit_test(a_file_that_is_not_ours_stays),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
