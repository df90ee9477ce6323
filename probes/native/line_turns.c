#include "native/line_turns.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define PAGE 4096u
#define PAIR 128u
#define LOOK 96  /* touches before and after one that are looked at, at most */
#define OTHERS 8 /* other threads that are told apart there */
#define UNSURE_WINDOWS 5
#define HOT                                                                                   \
	.01 /* of the samples: where as many read a line, they may wait for whoever writes it \
	     */

/* ---- which pages several threads touch, one of them writing, or many times
 * ----------------------- */

#define SLOTS (1u << 21)
#define SEVERAL UINT32_MAX

/* By hash: two pages in one slot are looked at in vain, no more. */
struct page_slot {
	uint32_t thread; /* + 1; 0 none yet */
	uint32_t written : 1, touches : 31;
};

static size_t hot(const struct sd_sample_touches *t)
{
	const size_t n = (size_t)(HOT * (double)t->n_sample);

	return n > SD_LINE_TURNS_FEW ? n : SD_LINE_TURNS_FEW;
}

static size_t slot_of(const struct sd_touch *e)
{
	uint64_t h = (e->line / PAGE ^ e->space * UINT64_C(0x9e3779b97f4a7c15)) *
		     UINT64_C(0xff51afd7ed558ccd);

	return (size_t)((h ^ h >> 29) % SLOTS);
}

/* Moves the touches of such pages, and split ones, to the front; how many, or -ENOMEM. */
static long bring_forward(struct sd_sample_touches *t)
{
	struct page_slot *const slot = calloc(SLOTS, sizeof *slot);
	size_t n = 0;

	if (!slot)
		return -ENOMEM;
	for (size_t i = 0; i < t->n; i++) {
		struct page_slot *const s = &slot[slot_of(&t->touch[i])];
		const uint32_t thread = t->sample[t->touch[i].sample].thread + 1;

		t->touch[i].met = SD_TOUCH_ALONE;
		s->thread = !s->thread || s->thread == thread ? thread : SEVERAL;
		s->written |= t->touch[i].written != 0;
		s->touches++;
	}
	for (size_t i = 0; i < t->n; i++) {
		const struct page_slot *const s = &slot[slot_of(&t->touch[i])];
		const struct sd_touch swap = t->touch[i];

		if ((s->thread != SEVERAL || (!s->written && s->touches < hot(t))) &&
			!t->touch[i].split)
			continue;
		t->touch[i] = t->touch[n];
		t->touch[n++] = swap;
	}
	free(slot);
	return (long)n;
}

/* ---- turns
 * --------------------------------------------------------------------------------------- */

struct turns {
	const struct sd_sample_touches *t;
	uint64_t window;
	size_t hot; /* touches of a line that many samples are at */
};

static uint64_t time_of(const struct turns *w, const struct sd_touch *e)
{
	return w->t->sample[e->sample].time;
}

static uint32_t thread_of(const struct turns *w, const struct sd_touch *e)
{
	return w->t->sample[e->sample].thread;
}

struct other {
	uint32_t thread;
	int its_turn; /* it touched last; else the one that is looked at */
	unsigned turns;
	int conflicts; /* one of both surely writes */
	int may;       /* one of both writes, or skips it */
};

struct look {
	struct other other[OTHERS];
	unsigned n;
	int own; /* the one that is looked at touched before */
};

static struct other *find_other(struct look *l, uint32_t thread)
{
	for (unsigned i = 0; i < l->n; i++)
		if (l->other[i].thread == thread)
			return &l->other[i];
	if (l->n == OTHERS)
		return NULL;
	l->other[l->n] = (struct other){.thread = thread, .its_turn = 1, .turns = (unsigned)l->own};
	return &l->other[l->n++];
}

static void note_own(struct look *l)
{
	l->own = 1;
	for (unsigned i = 0; i < l->n; i++) {
		l->other[i].turns += l->other[i].its_turn != 0;
		l->other[i].its_turn = 0;
	}
}

static void note_other(
	struct look *l, uint32_t thread, const struct sd_touch *e, const struct sd_touch *by)
{
	struct other *const o = find_other(l, thread);

	if (!o)
		return;
	o->turns += !o->its_turn;
	o->its_turn = 1;
	o->may |= (e->written | by->written) != 0;
	o->conflicts |= (e->written && e->sure) || (by->written && by->sure);
}

