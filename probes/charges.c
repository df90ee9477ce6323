#include "charges.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "charges_state.h"

#define S(ns) ((double)(ns)*1e-9)

#define ALWAYS .95          /* a thread that spins in so many of its samples spins for long */
#define LEAST_SPINNING 20.0 /* samples that say how long waits in loops are */

/* ---- what a wait is to the division ---------------------------------------------------------- */

static enum sd_wait wait_of(enum sd_activity a)
{
	switch (a) {
	case SD_ACTIVITY_MUTEX:
	case SD_ACTIVITY_RWLOCK:
	case SD_ACTIVITY_RUNTIME_LOCK:
		return SD_WAIT_LOCK;
	case SD_ACTIVITY_SEMAPHORE:
	case SD_ACTIVITY_CONDITION:
	case SD_ACTIVITY_BARRIER:
	case SD_ACTIVITY_POOL:
	case SD_ACTIVITY_FUTEX:
	case SD_ACTIVITY_MPI:
		return SD_WAIT_SYNC;
	case SD_ACTIVITY_JOIN:
		return SD_WAIT_JOIN;
	case SD_ACTIVITY_KERNEL_LOCK:
		return SD_WAIT_KERNEL;
	case SD_ACTIVITY_DISK:
		return SD_WAIT_DISK;
	case SD_ACTIVITY_PIPE:
		return SD_WAIT_PIPE;
	case SD_ACTIVITY_SOCKET:
		return SD_WAIT_NETWORK;
	case SD_ACTIVITY_SLEEP:
		return SD_WAIT_SLEEP;
	case SD_ACTIVITY_TASKLESS:
		return SD_WAIT_TASK;
	default:
		return SD_WAIT_UNKNOWN;
	}
}

static int spins(const struct sd_charges_thread *t)
{
	return t->sampled && sd_activity_info[t->activity].group == SD_GROUP_SPINNING;
}

/* Spinning whose reason is another thread's work, not a lock or a message. */
static int spins_for_peers(const struct sd_charges_thread *t)
{
	return t->sampled &&
	       (t->activity == SD_ACTIVITY_SPIN_BARRIER || t->activity == SD_ACTIVITY_SPIN_OTHER);
}

/* ---- charging -------------------------------------------------------------------------------- */

static struct sd_use *row_of(
	struct sd_charges *c, struct sd_uses *u, unsigned node, enum sd_activity activity)
{
	struct sd_use *const row = sd_uses_row(u, node, activity);

	if (!row)
		c->failed = -ENOMEM;
	return row;
}

/* What a thread owes goes to the stack it was last seen at. */
static void settle(struct sd_charges *c, struct sd_charges_thread *t)
{
	struct sd_use *row = row_of(c, &c->uses, t->node, t->activity);

	if (!row)
		return;
	row->solo += t->solo;
	row->blame += t->imbalance + t->other;
	row->blame_imbalance += t->imbalance;
	row->spun_serial += t->spun_serial;
	row->spun_imbalance += t->spun_imbalance;
	t->solo = t->imbalance = t->other = t->spun_serial = t->spun_imbalance = 0;
	for (size_t i = 0; i < t->n_serial; i++) {
		row = row_of(c, &c->solo_use[t->serial[i].solo], t->node, t->activity);
		if (row)
			row->blame += t->serial[i].amount;
	}
	t->n_serial = 0;
}

/* What a lock's waits cost goes to a stack of its holder. */
static void settle_lock(
	struct sd_charges *c, struct sd_charges_place *p, unsigned node, enum sd_activity activity)
{
	struct sd_use *row;

	if (!(p->owed_wait > 0))
		return;
	row = row_of(c, &c->uses, node, activity);
	if (row) {
		row->blame += p->owed_idle;
		row->blame_lock += p->owed_idle;
	}
	row = row_of(c, &p->holder, node, SD_ACTIVITY_USEFUL);
	if (row)
		row->seconds += p->owed_wait;
	p->owed_wait = p->owed_idle = 0;
}

