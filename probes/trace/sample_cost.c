#include "trace/sample_cost.h"

#include <errno.h>
#include <math.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>

#include "base/clock.h"
#include "perf_event/counter_read.h"
#include "base/cpulist.h"
#include "base/statistics.h"
#include "perf_event/perf_event.h"
#include "trace/cpu_recorder.h"
#include "perf_event/ring_reader.h"
#include "record/sampled.h"
#include "trace/switch_windows.h"

/* Often enough that few gaps are of anything else. */
#define PERIOD_NS UINT64_C(250000)
#define STACK 8192u
#define RING (256u << 10)           /* what ordinary users may lock, twice */
#define GAPS 24                     /* samples that fit into it, taken in a round */
#define ROUND_NS UINT64_C(12000000) /* twice of what they take */
#define LEAST 8
/* CPUs measured at once, not hundreds, and ns of it: beside a busy one a sample may take longer,
 * and on one that was idle less (seen: 25 us at first, 55 us after a tenth of a second). */
#define CPUS 8
#define MEASURE_NS UINT64_C(120000000)
#define ROUNDS 64 /* more than fit into it */

/* Shorter is the loop itself, longer somebody else's time. */
#define GAP_LEAST_NS 1000
#define GAP_MOST_NS 1000000

double sd_sample_cost_gap(double *gap, size_t n)
{
	return n < LEAST ? 0 : sd_statistics_median(gap, n);
}

/* Looks at the clock all the time: when it did not. */
static size_t find_gaps(double gap[GAPS])
{
	const uint64_t start = sd_clock_ns();
	uint64_t last = start;
	size_t n = 0;

	while (n < GAPS && last - start < ROUND_NS) {
		const uint64_t now = sd_clock_ns(), length = now - last;

		if (length >= GAP_LEAST_NS && length < GAP_MOST_NS)
			gap[n++] = (double)length;
		last = now;
	}
	return n;
}

/* ns a sample; 0: too few came. */
static double measure_round(struct sd_cpu_recorder *r)
{
	struct sd_ring_reader ring = sd_ring_reader_begin(&r->ring);
	double gap[GAPS];
	size_t n;

	sd_ring_reader_end(&ring, ring.head);
	n = find_gaps(gap);
	/* a thread that went to another CPU is not sampled there */
	ring = sd_ring_reader_begin(&r->ring);
	return ring.head - ring.at < LEAST * STACK ? 0 : sd_sample_cost_gap(gap, n);
}

/* On one CPU. */
struct part {
	pthread_t thread;
	unsigned cpu;
	uint64_t until; /* all are busy until then */
	double ns;      /* a sample; 0 unknown */
	int rc;
};

/* The second half counts. */
static void *measure_cpu(void *of)
{
	struct part *const p = of;
	struct sd_recording recording;
	struct sd_cpu_recorder r;
	double ns[ROUNDS];
	size_t n = 0;

	sd_cpu_recorder_plan(&recording, 0, PERIOD_NS, STACK, "");
	p->rc = sd_cpu_recorder_open(&r, &recording, p->cpu, RING, 0);
	if (!p->rc)
		p->rc = sd_perf_event_switch(r.fd[SD_RAW_CLOCK], 1);
	while (!p->rc && n < ROUNDS && sd_clock_ns() < p->until) {
		const double one = measure_round(&r);

		if (one > 0)
			ns[n++] = one;
	}
	p->ns = n ? sd_statistics_median(ns + n / 2, n - n / 2) : 0;
	sd_cpu_recorder_close(&r);
	return NULL;
}

/* The first CPUs of this process, at most `most`; how many. */
static unsigned some_cpus(struct part *part, unsigned most)
{
	cpu_set_t *const set = CPU_ALLOC(SD_CPU_MAX);
	const size_t size = CPU_ALLOC_SIZE(SD_CPU_MAX);
	unsigned n = 0;

	if (set && sched_getaffinity(0, size, set) == 0)
		for (unsigned cpu = 0; cpu < SD_CPU_MAX && n < most; cpu++)
			if (CPU_ISSET_S(cpu, size, set))
				part[n++] = (struct part){.cpu = cpu};
	CPU_FREE(set);
	return n;
}

static int start(struct part *p, uint64_t until)
{
	cpu_set_t *const set = CPU_ALLOC(SD_CPU_MAX);
	const size_t size = CPU_ALLOC_SIZE(SD_CPU_MAX);
	pthread_attr_t attr;
	int rc;

	if (!set)
		return ENOMEM;
	CPU_ZERO_S(size, set);
	CPU_SET_S(p->cpu, size, set);
	p->until = until;
	pthread_attr_init(&attr);
	pthread_attr_setaffinity_np(&attr, size, set);
	rc = pthread_create(&p->thread, &attr, measure_cpu, p);
	pthread_attr_destroy(&attr);
	CPU_FREE(set);
	return rc;
}

struct sd_value sd_sample_cost_measure(void (*meanwhile)(void *ctx), void *ctx)
{
	struct part part[CPUS];
	const unsigned n = some_cpus(part, CPUS);
	const uint64_t until = sd_clock_ns() + MEASURE_NS;
	unsigned begun = 0, known = 0;
	double sum = 0;
	int rc = 0;

	for (; begun < n && start(&part[begun], until) == 0; begun++)
		;
	if (meanwhile)
		meanwhile(ctx);
	for (unsigned i = 0; i < begun; i++) {
		pthread_join(part[i].thread, NULL);
		rc = rc ? rc : part[i].rc;
		known += part[i].ns > 0;
		sum += part[i].ns;
	}
	if (known)
		return SD_OK(sum / known * 1e-9);
	if (rc)
		return (struct sd_value){.status = sd_counter_read_error(rc)};
	return SD_NOT(UNSUPPORTED);
}

static int is_prime(unsigned n)
{
	for (unsigned i = 2; i * i <= n; i++)
		if (n % i == 0)
			return 0;
	return n > 1;
}

double sd_sample_cost_rate(struct sd_value cost_s, double switches)
{
	const double most =
		switches > SD_SWITCH_WINDOWS_ALL_HZ ? SD_SAMPLED_MOST / 2 : SD_SAMPLED_MOST;
	unsigned hz = SD_SAMPLED_HZ;

	if (sd_has(cost_s) && cost_s.value * SD_SAMPLED_HZ > most)
		hz = (unsigned)fmax(SD_SAMPLE_COST_LEAST_HZ, most / cost_s.value);
	while (!is_prime(hz))
		hz--;
	return hz;
}
