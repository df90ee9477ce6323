#include "trace/cpu_recorder.h"

#include <errno.h>
#include <sched.h>
#include <string.h>

#include "base/clock.h"
#include "base/cpulist.h"
#include "perf_event/perf_event.h"
#include "perf_event/ring_reader.h"
#include "trace/recorder_events.h"

/*
 * With programs in the kernel (bpf/switch_programs.h), every wait says which stack it left from,
 * and only new stacks are written: so many a second of a CPU at most, of which so many may be saved
 * up; and of known stacks, which may have other callers by now, those.
 */
#define NEW_HZ 1000
#define NEW_MOST 256
#define AGAIN_HZ 150
#define AGAIN_MOST 32

/* The part of these stacks that half of the ring holds. */
static uint64_t held(const struct sd_cpu_recorder *r, uint64_t most)
{
	const uint64_t room = r->ring.size / 2 / r->switch_bytes;

	return room < most ? room : most;
}

/* Stacks allowed now: `left` and those that the time since the last look adds, up to `most`. */
static uint64_t more(uint64_t left, double since_s, double hz, uint64_t most)
{
	const uint64_t sum = left + (uint64_t)(since_s * hz);

	return sum < most ? sum : most;
}

static void pace_stacks(struct sd_cpu_recorder *r, uint64_t now_ns)
{
	struct sd_switch_ring *const ring = r->switches;
	const uint64_t seen = __atomic_load_n(&ring->head, __ATOMIC_RELAXED);
	const uint64_t stacks = __atomic_load_n(&ring->stacks, __ATOMIC_RELAXED);
	const double since = (double)(now_ns - r->since) * 1e-9;
	const double share = r->share ? (double)r->share : 1;
	const uint64_t allowed = ring->allowed > stacks ? ring->allowed - stacks : 0;
	const uint64_t again = ring->again > stacks ? ring->again - stacks : 0;

	if (r->since) {
		r->rate = (double)(seen - r->seen) / 2 / since; /* as many wake-ups */
		__atomic_store_n(&ring->allowed,
			stacks + more(allowed, since, NEW_HZ / share, held(r, NEW_MOST)),
			__ATOMIC_RELAXED);
		__atomic_store_n(&ring->again,
			stacks + more(again, since, AGAIN_HZ / share, held(r, AGAIN_MOST)),
			__ATOMIC_RELAXED);
	}
	r->seen = seen;
	r->since = now_ns;
}

/* Both of a recorder with `switches`: before they are switched on, without anything of an earlier
 * run; and at each look at its ring, which also tells the rate of switches. */
static void start_stacks(struct sd_cpu_recorder *r)
{
	struct sd_switch_ring *const ring = r->switches;
	const uint64_t stacks = __atomic_load_n(&ring->stacks, __ATOMIC_RELAXED);

	memset(ring->known, 0, sizeof ring->known);
	__atomic_store_n(&ring->allowed, stacks + held(r, NEW_MOST), __ATOMIC_RELAXED);
	__atomic_store_n(&ring->again, stacks + held(r, AGAIN_MOST), __ATOMIC_RELAXED);
	__atomic_store_n(
		&ring->tail, __atomic_load_n(&ring->head, __ATOMIC_ACQUIRE), __ATOMIC_RELEASE);
	r->missed = __atomic_load_n(&ring->lost, __ATOMIC_RELAXED);
	r->share = 0;
}

/* Switches a second of a CPU that are too many for all of their stacks; and what is well below it,
 * so that it does not go to and fro (with the idle task's, which are as many but have no stack).
 * What all stacks write tells the first without asking, which would wake CPUs that are idle; the
 * second is counted. */
#define MANY 2000
#define FEW 2000
#define LEAST_EVERY 5    /* 2 and 4 divide a round with the idle task, 3 is a round of threads */
#define RECORD_BYTES 512 /* with a stack: registers, chains, and the switch's own records */
/* Bytes of a ring for stacks of switches. They fill all of it before the first look at a program
 * that switches 200,000 times a second: the rest holds what it writes without them in 70 ms. */
#define ROOM(size) ((size) / 2)