/* The thread that ends the next wait there, -1 unknown. */
static long holder_of(const struct sd_charges *c, size_t place)
{
	const struct sd_contended *const lock = &c->contended[place];
	struct sd_charges_place *const p = &c->place[place];

	while (p->next < lock->n_end && lock->end[p->next].time < c->now)
		p->next++;
	return p->next < lock->n_end ? (long)lock->end[p->next].waker : -1;
}

static size_t case_of(struct sd_charges *c, const struct sd_solo_case *k)
{
	for (size_t i = c->n_solo; i > 0; i--) {
		const struct sd_solo_case *const o = &c->solo[i - 1];

		if (o->tid == k->tid && o->pid == k->pid && o->address == k->address &&
			o->gomp == k->gomp && o->feeds == k->feeds &&
			o->overlapped == k->overlapped && o->code == k->code)
			return i - 1;
	}
	if (c->n_solo == SD_CHARGES_CASES)
		return SD_CHARGES_CASES - 1;
	c->solo[c->n_solo] = *k;
	return c->n_solo++;
}

static void owe_serial(
	struct sd_charges *c, struct sd_charges_thread *t, const struct sd_solo_case *k, double s)
{
	const size_t number = case_of(c, k);

	for (size_t i = 0; i < t->n_serial; i++)
		if (t->serial[i].solo == number) {
			t->serial[i].amount += s;
			return;
		}
	if (t->n_serial == SD_CHARGES_PENDING)
		settle(c, t);
	t->serial[t->n_serial].solo = number;
	t->serial[t->n_serial++].amount = s;
}

/* ---- one step: the time between two moments -------------------------------------------------- */

static struct sd_charges_thread *thread_of(const struct sd_task *task)
{
	/* the task is the first member */
	union {
		const struct sd_task *in;
		struct sd_charges_thread *out;
	} u = {.in = task};

	return u.out;
}

/* The waits for locks of a step, and the idle cores they cost. */
static void owe_locks(struct sd_charges *c, double step, double idle)
{
	size_t waiting = 0;

	for (size_t i = 0; i < c->tree.n; i++)
		waiting += thread_of(c->tree.task[i])->lock != 0;
	for (size_t i = 0; i < c->tree.n && waiting; i++) {
		const struct sd_charges_thread *const t = thread_of(c->tree.task[i]);

		if (!t->lock)
			continue;
		c->place[t->lock - 1].owed_wait += step;
		c->place[t->lock - 1].owed_idle += idle / (double)waiting;
	}
}

/* What idle[] got in a step, to whom it is owed. `before` is idle[] ahead of it. */
static void owe_idle(struct sd_charges *c, const double before[SD_IDLE_COUNT], double idle,
	double running, double step)
{
	const struct sd_division *const d = &c->division;
	double booked = 0, class[SD_IDLE_COUNT];

	for (int i = 0; i < SD_IDLE_COUNT; i++)
		booked += class[i] = d->idle[i] - before[i];
	owe_locks(c, step, class[SD_IDLE_LOCK]);
	if (running < 1)
		return;
	for (size_t i = 0; i < c->tree.n; i++) {
		struct sd_charges_thread *const t = thread_of(c->tree.task[i]);

		if (!t->task.on_cpu)
			continue;
		t->imbalance += class[SD_IDLE_IMBALANCE] / running;
		t->other += (booked - class[SD_IDLE_IMBALANCE] - class[SD_IDLE_LOCK]) / running;
		/* the rest is one runner's, of which only the end of the run says what it is */
		if (idle - booked > 1e-12 * c->division.cores)
			owe_serial(c, t, &d->runner, (idle - booked) / running);
	}
}

