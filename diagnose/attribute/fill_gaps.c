#include "attribute/fill_gaps.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/one_more.h"

#define WAITS 8
/* A wait this many times longer than all of its kind is not of that kind (METHODS 2.3.9). */
#define SHORTER 2
/* Samples a thread on a CPU would have had, so that their absence shows it was not on one. */
#define SAMPLES 2

enum doing { GONE, RUNS, READY, WAITS_FOR };

struct wait {
	size_t moment; /* its beginning */
	uint64_t length;
};

struct thread {
	enum doing doing;
	struct wait wait[WAITS], longest; /* the latest fully observed ones; of all */
	unsigned n_wait;
	size_t out, off; /* moment + 1 at which it last left a CPU to wait, or at all; 0 unknown */
	uint64_t since;  /* when, or the end of the gap in which it did */
	size_t met, gap; /* moment + 1 at which it is first met after gap number - 1 */
};

struct regain {
	struct sd_timeline *t;
	struct thread *thread;
	struct sd_moment *out;
	size_t n;
	uint64_t period; /* ns that the last sample stood for */
};

static int put(struct regain *r, const struct sd_moment *m)
{
	return SD_APPEND(r->out, r->n, m);
}

/* ---- what moments say ------------------------------------------------------------------------ */

static int spans_gap(const struct sd_timeline *t, size_t gaps, uint64_t since)
{
	return gaps && t->gap[gaps - 1].to > since;
}

static void lasts(struct thread *t, uint64_t length)
{
	if (length > t->longest.length)
		t->longest = (struct wait){t->out - 1, length};
}

static void comes(struct regain *r, struct thread *t, uint64_t time, size_t gaps)
{
	const struct sd_moment *const from = t->out ? &r->t->moment[t->out - 1] : NULL;

	if (t->doing == WAITS_FOR && from && !spans_gap(r->t, gaps, from->time)) {
		t->wait[t->n_wait++ % WAITS] = (struct wait){t->out - 1, time - from->time};
		lasts(t, time - from->time);
	}
	t->doing = RUNS;
}

/* `gaps`: that have begun. */
static void apply(struct regain *r, size_t at, size_t gaps)
{
	const struct sd_moment *const m = &r->t->moment[at];
	struct thread *const t = &r->thread[m->kind == SD_MOMENT_WAKE ? m->other : m->thread];

	switch (m->kind) {
	case SD_MOMENT_SAMPLE:
		r->period = m->weight;
		comes(r, t, m->time, gaps);
		break;
	case SD_MOMENT_IN:
		comes(r, t, m->time, gaps);
		break;
	case SD_MOMENT_OUT:
		t->doing = WAITS_FOR;
		t->out = t->off = at + 1;
		t->since = m->time;
		break;
	case SD_MOMENT_PUSHED:
		t->doing = READY;
		t->off = at + 1;
		break;
	case SD_MOMENT_WAKE:
		t->doing = t->doing == WAITS_FOR ? READY : t->doing;
		break;
	case SD_MOMENT_BORN:
		t->doing = READY;
		break;
	case SD_MOMENT_EXIT:
		t->doing = GONE;
		break;
	}
}

/* ---- a gap's end ----------------------------------------------------------------------------- */

/* It waits as it did when it left its CPU at moment `as` - 1. */
static int leaves(struct regain *r, unsigned number, size_t as, uint64_t time)
{
	struct thread *const t = &r->thread[number];
	struct sd_moment m = {.kind = SD_MOMENT_OUT, .activity = SD_ACTIVITY_UNKNOWN};

	if (as)
		m = r->t->moment[as - 1];
	m.thread = number;
	m.time = time;
	t->doing = m.kind == SD_MOMENT_OUT ? WAITS_FOR : READY;
	t->out = m.kind == SD_MOMENT_OUT ? as : t->out;
	t->since = time;
	return put(r, &m);
}

static int is_alike(const struct sd_moment *a, const struct sd_moment *b)
{
	if (a->lock || b->lock)
		return a->lock == b->lock;
	return a->activity == b->activity && a->node == b->node;
}

