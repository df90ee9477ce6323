#include <math.h>
#include <time.h>

#include "trace/trace_state.h"
#include "trace/kept_recorders.h"
#include "trace/recorder_events.h"
#include "base/clock.h"

#define DELAY_NS UINT64_C(25000000) /* between looks at the rings */
/* Draining a ring pulls its data out of the other CPU's caches, 8 KiB a sample, at the cost of what
 * runs here: so not before this part of a ring is full, and never during a short run. It is less
 * than the stacks of switches may fill (cpu_recorder.c). */
#define FULL(size) ((size) / 8 * 3)

/* At each drain: threads looked at while they wait, and ns of CPU time after which no other is
 * begun, 1 % of a CPU. */
#define GLIMPSES 64
#define GLIMPSES_NS UINT64_C(200000)

static uint64_t cpu_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static void keep(struct sd_capture *c, size_t i, struct sd_event *e, int exec)
{
	if (exec) {
		struct sd_event fresh = {
			.kind = SD_EVENT_EXEC, .pid = e->pid, .tid = e->tid, .time = e->time};

		c->facts.n_lost += sd_downsample_put(&c->thinner[i], &c->spool, i, &fresh);
	}
	sd_blocked_stacks_event(&c->glimpses, e);
	c->facts.n_samples += e->kind == SD_EVENT_SAMPLE;
	c->facts.n_switches += e->kind == SD_EVENT_SWITCH_OUT;
	c->stacks += (e->kind == SD_EVENT_SWITCH_OUT && e->regs.mask) || e->kind == SD_EVENT_SEEN;
	c->exits += e->kind == SD_EVENT_EXIT;
	c->facts.n_lost += e->kind == SD_EVENT_LOST ? e->count : 0;
	c->facts.n_lost += sd_downsample_put(&c->thinner[i], &c->spool, i, e);
}

/* The stack of a switch comes just before the switch itself: makes them one. */
static void join(struct sd_event *stack, const struct sd_event *out)
{
	stack->time = out->time;
	stack->preempted = out->preempted;
}

/* Accounts an event of a whole CPU to the time of others; 1 when it is of the traced tree, and then
 * without a thread of others. */
static int is_ours(struct sd_capture *c, size_t i, struct sd_event *e)
{
	const int own = sd_tree_filter_own(&c->family, e);
	const int wakes = e->kind == SD_EVENT_WAKE; /* `own`: one of the tree another one */
	const int does = wakes ? sd_tid_set_has(&c->family.member, e->tid) : own;

	if (c->family.begun && e->time >= c->family.begun && !(wakes && own))
		sd_foreign_time_event(&c->strangers, i, e, does, c->self);
	if (own)
		sd_tree_filter_hide(&c->family, e);
	return own;
}

static void keep_untold(struct sd_capture *c, size_t i)
{
	struct sd_event e = {.kind = SD_EVENT_LOST, .time = sd_clock_ns()};

	e.count = sd_cpu_recorder_untold(&c->recorder[i]);
	c->refused += e.count;
	if (e.count)
		keep(c, i, &e, 0);
}

/* ---- what programs in the kernel write ---- */

/* In stream n + 1 + i, whose events are as many as there are switches: no stack, nothing to thin.
 */
static void keep_switch(struct sd_capture *c, size_t i, struct sd_event *e)
{
	if (!is_ours(c, i, e))
		return;
	c->facts.n_switches += e->kind == SD_EVENT_SWITCH_OUT;
	c->facts.n_lost += sd_downsample_put(&c->aside, &c->spool, c->n + 1 + i, e);
}

static void read_record(struct sd_capture *c, size_t i, const struct sd_switch_record *r)
{
	struct sd_event e;

	sd_event_clear(&e);
	e.time = r->time;
	e.pid = r->pid;
	e.tid = r->tid;
	if (r->flags & SD_SWITCH_WAKE) {
		e.kind = SD_EVENT_WAKE;
		e.other = r->to;
		if (r->flags & SD_SWITCH_INTERRUPT)
			e.pid = e.tid = 0;
		keep_switch(c, i, &e);
		return;
	}
	e.kind = SD_EVENT_SWITCH_OUT;
	e.preempted = (r->flags & SD_SWITCH_PREEMPTED) != 0;
	e.stack_id = r->stack;
	keep_switch(c, i, &e);
	e.kind = SD_EVENT_SWITCH_IN;
	e.pid = r->to_pid;
	e.tid = r->to;
	e.preempted = 0;
	e.stack_id = 0;
	keep_switch(c, i, &e);
}

