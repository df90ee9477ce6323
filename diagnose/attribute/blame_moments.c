#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "attribute/blame_state.h"

#define S(ns) ((double)(ns)*1e-9)
/* A thread that polls whether others are done reads a few words between two sleeps: for at most
 * LOOK_NS, and 1 / LOOKS of the sleep before. Short work takes longer. */
#define LOOK_NS 20000u
#define LOOKS 8

/* ---- what the moments change ----------------------------------------------------------------- */

static void begin_wait(const struct sd_blame *c, struct sd_blame_thread *t)
{
	t->since = c->now;
	t->since_stood = c->stood;
}

int sd_blame_enter(struct sd_blame *c, unsigned number)
{
	struct sd_blame_thread *const t = &c->thread[number];
	const struct sd_timeline_thread *const who = &c->timeline->thread[number];

	if (t->alive)
		return 0;
	t->view.pid = who->pid;
	t->view.tid = who->tid;
	if (sd_blame_add(c, t))
		return -ENOMEM;
	t->alive = 1;
	t->view.ppid = who->ppid;
	t->view.queued = 1;
	begin_wait(c, t);
	t->out_activity = SD_ACTIVITY_RUNNABLE;
	return 0;
}

/* A wait, or waiting for a CPU, is over. */
static void end_wait(struct sd_blame *c, struct sd_blame_thread *t)
{
	const double length = S(c->stood - t->since_stood);
	const double piece = S(sd_gap_weights_piece(&c->standing, t->since, c->now));
	const double times = sd_gap_weights_for(&c->standing, c->now);
	struct sd_blame_place *const p = t->lock ? &c->place[t->lock - 1] : NULL;
	struct sd_use *row;

	if (t->view.on_cpu)
		return;
	if (t->out_activity != SD_ACTIVITY_RUNNABLE)
		t->slept = t->out_activity == SD_ACTIVITY_SLEEP ? c->now - t->since : 0;
	row = sd_blame_row(c, &c->uses, t->out_node, t->out_activity);
	if (row && c->now > t->since) {
		row->seconds += length;
		row->count += times;
		row->longest = fmax(row->longest, piece);
	}
	t->lock = t->answerer = 0;
	t->woken = 0;
	if (!p)
		return;
	row = sd_blame_row(c, &p->waiter, t->out_node, t->out_activity);
	if (row)
		row->seconds += length;
	p->waits += times;
	p->wait_s += length;
	p->longest_s = fmax(p->longest_s, piece);
	if (--p->waiting > 0)
		return;
	p->busy += S(c->stood - p->busy_since);
	c->waited[p->at] = c->waited[--c->n_waited];
	c->place[c->waited[p->at]].at = p->at;
}

/*
 * A worker of libgomp's pool that waits in nameless frames is at the dock or at the end of a
 * region. The words around the futex tell which; the first thread is never a worker.
 */
static enum sd_activity activity_of(
	const struct sd_blame *c, const struct sd_blame_thread *t, const struct sd_moment *m)
{
	const enum sd_libgomp_barrier gomp =
		m->lock ? c->timeline->place[m->lock - 1].gomp : SD_LIBGOMP_BARRIER_UNKNOWN;

	if (m->activity != SD_ACTIVITY_POOL && m->activity != SD_ACTIVITY_BARRIER)
		return m->activity;
	if (gomp != SD_LIBGOMP_BARRIER_UNKNOWN)
		return gomp == SD_LIBGOMP_BARRIER_REGION ? SD_ACTIVITY_BARRIER : SD_ACTIVITY_POOL;
	return t->view.tid == t->view.pid ? SD_ACTIVITY_BARRIER : m->activity;
}

static int is_look(uint64_t ran, uint64_t slept)
{
	return ran < LOOK_NS && ran * LOOKS < slept;
}

/* Sleeping again after a look that took hardly any time: it waits for what others do, and asks. */
static enum sd_wait wait_of(
	const struct sd_blame *c, const struct sd_blame_thread *t, enum sd_activity activity)
{
	return activity == SD_ACTIVITY_SLEEP && t->slept && t->came &&
			       is_look(c->now - t->came, t->slept)
		       ? SD_WAIT_POLL
		       : sd_activity_info[activity].wait;
}

