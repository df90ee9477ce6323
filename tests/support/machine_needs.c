#include "e2e/e2e.h"

#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

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
