/* Files to which a session's record is written, and how often. */
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

#include "record/record_file.h"
#include "support/make_record.h"

static char folder[] = "/tmp/scalediag-test-XXXXXX", path[64];

static struct stat file_now(void)
{
	struct stat st = {0};

	return stat(path, &st) == 0 ? st : (struct stat){0};
}

static size_t runs_in_file(void)
{
	struct sd_record r;
	size_t n;

	assert_int_equal(sd_record_read(path, &r, NULL), 0);
	n = r.n_run;
	sd_record_free(&r);
	return n;
}

static void every_run_is_in_the_file_at_once(void **state)
{
	static const unsigned cores[] = {1, 2};
	const struct sd_sink silent = {0};
	struct sd_record_save s = {.path = path};
	struct sd_record r;
	struct stat first, now;
	double synced, took, began, waited = 0;

	(void)state;
	make_record(&r, cores, 2);
	r.complete = 0;
	assert_int_equal(sd_record_save_write(&s, &r, &silent), 0);
	first = file_now(); /* written whole */
	assert_true(first.st_ino != 0);
	assert_true(s.took > 0 && !s.behind);
	began = s.written;
	for (size_t i = 1; i <= 200; i++) {
		synced = s.written;
		took = s.took;
		make_run(&r, 0, 1, 1, 0);
		assert_int_equal(sd_record_save_run(&s, &r, &silent), 0);
		assert_int_equal(s.behind, 1);
		waited += s.written > synced ? took : 0;
		now = file_now();
		assert_int_equal(now.st_ino, first.st_ino);
		if (i % 50 == 1)
			assert_int_equal(runs_in_file(), i);
	}
	/* before each sync twenty times as long as the one before took, on whatever machine */
	assert_true(waited <= .051 * (s.written - began));
	/* the time since is long enough again */
	synced = s.written -= 100 * s.took;
	make_run(&r, 0, 1, 1, 0);
	assert_int_equal(sd_record_save_run(&s, &r, &silent), 0);
	assert_true(s.written > synced);
	/* the end is written whole, whenever it comes */
	assert_int_equal(sd_record_save_write(&s, &r, &silent), 0);
	assert_true(file_now().st_ino != first.st_ino && !s.behind);
	assert_int_equal(runs_in_file(), r.n_run);
	sd_record_save_end(&s);
	sd_record_free(&r);
	unlink(path);
}

/* It is written whole then, but not after every run. */
static void where_another_file_is_it_is_written_anew(void **state)
{
	static const unsigned cores[] = {1};
	const struct sd_sink silent = {0};
	struct sd_record_save s = {.path = path};
	struct sd_record r;

	(void)state;
	make_record(&r, cores, 1);
	r.complete = 0;
	assert_int_equal(sd_record_save_write(&s, &r, &silent), 0);
	make_run(&r, 0, 1, 1, 0);
	unlink(path);
	s.written -= 100 * s.took;
	assert_int_equal(sd_record_save_run(&s, &r, &silent), 0);
	assert_int_equal(runs_in_file(), 1);
	assert_int_equal(s.behind, 0);
	unlink(path);
	s.took = 1000;
	make_run(&r, 0, 1, 1, 0);
	assert_int_equal(sd_record_save_run(&s, &r, &silent), 0);
	assert_int_equal(file_now().st_ino, 0);
	assert_int_equal(s.behind, 1);
	assert_int_equal(sd_record_save_write(&s, &r, &silent), 0);
	assert_int_equal(runs_in_file(), 2);
	sd_record_save_end(&s);
	sd_record_free(&r);
	unlink(path);
}

static size_t runs_in(const char *file)
{
	struct sd_record r;
	size_t n;

	if (sd_record_read(file, &r, NULL) < 0)
		return 0;
	n = r.n_run;
	sd_record_free(&r);
	return n;
}

static void the_older_record_becomes_the_previous_one(void **state)
{
	static const unsigned cores[] = {1, 2};
	const struct sd_sink silent = {0};
	char unfinished[80], previous[80];
	struct sd_record_save s = {
		.path = path, .unfinished = unfinished, .previous = previous, .older = 1};
	struct sd_record old, r;

	(void)state;
	snprintf(unfinished, sizeof unfinished, "%s.unfinished", path);
	snprintf(previous, sizeof previous, "%s.previous", path);
	make_record(&old, cores, 2);
	for (size_t i = 0; i < 3; i++)
		make_run(&old, i % 2, 1, 1, 0);
	assert_int_equal(sd_record_write(path, &old, NULL), 0);
	make_record(&r, cores, 2);
	r.complete = 0;
	make_run(&r, 0, 1, 1, 0);
	assert_int_equal(sd_record_save_write(&s, &r, &silent), 0);
	assert_int_equal(runs_in(path), 3); /* no run at 2 cores yet */
	assert_int_equal(runs_in(previous), 0);
	make_run(&r, 1, 1, 1, 0);
	s.written -= 100 * s.took;
	assert_int_equal(sd_record_save_write(&s, &r, &silent), 0);
	assert_int_equal(runs_in(path), 2);
	assert_int_equal(runs_in(previous), 3);
	assert_int_equal(access(unfinished, F_OK), -1);
	/* what is written later is the same measurement */
	make_run(&r, 1, 1, 1, 0);
	assert_int_equal(sd_record_save_write(&s, &r, &silent), 0);
	assert_int_equal(runs_in(path), 3);
	assert_int_equal(runs_in(previous), 3);
	sd_record_save_end(&s);
	sd_record_free(&old);
	sd_record_free(&r);
	unlink(previous);
	unlink(path);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_run_is_in_the_file_at_once),
		cmocka_unit_test(where_another_file_is_it_is_written_anew),
		cmocka_unit_test(the_older_record_becomes_the_previous_one),
	};
	int failed;

	if (!mkdtemp(folder))
		return 1;
	snprintf(path, sizeof path, "%s/r.json", folder);
	failed = cmocka_run_group_tests(tests, NULL, NULL);
	rmdir(folder);
	return failed;
}
