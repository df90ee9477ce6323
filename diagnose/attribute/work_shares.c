#include "attribute/work_shares.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "base/key_table.h"
#include "base/one_more.h"

/* Samples needed to tell whether more than one thread runs a place: if two share it evenly, ten
 * samples are all of one thread once in 512 runs. One sample in a hundred may be stray
 * (concurrent_code.h). */
#define LEAST 10
#define STRAY .01

/* Chance differences of sums over hundreds of samples (METHODS 2.3.5): how much less of the shared
 * work m may have done, relative to its own code; and by what factor the explanation may exceed
 * what t spun. */
#define CHANCE .3
#define LESS 1.3
/* A thread with more than this share of m's own time does its own kind of work. */
#define OWN_OF_OTHERS .1
/* Standard errors of a significant difference: three for two threads, and half of one more with
 * each doubling, because the others are compared with the maximum of all. */
#define ERRORS(n) (2.5 + .5 * log2(n))

/* A function on a path (concurrent_code.h). */
struct place {
	unsigned thread; /* the majority thread, if any has more than half */
	double vote;     /* majority vote of Boyer and Moore */
	double s, of_thread;
	size_t count;
};

struct member {
	double shared, own, spun; /* s */
	double squares;           /* sum of squared weights of the samples of `shared` */
};

struct search {
	struct sd_key_table number; /* of place ids: index + 1 */
	struct place *place;
	size_t n;
	struct member *member;
	const struct sd_timeline *timeline;
	const struct sd_concurrent_code *twins;
};

static double seconds(const struct sd_moment *m)
{
	return (double)m->weight * 1e-9;
}

/* NULL: not useful work in a known function, or (with *rc set) out of memory. */
static struct place *place_of(struct search *s, const struct sd_moment *m, int *rc)
{
	const uint64_t id = sd_concurrent_code_place(s->twins, m->node);
	uint64_t *number;

	if (m->kind != SD_MOMENT_SAMPLE || m->activity != SD_ACTIVITY_USEFUL || !id)
		return NULL;
	number = sd_key_table_add(&s->number, id, 0);
	if (!number) {
		*rc = -ENOMEM;
		return NULL;
	}
	if (!*number) {
		if (SD_APPEND(s->place, s->n, &(struct place){.thread = m->thread})) {
			*rc = -ENOMEM;
			return NULL;
		}
		*number = s->n;
	}
	return &s->place[*number - 1];
}

/* Finds for each place the thread that has most of its time, by majority vote in one pass and a
 * second pass for the exact amount, which needs no table of threads by places. */
static int vote(struct search *s)
{
	int rc = 0;

	for (size_t i = 0; i < s->timeline->n && !rc; i++) {
		const struct sd_moment *const m = &s->timeline->moment[i];
		struct place *const p = place_of(s, m, &rc);

		if (!p)
			continue;
		p->s += seconds(m);
		p->count++;
		if (p->thread == m->thread) {
			p->vote += seconds(m);
			continue;
		}
		p->vote -= seconds(m);
		if (p->vote < 0) {
			p->thread = m->thread;
			p->vote = -p->vote;
		}
	}
	for (size_t i = 0; i < s->timeline->n && !rc; i++) {
		const struct sd_moment *const m = &s->timeline->moment[i];
		struct place *const p = place_of(s, m, &rc);

		if (p && p->thread == m->thread)
			p->of_thread += seconds(m);
	}
	return rc;
}

static int is_own(const struct place *p)
{
	return p->count >= LEAST && p->s - p->of_thread <= STRAY * p->s;
}

/* Sums what each thread did of own and shared code, and what it spun. */
static int add_up(struct search *s)
{
	int rc = 0;

	for (size_t i = 0; i < s->timeline->n && !rc; i++) {
		const struct sd_moment *const m = &s->timeline->moment[i];
		struct member *const of = &s->member[m->thread];
		const struct place *const p = place_of(s, m, &rc);

		if (m->kind == SD_MOMENT_SAMPLE && sd_spins_for_peers(m->activity))
			of->spun += seconds(m);
		if (!p)
			continue;
		if (is_own(p))
			of->own += p->thread == m->thread ? seconds(m) : 0;
		else if (p->count >= LEAST) { /* with fewer samples it may be anybody's */
			of->shared += seconds(m);
			of->squares += seconds(m) * seconds(m);
		}
	}
	return rc;
}

/* How much of what t spun is explained by m's own code (METHODS 2.3.5). */
static double serial(const struct member *m, const struct member *t)
{
	const double late = fmax(0, m->shared - t->shared);
	const double less = fmax(0, t->shared - m->shared);

	if (t->own > OWN_OF_OTHERS * m->own || less > CHANCE * m->own)
		return 0;
	if (m->own - less + late > LESS * t->spun)
		return 0;
	return fmin(m->own - less, t->spun);
}

/* How much more of the shared work m did, if significant. */
static double late(const struct member *m, const struct member *t, double n)
{
	const double more = m->shared - t->shared;

	if (!(t->shared > 0) || more < ERRORS(n) * sqrt(m->squares + t->squares))
		return 0;
	return more;
}

/* Explains spinning by the thread with the most own code, which is returned, and by the one with
 * the most shared work. */
static unsigned explain(struct search *s, struct sd_work_shares *x)
{
	const struct member *const all = s->member;
	const size_t n = s->timeline->n_thread;
	unsigned own = 0, shared = 0;
	double team = 0;

	for (unsigned i = 0; i < n; i++) {
		own = all[i].own > all[own].own ? i : own;
		shared = all[i].shared > all[shared].shared ? i : shared;
		team += all[i].shared > 0;
	}
	x->own = all[own].own;
	for (unsigned i = 0; i < n; i++) {
		const double alone = i != own && x->own > 0 ? serial(&all[own], &all[i]) : 0;

		x->serial += alone;
		x->late += fmin(late(&all[shared], &all[i], team), all[i].spun - alone);
	}
	return own;
}

static int mark(const struct search *s, unsigned thread, struct sd_work_shares *x)
{
	x->n = s->twins->n;
	x->is = calloc(x->n + 1, 1);
	if (!x->is)
		return -ENOMEM;
	for (unsigned i = 0; i < x->n; i++) {
		const uint64_t id = sd_concurrent_code_place(s->twins, i);
		const uint64_t *const number = id ? sd_key_table_find(&s->number, id, 0) : NULL;
		const struct place *const p = number ? &s->place[*number - 1] : NULL;

		x->is[i] = p && is_own(p) && p->thread == thread;
	}
	return 0;
}

int sd_work_shares_find(struct sd_work_shares *x, const struct sd_timeline *t,
	const struct sd_concurrent_code *twins)
{
	struct search s = {.timeline = t, .twins = twins};
	int rc;

	*x = (struct sd_work_shares){0};
	s.member = calloc(t->n_thread + 1, sizeof *s.member);
	rc = s.member ? vote(&s) : -ENOMEM;
	if (!rc)
		rc = add_up(&s);
	if (!rc) {
		const unsigned thread = explain(&s, x);

		rc = x->serial > 0 ? mark(&s, thread, x) : 0;
	}
	sd_key_table_free(&s.number);
	free(s.place);
	free(s.member);
	return rc;
}

int sd_work_shares_own(const struct sd_work_shares *x, unsigned node)
{
	return node < x->n && x->is[node];
}

void sd_work_shares_free(struct sd_work_shares *x)
{
	free(x->is);
	*x = (struct sd_work_shares){0};
}
