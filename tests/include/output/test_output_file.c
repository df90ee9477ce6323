/*
 * The rule for files that are written: every kind against everything that may stand at its path.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "bench/profile.h"
#include "output/output_check.h"
#include "output/output_aside.h"
#include "output/output_file.h"
#include "record/record.h"
#include "support/make_record.h"
#include "support/record_world.h"

#define FOREIGN "ten years of work\n"
#define NEW "new\n"

/* A file of each kind that may be replaced, as somebody else's formatter may have spaced it. */
static const char *const ours[SD_OUTPUT_KINDS] = {
	[SD_OUTPUT_RECORD] = "{ \"kind\" :\n\t\"" SD_RECORD_KIND "\", \"schema\": 1}",
	[SD_OUTPUT_PROFILE] = "{\"kind\":\"" SD_PROFILE_KIND "\"}",
	[SD_OUTPUT_PAGE] = "<!DOCTYPE html>\n<meta name=\"generator\" content=\"scalediag 0\">",
	[SD_OUTPUT_JUNIT] = "<?xml version=\"1.0\"?>\n<testsuite name=\"scalediag check\">",
	[SD_OUTPUT_SAMPLES] = "SDTRAIL",
	[SD_OUTPUT_SIMULATED] = "scalediag-sim 1\n",
	[SD_OUTPUT_COUNTED] = "running\n",
	[SD_OUTPUT_PRINTED] = FOREIGN, /* known by its name */
	[SD_OUTPUT_LOCK] = "",
};

static int put(FILE *f, const void *text)
{
	return fputs(text, f) < 0 ? -EIO : 0;
}

static const char *place(struct world *w, enum sd_output_kind kind)
{
	snprintf(w->path, sizeof w->path, "%s/%s", w->folder,
		kind == SD_OUTPUT_PRINTED ? "r.scalediag.out" : "r.out");
	return w->path;
}

static void expect_text(const char *path, const char *text)
{
	size_t n;
	char *const there = slurp(path, &n);

	assert_int_equal(n, strlen(text));
	assert_memory_equal(there, text, n);
	free(there);
}

static mode_t mode_of(const char *path)
{
	struct stat st;

	assert_int_equal(lstat(path, &st), 0);
	return st.st_mode & 07777;
}

/* Refused as `rc` with what is there named and untouched, by the check and by the writing alike. */
static void expect_refused(struct world *w, enum sd_output_kind kind, int rc)
{
	const struct sd_sink sink = sink_of(w);

	w->said[0] = '\0';
	assert_int_equal(sd_output_file_check(w->path, kind, 0, &sink), rc);
	assert_non_null(strstr(w->said, w->path));
	w->said[0] = '\0';
	assert_int_equal(sd_output_file_write(w->path, kind, put, NEW, &sink), rc);
	assert_non_null(strstr(w->said, w->path));
	assert_true(sd_output_file_refused(rc));
}

static void a_new_file_of_every_kind_is_written(void **state)
{
	struct world *const w = *state;

	for (int k = 0; k < SD_OUTPUT_KINDS; k++) {
		const enum sd_output_kind kind = (enum sd_output_kind)k;

		place(w, kind);
		assert_int_equal(sd_output_file_check(w->path, kind, 4096, NULL), 0);
		assert_int_equal(access(w->path, F_OK), -1);
		assert_int_equal(sd_output_file_write(w->path, kind, put, NEW, NULL), 0);
		expect_text(w->path, NEW);
		assert_int_equal(unlink(w->path), 0);
	}
}

static void one_of_ours_is_replaced_and_keeps_its_mode(void **state)
{
	static const mode_t modes[] = {0600, 0640, 0644, 0400};
	struct world *const w = *state;

	for (int k = 0; k < SD_OUTPUT_KINDS; k++) {
		const enum sd_output_kind kind = (enum sd_output_kind)k;

		if (!ours[k])
			continue;
		for (size_t m = 0; m < sizeof modes / sizeof *modes; m++) {
			place(w, kind);
			unlink(w->path);
			spill(w->path, ours[k], strlen(ours[k]));
			assert_int_equal(chmod(w->path, modes[m]), 0);
			assert_int_equal(sd_output_file_write(w->path, kind, put, NEW, NULL), 0);
			expect_text(w->path, NEW);
			assert_int_equal(mode_of(w->path), modes[m]);
		}
	}
}

static void a_record_is_for_its_owner_alone(void **state)
{
	struct world *const w = *state;
	const mode_t before = umask(0);

	place(w, SD_OUTPUT_RECORD);
	assert_int_equal(sd_output_file_write(w->path, SD_OUTPUT_RECORD, put, NEW, NULL), 0);
	assert_int_equal(mode_of(w->path), 0600);
	umask(before);
}

