/* Which build of a program: what is seen of a file, and what tells two of them apart. */
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "support/near.h"
#include "launch/program_file.h"

static void this_test_has_a_build_id_or_none_and_a_size(void **state)
{
	struct sd_program_file a, b;
	struct stat st;
	char how[128];

	(void)state;
	assert_int_equal(stat("/proc/self/exe", &st), 0);
	sd_program_file_read("/proc/self/exe", &a);
	sd_program_file_read("/proc/self/exe", &b);
	assert_near(a.bytes.value, (double)st.st_size, 0);
	assert_near(a.mtime.value, (double)st.st_mtim.tv_sec, 1);
	assert_int_equal(strlen(a.build_id) % 2, 0);
	assert_int_equal(strspn(a.build_id, "0123456789abcdef"), strlen(a.build_id));
	assert_int_equal(sd_program_file_differs(&a, &b, how, sizeof how), 0);
}

static void what_is_no_file_is_not_known(void **state)
{
	static const char *const path[] = {"/no/such/program", "/tmp", "/dev/zero"};
	struct sd_program_file here, f;
	char how[128];

	(void)state;
	sd_program_file_read("/proc/self/exe", &here);
	for (size_t i = 0; i < sizeof path / sizeof *path; i++) {
		sd_program_file_read(path[i], &f);
		assert_int_equal(f.bytes.status, SD_STATUS_ABSENT);
		assert_int_equal(f.mtime.status, SD_STATUS_ABSENT);
		assert_string_equal(f.build_id, "");
		assert_int_equal(sd_program_file_differs(&here, &f, how, sizeof how), -1);
		assert_int_equal(sd_program_file_differs(&f, &here, how, sizeof how), -1);
	}
}

static void a_script_has_a_size_and_a_time(void **state)
{
	char path[] = "/tmp/scalediag-test-XXXXXX";
	const int fd = mkstemp(path);
	struct sd_program_file f;

	(void)state;
	assert_true(fd >= 0);
	assert_int_equal(write(fd, "#!/bin/sh\n", 10), 10);
	sd_program_file_read(path, &f);
	assert_near(f.bytes.value, 10, 0);
	assert_string_equal(f.build_id, "");
	close(fd);
	unlink(path);
}

static void size_time_or_build_id_tell_two_builds_apart(void **state)
{
	static const struct {
		double bytes, mtime;
		const char *id;
		int differs;
		const char *how;
	} row[] = {
		{100, 1.7e9, "aabb", 0, NULL},
		{101, 1.7e9, "aabb", 1, "100 bytes then, 101 now"},
		{100, 1.7e9 + .5, "aabb", 1, "written"},
		{100, 1.7e9, "aabc", 1, "build-id aabb then, aabc now"},
		{100, 1.7e9, "", 1, "aabb then, none now"},
	};
	const struct sd_program_file then = {
		.bytes = SD_OK(100), .mtime = SD_OK(1.7e9), .build_id = "aabb"};

	(void)state;
	for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
		struct sd_program_file now = {
			.bytes = SD_OK(row[i].bytes), .mtime = SD_OK(row[i].mtime)};
		char how[128] = "";

		snprintf(now.build_id, sizeof now.build_id, "%s", row[i].id);
		assert_int_equal(
			sd_program_file_differs(&then, &now, how, sizeof how), row[i].differs);
		if (row[i].how)
			assert_non_null(strstr(how, row[i].how));
	}
}

/* Expects the name that its maps give the file `folder`/app when it is started as `name`. */
static void expect_called(const char *folder, const char *name, const char *as)
{
	struct sd_program p = {.cwd = strdup(folder)};
	struct sd_stacks s = {0};
	char file[128], called[128];
	unsigned text;

	snprintf(file, sizeof file, "%s/app", folder);
	snprintf(called, sizeof called, "%s/%s", folder, as);
	assert_int_equal(sd_texts_add(&p.argv, "%s", name), 0);
	assert_int_equal(sd_program_file_call(&p, &s), 0);
	assert_int_equal(sd_stacks_text(&s, file, &text), 0);
	assert_string_equal(s.text[text], called);
	assert_int_equal(sd_stacks_text(&s, "/lib/libc.so.6", &text), 0);
	assert_string_equal(s.text[text], "/lib/libc.so.6");
	sd_stacks_free(&s);
	sd_texts_free(&p.argv);
	free(p.cwd);
}

static void a_program_has_the_name_of_the_link_it_was_started_by(void **state)
{
	char made[] = "/tmp/program_file-XXXXXX", name[128], *folder;
	int fd;

	(void)state;
	assert_non_null(mkdtemp(made));
	folder = realpath(made, NULL);
	assert_non_null(folder);
	assert_int_equal(chdir(folder), 0);
	fd = open("app", O_WRONLY | O_CREAT | O_CLOEXEC, 0700);
	assert_true(fd >= 0);
	close(fd);
	assert_int_equal(
		mkdir("bin", 0700) | symlink("app", "server") | symlink("../app", "bin/app"), 0);
	snprintf(name, sizeof name, "%s/server", folder);
	expect_called(folder, "./server", "server");
	expect_called(folder, name, "server");
	expect_called(folder, "./app", "app");
	expect_called(folder, "bin/app", "app"); /* another folder, the same name */
	expect_called(folder, "./none", "app");
	assert_int_equal(unlink("bin/app") | rmdir("bin") | unlink("server") | unlink("app"), 0);
	assert_int_equal(chdir("/") | rmdir(folder), 0);
	free(folder);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(this_test_has_a_build_id_or_none_and_a_size),
		cmocka_unit_test(what_is_no_file_is_not_known),
		cmocka_unit_test(a_script_has_a_size_and_a_time),
		cmocka_unit_test(size_time_or_build_id_tell_two_builds_apart),
		cmocka_unit_test(a_program_has_the_name_of_the_link_it_was_started_by),
	};

	return cmocka_run_group_tests_name("program_file", tests, NULL, NULL);
}