/* While it waits for the CPU that another got, what the others run is beside its work, too. */
static void displace(struct sd_blame *c, struct sd_blame_thread *t, int is)
{
	c->displaced += (size_t)is - (size_t)t->displaced;
	t->displaced = is;
}

/* A thread leaves its CPU: either it is still ready, and waits for a CPU, or its stack tells what
 * it waits for. */
static void leave_cpu(struct sd_blame *c, struct sd_blame_thread *t, const struct sd_moment *m)
{
	const int ready = m->kind == SD_MOMENT_PUSHED;
	const enum sd_activity activity = ready ? SD_ACTIVITY_RUNNABLE : activity_of(c, t, m);
	const unsigned place = ready ? 0 : m->lock;
	const int lock = place && c->contended[place - 1].lock;

	sd_blame_unpark(c, t);
	if (!t->view.on_cpu) { /* it waits from before, or its switch to the CPU was lost */
		end_wait(c, t);
		t->view.met |= t->view.cpu <= 0;
	}
	t->view.on_cpu = 0;
	t->view.queued = ready;
	displace(c, t, ready && !sd_blame_spins(t));
	t->twin = (struct sd_twin){0};
	begin_wait(c, t);
	t->out_node = m->node;
	t->out_activity = activity;
	if (!t->sampled)
		t->node = m->node;
	if (ready)
		return;
	if (t->view.tid == c->division.first)
		c->division.sampled = 0;
	t->view.seen = (struct sd_wait_seen){.wait = lock ? SD_WAIT_LOCK : wait_of(c, t, activity),
		.address = place ? place : 0, /* any number that says: the same place */
		.plain = activity != SD_ACTIVITY_CONDITION};
	t->view.gomp = activity == SD_ACTIVITY_BARRIER ? SD_LIBGOMP_BARRIER_REGION
		       : activity == SD_ACTIVITY_POOL  ? SD_LIBGOMP_BARRIER_DOCK
						       : SD_LIBGOMP_BARRIER_UNKNOWN;
	t->view.new_wait = 1;
	t->answerer = c->answers ? c->answers[m - c->timeline->moment] : 0;
	if (lock) {
		t->lock = place;
		if (c->place[place - 1].waiting++ > 0)
			return;
		c->place[place - 1].busy_since = c->stood;
		c->place[place - 1].at = (unsigned)c->n_waited;
		c->waited[c->n_waited++] = place - 1;
	}
}

static void wake(struct sd_blame *c, struct sd_blame_thread *t)
{
	const unsigned lock = t->lock;

	if (!t->alive || t->view.on_cpu || t->view.queued)
		return;
	sd_blame_unpark(c, t);
	end_wait(c, t);
	t->view.queued = 1;
	t->woken = c->now;
	t->waited = t->view.seen;
	t->waited_lock = lock;
	t->view.seen = (struct sd_wait_seen){.wait = SD_WAIT_NONE};
	begin_wait(c, t);
	t->out_activity = SD_ACTIVITY_RUNNABLE;
}

void sd_blame_take_cpu(struct sd_blame *c, struct sd_blame_thread *t)
{
	if (t->view.on_cpu)
		return;
	sd_blame_unpark(c, t);
	end_wait(c, t);
	displace(c, t, 0);
	t->came = c->now;
	t->view.on_cpu = 1;
	t->view.queued = 0;
	t->view.seen = (struct sd_wait_seen){.wait = SD_WAIT_NONE};
}

/* If only one thread is left and it waits for another's end, it is just being woken. */
static void wake_last(struct sd_blame *c, int pid)
{
	struct sd_blame_thread *last = NULL;

	for (size_t i = 0; i < c->views.n; i++)
		if (c->living[i]->view.pid == pid) {
			if (last)
				return;
			last = c->living[i];
		}
	if (last && last->view.seen.wait == SD_WAIT_JOIN)
		wake(c, last);
}

void sd_blame_exit(struct sd_blame *c, struct sd_blame_thread *t)
{
	if (!t->alive)
		return;
	sd_blame_unpark(c, t);
	end_wait(c, t);
	sd_blame_settle(c, t, 1);
	sd_blame_remove(c, t);
	displace(c, t, 0);
	t->alive = 0;
	t->view.on_cpu = t->view.queued = 0;
	if (t->view.tid != t->view.pid)
		wake_last(c, t->view.pid);
}

/* The only thread of all waits for nobody, whatever loop of a runtime it is in: that is
 * its work. */
