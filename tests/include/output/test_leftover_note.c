/*
 * Files that a dead scalediag has noted are removed, and nothing else. Any scalediag of this user's
 * that starts meanwhile sweeps, too: nothing is asserted that this could change.
 */
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/leftover_note.h"
#include "output/folder_removal.h"
#include "output/output_aside.h"

static sd_leftover_remove *const removers[SD_LEFTOVER_KINDS] = {
	[SD_LEFTOVER_ASIDE] = sd_output_aside_noted,
	[SD_LEFTOVER_FOLDER] = sd_folder_removal_noted,
};

static void put(const char *path)
{
	FILE *f = fopen(path, "we");

	assert_non_null(f);
	fputs("text", f);
	fclose(f);
}

static int exists(const char *path)
{
	struct stat st;

	return lstat(path, &st) == 0;
}

static int set_up(void **state)
{
	static char folder[64];

	snprintf(folder, sizeof folder, "/tmp/leftover-test-XXXXXX");
	*state = mkdtemp(folder);
	return *state == NULL || chdir(folder) != 0;
}

static int tear_down(void **state)
{
	return chdir("/") || sd_folder_removal_at(AT_FDCWD, *state);
}

/* In a process that ends without a word. */
static void note_and_die(enum sd_leftover kind, const char *path)
{
	const pid_t pid = fork();
	int status;

	assert_true(pid >= 0);
	if (pid == 0) {
		struct sd_leftover_note n;

		sd_leftover_note_open(&n, kind, path);
		_exit(n.path ? 0 : 1);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	if (status)
		skip(); /* /tmp does not take notes here */
}

/* A sweep of somebody else's may be under way, and then ours does nothing. */
static void sweep_until_gone(const char *path)
{
	for (int i = 0; i < 500 && exists(path); i++) {
		sd_leftover_note_sweep(removers);
		usleep(2000);
	}
	assert_false(exists(path));
}

static void sweep_some_times(void)
{
	for (int i = 0; i < 20; i++) {
		sd_leftover_note_sweep(removers);
		usleep(2000);
	}
}

#define ASIDE ".r.json.00112233445566ab.scalediag-tmp"

static void what_the_dead_noted_goes_and_its_neighbours_stay(void **state)
{
	const char *const file = ASIDE;
	const char *const other = ".r.json.0011223344556677.scalediag-tmp";

	(void)state;
	put(file);
	put(other);
	note_and_die(SD_LEFTOVER_ASIDE, file);
	sweep_until_gone(file);
	assert_true(exists(other));
}

static void what_the_living_noted_stays(void **state)
{
	const char *const file = ASIDE;
	struct sd_leftover_note mine;

	(void)state;
	put(file);
	sd_leftover_note_open(&mine, SD_LEFTOVER_ASIDE, file);
	sweep_some_times();
	assert_true(exists(file));
	/* also when one that died has noted the same */
	note_and_die(SD_LEFTOVER_ASIDE, file);
	sweep_some_times();
	assert_true(exists(file));
	sd_leftover_note_close(&mine);
	assert_null(mine.path);
	sweep_until_gone(file);
}

static void a_note_that_was_closed_is_forgotten(void **state)
{
	const char *const file = ASIDE;
	struct sd_leftover_note mine;

	(void)state;
	put(file);
	sd_leftover_note_open(&mine, SD_LEFTOVER_ASIDE, file);
	sd_leftover_note_close(&mine);
	sd_leftover_note_close(&mine);
	sweep_some_times();
	assert_true(exists(file));
}

static void a_folder_goes_with_what_is_in_it_and_not_with_what_it_links_to(void **state)
{
	const char *const folder = "scalediag-learn-x", *const thesis = "t";

	(void)state;
	assert_int_equal(mkdir(folder, 0700), 0);
	assert_int_equal(mkdir("scalediag-learn-x/in", 0700), 0);
	assert_int_equal(mkdir(thesis, 0700), 0);
	put("t/text");
	put("scalediag-learn-x/in/file");
	assert_int_equal(symlink("../../t", "scalediag-learn-x/in/link"), 0);
	note_and_die(SD_LEFTOVER_FOLDER, folder);
	sweep_until_gone(folder);
	assert_true(exists("t/text"));
}

static void what_is_not_what_was_noted_stays(void **state)
{
	const char *const link = ASIDE, *const file = "thesis";

	(void)state;
	put(file);
	assert_int_equal(symlink("thesis", link), 0);
	note_and_die(SD_LEFTOVER_ASIDE, link);  /* a link has come there */
	note_and_die(SD_LEFTOVER_ASIDE, file);  /* no name of ours */
	note_and_die(SD_LEFTOVER_FOLDER, file); /* no folder */
	sweep_some_times();
	assert_true(exists(link) && exists(file));
}

/* Nothing is said of a folder that another sweep has removed before the link was there. */
static void a_folder_that_has_become_a_link_is_not_entered(void **state)
{
	(void)state;
	assert_int_equal(mkdir("a", 0700), 0);
	put("a/" ASIDE);
	note_and_die(SD_LEFTOVER_ASIDE, "a/" ASIDE);
	assert_int_equal(rename("a", "b"), 0);
	assert_int_equal(symlink("b", "a"), 0);
	if (!exists("b/" ASIDE))
		skip();
	sweep_some_times();
	assert_true(exists("b/" ASIDE));
}

int main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)
	const struct CMUnitTest tests[] = {
		TEST(what_the_dead_noted_goes_and_its_neighbours_stay),
		TEST(what_the_living_noted_stays),
		TEST(a_note_that_was_closed_is_forgotten),
		TEST(a_folder_goes_with_what_is_in_it_and_not_with_what_it_links_to),
		TEST(what_is_not_what_was_noted_stays),
		TEST(a_folder_that_has_become_a_link_is_not_entered),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
