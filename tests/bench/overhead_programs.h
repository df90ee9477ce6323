/*
 * The programs of bench_overhead: one that computes, and those whose cost is in what a recorder has
 * to see of them: switches, page faults, threads, processes.
 */
#ifndef SD_BENCH_OVERHEAD_PROGRAMS_H
#define SD_BENCH_OVERHEAD_PROGRAMS_H

#include <pthread.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define SECONDS .5 /* of CPU time a thread, about */
#define SWITCHES_PER_S 40000
#define THREADS 1000
#define CHILDREN 400
#define BLOCK (4u << 20)

static inline double clock_of(clockid_t id)
{
	struct timespec t = {0};

	clock_gettime(id, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static inline double now(void)
{
	return clock_of(CLOCK_MONOTONIC);
}

/* Loops that take so long where nothing disturbs: the fastest of some tries, the same for all
 * programs and tools. */
static inline uint64_t loops_of(double seconds)
{
	return (uint64_t)(seconds * strtod(getenv("BENCH_LOOPS_PER_S"), NULL));
}

__attribute__((noinline)) static void work(uint64_t loops)
{
	for (uint64_t i = 0; i < loops; i++)
		__asm__ volatile("" : : "r"(i) : "memory");
}

static inline void *worker(void *loops)
{
	work(*(uint64_t *)loops);
	return NULL;
}

static inline int team(unsigned threads, double seconds)
{
	uint64_t loops = loops_of(seconds);
	pthread_t *const id = calloc(threads, sizeof *id);
	unsigned n = 0;

	while (id && n < threads && !pthread_create(&id[n], NULL, worker, &loops))
		n++;
	for (unsigned i = 0; i < n; i++)
		pthread_join(id[i], NULL);
	free(id);
	return n < threads;
}

static inline int compute(void)
{
	return team(2, SECONDS);
}

static inline int thousand(void)
{
	return team(THREADS, 2 * SECONDS / THREADS);
}

struct side {
	int in, out;
	unsigned cpu;
	uint64_t loops;
	long hops;
};

static inline void *to_and_fro(void *of)
{
	const struct side *const s = of;
	cpu_set_t set;
	char byte = 0;

	CPU_ZERO(&set);
	CPU_SET(s->cpu, &set);
	pthread_setaffinity_np(pthread_self(), sizeof set, &set);
	for (long i = 0; i < s->hops; i++) {
		if (read(s->in, &byte, 1) != 1)
			break;
		work(s->loops);
		if (write(s->out, &byte, 1) != 1)
			break;
	}
	return NULL;
}

/* Two pairs of threads, each pair on one CPU, that hand a byte to and fro: no idle CPU hides a
 * cost. */
static inline int switches(void)
{
	struct side side[4];
	pthread_t id[4];
	cpu_set_t set;
	unsigned cpu[2] = {0}, n = 0;

	sched_getaffinity(0, sizeof set, &set);
	for (unsigned i = 0; i < CPU_SETSIZE && n < 2; i++)
		if (CPU_ISSET(i, &set))
			cpu[n++] = i;
	for (unsigned k = 0; k < 4; k += 2) {
		int to[2], fro[2];

		if (pipe(to) || pipe(fro) || write(fro[1], "", 1) != 1)
			return 1;
		for (unsigned i = 0; i < 2; i++)
			side[k + i] = (struct side){.in = i ? to[0] : fro[0],
				.out = i ? fro[1] : to[1],
				.cpu = cpu[n < 2 ? 0 : k / 2],
				.loops = loops_of(2. / SWITCHES_PER_S - 3e-6),
				.hops = (long)(SWITCHES_PER_S * SECONDS / 4)};
	}
	for (unsigned k = 0; k < 4; k++)
		if (pthread_create(&id[k], NULL, to_and_fro, &side[k]))
			return 1;
	for (unsigned k = 0; k < 4; k++)
		pthread_join(id[k], NULL);
	return 0;
}

/* New pages all the time, each touched once. */
static inline void *touch(void *blocks)
{
	for (long i = 0; i < *(long *)blocks; i++) {
		char *const at = mmap(
			NULL, BLOCK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

		if (at == MAP_FAILED)
			return NULL;
		madvise(at, BLOCK, MADV_NOHUGEPAGE);
		for (size_t k = 0; k < BLOCK; k += 4096)
			at[k] = 1;
		munmap(at, BLOCK);
	}
	return NULL;
}

static inline int faults(void)
{
	long blocks = 600;
	pthread_t id[2];

	for (int i = 0; i < 2; i++)
		if (pthread_create(&id[i], NULL, touch, &blocks))
			return 1;
	for (int i = 0; i < 2; i++)
		pthread_join(id[i], NULL);
	return 0;
}

static inline int forks(void)
{
	const uint64_t loops = loops_of(SECONDS / CHILDREN);

	for (int i = 0; i < CHILDREN; i++) {
		const pid_t pid = fork();

		if (pid == 0) {
			work(loops);
			_exit(0);
		}
		if (pid < 0 || waitpid(pid, NULL, 0) != pid)
			return 1;
	}
	return 0;
}

static const struct program {
	const char *name, *text;
	int (*run)(void);
} programs[] = {
	{"compute", "compute, 2 threads", compute},
	{"switches", "40,000 switches/s", switches},
	{"faults", "page faults", faults},
	{"threads", "1,000 threads", thousand},
	{"forks", "400 forks, in turn", forks},
};
#define PROGRAMS (sizeof programs / sizeof *programs)

/* So that a program is as long on every machine. */
static inline void set_loops(void)
{
	const uint64_t loops = 30000000;
	double least = 1e9;
	char text[32];

	for (int i = 0; i < 9; i++) {
		const double begun = clock_of(CLOCK_THREAD_CPUTIME_ID);
		double took;

		work(loops);
		took = clock_of(CLOCK_THREAD_CPUTIME_ID) - begun;
		least = took < least ? took : least;
	}
	snprintf(text, sizeof text, "%.0f", (double)loops / least);
	setenv("BENCH_LOOPS_PER_S", text, 1);
}

#endif