static void drain_switches(struct sd_capture *c, size_t i)
{
	struct sd_switch_ring *const ring = c->recorder[i].switches;
	struct sd_event lost = {.kind = SD_EVENT_LOST, .time = sd_clock_ns()};

	if (!ring)
		return;
	for (uint64_t at = ring->tail; at < c->written[i]; at++)
		read_record(c, i, &ring->record[at % SD_SWITCH_RING_RECORDS]);
	__atomic_store_n(&ring->tail, c->written[i], __ATOMIC_RELEASE);
	lost.count = __atomic_load_n(&ring->lost, __ATOMIC_RELAXED) - c->recorder[i].missed;
	c->recorder[i].missed += lost.count;
	if (lost.count)
		keep(c, i, &lost, 0);
}

/* ---- reading ---- */

/* Drains one ring; a record whose switch may still follow stays, unless it is the `last` time. */
static void drain_one(struct sd_capture *c, size_t i, int last)
{
	struct sd_cpu_recorder *const from = &c->recorder[i];
	struct sd_ring_reader ring = c->reading[i];
	uint64_t chain[2][SD_RAW_CHAIN], done = ring.at, stacks = 0, lost;
	struct sd_event event[2], *waiting = NULL;
	const struct perf_event_header *h;
	int now = 0, joined;

	while ((h = sd_ring_reader_next(&ring, c->scratch[now]))) {
		struct sd_event *const e = &event[now];
		enum sd_raw_source source;
		int exec;
		const int rc = sd_perf_records(
			h, &c->recording.layout, from->id, chain[now], e, &source, &exec);

		lost = rc > 0 && e->kind == SD_EVENT_LOST ? e->count : 0;
		from->told += lost;
		c->refused += lost;
		stacks += lost;
		stacks += rc > 0 && source == SD_RAW_SWITCH;
		if (rc > 0 && c->recording.wide && !is_ours(c, i, e)) {
			done = waiting ? done : ring.at;
			continue;
		}
		joined = rc > 0 && waiting && e->kind == SD_EVENT_SWITCH_OUT &&
			 e->tid == waiting->tid && source == SD_RAW_SOURCES;
		if (joined)
			join(waiting, e);
		if (waiting)
			keep(c, i, waiting, 0);
		waiting = NULL;
		if (rc > 0 && source == SD_RAW_SWITCH && from->switches) {
			e->kind = SD_EVENT_SEEN; /* the programs tell the switch */
			e->name = "";
		} else if (rc > 0 && source == SD_RAW_SWITCH) {
			waiting = e;
			now = !now;
			continue;
		}
		if (rc > 0 && !joined)
			keep(c, i, e, exec);
		c->facts.n_lost += rc < 0;
		done = ring.at;
	}
	c->facts.n_lost += (uint64_t)ring.broken;
	if (waiting && last)
		keep(c, i, waiting, 0);
	sd_ring_reader_end(&ring, waiting && !last ? done : ring.at);
	sd_cpu_recorder_read(from, stacks - (waiting && !last));
	if (last)
		keep_untold(c, i);
}

/* New threads of the tree, before their samples are read, which may be in another CPU's ring: what
 * had been written by now contains the fork of every sample up to `reading`. */
static void meet(struct sd_capture *c, size_t i)
{
	struct sd_ring_reader ring = sd_ring_reader_begin(&c->recorder[i].ring);
	const struct perf_event_header *h;
	uint64_t chain[SD_RAW_CHAIN];

	while ((h = sd_ring_reader_next(&ring, c->scratch[0]))) {
		enum sd_raw_source source;
		struct sd_event e;
		int exec;

		if (h->type != PERF_RECORD_FORK && h->type != PERF_RECORD_COMM)
			continue;
		if (sd_perf_records(h, &c->recording.layout, c->recorder[i].id, chain, &e, &source,
			    &exec) > 0)
			sd_tree_filter_meet(&c->family, &e, exec);
	}
}

/* The threads that wait now. */
static void look(struct sd_capture *c, uint64_t start)
{
	struct sd_event e;

	for (int i = 0; i < GLIMPSES && cpu_ns() - start < GLIMPSES_NS; i++) {
		if (sd_blocked_stacks_next(&c->glimpses, &e))
			return;
		sd_downsample_put(&c->aside, &c->spool, c->n, &e);
	}
}

void sd_capture_read(struct sd_capture *c, int last)
{
	const uint64_t start = cpu_ns();

	for (size_t i = 0; i < c->n; i++) {
		if (c->recorder[i].switches)
			c->written[i] =
				__atomic_load_n(&c->recorder[i].switches->head, __ATOMIC_ACQUIRE);
		c->reading[i] = sd_ring_reader_begin(&c->recorder[i].ring);
	}
	for (size_t i = 0; i < c->n && c->recording.wide; i++)
		meet(c, i);
	sd_tree_filter_adopt(&c->family);
	for (size_t i = 0; i < c->n; i++) {
		drain_one(c, i, last);
		drain_switches(c, i);
	}
	if (!last)
		look(c, cpu_ns());
	c->facts.cpu_s += (double)(cpu_ns() - start) / 1e9;
}