/* Does touch i of a list in the order of time take turns with another thread's? Unsure where all
 * that is written there may be skipped; READ where nothing is written. */
static enum sd_touch_met takes_turns(
	const struct turns *w, const struct sd_touch *list, size_t n, size_t i, uint64_t window)
{
	const uint64_t now = time_of(w, &list[i]);
	const uint32_t own = thread_of(w, &list[i]);
	struct look l = {.n = 0};
	enum sd_touch_met met = SD_TOUCH_ALONE;
	size_t from = i, to = i;

	while (from > 0 && i - from < LOOK && now - time_of(w, &list[from - 1]) <= window)
		from--;
	while (to + 1 < n && to - i < LOOK && time_of(w, &list[to + 1]) - now <= window)
		to++;
	for (size_t k = from; k <= to; k++) {
		const uint32_t thread = thread_of(w, &list[k]);

		if (thread == own)
			note_own(&l);
		else
			note_other(&l, thread, &list[i], &list[k]);
	}
	for (unsigned k = 0; k < l.n; k++)
		if (l.other[k].turns >= 2 && l.other[k].conflicts)
			return SD_TOUCH_MET;
		else if (l.other[k].turns >= 2 && l.other[k].may)
			met = SD_TOUCH_UNSURE;
		else if (l.other[k].turns >= 2 && met == SD_TOUCH_ALONE)
			met = SD_TOUCH_READ;
	return met;
}

static int is_one_thread(const struct turns *w, const struct sd_touch *list, size_t n)
{
	for (size_t i = 1; i < n; i++)
		if (thread_of(w, &list[i]) != thread_of(w, &list[0]))
			return 0;
	return 1;
}

#define TOLD 16   /* threads whose bytes are told apart in a line */
#define LITTLE .1 /* the share of a byte's accesses below which other threads do not count */

struct byte_use {
	uint32_t thread[TOLD];
	unsigned n;
	uint32_t touches[TOLD][SD_TOUCH_LINE];
	uint32_t writes[SD_TOUCH_LINE];
};

static void count_bytes(struct byte_use *u, uint32_t thread, const struct sd_touch *e)
{
	unsigned k = 0;

	while (k < u->n && u->thread[k] != thread)
		k++;
	if (k == TOLD)
		return;
	u->n += k == u->n;
	u->thread[k] = thread;
	for (uint64_t bytes = e->read | e->written; bytes; bytes &= bytes - 1) {
		const unsigned i = (unsigned)__builtin_ctzll(bytes);

		u->touches[k][i]++;
		u->writes[i] += e->written >> i & 1;
	}
}

/* Bytes that several threads use, one of them writing. */
static uint64_t shared_bytes(const struct byte_use *u)
{
	uint64_t shared = 0;

	for (unsigned i = 0; i < SD_TOUCH_LINE; i++) {
		uint32_t all = 0, most = 0;

		for (unsigned k = 0; k < u->n; k++) {
			all += u->touches[k][i];
			most = u->touches[k][i] > most ? u->touches[k][i] : most;
		}
		if (u->writes[i] && all > most && all - most >= LITTLE * all)
			shared |= UINT64_C(1) << i;
	}
	return shared;
}

/* Marks touches of bytes that threads share, by those that met others alone. */
static void find_same_bytes(const struct turns *w, struct sd_touch *list, size_t n)
{
	struct byte_use use = {.n = 0};
	uint64_t shared;

	for (size_t i = 0; i < n; i++)
		if (list[i].met == SD_TOUCH_MET)
			count_bytes(&use, thread_of(w, &list[i]), &list[i]);
	shared = shared_bytes(&use);
	for (size_t i = 0; i < n; i++)
		list[i].same = ((list[i].read | list[i].written) & shared) != 0;
}

/* The touches of one line. */
static void judge_line(const struct turns *w, struct sd_touch *list, size_t n)
{
	int met = 0;

	if (is_one_thread(w, list, n))
		return;
	for (size_t i = 0; i < n; i++) {
		enum sd_touch_met how = takes_turns(w, list, n, i, w->window);

		if (how != SD_TOUCH_MET) {
			how = takes_turns(w, list, n, i, UNSURE_WINDOWS * w->window);
			how = how == SD_TOUCH_MET ? SD_TOUCH_UNSURE : how;
		}
		if (how != SD_TOUCH_READ || n >= w->hot)
			list[i].met = how;
		met |= how == SD_TOUCH_MET;
	}
	if (met)
		find_same_bytes(w, list, n);
}

