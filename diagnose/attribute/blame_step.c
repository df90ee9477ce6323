#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "attribute/blame_state.h"

#define S(ns) ((double)(ns)*1e-9)

/* A woken thread that takes longer to run had its CPU taken away (METHODS 2.3.7). */
#define WAKING_NS UINT64_C(1000000)
#define MOST_HOPS 8 /* threads may wait for each other in a ring */

/* ---- the living threads, and the active ones among them -------------------------------------- */

static int grow_living(struct sd_blame *c)
{
	const size_t room = c->room ? 2 * c->room : 64;
	struct sd_blame_thread **living =
		reallocarray(c->living, room, sizeof(struct sd_blame_thread *));
	struct sd_thread_view **view;

	if (!living)
		return -ENOMEM;
	c->living = living;
	view = reallocarray(c->views.thread, room, sizeof(struct sd_thread_view *));
	if (!view)
		return -ENOMEM;
	c->views.thread = view;
	living = reallocarray(c->active, room, sizeof(struct sd_blame_thread *));
	if (!living)
		return -ENOMEM;
	c->active = living;
	view = reallocarray(c->views.active, room, sizeof(struct sd_thread_view *));
	if (!view)
		return -ENOMEM;
	c->views.active = view;
	c->room = room;
	return 0;
}

/* The first of n that comes after a thread with this tid. */
static size_t behind(struct sd_blame_thread *const *list, size_t n, int tid)
{
	size_t low = 0;

	while (n > 0) {
		const size_t half = n / 2;

		if (list[low + half]->view.tid > tid) {
			n = half;
		} else {
			low += half + 1;
			n -= half + 1;
		}
	}
	return low;
}

static void insert(struct sd_blame_thread **list, struct sd_thread_view **view, size_t *n,
	struct sd_blame_thread *t)
{
	const size_t at = behind(list, *n, t->view.tid), behind_it = (*n)++ - at;

	memmove(list + at + 1, list + at, behind_it * sizeof(struct sd_blame_thread *));
	memmove(view + at + 1, view + at, behind_it * sizeof(struct sd_thread_view *));
	list[at] = t;
	view[at] = &t->view;
}

static void take_out(struct sd_blame_thread **list, struct sd_thread_view **view, size_t *n,
	const struct sd_blame_thread *t)
{
	size_t at = behind(list, *n, t->view.tid);

	/* tids may be those of older threads */
	while (at > 0 && list[at - 1] != t)
		at--;
	if (at == 0)
		return;
	(*n)--;
	memmove(list + at - 1, list + at, (*n + 1 - at) * sizeof(struct sd_blame_thread *));
	memmove(view + at - 1, view + at, (*n + 1 - at) * sizeof(struct sd_thread_view *));
}

int sd_blame_add(struct sd_blame *c, struct sd_blame_thread *t)
{
	if (c->views.n == c->room && grow_living(c))
		return -ENOMEM;
	insert(c->living, c->views.thread, &c->views.n, t);
	insert(c->active, c->views.active, &c->views.n_active, t);
	return 0;
}

void sd_blame_remove(struct sd_blame *c, const struct sd_blame_thread *t)
{
	take_out(c->living, c->views.thread, &c->views.n, t);
	take_out(c->active, c->views.active, &c->views.n_active, t);
}

/* The place has so many more parked threads. */
static void park_at(struct sd_blame *c, unsigned lock, int more)
{
	struct sd_blame_place *const p = &c->place[lock - 1];

	sd_blame_settle_parked(c, p);
	p->parked += (unsigned)more;
	c->parked_locks += (size_t)more;
}

static void park_one(struct sd_blame *c, struct sd_blame_thread *t)
{
	sd_idle_classes_park(&c->division.parked, c->division.busiest, &t->view);
	if (t->lock)
		park_at(c, t->lock, 1);
}

void sd_blame_unpark(struct sd_blame *c, struct sd_blame_thread *t)
{
	if (!t->view.parked)
		return;
	sd_idle_classes_unpark(&c->division.parked, &t->view);
	if (t->lock)
		park_at(c, t->lock, -1);
	if (!c->timeline->together) { /* what the last step found for those that do no work */
		t->alone = c->useful < 1;
		t->spun_serial.now = t->alone && c->spun > 0;
		t->spun_imbalance.now = !t->alone && c->spun > 0;
	}
	insert(c->active, c->views.active, &c->views.n_active, t);
}

/* ---- a step ---------------------------------------------------------------------------------- */