double sd_capture_sampling(const struct sd_capture *c)
{
	return c->facts.hz * (SD_CAPTURE_SAMPLE + c->recording.stack);
}

void sd_capture_note_use(struct sd_capture *c)
{
	const double samples =
		(double)c->facts.n_samples * (SD_CAPTURE_SAMPLE + c->recording.stack);
	struct sd_ring_use_of_run use = {.cpus = c->facts.cpus_covered,
		.seconds = (double)(sd_clock_ns() - c->begun) * 1e-9,
		.sampling = sd_capture_sampling(c)};
	double all = 0;

	for (size_t i = 0; i < c->n; i++) {
		struct sd_cpu_recorder *const r = &c->recorder[i];
		const double wrote = (double)(sd_ring_reader_begin(&r->ring).head - r->begin);

		use.bytes = fmax(use.bytes, wrote);
		if (c->refused && r->ring.size > use.full)
			use.full = r->ring.size;
		all += wrote;
	}
	use.samples = all > samples ? samples / all : 1;
	sd_kept_recorders_used(c->kept, &use);
}

static int is_filling(const struct sd_capture *c)
{
	for (size_t i = 0; i < c->n; i++) {
		const struct sd_ring_reader ring = sd_ring_reader_begin(&c->recorder[i].ring);
		const struct sd_switch_ring *const written = c->recorder[i].switches;

		if (ring.broken || ring.head - ring.at >= FULL(ring.ring->size))
			return 1;
		if (written && __atomic_load_n(&written->head, __ATOMIC_RELAXED) - written->tail >=
				       FULL(SD_SWITCH_RING_RECORDS))
			return 1;
	}
	return 0;
}

/* Do threads have to be looked at, as no stacks at switches tell who waits? */
static int looks_at_waits(const struct sd_capture *c)
{
	return c->facts.switch_stacks != SD_STATUS_OK;
}

/* ---- times without switches ---- */

/* Switches the recording of all CPUs at once: what idle cores wait for is known only while every
 * thread is watched. SHUT is written before it stops, OPEN after it goes on. */
static void watch(struct sd_capture *c, int on, uint64_t now_ns)
{
	struct sd_event e = {.kind = on ? SD_EVENT_OPEN : SD_EVENT_SHUT};

	if (!on)
		e.time = sd_clock_ns();
	for (size_t i = 0; i < c->n; i++)
		sd_cpu_recorder_watch(&c->recorder[i], on, now_ns);
	if (on)
		e.time = sd_clock_ns();
	c->shut = !on;
	if (on)
		sd_foreign_time_open(&c->strangers, e.time);
	else
		c->facts.n_lost += sd_foreign_time_shut(&c->strangers, e.time) != 0;
	c->facts.n_lost += sd_downsample_put(&c->aside, &c->spool, c->n, &e);
}

/* How long to leave switches out from now on; 0: not at all. */
static uint64_t gap(struct sd_capture *c, uint64_t now_ns)
{
	const uint64_t share = sd_downsample_share(&c->spool);
	uint64_t delay;
	double rate = 0;

	for (size_t i = 0; i < c->n; i++) {
		c->recorder[i].share = share;
		sd_cpu_recorder_pace(&c->recorder[i], now_ns);
		rate = fmax(rate, c->recorder[i].rate);
	}
	/* As many fill the bound of a run in half a minute: fewer as it fills up. A run that was
	 * above that once is recorded as by events from then on: to and fro at this limit, the time
	 * in which it is slow would be seen whole and the other hardly. */
	if (sd_recorder_events_programs(&c->recording) && !c->windowed &&
		rate <= (double)SD_SWITCH_WINDOWS_PROGRAMS_HZ / (double)share)
		rate = 0;
	delay = sd_switch_windows_gap(
		&c->windows, rate, c->facts.wakes == SD_STATUS_OK, c->next ? c->thin : 1);
	c->windowed |= delay != 0 && rate > 0;
	return delay;
}

/* Rings are read while switches are left out: a window in which our own reading takes CPUs from the
 * program is not like the rest of its time. */
static void drain_some(struct sd_capture *c)
{
	if (looks_at_waits(c) || is_filling(c))
		sd_capture_read(c, 0);
}

uint64_t sd_trace_drain(struct sd_capture *c, uint64_t now_ns)
{
	/* a little early rather than to wake up again for it soon */
	if (now_ns + c->delay / 4 < c->next)
		return c->next - now_ns;
	if (c->shut) {
		drain_some(c);
		watch(c, 1, now_ns);
		c->delay = SD_SWITCH_WINDOWS_NS;
	} else {
		c->delay = gap(c, now_ns);
		if (c->delay)
			watch(c, 0, now_ns);
		else
			c->delay = DELAY_NS;
		drain_some(c);
	}
	c->next = now_ns + c->delay;
	return c->delay;
}
