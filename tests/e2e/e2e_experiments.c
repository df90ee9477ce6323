/*
 * Experiments on real programs: what physics guarantees, and that nothing of them stays.
 */
#include "e2e/e2e.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "support/tried.h"

static const json_t *experiment(const json_t *report, const char *name)
{
	const json_t *e;
	size_t i;

	json_array_foreach(json_object_get(report, "experiments"), i, e)
	{
		if (strcmp(json_string_value(json_object_get(e, "name")), name) == 0)
			return e;
	}
	fail_msg("the report has no experiment %s", name);
	return NULL;
}

static double number_of(const json_t *e, const char *key, const char *part)
{
	return json_number_value(json_object_get(json_object_get(e, key), part));
}

static const char *skipped(const json_t *report, const char *name)
{
	const char *why = json_string_value(json_object_get(experiment(report, name), "skipped"));

	return why ? why : "";
}

/* The experiment was carried out, on whatever machine. */
static void expect_tried(struct e2e *e, const json_t *report, const char *name)
{
	const json_t *const cost = json_object_get(experiment(report, name), "cost_s");

	assert_string_equal(skipped(report, name), "");
	assert_true(json_number_value(cost) > 0);
	assert_true(tried_of(e2e_path(e, "r.json"), name).pairs >= TRIED_LEAST);
}

/* And its pairs count, where the machine stayed in one state; skips where it did not. */
static void expect_counted(struct e2e *e, const json_t *report, const char *name, const char *test)
{
	const json_t *const pairs = json_object_get(experiment(report, name), "pairs");
	struct tried t;

	expect_tried(e, report, name);
	if (json_integer_value(pairs) >= TRIED_LEAST)
		return;
	t = tried_of(e2e_path(e, "r.json"), name);
	if (tried_changed(&t))
		e2e_skip(test, tried_changed(&t));
	fail_msg("%s: %d pairs count of the %zu made in one state", name,
		(int)json_integer_value(pairs), t.pairs);
}

/* For a relation that did not hold. */
static void skip_when_disturbed(
	struct e2e *e, const json_t *report, const char *name, const char *test)
{
	const struct tried t = tried_of(e2e_path(e, "r.json"), name);

	e2e_skip_when_disturbed(report, test);
	if (tried_disturbed(&t))
		e2e_skip(test, tried_disturbed(&t));
}

static const json_t *diagnose(struct e2e *e, const char *which, const char *program, const char *a)
{
	struct e2e_result r;
	const json_t *report;

	e2e_run(e, &r, "--cores", "1,2", "--repeats", "3", "--seed", "1", "--samples", "none",
		"--experiments", which, "-o", "r.json", "--json", "--", e2e_program(e, program), a);
	e2e_expect_status(&r, 0);
	report = e2e_report(e, &r);
	e2e_result_free(&r);
	return report;
}

/*
 * Two threads that write to one cache line lose to each other what two processes, which have no
 * line in common, do not: however busy the machine, the copies are not slower than the threads.
 */
static void copies_of_a_program_with_false_sharing_lose_less_than_its_threads(void **state)
{
	const json_t *report, *copies;
	double r, e;

	e2e_need_two_cpus(__func__);
	report = diagnose(*state, "replicas", "shares_a_line", "{n}");
	copies = experiment(report, "replicas");
	expect_counted(*state, report, "replicas", __func__);
	assert_true(number_of(copies, "time_ratio", "value") > 0);
	r = 1 / number_of(copies, "time_ratio", "value");
	e = number_of(e2e_point(report, 2), "efficiency", "value");
	if (r <= e)
		skip_when_disturbed(*state, report, "replicas", __func__);
	assert_true(r > e);
}

static void no_copy_is_faster_than_one_alone(void **state)
{
	const json_t *report, *copies;

	e2e_need_two_cpus(__func__);
	report = diagnose(*state, "replicas", "scales", "0.05");
	copies = experiment(report, "replicas");
	expect_counted(*state, report, "replicas", __func__);
	if (number_of(copies, "time_ratio", "high") < 1)
		skip_when_disturbed(*state, report, "replicas", __func__);
	assert_true(number_of(copies, "time_ratio", "high") >= 1 - .05);
}

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
	report = diagnose(*state, "bandwidth-thief,cache-thief", "scales", "0.05");
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

