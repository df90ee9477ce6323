#include <errno.h>

#include "attribute/blame_state.h"

#define NOTHING 1e-12 /* core-s, of differences of sums */

struct sd_use *sd_blame_row(
	struct sd_blame *c, struct sd_stack_times *u, unsigned node, enum sd_activity activity)
{
	struct sd_use *const row = sd_stack_times_row(u, node, activity);

	if (!row)
		c->failed = -ENOMEM;
	return row;
}

/* Takes the amount off the debt. */
static double take(double *amount, int due)
{
	const double all = due ? *amount : 0;

	*amount -= all;
	return all;
}

void sd_blame_settle(struct sd_blame *c, struct sd_blame_thread *t, int all)
{
	struct sd_use *row = sd_blame_row(c, &c->uses, t->node, t->activity);
	double late;
	size_t left = 0;

	if (!row)
		return;
	late = take(&t->imbalance.amount, all || t->imbalance.now);
	row->blame += late + take(&t->other.amount, all || t->other.now);
	row->blame_imbalance += late;
	row->spun_serial += take(&t->spun_serial.amount, all || t->spun_serial.now);
	row->spun_imbalance += take(&t->spun_imbalance.amount, all || t->spun_imbalance.now);
	for (size_t i = 0; i < t->n_serial; i++) {
		if (!all && !t->serial[i].now) {
			t->serial[left++] = t->serial[i];
			continue;
		}
		if (all) {
			struct sd_blame_unmet *const u = &c->unmet[t->serial[i].solo];

			u->amount += t->serial[i].amount;
			u->node = t->node;
			u->activity = t->activity;
			continue;
		}
		row = sd_blame_row(c, &c->solo_use[t->serial[i].solo], t->node, t->activity);
		if (row)
			row->blame += t->serial[i].amount;
	}
	t->n_serial = left;
}

/* Core-s charged in a case. */
static double charged(const struct sd_stack_times *u)
{
	double sum = 0;

	for (size_t i = 0; i < u->n; i++)
		sum += u->use[i].blame;
	return sum;
}

/* Charges the k-th case by these shares of its own rows, or of another case's. */
static void charge_like(struct sd_blame *c, size_t k, size_t other, double factor)
{
	const struct sd_stack_times *const from = &c->solo_use[other];

	for (size_t i = 0; i < from->n; i++) {
		const double more = factor * from->use[i].blame;
		struct sd_use *const row =
			sd_blame_row(c, &c->solo_use[k], from->use[i].node, from->use[i].activity);

		if (row)
			row->blame += more;
	}
}

void sd_blame_settle_unmet(struct sd_blame *c)
{
	for (size_t k = 0; k < c->n_solo; k++) {
		const struct sd_blame_unmet *const u = &c->unmet[k];
		double of[SD_BLAME_CASES] = {0}, sum = of[k] = charged(&c->solo_use[k]);
		struct sd_use *row;

		if (!(u->amount > 0))
			continue;
		for (size_t i = 0; i < c->n_solo && !(of[k] > 0); i++)
			if (c->solo[i].pid == c->solo[k].pid && c->solo[i].tid == c->solo[k].tid)
				sum += of[i] = charged(&c->solo_use[i]);
		for (size_t i = 0; i < c->n_solo; i++)
			if (of[i] > 0)
				charge_like(c, k, i, u->amount / sum);
		row = sum > 0 ? NULL : sd_blame_row(c, &c->solo_use[k], u->node, u->activity);
		if (row)
			row->blame += u->amount;
	}
}

void sd_blame_settle_parked(const struct sd_blame *c, struct sd_blame_place *p)
{
	p->owed_wait += p->parked * (c->parked_wait - p->parked_wait);
	p->owed_idle += p->parked * (c->parked_idle - p->parked_idle);
	p->parked_wait = c->parked_wait;
	p->parked_idle = c->parked_idle;
}

void sd_blame_settle_lock(
	struct sd_blame *c, struct sd_blame_place *p, unsigned node, enum sd_activity activity)
{
	struct sd_use *row;

	sd_blame_settle_parked(c, p);
	if (!(p->owed_wait > 0 || p->owed_idle > 0))
		return;
	row = sd_blame_row(c, &c->uses, node, activity);
	if (row) {
		row->blame += p->owed_idle;
		row->blame_lock += p->owed_idle;
	}
	row = sd_blame_row(c, &p->holder, node, SD_ACTIVITY_USEFUL);
	if (row)
		row->seconds += p->owed_wait;
	p->owed_wait = p->owed_idle = 0;
}

long sd_blame_holder(const struct sd_blame *c, size_t place)
{
	const struct sd_lock_owners *const lock = &c->contended[place];
	struct sd_blame_place *const p = &c->place[place];

	while (p->next < lock->n_end && lock->end[p->next].time < c->now)
		p->next++;
	return p->next < lock->n_end ? (long)lock->end[p->next].waker : -1;
}

