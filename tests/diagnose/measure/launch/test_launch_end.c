/*
 * Nothing of a tree survives its run, whatever it does and whoever is killed.
 */
#include <sys/stat.h>
#include <math.h>
#include <signal.h>

#include "diagnose/measure/launch/launch_fixture.h"

/* ---- nothing survives ---- */

static void what_outlives_the_program_is_killed_and_said(void **state)
{
	struct fixture *f = *state;

	assert_int_equal(
		run_shell(f, "(setsid sh -c 'trap \"\" TERM HUP; while :; do sleep 1; done' &)\n"
			     "setsid sleep 1000 & exit 3"),
		0);
	assert_int_equal(f->run.end, SD_END_EXITED);
	assert_int_equal(f->run.code, 3);
	assert_true(f->run.flags & SD_RUN_LEFTOVER);
	assert_int_equal(marked(f->mark, NULL), 0);
}

static void a_child_that_ends_right_after_the_program_is_no_leftover(void **state)
{
	struct fixture *f = *state;

	double took = INFINITY;

	/* on a busy machine "right after" may take long; on some machines always */
	for (int i = 0; i < 20 && (i < 5 || took < .04); i++) {
		f->run.flags = 0;
		assert_int_equal(run_shell(f, "sleep 0.005 & exit 0"), 0);
		if (!f->run.flags)
			return;
		assert_int_equal(run_shell(f, "sleep 0.005; exit 0"), 0);
		took = fmin(took, metric(f, SD_METRIC_WALL));
	}
	/* 50 ms are allowed: what takes that long itself cannot be done by then */
	if (took < .04)
		fail();
	fprintf(stderr, "SKIP: %s: a sleep of 5 ms takes %.0f ms here\n", __func__, 1e3 * took);
	skip();
}

static void a_timeout_ends_a_tree_that_does_not_want_to(void **state)
{
	/* a busy machine may end it before it has said that it does not want to */
	static const double timeout[] = {0.2, 2, 10};
	struct fixture *f = *state;

	for (size_t i = 0; i < 3 && (i == 0 || f->run.code != SIGKILL); i++) {
		f->launch.timeout_s = timeout[i];
		assert_int_equal(run_shell(f, "trap '' TERM\n"
					      "(setsid sh -c 'while :; do sleep 1; done' &)\n"
					      "while :; do sleep 1; done"),
			0);
		assert_int_equal(f->run.end, SD_END_TIMEOUT);
		assert_true(metric(f, SD_METRIC_WALL) >= timeout[i]);
		assert_int_equal(marked(f->mark, NULL), 0);
		assert_int_equal(f->run.flags & SD_RUN_LEFTOVER, 0);
	}
	assert_int_equal(f->run.code, SIGKILL);
}

static void a_stopped_program_times_out_too(void **state)
{
	struct fixture *f = *state;

	f->launch.timeout_s = 0.1;
	assert_int_equal(run_shell(f, "kill -STOP $$"), 0);
	assert_int_equal(f->run.end, SD_END_TIMEOUT);
}

static void a_bush_of_stubborn_processes_is_killed(void **state)
{
	struct fixture *f = *state;

	f->launch.timeout_s = 1;
	assert_int_equal(run_shell(f, "trap '' TERM\n"
				      "f() { if [ $1 -gt 0 ]; then f $(($1-1)) & f $(($1-1)) & fi\n"
				      "while :; do sleep 1; done; }\n"
				      "f 4"),
		0);
	assert_int_equal(f->run.end, SD_END_TIMEOUT);
	assert_int_equal(marked(f->mark, NULL), 0);
}

static void a_process_that_hops_from_pid_to_pid_is_caught(void **state)
{
	struct fixture *f = *state;

	assert_int_equal(run_shell(f, "trap '' TERM; hop() { hop & }; hop"), 0);
	assert_int_equal(f->run.end, SD_END_EXITED);
	assert_int_equal(marked(f->mark, NULL), 0);
}

static void a_thousand_short_children_are_reaped(void **state)
{
	struct fixture *f = *state;

	assert_int_equal(
		run_shell(f, "i=0; while [ $i -lt 1000 ]; do (exit 0) & i=$((i+1)); done; wait"),
		0);
	assert_int_equal(f->run.code, 0);
	assert_true(metric(f, SD_METRIC_MINOR_FAULTS) > 1000);
}