/* Class of a wait for a message, by what its sender is doing now (METHODS 2.3.6): while that one
 * sleeps, a timer holds both. */
static enum sd_wait message_of(const struct sd_blame *c, const struct sd_blame_thread *t)
{
	for (int hops = 0; t->answerer && hops < MOST_HOPS; hops++) {
		t = &c->thread[t->answerer - 1];
		if (!t->alive || t->view.on_cpu || t->view.queued)
			return SD_WAIT_PIPE;
		if (t->out_activity == SD_ACTIVITY_SLEEP)
			return SD_WAIT_SLEEP;
	}
	return t->out_activity == SD_ACTIVITY_SOCKET ? SD_WAIT_NETWORK : SD_WAIT_PIPE;
}

/*
 * A thread woken while a core is free needs some 10 us to run, and some 100 if a hypervisor has to
 * bring the CPU back. That belongs to what it waited for: nobody took its CPU.
 */
static int is_on_its_way(const struct sd_blame_thread *t, uint64_t time)
{
	return t->view.queued && t->woken && time - t->woken <= WAKING_NS;
}

/* Before the step that ends at `time` counts such threads as still waiting; 0: undoes it. */
static void as_waiting(struct sd_blame *c, uint64_t time)
{
	double ready = c->division.parked.ready;

	for (size_t i = 0; i < c->views.n_active; i++)
		ready += c->active[i]->view.on_cpu || c->active[i]->view.queued;
	for (size_t i = 0; i < c->views.n_active; i++) {
		struct sd_blame_thread *const t = c->active[i];

		if (time)
			t->on_its_way = ready <= c->division.cores && is_on_its_way(t, time) != 0;
		if (time && t->on_its_way) {
			t->view.queued = 0;
			t->view.seen = t->waited;
		} else if (!time && t->woken && !t->view.queued) {
			t->view.queued = 1;
			t->view.seen = (struct sd_wait_seen){.wait = SD_WAIT_NONE};
		}
	}
}

/* A thread that has waited for a step, or was ready and not just woken, stays so until something
 * happens to it: not who waits for a message, whose wait is what the sender does. */
static int is_quiet(const struct sd_blame *c, const struct sd_blame_thread *t)
{
	if (t->view.on_cpu || t->answerer)
		return 0;
	return t->view.queued ? !is_on_its_way(t, c->now) : !t->woken;
}

static void park(struct sd_blame *c)
{
	size_t kept = 0;

	for (size_t i = 0; i < c->views.n_active; i++) {
		struct sd_blame_thread *const t = c->active[i];

		if (is_quiet(c, t)) {
			park_one(c, t);
			continue;
		}
		c->active[kept] = t;
		c->views.active[kept++] = &t->view;
	}
	c->views.n_active = kept;
}

void sd_blame_step(struct sd_blame *c, uint64_t time)
{
	double before[SD_IDLE_COUNT], running = 0, step;
	uint64_t stood;
	int rc;

	if (time <= c->now)
		return;
	stood = sd_gap_weights_clock(&c->standing, time);
	step = S(stood - c->stood);
	c->alive += (double)c->views.n * S(time - c->now);
	memcpy(before, c->division.idle, sizeof before);
	for (size_t i = 0; i < c->views.n_active; i++)
		running += c->active[i]->view.on_cpu;
	for (size_t i = 0; i < c->views.n_active && c->answers; i++) {
		struct sd_blame_thread *const t = c->active[i];

		if (t->answerer)
			t->view.seen.wait = message_of(c, t);
	}
	c->off += ((double)c->views.n - running) * step;
	c->views.before = c->stood;
	c->views.now = stood;
	as_waiting(c, time);
	rc = sd_idle_account_add(&c->division, &c->views);
	as_waiting(c, 0);
	c->failed = c->failed ? c->failed : rc;
	sd_blame_owe_idle(c, before, fmax(0, c->division.cores - running) * step, running, step);
	if (!c->timeline->together)
		sd_blame_owe_spinning(c, step);
	for (size_t i = 0; i < c->views.n_active; i++) {
		struct sd_blame_thread *const t = c->active[i];

		t->view.new_wait = 0;
		if (!t->view.on_cpu)
			continue;
		t->run += step;
		t->height += step / running;
		t->view.cpu += (double)(stood - c->stood);
	}
	c->ran += running > 0 ? step : 0;
	c->now = time;
	c->stood = stood;
	if (step > 0)
		park(c);
}
