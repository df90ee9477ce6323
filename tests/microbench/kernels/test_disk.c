/*
 * The disk kernel: nothing left behind, and no number without a measurement.
 */
#include <dirent.h>
#include <sched.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "support/kernel_fixture.h"
#include "kernels/kernels.h"

struct folder {
	struct fixture f;
	char path[64];
};

static int make_folder(void **state)
{
	struct folder *d = calloc(1, sizeof(*d));

	assert_non_null(d);
	fixture_init(&d->f, 1);
	snprintf(d->path, sizeof(d->path), "/tmp/scalediag-test-XXXXXX");
	assert_non_null(mkdtemp(d->path));
	d->f.env.directory = d->path;
	*state = d;
	return 0;
}

static unsigned files_in(const char *path)
{
	DIR *dir = opendir(path);
	unsigned n = 0;

	assert_non_null(dir);
	for (struct dirent *e; (e = readdir(dir));)
		n += strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0;
	closedir(dir);
	return n;
}

/* Whatever a test did: the folder is empty. */
static int remove_folder(void **state)
{
	struct folder *d = *state;
	unsigned left = files_in(d->path);

	rmdir(d->path);
	fixture_free(&d->f);
	free(d);
	return left ? -1 : 0;
}

static void all_four_quantities_are_measured(void **state)
{
	static const char *const op[] = {"op=write ", "op=read ", "op=fsync ", "op=fdatasync "};
	struct folder *d = *state;

	assert_int_equal(sd_kernel_disk.run(&d->f.env, &d->f.rows), 0);
	fixture_rows_are_sane(&d->f, "disk");
	assert_int_equal(d->f.rows.n, 4);
	for (int i = 0; i < 4; i++)
		assert_non_null(fixture_row(&d->f, op[i], 1, NAN));
	assert_true(fixture_row(&d->f, "op=read ", 1, NAN)->parameter <=
		    fixture_row(&d->f, "op=write ", 1, NAN)->parameter);
}

static void without_a_folder_the_disk_is_not_touched(void **state)
{
	struct folder *d = *state;

	d->f.env.directory = NULL;
	assert_int_equal(sd_kernel_disk.run(&d->f.env, &d->f.rows), 0);
	assert_int_equal(d->f.rows.n, 1);
	assert_int_equal(d->f.rows.row[0].status, SD_STATUS_ABSENT);
}

static void a_folder_that_is_not_there_is_named(void **state)
{
	struct folder *d = *state;

	d->f.env.directory = "/nonexistent/folder";
	assert_int_equal(sd_kernel_disk.run(&d->f.env, &d->f.rows), 0);
	assert_int_equal(d->f.rows.n, 1);
	assert_int_equal(d->f.rows.row[0].status, SD_STATUS_ABSENT);
	assert_non_null(strstr(d->f.rows.row[0].why, "/nonexistent/folder"));
}

static void a_write_that_fails_is_a_reason_and_not_a_number(void **state)
{
	struct folder *d = *state;
	struct rlimit before, small;
	const struct sd_bench_row *row;
	int rc;

	assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
	signal(SIGXFSZ, SIG_IGN);
	small = before;
	small.rlim_cur = 1 << 20;
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
	rc = sd_kernel_disk.run(&d->f.env, &d->f.rows);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
	signal(SIGXFSZ, SIG_DFL);
	assert_int_equal(rc, 0);
	row = fixture_row(&d->f, "op=write ", 1, NAN);
	assert_non_null(row);
	assert_int_equal(row->status, SD_STATUS_ABSENT);
	assert_true(strlen(row->why) > 0);
	row = fixture_row(&d->f, "op=read ", 1, NAN);
	assert_non_null(row);
	assert_int_equal(row->status, SD_STATUS_ABSENT);
}

/* In a child with a mount table of its own: 0 as it should be, 1 not, 2 cannot be tried here. */
static int on_a_full_disk(struct folder *d)
{
	if (unshare(CLONE_NEWNS) || mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) ||
		mount("tmpfs", d->path, "tmpfs", 0, "size=1m"))
		return 2;
	if (sd_kernel_disk.run(&d->f.env, &d->f.rows) != 0 || d->f.rows.n != 1)
		return 1;
	return d->f.rows.row[0].status != SD_STATUS_ABSENT ||
	       !strstr(d->f.rows.row[0].why, "No space");
}

static void a_full_disk_is_said(void **state)
{
	struct folder *d = *state;
	pid_t pid = fork();
	int status;

	assert_true(pid >= 0);
	if (pid == 0)
		_exit(on_a_full_disk(d));
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	if (WEXITSTATUS(status) == 2) {
		fprintf(stderr, "SKIP: %s: may not mount here\n", __func__);
		skip();
	}
	assert_int_equal(WEXITSTATUS(status), 0);
}

struct flag {
	volatile sig_atomic_t stop;
};

static void set_stop(void *ctx, const char *kernel, double fraction)
{
	(void)kernel;
	(void)fraction;
	((struct flag *)ctx)->stop = 1;
}

static void ctrl_c_ends_it_and_keeps_what_was_measured(void **state)
{
	struct folder *d = *state;
	struct flag flag = {0};

	d->f.env.stop = &flag.stop;
	d->f.env.progress = set_stop;
	d->f.env.progress_ctx = &flag;
	assert_int_equal(sd_kernel_disk.run(&d->f.env, &d->f.rows), -EINTR);
	fixture_rows_are_sane(&d->f, "disk");
	assert_int_equal(d->f.rows.n, 1);
}

static void a_killed_run_leaves_no_file(void **state)
{
	struct folder *d = *state;
	const struct timespec pause = {.tv_nsec = 20000000};
	pid_t pid = fork();

	assert_true(pid >= 0);
	if (pid == 0) {
		for (;;)
			sd_kernel_disk.run(&d->f.env, &d->f.rows);
	}
	nanosleep(&pause, NULL);
	assert_int_equal(kill(pid, SIGKILL), 0);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	assert_int_equal(files_in(d->path), 0);
}

static void after_its_deadline_it_measures_nothing(void **state)
{
	(void)state;
	fixture_minds_the_deadline(&sd_kernel_disk);
}

static void a_stop_before_the_start_leaves_no_row(void **state)
{
	(void)state;
	fixture_stops(&sd_kernel_disk);
}

#define IN_FOLDER(test) cmocka_unit_test_setup_teardown(test, make_folder, remove_folder)

int main(void)
{
	const struct CMUnitTest tests[] = {
		IN_FOLDER(all_four_quantities_are_measured),
		IN_FOLDER(without_a_folder_the_disk_is_not_touched),
		IN_FOLDER(a_folder_that_is_not_there_is_named),
		IN_FOLDER(a_write_that_fails_is_a_reason_and_not_a_number),
		IN_FOLDER(a_full_disk_is_said),
		IN_FOLDER(ctrl_c_ends_it_and_keeps_what_was_measured),
		IN_FOLDER(a_killed_run_leaves_no_file),
		cmocka_unit_test(after_its_deadline_it_measures_nothing),
		cmocka_unit_test(a_stop_before_the_start_leaves_no_row),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
