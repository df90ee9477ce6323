#include "native/touched_line.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "native/touched_name.h"
#include "native/touched_site.h"
#include "symbols/code_nodes.h"

/* A class of sharing that has less of a line's contested time is none of its. */
#define LITTLE .1
#define CODES 64 /* instructions of a line */

enum sd_touched_kind sd_touched_line_kind(const struct sd_touch *e)
{
	return e->lock ? SD_TOUCHED_LOCK : e->same ? SD_TOUCHED_TRUE : SD_TOUCHED_FALSE;
}

static void add_touch(
	struct sd_touched_line *out, const struct sd_touch_sample *s, const struct sd_touch *e)
{
	const double seconds = (double)s->seconds;

	out->pair |= e->met == SD_TOUCH_PAIR;
	if (s->spins) {
		out->spun += seconds;
	} else {
		out->seconds += e->sure ? seconds : 0;
		out->split += e->sure && e->split ? seconds : 0;
		out->contested += e->sure && e->met == SD_TOUCH_MET ? seconds : 0;
		out->maybe += e->met == SD_TOUCH_UNSURE || e->met == SD_TOUCH_PAIR ||
					      (e->met == SD_TOUCH_MET && !e->sure)
				      ? seconds
				      : 0;
		out->read += e->met == SD_TOUCH_READ ? seconds : 0;
	}
	if (e->met == SD_TOUCH_MET && (e->sure || s->spins))
		out->kind[sd_touched_line_kind(e)] += seconds;
}

void sd_touched_line_sum(const struct sd_sample_touches *t, const struct sd_touch *list, size_t n,
	struct sd_touched_line *out)
{
	*out = (struct sd_touched_line){.touch = list, .n_touch = n};
	for (size_t i = 0; i < n; i++) {
		const struct sd_touch *e = &list[i];

		/* of the same sample the sure one counts */
		if (i + 1 < n && list[i + 1].sample == e->sample) {
			e = list[i + 1].sure ? &list[i + 1] : e;
			i++;
		}
		add_touch(out, &t->sample[e->sample], e);
	}
	out->pair = out->pair && out->contested == 0;
}

/* ---- rows
 * ---------------------------------------------------------------------------------------- */

struct rows {
	const struct sd_native_watch *w;
	const struct sd_timeline *t;
	struct sd_native_lines *out;
	uint32_t *thread; /* owned; by the timeline's: index + 1 in *out; 0 none */
	size_t n_thread;
};

struct thread_use {
	uint32_t thread;
	double samples;
};

static int by_samples(const void *a, const void *b)
{
	const struct thread_use *const x = a, *const y = b;

	if (x->samples != y->samples)
		return (x->samples < y->samples) - (x->samples > y->samples);
	return (x->thread > y->thread) - (x->thread < y->thread);
}

/* Those with most samples. */
static int add_threads(struct rows *r)
{
	const struct sd_sample_touches *const t = &r->w->touches;
	struct thread_use *const use = calloc(r->n_thread + 1, sizeof *use);
	size_t n = 0;

	r->thread = calloc(r->n_thread + 1, sizeof *r->thread);
	r->out->thread = calloc(SD_SIM_THREADS, sizeof *r->out->thread);
	if (!use || !r->thread || !r->out->thread) {
		free(use);
		return -ENOMEM;
	}
	for (size_t i = 0; i < r->n_thread; i++)
		use[i].thread = (uint32_t)i;
	for (size_t i = 0; i < t->n_sample; i++)
		use[t->sample[i].thread].samples += t->sample[i].seconds > 0;
	qsort(use, r->n_thread, sizeof *use, by_samples);
	for (; n < r->n_thread && use[n].samples > 0; n++) {
		const struct sd_timeline_thread *const who = &r->t->thread[use[n].thread];

		if (n >= SD_SIM_THREADS)
			continue;
		r->out->thread[n] = (struct sd_mem_thread){.pid = who->pid, .tid = who->tid};
		r->thread[use[n].thread] = (uint32_t)++r->out->n_thread;
	}
	r->out->n_thread_seen = n;
	free(use);
	return 0;
}

static struct sd_mem_thread *thread_at(const struct rows *r, const struct sd_touch *e)
{
	const uint32_t number = r->thread[r->w->touches.sample[e->sample].thread];

	return number ? &r->out->thread[number - 1] : NULL;
}

/* Adds up the bytes that each thread's samples read and wrote. */
static void count_accesses(const struct rows *r)
{
	const struct sd_sample_touches *const t = &r->w->touches;
	uint32_t loaded = UINT32_MAX, stored = UINT32_MAX, met = UINT32_MAX;

	/* in the order of samples or not: one that comes again later counts again, by its line */
	for (size_t i = 0; i < t->n; i++) {
		const struct sd_touch *const e = &t->touch[i];
		struct sd_mem_thread *const who = thread_at(r, e);

		if (!who || t->sample[e->sample].seconds <= 0)
			continue;
		who->loads += e->read && loaded != e->sample;
		who->stores += e->written && stored != e->sample;
		who->hitm += e->met == SD_TOUCH_MET && met != e->sample;
		loaded = e->read ? e->sample : loaded;
		stored = e->written ? e->sample : stored;
		met = e->met == SD_TOUCH_MET ? e->sample : met;
	}
}

