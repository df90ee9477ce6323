/*
 * CPU time that others took from this process while a test measured: other processes, and the host.
 * A relation that holds on CPUs of one's own need not hold then; a test that sees it broken skips
 * with this as its reason, and fails where nobody took anything. Include after cmocka.h.
 */
#ifndef SD_TESTS_OTHERS_H
#define SD_TESTS_OTHERS_H

#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

/* Twice what a run is left out of an analysis for (record/disturbed_runs.h). */
#define OTHERS_MOST .05

struct others {
	double wall, busy, mine;  /* s, since some moment in the past */
	double steal, interrupts; /* s, of all CPUs */
	unsigned cpus;            /* those of this process */
};

static inline double others_seconds(struct timeval t)
{
	return (double)t.tv_sec + 1e-6 * (double)t.tv_usec;
}

/* Now. A child counts as one's own once it was waited for, here or by a child of ours. */
static inline struct others others_now(void)
{
	struct others o = {.cpus = 0};
	struct rusage self, children;
	struct timespec t;
	char line[512];
	FILE *const f = fopen("/proc/stat", "re");
	const double tick = 1.0 / (double)sysconf(_SC_CLK_TCK);
	cpu_set_t set;

	CPU_ZERO(&set);
	sched_getaffinity(0, sizeof set, &set);
	while (f && fgets(line, sizeof line, f)) {
		unsigned long long user, nice, system, irq, softirq, steal;
		unsigned cpu;

		if (sscanf(line, "cpu%u %llu %llu %llu %*u %*u %llu %llu %llu", &cpu, &user, &nice,
			    &system, &irq, &softirq, &steal) != 7 ||
			strncmp(line, "cpu ", 4) == 0)
			continue;
		o.steal += tick * (double)steal;
		o.interrupts += tick * (double)(irq + softirq);
		if (cpu >= CPU_SETSIZE || !CPU_ISSET(cpu, &set))
			continue;
		o.cpus++;
		o.busy += tick * (double)(user + nice + system + irq + softirq + steal);
	}
	if (f)
		fclose(f);
	getrusage(RUSAGE_SELF, &self);
	getrusage(RUSAGE_CHILDREN, &children);
	o.mine = others_seconds(self.ru_utime) + others_seconds(self.ru_stime) +
		 others_seconds(children.ru_utime) + others_seconds(children.ru_stime);
	clock_gettime(CLOCK_MONOTONIC, &t);
	o.wall = (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
	return o;
}

/* The share of the CPUs that others had since then; 0 where the kernel does not say. */
static inline double others_share(const struct others *since)
{
	const struct others now = others_now();
	const double all = (now.wall - since->wall) * now.cpus;
	/* two ticks: as coarse as it is */
	const double others = (now.busy - since->busy) - (now.mine - since->mine) -
			      2.0 / (double)sysconf(_SC_CLK_TCK);

	return all > 0 && others > 0 ? others / all : 0;
}

/* For what counts each tick that the host took: it took one since then, and there is another try,
 * of a few. */
static inline int others_stole(struct others *since, int *tries)
{
	const struct others now = others_now();
	const int stole = now.steal > since->steal;

	*since = now;
	return stole && ++*tries < 20;
}

#ifdef CMOCKA_H_ /* a benchmark has no test to skip */
/* For a relation that did not hold: skips when others took the CPUs since then. */
static inline void others_skip(const struct others *since, const char *test)
{
	const double share = others_share(since);

	if (share <= OTHERS_MOST)
		return;
	fprintf(stderr, "SKIP: %s: others took %.0f %% of the CPUs\n", test, 100 * share);
	skip();
}
#endif

#endif