void sd_cpu_recorder_plan(
	struct sd_recording *r, pid_t pid, uint64_t period_ns, uint32_t stack, const char *root)
{
	*r = (struct sd_recording){.pid = pid, .period_ns = period_ns, .stack = stack};
	sd_recorder_events_layout(&r->layout);
	r->error[SD_RAW_WAKE] = sd_sched_waking_find(root, &r->wake);
	r->layout.woken_at = r->wake.woken_at;
}

int sd_cpu_recorder_open(
	struct sd_cpu_recorder *out, struct sd_recording *r, unsigned cpu, size_t size, int whole)
{
	int rc;

	*out = (struct sd_cpu_recorder){.cpu = cpu,
		.fd = {-1, -1, -1, -1, -1},
		.switch_bytes = SD_RECORDER_SWITCH_STACK(r) + RECORD_BYTES,
		.every = 1};
	rc = sd_recorder_events_open(out, r, size, whole);
	out->owed = ROOM(out->ring.size) / out->switch_bytes;
	if (rc)
		sd_cpu_recorder_close(out);
	return rc;
}

/* The n of every n-th switch whose stack is wanted at this rate: odd, and not a multiple of 3. */
static uint64_t every(double rate)
{
	uint64_t n = (uint64_t)(rate / SD_RECORDER_SWITCH_HZ) | 1;

	n = n < LEAST_EVERY ? LEAST_EVERY : n;
	return n % 3 ? n : n + 2;
}

/* A kernel that does not allow it leaves it at what it is. */
static void take_every(struct sd_cpu_recorder *r, uint64_t n)
{
	if (sd_perf_event_pace(r->fd[SD_RAW_SWITCH], n) == 0)
		r->every = n;
}

/* Reads the counter that moves on: bytes of the ring while all stacks are written there, else
 * switches; with programs in the kernel, their records. */
static int look(struct sd_cpu_recorder *r, uint64_t *out)
{
	uint64_t lost;

	if (r->every > 1)
		return sd_perf_event_count(r->fd[SD_RAW_SWITCH], out, &lost);
	*out = r->switches ? __atomic_load_n(&r->switches->head, __ATOMIC_RELAXED)
			   : sd_ring_reader_begin(&r->ring).head;
	return 0;
}

/* As many stacks as were read since, which also starts an event that ended for want of them. */
static void allow(struct sd_cpu_recorder *r)
{
	if (r->fd[SD_RAW_SWITCH] >= 0 &&
		sd_perf_event_refresh(r->fd[SD_RAW_SWITCH], (int)r->owed) == 0)
		r->owed = 0;
}

/* Events of a whole CPU besides its clock. */
static const enum sd_raw_source beside[] = {SD_RAW_SWITCH, SD_RAW_WAKE, SD_RAW_TURNS};
#define BESIDE (sizeof beside / sizeof *beside)

static void switch_beside(struct sd_cpu_recorder *r, int on)
{
	r->shut = !on;
	if (r->switches) {
		__atomic_store_n(&r->switches->on, (uint64_t)on, __ATOMIC_RELEASE);
		return;
	}
	for (size_t i = 0; i < BESIDE; i++)
		if (r->fd[beside[i]] >= 0 && !(on && beside[i] == SD_RAW_SWITCH))
			(void)sd_perf_event_switch(r->fd[beside[i]], on);
	if (on)
		allow(r);
}

static int start(struct sd_cpu_recorder *r)
{
	if (r->fd[SD_RAW_WIDE] < 0)
		return 0;
	if (r->switches)
		start_stacks(r);
	if (r->switches || r->shut)
		switch_beside(r, 1);
	else
		allow(r);
	return sd_perf_event_switch(r->fd[SD_RAW_WIDE], 1);
}

void sd_cpu_recorder_pause(struct sd_cpu_recorder *r)
{
	if (r->fd[SD_RAW_WIDE] < 0)
		return;
	(void)sd_perf_event_switch(r->fd[SD_RAW_WIDE], 0);
	switch_beside(r, 0);
}

