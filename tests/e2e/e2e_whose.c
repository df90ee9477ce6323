/*
 * Whose time it is: programs whose counters the kernel takes away, and programs that let others
 * work.
 */
#include "e2e/e2e.h"

#include <fcntl.h>
#include <grp.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
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

static void copy(const char *from, const char *to, mode_t mode)
{
	size_t n;
	char *const text = e2e_read(from, &n);
	const int fd = open(to, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0700);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, n), n);
	assert_int_equal(fchmod(fd, mode), 0);
	close(fd);
	free(text);
}

static double metric(const json_t *run, const char *name)
{
	const json_t *const v = json_object_get(json_object_get(run, "metrics"), name);

	return json_number_value(json_is_object(v) ? json_object_get(v, "value") : v);
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

/* Root's program, which another user may run and not read, or that runs as root. */
static void a_program_whose_counters_end_at_its_start_has_its_cpu_time(void **state)
{
	static const mode_t modes[] = {0711, 04711};
	struct e2e *const e = *state;

	if (geteuid() != 0)
		e2e_skip(__func__, "only root can make such a program and become another user");
	copy(e->scalediag, e2e_path(e, "scalediag"), 0755);
	assert_int_equal(chmod(e->folder, 0777), 0);
	snprintf(e->scalediag, sizeof e->scalediag, "%s/scalediag", e->folder);
	for (size_t i = 0; i < sizeof modes / sizeof *modes; i++) {
		char name[16], record[24];
		double others;
		struct e2e_result r;
		json_t *json;
		const json_t *run;
		size_t k;

		snprintf(name, sizeof name, "./p%zu", i);
		snprintf(record, sizeof record, "r%zu.json", i);
		copy(e2e_program(e, "half_serial"), e2e_path(e, name), modes[i]);
		others = neighbours();
		e2e_run_hooked(e, &r, become_nobody, NULL, "--cores", "1", "--repeats", "3",
			"--experiments", "none", "-o", record, name, "0.3");
		if (r.status == 125)
			e2e_skip(__func__, "this process may not become another user");
		e2e_expect_status(&r, 0);
		others += neighbours();
		json = json_load_file(e2e_path(e, record), 0, NULL);
		assert_non_null(json);
		json_array_foreach(json_object_get(json, "runs"), k, run)
		{
			const json_t *const clock =
				json_object_get(json_object_get(run, "metrics"), "task_clock");
			const double used = metric(run, "user") + metric(run, "system");

			/* counted, or said that it is not: never the instant before the program */
			if (json_is_number(clock))
				assert_true(json_number_value(clock) > used / 2);
			/* and what is the program's is no other's: both together fit the wall time
			 */
			if (others < .2)
				assert_true(metric(run, "foreign") < .5 * metric(run, "wall"));
			/* the loops of it take ten times that anywhere; up to its execution it is
			 * 26 us */
			assert_true(used > .01);
		}
		json_decref(json);
		if (!strstr(r.out, "may be executed and not read"))
			fail_msg("%s: no word of the counters: %.600s", name, r.out);
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
		dup2(ends[0], 0);
		execv(args[0], (char *const *)(uintptr_t)args);
		_exit(127);
	}
	close(ends[0]);
	*in = ends[1];
	return pid;
}

static void work_that_others_do_is_not_diagnosed(void **state)
{
	struct e2e *const e = *state;
	const char *const program = e2e_program(e, "elsewhere");
	const char *const serve[] = {program, "serve", e2e_path(e, "socket"), NULL};
	struct e2e_result r;
	struct stat st;
	int in;
	double others = neighbours();
	const pid_t pid = start(serve, &in);

	for (int i = 0; i < 500 && stat(serve[2], &st) != 0; i++)
		nanosleep(&(struct timespec){.tv_nsec = 10000000}, NULL);
	e2e_run(e, &r, "--cores", "1,2", "--experiments", "none", "-o", "r.json", program, "ask",
		serve[2], "0.5");
	close(in);
	waitpid(pid, NULL, 0);
	others += neighbours();
	/* beside those it cannot be told apart, and then is not said */
	if (r.status == 0 && others > .2)
		e2e_skip(__func__, "other processes were busy before or after");
	if (r.status != 4 || !strstr(r.err, "runs elsewhere"))
		fail_msg("status %d: %.600s%.600s", r.status, r.err, r.out);
	assert_null(strstr(r.out, "pipes"));
	e2e_result_free(&r);
}

/* A neighbour is as busy without the program. */
static void an_idle_program_beside_a_busy_neighbour_is_not_taken_for_that(void **state)
{
	static const char *const spin[] = {"/bin/sh", "-c", "while :; do :; done", NULL};
	struct e2e *const e = *state;
	struct e2e_result r;
	int in;
	const pid_t pid = start(spin, &in);

	e2e_run(e, &r, "--cores", "1", "--repeats", "3", "--experiments", "none", "-o", "r.json",
		"/bin/sleep", "0.3");
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	close(in);
	e2e_expect_status(&r, 0);
	assert_null(strstr(r.err, "runs elsewhere"));
	e2e_result_free(&r);
}

#define E2E_TEST(f) cmocka_unit_test_setup_teardown(f, e2e_setup, e2e_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		E2E_TEST(a_program_whose_counters_end_at_its_start_has_its_cpu_time),
		E2E_TEST(work_that_others_do_is_not_diagnosed),
		E2E_TEST(an_idle_program_beside_a_busy_neighbour_is_not_taken_for_that),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
