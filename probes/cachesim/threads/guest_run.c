#include "threads/guest_run.h"

#include <errno.h>
#include <stdlib.h>
#include <time.h>

#include "threads/ended_thread.h"
#include "threads/replay.h"
#include "threads/single_thread.h"

#define WAIT_NS 1000000 /* between looks whether the others still move */
#define PATIENCE 2      /* looks without any movement */
#define ARRIVAL_MS 250  /* for a new thread to begin, on a busy host */
#define WIDE 16         /* windows at a time where nobody waits for what another accesses */
#define STOP_MS 100     /* for the threads to stop at the end */

static uint64_t base_of(const struct sim_thread *t)
{
	return __atomic_load_n(&t->base, __ATOMIC_RELAXED);
}

static uint64_t clock_of(const struct sim_thread *t)
{
	return base_of(t) + t->stall;
}

/* The translation costs of a thread since they were last put on its clock. */
static void charge_tlb(const struct sim_run *r, struct sim_thread *t)
{
	const uint64_t d = t->count.dtlb_misses, s = t->count.stlb_misses;

	t->stall += (d - t->dtlb_charged) * r->o->latency.stlb +
		    (s - t->stlb_charged) * r->o->latency.walk;
	t->dtlb_charged = d;
	t->stlb_charged = s;
}

/* Time of a thread: of its first access that was not replayed yet, else its clock. */
static uint64_t front_of(const struct sim_thread *t)
{
	const uint64_t next = sim_replay_next(t);

	return t->state == SIM_PARKED && clock_of(t) < next ? clock_of(t) : next;
}

/* Opens the next window, from where the last thread is. 1 when somebody can run in it, or nobody is
 * there to. */
static int open_next(struct sim_run *r)
{
	uint64_t least = UINT64_MAX;
	int parked = 0, can = 0;

	for (size_t i = 0; i < r->n_thread; i++) {
		struct sim_thread *const t = r->thread[i];

		if (t->state == SIM_GONE && t->next == t->n_event)
			sim_ended_thread_settle(r, t);
		if (t->state == SIM_PARKED)
			charge_tlb(r, t);
		parked |= t->state == SIM_PARKED;
		if (front_of(t) < least)
			least = front_of(t);
	}
	if (!parked)
		return 1;
	r->until = (least > r->until ? least : r->until) +
		   (r->alone || r->rests ? WIDE : 1) * r->o->window;
	for (size_t i = 0; i < r->n_thread; i++)
		can |= r->thread[i]->state == SIM_PARKED && clock_of(r->thread[i]) < r->until;
	return can;
}

/* When no thread runs inside the window any more: replays it and opens the next. A thread that ran
 * far ahead of what its accesses cost stands still until the replay has caught up. Under the lock.
 */
static void advance(struct sim_run *r)
{
	for (size_t i = 0; i < r->n_thread; i++)
		if (r->thread[i]->state == SIM_RUNNING)
			return;
	if (r->coming > 0 || r->waits.coming > 0)
		return;
	do
		sim_replay(r, r->until);
	while (!open_next(r));
	/* here, not when they wake: until then it would look as if nobody had to be waited for */
	for (size_t i = 0; i < r->n_thread; i++)
		if (r->thread[i]->state == SIM_PARKED && clock_of(r->thread[i]) < r->until)
			r->thread[i]->state = SIM_RUNNING;
	if (r->idle)
		r->idle(r, r->idle_arg);
	pthread_cond_broadcast(&r->moved);
}

/* The thread's core is free: another that shares one moves there, as an idle core's kernel pulls.
 */
static void pull(struct sim_run *r, unsigned core)
{
	const int from = sim_placement_crowded(&r->placement, core);

	for (size_t i = r->n_thread; from >= 0 && i-- > 0;) {
		struct sim_thread *const t = r->thread[i];

		if (t->core != (unsigned)from || t->state == SIM_AWAY || t->state == SIM_GONE)
			continue;
		sim_placement_move(&r->placement, t->core, core);
		sim_machine_move(&r->machine, t, core);
		return;
	}
}

struct sim_thread *sim_run_begin(struct sim_run *r, int tid)
{
	struct sim_thread *const t = malloc(sizeof *t);
	struct sim_thread *out = NULL;

