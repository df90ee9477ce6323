/*
 * Copies of sources: without what git ignores and what compilers made, with all else as it was.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <elf.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tree/git_answer.h"
#include "tree/source_copy.h"

static char folder[64], there[512];

static const char *path_of(const char *name)
{
	snprintf(there, sizeof there, "%s/%s", folder, name);
	return there;
}

static void put(const char *name, const void *bytes, size_t n)
{
	FILE *const f = fopen(path_of(name), "w");

	assert_non_null(f);
	assert_int_equal(fwrite(bytes, 1, n, f), n);
	assert_int_equal(fclose(f), 0);
}

/* An ELF file of that type. */
static void put_elf(const char *name, unsigned char type)
{
	unsigned char head[EI_NIDENT + 2] = ELFMAG;

	head[EI_DATA] = ELFDATA2LSB;
	head[EI_NIDENT] = type;
	put(name, head, sizeof head);
}

static int setup(void **state)
{
	static const char *const folders[] = {
		"", "from", "from/src", "from/.git", "from/out", "from/src/deep"};

	(void)state;
	strcpy(folder, "/tmp/scalediag-copy.XXXXXX");
	assert_non_null(mkdtemp(folder));
	for (size_t i = 1; i < sizeof folders / sizeof *folders; i++)
		assert_int_equal(mkdir(path_of(folders[i]), 0700), 0);
	put("from/src/a.c", "a", 1);
	put("from/src/deep/run.sh", "b", 1);
	assert_int_equal(chmod(path_of("from/src/deep/run.sh"), 0755), 0);
	put("from/out/CMakeCache.txt", "c", 1);
	put("from/.git/config", "d", 1);
	put_elf("from/src/a.o", ET_REL);
	put_elf("from/app", ET_DYN);
	put_elf("from/other", ET_DYN);
	assert_int_equal(symlink("src/a.c", path_of("from/link.c")), 0);
	assert_int_equal(mkfifo(path_of("from/pipe"), 0600), 0);
	return 0;
}

static int remove_one(const char *path, const struct stat *st, int kind, struct FTW *at)
{
	(void)st;
	(void)kind;
	(void)at;
	return remove(path);
}

static int teardown(void **state)
{
	(void)state;
	return nftw(folder, remove_one, 8, FTW_DEPTH | FTW_PHYS);
}

static int is_there(const char *name)
{
	struct stat st;

	return lstat(path_of(name), &st) == 0;
}

static void copy(const char *to)
{
	char from[128], into[128];

	snprintf(from, sizeof from, "%s/from", folder);
	snprintf(into, sizeof into, "%s/%s", folder, to);
	assert_int_equal(sd_source_copy(from, into, "app"), 0);
}

static void sources_are_copied_as_they_are(void **state)
{
	struct stat st;
	struct stat was;
	char target[32] = "";

	(void)state;
	copy("to");
	assert_true(is_there("to/src/a.c") && is_there("to/other"));
	assert_int_equal(stat(path_of("to/src/deep/run.sh"), &st), 0);
	assert_int_equal(stat(path_of("from/src/deep/run.sh"), &was), 0);
	assert_int_equal(st.st_mode & 07777, 0755);
	assert_int_equal(st.st_mtim.tv_sec, was.st_mtim.tv_sec);
	assert_int_equal(st.st_mtim.tv_nsec, was.st_mtim.tv_nsec);
	assert_int_equal(readlink(path_of("to/link.c"), target, sizeof target - 1), 7);
	assert_string_equal(target, "src/a.c");
}

static void what_a_build_made_is_left_out(void **state)
{
	static const char *const out[] = {"to/.git", "to/out", "to/src/a.o", "to/app", "to/pipe"};

	(void)state;
	copy("to");
	for (size_t i = 0; i < sizeof out / sizeof *out; i++)
		if (is_there(out[i]))
			fail_msg("%s", out[i]);
}

/* A copy in the folder itself is no part of the next one. */
static void a_copy_may_lie_in_its_folder(void **state)
{
	(void)state;
	assert_int_equal(mkdir(path_of("from/tmp"), 0700), 0);
	copy("from/tmp/before");
	copy("from/tmp/after");
	assert_true(is_there("from/tmp/after/src/a.c"));
	assert_false(is_there("from/tmp/after/tmp"));
}

static void what_git_ignores_is_left_out(void **state)
{
	static const char *const words[] = {"init", "-q", NULL};
	char from[128], *said = NULL;
	size_t size;

	(void)state;
	snprintf(from, sizeof from, "%s/from", folder);
	put("from/.gitignore", "/logs/\n*.tmp\n", 13);
	assert_int_equal(unlink(path_of("from/.git/config")), 0);
	assert_int_equal(mkdir(path_of("from/logs"), 0700), 0);
	put("from/logs/run", "e", 1);
	put("from/src/a.tmp", "f", 1);
	if (sd_git_answer(from, words, &said, &size) != 0)
		skip(); /* there is no git here */
	free(said);
	copy("to");
	assert_false(is_there("to/logs"));
	assert_false(is_there("to/src/a.tmp"));
	assert_true(is_there("to/src/a.c") && is_there("to/.gitignore"));
}

static void a_folder_that_is_none_is_said(void **state)
{
	(void)state;
	assert_int_equal(sd_source_copy("/nowhere/at/all", path_of("to"), "app"), -2);
	assert_false(is_there("to"));
}

int main(void)
{
#define T(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
	const struct CMUnitTest tests[] = {
		T(sources_are_copied_as_they_are),
		T(what_a_build_made_is_left_out),
		T(a_copy_may_lie_in_its_folder),
		T(what_git_ignores_is_left_out),
		T(a_folder_that_is_none_is_said),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
