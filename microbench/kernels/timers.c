/*
 * Kernel of clocks: the cost of asking for the time, and a clock's smallest visible step. A slow
 * clock source (hpet, acpi_pm) makes every traced or timed program slow, and a VM may have one.
 */
#include <stdio.h>
#include <string.h>
#include <sys/time.h>
#include <time.h>

#include "harness/core_sets.h"
#include "kernels/kernels.h"
#include "harness/kernel_steps.h"
#include "base/clock.h"

#define CALLS 2000u
#define SAMPLES 15u
#define SAMPLES_QUICK 5u
/* Enough to see a tick of a coarse clock (1 to 10 ms) a few times. */
#define STEPS 5u
#define STEP_LIMIT_S 0.05
#define CLOCKSOURCE "/sys/devices/system/clocksource/clocksource0/current_clocksource"

#if defined(__x86_64__) || defined(__i386__)
#define COUNTER "rdtsc"
static inline uint64_t counter(void)
{
	return __builtin_ia32_rdtsc();
}
#elif defined(__aarch64__)
#define COUNTER "cntvct"
static inline uint64_t counter(void)
{
	uint64_t v;

	__asm__ volatile("mrs %0, cntvct_el0" : "=r"(v));
	return v;
}
#endif

struct timer {
	const char *name;
	const char *clock;
	uint64_t (*read)(clockid_t id); /* ns; of a counter: ticks */
	clockid_t id;
	int ticks;
};