static void a_foreign_file_is_never_touched(void **state)
{
	struct world *const w = *state;

	for (int k = 0; k < SD_OUTPUT_KINDS; k++) {
		if (k == SD_OUTPUT_PRINTED)
			continue; /* below */
		place(w, (enum sd_output_kind)k);
		spill(w->path, FOREIGN, strlen(FOREIGN));
		expect_refused(w, (enum sd_output_kind)k, -EEXIST);
		expect_text(w->path, FOREIGN);
	}
	/* without our name in its own, what a program printed is not known as ours */
	expect_refused(w, SD_OUTPUT_PRINTED, -EEXIST);
	assert_int_equal(sd_output_file_create(w->path), -EEXIST);
	expect_text(w->path, FOREIGN);
}

static void one_kind_of_ours_is_foreign_to_another(void **state)
{
	struct world *const w = *state;

	for (int k = 0; k < SD_OUTPUT_KINDS; k++)
		for (int other = 0; other < SD_OUTPUT_KINDS; other++) {
			if (k == other || k == SD_OUTPUT_PRINTED || other == SD_OUTPUT_PRINTED ||
				!ours[other] || !*ours[other])
				continue;
			place(w, (enum sd_output_kind)k);
			spill(w->path, ours[other], strlen(ours[other]));
			expect_refused(w, (enum sd_output_kind)k, -EEXIST);
			expect_text(w->path, ours[other]);
		}
}

static void links_folders_and_sockets_are_refused(void **state)
{
	struct world *const w = *state;
	char target[160];

	snprintf(target, sizeof target, "%s/target", w->folder);
	for (int k = 0; k < SD_OUTPUT_KINDS; k++) {
		const enum sd_output_kind kind = (enum sd_output_kind)k;

		place(w, kind);
		/* to one of ours, to somebody's, and to nothing */
		for (int to = 0; to < 3; to++) {
			const char *const text = to ? FOREIGN : ours[k] ? ours[k] : FOREIGN;

			if (to < 2)
				spill(target, text, strlen(text));
			assert_int_equal(symlink("target", w->path), 0);
			expect_refused(w, kind, -ELOOP);
			if (kind == SD_OUTPUT_PRINTED)
				assert_int_equal(sd_output_file_create(w->path), -ELOOP);
			assert_int_equal(unlink(w->path), 0);
			if (to < 2) {
				expect_text(target, text);
				assert_int_equal(unlink(target), 0);
			} else {
				assert_int_equal(access(target, F_OK), -1);
			}
		}
		assert_int_equal(mkdir(w->path, 0700), 0);
		expect_refused(w, kind, -EISDIR);
		assert_int_equal(rmdir(w->path), 0);
		assert_int_equal(mknod(w->path, S_IFSOCK | 0600, 0), 0);
		expect_refused(w, kind, -EEXIST);
		assert_int_equal(unlink(w->path), 0);
	}
}

static int fail_late(FILE *f, const void *text)
{
	fputs(text, f);
	return -ENOMEM;
}

static void a_writer_that_fails_leaves_the_old_file_and_nothing_else(void **state)
{
	struct world *const w = *state;
	const struct sd_sink sink = sink_of(w);
	DIR *d;
	int n = 0;

	place(w, SD_OUTPUT_PAGE);
	spill(w->path, ours[SD_OUTPUT_PAGE], strlen(ours[SD_OUTPUT_PAGE]));
	assert_int_equal(
		sd_output_file_write(w->path, SD_OUTPUT_PAGE, fail_late, NEW, &sink), -ENOMEM);
	expect_text(w->path, ours[SD_OUTPUT_PAGE]);
	d = opendir(w->folder);
	assert_non_null(d);
	for (struct dirent *e; (e = readdir(d)) != NULL;)
		n += e->d_name[0] != '.' || strlen(e->d_name) > 2;
	closedir(d);
	assert_int_equal(n, 1);
}