static struct sd_moment as_alone(const struct sd_blame *c, const struct sd_moment *m)
{
	const int waits = m->activity == SD_ACTIVITY_SPIN_BARRIER ||
			  m->activity == SD_ACTIVITY_SPIN_LOCK ||
			  m->activity == SD_ACTIVITY_SPIN_OTHER;
	struct sd_moment as = *m;

	if (waits && c->views.n == 1)
		as.activity = SD_ACTIVITY_USEFUL;
	return as;
}

/* Other threads that are on a CPU now, or would be; -1: switches are not recorded. */
static long beside(const struct sd_blame *c, const struct sd_blame_thread *t)
{
	long n = (long)c->displaced;

	if (!(sd_gap_weights_for(&c->standing, c->now) > 0))
		return -1;
	for (size_t i = 0; i < c->views.n_active; i++)
		n += c->active[i] != t && c->active[i]->view.on_cpu;
	return n;
}

/* A sample: the thread is on a CPU, whatever was known before; its stack gets the weight and the
 * debts held for it, and the debts of locks it holds. Debts wait for a sample because between
 * samples it is unknown which code runs. */
static void sample(struct sd_blame *c, const struct sd_moment *seen)
{
	const struct sd_moment as = as_alone(c, seen), *const m = &as;
	struct sd_blame_thread *const t = &c->thread[m->thread];
	const struct sd_code code = {.time = m->time, .ip = m->ip, .sp = m->sp};
	const unsigned useful = m->activity == SD_ACTIVITY_USEFUL ? m->node : 0;
	const int together = c->timeline->together;
	struct sd_use *row;
	int rc = 0;

	sd_blame_take_cpu(c, t); /* its switch was lost, or this is its first event */
	if (t->sampled) {
		const int now = sd_spins(m->activity);

		t->pairs++;
		t->spins += now;
		t->spinning += sd_blame_spins(t);
		t->both += now && sd_blame_spins(t);
	}
	t->node = m->node;
	t->activity = m->activity;
	t->sampled = 1;
	if (together)
		rc = sd_joint_samples_add(
			&c->snapshot, m, beside(c, t), &c->uses, &c->twins, &c->sums);
	else
		sd_concurrent_code_sample(&c->twins, &t->twin, useful);
	c->failed = c->failed ? c->failed : rc;
	row = sd_blame_row(c, &c->uses, m->node, m->activity);
	if (row) {
		row->seconds += S(m->weight);
		row->count += 1;
		row->atomic += m->atomic ? S(m->weight) : 0;
		row->solo += !together && t->alone && sd_joint_samples_works(m->activity)
				     ? S(m->weight)
				     : 0;
	}
	/* on its way into a wait or out of one it does nothing that the others wait for */
	if (m->activity != SD_ACTIVITY_KERNEL_FUTEX && m->activity != SD_ACTIVITY_KERNEL_SCHEDULER)
		sd_blame_settle(c, t, 0);
	for (size_t i = 0; i < c->views.n_active && !together; i++)
		if (c->active[i] != t)
			sd_concurrent_code_meet(&c->twins, &c->active[i]->twin, useful);
	for (size_t i = 0; i < c->n_waited; i++)
		if (sd_blame_holder(c, c->waited[i]) == (long)m->thread)
			sd_blame_settle_lock(c, &c->place[c->waited[i]], m->node, m->activity);
	if (t->view.tid == c->division.first && m->ip)
		sd_idle_account_code(&c->division, &c->views, t->view.tid, &code);
}

void sd_blame_moment(struct sd_blame *c, const struct sd_moment *m)
{
	struct sd_blame_thread *const t = &c->thread[m->thread];

	if (m->kind == SD_MOMENT_WAKE) {
		wake(c, &c->thread[m->other]);
		return;
	}
	if (m->kind == SD_MOMENT_EXIT) {
		sd_blame_exit(c, t);
		return;
	}
	if (!t->alive) {
		const int rc = sd_blame_enter(c, m->thread);

		if (rc) {
			c->failed = rc;
			return;
		}
	}
	if (m->kind == SD_MOMENT_SAMPLE)
		sample(c, m);
	else if (m->kind == SD_MOMENT_IN)
		sd_blame_take_cpu(c, t);
	else if (m->kind == SD_MOMENT_OUT || m->kind == SD_MOMENT_PUSHED)
		leave_cpu(c, t, m);
}
