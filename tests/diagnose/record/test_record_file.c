#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <dirent.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "output/output_file.h"
#include "support/make_full.h"

static void writing_where_it_cannot_says_what_to_do_and_leaves_nothing(void **state)
{
	struct world *w = *state;
	const struct sd_sink sink = sink_of(w);
	static const unsigned cores[] = {1};
	char path[160];
	struct sd_record r;

	make_record(&r, cores, 1);
	snprintf(path, sizeof path, "%s/no/such/r.json", w->folder);
	assert_int_equal(sd_record_write(path, &r, &sink), -ENOENT);
	assert_non_null(strstr(w->said, "create the folder first"));
	assert_int_equal(sd_record_write(w->folder, &r, &sink), -EISDIR);
	assert_non_null(strstr(w->said, "give the name of a file"));
	/* files of other options and of lessons are written too */
	assert_null(strstr(w->said, "-o"));
	assert_int_equal(sd_record_write("/dev/null", &r, &sink), -EEXIST);
	assert_non_null(strstr(w->said, "/dev/null"));
	assert_int_equal(sd_record_write("/proc/r.json", &r, &sink), -ENOENT);
	assert_int_equal(w->messages, 4);
	assert_int_equal(files_in(w->folder), 0);
	sd_record_free(&r);
}

