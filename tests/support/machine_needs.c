#include "e2e/e2e.h"

#include <math.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

void e2e_skip(const char *test, const char *why)
{
	fprintf(stderr, "SKIP: %s: %s\n", test, why);
	skip();
}

void e2e_need_two_cpus(const char *test)
{
	cpu_set_t set;

	if (sched_getaffinity(0, sizeof set, &set) == 0 && CPU_COUNT(&set) < 2)
		e2e_skip(test, "this process may use one CPU only");
}

/* Seconds that half a million split locks take in so many threads, least of three; NAN: none. */
static double split_locks_s(const struct e2e *e, const char *threads)
{
	double least = INFINITY;

	for (int i = 0; i < 3; i++) {
		struct timespec a, b;
		int status;
		pid_t pid;

		clock_gettime(CLOCK_MONOTONIC, &a);
		pid = fork();
		if (pid == 0) {
			execl(e2e_program(e, "split_lock"), "split_lock", threads, "500000",
				(char *)NULL);
			_exit(127);
		}
		if (waitpid(pid, &status, 0) != pid || status)
			return NAN;
		clock_gettime(CLOCK_MONOTONIC, &b);
		least = fmin(least,
			(double)(b.tv_sec - a.tv_sec) + 1e-9 * (double)(b.tv_nsec - a.tv_nsec));
	}
	return least;
}

void e2e_need_split_locks(const struct e2e *e, const char *test)
{
	double alone, both;

	e2e_need_two_cpus(test);
	alone = split_locks_s(e, "1");
	both = split_locks_s(e, "2");
	if (!isfinite(alone) || !isfinite(both))
		e2e_skip(test, "the CPU, the kernel or the hypervisor lets nobody lock the bus");
	/* two halves of the work at once */
	if (both < .75 * alone)
		e2e_skip(test, "this CPU's split locks slow nobody else down");
}

size_t e2e_pids(const char *path, pid_t *pid, size_t room)
{
	FILE *const f = fopen(path, "r");
	char line[32];
	size_t n = 0;

	while (f && n < room && fgets(line, sizeof line, f))
		pid[n++] = (pid_t)strtol(line, NULL, 10);
	if (f)
		fclose(f);
	return n;
}

/* A process that only waits to be reaped by a parent that is not ours is gone. */
static int alive(pid_t pid)
{
	char path[64], stat[512] = "";
	const char *state;
	FILE *f;

	snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
	f = fopen(path, "r");
	if (!f)
		return 0;
	if (!fgets(stat, sizeof stat, f))
		stat[0] = '\0';
	fclose(f);
	state = strrchr(stat, ')');
	return state && state[1] == ' ' && state[2] != 'Z' && state[2] != 'X';
}

void e2e_expect_gone(const char *path, size_t expected)
{
	pid_t pid[64];
	const size_t n = e2e_pids(path, pid, 64);

	if (n < expected)
		fail_msg("%s: %zu processes, not %zu: the test did not get far enough", path, n,
			expected);
	for (size_t i = 0; i < n; i++)
		if (alive(pid[i]))
			fail_msg("process %d is still there", (int)pid[i]);
}

static size_t still_there(const char *path)
{
	pid_t pid[64];
	const size_t n = e2e_pids(path, pid, 64);
	size_t there = 0;

	for (size_t i = 0; i < n; i++)
		there += (size_t)alive(pid[i]);
	return there;
}

void e2e_await_gone(const char *path, size_t expected)
{
	const struct timespec look = {.tv_nsec = 10000000};

	for (int i = 0; i < 2000 && still_there(path) > 0; i++)
		nanosleep(&look, NULL);
	e2e_expect_gone(path, expected);
}