static void a_program_that_cannot_run_twice_at_once_is_skipped_with_its_reason(void **state)
{
	struct e2e *e = *state;
	static const char script[] = "mkdir lock || exit 9; sleep 0.1; rmdir lock";
	struct e2e_result r;
	const json_t *report;

	e2e_need_two_cpus(__func__);
	e2e_run(e, &r, "--cores", "1,2", "--repeats", "2", "--experiments", "replicas,one-arena",
		"-o", "r.json", "--json", "--", "/bin/sh", "-c", script);
	e2e_expect_status(&r, 0);
	report = e2e_report(e, &r);
	assert_non_null(strstr(skipped(report, "replicas"), "exited with status 9"));
	assert_non_null(strstr(skipped(report, "replicas"), "--isolate"));
	/* the rest went on */
	expect_tried(e, report, "one-arena");
	e2e_result_free(&r);
	e2e_run(e, &r, "--cores", "1,2", "--repeats", "2", "--experiments", "replicas", "--isolate",
		"-o", "s.json", "--json", "--", "/bin/sh", "-c", script);
	e2e_expect_status(&r, 0);
	assert_string_equal(skipped(e2e_report(e, &r), "replicas"), "");
	e2e_result_free(&r);
	assert_int_equal(access(e2e_path(e, "s.scalediag.copy1.d"), F_OK), -1);
}

static void copies_that_write_the_same_file_are_skipped(void **state)
{
	struct e2e *e = *state;
	struct e2e_result r;

	e2e_need_two_cpus(__func__);
	e2e_run(e, &r, "--cores", "1,2", "--repeats", "2", "--experiments", "replicas", "--json",
		"--", "/bin/sh", "-c", "exec 5>>common; sleep 0.4");
	e2e_expect_status(&r, 0);
	assert_non_null(strstr(skipped(e2e_report(e, &r), "replicas"), "the same file"));
	e2e_result_free(&r);
}

static void a_file_that_copies_write_in_a_moment_is_seen_too(void **state)
{
	/* one after the other: who opens it while the other has it open is seen anyway */
	static const char script[] = "until mkdir turn 2>/dev/null; do sleep 0.02; done; "
				     "echo x >common; sleep 0.15; rmdir turn";
	struct e2e *e = *state;
	struct e2e_result r;

	e2e_need_two_cpus(__func__);
	e2e_run(e, &r, "--cores", "1,2", "--repeats", "2", "--experiments", "replicas", "--json",
		"--", "/bin/sh", "-c", script);
	e2e_expect_status(&r, 0);
	assert_non_null(strstr(skipped(e2e_report(e, &r), "replicas"), "the same file"));
	e2e_result_free(&r);
	e2e_run(e, &r, "--cores", "1,2", "--repeats", "2", "--experiments", "replicas", "--isolate",
		"--json", "--", "/bin/sh", "-c", script);
	e2e_expect_status(&r, 0);
	assert_string_equal(skipped(e2e_report(e, &r), "replicas"), "");
	e2e_result_free(&r);
}

/* The folder is not ours alone: a log is written beside the runs. */
static void what_others_write_in_the_folder_costs_no_experiment(void **state)
{
	static const char script[] = "echo x >mine.$$; sleep 0.15; rm mine.$$";
	struct e2e *e = *state;
	struct e2e_result r;
	pid_t logger;

	e2e_need_two_cpus(__func__);
	logger = fork();
	assert_true(logger >= 0);
	while (logger == 0) {
		const int fd = open(e2e_path(e, "log"), O_WRONLY | O_CREAT | O_APPEND, 0600);

		if (fd < 0 || write(fd, "x\n", 2) != 2)
			_exit(1);
		close(fd);
		usleep(5000);
	}
	e2e_run(e, &r, "--cores", "1,2", "--repeats", "2", "--experiments", "replicas", "--json",
		"--", "/bin/sh", "-c", script);
	kill(logger, SIGKILL);
	waitpid(logger, NULL, 0);
	e2e_expect_status(&r, 0);
	assert_string_equal(skipped(e2e_report(e, &r), "replicas"), "");
	e2e_result_free(&r);
}