/* Both lines of a pair that are alone: together they may not be. */
static void judge_pair(const struct turns *w, struct sd_touch *list, size_t n)
{
	if (is_one_thread(w, list, n))
		return;
	for (size_t i = 0; i < n; i++)
		if (list[i].met == SD_TOUCH_ALONE &&
			takes_turns(w, list, n, i, w->window) >= SD_TOUCH_UNSURE)
			list[i].met = SD_TOUCH_PAIR;
}

/* ---- pages, and the lines in them
 * ---------------------------------------------------------------- */

/* Another thread was in the page at the time, and one of both writes there. */
static int has_company(const struct turns *w, const struct sd_touch *list, size_t n, size_t i)
{
	const uint64_t now = time_of(w, &list[i]);
	const uint32_t own = thread_of(w, &list[i]);

	for (size_t k = i; k-- > 0 && i - k <= LOOK && now - time_of(w, &list[k]) <= w->window;)
		if (thread_of(w, &list[k]) != own && (list[k].written | list[i].written))
			return 1;
	for (size_t k = i + 1; k < n && k - i <= LOOK && time_of(w, &list[k]) - now <= w->window;
		k++)
		if (thread_of(w, &list[k]) != own && (list[k].written | list[i].written))
			return 1;
	return 0;
}

/* A line with as many samples of its own thread says by itself who touches it. */
static void clear_well_known(const struct turns *w, struct sd_touch *list, size_t n)
{
	if (n < SD_LINE_TURNS_FEW && is_one_thread(w, list, n))
		return;
	for (size_t i = 0; i < n; i++)
		list[i].met = SD_TOUCH_ALONE;
}

static int by_unit(const void *a, const void *b, uint64_t unit)
{
	const struct sd_touch *const x = a, *const y = b;
	const uint64_t at_x = x->line / unit, at_y = y->line / unit;

	if (x->space != y->space)
		return (x->space > y->space) - (x->space < y->space);
	if (at_x != at_y)
		return (at_x > at_y) - (at_x < at_y);
	return (x->sample > y->sample) - (x->sample < y->sample);
}

/* Samples are in the order of time. */
static int by_page(const void *a, const void *b)
{
	return by_unit(a, b, PAGE);
}

static int by_pair(const void *a, const void *b)
{
	return by_unit(a, b, PAIR);
}

static int by_line(const void *a, const void *b)
{
	return by_unit(a, b, SD_TOUCH_LINE);
}

static void each_group(const struct turns *w, struct sd_touch *list, size_t n, uint64_t unit,
	void (*judge)(const struct turns *w, struct sd_touch *list, size_t n))
{
	for (size_t from = 0, to; from < n; from = to) {
		for (to = from + 1; to < n && list[to].space == list[from].space &&
				    list[to].line / unit == list[from].line / unit;)
			to++;
		judge(w, list + from, to - from);
	}
}

/* The touches of a page in the order of time: all in company are unsure until their line says
 * more. */
static void judge_page(const struct turns *w, struct sd_touch *list, size_t n)
{
	if (!is_one_thread(w, list, n)) {
		for (size_t i = 0; i < n; i++)
			if (has_company(w, list, n, i))
				list[i].met = SD_TOUCH_UNSURE;
		qsort(list, n, sizeof *list, by_line);
		each_group(w, list, n, SD_TOUCH_LINE, clear_well_known);
		each_group(w, list, n, SD_TOUCH_LINE, judge_line);
		qsort(list, n, sizeof *list, by_pair);
		each_group(w, list, n, PAIR, judge_pair);
	}
	qsort(list, n, sizeof *list, by_line);
}

long sd_line_turns_find(struct sd_sample_touches *t, uint64_t window)
{
	const struct turns w = {.t = t, .window = window, .hot = hot(t)};
	const long n = bring_forward(t);

	if (n <= 0)
		return n;
	qsort(t->touch, (size_t)n, sizeof *t->touch, by_page);
	each_group(&w, t->touch, (size_t)n, PAGE, judge_page);
	return n;
}