static void streams_are_written_to_as_they_are(void **state)
{
	struct world *const w = *state;
	char text[16] = "";
	int fd;

	place(w, SD_OUTPUT_PAGE);
	assert_int_equal(mkfifo(w->path, 0600), 0);
	fd = open(w->path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	assert_true(fd >= 0);
	assert_int_equal(sd_output_file_write(w->path, SD_OUTPUT_PAGE, put, NEW, NULL), 0);
	assert_int_equal(read(fd, text, sizeof text), strlen(NEW));
	assert_string_equal(text, NEW);
	close(fd);
	/* a record is written many times: not into a pipe */
	expect_refused(w, SD_OUTPUT_RECORD, -EEXIST);
	assert_int_equal(sd_output_file_write("/dev/null", SD_OUTPUT_JUNIT, put, NEW, NULL), 0);
	assert_int_equal(
		sd_output_file_write("/dev/full", SD_OUTPUT_PAGE, put, NEW, NULL), -ENOSPC);
}

static void a_link_that_comes_after_the_check_is_not_written_through(void **state)
{
	struct world *const w = *state;
	char target[160];

	snprintf(target, sizeof target, "%s/target", w->folder);
	place(w, SD_OUTPUT_RECORD);
	assert_int_equal(sd_output_file_check(w->path, SD_OUTPUT_RECORD, 0, NULL), 0);
	spill(target, FOREIGN, strlen(FOREIGN));
	assert_int_equal(symlink("target", w->path), 0);
	assert_int_equal(sd_output_file_write(w->path, SD_OUTPUT_RECORD, put, NEW, NULL), -ELOOP);
	expect_text(target, FOREIGN);
}

static void what_a_program_prints_goes_to_a_new_file(void **state)
{
	struct world *const w = *state;
	char text[16] = "";
	int old, new;

	place(w, SD_OUTPUT_PRINTED);
	old = sd_output_file_create(w->path);
	assert_true(old >= 0);
	new = sd_output_file_create(w->path);
	assert_true(new >= 0);
	/* a process of the run before that still writes does so to its own */
	assert_int_equal(write(old, "late", 4), 4);
	assert_int_equal(pread(new, text, sizeof text, 0), 0);
	close(old);
	close(new);
}

static void an_input_is_no_output_by_whatever_name(void **state)
{
	struct world *const w = *state;
	const struct sd_sink sink = sink_of(w);
	char other[200], linked[160];
	struct sd_output_input input = {.what = "the record that is reported"};
	const struct sd_output_wish wish = {.path = w->path, .kind = SD_OUTPUT_RECORD};

	place(w, SD_OUTPUT_RECORD);
	spill(w->path, ours[SD_OUTPUT_RECORD], strlen(ours[SD_OUTPUT_RECORD]));
	snprintf(other, sizeof other, "%s/../%s/./r.out", w->folder, strrchr(w->folder, '/') + 1);
	snprintf(linked, sizeof linked, "%s/hard", w->folder);
	assert_int_equal(link(w->path, linked), 0);
	assert_int_equal(sd_output_check(&wish, 1, &input, 1, &sink), 0);
	for (int i = 0; i < 3; i++) {
		input.path = i == 0 ? w->path : i == 1 ? other : linked;
		w->said[0] = '\0';
		assert_int_equal(sd_output_check(&wish, 1, &input, 1, &sink), -EEXIST);
		assert_non_null(strstr(w->said, input.what));
	}
	expect_text(w->path, ours[SD_OUTPUT_RECORD]);
}

static void two_outputs_are_not_one_file(void **state)
{
	struct world *const w = *state;
	const struct sd_sink sink = sink_of(w);
	struct sd_output_wish wish[2] = {{.kind = SD_OUTPUT_RECORD}, {.kind = SD_OUTPUT_PAGE}};

	place(w, SD_OUTPUT_RECORD);
	wish[0].path = wish[1].path = w->path;
	assert_int_equal(sd_output_check(wish, 2, NULL, 0, &sink), -EEXIST);
	assert_non_null(strstr(w->said, "both the record and the HTML page"));
	assert_int_equal(access(w->path, F_OK), -1);
}

static void what_killed_writers_left_is_swept_and_nothing_else(void **state)
{
	struct world *const w = *state;
	char name[3][200];

	place(w, SD_OUTPUT_RECORD);
	snprintf(name[0], sizeof name[0], "%s/.r.out.0123456789abcdef.scalediag-tmp", w->folder);
	snprintf(name[1], sizeof name[1], "%s/.s.out.0123456789abcdef.scalediag-tmp", w->folder);
	snprintf(name[2], sizeof name[2], "%s/.r.out.0123456789abcdeX.scalediag-tmp", w->folder);
	for (int i = 0; i < 3; i++)
		spill(name[i], NEW, strlen(NEW));
	sd_output_aside_sweep(w->path);
	assert_int_equal(access(name[0], F_OK), -1);
	assert_int_equal(access(name[1], F_OK), 0);
	assert_int_equal(access(name[2], F_OK), 0);
}

#define TEST(t) cmocka_unit_test_setup_teardown(t, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_new_file_of_every_kind_is_written),
		TEST(one_of_ours_is_replaced_and_keeps_its_mode),
		TEST(a_record_is_for_its_owner_alone),
		TEST(a_foreign_file_is_never_touched),
		TEST(one_kind_of_ours_is_foreign_to_another),
		TEST(links_folders_and_sockets_are_refused),
		TEST(a_writer_that_fails_leaves_the_old_file_and_nothing_else),
		TEST(streams_are_written_to_as_they_are),
		TEST(a_link_that_comes_after_the_check_is_not_written_through),
		TEST(what_a_program_prints_goes_to_a_new_file),
		TEST(an_input_is_no_output_by_whatever_name),
		TEST(two_outputs_are_not_one_file),
		TEST(what_killed_writers_left_is_swept_and_nothing_else),
	};

	return cmocka_run_group_tests_name("include/output", tests, NULL, NULL);
}