/* Forks a process that launches `script`, and waits until `n` of its processes run. */
static pid_t launch_elsewhere(struct fixture *f, const char *script, unsigned n)
{
	const pid_t pid = fork();

	assert_true(pid >= 0);
	if (pid == 0)
		_exit(run_shell(f, script) == -EIO && f->said.errors == 1 ? 42 : 1);
	for (int i = 0; i < 1000 && marked(f->mark, NULL) < n; i++)
		sleep_ms(10);
	assert_true(marked(f->mark, NULL) >= n);
	return pid;
}

static void assert_all_gone(const struct fixture *f)
{
	for (int i = 0; i < 1000 && marked(f->mark, NULL) > 0; i++)
		sleep_ms(10);
	assert_int_equal(marked(f->mark, NULL), 0);
}

static const char stubborn[] = "trap '' TERM HUP INT\n"
			       "(setsid sh -c 'sleep 1000; sleep 1000' &)\n"
			       "sleep 1000; sleep 1000";

static void killing_scalediag_kills_the_tree(void **state)
{
	struct fixture *f = *state;
	const pid_t pid = launch_elsewhere(f, stubborn, 4);

	assert_int_equal(kill(pid, SIGKILL), 0);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	assert_all_gone(f);
}

/* The parent of a process. */
static pid_t parent_of(pid_t pid)
{
	char path[64], text[512];
	uint64_t parent = 0;
	char *p;

	snprintf(path, sizeof path, "/proc/%d/status", (int)pid);
	p = strstr(read_file(path, text, sizeof text), "PPid:\t");
	assert_non_null(p);
	p[6 + strspn(p + 6, "0123456789")] = '\0';
	assert_int_equal(sd_number_u64(p + 6, 0, INT32_MAX, &parent), 0);
	return (pid_t)parent;
}

static void killing_the_keeper_kills_the_tree(void **state)
{
	struct fixture *f = *state;
	const pid_t pid = launch_elsewhere(f, stubborn, 4);
	pid_t keeper = 0;
	int status;

	assert_true(marked(f->mark, &keeper) > 0);
	while (parent_of(keeper) != pid)
		keeper = parent_of(keeper);
	assert_int_equal(kill(keeper, SIGKILL), 0);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 42);
	assert_int_equal(marked(f->mark, NULL), 0);
}

/* ---- stopping ---- */

struct stopping {
	volatile sig_atomic_t stop;
	const char *ready; /* a file that is there once the program can be asked; NULL: at once */
	int most;          /* times */
};

static void stop_from_progress(void *ctx, double seconds)
{
	struct stopping *s = ctx;

	if (seconds > 0 && s->stop < s->most && (!s->ready || access(s->ready, F_OK) == 0))
		s->stop++;
}

static void ctrl_c_asks_and_twice_kills(void **state)
{
	struct fixture *f = *state;
	char ready[300];
	struct stopping s = {.ready = ready, .most = 1};

	snprintf(ready, sizeof ready, "%s/ready", f->folder);
	f->launch.stop = &s.stop;
	f->launch.progress = stop_from_progress;
	f->launch.progress_ctx = &s;
	f->launch.cwd = f->folder;
	assert_int_equal(
		run_shell(f, "trap 'echo asked; exit 0' TERM; : >ready; sleep 1000 & wait"),
		-EINTR);
	{
		char text[64];

		assert_string_equal(read_file(f->out, text, sizeof text), "asked\n");
	}
	s = (struct stopping){.most = 2};
	assert_int_equal(run_shell(f, stubborn), -EINTR);
	assert_int_equal(marked(f->mark, NULL), 0);
	/* and what is stopped already does not start */
	unlink(f->out);
	assert_int_equal(run_shell(f, "echo started"), -EINTR);
	assert_int_equal(access(f->out, F_OK), -1);
	write_file(f->out, "", 0600);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define T(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
		T(what_outlives_the_program_is_killed_and_said),
		T(a_child_that_ends_right_after_the_program_is_no_leftover),
		T(a_timeout_ends_a_tree_that_does_not_want_to),
		T(a_stopped_program_times_out_too),
		T(a_bush_of_stubborn_processes_is_killed),
		T(a_process_that_hops_from_pid_to_pid_is_caught),
		T(a_thousand_short_children_are_reaped),
		T(killing_scalediag_kills_the_tree),
		T(killing_the_keeper_kills_the_tree),
		T(ctrl_c_asks_and_twice_kills),
#undef T
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
