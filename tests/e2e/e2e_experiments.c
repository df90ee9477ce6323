/*
 * Experiments on real programs: what physics guarantees, and that nothing of them stays.
 */
#include <errno.h>
#include <sys/stat.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "support/experiment_runs.h"

static void none_runs_none_and_says_none(void **state)
{
	const json_t *report;

	e2e_need_two_cpus(__func__);
	report = diagnose(*state, "none", "scales", "0.01");
	assert_int_equal(json_array_size(json_object_get(report, "experiments")), 0);
}

static void a_thief_says_what_it_moved(void **state)
{
	const json_t *report, *seen;

	e2e_need_two_cpus(__func__);
	report = diagnose(*state, "bandwidth-thief,cache-thief", "scales", "0.1");
	seen = json_object_get(experiment(report, "bandwidth-thief"), "seen");
	if (*skipped(report, "cache-thief"))
		e2e_skip(__func__, skipped(report, "cache-thief"));
	expect_counted(*state, report, "bandwidth-thief", __func__);
	expect_counted(*state, report, "cache-thief", __func__);
	assert_true(json_array_size(seen) > 0);
	assert_non_null(strstr(json_string_value(json_array_get(seen, 0)), "GB/s"));
	assert_true(
		json_array_size(json_object_get(experiment(report, "cache-thief"), "seen")) > 0);
}

static void padding_keeps_a_program_right(void **state)
{
	const json_t *report;

	e2e_need_two_cpus(__func__);
	report = diagnose(*state, "padding,one-arena", "heap", NULL);
	expect_tried(*state, report, "one-arena");
	expect_counted(*state, report, "padding", __func__);
}

/* The kernel starts a script, the script a program without a loader: nothing was preloaded. */
static void an_experiment_that_did_not_reach_the_program_claims_nothing(void **state)
{
	struct e2e *e = *state;
	struct e2e_result r;
	const json_t *report;
	char script[4300];

	e2e_need_two_cpus(__func__);
	snprintf(script, sizeof script, "#!/bin/sh\n'%s'\n", e2e_program(e, "heap_static"));
	e2e_write(e2e_path(e, "run.sh"), script);
	assert_int_equal(chmod(e2e_path(e, "run.sh"), 0700), 0);
	e2e_run(e, &r, "--cores", "1,2", "--repeats", "2", "--samples", "none", "-o", "r.json",
		"--experiments", "padding,one-arena", "--json", "--", "./run.sh");
	e2e_expect_status(&r, 0);
	report = e2e_report(e, &r);
	for (int i = 0; i < 2; i++) {
		const char *const name = i ? "padding" : "one-arena";

		assert_non_null(strstr(skipped(report, name),
			"it did not take place: heap_static, which has most CPU time"));
		assert_int_equal(
			json_integer_value(json_object_get(experiment(report, name), "pairs")), 0);
		assert_int_equal(
			json_array_size(json_object_get(experiment(report, name), "seen")), 0);
	}
	e2e_result_free(&r);
}

/* The loader takes blanks and colons in LD_PRELOAD for separators. */
static void the_folder_of_scalediag_may_have_blanks_and_colons(void **state)
{
	static const char *const folders[] = {"a b", "a:b", "a,$b c"};
	static const char *const files[] = {"scalediag", "scalediag-pad.so", "scalediag-omp.so"};
	struct e2e *e = *state;
	char plain[sizeof e->scalediag];

	e2e_need_two_cpus(__func__);
	memcpy(plain, e->scalediag, sizeof plain);
	for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) {
		struct e2e_result r;
		const json_t *report;

		assert_int_equal(mkdir(e2e_path(e, folders[i]), 0700), 0);
		for (size_t k = 0; k < sizeof files / sizeof *files; k++) {
			char from[4200], to[600];

			snprintf(from, sizeof from, "%.*s%s",
				(int)(strrchr(plain, '/') + 1 - plain), plain, files[k]);
			snprintf(to, sizeof to, "%s/%s", e2e_path(e, folders[i]), files[k]);
			e2e_copy(from, to, 0700);
		}
		snprintf(
			e->scalediag, sizeof e->scalediag, "%s/scalediag", e2e_path(e, folders[i]));
		e2e_run(e, &r, "--cores", "1,2", "--repeats", "2", "--samples", "none", "-o",
			"r.json", "--experiments", "padding", "--json", "--",
			e2e_program(e, "heap"));
		e2e_expect_status(&r, 0);
		report = e2e_report(e, &r);
		expect_tried(e, report, "padding");
		e2e_result_free(&r);
		e2e_run(e, &r, "--cores", "1,2", "--repeats", "1", "--samples", "none", "-o",
			"omp.json", "--json", "--", e2e_program(e, "regions_omp"));
		e2e_expect_status(&r, 0);
		assert_true(json_array_size(json_object_get(
				    json_object_get(e2e_report(e, &r), "regions"), "rows")) > 0);
		e2e_result_free(&r);
		assert_int_equal(unlink(e2e_path(e, "r.json")), 0);
		assert_int_equal(unlink(e2e_path(e, "omp.json")), 0);
	}
	memcpy(e->scalediag, plain, sizeof plain);
}