/* Every run has more to do than the one before: by far more between the quartiles of five of them
 * than any noise. */
static void a_program_whose_work_depends_on_what_went_before_is_not_compared(void **state)
{
	static const char script[] = "n=$(cat n); n=$((n + 1)); echo $n >n; i=0; "
				     "while [ $i -lt $((n * n * 3000)) ]; do i=$((i + 1)); done; "
				     "echo $n";
	struct e2e *e = *state;
	struct e2e_result r;
	const json_t *report;

	e2e_need_two_cpus(__func__);
	e2e_write(e2e_path(e, "n"), "0");
	e2e_run(e, &r, "--cores", "1,2", "--repeats", "5", "--samples", "none", "--experiments",
		"replicas,one-arena,add-loop", "--json", "--", "/bin/sh", "-c", script);
	e2e_expect_status(&r, 0);
	report = e2e_report(e, &r);
	assert_non_null(strstr(skipped(report, "replicas"), "differs from run to run"));
	assert_non_null(strstr(skipped(report, "one-arena"), "differs from run to run"));
	/* the program is not in this one, but a busy machine may show no clock */
	if (strstr(skipped(report, "add-loop"), "were preempted, had CPU time stolen"))
		e2e_skip(__func__, skipped(report, "add-loop"));
	assert_string_equal(skipped(report, "add-loop"), "");
	e2e_result_free(&r);
}

/* A folder of a copy that was left is ours to remove; the rest goes on where it is not. */
static void folders_of_copies_that_cannot_be_made_skip_the_copies_only(void **state)
{
	struct e2e *e = *state;
	struct e2e_result r;
	const json_t *report;

	e2e_need_two_cpus(__func__);
	assert_int_equal(mkdir(e2e_path(e, "r.scalediag.copy1.d"), 0700), 0);
	e2e_run(e, &r, "--cores", "1,2", "--repeats", "2", "--isolate", "-o", "r.json",
		"--experiments", "replicas,one-arena", "--json", "--", "/bin/sh", "-c",
		"sleep 0.02");
	e2e_expect_status(&r, 0);
	report = e2e_report(e, &r);
	assert_non_null(strstr(skipped(report, "replicas"), "could not be made"));
	assert_non_null(strstr(r.err, "r.scalediag.copy1.d"));
	expect_tried(e, report, "one-arena");
	e2e_result_free(&r);
	assert_int_equal(access(e2e_path(e, "r.scalediag.copy1.d"), F_OK), 0);
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

static void the_plan_says_what_could_run_and_what_it_would_show(void **state)
{
	struct e2e *e = *state;
	struct e2e_result r;

	e2e_run(e, &r, "--dry-run", e2e_program(e, "scales"), "1");
	e2e_expect_status(&r, 0);
	assert_non_null(strstr(r.out, "replicas"));
	assert_non_null(strstr(r.out, "left out: "));
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
		TEST(copies_of_a_program_with_false_sharing_lose_less_than_its_threads),
		TEST(no_copy_is_faster_than_one_alone),
		TEST(none_runs_none_and_says_none),
		TEST(a_thief_says_what_it_moved),
		TEST(padding_keeps_a_program_right),
		TEST(what_the_padding_promises_holds),
		TEST(a_program_that_cannot_run_twice_at_once_is_skipped_with_its_reason),
		TEST(copies_that_write_the_same_file_are_skipped),
		TEST(a_file_that_copies_write_in_a_moment_is_seen_too),
		TEST(what_others_write_in_the_folder_costs_no_experiment),
		TEST(a_program_whose_work_depends_on_what_went_before_is_not_compared),
		TEST(folders_of_copies_that_cannot_be_made_skip_the_copies_only),
		TEST(a_warm_run_finds_its_files_in_the_page_cache),
		TEST(the_plan_says_what_could_run_and_what_it_would_show),
		TEST(killed_in_an_experiment_it_leaves_nothing_behind),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