/* Is the wait the thread was in, judging by its known waits of that kind, shorter than this? */
static int is_short(const struct regain *r, const struct thread *t, uint64_t length)
{
	const struct sd_moment *const list = r->t->moment;
	int known = 0;

	for (unsigned i = 0; i < WAITS && i < t->n_wait; i++)
		if (is_alike(&list[t->out - 1], &list[t->wait[i].moment])) {
			known = 1;
			if (t->wait[i].length * SHORTER >= length)
				return 0;
		}
	return known && (t->longest.length * SHORTER < length ||
				!is_alike(&list[t->out - 1], &list[t->longest.moment]));
}

/* Nothing is seen of it for `length` after the gap. */
static int stays(struct regain *r, unsigned number, const struct sd_gap *g, uint64_t length)
{
	struct thread *const t = &r->thread[number];

	if (t->doing == WAITS_FOR && !t->out)
		return 0;
	if (t->doing == WAITS_FOR &&
		((g->from > t->since && (g->from - t->since) * SHORTER >= length) ||
			!is_short(r, t, length))) {
		lasts(t, g->to + length - t->since);
		return 0;
	}
	return leaves(r, number, t->longest.length * SHORTER >= length ? t->longest.moment + 1 : 0,
		g->to);
}

static int begin(
	struct regain *r, unsigned number, const struct sd_gap *g, size_t gap, uint64_t end)
{
	struct thread *const t = &r->thread[number];
	const struct sd_moment in = {.time = g->to, .kind = SD_MOMENT_IN, .thread = number};

	if (t->doing == GONE)
		return 0;
	if (t->gap != gap + 1) /* not seeing it for a short time means nothing */
		return end - g->to < SAMPLES * r->period ? 0 : stays(r, number, g, end - g->to);
	switch (r->t->moment[t->met - 1].kind) {
	case SD_MOMENT_IN:
		return t->doing == RUNS ? leaves(r, number, t->off, g->to) : 0;
	case SD_MOMENT_WAKE:
		return t->doing == WAITS_FOR ? 0 : leaves(r, number, t->out, g->to);
	case SD_MOMENT_BORN: /* a reused tid */
		return 0;
	default:
		if (t->doing == RUNS)
			return 0;
		t->doing = RUNS;
		return put(r, &in);
	}
}

/* Finds each thread's first event up to `end`, starting at moment `at`. */
static void look_ahead(struct regain *r, size_t at, size_t gap, uint64_t end)
{
	for (; at < r->t->n && r->t->moment[at].time <= end; at++) {
		const struct sd_moment *const m = &r->t->moment[at];
		struct thread *const t =
			&r->thread[m->kind == SD_MOMENT_WAKE ? m->other : m->thread];

		if (t->gap == gap + 1)
			continue;
		t->gap = gap + 1;
		t->met = at + 1;
	}
}

static int end_gap(struct regain *r, size_t at, size_t gap)
{
	const struct sd_timeline *const t = r->t;
	const uint64_t end = gap + 1 < t->n_gap ? t->gap[gap + 1].from : t->end;
	int rc = 0;

	look_ahead(r, at, gap, end);
	for (unsigned i = 0; i < t->n_thread && !rc; i++)
		rc = begin(r, i, &t->gap[gap], gap, end);
	return rc;
}

int sd_fill_gaps(struct sd_timeline *t)
{
	struct regain r = {.t = t};
	size_t begun = 0, ended = 0;
	int rc = 0;

	if (!t->n_gap)
		return 0;
	r.thread = calloc(t->n_thread + 1, sizeof *r.thread);
	if (!r.thread)
		return -ENOMEM;
	for (size_t i = 0; i < t->n && !rc; i++) {
		const uint64_t time = t->moment[i].time;

		while (ended < t->n_gap && t->gap[ended].to < time && !rc)
			rc = end_gap(&r, i, ended++);
		while (begun < t->n_gap && t->gap[begun].from < time)
			begun++;
		apply(&r, i, begun);
		rc = rc ? rc : put(&r, &t->moment[i]);
	}
	free(r.thread);
	if (rc) {
		free(r.out);
		return rc;
	}
	free(t->moment);
	t->moment = r.out;
	t->n = r.n;
	t->room = r.n;
	return 0;
}