/* A library that was not loaded has logged nothing, which is not that there was nothing. */
static void a_log_that_could_not_be_is_not_an_empty_one(void **state)
{
	struct e2e *e = *state;
	struct e2e_result r;
	char words[4300];

	snprintf(words, sizeof words, "unset LD_PRELOAD; '%s'", e2e_program(e, "regions_omp"));
	e2e_write(e2e_path(e, "run.sh"), words);
	/* the word behind makes it a program of OpenMP */
	e2e_run(e, &r, "--cores", "1", "--repeats", "2", "--samples", "none", "-o", "r.json",
		"--experiments", "none", "--json", "--", "/bin/sh", "run.sh",
		e2e_program(e, "regions_omp"));
	e2e_expect_status(&r, 0);
	assert_non_null(strstr(r.out, "did not load the libraries that scalediag preloads"));
	e2e_result_free(&r);
}

static void what_the_padding_promises_holds(void **state)
{
	struct e2e *e = *state;
	char library[4200], program[4200];
	struct e2e_result r;

	snprintf(library, sizeof library, "LD_PRELOAD=%.*sscalediag-pad.so",
		(int)(strrchr(e->scalediag, '/') + 1 - e->scalediag), e->scalediag);
	snprintf(program, sizeof program, "%s", e2e_program(e, "heap"));
	/* the program itself looks: it ends with 1 where a block is not of its own */
	e2e_run(e, &r, "--cores", "1", "--repeats", "1", "--json", "--env", library, "--", program,
		"padded");
	e2e_expect_status(&r, 0);
	e2e_result_free(&r);
	e2e_run(e, &r, "--cores", "1", "--repeats", "1", "--json", "--", program, "padded");
	e2e_expect_status(&r, 3);
	e2e_result_free(&r);
}

static void a_warm_run_finds_its_files_in_the_page_cache(void **state)
{
	struct e2e *e = *state;
	struct e2e_result r;
	const json_t *report, *seen;
	char *big = calloc(1, (8 << 20) + 1);

	e2e_need_two_cpus(__func__);
	memset(big, 'x', 8 << 20);
	e2e_write(e2e_path(e, "big"), big);
	free(big);
	/* dropped before every run, so that the plain ones read from the disk */
	e2e_run(e, &r, "--cores", "1,2", "--repeats", "2", "--samples", "none", "-o", "r.json",
		"--experiments", "warm-cache", "--prepare",
		"dd of=big oflag=nocache conv=notrunc,fdatasync count=0", "--json", "--", "/bin/sh",
		"-c", "exec 5<big; cat big >/dev/null; sleep 0.25");
	e2e_expect_status(&r, 0);
	report = e2e_report(e, &r);
	if (*skipped(report, "warm-cache"))
		e2e_skip(__func__, skipped(report, "warm-cache"));
	expect_counted(e, report, "warm-cache", __func__);
	seen = json_object_get(experiment(report, "warm-cache"), "seen");
	assert_int_equal(json_array_size(seen), 2);
	assert_non_null(
		strstr(json_string_value(json_array_get(seen, 1)), "100 % were in the page"));
	e2e_result_free(&r);
}

/* A count under a mutex and one without: only the latter is a race, with both its accesses. */
static void races_are_named_with_both_accesses(void **state)
{
	struct e2e *e = *state;
	struct e2e_result r;
	const json_t *report, *seen;

	e2e_need_two_cpus(__func__);
	e2e_run(e, &r, "--cores", "1,2", "--repeats", "1", "--samples", "none", "-o", "r.json",
		"--experiments", "race-check", "--json", "--", e2e_program(e, "races"));
	e2e_expect_status(&r, 0);
	report = e2e_report(e, &r);
	e2e_result_free(&r);
	assert_int_equal(access(e2e_path(e, "r.scalediag.races"), F_OK), -1); /* nothing is left */
	if (*skipped(report, "race-check"))
		e2e_skip(__func__, skipped(report, "race-check"));
	seen = json_object_get(experiment(report, "race-check"), "seen");
	assert_true(json_array_size(seen) >= 2);
	for (size_t i = 1; i < json_array_size(seen); i++) {
		const char *const text = json_string_value(json_array_get(seen, i));

		assert_non_null(strstr(text, "unguarded+0x10 (8 bytes): add() races.c:"));
		assert_non_null(strstr(text, "before, in no order"));
	}
}

static void the_plan_says_what_could_run_and_what_it_would_show(void **state)
{
	struct e2e *e = *state;
	struct e2e_result r;

	e2e_run(e, &r, "--dry-run", e2e_program(e, "scales"), "1");
	e2e_expect_status(&r, 0);
	assert_non_null(strstr(r.out, "replicas"));
	assert_non_null(strstr(r.out, "skipped: "));
	assert_int_equal(access(e2e_path(e, "scales.scalediag.json"), F_OK), -1);
	e2e_result_free(&r);
}

