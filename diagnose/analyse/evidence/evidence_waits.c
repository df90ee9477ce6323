/*
 * Evidence for and against waiting for peers: load imbalance, barriers, and threads that are
 * started to do next to nothing.
 */
#include "evidence/evidence_os.h"

#include <math.h>

#include "metrics/os_metrics.h"
#include "case/cause_weights.h"
#include "evidence/rates.h"
#include "runs/sampled_uses.h"

/* Core-seconds lost if every thread waits for the one with most CPU time; < 0 unknown. */
static double uneven_run(const struct sd_run *run, unsigned n, double *ratio)
{
	double most = 0, sum = 0;
	size_t seen = 0;

	for (size_t i = 0; i < run->n_thread; i++) {
		if (!sd_run_parts_usable(run->thread[i].cpu))
			continue;
		most = fmax(most, run->thread[i].cpu.value);
		sum += run->thread[i].cpu.value;
		seen++;
	}
	if (seen < 2 || sum <= 0)
		return -1;
	*ratio = most * fmin(n, (double)seen) / sum;
	return fmax(0, n * most - sum);
}

void sd_evidence_imbalance(struct sd_case *c, struct sd_finding *f)
{
	const struct sd_run *run = c->last->run[c->last->n_run / 2];
	double ratio;

	if (uneven_run(run, c->last->n, &ratio) >= 0)
		sd_case_say(c, f,
			"the busiest thread used %.2f times the mean CPU time (run of median time "
			"at %u cores, %zu threads)",
			ratio, c->last->cores, run->n_thread_seen);
}

double sd_evidence_uneven(const struct sd_case *c)
{
	const struct sd_run *const run = c->last->run[c->last->n_run / 2];
	const double wall = run->metric[SD_METRIC_WALL].value;
	double ratio, lost = uneven_run(run, c->last->n, &ratio);

	/* Threads that spin at a barrier use as much CPU time as those they wait for. */
	if (sd_run_parts_spun(&c->last->mean, SD_PART_SPIN_IMBALANCE) +
			c->last->mean.part[SD_PART_SPIN] >
		c->last->mean.part[SD_PART_IMBALANCE] / 2)
		return -1;
	/* Threads that come and go are not peers. */
	if (lost < 0 || run->n_thread_seen > 2 * (size_t)c->last->cores || !(wall > 0))
		return -1;
	return lost / wall;
}

void sd_evidence_imbalance_against(struct sd_case *c, struct sd_finding *f)
{
	const double uneven = sd_evidence_uneven(c);
	const double waits = c->last->mean.part[SD_PART_IMBALANCE] * c->last->n;

	if (uneven >= 0 && uneven < waits / 2)
		sd_case_say(c, f,
			"uneven CPU times of threads explain only %.2f of %.2f cores that wait: "
			"the "
			"slow thread changes, or threads wait for each other in turn",
			uneven, waits);
}

/* s; a wake-up takes 5 to 100 us. */
#define WAKE_UP_MOST 1e-4

/* How threads wait for each other. Locks, disks and timers are other causes' waits. */
static int is_for_peers(enum sd_activity a)
{
	return a == SD_ACTIVITY_BARRIER || a == SD_ACTIVITY_POOL || a == SD_ACTIVITY_CONDITION ||
	       a == SD_ACTIVITY_SEMAPHORE || a == SD_ACTIVITY_FUTEX || a == SD_ACTIVITY_PIPE;
}

static int is_for_cpu(enum sd_activity a)
{
	return a == SD_ACTIVITY_RUNNABLE;
}

static int is_join(enum sd_activity a)
{
	return a == SD_ACTIVITY_JOIN;
}

/* Such waits of all runs of the last point, and their seconds. */
static double waits_of(const struct sd_case *c, int (*is)(enum sd_activity), double *seconds)
{
	struct sd_sampled_uses uses = {.p = c->last};
	double n = 0;

	*seconds = 0;
	for (const struct sd_use *u; (u = sd_sampled_uses_next(&uses));) {
		if (!is(u->activity) || !sd_run_parts_usable(SD_OK(u->seconds)) ||
			!sd_run_parts_usable(SD_OK(u->count)))
			continue;
		n += u->count;
		*seconds += u->seconds;
	}
	return n;
}

/* Mean seconds of such a wait at the last point; 0 unknown: only samples tell what each switch of a
 * thread was for. */
static double mean_of(const struct sd_case *c, int (*is)(enum sd_activity))
{
	double seconds, waits = waits_of(c, is, &seconds);

	return waits > 0 ? seconds / waits : 0;
}

static double mean_wait(const struct sd_case *c)
{
	return mean_of(c, is_for_peers);
}

/*
 * Waits at barriers are the barrier's own cost when they are as short as a wake-up (5 to 100 us);
 * a mean of 1 ms and more is work that was given out unevenly.
 */
static unsigned long short_waits(const struct sd_case *c)
{
	struct sd_value switches = sd_os_metrics_rate(c->last, SD_METRIC_VOLUNTARY_SWITCHES);
	double waits = c->last->mean.part[SD_PART_IMBALANCE] * c->last->n;
	double wait = mean_wait(c);

	if (wait <= 0 && sd_has(switches) && switches.value > 0) /* all switches: at least this */
		wait = waits / switches.value;
	return wait > 0 && wait < 1e-3 ? SD_BIT(IMBALANCE) : 0;
}