void sd_cpu_recorder_pace(struct sd_cpu_recorder *r, uint64_t now_ns)
{
	const double each = r->every > 1 ? 1 : r->switch_bytes;
	uint64_t seen, n = r->every;
	double rate;

	if (r->switches && now_ns > r->since)
		pace_stacks(r, now_ns);
	if (r->switches || r->fd[SD_RAW_WIDE] < 0 || r->fd[SD_RAW_SWITCH] < 0 ||
		now_ns <= r->since || look(r, &seen))
		return;
	rate = (double)(seen - r->seen) / each / (double)(now_ns - r->since) * 1e9;
	r->rate = r->since && r->every > 1 ? rate : 0;
	if (r->every == 1)
		n = rate > MANY ? every(rate) : 1;
	else if (rate < FEW)
		n = 1;
	else if (rate / (double)n > 2 * SD_RECORDER_SWITCH_HZ ||
		 rate / (double)n < SD_RECORDER_SWITCH_HZ / 2.)
		n = every(rate);
	if (r->since && n != r->every) {
		take_every(r, n);
		if (look(r, &seen))
			return;
	}
	r->seen = seen;
	r->since = now_ns;
}

void sd_cpu_recorder_watch(struct sd_cpu_recorder *r, int on, uint64_t now_ns)
{
	if (on) {
		r->since = now_ns;
		(void)look(r, &r->seen); /* of a stopped event, without asking its CPU */
	}
	switch_beside(r, on);
}

void sd_cpu_recorder_read(struct sd_cpu_recorder *r, uint64_t stacks)
{
	r->owed += stacks;
	if (r->owed && r->fd[SD_RAW_WIDE] >= 0 && !r->shut && !r->switches)
		allow(r);
}

uint64_t sd_cpu_recorder_untold(const struct sd_cpu_recorder *r)
{
	uint64_t all = 0, count, lost;

	for (int s = 0; s < SD_RAW_SOURCES; s++)
		if (r->fd[s] >= 0 && sd_perf_event_count(r->fd[s], &count, &lost) == 0)
			all += lost;
	return all > r->told ? all - r->told : 0;
}

void sd_cpu_recorder_close(struct sd_cpu_recorder *out)
{
	if (out->switches) /* the programs may run on for others */
		__atomic_store_n(&out->switches->on, 0, __ATOMIC_RELEASE);
	out->switches = NULL;
	sd_perf_mmap_unmap(&out->ring);
	for (int s = SD_RAW_SOURCES - 1; s >= 0; s--) {
		sd_perf_event_close(out->fd[s]);
		out->fd[s] = -1;
		out->id[s] = 0;
	}
}

/* ---- clocks ---- */

/* ns from the tick of one CPU's clock to that of the next, where there is room for it. A sample
 * stops its CPU for 10 us, on a virtual machine for some 50, and whoever meets it at a barrier
 * waits so long: a clock that ticks then finds its own thread waiting every time, in a program that
 * waits for a tenth of its time. */
#define APART 120000

/* Starts a clock from the CPU that it is of: from another one it begins when that has been
 * interrupted, which on a virtual machine is 100 us later or more, and not always the same. */
static int start_there(struct sd_cpu_recorder *r, cpu_set_t *set, size_t size, uint64_t when)
{
	CPU_ZERO_S(size, set);
	CPU_SET_S(r->cpu, size, set);
	(void)sched_setaffinity(0, size, set); /* not allowed: from here */
	while (sd_clock_ns() < when)
		; /* no sleep is so short */
	return start(r);
}

int sd_cpu_recorder_start_all(struct sd_cpu_recorder *r, size_t n, uint64_t period_ns)
{
	const uint64_t room = period_ns / 4 / n;
	const uint64_t apart = room < APART ? room : APART, first = sd_clock_ns() + APART;
	const size_t size = CPU_ALLOC_SIZE(SD_CPU_MAX);
	cpu_set_t *const before = CPU_ALLOC(SD_CPU_MAX), *const set = CPU_ALLOC(SD_CPU_MAX);
	int rc = before && set && sched_getaffinity(0, size, before) == 0 ? 0 : -ENOMEM;

	for (size_t i = 0; i < n && !rc; i++)
		rc = start_there(&r[i], set, size, first + i * apart);
	if (before && set)
		(void)sched_setaffinity(0, size, before);
	CPU_FREE(before);
	CPU_FREE(set);
	return rc;
}
