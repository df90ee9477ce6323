/*
 * Copies that run at once, their outputs and their folders.
 */
#include <sys/stat.h>

#include "support/measure_fakes.h"
#include "trial/copies.h"
#include "experiment/experiments.h"
#include "trial/private_folder.h"

/* Copies that wait for a CPU may not meet: a few tries. */
#define TRIES 5

/* ---- copies ---- */

#define COPIES 3

struct trio {
	char folder[128], out[COPIES][200], err[COPIES][200], shared[200];
	struct sd_copies_one one[COPIES];
	struct sd_copy copy[COPIES];
	struct sd_run run;
	struct said said;
};

static int run_trio(struct trio *w, const char *script, double timeout_s)
{
	char *sh[] = {(char[]){"/bin/sh"}, (char[]){"-c"}, strdup(script), NULL};
	const struct sd_sink sink = {.emit = hear_said, .ctx = &w->said};
	static unsigned cpu[1];
	const struct sd_copies c = {
		.argv = sh, .envp = environ, .one = w->one, .n = COPIES, .timeout_s = timeout_s};
	cpu_set_t set;
	int rc;

	sched_getaffinity(0, sizeof set, &set);
	while (!CPU_ISSET(cpu[0], &set))
		cpu[0]++;
	make_folder(w->folder, sizeof w->folder);
	for (int i = 0; i < COPIES; i++) {
		snprintf(w->out[i], sizeof w->out[i], "%s/%d.out", w->folder, i);
		snprintf(w->err[i], sizeof w->err[i], "%s/%d.err", w->folder, i);
		w->one[i] = (struct sd_copies_one){.cpus = {.cpu = cpu, .n = 1},
			.cwd = w->folder,
			.out_path = w->out[i],
			.err_path = w->err[i]};
	}
	rc = sd_copies_run(&c, w->copy, &w->run, w->shared, sizeof w->shared, &sink);
	free(sh[2]);
	assert_no_children();
	return rc;
}

static void copies_run_at_once_with_outputs_of_their_own(void **state)
{
	struct trio w = {.shared = ""};
	char text[64];
	int same;

	(void)state;
	assert_int_equal(setenv("MARK", "scalediag-copies", 1), 0);
	assert_int_equal(run_trio(&w, "echo $$; sleep 0.2 & wait", 0), 0);
	assert_int_equal(w.run.end, SD_END_EXITED);
	assert_int_equal(w.run.code, 0);
	for (int i = 0; i < COPIES; i++) {
		assert_true(sd_has(w.copy[i].wall) && w.copy[i].wall.value >= .2);
		assert_true(sd_has(w.copy[i].cpu_s));
		assert_true(atoi(read_file(w.out[i], text, sizeof text)) > 0);
	}
	/* one after the other would take the sum */
	assert_true(w.run.metric[SD_METRIC_WALL].value <
		    w.copy[0].wall.value + w.copy[1].wall.value + w.copy[2].wall.value);
	same = w.copy[0].stdout_digest == w.copy[1].stdout_digest;
	assert_false(same);
	assert_string_equal(w.shared, "");
	assert_int_equal(marked("scalediag-copies", NULL), 0);
	unsetenv("MARK");
	remove_folder(w.folder);
}

static void a_copy_that_fails_is_the_end_of_them_all(void **state)
{
	struct trio w = {.shared = ""};

	(void)state;
	for (int i = 0; i < TRIES && w.run.code == 0; i++) {
		w = (struct trio){.shared = ""};
		assert_int_equal(run_trio(&w, "mkdir lock || exit 7; sleep 0.2; rmdir lock", 0), 0);
		assert_int_equal(w.run.end, SD_END_EXITED);
		remove_folder(w.folder);
	}
	assert_int_equal(w.run.code, 7);
}

static void copies_that_hang_are_ended(void **state)
{
	struct trio w = {.shared = ""};

	(void)state;
	assert_int_equal(setenv("MARK", "scalediag-hanging", 1), 0);
	assert_int_equal(run_trio(&w, "sleep 100 & sleep 100", .3), 0);
	assert_int_equal(w.run.end, SD_END_TIMEOUT);
	assert_int_equal(marked("scalediag-hanging", NULL), 0);
	unsetenv("MARK");
	remove_folder(w.folder);
}

static void expect_found_out(const char *script)
{
	struct trio w = {.shared = ""};

	for (int i = 0; i < TRIES && !w.shared[0]; i++) {
		w = (struct trio){.shared = ""};
		assert_int_equal(run_trio(&w, script, 0), 0);
		remove_folder(w.folder);
	}
	assert_non_null(strstr(w.shared, "/common"));
}

static void copies_that_write_the_same_file_are_found_out(void **state)
{
	(void)state;
	expect_found_out("exec 5>>common; sleep 0.5");
}

static void a_file_that_all_write_is_found_out_however_short(void **state)
{
	struct trio w = {.shared = ""};

	(void)state;
	/* one after the other: what is closed at one moment is one event to inotify */
	expect_found_out("until mkdir turn 2>/dev/null; do sleep .02; done; "
			 "echo x >common; sleep .1; rmdir turn");
	assert_int_equal(run_trio(&w, "echo x >own.$$", 0), 0);
	assert_string_equal(w.shared, "");
	remove_folder(w.folder);
}

