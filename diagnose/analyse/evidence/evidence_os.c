#include "evidence/evidence_os.h"

#include <math.h>
#include <stdlib.h>

#include "metrics/os_metrics.h"
#include "accounting/parts_by_stack.h"
#include "evidence/cause_places.h"
#include "evidence/rates.h"
#include "evidence/stack_shares.h"

static unsigned last_cores(const struct sd_case *c)
{
	return c->last->cores;
}

double sd_evidence_alone(const struct sd_chosen *p)
{
	double sum = 0;
	size_t n = 0;

	for (size_t j = 0; j < p->n_run; j++) {
		const struct sd_run *r = p->run[j];

		if (r->n_concurrency == 0)
			continue;
		n++;
		for (size_t k = 0; k < r->n_concurrency && k < 2; k++)
			sum += isfinite(r->concurrency[k]) ? r->concurrency[k] : 0;
	}
	return n ? sum / (double)n : -1;
}

/* Mean share of the time in which exactly one thread did useful work; < 0 unknown. */
static double useful_alone(const struct sd_chosen *p)
{
	double sum = 0;
	size_t n = 0;

	for (size_t j = 0; j < p->n_run; j++) {
		const struct sd_value v = p->run[j]->sampled.useful_alone;

		if (!sd_parts_by_stack_sampled(p->run[j]) || !sd_run_parts_usable(v))
			continue;
		sum += v.value / p->run[j]->metric[SD_METRIC_WALL].value;
		n++;
	}
	return n ? sum / (double)n : -1;
}

void sd_evidence_serial(struct sd_case *c, struct sd_finding *f)
{
	const struct sd_point *p = &c->a->point[c->a->n_point - 1];
	const double s = sd_evidence_alone(c->last), useful = useful_alone(c->last);
	const struct sd_value wall = sd_os_metrics_median(c->last, SD_METRIC_WALL);

	sd_rates_spun(c, f, SD_PART_SPIN_SERIAL,
		"while exactly one thread did useful work (spent spinning)");
	/* to the kernel, those that spin run as well */
	if (sd_rates_cores_spun(c, SD_PART_SPIN_SERIAL) > 0 && useful >= 0)
		sd_case_say(c, f, "only one thread is active for %.0f %% of the run",
			100 * fmin(1, useful));
	else if (s >= 0 && sd_has(wall) && wall.value > 0)
		sd_case_say(c, f, "at most one thread is active for %.0f %% of the run at %u cores",
			fmin(100, 100 * s / wall.value), last_cores(c));
	/* slower than one core: no part of the work is more than all of it */
	if (p->karp_flatt.status == SD_STATUS_OK && p->karp_flatt.value <= 1 &&
		!isfinite(p->karp_flatt.high - p->karp_flatt.low))
		sd_case_say(c, f, "Karp-Flatt serial fraction: %.3f (upper bound; of one run)",
			p->karp_flatt.value);
	else if (p->karp_flatt.status == SD_STATUS_OK && p->karp_flatt.value <= 1)
		sd_case_say(c, f,
			"Karp-Flatt serial fraction: %.3f (upper bound; 95 %%: %.3f to %.3f)",
			p->karp_flatt.value, p->karp_flatt.low, p->karp_flatt.high);
}

int sd_evidence_serial_excluded(struct sd_case *c, struct sd_finding *f)
{
	if (!(sd_evidence_brief_threads(c) & SD_BIT(SERIAL)))
		return 0;
	sd_case_say(c, f,
		"threads are started and ended all the time, and one runs alone for no longer than "
		"that takes: see %s",
		sd_cause_info[SD_CAUSE_BARRIER_OVERHEAD].label);
	return 1;
}

