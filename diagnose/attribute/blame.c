#include "attribute/blame.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "attribute/blame_state.h"

/*
 * Finds the senders of the messages (pipes, sockets) that end waits, if the kernel reported
 * wake-ups. *out: owned by the caller, one entry a moment of the timeline: for a wait at a pipe or
 * socket the index + 1 of the thread that ended it, else 0. NULL if no such wait is known. 0 or
 * -ENOMEM.
 */
static int find_senders(const struct sd_timeline *t, unsigned **out)
{
	size_t *const since = calloc(t->n_thread + 1, sizeof *since); /* moment + 1; 0 no wait */
	int rc = since ? 0 : -ENOMEM;

	*out = NULL;
	for (size_t i = 0; !rc && i < t->n; i++) {
		const struct sd_moment *const m = &t->moment[i];
		const int asks =
			m->kind == SD_MOMENT_OUT &&
			(m->activity == SD_ACTIVITY_PIPE || m->activity == SD_ACTIVITY_SOCKET);

		if (m->kind != SD_MOMENT_WAKE) {
			since[m->thread] = asks ? i + 1 : 0;
			continue;
		}
		if (!since[m->other] || m->thread == m->other)
			continue;
		if (!*out && !(*out = calloc(t->n, sizeof **out)))
			rc = -ENOMEM;
		else
			(*out)[since[m->other] - 1] = m->thread + 1;
		since[m->other] = 0;
	}
	free(since);
	return rc;
}

#define ALWAYS .95          /* share of spinning samples from which a thread's waits must be long */
#define MOST_CORRECTED 1.25 /* a larger correction is not chance: something was missed */
#define LEAST_SPINNING 5.0  /* samples needed to tell how long spins are */

/* If others never spin while a thread runs code of its own, that code is part of its share of
 * parallel work. If phases are just too short for snapshots, many of its samples still meet
 * spinning threads: at least this share must (METHODS 2.3.5). */
#define MEETS .25

static void finish(struct sd_blame *c)
{
	for (size_t i = 0; i < c->timeline->n_thread; i++)
		sd_blame_exit(c, &c->thread[i]);
	for (size_t i = 0; i < c->timeline->n_place; i++) {
		const struct sd_lock_owners *const lock = &c->contended[i];
		const struct sd_blame_thread *last;

		if (!lock->n_end)
			continue;
		/* the holder was never sampled while somebody waited: charge where it was last seen
		 */
		last = &c->thread[lock->end[lock->n_end - 1].waker];
		sd_blame_settle_lock(c, &c->place[i], last->node, last->activity);
	}
	sd_blame_settle_unmet(c);
}

/*
 * Share of spinning in waits longer than the sampling period (METHODS 2.3.3): only of these it is
 * known what ran meanwhile if clocks do not tick together. In shorter waits whether a sample spins
 * is independent of the one before; in longer ones it nearly always does if that one did. The
 * excess of that conditional probability over chance is the share.
 */
