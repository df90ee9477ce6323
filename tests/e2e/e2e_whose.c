/*
 * Whose time it is: programs whose counters the kernel takes away, and programs that let others
 * work.
 */
#include "e2e/e2e.h"

#include <ctype.h>
#include <fcntl.h>
#include <grp.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define NOBODY 65534

static int become_nobody(void *ctx)
{
	(void)ctx;
	return setgroups(0, NULL) < 0 || setgid(NOBODY) < 0 || setuid(NOBODY) < 0;
}

/* Clock ticks that all CPUs have been busy for. */
static unsigned long busy_ticks(void)
{
	unsigned long user = 0, nice = 0, system = 0;
	FILE *const f = fopen("/proc/stat", "re");

	assert_non_null(f);
	assert_int_equal(fscanf(f, "cpu %lu %lu %lu", &user, &nice, &system), 3);
	fclose(f);
	return user + nice + system;
}

/* Cores that others use while nothing of this test runs. */
static double neighbours(void)
{
	const unsigned long before = busy_ticks();

	nanosleep(&(struct timespec){.tv_nsec = 500000000}, NULL);
	return (double)(busy_ticks() - before) / (double)sysconf(_SC_CLK_TCK) / .5;
}

/* This folder, with a copy of scalediag, becomes one that another user may use. */
static void open_folder(struct e2e *e, const char *test)
{
	if (geteuid() != 0)
		e2e_skip(test, "only root can make such a program and become another user");
	e2e_copy(e->scalediag, e2e_path(e, "scalediag"), 0755);
	assert_int_equal(chmod(e->folder, 0777), 0);
	snprintf(e->scalediag, sizeof e->scalediag, "%s/scalediag", e->folder);
	e2e_copy(e2e_program(e, "half_serial"), e2e_path(e, "read"), 0755);
	e2e_copy(e2e_program(e, "half_serial"), e2e_path(e, "unread"), 0711);
	e2e_copy(e2e_program(e, "half_serial"), e2e_path(e, "setuid"), 04711);
	/* of root for others, to whom it is another user's as well */
	e2e_copy(e2e_program(e, "half_serial"), e2e_path(e, "setuid-nobody"), 0700);
	assert_int_equal(chown(e2e_path(e, "setuid-nobody"), NOBODY, NOBODY), 0);
	assert_int_equal(chmod(e2e_path(e, "setuid-nobody"), 04755), 0);
}

static int is_denied(const json_t *v)
{
	return json_is_string(v) && strcmp(json_string_value(v), "denied") == 0;
}

/* Are these words in a text, wherever its lines are wrapped? */
static int has_words(const char *text, const char *words)
{
	char *const flat = strdup(text);
	size_t n = 0;
	int has;

	assert_non_null(flat);
	for (const char *c = text; *c; c++)
		if (!isspace((unsigned char)*c))
			flat[n++] = *c;
		else if (n && flat[n - 1] != ' ')
			flat[n++] = ' ';
	flat[n] = '\0';
	has = strstr(flat, words) != NULL;
	free(flat);
	return has;
}

/* One way to start a program, and whether the kernel counts it for who starts it so. */
struct start {
	int as_root;
	int ended; /* its counters were */
	int brief; /* it can be over before anybody looks: one run that was seen is asked for */
	const char *script;
};

static void check_run(const struct start *s, const json_t *run)
{
	const json_t *const clock = json_object_get(json_object_get(run, "metrics"), "task_clock");
	const double used = e2e_metric(run, "user") + e2e_metric(run, "system");
	const double foreign = e2e_metric(run, "foreign"), wall = e2e_metric(run, "wall");

	if (e2e_has_flag(run, "unreadable") != s->ended || is_denied(clock) != s->ended)
		fail_msg("%s: it is%s counted", s->script, s->ended ? " not" : "");
	/* a status, or a count of the whole: never the instant before the program */
	if (!s->ended && json_is_number(clock))
		assert_true(json_number_value(clock) > .5 * used);
	/* stacks of a part of it are none of the program; switches of whole CPUs go on */
	if (s->ended && !s->as_root)
		assert_string_equal(json_string_value(json_object_get(
					    json_object_get(run, "sampled"), "status")),
			"denied");
	/* CPU time of the program is no other's: both fit on its CPU, where taken for another's it
	 * were twice. Ticks of 10 ms tell that of no program of 20 ms. */
	if (json_object_get(json_object_get(run, "metrics"), "foreign") && used > .15 &&
		used + foreign >= wall + used / 2)
		fail_msg("%s: %g s are its own, %g s others', in %g s on one CPU", s->script, used,
			foreign, wall);
}

/* Was every run of the record, or of a brief program any, seen to be what it is? */
static int is_seen(const json_t *json, const struct start *s)
{
	const json_t *const all = json_object_get(json, "runs"), *run;
	size_t k, seen = 0;

	json_array_foreach(all, k, run) seen += e2e_has_flag(run, "unreadable") == s->ended;
	return seen && (s->brief || seen == json_array_size(all));
}

/* Records: where every other run is missed, all four runs of all five are with a chance of
 * 10^-6. */
#define TRIES 5