void sd_evidence_lock(struct sd_case *c, struct sd_finding *f)
{
	const double s = sd_evidence_alone(c->last);
	struct sd_value wall = sd_os_metrics_median(c->last, SD_METRIC_WALL);

	sd_rates_say(c, f, SD_METRIC_VOLUNTARY_SWITCHES, "context switches of threads that waited");
	/* a semaphore, or the turns of tasks that depend on each other, may be all there is */
	if (s >= 0 && sd_has(wall) && s > .5 * wall.value)
		sd_case_say(c, f,
			"at most one thread ran during %.0f %% of the time at %u cores: "
			"threads that take turns, by a semaphore or a condition variable, count as waiting for a lock",
			fmin(100, 100 * s / wall.value), last_cores(c));
	sd_evidence_kernel_locks(c, f, 1);
}

void sd_evidence_disk(struct sd_case *c, struct sd_finding *f)
{
	sd_rates_say(c, f, SD_METRIC_BLOCK_READ, "bytes read from block devices");
	sd_rates_say(c, f, SD_METRIC_BLOCK_WRITTEN, "bytes written to block devices");
	sd_rates_say(c, f, SD_METRIC_MAJOR_FAULTS, "page faults with I/O");
}

int sd_evidence_disk_falsified(struct sd_case *c, struct sd_finding *f)
{
	static const enum sd_metric traffic[] = {
		SD_METRIC_BLOCK_READ, SD_METRIC_BLOCK_WRITTEN, SD_METRIC_MAJOR_FAULTS};

	for (size_t i = 0; i < sizeof traffic / sizeof *traffic; i++) {
		struct sd_value v = sd_os_metrics_median(c->last, traffic[i]);

		if (!sd_has(v) || v.value > 0)
			return 0;
	}
	sd_case_say(c, f, "against it: no bytes to or from a block device, no major fault");
	return 1;
}

/* Page faults per second of system time, below which that went elsewhere: a fault of a huge page,
 * the dearest, takes a few tenths of a millisecond. */
#define FAULTS_LEAST 1e3

/* Page faults per second of system time; < 0 unknown. */
static double faults_per_second(const struct sd_chosen *p)
{
	struct sd_value faults = sd_os_metrics_median(p, SD_METRIC_MINOR_FAULTS);
	struct sd_value system = sd_os_metrics_median(p, SD_METRIC_SYSTEM);

	return sd_has(faults) && sd_has(system) && system.value > 0 ? faults.value / system.value
								    : -1;
}

void sd_evidence_kernel(struct sd_case *c, struct sd_finding *f)
{
	struct sd_value a = sd_os_metrics_median(c->ref, SD_METRIC_SYSTEM);
	struct sd_value b = sd_os_metrics_median(c->last, SD_METRIC_SYSTEM);
	double before = faults_per_second(c->ref), after = faults_per_second(c->last);

	if (sd_has(a) && sd_has(b))
		sd_case_say(c, f, "system time: %.3f s at %u core%s, %.3f s at %u", a.value,
			c->ref->cores, c->ref->cores == 1 ? "" : "s", b.value, last_cores(c));
	sd_rates_say(c, f, SD_METRIC_MINOR_FAULTS, "page faults");
	if (before > FAULTS_LEAST && after > FAULTS_LEAST)
		sd_case_say(c, f, "system time per page fault: %.2f us at %u core%s, %.2f us at %u",
			1e6 / before, c->ref->cores, c->ref->cores == 1 ? "" : "s", 1e6 / after,
			last_cores(c));
	sd_rates_say(c, f, SD_METRIC_VOLUNTARY_SWITCHES, "context switches of threads that waited");
	sd_evidence_kernel_locks(c, f, 0);
}

/* Are the samples in the kernel of kinds that have no remedy of their own (configs/advice), as
 * those of its memory management have? < 0: there are none. */
