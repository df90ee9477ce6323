/*
 * Does this machine show a cause at all that depends on what its cores share? Whatever memory makes
 * a program's threads wait for is user time: the program is run on one CPU and on two in turn,
 * without scalediag and without threads that spin.
 */
#ifndef SD_TRUTH_GROWTH_H
#define SD_TRUTH_GROWTH_H

#include <errno.h>
#include <math.h>
#include <sched.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define GROWTH_PAIRS 9

struct growth_run {
	double wall, user; /* s */
};

static inline pid_t growth_start(const char *program, const cpu_set_t *cpus, const char *threads)
{
	const pid_t child = fork();

	if (child)
		return child;
	if (!sched_setaffinity(0, sizeof *cpus, cpus) && !setenv("OMP_NUM_THREADS", threads, 1) &&
		!setenv("OMP_WAIT_POLICY", "passive", 1))
		execl(program, program, (char *)NULL);
	_exit(127);
}

/* 0, or -1 when it failed. */
static inline int growth_run(
	const char *program, const cpu_set_t *cpus, const char *threads, struct growth_run *out)
{
	struct timespec from, to;
	struct rusage r;
	int status;
	pid_t child;

	clock_gettime(CLOCK_MONOTONIC, &from);
	child = growth_start(program, cpus, threads);
	if (child < 0)
		return -1;
	while (wait4(child, &status, 0, &r) < 0)
		if (errno != EINTR)
			return -1;
	clock_gettime(CLOCK_MONOTONIC, &to);
	out->wall = (double)(to.tv_sec - from.tv_sec) + 1e-9 * (double)(to.tv_nsec - from.tv_nsec);
	out->user = (double)r.ru_utime.tv_sec + 1e-6 * (double)r.ru_utime.tv_usec;
	return WIFEXITED(status) && WEXITSTATUS(status) == 0 ? 0 : -1;
}

static inline int growth_order(const void *a, const void *b)
{
	const double *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

/* Share of the user time on two CPUs that one does not need for the same work: the median of pairs.
 * NAN where there are no two CPUs, or a run failed. */
static inline double growth_of(const char *program)
{
	double share[GROWTH_PAIRS];
	cpu_set_t all, one[2], both;
	int n = 0;

	if (sched_getaffinity(0, sizeof all, &all))
		return NAN;
	CPU_ZERO(&both);
	for (int i = 0; i < CPU_SETSIZE && n < 2; i++)
		if (CPU_ISSET(i, &all)) {
			CPU_ZERO(&one[n]);
			CPU_SET(i, &one[n++]);
			CPU_SET(i, &both);
		}
	if (n < 2)
		return NAN;
	for (int i = 0; i < GROWTH_PAIRS; i++) {
		struct growth_run alone, team;

		if (growth_run(program, &one[i % 2], "1", &alone) ||
			growth_run(program, &both, "2", &team))
			return NAN;
		share[i] = (team.user - alone.user) / (2 * team.wall);
	}
	qsort(share, GROWTH_PAIRS, sizeof *share, growth_order);
	return share[GROWTH_PAIRS / 2];
}

#endif