static size_t case_of(struct sd_blame *c, const struct sd_lone_runner_case *k)
{
	for (size_t i = c->n_solo; i > 0; i--) {
		const struct sd_lone_runner_case *const o = &c->solo[i - 1];

		if (o->tid == k->tid && o->pid == k->pid && o->address == k->address &&
			o->gomp == k->gomp && o->feeds == k->feeds &&
			o->overlapped == k->overlapped && o->code == k->code)
			return i - 1;
	}
	if (c->n_solo == SD_BLAME_CASES)
		return SD_BLAME_CASES - 1;
	c->solo[c->n_solo] = *k;
	return c->n_solo++;
}

static void owe_serial(struct sd_blame *c, struct sd_blame_thread *t,
	const struct sd_lone_runner_case *k, double s, int now)
{
	const size_t number = case_of(c, k);

	for (size_t i = 0; i < t->n_serial; i++)
		if (t->serial[i].solo == number) {
			t->serial[i].amount += s;
			t->serial[i].now = now;
			return;
		}
	if (t->n_serial == SD_CHARGES_PENDING)
		sd_blame_settle(c, t, 1);
	t->serial[t->n_serial].solo = number;
	t->serial[t->n_serial].amount = s;
	t->serial[t->n_serial++].now = now;
}

/* Charges this thread for a step; its other debts are of other times. `now`: 0 if what it runs is
 * not what the others wait for. */
static void owe(struct sd_blame_thread *t, double late, double other, int now)
{
	t->imbalance.amount += late;
	t->imbalance.now = now && late > NOTHING;
	t->other.amount += other;
	t->other.now = now && other > NOTHING;
	for (size_t i = 0; i < t->n_serial; i++)
		t->serial[i].now = 0;
}

static int spins_for_peers(const struct sd_blame_thread *t)
{
	return t->sampled && sd_spins_for_peers(t->activity);
}

/* Index + 1 of the lock it waits for, or was woken from and has no core yet. */
static unsigned lock_of(const struct sd_blame_thread *t)
{
	return t->lock ? t->lock : t->on_its_way ? t->waited_lock : 0;
}

/* Charges a step's waits for locks, and the cores idle for them. */
static void owe_locks(struct sd_blame *c, double step, double idle)
{
	size_t waiting = c->parked_locks;

	for (size_t i = 0; i < c->views.n_active; i++)
		waiting += lock_of(c->active[i]) != 0;
	if (!waiting)
		return;
	c->parked_wait += step;
	c->parked_idle += idle / (double)waiting;
	for (size_t i = 0; i < c->views.n_active; i++) {
		const struct sd_blame_thread *const t = c->active[i];
		const unsigned lock = lock_of(t);

		if (!lock)
			continue;
		c->place[lock - 1].owed_wait += t->lock ? step : 0;
		c->place[lock - 1].owed_idle += idle / (double)waiting;
	}
}

void sd_blame_owe_idle(struct sd_blame *c, const double before[SD_IDLE_COUNT], double idle,
	double running, double step)
{
	const struct sd_idle_account *const d = &c->division;
	double booked = 0, coming = 0, class[SD_IDLE_COUNT];
	int now;

	for (int i = 0; i < SD_IDLE_COUNT; i++)
		booked += class[i] = d->idle[i] - before[i];
	owe_locks(c, step, class[SD_IDLE_LOCK]);
	if (running < 1)
		return;
	for (size_t i = 0; i < c->views.n_active; i++)
		coming += c->active[i]->on_its_way;
	/* whoever is on its way has waited for what its waker ran before it woke it */
	now = coming < d->cores - running;
	for (size_t i = 0; i < c->views.n_active; i++) {
		struct sd_blame_thread *const t = c->active[i];

		if (!t->view.on_cpu)
			continue;
		owe(t, class[SD_IDLE_IMBALANCE] / running,
			(booked - class[SD_IDLE_IMBALANCE] - class[SD_IDLE_LOCK]) / running, now);
		/* the rest is beside a lone runner; only the end of the run tells what it was */
		if (idle - booked > 1e-12 * c->division.cores)
			owe_serial(c, t, &d->runner, (idle - booked) / running, now);
	}
}

static int works(const struct sd_blame_thread *t)
{
	return t->view.on_cpu && !sd_blame_spins(t);
}

void sd_blame_owe_spinning(struct sd_blame *c, double step)
{
	double useful = 0, spun = 0;

	for (size_t i = 0; i < c->views.n_active; i++) {
		const struct sd_blame_thread *const t = c->active[i];

		useful += works(t);
		spun += t->view.on_cpu && spins_for_peers(t);
	}
	c->useful = useful + (double)c->displaced;
	c->sums.useful_alone += useful == 1 && c->useful == 1 ? step : 0;
	if (useful >= 1)
		*(c->useful < 2 ? &c->sums.spun_serial : &c->sums.spun_imbalance) += spun * step;
	c->spun = spun;
	for (size_t i = 0; i < c->views.n_active; i++) {
		struct sd_blame_thread *const t = c->active[i];

		t->alone = c->useful - works(t) < 1;
		t->spun_serial.now = t->alone && spun > 0;
		t->spun_imbalance.now = !t->alone && spun > 0;
		if (works(t))
			(t->alone ? &t->spun_serial : &t->spun_imbalance)->amount +=
				spun * step / useful;
	}
}