	pthread_mutex_lock(&r->lock);
	r->n_seen++;
	if (!t || r->n_thread == SIM_THREADS ||
		sim_thread_open(t, &r->o->machine, r->machine.lines.hot))
		goto out;
	t->tid = tid;
	t->index = (unsigned)r->n_thread;
	t->core = sim_placement_begin(&r->placement);
	t->stall = t->begun = r->until - r->o->window;
	t->limit = r->until - t->stall;
	t->orders = &r->machine.orders;
	t->huge = &r->huge;
	t->follows = r->o->instructions;
	sim_thread_order(t);
	r->coming -= t->index > 0;
	if (!r->alone)
		sim_machine_enter(&r->machine, t);
	r->unsimulated += t->slot == SIM_SLOTS;
	r->thread[r->n_thread++] = t;
	out = t;
out:
	pthread_mutex_unlock(&r->lock);
	if (!out)
		free(t);
	return out;
}

struct sim_thread *sim_run_begin_alone(struct sim_run *r, int tid)
{
	const int first = r->n_seen == 0;
	struct sim_thread *const t = sim_run_begin(r, tid);

	if (first && t && t->slot != SIM_SLOTS) {
		sim_single_begin(&r->machine, t);
		r->alone = t;
	}
	return t;
}

void sim_run_together(struct sim_run *r)
{
	struct sim_thread *const t = r->alone;

	if (!t)
		return;
	pthread_mutex_lock(&r->lock);
	sim_single_end(&r->machine, t);
	charge_tlb(r, t);
	r->until = clock_of(t) + r->o->window; /* others begin with its clock */
	t->limit = t->base;
	r->alone = NULL;
	pthread_mutex_unlock(&r->lock);
}

/* How far all running threads together have come. */
static uint64_t movement(const struct sim_run *r)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < r->n_thread; i++)
		if (r->thread[i]->state == SIM_RUNNING)
			sum += base_of(r->thread[i]) + 1;
	return sum;
}

static uint64_t now_ms(void)
{
	struct timespec at;

	clock_gettime(CLOCK_MONOTONIC, &at);
	return (uint64_t)at.tv_sec * 1000 + (uint64_t)at.tv_nsec / 1000000;
}

static int wait_a_little(struct sim_run *r)
{
	struct timespec at;

	clock_gettime(CLOCK_MONOTONIC, &at);
	at.tv_nsec += WAIT_NS;
	if (at.tv_nsec >= 1000000000) {
		at.tv_nsec -= 1000000000;
		at.tv_sec++;
	}
	return pthread_cond_timedwait(&r->moved, &r->lock, &at) == ETIMEDOUT;
}

/*
 * A thread that waits here is, to QEMU, in the middle of guest code: one that wants all others out
 * of it (fork, an atomic that must be alone) waits for this one, and will not come. So when nobody
 * moves, this one goes on for a block, in which QEMU can stop it.
 */
static void park(struct sim_run *r, struct sim_thread *t)
{
	uint64_t before = movement(r);
	unsigned still = 0;

	while (t->state == SIM_PARKED && !r->over) {
		uint64_t now;

		if (!wait_a_little(r))
			continue;
		now = movement(r);
		still = now == before ? still + 1 : 0;
		before = now;
		if (still == PATIENCE) {
			r->overruns++;
			if (now_ms() > r->coming_by) { /* it was ended on its way */
				r->coming = 0;
				sim_waits_forget(&r->waits);
			}
			return;
		}
	}
}

/* Nothing of the program may run on once the results are taken. */
static void stop_here(struct sim_run *r, struct sim_thread *t)
{
	if (r->over)
		t->state = SIM_PARKED;
	while (r->over)
		pthread_cond_wait(&r->moved, &r->lock);
}

/* Under the lock. */
static void go_on(struct sim_run *r, struct sim_thread *t)
{
	t->state = SIM_RUNNING;
	sim_thread_obey(t);
	t->limit = clock_of(t) < r->until ? r->until - t->stall : t->base + 1;
}

static void stand(struct sim_run *r, struct sim_thread *t, int early)
{
	t->state = SIM_PARKED;
	charge_tlb(r, t);
	if ((early || clock_of(t) >= r->until) && !r->over) {
		advance(r);
		park(r, t);
	}
	stop_here(r, t);
	go_on(r, t);
}

void sim_run_reach(struct sim_run *r, struct sim_thread *t)
{
	pthread_mutex_lock(&r->lock);
	stand(r, t, 0);
	pthread_mutex_unlock(&r->lock);
}