/* Again until it was seen: a program of 20 ms is looked at only when the poller has a CPU in that
 * time, which nobody promises it. What never sees such a program fails. */
static json_t *start_it(struct e2e *e, const struct start *s, const char *record, const char *test)
{
	struct e2e_result r;
	json_t *json = NULL;

	for (int tries = 0; tries < TRIES && !(json && is_seen(json, s)); tries++) {
		json_decref(json);
		e2e_run_hooked(e, &r, s->as_root ? NULL : become_nobody, NULL, "--cores", "1",
			"--repeats", "2", "--experiments", "none", "-o", record, "/bin/sh", "-c",
			s->script);
		if (r.status == 125)
			e2e_skip(test, "this process may not become another user");
		e2e_expect_status(&r, 0);
		e2e_result_free(&r);
		json = json_load_file(e2e_path(e, record), 0, NULL);
		assert_non_null(json);
	}
	return json;
}

static void counters_that_end_at_an_exec_are_no_counts_of_the_program(void **state)
{
	static const struct start starts[] = {
		{0, 0, 0, "./read 0.3"},
		{0, 1, 0, "./unread 0.3"},
		{0, 1, 1, "./unread 0.02"},
		{0, 1, 0, "./setuid 0.3"},
		{0, 1, 0, "./read 0.2; ./unread 0.2"}, /* half of it is */
		{0, 0, 0, "./setuid-nobody 0.3"},      /* nobody's, for nobody */
		{0, 0, 0, "i=0; while [ $i -lt 400 ]; do /bin/true; i=$((i+1)); done"},
		{1, 0, 0, "./unread 0.3"}, /* root reads it */
		{1, 0, 0, "./setuid 0.3"},
		{1, 1, 0, "./setuid-nobody 0.3"},
	};
	struct e2e *const e = *state;

	open_folder(e, __func__);
	for (size_t i = 0; i < sizeof starts / sizeof *starts; i++) {
		const struct start *const s = &starts[i];
		char record[24];
		struct e2e_result r;
		json_t *json;
		const json_t *run;
		size_t k;

		snprintf(record, sizeof record, "r%zu.json", i);
		json = start_it(e, s, record, __func__);
		if (!json_is_number(json_object_get(
			    json_object_get(
				    json_array_get(json_object_get(json, "runs"), 0), "metrics"),
			    "task_clock")) &&
			!s->ended)
			e2e_skip(__func__, "no counters are allowed here: none can be ended");
		json_array_foreach(json_object_get(json, "runs"), k, run)
		{
			if (!s->brief || e2e_has_flag(run, "unreadable"))
				check_run(s, run);
		}
		e2e_run(e, &r, "report", "--long", record);
		e2e_expect_status(&r, 0);
		json_decref(json);
		if (has_words(r.out, "may be executed and not read") != s->ended)
			fail_msg("%s: %.900s", s->script, r.out);
		if (s->ended && !has_words(r.out, "the kernel ended them when the program"))
			fail_msg("%s: nothing of its samples: %.900s", s->script, r.out);
		e2e_result_free(&r);
	}
}

static pid_t start(const char *const *args, int *in)
{
	int ends[2];
	pid_t pid;

	assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
	pid = fork();
	assert_true(pid >= 0);
	if (pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL); /* also when an assertion ends this test */
		dup2(ends[0], 0);
		execv(args[0], (char *const *)(uintptr_t)args);
		_exit(127);
	}
	close(ends[0]);
	*in = ends[1];
	return pid;
}

/* A daemon outside of the tree, at this socket. */
static pid_t serve(struct e2e *e, const char *socket, int *in)
{
	const char *const args[] = {e2e_program(e, "elsewhere"), "serve", socket, NULL};
	const pid_t pid = start(args, in);
	struct stat st;

	for (int i = 0; i < 500 && stat(socket, &st) != 0; i++)
		nanosleep(&(struct timespec){.tv_nsec = 10000000}, NULL);
	return pid;
}

/* Asks the daemon for work under scalediag, which is to say so: not beside neighbours whose work
 * may be as much in a pause as the daemon's in a run. */
static void expect_said(
	struct e2e *e, const char *test, const char *repeats, int status, const char *words)
{
	const char *const socket = e2e_path(e, "socket");
	struct e2e_result r;
	double others = neighbours();
	pid_t pid;
	int in;

	if (others > (double)sysconf(_SC_NPROCESSORS_ONLN) - 1)
		e2e_skip(test, "other processes leave no CPU free: its runs would take minutes");
	pid = serve(e, socket, &in);
	e2e_run(e, &r, "--cores", "1,2", "--repeats", repeats, "--experiments", "none", "-o",
		"r.json", e2e_program(e, "elsewhere"), "ask", socket, "0.3");
	close(in);
	waitpid(pid, NULL, 0);
	others += neighbours();
	if (r.status == 0 && !strstr(r.err, words) && others > .2) {
		e2e_result_free(&r);
		e2e_skip(test, "other processes were busy before or after");
	}
	if (r.status != status || !strstr(r.err, words))
		fail_msg("status %d: %.900s%.900s", r.status, r.err, r.out);
	if (status != 0)
		assert_null(strstr(r.out, "pipes"));
	else
		assert_true(has_words(r.out, words));
	e2e_result_free(&r);
}