unsigned long sd_evidence_barriers_more(const struct sd_case *c)
{
	/* without samples in the kernel nobody knows what its time was for */
	return short_waits(c) | (c->loss->components & SD_BIT(THREADS) ? 0 : SD_BIT(SYSTEM));
}

unsigned long sd_evidence_wakeups(const struct sd_case *c)
{
	const struct sd_run *run = c->last->run[c->last->n_run / 2];
	const double wait = mean_wait(c), all = c->last->mean.part[SD_PART_IMBALANCE] * c->last->n *
						run->metric[SD_METRIC_WALL].value;
	double ratio, lost = uneven_run(run, c->last->n, &ratio);

	return wait > 0 && wait < WAKE_UP_MOST && lost >= 0 && lost < all / 2 ? SD_BIT(IMBALANCE)
									      : 0;
}

/* Joins that waited, a run: samples alone tell them; 0 unknown. */
static double joins(const struct sd_case *c, double *seconds)
{
	const double n = waits_of(c, is_join, seconds), runs = (double)c->last->n_run;

	*seconds /= runs;
	return n / runs;
}

/* Did the program have so little CPU time for each such join that neither thread of it ran for
 * longer than a wake-up, however long others kept them from their CPUs? */
static int is_brief_work(const struct sd_case *c, double n)
{
	const struct sd_value user = sd_os_metrics_median(c->last, SD_METRIC_USER),
			      system = sd_os_metrics_median(c->last, SD_METRIC_SYSTEM);

	return sd_has(user) && sd_has(system) && user.value + system.value <= 2 * WAKE_UP_MOST * n;
}

unsigned long sd_evidence_brief_threads(const struct sd_case *c)
{
	static const struct {
		enum sd_part part;
		unsigned long component;
	} row[] = {
		{SD_PART_IMBALANCE, SD_BIT(IMBALANCE)},
		{SD_PART_SERIAL, SD_BIT(SERIAL)},
		{SD_PART_RUN_QUEUE, SD_BIT(RUN_QUEUE)},
	};
	const double capacity = c->last->n * c->last->mean.time;
	double seconds, n = joins(c, &seconds);
	const int brief = is_brief_work(c, n);
	unsigned long set = 0;

	/* long joins, or too few to matter */
	if (!(n > 0) || (seconds / n > WAKE_UP_MOST && !brief) ||
		n * WAKE_UP_MOST < SD_CASE_GATE * capacity)
		return 0;
	for (size_t i = 0; i < sizeof row / sizeof *row; i++)
		if (brief || c->last->mean.part[row[i].part] * capacity / n < WAKE_UP_MOST)
			set |= row[i].component;
	return set & c->loss->components;
}

/* Waits for a CPU that are no longer than a wake-up takes are a part of it, where threads are woken
 * and made that much, at one core as well: whoever has a slice of the CPU keeps it for
 * milliseconds. */
static unsigned long brief_queue(const struct sd_case *c)
{
	const double wait = mean_of(c, is_for_cpu);

	return wait > 0 && wait < WAKE_UP_MOST && c->loss->components & SD_BIT(THREADS) &&
			       c->loss->stack[SD_COMPONENT_THREADS] >= SD_CASE_GATE / 2 * c->loss->n
		       ? SD_BIT(RUN_QUEUE) & c->loss->components
		       : 0;
}

unsigned long sd_evidence_barriers_own(const struct sd_case *c)
{
	const unsigned long brief = sd_evidence_wakeups(c) | sd_evidence_brief_threads(c),
			    set = brief | brief_queue(c) | (c->loss->components & SD_BIT(THREADS));

	return brief || sd_cause_weights_added(c, set).low >= SD_CASE_GATE ? set : 0;
}

void sd_evidence_barrier(struct sd_case *c, struct sd_finding *f)
{
	if (sd_evidence_wakeups(c))
		sd_case_say(c, f, "such a wait takes %.2g us on average, and so does a wake-up",
			1e6 * mean_wait(c));
	if (sd_evidence_brief_threads(c)) {
		double seconds;
		const double n = joins(c, &seconds);

		sd_case_say(c, f,
			"threads were waited for %.3g times a run until they ended, for %.2g us on "
			"average: no longer than starting one takes",
			n, 1e6 * seconds / n);
	}
	sd_rates_say(c, f, SD_METRIC_VOLUNTARY_SWITCHES, "context switches of threads that waited");
}

int sd_evidence_imbalance_excluded(struct sd_case *c, struct sd_finding *f)
{
	if (sd_evidence_brief_threads(c) & SD_BIT(IMBALANCE)) {
		sd_case_say(c, f,
			"threads are started and ended all the time, and wait for each other for no longer than that takes: see %s",
			sd_cause_info[SD_CAUSE_BARRIER_OVERHEAD].label);
		return 1;
	}
	if (!(sd_evidence_wakeups(c) & c->loss->components))
		return 0;
	sd_case_say(c, f,
		"threads wait for each other for %.2g us at a time, no longer than a wake-up "
		"takes, and their CPU times hardly differ: see %s",
		1e6 * mean_wait(c), sd_cause_info[SD_CAUSE_BARRIER_OVERHEAD].label);
	return 1;
}
