#include "measure/elsewhere.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"

/* A run is suspicious if others used this many times what its tree did, and this many cores. A tree
 * that waits for another machine, or sleeps, is not. */
#define TIMES 4
#define SHARE .1
/* s of watching: ten clock ticks of 10 ms resolve .1 cores; longer adds nothing */
#define WATCH_LEAST .1
#define WATCH_MOST 2.
#define WATCH_STEP .05 /* between looks at the stop flag */

/* CPU time, s, of processes on these CPUs since boot; < 0 unknown. */
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

double sd_elsewhere_watch(const struct sd_cpulist *cpus, double seconds,
	const volatile sig_atomic_t *stop, const char *root)
{
	const double start = sd_clock_s(), before = busy(cpus, root);
	const double end = start + fmin(WATCH_MOST, fmax(WATCH_LEAST, seconds));
	double now = start, after;

	while (now < end && !(stop && *stop)) {
		const double step = fmin(WATCH_STEP, end - now);

		nanosleep(&(struct timespec){.tv_nsec = (long)(step * 1e9)}, NULL);
		now = sd_clock_s();
	}
	after = busy(cpus, root);
	return now < end || before < 0 || after < before ? -1 : (after - before) / (now - start);
}

/* Did its threads mostly wait for something that no daemon does? Unknown counts as no. */
static int waits_for_itself(const struct sd_run *run)
{
	double all = 0, itself = 0;

	for (int i = 0; i < SD_IDLE_COUNT; i++) {
		const struct sd_value v = run->idle[i];

		all += sd_has(v) ? v.value : 0;
		if (i == SD_IDLE_SLEEP || i == SD_IDLE_DISK)
			itself += sd_has(v) ? v.value : 0;
	}
	return itself > all / 2;
}

static double own_time(const struct sd_run *run)
{
	return run->metric[SD_METRIC_USER].value + run->metric[SD_METRIC_SYSTEM].value;
}

static int is_much(double others, double own, double wall)
{
	return others >= SHARE * wall && others >= TIMES * own;
}

int sd_elsewhere_asks(const struct sd_run *run, const struct sd_cpulist *cpus)
{
	const struct sd_value *const m = run->metric;

	if (!sd_has(m[SD_METRIC_WALL]) || !sd_has(m[SD_METRIC_USER]) ||
		!sd_has(m[SD_METRIC_SYSTEM]) || !sd_has(m[SD_METRIC_FOREIGN]) ||
		!(m[SD_METRIC_WALL].value > 0) || cpus->n == 0)
		return 0;
	return is_much(m[SD_METRIC_FOREIGN].value, own_time(run), m[SD_METRIC_WALL].value) &&
	       !waits_for_itself(run);
}

void sd_elsewhere_add(struct sd_elsewhere *e, const struct sd_run *run,
	const struct sd_cpulist *cpus, double busy_after)
{
	const struct sd_value *const m = run->metric;
	double more;

	if (!sd_elsewhere_asks(run, cpus)) {
		e->neighbour = 1;
		return;
	}
	if (busy_after < 0)
		return;
	more = m[SD_METRIC_FOREIGN].value - busy_after * m[SD_METRIC_WALL].value;
	if (more <= 0)
		e->neighbour = 1;
	e->pauses++;
	e->wall += m[SD_METRIC_WALL].value;
	e->own += own_time(run);
	e->others += m[SD_METRIC_FOREIGN].value;
	e->more += more;
}

/* Is it so in all that was seen? */
static int looks_so(const struct sd_elsewhere *e)
{
	return !e->neighbour && e->pauses > 0 && is_much(e->more, e->own, e->wall);
}

int sd_elsewhere_is(const struct sd_elsewhere *e)
{
	return looks_so(e) && e->pauses >= SD_ELSEWHERE_PAUSES;
}

int sd_elsewhere_maybe(const struct sd_elsewhere *e)
{
	return looks_so(e) && e->pauses < SD_ELSEWHERE_PAUSES;
}
