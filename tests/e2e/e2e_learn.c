/*
 * The workshop as a student sees it; and each lesson measured: the broken version gets its
 * diagnosis, the fixed one does not, and the fix's gain is beyond noise. A few lessons whose effect
 * every machine with two CPUs shows; any of them by its number in LESSON (make check-lessons).
 */
#include <dirent.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include "support/lesson_list.h"

static void the_lessons_are_listed_and_shown_without_running_anything(void **state)
{
	struct e2e *const e = *state;
	char *name[LESSONS_MAX];
	const size_t n = list(e, name);

	assert_true(n >= 16);
	for (size_t i = 0; i < n; i++) {
		struct e2e_result r;

		e2e_run(e, &r, "learn", "--no-run", "--notes", name[i]);
		e2e_expect_status(&r, 0);
		assert_non_null(strstr(r.out, "broken.c  lines "));
		/* the fix gives the answer away: it comes after the question */
		assert_true(strstr(r.out, "\n  a  ") < strstr(r.out, "fixed.c  what is different"));
		assert_non_null(strstr(r.out, "What to look for"));
		assert_non_null(strstr(r.out, "For the instructor"));
		assert_null(strstr(r.out, "Your guess"));
		e2e_result_free(&r);
		free(name[i]);
	}
}

static void a_handout_has_the_notes_only_when_asked_for(void **state)
{
	struct e2e *const e = *state;

	for (int notes = 0; notes < 2; notes++) {
		struct e2e_result r;
		size_t size;
		char *page;

		e2e_run(e, &r, "learn", "--no-run", "--html", "handout.html", "false-sharing",
			notes ? "--notes" : NULL);
		e2e_expect_status(&r, 0);
		e2e_result_free(&r);
		page = e2e_read(e2e_path(e, "handout.html"), &size);
		assert_non_null(page);
		assert_non_null(strstr(page, "Nothing was run for this page."));
		assert_non_null(strstr(page, "<li>In the picture of the cache line"));
		assert_int_equal(strstr(page, "For the instructor") != NULL, notes);
		free(page);
	}
}

/* All lessons on one page that loads nothing, in the order of the list; and those of a track. */
static void a_page_for_the_projector_has_all_lessons(void **state)
{
	struct e2e *const e = *state;
	char *name[LESSONS_MAX];
	const size_t n = list(e, name);

	for (int track = 0; track < 2; track++) {
		struct e2e_result r;
		size_t size, shown = 0;
		char *page;

		e2e_run(e, &r, "learn", "--no-run", "--html", "all.html",
			track ? "--track=30min" : NULL);
		e2e_expect_status(&r, 0);
		assert_int_equal(strncmp(r.out, "A workshop of ", 14), 0);
		assert_true(!track || atoi(r.out + 14) <= 30);
		e2e_result_free(&r);
		page = e2e_read(e2e_path(e, "all.html"), &size);
		assert_non_null(page);
		for (size_t i = 0; i < n; i++) {
			char id[128];

			snprintf(id, sizeof id, "<section id=\"%s\">", name[i]);
			shown += strstr(page, id) != NULL;
			snprintf(id, sizeof id, "href=\"#%s\"", name[i]);
			assert_true(!strstr(page, "<script") && !strstr(page, "src="));
			assert_true(track || strstr(page, id));
		}
		assert_true(track ? shown >= 3 && shown < n : shown == n);
		assert_null(strstr(page, "http://"));
		assert_null(strstr(page, "https://"));
		assert_null(strstr(page, "For the instructor"));
		free(page);
	}
	for (size_t i = 0; i < n; i++)
		free(name[i]);
}

static void a_track_is_minutes_and_of_no_single_lesson(void **state)
{
	static const char *const wrong[][4] = {{"--track", "long", NULL}, {"--track", "90h", NULL},
		{"--track", "0", NULL}, {"--track", "90min", "one-mutex"},
		{"--export", "there", NULL}, {"--json", "--no-run", "one-mutex"},
		{"--json", "--track", "90min"}};

	for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
		struct e2e_result r;

		e2e_run(*state, &r, "learn", wrong[i][0], wrong[i][1], wrong[i][2]);
		e2e_expect_status(&r, 2);
		e2e_result_free(&r);
	}
}

static size_t count_lines(const char *text)
{
	size_t n = 0;

	for (; *text; text++)
		n += *text == '\n';
	return n;
}

/* Both times, the ratio with its interval, where the time goes, the lines that make the difference:
 * on one screen of 24 lines, and drawn in the handout. */
