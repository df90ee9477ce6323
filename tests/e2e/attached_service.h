/*
 * A service to attach to, and whether it was left as it was.
 */
#ifndef SD_TEST_ATTACHED_SERVICE_H
#define SD_TEST_ATTACHED_SERVICE_H

#include "e2e/e2e.h"

#include <dirent.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define THREADS 4 /* that serve, beside the first */
#define TASKS (THREADS + 1)

struct service {
	pid_t pid;
	char number[16];    /* its pid as text */
	char file[300];     /* of its counters */
	char command[4500]; /* that prints how much it has served */
	char markers[300];  /* file of what it reports */
	int tid[TASKS];
	cpu_set_t mask[TASKS];
};

static inline size_t tasks_of(pid_t pid, int tid[TASKS])
{
	char path[64];
	size_t n = 0;
	DIR *dir;

	snprintf(path, sizeof path, "/proc/%d/task", (int)pid);
	dir = opendir(path);
	assert_non_null(dir);
	for (struct dirent *d; (d = readdir(dir)) && n < TASKS;)
		if (d->d_name[0] != '.')
			tid[n++] = atoi(d->d_name);
	closedir(dir);
	return n;
}

/* Starts it; one of its threads is bound to a CPU by itself, which must stay so. */
static inline void start(struct e2e *e, struct service *s, const char *share, const char *rate)
{
	cpu_set_t one;

	snprintf(s->file, sizeof s->file, "%s", e2e_path(e, "served"));
	snprintf(s->command, sizeof s->command, "%s %s", e2e_program(e, "service"), s->file);
	snprintf(s->markers, sizeof s->markers, "%s", e2e_path(e, "markers"));
	s->pid = fork();
	assert_true(s->pid >= 0);
	if (s->pid == 0) {
		/* it would serve on when an assertion fails */
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		setenv("SCALEDIAG_MARKERS", s->markers, 1);
		execl(e2e_program(e, "service"), "service", s->file, "4", share, rate, NULL);
		_exit(127);
	}
	snprintf(s->number, sizeof s->number, "%d", (int)s->pid);
	for (int i = 0; i < 200 && tasks_of(s->pid, s->tid) < TASKS; i++)
		e2e_nap(20);
	assert_int_equal(tasks_of(s->pid, s->tid), TASKS);
	assert_int_equal(sched_getaffinity(0, sizeof one, &one), 0);
	for (int cpu = CPU_SETSIZE - 1, left = CPU_COUNT(&one); cpu >= 0 && left > 1; cpu--)
		if (CPU_ISSET(cpu, &one)) {
			CPU_CLR(cpu, &one);
			left--;
		}
	assert_int_equal(sched_setaffinity(s->tid[TASKS - 1], sizeof one, &one), 0);
	for (int i = 0; i < TASKS; i++)
		assert_int_equal(sched_getaffinity(s->tid[i], sizeof s->mask[i], &s->mask[i]), 0);
}

static inline int is_as_before(const struct service *s)
{
	cpu_set_t now;

	for (int i = 0; i < TASKS; i++)
		if (sched_getaffinity(s->tid[i], sizeof now, &now) || !CPU_EQUAL(&now, &s->mask[i]))
			return 0;
	return 1;
}

static inline int is_narrowed(const struct service *s)
{
	cpu_set_t now;

	for (int i = 0; i < TASKS; i++)
		if (sched_getaffinity(s->tid[i], sizeof now, &now) == 0 && CPU_COUNT(&now) > 1)
			return 0;
	return 1;
}

static inline unsigned long served(const struct service *s)
{
	unsigned long n = 0;
	FILE *const f = popen(s->command, "re");

	assert_non_null(f);
	assert_int_equal(fscanf(f, "served %lu", &n), 1);
	assert_int_equal(pclose(f), 0);
	return n;
}

/* It serves on, with its CPUs, and ends when it is told to. */
static inline void stop(struct service *s)
{
	const unsigned long before = served(s);
	int status;

	for (int i = 0; i < 500 && served(s) == before; i++)
		e2e_nap(20);
	assert_true(served(s) > before);
	assert_true(is_as_before(s));
	assert_int_equal(kill(s->pid, SIGTERM), 0);
	assert_int_equal(waitpid(s->pid, &status, 0), s->pid);
	assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

#endif