static int by_accesses(const void *a, const void *b)
{
	const struct sd_sim_sharer *const x = a, *const y = b;
	const double n = x->loads + x->stores, m = y->loads + y->stores;

	if (n != m)
		return (n < m) - (n > m);
	return (x->thread > y->thread) - (x->thread < y->thread);
}

/* Does the touch count for its line? On a contested one those that met others do, else all: an
 * object that was handed on before has other bytes of its threads. */
static int counts_for_line(const struct sd_touched_line *l, const struct sd_touch *e)
{
	return l->contested + l->spun == 0 || e->met != SD_TOUCH_ALONE;
}

static int fill_sharers(
	const struct rows *r, const struct sd_touched_line *l, struct sd_sim_contested *to)
{
	struct sd_sim_sharer *const s = calloc(l->n_touch + 1, sizeof *s);
	uint32_t *const at = calloc(r->out->n_thread + 1, sizeof *at); /* + 1 */

	if (!s || !at) {
		free(s);
		free(at);
		return -ENOMEM;
	}
	to->sharer = s;
	for (size_t i = 0; i < l->n_touch; i++) {
		const struct sd_touch *const e = &l->touch[i];
		const uint32_t number = r->thread[r->w->touches.sample[e->sample].thread];
		struct sd_sim_sharer *who;

		if (!number || !counts_for_line(l, e))
			continue;
		if (!at[number])
			at[number] = (uint32_t)++to->n_sharer;
		who = &s[at[number] - 1];
		who->thread = number - 1;
		who->read |= e->read;
		who->written |= e->written;
		who->loads += e->read != 0;
		who->stores += e->written != 0;
		who->locked += e->locked;
		who->hitm += e->met == SD_TOUCH_MET;
	}
	free(at);
	qsort(s, to->n_sharer, sizeof *s, by_accesses);
	if (to->n_sharer > SD_SIM_SHARERS)
		to->n_sharer = SD_SIM_SHARERS;
	return 0;
}

static int by_hitm(const void *a, const void *b)
{
	const struct sd_sim_code *const x = a, *const y = b;

	if (x->hitm != y->hitm)
		return (x->hitm < y->hitm) - (x->hitm > y->hitm);
	return (x->accesses < y->accesses) - (x->accesses > y->accesses);
}

static void add_code(struct sd_sim_contested *to, unsigned node, const struct sd_touch *e)
{
	size_t k = 0;

	while (k < to->n_code &&
		(to->code[k].node != node || to->code[k].writes != (e->written != 0) ||
			to->code[k].locked != (int)e->locked))
		k++;
	if (k == CODES)
		return;
	to->n_code += k == to->n_code;
	to->code[k].node = node;
	to->code[k].writes = e->written != 0;
	to->code[k].locked = e->locked;
	to->code[k].accesses++;
	to->code[k].hitm += e->met == SD_TOUCH_MET;
	to->code[k].bytes |= e->read | e->written;
}

static int fill_codes(
	const struct rows *r, const struct sd_touched_line *l, struct sd_sim_contested *to)
{
	struct {
		uint64_t ip;
		unsigned node;
	} known[CODES] = {{0}};
	int rc = 0;

	to->code = calloc(CODES, sizeof *to->code);
	if (!to->code)
		return -ENOMEM;
	for (size_t i = 0; i < l->n_touch && !rc; i++) {
		const struct sd_touch *const e = &l->touch[i];
		const struct sd_code_plan *const code =
			&r->w->plans.code[r->w->touches.sample[e->sample].plan];
		const struct sd_code_nodes names = {.symbols = r->w->plans.symbols,
			.stacks = r->w->plans.stacks,
			.pid = code->pid};
		uint64_t ip;
		size_t k;

		if (!code->plan || !counts_for_line(l, e))
			continue;
		ip = code->plan->operand[e->operand].ip;
		k = ip % CODES;
		if (known[k].ip != ip) {
			known[k].ip = ip;
			known[k].node = 0;
			rc = sd_code_nodes_add(&names, ip, 0, 0, &known[k].node);
		}
		if (!rc)
			add_code(to, known[k].node, e);
	}
	qsort(to->code, to->n_code, sizeof *to->code, by_hitm);
	if (to->n_code > SD_SIM_CODES)
		to->n_code = SD_SIM_CODES;
	return rc;
}

static enum sd_sim_sharing sharing_of(const struct sd_touched_line *l)
{
	const double same = l->kind[SD_TOUCHED_TRUE] + l->kind[SD_TOUCHED_LOCK];
	const double all = same + l->kind[SD_TOUCHED_FALSE];