static void owe_spinning(struct sd_charges *c, double step)
{
	double useful = 0, spun = 0;

	for (size_t i = 0; i < c->tree.n; i++) {
		const struct sd_charges_thread *const t = thread_of(c->tree.task[i]);

		useful += t->task.on_cpu && !spins(t);
		spun += t->task.on_cpu && spins_for_peers(t);
	}
	if (useful < 1)
		return;
	c->sums.useful_alone += useful < 2 ? step : 0;
	*(useful < 2 ? &c->sums.spun_serial : &c->sums.spun_imbalance) += spun * step;
	for (size_t i = 0; i < c->tree.n; i++) {
		struct sd_charges_thread *const t = thread_of(c->tree.task[i]);

		if (!t->task.on_cpu || spins(t))
			continue;
		t->solo += useful < 2 ? step : 0;
		*(useful < 2 ? &t->spun_serial : &t->spun_imbalance) += spun * step / useful;
	}
}

static void step_to(struct sd_charges *c, uint64_t time)
{
	double before[SD_IDLE_COUNT], running = 0, step;
	uint64_t stood;
	int rc;

	if (time <= c->now)
		return;
	stood = sd_standing_clock(&c->standing, time);
	step = S(stood - c->stood);
	memcpy(before, c->division.idle, sizeof before);
	for (size_t i = 0; i < c->tree.n; i++)
		running += c->tree.task[i]->on_cpu;
	c->tree.env.before = c->stood;
	c->tree.env.now = stood;
	rc = sd_division_add(&c->division, &c->tree);
	c->failed = c->failed ? c->failed : rc;
	owe_idle(c, before, fmax(0, c->division.cores - running) * step, running, step);
	if (!c->timeline->together)
		owe_spinning(c, step);
	for (size_t i = 0; i < c->tree.n; i++) {
		struct sd_charges_thread *const t = thread_of(c->tree.task[i]);

		t->task.new_wait = 0;
		if (!t->task.on_cpu)
			continue;
		t->run += step;
		t->height += step / running;
		t->task.ticks += stood - c->stood;
	}
	c->ran += running > 0 ? step : 0;
	c->now = time;
	c->stood = stood;
}

/* ---- what the moments change ----------------------------------------------------------------- */

static void begin_wait(const struct sd_charges *c, struct sd_charges_thread *t)
{
	t->since = c->now;
	t->since_stood = c->stood;
}

static int enter(struct sd_charges *c, unsigned number)
{
	struct sd_charges_thread *const t = &c->thread[number];
	const struct sd_timeline_thread *const who = &c->timeline->thread[number];
	size_t at = c->tree.n;

	if (t->alive)
		return 0;
	if (c->tree.n == c->tree.room) {
		const size_t room = c->tree.room ? 2 * c->tree.room : 64;
		struct sd_task **const grown =
			reallocarray(c->tree.task, room, sizeof(struct sd_task *));

		if (!grown)
			return -ENOMEM;
		c->tree.task = grown;
		c->tree.room = room;
	}
	while (at > 0 && c->tree.task[at - 1]->tid > who->tid)
		at--;
	memmove(&c->tree.task[at + 1], &c->tree.task[at],
		(c->tree.n - at) * sizeof(struct sd_task *));
	c->tree.task[at] = &t->task;
	c->tree.n++;
	t->alive = 1;
	t->task.pid = who->pid;
	t->task.tid = who->tid;
	t->task.ppid = who->ppid;
	t->task.queued = 1;
	begin_wait(c, t);
	t->out_activity = SD_ACTIVITY_RUNNABLE;
	return 0;
}

/* A wait, or waiting for a CPU, is over. */
static void end_wait(struct sd_charges *c, struct sd_charges_thread *t)
{
	const double length = S(c->stood - t->since_stood);
	const double piece = S(sd_standing_piece(&c->standing, t->since, c->now));
	const double times = sd_standing_for(&c->standing, c->now);
	struct sd_charges_place *const p = t->lock ? &c->place[t->lock - 1] : NULL;
	struct sd_use *row;

	if (t->task.on_cpu)
		return;
	row = row_of(c, &c->uses, t->out_node, t->out_activity);
	if (row && c->now > t->since) {
		row->seconds += length;
		row->count += times;
		row->longest = fmax(row->longest, piece);
	}
	t->lock = 0;
	if (!p)
		return;
	row = row_of(c, &p->waiter, t->out_node, t->out_activity);
	if (row)
		row->seconds += length;
	p->waits += times;
	p->wait_s += length;
	p->longest_s = fmax(p->longest_s, piece);
	if (--p->waiting == 0)
		p->busy += S(c->stood - p->busy_since);
}

