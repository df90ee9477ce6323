#include "bench/line_probe.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdalign.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <time.h>

#include "base/clock.h"
#include "base/statistics.h"

/*
 * One word is handed back and forth with plain loads and stores. A sample is short, so that a timer
 * tick spoils one sample and not the median; a sample slower than SAMPLE_LIMIT_NS cannot be a
 * line's travel (the slowest machines with coherent memory need about 1 us a round trip): a thread
 * was not running, and the sample is dropped.
 */
#define ROUNDS 64u
#define SAMPLES 15u
#define SAMPLES_NEEDED 7u
#define SAMPLE_LIMIT_NS (ROUNDS * 10000ull)
/*
 * Both threads sleep until the same instant, because the scheduler lets a thread that wakes up run
 * before those that are busy: on a full machine that is when the two run together. If they did not,
 * the next instant is tried.
 */
#define FIRST_NS 150000ull /* from now: time to create the threads */
#define PERIOD_NS 3000000ull
#define WINDOW_NS 2000000ull
#define ATTEMPTS 6u
#define SPINS_A_CLOCK 1024u
#define PAIRS_MAX 8u

/* Prefetchers fetch lines in pairs: 128 bytes keep what is contested away from what is not. */
struct bounce {
	alignas(128) _Atomic uint32_t turn; /* attempt and round; even: a's turn, odd: b's */
	alignas(128) _Atomic int stop;
	uint64_t first; /* instant of the first attempt */
	unsigned cpu[2];
	double sample[SAMPLES]; /* ns a round trip */
	unsigned n;
};

static void sleep_until(uint64_t ns)
{
	struct timespec t = {
		.tv_sec = (time_t)(ns / 1000000000u), .tv_nsec = (long)(ns % 1000000000u)};

	while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL) == EINTR)
		;
}

/* Until `turn` is `want`; 0 when the attempt or the probe is over. */
static int await(const struct bounce *p, uint32_t want, uint64_t end)
{
	for (;;) {
		for (unsigned i = 0; i < SPINS_A_CLOCK; i++)
			if (atomic_load_explicit(&p->turn, memory_order_acquire) == want)
				return 1;
		if (atomic_load_explicit(&p->stop, memory_order_relaxed) || sd_clock_ns() > end)
			return 0;
	}
}

static void echo(struct bounce *p, uint32_t turn, uint64_t end)
{
	for (turn++; await(p, turn, end); turn += 2)
		atomic_store_explicit(&p->turn, turn + 1, memory_order_release);
}

/* The first sample warms up: pages, clocks, the partner's wake-up. */
static void measure(struct bounce *p, uint32_t turn, uint64_t end)
{
	for (unsigned warm = 0; p->n < SAMPLES; warm = 1) {
		uint64_t start = sd_clock_ns(), took;

		for (unsigned i = 0; i < ROUNDS; i++) {
			atomic_store_explicit(&p->turn, ++turn, memory_order_release);
			if (!await(p, ++turn, end))
				return;
		}
		took = sd_clock_ns() - start;
		if (start > end)
			return;
		/* A CPU that went offline leaves its thread elsewhere. */
		if ((unsigned)sched_getcpu() != p->cpu[0])
			return;
		if (warm && took <= SAMPLE_LIMIT_NS)
			p->sample[p->n++] = (double)took / ROUNDS;
	}
	atomic_store(&p->stop, 1);
}

static void attempts(struct bounce *p, void (*side)(struct bounce *p, uint32_t turn, uint64_t end))
{
	for (uint32_t i = 0; i < ATTEMPTS && !atomic_load(&p->stop); i++) {
		uint64_t start = p->first + i * PERIOD_NS;

		sleep_until(start);
		side(p, i << 24, start + WINDOW_NS);
	}
}

static void *side_b(void *arg)
{
	attempts(arg, echo);
	return NULL;
}

static void *side_a(void *arg)
{
	struct bounce *p = arg;

	attempts(p, measure);
	atomic_store(&p->stop, 1);
	return NULL;
}

