/* Where a session's record is written, and how often. */
#include "measure/record_save.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "support/make_record.h"

static char folder[] = "/tmp/scalediag-test-XXXXXX", path[64];

/* Each write is a new file. */
static ino_t file_now(void)
{
	struct stat st;

	return stat(path, &st) == 0 ? st.st_ino : 0;
}

static void writes_take_a_small_part_of_the_time(void **state)
{
	static const unsigned cores[] = {1, 2};
	const struct sd_sink silent = {0};
	struct sd_record_save s = {.path = path};
	struct sd_record r;
	unsigned writes = 0;
	ino_t before;

	(void)state;
	make_record(&r, cores, 2);
	make_run(&r, 0, 1, 1, 0);
	r.complete = 0;
	assert_int_equal(sd_record_save_run(&s, &r, &silent), 0);
	before = file_now(); /* the first is always written */
	assert_true(before != 0);
	assert_true(s.took > 0 && !s.behind);
	for (int i = 0; i < 500; i++) {
		assert_int_equal(sd_record_save_run(&s, &r, &silent), 0);
		writes += !s.behind;
	}
	assert_true(writes < 250); /* 500 runs within the time of some writes */
	/* the time since is long enough again */
	s.written -= 100 * s.took;
	s.behind = 1;
	before = file_now();
	assert_int_equal(sd_record_save_run(&s, &r, &silent), 0);
	assert_int_equal(s.behind, 0);
	assert_true(file_now() != before);
	/* the end is written, whenever it comes */
	before = file_now();
	assert_int_equal(sd_record_save_write(&s, &r, &silent), 0);
	assert_true(file_now() != before);
	sd_record_free(&r);
	unlink(path);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(writes_take_a_small_part_of_the_time),
	};
	int failed;

	if (!mkdtemp(folder))
		return 1;
	snprintf(path, sizeof path, "%s/r.json", folder);
	failed = cmocka_run_group_tests(tests, NULL, NULL);
	rmdir(folder);
	return failed;
}