static int kernel_elsewhere(struct sd_case *c, struct sd_finding *f)
{
	double share[SD_ACTIVITY_COUNT], memory, known = 0, rest;

	if (!(sd_cause_places_mix(c->last, SD_GROUP_KERNEL, share) > 0))
		return -1;
	memory = share[SD_ACTIVITY_KERNEL_FAULT] + share[SD_ACTIVITY_KERNEL_ZEROING] +
		 share[SD_ACTIVITY_KERNEL_MMAP_LOCK];
	for (int k = 0; k < SD_ACTIVITY_COUNT; k++)
		known += sd_stack_shares_is_remedied((enum sd_activity)k) ? share[k] : 0;
	rest = 1;
	if (c->loss->components & SD_BIT(THREADS)) /* these are in components of their own */
		for (int k = 0; k < SD_ACTIVITY_COUNT; k++)
			rest -= sd_part_info[sd_activity_info[k].part].of == SD_PART_OF_SYSTEM
					? share[k]
					: 0;
	if (known >= .5 * rest)
		return 0;
	sd_case_say(c, f,
		"against memory: only %.0f %% of these samples in the kernel are page faults, "
		"zeroing of pages, and the address space's lock",
		100 * memory / rest);
	return 1;
}

int sd_evidence_kernel_falsified(struct sd_case *c, struct sd_finding *f)
{
	double after = faults_per_second(c->last);
	int elsewhere = kernel_elsewhere(c, f);

	if (elsewhere >= 0)
		return elsewhere;

	/* A page fault takes 0.1 to some 100 us, even contended; 1 ms is none. */
	if (after < 0 || after >= 1000)
		return 0;
	sd_case_say(c, f,
		"against memory: only %.3g page faults per second of system time; other system "
		"calls use it",
		after);
	return 1;
}

void sd_evidence_quota(struct sd_case *c, struct sd_finding *f)
{
	struct sd_value all = sd_os_metrics_median(c->last, SD_METRIC_PERIODS);
	struct sd_value hit = sd_os_metrics_median(c->last, SD_METRIC_THROTTLED_PERIODS);

	if (sd_has(c->record->host.quota))
		sd_case_say(c, f, "the quota is %.2f CPUs", c->record->host.quota.value);
	if (sd_has(all) && sd_has(hit) && all.value > 0)
		sd_case_say(c, f, "throttled in %.0f of %.0f periods a run at %u cores", hit.value,
			all.value, last_cores(c));
}

int sd_evidence_quota_excluded(struct sd_case *c, struct sd_finding *f)
{
	struct sd_value v = sd_os_metrics_median(c->last, SD_METRIC_THROTTLED);

	if (sd_has(v) || c->record->host.granted == 0 ||
		c->record->host.quota.status != SD_STATUS_ABSENT)
		return 0;
	sd_case_say(c, f, "no CPU quota is set");
	return 1;
}

void sd_evidence_noise(struct sd_case *c, struct sd_finding *f)
{
	static const struct {
		enum sd_metric metric;
		const char *what;
	} row[] = {
		{SD_METRIC_STEAL, "stolen by the hypervisor"},
		{SD_METRIC_FOREIGN, "CPU time of other processes on these CPUs"},
		{SD_METRIC_RUN_DELAY, "threads ready but without a CPU"},
	};

	for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
		struct sd_value v = sd_os_metrics_median(c->last, row[i].metric);

		if (sd_has(v))
			sd_case_say(c, f, "%s: %.3f s a run at %u cores", row[i].what, v.value,
				last_cores(c));
	}
}

int sd_evidence_numa_excluded(struct sd_case *c, struct sd_finding *f)
{
	if (c->record->host.numa != 1)
		return 0;
	sd_case_say(c, f, "all CPUs are on one NUMA node");
	return 1;
}

int sd_evidence_smt_excluded(struct sd_case *c, struct sd_finding *f)
{
	const struct sd_host *h = &c->record->host;

	if (h->cores == 0 || h->allowed == 0)
		return 0;
	if (h->cores == h->allowed) {
		sd_case_say(c, f, "every CPU is a core of its own");
		return 1;
	}
	/* compact and spread use siblings only after every core has a thread. */
	if (c->record->program.placement == SD_PLACEMENT_SMT || c->last->n > h->cores)
		return 0;
	sd_case_say(c, f, "%u CPUs were used, each on a core of its own", c->last->n);
	return 1;
}