	if (all <= 0)
		return SD_SIM_UNTOLD;
	if (same < LITTLE * all)
		return SD_SIM_FALSE;
	return same > (1 - LITTLE) * all ? SD_SIM_TRUE : SD_SIM_MIXED;
}

static int name_line(
	const struct rows *r, const struct sd_touched_line *l, struct sd_sim_contested *to)
{
	uint64_t touched = 0;

	for (size_t i = 0; i < to->n_sharer; i++)
		touched |= to->sharer[i].read | to->sharer[i].written;
	return sd_touched_name_add(r->w, r->t, l, touched, r->out->n_line - 1, to);
}

static int fill_row(const struct rows *r, const struct sd_touched_line *l, double all,
	struct sd_native_line *to)
{
	const double run = (double)(r->t->end - r->t->start) / 1e9;
	const double each = (double)(UINT64_C(1) << r->w->touches.every);
	double writes = 0;
	int rc;

	*to = (struct sd_native_line){.seconds = l->seconds,
		.contested = l->contested,
		.maybe = l->maybe,
		.read = l->read,
		.spun = l->spun,
		.split = l->split,
		.writes = SD_NOT(ABSENT),
		.proven = SD_NOT(ABSENT),
		.proven_most = SD_NOT(ABSENT),
		.pair = l->pair};
	to->shared = sd_shared_lines_map(&r->w->shared, l->touch->space, l->touch->line) != NULL;
	to->line.address = l->touch->line;
	to->line.sharing = sharing_of(l);
	to->line.separated = SD_NOT(ABSENT);
	to->line.share = all > 0 ? fmin(1, l->contested / all) : 0;
	to->lock =
		l->kind[SD_TOUCHED_LOCK] > (l->kind[SD_TOUCHED_TRUE] + l->kind[SD_TOUCHED_FALSE]);
	for (size_t i = 0; i < l->n_touch; i++) {
		const struct sd_touch *const e = &l->touch[i];

		writes += e->written != 0;
		to->line.hitm_load += e->met == SD_TOUCH_MET && !e->written;
		to->line.hitm_store += e->met == SD_TOUCH_MET && e->written;
	}
	if (writes > 0 && run > 0)
		to->writes = SD_OK(writes * each / run);
	if (!to->shared)
		sd_line_watch_tell(r->w->proof,
			r->t->thread[r->w->touches.sample[l->touch->sample].thread].pid,
			l->touch->line, to);
	rc = fill_sharers(r, l, &to->line);
	if (!rc)
		rc = fill_codes(r, l, &to->line);
	if (!rc && !to->shared)
		rc = sd_touched_site_add(r->w, r->t, l, &to->line);
	return rc ? rc : name_line(r, l, &to->line);
}

static int by_contested(const void *a, const void *b)
{
	const struct sd_touched_line *const x = *(struct sd_touched_line *const *)a;
	const struct sd_touched_line *const y = *(struct sd_touched_line *const *)b;
	const double s = x->spun + x->maybe + x->split, t = y->spun + y->maybe + y->split;

	if (x->contested != y->contested)
		return (x->contested < y->contested) - (x->contested > y->contested);
	if (s != t)
		return (s < t) - (s > t);
	if (x->read != y->read)
		return (x->read < y->read) - (x->read > y->read);
	return (x->touch > y->touch) - (x->touch < y->touch);
}

static int fill_rows(struct rows *r, const struct sd_touched_line *line, size_t n, uint32_t *kept)
{
	const struct sd_touched_line **const order = calloc(n + 1, sizeof *order);
	const size_t most = n < SD_NATIVE_LINES ? n : SD_NATIVE_LINES;
	double all = 0;
	int rc = order ? 0 : -ENOMEM;

	r->out->line = calloc(most + 1, sizeof *r->out->line);
	if (!r->out->line)
		rc = -ENOMEM;
	for (size_t i = 0; i < n && !rc; i++) {
		order[i] = &line[i];
		all += line[i].contested;
	}
	if (!rc)
		qsort(order, n, sizeof *order, by_contested);
	for (size_t i = 0; i < most && !rc; i++) {
		rc = fill_row(r, order[i], all, &r->out->line[r->out->n_line++]);
		kept[order[i] - line] = (uint32_t)r->out->n_line;
	}
	r->out->n_line_seen = n;
	free(order);
	return rc;
}

int sd_touched_line_keep(const struct sd_native_watch *w, const struct sd_timeline *t,
	const struct sd_touched_line *line, size_t n, uint32_t *kept, struct sd_native_lines *out)
{
	struct rows r = {.w = w, .t = t, .out = out, .n_thread = t->n_thread};
	int rc = add_threads(&r);

	out->heap_told = w->blocks && w->blocks->n;
	out->heap_cut = out->heap_told && w->blocks->full;
	if (!rc) {
		count_accesses(&r);
		rc = fill_rows(&r, line, n, kept);
	}
	free(r.thread);
	return rc;
}