/*
 * A worker of libgomp's pool that waits where frames have no names is at the dock or at the end of
 * a region: the words around the futex tell, and the first thread is no worker.
 */
static enum sd_activity activity_of(
	const struct sd_charges *c, const struct sd_charges_thread *t, const struct sd_moment *m)
{
	const enum sd_gomp gomp = m->lock ? c->timeline->place[m->lock - 1].gomp : SD_GOMP_UNKNOWN;

	if (m->activity != SD_ACTIVITY_POOL && m->activity != SD_ACTIVITY_BARRIER)
		return m->activity;
	if (gomp != SD_GOMP_UNKNOWN)
		return gomp == SD_GOMP_REGION ? SD_ACTIVITY_BARRIER : SD_ACTIVITY_POOL;
	return t->task.tid == t->task.pid ? SD_ACTIVITY_BARRIER : m->activity;
}

static void leave_cpu(struct sd_charges *c, struct sd_charges_thread *t, const struct sd_moment *m)
{
	const int ready = m->kind == SD_MOMENT_PUSHED;
	const enum sd_activity activity = ready ? SD_ACTIVITY_RUNNABLE : activity_of(c, t, m);
	const unsigned place = ready ? 0 : m->lock;
	const int lock = place && c->contended[place - 1].lock;

	if (!t->task.on_cpu) /* its switch to the CPU was lost */
		end_wait(c, t);
	t->task.on_cpu = 0;
	t->task.queued = ready;
	t->twin = (struct sd_twin){0};
	begin_wait(c, t);
	t->out_node = m->node;
	t->out_activity = activity;
	if (!t->sampled)
		t->node = m->node;
	if (ready)
		return;
	if (t->task.tid == c->division.first)
		c->division.sampled = 0;
	t->task.seen = (struct sd_wait_seen){.wait = lock ? SD_WAIT_LOCK : wait_of(activity),
		.address = place ? place : 0, /* any number that says: the same place */
		.plain = activity != SD_ACTIVITY_CONDITION};
	t->task.gomp = activity == SD_ACTIVITY_BARRIER ? SD_GOMP_REGION
		       : activity == SD_ACTIVITY_POOL  ? SD_GOMP_DOCK
						       : SD_GOMP_UNKNOWN;
	t->task.new_wait = 1;
	if (lock) {
		t->lock = place;
		if (c->place[place - 1].waiting++ == 0)
			c->place[place - 1].busy_since = c->stood;
	}
}

static void wake(struct sd_charges *c, struct sd_charges_thread *t)
{
	if (!t->alive || t->task.on_cpu || t->task.queued)
		return;
	end_wait(c, t);
	t->task.queued = 1;
	t->task.seen = (struct sd_wait_seen){.wait = SD_WAIT_NONE};
	begin_wait(c, t);
	t->out_activity = SD_ACTIVITY_RUNNABLE;
}

static void take_cpu(struct sd_charges *c, struct sd_charges_thread *t)
{
	if (t->task.on_cpu)
		return;
	end_wait(c, t);
	t->task.on_cpu = 1;
	t->task.queued = 0;
	t->task.seen = (struct sd_wait_seen){.wait = SD_WAIT_NONE};
}