static void what_the_runs_showed_is_one_screen(void **state)
{
	struct e2e *const e = *state;
	struct e2e_result r;
	size_t size;
	char *page;

	e2e_need_two_cpus("a lesson's results");
	e2e_run(e, &r, "learn", "--budget", "8", "--cores", "1,2", "--html", "handout.html",
		"imbalance");
	e2e_expect_status(&r, 0);
	assert_true(count_lines(r.out) <= 24);
	assert_non_null(strstr(r.out, "\nAnswer: "));
	assert_non_null(strstr(r.out, "scalediag learn --no-run imbalance"));
	assert_null(strstr(r.out, "What to look for")); /* as the code: with --long or --no-run */
	assert_non_null(strstr(r.out, "\nbroken.c  "));
	assert_non_null(strstr(r.out, "\nfixed.c: "));
	/* where others leave time for one run only, that is said instead */
	assert_true(strstr(r.out, " (95 %: ") || strstr(r.out, "one run has no interval"));
	assert_non_null(strstr(r.out, "useful work"));
	assert_non_null(strstr(strstr(r.out, "useful work"), "\n+  13  #pragma omp parallel for"));
	assert_null(strstr(r.out, "What moved at "));
	assert_null(strstr(r.out, "fixed.c  what is different")); /* its lines are shown above */
	e2e_result_free(&r);
	page = e2e_read(e2e_path(e, "handout.html"), &size);
	assert_non_null(page);
	assert_non_null(strstr(page, "class=\"track broken\""));
	assert_non_null(strstr(page, "class=\"share-of\""));
	assert_non_null(strstr(page, "<ins>+"));
	assert_non_null(strstr(page, "What moved at "));
	free(page);
}

static void an_unknown_lesson_gets_the_nearest_name(void **state)
{
	struct e2e_result r;

	e2e_run(*state, &r, "learn", "flase-sharing");
	e2e_expect_status(&r, 2);
	e2e_expect_error(&r, "did you mean 'false-sharing'?");
	e2e_result_free(&r);
}

static void every_exported_lesson_builds_without_a_warning(void **state)
{
	struct e2e *const e = *state;
	char *name[LESSONS_MAX];
	const size_t n = list(e, name);

	for (size_t i = 0; i < n; i++) {
		char flags[320];
		size_t size;

		export(e, name[i]);
		snprintf(flags, sizeof flags, "%s -Wall -Wextra", head(e, name[i], "flags"));
		for (size_t c = 0; c < 2; c++)
			if (make(e, name[i], compilers[c], flags) != 0) {
				snprintf(flags, sizeof flags, "%s/make.log", name[i]);
				fail_msg("%s, %s: %s", name[i], compilers[c],
					e2e_read(e2e_path(e, flags), &size));
			}
		free(name[i]);
	}
}

/* Does what `make compare` would, without measuring: a program takes numbers, and its measuring
 * tool is found by a shell. */
static void an_exported_lesson_is_measured_as_it_is_held(void **state)
{
	struct e2e *const e = *state;
	char *name[LESSONS_MAX];
	const size_t n = list(e, name);

	for (size_t i = 0; i < n; i++) {
		char command[1024];

		export(e, name[i]);
		snprintf(command, sizeof command,
			"cd %s/%s || exit 1; set -- $(env -u MAKEFLAGS -u SCALEDIAG make -n compare | grep -- '-o broken.json -- '); command -v \"$1\" >/dev/null || exit 2; while test \"$1\" != --; do shift || exit 3; done; test \"$2\" = ./broken || exit 4; shift 2; for w; do case $w in '{n}' | [0-9]*) ;; *) exit 5 ;; esac; done",
			e->folder, name[i]);
		/* a service is started first, and MPI has its launcher between */
		if (!*head(e, name[i], "attach") && !needs_mpi(e, name[i]))
			assert_int_equal(
				system(command), 0); /* NOLINT(cert-env33-c): our own words */
		free(name[i]);
	}
}

/* The program takes the size that a user of the Makefile gives. */
static void an_exported_lesson_has_its_size_in_its_makefile(void **state)
{
	struct e2e *const e = *state;
	char command[512];

	export(e, "lock-free");
	snprintf(command, sizeof command,
		"cd %s/lock-free && env -u MAKEFLAGS make -n compare SIZE=12345 | "
		"grep -q -e '-- ./broken {n} 12345$'",
		e->folder);
	assert_int_equal(system(command), 0); /* NOLINT(cert-env33-c): our own words */
}

static void an_exported_lesson_is_not_written_over_anything(void **state)
{
	struct e2e_result r;

	export(*state, "one-mutex");
	e2e_run(*state, &r, "learn", "--export", "one-mutex", "one-mutex");
	e2e_expect_status(&r, 4);
	e2e_expect_error(&r, "name a folder that is not there yet");
	e2e_result_free(&r);
}

static int no_compiler(void *ctx)
{
	(void)ctx;
	return setenv("CC", "no-such-compiler", 1);
}