static void work_that_others_do_is_not_diagnosed(void **state)
{
	e2e_need_two_cpus(__func__);
	expect_said(*state, __func__, "6", 4, "runs elsewhere");
}

/* Two runs are no proof, and no reason for silence. */
static void of_few_runs_it_is_said_that_others_may_do_the_work(void **state)
{
	e2e_need_two_cpus(__func__);
	expect_said(*state, __func__, "2", 0, "it may run elsewhere");
}

/* Runs an idle program beside a shell's endless work. */
static void expect_diagnosed(
	struct e2e *e, const char *neighbour, const char *program, const char *a, const char *b)
{
	/* a session of its own, so that it ends with all that it starts */
	const char *const busy[] = {"/usr/bin/setsid", "/bin/sh", "-c", neighbour, NULL};
	const char *const asks = a && b ? "-0.4" : NULL;
	struct e2e_result r;
	int in;
	const pid_t pid = start(busy, &in);

	e2e_run(e, &r, "--cores", "1", "--repeats", "6", "--experiments", "none", "-o", "r.json",
		program, a, b, asks);
	kill(-pid, SIGKILL);
	waitpid(pid, NULL, 0);
	close(in);
	if (r.status != 0 || strstr(r.err, "runs elsewhere"))
		fail_msg("%s beside %s: %.600s", program, neighbour, r.err);
	e2e_result_free(&r);
}

/* It is as busy without the program; or comes and goes at its own pace. */
static void an_idle_program_beside_a_neighbour_is_not_taken_for_that(void **state)
{
	static const char steady[] = "while :; do :; done";
	static const char comes[] =
		"while :; do timeout .5 sh -c 'while :; do :; done'; sleep .5; done";
	struct e2e *const e = *state;
	const char *const socket = e2e_path(e, "socket");
	int in;
	const pid_t pid = serve(e, socket, &in);

	expect_diagnosed(e, steady, "/bin/sleep", "0.4", NULL);
	expect_diagnosed(e, comes, "/bin/sleep", "0.4", NULL);
	/* it waits for a daemon as one that lets others work does, and that one sleeps */
	expect_diagnosed(e, steady, e2e_program(e, "elsewhere"), "ask", socket);
	close(in);
	waitpid(pid, NULL, 0);
}

/* Mean time of the runs at two cores, and whether all of them went first. */
static double time_of_two(struct e2e *e, const char *how, int *shielded)
{
	struct e2e_result r;
	json_t *record;
	const json_t *run;
	double sum = 0;
	size_t i, n = 0;

	e2e_run(e, &r, "--cores", "2", "--repeats", "5", "--experiments", "none", "-o", "s.json",
		how, "--", e2e_program(e, "scales"), "0.3");
	e2e_expect_status(&r, 0);
	e2e_result_free(&r);
	record = json_load_file(e2e_path(e, "s.json"), 0, NULL);
	assert_non_null(record);
	*shielded = 1;
	json_array_foreach(json_object_get(record, "runs"), i, run)
	{
		const json_t *const flags = json_object_get(run, "flags"), *flag;
		size_t k;
		int first = 0;

		json_array_foreach(flags, k, flag) first |=
			strcmp(json_string_value(flag), "shielded") == 0;
		*shielded &= first;
		sum += json_number_value(json_object_get(json_object_get(run, "metrics"), "wall"));
		n++;
	}
	json_decref(record);
	assert_true(n >= 5);
	return sum / (double)n;
}

/* One that computes on every CPU takes half of each; from a program that goes first next to none.
 * A program that others took half of is half as fast: a third less is beyond the noise. */
static void a_program_that_goes_first_loses_less_to_a_neighbour(void **state)
{
	struct e2e *const e = *state;
	int shielded, plain;
	double first, beside;
	pid_t hog[2];

	e2e_need_two_cpus(__func__);
	for (size_t i = 0; i < 2; i++) {
		hog[i] = fork();
		assert_true(hog[i] >= 0);
		if (hog[i] == 0) {
			prctl(PR_SET_PDEATHSIG, SIGKILL);
			setsid();
			for (volatile unsigned x = 0;; x++) {
			}
		}
	}
	first = time_of_two(e, "--samples=auto", &shielded);
	beside = time_of_two(e, "--no-shield", &plain);
	for (size_t i = 0; i < 2; i++) {
		kill(hog[i], SIGKILL);
		waitpid(hog[i], NULL, 0);
	}
	assert_false(plain);
	if (!shielded)
		e2e_skip(__func__, "no cpu cgroup may be made here");
	assert_true(first < beside / 1.3);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		E2E_TEST(counters_that_end_at_an_exec_are_no_counts_of_the_program),
		E2E_TEST(work_that_others_do_is_not_diagnosed),
		E2E_TEST(a_program_that_goes_first_loses_less_to_a_neighbour),
		E2E_TEST(of_few_runs_it_is_said_that_others_may_do_the_work),
		E2E_TEST(an_idle_program_beside_a_neighbour_is_not_taken_for_that),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