static uint64_t read_clock(clockid_t id)
{
	struct timespec t;

	clock_gettime(id, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static uint64_t read_day(clockid_t id)
{
	struct timeval t;

	(void)id;
	gettimeofday(&t, NULL);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_usec * 1000u;
}

#ifdef COUNTER
static uint64_t read_counter(clockid_t id)
{
	(void)id;
	return counter();
}
#endif

static const struct timer timers[] = {
	{"clock_gettime", "monotonic", read_clock, CLOCK_MONOTONIC, 0},
	{"clock_gettime", "realtime", read_clock, CLOCK_REALTIME, 0},
	{"clock_gettime", "monotonic-raw", read_clock, CLOCK_MONOTONIC_RAW, 0},
	{"clock_gettime", "monotonic-coarse", read_clock, CLOCK_MONOTONIC_COARSE, 0},
	{"clock_gettime", "realtime-coarse", read_clock, CLOCK_REALTIME_COARSE, 0},
	{"gettimeofday", "realtime", read_day, CLOCK_REALTIME, 0},
#ifdef COUNTER
	{COUNTER, "counter", read_counter, CLOCK_MONOTONIC, 1},
#endif
};

enum value { COST, RESOLUTION, RATE, VALUE_COUNT };

struct timing {
	struct sd_team team;
	const struct timer *timer;
	double value[VALUE_COUNT]; /* s, s, ticks a second */
};

/* Rate of a counter, 1/s, against the clock that nobody slews. */
static double rate(const struct timer *t)
{
	uint64_t ns = read_clock(CLOCK_MONOTONIC_RAW), ticks = t->read(t->id), now;

	while ((now = read_clock(CLOCK_MONOTONIC_RAW)) - ns < 2000000u)
		;
	return (double)(t->read(t->id) - ticks) / ((double)(now - ns) * 1e-9);
}

/* The smallest step forward between two readings; 0 when the clock stood still all the time. */
static uint64_t smallest_step(const struct timer *t)
{
	const double end = sd_clock_s() + STEP_LIMIT_S;
	uint64_t least = 0, last = t->read(t->id);
	unsigned seen = 0;

	for (unsigned i = 0; seen < STEPS || i < CALLS; i++) {
		uint64_t now = t->read(t->id);

		if (now > last) {
			least = least == 0 || now - last < least ? now - last : least;
			seen++;
		}
		last = now;
		if (i % 256 == 255 && sd_clock_s() > end)
			break;
	}
	return least;
}

static int time_it(struct sd_member *m, void *arg)
{
	struct timing *x = arg;
	const struct timer *t = x->timer;
	uint64_t sink = 0;
	double start, hz = t->ticks ? rate(t) : 1e9;

	(void)m;
	start = sd_clock_s();
	for (unsigned i = 0; i < CALLS; i++)
		sink += t->read(t->id);
	x->value[COST] = (sd_clock_s() - start) / CALLS;
	__asm__ volatile("" ::"r"(sink));
	x->value[RESOLUTION] = (double)smallest_step(t) / hz;
	x->value[RATE] = hz;
	return 0;
}

static int measure(void *ctx, struct sd_sample *s)
{
	struct timing *x = ctx;
	struct sd_team_job job = {time_it, x};
	int rc = sd_team_run(&x->team, job, 0, NULL);

	if (rc)
		return rc;
	s->value[COST] = x->value[COST] * 1e9;
	if (x->value[RESOLUTION] > 0)
		s->value[RESOLUTION] = x->value[RESOLUTION] * 1e9;
	s->value[RATE] = x->value[RATE];
	s->delay = sd_team_delay(&x->team);
	s->width = sd_team_width(&x->team);
	return 0;
}

/* The kernel's word, such as "tsc" or "kvm-clock". */
static void clock_source(char *name, size_t size)
{
	FILE *f = fopen(CLOCKSOURCE, "re");

	snprintf(name, size, "unknown");
	if (!f)
		return;
	if (!fgets(name, (int)size, f))
		snprintf(name, size, "unknown");
	name[strcspn(name, " \n")] = '\0';
	fclose(f);
}

static int run_timer(struct sd_kernel_steps *steps, struct timing *x, const struct sd_cpulist *cpus,
	const char *source, int failed, struct sd_bench_rows *rows)
{
	const struct timer *t = x->timer;
	size_t values = t->ticks ? VALUE_COUNT : RATE;
	struct sd_bench_row like[VALUE_COUNT];
	char what[80];

	snprintf(what, sizeof(what), "timer=%s clock=%s source=%s", t->name, t->clock,
		t->ticks ? t->name : source);
	like[COST] = sd_kernel_steps_row(steps, cpus, "ns", "%s quantity=cost", what);
	like[RESOLUTION] = sd_kernel_steps_row(steps, cpus, "ns", "%s quantity=resolution", what);
	like[RATE] = sd_kernel_steps_row(steps, cpus, "1/s", "%s quantity=rate", what);
	if (failed)
		return sd_kernel_steps_failed(steps, failed, like, values, rows);
	return sd_kernel_steps_take(
		steps, steps->env->quick ? SAMPLES_QUICK : SAMPLES, measure, x, like, values, rows);
}

static int run(const struct sd_kernel_env *env, struct sd_bench_rows *rows)
{
	struct sd_kernel_steps steps = {.env = env,
		.kernel = sd_kernel_timers.name,
		.total = sizeof(timers) / sizeof(*timers)};
	struct timing x = {.timer = timers};
	struct sd_cpulist cpus = {0};
	char source[24];
	int failed, rc = sd_core_sets_place(env->topology, SD_CORE_SETS_COMPACT, 1, &cpus);

	if (rc)
		return rc;
	clock_source(source, sizeof(source));
	failed = sd_team_start(&x.team, SD_TEAM_THREADS, &cpus, 0);
	for (size_t i = 0; i < steps.total && !rc; i++) {
		x.timer = &timers[i];
		rc = run_timer(&steps, &x, &cpus, source, failed, rows);
	}
	sd_team_end(&x.team);
	sd_cpulist_free(&cpus);
	return rc;
}

const struct sd_kernel sd_kernel_timers = {
	.name = "timers",
	.summary = "cost and resolution of the clocks, and the kernel's clock source",
	.weight = 0.5,
	.run = run,
};
