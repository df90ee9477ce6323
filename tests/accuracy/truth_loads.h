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

/* Half of the time, through so much memory; every line is read and written. */
static inline void load_memory(size_t bytes)
{
	volatile char *const memory = malloc(bytes);
	size_t at = 0;

	if (!memory)
		_exit(1);
	for (;;) {
		struct timespec from, now;

		clock_gettime(CLOCK_MONOTONIC, &from);
		do {
			for (int k = 0; k < 4096; k++, at = (at + 64) % bytes)
				memory[at]++;
			clock_gettime(CLOCK_MONOTONIC, &now);
		} while ((double)(now.tv_sec - from.tv_sec) +
				 1e-9 * (double)(now.tv_nsec - from.tv_nsec) <
			 .01);
		load_nap(.01);
	}
}

/* As much as a core has of the last cache on many machines. */
static inline void load_cache(unsigned i)
{
	(void)i;
	load_memory(4u << 20);
}

static inline void load_stream(unsigned i)
{
	(void)i;
	load_memory(256u << 20);
}

/* Writes 64 MB to the disk, and has it taken there; again and again. */
static inline void load_disk(unsigned i)
{
	static char block[1 << 20];
	char path[64];
	int fd;

	snprintf(path, sizeof path, "load-%u-XXXXXX", i);
	fd = mkostemp(path, O_CLOEXEC);
	unlink(path);
	for (unsigned k = 1; fd >= 0; k++) {
		block[0] = (char)k;
		if (pwrite(fd, block, sizeof block, (off_t)(k % 64) << 20) < 0)
			break;
		if (k % 8 == 0 && fsync(fd))
			break;
	}
	_exit(1);
}

/* One process after the other that does nothing, as scripts start them. */
static inline void load_short(unsigned i)
{
	(void)i;
	for (;;) {
		const pid_t child = fork();

		if (child == 0) {
			execlp("true", "true", (char *)NULL);
			_exit(127);
		}
		if (child < 0 || waitpid(child, NULL, 0) != child)
			_exit(1);
		load_nap(.001);
	}
}

/* A quarter of the i-th CPU, and of no other. */
static inline void load_pinned(unsigned i)
{
	cpu_set_t one;

	CPU_ZERO(&one);
	CPU_SET(i, &one);
	if (sched_setaffinity(0, sizeof one, &one))
		_exit(1);
	for (;;) {
		load_spin(.005);
		load_nap(.015);
	}
}

/* A third of a CPU, before everything else; where that is not allowed it ends. */
static inline void load_real_time(unsigned i)
{
	const struct sched_param most = {.sched_priority = 80};

	(void)i;
	if (sched_setscheduler(0, SCHED_FIFO, &most))
		_exit(1);
	for (;;) {
		load_spin(.01);
		load_nap(.02);
	}
}

/* clang-format off */
static const struct load {
	const char *name, *text;
	void (*work)(unsigned i); /* NULL: nothing beside it */
	unsigned processes;       /* 0: as many as there are CPUs */
	const char *kinds;        /* of neighbours, as reports name them: any of these is right; "": none */
} load_kind[] = {
	{"quiet",  "nothing beside it",                          NULL,           1, ""},
	{"half",   "a busy loop at 50 % of one CPU",              load_half,      1, "cpu bound"},
	{"build",  "a parallel build at nice 19",                 load_build,     0, "short-processes cpu memory"},
	{"bursts", "bursts of 5 % of a CPU, four processes",      load_bursts,    4, "cpu"},
	{"cache",  "4 MiB walked through at 50 % of a CPU",       load_cache,     1, "memory"},
	{"stream", "256 MiB walked through at 50 % of a CPU",     load_stream,    1, "memory"},
	{"disk",   "64 MiB written and synchronised, repeatedly", load_disk,      1, "disk"},
	{"short",  "processes of a millisecond, one at a time",   load_short,     1, "short-processes"},
	{"pinned", "a quarter of each CPU, bound to it",          load_pinned,    0, "bound"},
	{"rt",     "a third of a CPU at real-time priority",      load_real_time, 1, "real-time"},
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