/* Runs `try` as an ordinary user where we are root, who may write anywhere. */
static void a_folder_without_permission_is_named(void **state)
{
	struct world *w = *state;
	static const unsigned cores[] = {1};
	struct sd_record r;
	pid_t child;
	int status;

	make_record(&r, cores, 1);
	assert_int_equal(chmod(w->folder, 0555), 0);
	child = fork();
	if (child == 0) {
		const struct sd_sink sink = sink_of(w);
		const int dropped = geteuid() != 0 || setuid(65534) == 0;

		_exit(dropped && sd_record_write(w->path, &r, &sink) == -EACCES &&
					strstr(w->said, "you may write to")
				? 0
				: 1);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
	chmod(w->folder, 0755);
	assert_int_equal(files_in(w->folder), 0);
	sd_record_free(&r);
}

static void past_the_file_size_limit_the_old_record_stays(void **state)
{
	struct world *w = *state;
	static const unsigned cores[] = {1};
	size_t before, after;
	char *first, *second;
	struct sd_record r;
	pid_t child;
	int status;

	make_record(&r, cores, 1);
	assert_int_equal(sd_record_write(w->path, &r, NULL), 0);
	first = slurp(w->path, &before);
	for (int i = 0; i < 200; i++)
		make_run(&r, 0, 1, 1, 0);
	child = fork();
	if (child == 0) {
		const struct sd_sink sink = sink_of(w);
		const struct rlimit limit = {8192, 8192};

		setrlimit(RLIMIT_FSIZE, &limit);
		_exit(sd_record_write(w->path, &r, &sink) == -EFBIG &&
					strstr(w->said, "ulimit -f") && w->messages == 1
				? 0
				: 1);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
	second = slurp(w->path, &after);
	assert_int_equal(before, after);
	assert_memory_equal(first, second, before);
	assert_int_equal(files_in(w->folder), 1);
	free(first);
	free(second);
	sd_record_free(&r);
}

/* A real full disk: a tmpfs of 64 KiB, in a mount namespace of a child. */
static int write_to_full_disk(struct world *w, const struct sd_record *r)
{
	const struct sd_sink sink = sink_of(w);
	char below[160];

	if (unshare(CLONE_NEWNS) != 0 || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0 ||
		mount("tmpfs", w->folder, "tmpfs", 0, "size=64k") != 0)
		return 77;
	if (sd_record_write(w->path, r, &sink) != -ENOSPC || !strstr(w->said, "free some space"))
		return 1;
	if (files_in(w->folder) != 0)
		return 2;
	if (mount(NULL, w->folder, NULL, MS_REMOUNT | MS_RDONLY, "size=64k") != 0)
		return 77;
	if (sd_record_write(w->path, r, &sink) != -EROFS || !strstr(w->said, "-o"))
		return 3;
	/* a folder that is missing because it could not be made there */
	snprintf(below, sizeof below, "%s/no/such/r.json", w->folder);
	if (sd_output_file_check(below, SD_OUTPUT_RECORD, 0, &sink) != -EROFS ||
		!strstr(w->said, "-only"))
		return 4;
	return w->messages == 3 ? 0 : 5;
}

static void a_full_and_a_read_only_disk_are_named(void **state)
{
	struct world *w = *state;
	static const unsigned cores[] = {1};
	struct sd_record r;
	pid_t child;
	int status;

	make_record(&r, cores, 1);
	for (int i = 0; i < 2000; i++)
		make_run(&r, 0, 1, 1, 0);
	child = fork();
	if (child == 0)
		_exit(write_to_full_disk(w, &r));
	assert_int_equal(waitpid(child, &status, 0), child);
	sd_record_free(&r);
	if (WIFEXITED(status) && WEXITSTATUS(status) == 77) {
		fprintf(stderr, "SKIP: a_full_and_a_read_only_disk_are_named: may not mount a "
				"tmpfs here\n");
		skip();
	}
	assert_int_equal(status, 0);
}

static void nothing_is_written_through_a_link(void **state)
{
	struct world *w = *state;
	const struct sd_sink sink = sink_of(w);
	static const unsigned cores[] = {1};
	char link[160], *text;
	struct sd_record r;
	struct stat st;
	size_t n;

	make_record(&r, cores, 1);
	spill(w->path, "old", 3);
	snprintf(link, sizeof link, "%s/link", w->folder);
	assert_int_equal(symlink("r.json", link), 0);
	assert_int_equal(sd_record_write(link, &r, &sink), -ELOOP);
	assert_non_null(strstr(w->said, "symbolic link"));
	assert_int_equal(lstat(link, &st), 0);
	assert_true(S_ISLNK(st.st_mode));
	text = slurp(w->path, &n);
	assert_int_equal(n, 3);
	assert_memory_equal(text, "old", 3);
	free(text);
	sd_record_free(&r);
}

static void what_cannot_be_a_record_is_not_opened(void **state)
{
	struct world *w = *state;
	const struct sd_sink sink = sink_of(w);
	struct sd_record r;

	assert_int_equal(sd_record_read(w->path, &r, &sink), -ENOENT);
	assert_non_null(strstr(w->said, "No such file"));
	assert_int_equal(sd_record_read(w->folder, &r, &sink), -EISDIR);
	assert_non_null(strstr(w->said, "is a folder"));
	assert_int_equal(sd_record_read("/dev/zero", &r, &sink), -EINVAL);
	assert_non_null(strstr(w->said, "is a device"));
	assert_int_equal(w->messages, 3);
}

static void a_record_can_come_through_a_pipe(void **state)
{
	struct world *w = *state;
	const struct sd_sink sink = sink_of(w);
	struct sd_record r;
	char *text = damaged("", "");
	pid_t child;

	assert_int_equal(mkfifo(w->path, 0600), 0);
	child = fork();
	if (child == 0) {
		spill(w->path, text, strlen(text));
		_exit(0);
	}
	assert_int_equal(sd_record_read(w->path, &r, &sink), 0);
	assert_int_equal(r.n_run, 2);
	waitpid(child, NULL, 0);
	sd_record_free(&r);
	free(text);
}

static void a_run_added_is_taken_over(void **state)
{
	static const unsigned cores[] = {1};
	struct sd_record r;
	struct sd_run run = {0};

	(void)state;
	make_record(&r, cores, 1);
	make_concurrency(&run, (const double[]){1, 2}, 2);
	assert_int_equal(sd_record_add(&r, &run), 0);
	assert_null(run.concurrency);
	assert_int_equal(r.n_run, 1);
	assert_int_equal(r.run[0].n_concurrency, 2);
	sd_record_free(&r);
}

int main(void)
{
#define T(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
	const struct CMUnitTest tests[] = {
		T(writing_where_it_cannot_says_what_to_do_and_leaves_nothing),
		T(a_folder_without_permission_is_named),
		T(past_the_file_size_limit_the_old_record_stays),
		T(a_full_and_a_read_only_disk_are_named),
		T(nothing_is_written_through_a_link),
		T(what_cannot_be_a_record_is_not_opened),
		T(a_record_can_come_through_a_pipe),
		T(a_run_added_is_taken_over),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