/* Who waits for the end of a thread, where only it is left, is being woken. */
static void wake_last(struct sd_charges *c, int pid)
{
	struct sd_task *last = NULL;

	for (size_t i = 0; i < c->tree.n; i++)
		if (c->tree.task[i]->pid == pid) {
			if (last)
				return;
			last = c->tree.task[i];
		}
	if (last && last->seen.wait == SD_WAIT_JOIN)
		wake(c, thread_of(last));
}

static void exits(struct sd_charges *c, struct sd_charges_thread *t)
{
	if (!t->alive)
		return;
	end_wait(c, t);
	settle(c, t);
	for (size_t i = 0; i < c->tree.n; i++)
		if (c->tree.task[i] == &t->task) {
			memmove(&c->tree.task[i], &c->tree.task[i + 1],
				(--c->tree.n - i) * sizeof(struct sd_task *));
			break;
		}
	t->alive = 0;
	t->task.on_cpu = t->task.queued = 0;
	if (t->task.tid != t->task.pid)
		wake_last(c, t->task.pid);
}

static void sample(struct sd_charges *c, const struct sd_moment *m)
{
	struct sd_charges_thread *const t = &c->thread[m->thread];
	const struct sd_code code = {.time = m->time, .ip = m->ip, .sp = m->sp};
	const unsigned useful = m->activity == SD_ACTIVITY_USEFUL ? m->node : 0;
	const int together = c->timeline->together;
	struct sd_use *row;
	int rc = 0;

	take_cpu(c, t); /* its switch was lost, or it is the first thing known of it */
	if (t->sampled) {
		const int now = sd_activity_info[m->activity].group == SD_GROUP_SPINNING;

		t->pairs++;
		t->spins += now;
		t->spinning += spins(t);
		t->both += now && spins(t);
	}
	t->node = m->node;
	t->activity = m->activity;
	t->sampled = 1;
	if (together)
		rc = sd_snapshot_add(&c->snapshot, m, &c->uses, &c->twins, &c->sums);
	else
		sd_twins_sample(&c->twins, &t->twin, useful);
	c->failed = c->failed ? c->failed : rc;
	row = row_of(c, &c->uses, m->node, m->activity);
	if (row) {
		row->seconds += S(m->weight);
		row->count += 1;
	}
	settle(c, t);
	for (size_t i = 0; i < c->tree.n; i++) {
		struct sd_charges_thread *const other = thread_of(c->tree.task[i]);
		const unsigned lock = other->lock;

		if (other != t && !together)
			sd_twins_meet(&c->twins, &other->twin, useful);
		if (lock && holder_of(c, lock - 1) == (long)m->thread)
			settle_lock(c, &c->place[lock - 1], m->node, m->activity);
	}
	if (t->task.tid == c->division.first && m->ip)
		sd_division_code(&c->division, &c->tree, t->task.tid, &code);
}

static void take(struct sd_charges *c, const struct sd_moment *m)
{
	struct sd_charges_thread *const t = &c->thread[m->thread];

	if (m->kind == SD_MOMENT_WAKE) {
		wake(c, &c->thread[m->other]);
		return;
	}
	if (m->kind == SD_MOMENT_EXIT) {
		exits(c, t);
		return;
	}
	if (!t->alive) {
		const int rc = enter(c, m->thread);

		if (rc) {
			c->failed = rc;
			return;
		}
	}
	if (m->kind == SD_MOMENT_SAMPLE)
		sample(c, m);
	else if (m->kind == SD_MOMENT_IN)
		take_cpu(c, t);
	else if (m->kind == SD_MOMENT_OUT || m->kind == SD_MOMENT_PUSHED)
		leave_cpu(c, t, m);
}

/* ---- the whole ------------------------------------------------------------------------------- */

static void finish(struct sd_charges *c)
{
	for (size_t i = 0; i < c->timeline->n_thread; i++)
		exits(c, &c->thread[i]);
	for (size_t i = 0; i < c->timeline->n_place; i++) {
		const struct sd_contended *const lock = &c->contended[i];
		const struct sd_charges_thread *last;

		if (!lock->n_end)
			continue;
		/* no sample met the holder while somebody waited: where it was seen last */
		last = &c->thread[lock->end[lock->n_end - 1].waker];
		settle_lock(c, &c->place[i], last->node, last->activity);
	}
}

