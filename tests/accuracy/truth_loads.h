/*
 * Loads that run on a machine while it measures: other work beside the diagnosis, each process in a
 * session of its own as from another terminal, where the kernel groups by session.
 */
#ifndef SD_TRUTH_LOADS_H
#define SD_TRUTH_LOADS_H

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define LOAD_PROCESSES 64

static inline void load_nap(double s)
{
	const struct timespec t = {
		.tv_sec = (time_t)s, .tv_nsec = (long)((s - (double)(time_t)s) * 1e9)};

	nanosleep(&t, NULL);
}

/* By the clock, not by CPU time: a page that is drawn late is not drawn twice. */
static inline void load_spin(double s)
{
	struct timespec from, to;

	clock_gettime(CLOCK_MONOTONIC, &from);
	do
		clock_gettime(CLOCK_MONOTONIC, &to);
	while ((double)(to.tv_sec - from.tv_sec) + 1e-9 * (double)(to.tv_nsec - from.tv_nsec) < s);
}

/* Half of the first CPU that may be used. */
static inline void load_half(unsigned i)
{
	cpu_set_t all, first;

	(void)i;
	CPU_ZERO(&first);
	if (sched_getaffinity(0, sizeof all, &all) == 0)
		for (int cpu = 0; cpu < CPU_SETSIZE && CPU_COUNT(&first) == 0; cpu++)
			if (CPU_ISSET(cpu, &all))
				CPU_SET(cpu, &first);
	(void)sched_setaffinity(0, sizeof first, &first);
	for (;;) {
		load_spin(.01);
		load_nap(.01);
	}
}

/* One compiler after the other, as make -j starts them: `tests/programs` as they are. */
static inline void load_build(unsigned i)
{
	static const char *const source[] = {"tests/programs/triple_sort.c",
		"tests/programs/sort_shared.c", "tests/programs/heap.c", "tests/programs/scales.c"};

	if (nice(19) < 0)
		_exit(1);
	for (;; i++) {
		const pid_t child = fork();

		if (child == 0) {
			const int null = open("/dev/null", O_WRONLY | O_CLOEXEC);

			(void)prctl(PR_SET_PDEATHSIG, SIGKILL);
			(void)dup2(null, STDERR_FILENO);
			execlp("cc", "cc", "-O3", "-g", "-pthread", "-Itests/programs", "-o",
				"/dev/null", source[i % (sizeof source / sizeof *source)],
				(char *)NULL);
			_exit(127);
		}
		if (child < 0 || waitpid(child, NULL, 0) != child)
			_exit(1);
	}
}

/* 5 % of a CPU in bursts of up to 80 ms at uneven times, wherever the kernel puts them. */
static inline void load_bursts(unsigned i)
{
	unsigned short seed[3] = {(unsigned short)i, 17, 4711};

	for (;;) {
		const double burst = .08 * erand48(seed);

		load_spin(burst);
		load_nap(burst * 19 * 2 * erand48(seed));
	}
}

/* clang-format off */
static const struct load {
	const char *name, *text;
	void (*work)(unsigned i); /* NULL: nothing beside it */
	unsigned processes;       /* 0: as many as there are CPUs */
} load_kind[] = {
	{"quiet",  "nothing beside it",                          NULL,        1},
	{"half",   "a busy loop at 50 % of one CPU",              load_half,   1},
	{"build",  "a parallel build at nice 19",                 load_build,  0},
	{"bursts", "bursts of 5 % of a CPU, four processes",      load_bursts, 4},
};
/* clang-format on */
#define LOAD_KINDS (sizeof load_kind / sizeof *load_kind)

struct load_running {
	pid_t pid[LOAD_PROCESSES];
	unsigned n;
};

/* They end with this process, however that ends. */
static inline void load_start(const struct load *l, struct load_running *r)
{
	const long cpus = sysconf(_SC_NPROCESSORS_ONLN);
	unsigned n = l->processes ? l->processes : cpus > 0 ? (unsigned)cpus : 1;

	*r = (struct load_running){0};
	n = n < LOAD_PROCESSES ? n : LOAD_PROCESSES;
	for (unsigned i = 0; l->work && i < n; i++) {
		const pid_t child = fork();

		if (child == 0) {
			(void)prctl(PR_SET_PDEATHSIG, SIGKILL);
			(void)setsid();
			l->work(i);
			_exit(0);
		}
		if (child > 0)
			r->pid[r->n++] = child;
	}
}

/* How many of them were still at work: with one that had ended, the row is of less. */
static inline unsigned load_stop(struct load_running *r)
{
	unsigned alive = 0;

	for (unsigned i = 0; i < r->n; i++) {
		alive += waitpid(r->pid[i], NULL, WNOHANG) == 0;
		kill(r->pid[i], SIGKILL);
		while (waitpid(r->pid[i], NULL, 0) < 0 && errno == EINTR)
			;
	}
	r->n = 0;
	return alive;
}

#endif