static void without_a_compiler_it_says_what_to_install(void **state)
{
	struct e2e_result r;

	e2e_run_hooked(*state, &r, no_compiler, NULL, "learn", "one-mutex");
	e2e_expect_status(&r, 4);
	e2e_expect_error(&r, "apt-get install gcc");
	e2e_result_free(&r);
}

static int tmp_here(void *ctx)
{
	/* a compiler may be several words, as with ccache */
	return setenv("TMPDIR", ctx, 1) || setenv("CC", "env cc", 1);
}

/* Temporary folders of lessons. */
static size_t rooms(const char *folder)
{
	const struct dirent *entry;
	DIR *const d = opendir(folder);
	size_t n = 0;

	assert_non_null(d);
	while ((entry = readdir(d)))
		n += strncmp(entry->d_name, "scalediag-learn-", 16) == 0;
	closedir(d);
	return n;
}

static void an_interrupted_lesson_leaves_nothing_behind(void **state)
{
	struct e2e *const e = *state;
	const char *const args[] = {"learn", "one-mutex", NULL};
	struct e2e_result r;
	struct e2e_job job;
	size_t n = 0;

	e2e_start(e, &job, tmp_here, e->folder, args);
	e2e_await_handler(&job, SIGINT);
	/* trials of its size have a folder of their own each */
	for (int i = 0; i < 1200 && (n = rooms(e->folder)) == 0; i++)
		usleep(50000);
	if (n != 1) {
		kill(job.pid, SIGINT);
		e2e_wait(&job, &r, 60);
		fail_msg("%zu folders\n--- out\n%.1000s\n--- err\n%.2000s", n, r.out, r.err);
	}
	usleep(500000);
	kill(job.pid, SIGINT);
	e2e_wait(&job, &r, 60);
	e2e_expect_status(&r, 130);
	assert_int_equal(rooms(e->folder), 0);
	assert_non_null(strstr(r.err, "a lesson keeps no records"));
	assert_null(strstr(r.err, "--resume"));
	e2e_result_free(&r);
}

/* Two students' fixes that are wrong whatever the machine is like. */
static void fixes_that_are_false_are_told_without_a_clock(void **state)
{
	struct e2e *const e = *state;
	struct e2e_result r;
	char *text, *all;
	size_t n;

	e2e_run(e, &r, "learn", "--export", "right", "serial-code");
	e2e_expect_status(&r, 0);
	e2e_result_free(&r);
	text = e2e_read(e2e_path(e, "right/fixed.c"), &n);
	assert_non_null(text);
	assert_int_equal(mkdir(e2e_path(e, "class"), 0700), 0);
	assert_int_equal(mkdir(e2e_path(e, "class/a"), 0700), 0);
	assert_int_equal(mkdir(e2e_path(e, "class/b"), 0700), 0);
	e2e_copy(e2e_path(e, "right/LESSON.md"), e2e_path(e, "class/a/LESSON.md"), 0600);
	e2e_write(e2e_path(e, "class/a/broken.c"), "int main(void) { return nothing; }\n");
	all = strstr(text, "printf");
	assert_non_null(all);
	memcpy(all, "return", 6); /* it computes the same, and prints nothing */
	e2e_write(e2e_path(e, "class/b/broken.c"), text);
	free(text);
	e2e_run(e, &r, "learn", "--check", "class", "--csv");
	e2e_expect_status(&r, 1);
	assert_non_null(strstr(r.out, "\na,wrong,"));
	assert_non_null(strstr(r.out, "it does not compile"));
	assert_non_null(strstr(r.out, "\nb,wrong,"));
	assert_non_null(strstr(r.out, "it does not do what broken.c does"));
	e2e_result_free(&r);
	e2e_run(e, &r, "learn", "--check", "right/nowhere", "serial-code");
	e2e_expect_status(&r, 2);
	e2e_result_free(&r);
	e2e_run(e, &r, "learn", "--csv");
	e2e_expect_status(&r, 2);
	e2e_result_free(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(the_lessons_are_listed_and_shown_without_running_anything),
		TEST(a_handout_has_the_notes_only_when_asked_for),
		TEST(a_page_for_the_projector_has_all_lessons),
		TEST(a_track_is_minutes_and_of_no_single_lesson),
		TEST(what_the_runs_showed_is_one_screen),
		TEST(an_unknown_lesson_gets_the_nearest_name),
		TEST(every_exported_lesson_builds_without_a_warning),
		TEST(an_exported_lesson_is_measured_as_it_is_held),
		TEST(an_exported_lesson_has_its_size_in_its_makefile),
		TEST(an_exported_lesson_is_not_written_over_anything),
		TEST(without_a_compiler_it_says_what_to_install),
		TEST(fixes_that_are_false_are_told_without_a_clock),
		TEST(an_interrupted_lesson_leaves_nothing_behind),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
