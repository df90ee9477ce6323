#include "attribute/blame.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "attribute/blame_state.h"

static double together(const struct sd_idle_account *d)
{
	return d->one > 0 ? d->both / d->one : INFINITY;
}

/* By the wait addresses it is a late peer, but it runs code that never runs beside others: serial
 * after all (METHODS 2.3.2). */
static int is_serial_after_all(const struct sd_blame *c, unsigned node)
{
	return sd_serial_paths_of(&c->paths, node) == SD_PATH_ALONE;
}

void sd_blame_idle(const struct sd_blame *c, double idle[SD_IDLE_COUNT])
{
	const int turns = sd_lone_runner_turns(&c->division.solo, together(&c->division));

	sd_idle_account_total(&c->division, idle);
	for (size_t k = 0; k < c->n_solo; k++) {
		double share[SD_IDLE_COUNT], moved = 0;

		sd_lone_runner_share(&c->division.solo, turns, &c->solo[k], share);
		for (size_t i = 0; i < c->solo_use[k].n; i++)
			if (is_serial_after_all(c, c->solo_use[k].use[i].node))
				moved += c->solo_use[k].use[i].blame * share[SD_IDLE_IMBALANCE];
		moved = fmin(moved, idle[SD_IDLE_IMBALANCE]);
		idle[SD_IDLE_IMBALANCE] -= moved;
		idle[SD_IDLE_SERIAL] += moved;
	}
}

/* Divides what others spun while this row ran: serial only if the code never ran beside others. */
static void divide_spun(const struct sd_blame *c, struct sd_use *row)
{
	if (sd_serial_paths_of(&c->paths, row->node) == SD_PATH_BESIDE) {
		row->spun_imbalance += row->spun_serial;
		row->spun_serial = 0;
	}
	row->spun_imbalance *= c->seen_late;
	row->spun_serial *= c->seen_serial;
	if (c->moved > 0 && row->activity == SD_ACTIVITY_USEFUL &&
		sd_work_shares_own(&c->teamwork, row->node))
		row->spun_serial += c->moved * row->seconds / c->teamwork.own;
}

/* Outputs the rows, including cores idle beside a lone runner: serial code, a late peer, or a lock.
 */
static int give_uses(const struct sd_blame *c, struct sd_stacks *stacks, struct sd_sampled *out)
{
	const int turns = sd_lone_runner_turns(&c->division.solo, together(&c->division));
	struct sd_stack_times all = {0};
	int rc = 0;

	for (size_t i = 0; i < c->uses.n && !rc; i++) {
		struct sd_use *const row =
			sd_stack_times_row(&all, c->uses.use[i].node, c->uses.use[i].activity);

		if (row) {
			*row = c->uses.use[i];
			if (sd_activity_info[row->activity].group == SD_GROUP_WAITING)
				row->seconds *= c->waits_by;
			divide_spun(c, row);
		}
		rc = row ? 0 : -ENOMEM;
	}
	for (size_t k = 0; k < c->n_solo && !rc; k++) {
		double share[SD_IDLE_COUNT];

		sd_lone_runner_share(&c->division.solo, turns, &c->solo[k], share);
		for (size_t i = 0; i < c->solo_use[k].n && !rc; i++) {
			double late = share[SD_IDLE_IMBALANCE], serial = share[SD_IDLE_SERIAL];

			const struct sd_use *const u = &c->solo_use[k].use[i];
			struct sd_use *const row = sd_stack_times_row(&all, u->node, u->activity);

			rc = row ? 0 : -ENOMEM;
			if (!row)
				break;
			if (is_serial_after_all(c, u->node)) {
				serial += late;
				late = 0;
			}
			row->blame += u->blame;
			row->blame_serial += u->blame * serial;
			row->blame_imbalance += u->blame * late;
			row->blame_lock += u->blame * share[SD_IDLE_LOCK];
		}
	}
	if (!rc)
		rc = sd_stack_times_take(&all, stacks, &out->use, &out->n_use);
	sd_stack_times_free(&all);
	return rc;
}

static int by_seconds(const void *a, const void *b)
{
	const struct sd_use *const x = a, *const y = b;

	return x->seconds < y->seconds   ? 1
	       : x->seconds > y->seconds ? -1
					 : (x->node > y->node) - (x->node < y->node);
}