/* Processes with this word in their command, or that are our thieves. */
static unsigned alive(const char *folder)
{
	char command[600];
	FILE *f;
	unsigned n = 0;

	snprintf(command, sizeof command,
		"for p in /proc/[0-9]*; do [ \"$(readlink $p/cwd)\" = '%s' ] && "
		"! grep -q '^State:.Z' $p/status 2>/dev/null && echo $p; done",
		folder);
	f = popen(command, "re");
	assert_non_null(f);
	while (fgets(command, sizeof command, f))
		n++;
	pclose(f);
	return n;
}

/* It may still be waited for. */
static int has_ended(pid_t pid)
{
	siginfo_t info = {0};

	return waitid(P_PID, (id_t)pid, &info, WEXITED | WNOHANG | WNOWAIT) == 0 &&
	       info.si_pid == pid;
}

static int has_text(const char *path, const char *wanted)
{
	size_t n;
	char *const text = e2e_read(path, &n);
	const int has = text && strstr(text, wanted);

	free(text);
	return has;
}

/* The processes that keep the program, its copies and the thieves answer no more, in plain runs and
 * in those of an experiment: it ends all the same when asked to. */
static void helpers_that_are_stopped_hold_no_end_up(void **state)
{
	static const struct {
		const char *experiment, *until;
	} row[] = {{"none", "\"kind\":\"block\""}, {"replicas", "\"kind\":\"experiment\""},
		{"bandwidth-thief", "\"kind\":\"experiment\""}};
	struct e2e *e = *state;

	e2e_need_two_cpus(__func__);
	for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
		const char *const args[] = {"--cores", "1,2", "--repeats", "3", "--samples", "none",
			"--experiments", row[i].experiment, "-o", "h.json", "--", "/bin/sleep",
			"0.5", NULL};
		struct e2e_result r;
		struct e2e_job job;

		unlink(e2e_path(e, "h.json"));
		e2e_start(e, &job, NULL, NULL, args);
		for (int k = 0; k < 6000 && !has_ended(job.pid) &&
				!has_text(e2e_path(e, "h.json"), row[i].until);
			k++)
			e2e_nap(10);
		e2e_nap(200); /* in the middle of the next run */
		e2e_signal_children(job.pid, SIGSTOP);
		assert_int_equal(kill(job.pid, SIGTERM), 0);
		e2e_wait(&job, &r, 30);
		e2e_expect_status(&r, 143);
		e2e_result_free(&r);
	}
}

static void killed_in_an_experiment_it_leaves_nothing_behind(void **state)
{
	static const char *const which[] = {"replicas", "bandwidth-thief", "cache-thief"};
	struct e2e *e = *state;

	e2e_need_two_cpus(__func__);
	for (size_t i = 0; i < sizeof which / sizeof *which; i++) {
		const char *const args[] = {"--cores", "1,2", "--repeats", "1", "--samples", "none",
			"--experiments", which[i], "-o", "k.json", "--", "/bin/sh", "-c",
			"[ -e slow ] && sleep 60; sleep 0.02", NULL};
		struct e2e_result r;
		struct e2e_job job;
		unsigned left = 1;
		int there = 0;

		unlink(e2e_path(e, "slow"));
		unlink(e2e_path(e, "k.json"));
		e2e_start(e, &job, NULL, NULL, args);
		/* the plain runs first; then every run is long */
		for (int k = 0; k < 6000 && !there && !has_ended(job.pid); k++) {
			const struct timespec t = {.tv_nsec = 10000000};

			there = has_text(e2e_path(e, "k.json"), "\"kind\":\"experiment\"");
			nanosleep(&t, NULL);
		}
		if (there) {
			e2e_write(e2e_path(e, "slow"), "");
			nanosleep(&(const struct timespec){.tv_nsec = 300000000}, NULL);
		}
		kill(job.pid, SIGKILL);
		e2e_wait(&job, &r, 60);
		if (!there) { /* nothing of it can be tried on this machine */
			e2e_expect_status(&r, 0);
			assert_true(has_text(e2e_path(e, "k.json"), "\"skipped\":\""));
		}
		e2e_result_free(&r);
		for (int k = 0; k < 400 && left; k++) {
			left = alive(e->folder);
			nanosleep(&(const struct timespec){.tv_nsec = 20000000}, NULL);
		}
		assert_int_equal(left, 0);
	}
}

int main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, e2e_setup, e2e_teardown)
	const struct CMUnitTest tests[] = {
		TEST(none_runs_none_and_says_none),
		TEST(a_thief_says_what_it_moved),
		TEST(padding_keeps_a_program_right),
		TEST(an_experiment_that_did_not_reach_the_program_claims_nothing),
		TEST(the_folder_of_scalediag_may_have_blanks_and_colons),
		TEST(a_log_that_could_not_be_is_not_an_empty_one),
		TEST(what_the_padding_promises_holds),
		TEST(a_warm_run_finds_its_files_in_the_page_cache),
		TEST(races_are_named_with_both_accesses),
		TEST(the_plan_says_what_could_run_and_what_it_would_show),
		TEST(helpers_that_are_stopped_hold_no_end_up),
		TEST(killed_in_an_experiment_it_leaves_nothing_behind),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