static double spinning_seen(const struct sd_blame *c)
{
	double all = 0, seen = 0;

	for (size_t i = 0; i < c->timeline->n_thread; i++) {
		const struct sd_blame_thread *const t = &c->thread[i];
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

/* Time spun, by the snapshots, while one thread did work that others also do. */
static double spun_late(const struct sd_blame *c)
{
	double late = 0;

	for (size_t i = 0; i < c->uses.n; i++)
		if (sd_serial_paths_of(&c->paths, c->uses.use[i].node) == SD_PATH_BESIDE)
			late += c->uses.use[i].spun_serial;
	return late;
}

/* Divides spinning between serial code and late peers (METHODS 2.3.3 and 2.3.5). Needs the paths.
 */
static int divide_spinning(struct sd_blame *c)
{
	struct sd_work_shares *const x = &c->teamwork;
	const double seen = spinning_seen(c);
	double met = 0, all;
	int rc = 0;

	if (c->timeline->together && c->sums.spun_serial + c->sums.spun_imbalance > 0)
		rc = sd_work_shares_find(x, c->timeline, &c->twins);
	for (size_t i = 0; i < c->uses.n; i++)
		if (sd_work_shares_own(x, c->uses.use[i].node))
			met += c->uses.use[i].spun_serial;
	if (x->serial > 0 && met >= MEETS * x->serial)
		sd_serial_paths_serial(&c->paths, x->is, x->n);
	else { /* not serial code: they wait for a late peer */
		x->late += x->serial;
		x->serial = 0;
	}
	c->seen_serial = c->timeline->together ? 1 : seen;
	c->late = spun_late(c);
	all = c->sums.spun_imbalance + c->late;
	c->moved = fmin(fmax(0, x->serial - (c->sums.spun_serial - c->late)), all);
	c->seen_late = fmax(seen * (all - c->moved), fmin(x->late, all - c->moved));
	c->seen_late = all > 0 ? c->seen_late / all : 0;
	return rc;
}

int sd_blame_make(struct sd_blame *c, const struct sd_timeline *t, const struct sd_stacks *stacks,
	double cores)
{
	unsigned first;
	int rc;

	*c = (struct sd_blame){.timeline = t,
		.now = t->start,
		.stood = t->start,
		.standing = {.timeline = t},
		.waits_by = 1};
	c->thread = calloc(t->n_thread + 1, sizeof *c->thread);
	c->place = calloc(t->n_place + 1, sizeof *c->place);
	c->waited = calloc(t->n_place + 1, sizeof *c->waited);
	c->solo = calloc(SD_BLAME_CASES, sizeof *c->solo);
	c->solo_use = calloc(SD_BLAME_CASES, sizeof *c->solo_use);
	c->unmet = calloc(SD_BLAME_CASES, sizeof *c->unmet);
	if (!c->thread || !c->place || !c->waited || !c->solo || !c->solo_use || !c->unmet)
		return -ENOMEM;
	rc = sd_lock_owners_find(t, &c->contended);
	if (!rc)
		rc = find_senders(t, &c->answers);
	if (!rc)
		rc = sd_concurrent_code_open(&c->twins, stacks);
	if (rc)
		return rc;
	c->division.cores = cores;
	c->division.first = t->first;
	c->division.codes = &c->codes;
	for (first = 0; first < t->n_thread && t->thread[first].tid != t->first; first++)
		;
	if (first < t->n_thread) {
		rc = sd_blame_enter(c, first);
		if (rc)
			return rc;
		sd_blame_take_cpu(c, &c->thread[first]);
	}
	for (size_t i = 0; i < t->n && !c->failed; i++) {
		if (t->moment[i].time > t->end)
			break;
		sd_blame_step(c, t->moment[i].time);
		sd_blame_moment(c, &t->moment[i]);
	}
	sd_blame_step(c, t->end);
	finish(c);
	rc = sd_joint_samples_end(&c->snapshot, &c->uses, &c->twins, &c->sums);
	c->failed = c->failed ? c->failed : rc;
	rc = sd_serial_paths_make(&c->paths, &c->uses, stacks, &c->twins);
	if (!rc)
		rc = divide_spinning(c);
	return c->failed ? c->failed : rc;
}

void sd_blame_correct(struct sd_blame *c, double cpu_s)
{
	const double off = c->alive - cpu_s;

	if (c->timeline->n_gap && off > 0 && c->off > 0 &&
		fabs(log(off / c->off)) < log(MOST_CORRECTED))
		c->waits_by = off / c->off;
}

void sd_blame_free(struct sd_blame *c)
{
	const size_t places = c->place ? c->timeline->n_place : 0;

	sd_lock_owners_free(c->contended, c->contended ? c->timeline->n_place : 0);
	for (size_t i = 0; i < places; i++) {
		sd_stack_times_free(&c->place[i].holder);
		sd_stack_times_free(&c->place[i].waiter);
	}
	for (size_t i = 0; c->solo_use && i < SD_BLAME_CASES; i++)
		sd_stack_times_free(&c->solo_use[i]);
	sd_work_shares_free(&c->teamwork);
	sd_serial_paths_free(&c->paths);
	sd_concurrent_code_free(&c->twins);
	sd_joint_samples_free(&c->snapshot);
	sd_idle_account_free(&c->division);
	sd_stack_times_free(&c->uses);
	free(c->answers);
	free(c->living);
	free(c->views.thread);
	free(c->active);
	free(c->views.active);
	free(c->waited);
	free(c->thread);
	free(c->place);
	free(c->solo);
	free(c->solo_use);
	free(c->unmet);
	*c = (struct sd_blame){0};
}
