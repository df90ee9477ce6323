#include "measure/elsewhere.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"

/* A run gives rise to the question when others used this many times what its tree did, and this
 * share of the CPUs: a tree that waits for one core's work on another machine, or sleeps, does not.
 */
#define TIMES 4
#define SHARE .1
/* The same work takes the same time, but for clock ticks and what else there is. */
#define STEADY .3
/* s of watching: ten clock ticks of 10 ms tell .1 cores; longer tells no more */
#define WATCH_LEAST .1
#define WATCH_MOST 2.

/* s of CPU time that the CPUs have been busy with processes, since the machine started; < 0
 * unknown. */
static double busy(const struct sd_cpulist *cpus, const char *root)
{
	const double tick = 1 / (double)sysconf(_SC_CLK_TCK);
	char path[300], line[512];
	uint64_t sum = 0;
	int seen = 0;
	FILE *f;

	snprintf(path, sizeof path, "%s/proc/stat", root);
	f = fopen(path, "re");
	while (f && fgets(line, sizeof line, f)) {
		/* user, nice, system, idle, iowait, irq, softirq */
		uint64_t t[7];
		unsigned cpu;

		if (sscanf(line,
			    "cpu%u %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64
			    " %" SCNu64 " %" SCNu64,
			    &cpu, &t[0], &t[1], &t[2], &t[3], &t[4], &t[5], &t[6]) != 8 ||
			!sd_cpulist_has(cpus, cpu))
			continue;
		sum += t[0] + t[1] + t[2];
		seen = 1;
	}
	if (f)
		fclose(f);
	return seen ? (double)sum * tick : -1;
}

/* Cores that are busy while nothing of ours runs; < 0 unknown. */
static double busy_without(const struct sd_cpulist *cpus, double seconds, const char *root)
{
	const double start = sd_clock_s(), before = busy(cpus, root);
	const struct timespec t = {
		.tv_sec = (time_t)seconds, .tv_nsec = (long)(fmod(seconds, 1) * 1e9)};

	nanosleep(&t, NULL); /* a signal ends it early, and the measuring as well */
	const double after = busy(cpus, root);

	return before < 0 || after < 0 ? -1 : (after - before) / (sd_clock_s() - start);
}

int sd_elsewhere_asks(const struct sd_run *run, const struct sd_cpulist *cpus)
{
	const struct sd_value *const m = run->metric;

	if (!sd_has(m[SD_METRIC_WALL]) || !sd_has(m[SD_METRIC_USER]) ||
		!sd_has(m[SD_METRIC_SYSTEM]) || !sd_has(m[SD_METRIC_FOREIGN]) ||
		!(m[SD_METRIC_WALL].value > 0) || cpus->n == 0)
		return 0;
	return m[SD_METRIC_FOREIGN].value >= SHARE * m[SD_METRIC_WALL].value &&
	       m[SD_METRIC_FOREIGN].value >=
		       TIMES * (m[SD_METRIC_USER].value + m[SD_METRIC_SYSTEM].value);
}

int sd_elsewhere_is_steady(const struct sd_run *const *run, size_t n)
{
	double least = INFINITY, most = 0;

	for (size_t i = 0; i < n; i++) {
		least = fmin(least, run[i]->metric[SD_METRIC_FOREIGN].value);
		most = fmax(most, run[i]->metric[SD_METRIC_FOREIGN].value);
	}
	return n > 0 && most - least <= STEADY * most;
}

int sd_elsewhere_is(const struct sd_run *run, const struct sd_cpulist *cpus, const char *root)
{
	const double wall = run->metric[SD_METRIC_WALL].value;
	double without;

	if (!sd_elsewhere_asks(run, cpus))
		return 0;
	without = busy_without(cpus, fmin(WATCH_MOST, fmax(WATCH_LEAST, wall)), root);
	/* most of it is there only while the run is */
	return without >= 0 && without < run->metric[SD_METRIC_FOREIGN].value / wall / 2;
}