/*
 * Where clocks do not tick together, what ran meanwhile is known of long waits only. Where waits
 * are shorter than the time between samples, whether a sample spins does not depend on
 * the one before; where they are longer, it nearly always does. The excess over chance is the share
 * of spinning in long waits.
 */
static double spinning_seen(const struct sd_charges *c)
{
	double all = 0, seen = 0;

	for (size_t i = 0; i < c->timeline->n_thread; i++) {
		const struct sd_charges_thread *const t = &c->thread[i];
		const double chance = t->pairs > 0 ? t->spins / t->pairs : 0;
		double excess = 1;

		if (!(t->spinning > 0))
			continue;
		if (chance < ALWAYS)
			excess = (t->both / t->spinning - chance) / (1 - chance);
		all += t->spinning;
		seen += t->spinning * fmin(1, fmax(0, excess));
	}
	return all >= LEAST_SPINNING ? seen / all : 1;
}

int sd_charges_make(struct sd_charges *c, const struct sd_timeline *t,
	const struct sd_stacks *stacks, double cores)
{
	unsigned first;
	int rc;

	*c = (struct sd_charges){
		.timeline = t, .now = t->start, .stood = t->start, .standing = {.timeline = t}};
	c->thread = calloc(t->n_thread + 1, sizeof *c->thread);
	c->place = calloc(t->n_place + 1, sizeof *c->place);
	c->solo = calloc(SD_CHARGES_CASES, sizeof *c->solo);
	c->solo_use = calloc(SD_CHARGES_CASES, sizeof *c->solo_use);
	if (!c->thread || !c->place || !c->solo || !c->solo_use)
		return -ENOMEM;
	rc = sd_contended_find(t, &c->contended);
	if (!rc)
		rc = sd_twins_open(&c->twins, stacks);
	if (rc)
		return rc;
	c->division.cores = cores;
	c->division.first = t->first;
	c->division.codes = &c->codes;
	for (first = 0; first < t->n_thread && t->thread[first].tid != t->first; first++)
		;
	if (first < t->n_thread) {
		rc = enter(c, first);
		if (rc)
			return rc;
		take_cpu(c, &c->thread[first]);
	}
	for (size_t i = 0; i < t->n && !c->failed; i++) {
		if (t->moment[i].time > t->end)
			break;
		step_to(c, t->moment[i].time);
		take(c, &t->moment[i]);
	}
	step_to(c, t->end);
	finish(c);
	rc = sd_snapshot_end(&c->snapshot, &c->uses, &c->twins, &c->sums);
	c->failed = c->failed ? c->failed : rc;
	c->seen = spinning_seen(c);
	c->seen_serial = t->together ? 1 : c->seen;
	rc = sd_paths_make(&c->paths, &c->uses, stacks, &c->twins);
	return c->failed ? c->failed : rc;
}

void sd_charges_free(struct sd_charges *c)
{
	const size_t places = c->place ? c->timeline->n_place : 0;

	sd_contended_free(c->contended, c->contended ? c->timeline->n_place : 0);
	for (size_t i = 0; i < places; i++) {
		sd_uses_free(&c->place[i].holder);
		sd_uses_free(&c->place[i].waiter);
	}
	for (size_t i = 0; c->solo_use && i < SD_CHARGES_CASES; i++)
		sd_uses_free(&c->solo_use[i]);
	sd_paths_free(&c->paths);
	sd_twins_free(&c->twins);
	sd_snapshot_free(&c->snapshot);
	sd_division_free(&c->division);
	sd_uses_free(&c->uses);
	free(c->tree.task); /* the tasks are the threads' */
	free(c->thread);
	free(c->place);
	free(c->solo);
	free(c->solo_use);
	*c = (struct sd_charges){0};
}
