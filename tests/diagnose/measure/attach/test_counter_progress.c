/* Progress that a program reports by scalediag.h is read back, by name, from whoever runs. */
#include "attach/counter_progress.h"

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "markers/scalediag.h"

/* This file once more, as the program: it reports so much, and waits. */
#define SERVE "--serve"

struct fixture {
	char path[64];
	pid_t pid;
	struct sd_attached program;
};

static int serve(void)
{
	sd_progress("requests", 3);
	sd_progress("bytes", 1000);
	for (int i = 0; i < 4; i++)
		sd_progress("requests", 1);
	sd_progress("a name that is longer than what a row of the file has room for, by far", 5);
	pause();
	return 0;
}

static void start(struct fixture *f, const char *variable)
{
	char name[16];

	f->pid = fork();
	assert_true(f->pid >= 0);
	if (f->pid == 0) {
		char program[] = "served", serves[] = SERVE, *argv[] = {program, serves, NULL};
		char word[128], *envp[] = {word, NULL};

		snprintf(word, sizeof word, "%s=%s", variable, f->path);
		execve("/proc/self/exe", argv, envp);
		_exit(127);
	}
	for (int i = 0; i < 400; i++) {
		struct stat st;

		/* its last report has been made when it waits */
		if (stat(f->path, &st) == 0 && st.st_size > 0 && i > 20)
			break;
		nanosleep(&(struct timespec){.tv_nsec = 5000000}, NULL);
	}
	snprintf(name, sizeof name, "%d", (int)f->pid);
	assert_int_equal(sd_attached_find(&f->program, SD_ATTACH_PID, name, NULL), 0);
}

static int setup(void **state)
{
	struct fixture *const f = calloc(1, sizeof *f);
	int fd;

	assert_non_null(f);
	snprintf(f->path, sizeof f->path, "/tmp/scalediag-markers-XXXXXX");
	fd = mkstemp(f->path);
	assert_true(fd >= 0);
	close(fd);
	*state = f;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *const f = *state;

	kill(f->pid, SIGKILL);
	waitpid(f->pid, NULL, 0);
	sd_attached_free(&f->program);
	unlink(f->path);
	free(f);
	return 0;
}

static double count_of(const struct fixture *f, const char *name)
{
	struct sd_counter_progress c;
	double count = -1;
	uint64_t when = 0;
	int rc = -ENOENT;

	for (int i = 0; i < 400 && rc == -ENOENT; i++) {
		rc = sd_counter_progress_open(&c, &f->program, name, NULL);
		if (rc)
			nanosleep(&(struct timespec){.tv_nsec = 5000000}, NULL);
	}
	assert_int_equal(rc, 0);
	assert_int_equal(c.counter.read(c.counter.ctx, &count, &when, NULL), 0);
	assert_true(when > 0);
	sd_counter_progress_close(&c);
	return count;
}

static void counters_are_found_by_name(void **state)
{
	struct fixture *const f = *state;

	start(f, "SCALEDIAG_MARKERS");
	/* the last one first: when it is there, so are the others */
	assert_true(count_of(f, "a name that is longer than what a row of the file has room for, "
				"by far") == 5);
	assert_true(count_of(f, "requests") == 7);
	assert_true(count_of(f, "bytes") == 1000);
}

/* The file is the program's: who reads it lives on when it is cut, and has no number. */
static void a_file_that_is_cut_has_no_count(void **state)
{
	struct fixture *const f = *state;
	struct sd_counter_progress c;
	double count;
	uint64_t when;
	int rc = -ENOENT;

	start(f, "SCALEDIAG_MARKERS");
	for (int i = 0; i < 400 && rc == -ENOENT; i++) {
		rc = sd_counter_progress_open(&c, &f->program, "requests", NULL);
		nanosleep(&(struct timespec){.tv_nsec = 5000000}, NULL);
	}
	assert_int_equal(rc, 0);
	assert_int_equal(kill(f->pid, SIGSTOP), 0);
	assert_int_equal(truncate(f->path, 4096), 0);
	assert_int_equal(c.counter.read(c.counter.ctx, &count, &when, NULL), -EIO);
	sd_counter_progress_close(&c);
}

static void a_program_without_markers_is_told_so(void **state)
{
	struct fixture *const f = *state;
	struct sd_counter_progress c;

	start(f, "ANOTHER_VARIABLE");
	assert_int_equal(sd_counter_progress_open(&c, &f->program, "requests", NULL), -ENOENT);
	sd_counter_progress_close(&c);
}

/* Bytes of somebody else's: nothing is read beyond the file, and no name is trusted to end. */
static void any_bytes_are_no_counter(void **state)
{
	struct sd_marker_file *const file = malloc(sizeof *file);
	int found = 0;

	(void)state;
	assert_non_null(file);
	memset(file, 0xff, sizeof *file);
	assert_true(sd_counter_progress_sum(file, "requests", &found) == 0);
	file->magic = SD_MARKER_MAGIC;
	assert_true(sd_counter_progress_sum(file, "requests", &found) == 0);
	assert_int_equal(found, 0);
	memset(file->row[3].name, 'x', sizeof file->row[3].name);
	file->row[3].state = SD_MARKER_READY;
	assert_true(sd_counter_progress_sum(file, "x", &found) == 0);
	assert_int_equal(found, 0);
	free(file);
}

int main(int argc, char **argv)
{
#define TEST(t) cmocka_unit_test_setup_teardown(t, setup, teardown)
	const struct CMUnitTest tests[] = {
		TEST(counters_are_found_by_name),
		TEST(a_program_without_markers_is_told_so),
		TEST(a_file_that_is_cut_has_no_count),
		cmocka_unit_test(any_bytes_are_no_counter),
	};

	if (argc > 1 && strcmp(argv[1], SERVE) == 0)
		return serve();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