static int launch(pthread_t *thread, unsigned cpu, void *(*side)(void *), struct bounce *p)
{
	size_t size = CPU_ALLOC_SIZE(cpu + 1);
	cpu_set_t *set = CPU_ALLOC(cpu + 1);
	pthread_attr_t attr;
	int rc = ENOMEM;

	if (!set)
		return rc;
	CPU_ZERO_S(size, set);
	CPU_SET_S(cpu, size, set);
	rc = pthread_attr_init(&attr);
	if (!rc) {
		rc = pthread_attr_setaffinity_np(&attr, size, set);
		if (!rc)
			rc = pthread_create(thread, &attr, side, p);
		pthread_attr_destroy(&attr);
	}
	CPU_FREE(set);
	return rc;
}

/* The kernel would let a thread leave the mask that the user started us with; we do not. */
static int may_use(unsigned a, unsigned b)
{
	for (unsigned cpus = 1024; cpus <= SD_CPU_MAX; cpus *= 2) {
		size_t size = CPU_ALLOC_SIZE(cpus);
		cpu_set_t *set = CPU_ALLOC(cpus);
		int yes, refused;

		if (!set)
			return 0;
		CPU_ZERO_S(size, set);
		refused = sched_getaffinity(0, size, set);
		yes = !refused && CPU_ISSET_S(a, size, set) && CPU_ISSET_S(b, size, set);
		CPU_FREE(set);
		if (!refused || errno != EINVAL)
			return yes;
	}
	return 0;
}

struct sd_value sd_line_probe_transfer(unsigned a, unsigned b)
{
	struct bounce p = {.cpu = {a, b}};
	pthread_t thread[2];
	int rc;

	if (a == b)
		return SD_NOT(UNSUPPORTED);
	if (a >= SD_CPU_MAX || b >= SD_CPU_MAX || !may_use(a, b))
		return SD_NOT(DENIED);
	p.first = sd_clock_ns() + FIRST_NS;
	rc = launch(&thread[1], b, side_b, &p);
	if (!rc) {
		rc = launch(&thread[0], a, side_a, &p);
		if (rc)
			atomic_store(&p.stop, 1);
		else
			pthread_join(thread[0], NULL);
		pthread_join(thread[1], NULL);
	}
	if (rc == EINVAL || rc == EPERM)
		return SD_NOT(DENIED);
	if (rc || p.n < SAMPLES_NEEDED)
		return SD_NOT(ABSENT);
	return SD_OK(sd_statistics_median(p.sample, p.n) * 1e-9);
}

/* Pair `i` of `pairs`: the list's ends last, its neighbours, evenly spaced, before them. */
static struct sd_value transfer_of_pair(const struct sd_cpulist *cpus, size_t pairs, size_t i)
{
	size_t first = pairs > 1 ? i * (cpus->n - 1) / (pairs - 1) : 0;

	if (i + 1 == pairs && pairs > 1)
		return sd_line_probe_transfer(cpus->cpu[0], cpus->cpu[cpus->n - 1]);
	return sd_line_probe_transfer(cpus->cpu[first], cpus->cpu[first + 1]);
}

struct sd_value sd_line_probe_state(const struct sd_cpulist *cpus)
{
	size_t pairs = cpus->n < 3 ? 1 : cpus->n < PAIRS_MAX ? cpus->n : PAIRS_MAX;
	double seen[PAIRS_MAX];
	unsigned n = 0;

	if (cpus->n < 2)
		return SD_NOT(UNSUPPORTED);
	for (size_t i = 0; i < pairs; i++) {
		struct sd_value v = transfer_of_pair(cpus, pairs, i);

		/* The median of other pairs than last time would look like a change of state. */
		if (v.status == SD_STATUS_ABSENT)
			v = transfer_of_pair(cpus, pairs, i);
		if (!sd_has(v))
			return v;
		seen[n++] = v.value;
	}
	return SD_OK(sd_statistics_median(seen, n));
}