void sim_run_catch_up(struct sim_run *r, struct sim_thread *t)
{
	pthread_mutex_lock(&r->lock);
	stand(r, t, 1);
	if (t->futex.wakes)
		sim_waits_wake(&r->waits, t->index, t->futex.address, clock_of(t));
	pthread_mutex_unlock(&r->lock);
}

void sim_run_woke(struct sim_run *r, struct sim_thread *t, uint64_t n)
{
	pthread_mutex_lock(&r->lock);
	sim_waits_woke(&r->waits, t->index, n);
	r->coming_by = now_ms() + ARRIVAL_MS;
	pthread_mutex_unlock(&r->lock);
}

void sim_run_order(struct sim_thread *t)
{
	const struct sim_event e = {.time = t->base + t->block->n_ins, .kind = SIM_EVENT_SYNC};

	if (t->slot != SIM_SLOTS)
		sim_thread_log(t, e);
}

void sim_run_leave(struct sim_run *r, struct sim_thread *t)
{
	pthread_mutex_lock(&r->lock);
	t->state = SIM_AWAY;
	sim_placement_sleep(&r->placement, t->core);
	pull(r, t->core);
	if (t->ends && r->o->instructions &&
		sim_waits_ended(&r->waits, r->thread, r->n_thread, t->tid, clock_of(t)))
		r->coming_by = now_ms() + ARRIVAL_MS;
	advance(r);
	pthread_mutex_unlock(&r->lock);
}

void sim_run_return(struct sim_run *r, struct sim_thread *t, enum sim_return how)
{
	uint64_t from, to;

	pthread_mutex_lock(&r->lock);
	stop_here(r, t);
	charge_tlb(r, t);
	from = clock_of(t);
	to = how == SIM_RETURN_AT_ONCE ? from : r->until - r->o->window;
	if (how == SIM_RETURN_WOKEN)
		(void)sim_waits_came(&r->waits, t->futex.address, &to);
	if (to > from) {
		t->away += to - from;
		t->stall += to - from;
		if (r->o->instructions)
			sim_waits_keep(&r->waits, t, from, to);
	}
	sim_machine_move(&r->machine, t, sim_placement_wake(&r->placement, t->core));
	go_on(r, t);
	pthread_mutex_unlock(&r->lock);
}

void sim_run_end(struct sim_run *r, struct sim_thread *t)
{
	pthread_mutex_lock(&r->lock);
	sim_thread_settle(t);
	t->count.instructions = t->base + t->block->n_ins - t->skipped;
	sim_placement_end(&r->placement, t->core, t->state == SIM_AWAY);
	t->state = SIM_GONE;
	pull(r, t->core);
	advance(r);
	pthread_mutex_unlock(&r->lock);
}

void sim_run_expect(struct sim_run *r)
{
	pthread_mutex_lock(&r->lock);
	r->coming++;
	r->coming_by = now_ms() + ARRIVAL_MS;
	pthread_mutex_unlock(&r->lock);
}

static unsigned moving(const struct sim_run *r, const struct sim_thread *self)
{
	unsigned n = 0;

	for (size_t i = 0; i < r->n_thread; i++)
		n += r->thread[i] != self && r->thread[i]->state == SIM_RUNNING;
	return n;
}

uint64_t sim_run_instructions(const struct sim_run *r)
{
	uint64_t n = 0;

	for (size_t i = 0; i < r->n_thread; i++)
		n += base_of(r->thread[i]) + r->thread[i]->block->n_ins;
	return n;
}

unsigned sim_run_finish(struct sim_run *r, const struct sim_thread *self)
{
	unsigned left;

	pthread_mutex_lock(&r->lock);
	r->over = 1;
	for (size_t i = 0; i < r->n_thread; i++)
		__atomic_store_n(&r->thread[i]->limit, 0, __ATOMIC_RELAXED);
	for (unsigned ms = 0; moving(r, self) && ms < STOP_MS; ms++)
		wait_a_little(r);
	left = moving(r, self);
	for (size_t i = 0; i < r->n_thread; i++)
		if (r->thread[i] == self || r->thread[i]->state != SIM_RUNNING)
			sim_thread_settle(r->thread[i]);
	sim_replay(r, UINT64_MAX - 1);
	return left;
}
