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
		cmocka_unit_test(a_file_that_is_not_ours_stays),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