/* The most of a place's stacks; sorts them in place. */
#define GIVE_STACKS(name, list)                                                        \
	static void name(struct sd_stack_times *u, double by, struct sd_lock_use *out) \
	{                                                                              \
		if (u->n)                                                              \
			qsort(u->use, u->n, sizeof *u->use, by_seconds);               \
		for (size_t i = 0; i < u->n && i < SD_LOCK_STACKS; i++) {              \
			out->list[i].node = u->use[i].node;                            \
			out->list[i].seconds = by * u->use[i].seconds;                 \
		}                                                                      \
	}
GIVE_STACKS(give_holders, holder)
GIVE_STACKS(give_waiters, waiter)

static int by_wait(const void *a, const void *b)
{
	const struct sd_lock_use *const x = a, *const y = b;

	return x->wait_s < y->wait_s   ? 1
	       : x->wait_s > y->wait_s ? -1
				       : (x->address > y->address) - (x->address < y->address);
}

static int give_locks(const struct sd_blame *c, struct sd_sampled *out)
{
	const struct sd_timeline *const t = c->timeline;
	const double length = (double)(t->end - t->start) * 1e-9;
	struct sd_lock_use *const list = calloc(t->n_place + 1, sizeof *list);
	size_t n = 0;

	if (!list)
		return -ENOMEM;
	for (size_t i = 0; i < t->n_place; i++) {
		struct sd_blame_place *const p = &c->place[i];

		if (!(p->waits > 0))
			continue;
		list[n] = (struct sd_lock_use){.name = t->place[i].name,
			.address = t->place[i].address,
			.pid = t->place[i].pid,
			.kind = t->place[i].kind,
			.waits = p->waits,
			.wait_s = c->waits_by * p->wait_s,
			.longest_s = p->longest_s};
		if (length > 0)
			list[n].busy = SD_OK(fmin(1, p->busy / length));
		give_holders(&p->holder, c->waits_by, &list[n]);
		give_waiters(&p->waiter, c->waits_by, &list[n++]);
	}
	qsort(list, n, sizeof *list, by_wait);
	out->lock = list;
	out->n_lock_seen = n;
	out->n_lock = n < SD_SAMPLED_LOCKS ? n : SD_SAMPLED_LOCKS;
	return 0;
}

static int by_height(const void *a, const void *b)
{
	const struct sd_bottle *const x = a, *const y = b;

	return x->height < y->height ? 1 : x->height > y->height ? -1 : x->tid - y->tid;
}

static int give_bottles(const struct sd_blame *c, struct sd_sampled *out)
{
	const struct sd_timeline *const t = c->timeline;
	struct sd_bottle *const list = calloc(t->n_thread + 1, sizeof *list);
	size_t n = 0;

	if (!list)
		return -ENOMEM;
	for (size_t i = 0; i < t->n_thread; i++) {
		const struct sd_blame_thread *const of = &c->thread[i];

		if (!(of->height > 0))
			continue;
		list[n] = (struct sd_bottle){.pid = t->thread[i].pid,
			.tid = t->thread[i].tid,
			.height = of->height,
			.width = of->run / of->height};
		memcpy(list[n++].name, t->thread[i].name, sizeof list->name);
	}
	qsort(list, n, sizeof *list, by_height);
	out->bottle = list;
	out->n_bottle = n < SD_SAMPLED_THREADS ? n : SD_SAMPLED_THREADS;
	return 0;
}

static void give_spun(const struct sd_blame *c, struct sd_sampled *out)
{
	out->spun_serial =
		SD_OK(c->seen_serial * fmax(0, c->sums.spun_serial - c->late) + c->moved);
	out->spun_imbalance = SD_OK(c->seen_late * (c->sums.spun_imbalance + c->late));
}

int sd_blame_rows(const struct sd_blame *c, struct sd_stacks *stacks, struct sd_sampled *out)
{
	int rc = give_uses(c, stacks, out);

	if (!rc)
		rc = give_locks(c, out);
	if (!rc)
		rc = give_bottles(c, out);
	out->useful_alone = SD_OK(c->sums.useful_alone);
	give_spun(c, out);
	return rc;
}