/* A shell's lock or log, open where we were started: it says nothing of the program. */
static void what_all_inherited_is_no_file_of_theirs(void **state)
{
	struct trio w = {.shared = ""};
	char path[] = "/tmp/scalediag-inherited-XXXXXX";
	const int fd = mkstemp(path);

	(void)state;
	assert_true(fd >= 0);
	assert_int_equal(run_trio(&w, "sleep 0.5", 0), 0);
	assert_string_equal(w.shared, "");
	remove_folder(w.folder);
	close(fd);
	unlink(path);
}

static void reading_the_same_file_is_no_matter(void **state)
{
	struct trio w = {.shared = ""};

	(void)state;
	assert_int_equal(run_trio(&w, "exec 5</etc/passwd; sleep 0.3", 0), 0);
	assert_string_equal(w.shared, "");
	remove_folder(w.folder);
}

/* ---- folders of their own ---- */

static void a_copy_s_folder_has_the_files_and_takes_what_it_writes_along(void **state)
{
	char folder[128], path[400], own[200], text[64];
	struct sd_private_folder f;

	(void)state;
	make_folder(folder, sizeof folder);
	snprintf(path, sizeof path, "%s/input", folder);
	write_file(path, "as it was", 0640);
	snprintf(own, sizeof own, "%s-own", folder);
	assert_int_equal(sd_private_folder_make(&f, strdup(own), folder, NULL), 0);
	snprintf(path, sizeof path, "%s/input", own);
	assert_string_equal(read_file(path, text, sizeof text), "as it was");
	write_file(path, "changed", 0640);
	snprintf(path, sizeof path, "%s/deep", own);
	assert_int_equal(mkdir(path, 0700), 0);
	snprintf(path, sizeof path, "%s/deep/new", own);
	write_file(path, "x", 0600);
	snprintf(path, sizeof path, "%s/input", folder);
	assert_string_equal(read_file(path, text, sizeof text), "as it was");
	sd_private_folder_free(&f);
	assert_int_equal(access(own, F_OK), -1);
	assert_int_equal(access(path, F_OK), 0);
	remove_folder(folder);
}

static void a_folder_left_by_a_killed_scalediag_is_replaced_and_no_other(void **state)
{
	char folder[128], own[200], path[400];
	struct sd_private_folder f, g;

	(void)state;
	make_folder(folder, sizeof folder);
	snprintf(own, sizeof own, "%s-own", folder);
	assert_int_equal(sd_private_folder_make(&f, strdup(own), folder, NULL), 0);
	snprintf(path, sizeof path, "%s/left", own);
	write_file(path, "x", 0600);
	/* as if the first were gone */
	assert_int_equal(sd_private_folder_make(&g, strdup(own), folder, NULL), 0);
	assert_int_equal(access(path, F_OK), -1);
	sd_private_folder_free(&g);
	free(f.path);
	/* somebody's own folder of that name */
	assert_int_equal(mkdir(own, 0700), 0);
	write_file(path, "x", 0600);
	assert_int_equal(sd_private_folder_make(&g, strdup(own), folder, NULL), -EEXIST);
	sd_private_folder_free(&g);
	assert_int_equal(access(path, F_OK), 0);
	remove_folder(own);
	remove_folder(folder);
}

static void a_link_out_of_a_copy_s_folder_is_not_followed_when_it_goes(void **state)
{
	char folder[128], path[400], own[200], target[200];
	struct sd_private_folder f;

	(void)state;
	make_folder(folder, sizeof folder);
	snprintf(own, sizeof own, "%s-own", folder);
	snprintf(target, sizeof target, "%s-target", folder);
	assert_int_equal(mkdir(target, 0700), 0);
	snprintf(path, sizeof path, "%s/kept", target);
	write_file(path, "x", 0600);
	assert_int_equal(sd_private_folder_make(&f, strdup(own), folder, NULL), 0);
	snprintf(path, sizeof path, "%s/link", own);
	assert_int_equal(symlink(target, path), 0);
	sd_private_folder_free(&f);
	snprintf(path, sizeof path, "%s/kept", target);
	assert_int_equal(access(path, F_OK), 0);
	remove_folder(target);
	remove_folder(folder);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(copies_run_at_once_with_outputs_of_their_own),
		cmocka_unit_test(a_copy_that_fails_is_the_end_of_them_all),
		cmocka_unit_test(copies_that_hang_are_ended),
		cmocka_unit_test(copies_that_write_the_same_file_are_found_out),
		cmocka_unit_test(a_file_that_all_write_is_found_out_however_short),
		cmocka_unit_test(what_all_inherited_is_no_file_of_theirs),
		cmocka_unit_test(reading_the_same_file_is_no_matter),
		cmocka_unit_test(a_copy_s_folder_has_the_files_and_takes_what_it_writes_along),
		cmocka_unit_test(a_folder_left_by_a_killed_scalediag_is_replaced_and_no_other),
		cmocka_unit_test(a_link_out_of_a_copy_s_folder_is_not_followed_when_it_goes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
