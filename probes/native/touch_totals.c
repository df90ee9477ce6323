#include "native/touch_totals.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/one_more.h"
#include "native/known_code.h"
#include "native/touched_line.h"

/* Verdicts on a sample; later ones have precedence. */
enum verdict { NOTHING, READ, UNKNOWN, MAYBE, SURE };

#define SPLIT SD_TOUCHED_KINDS

struct sample_verdict {
	uint32_t line; /* index + 1 of the line that it counts for; 0 none */
	uint8_t verdict;
	uint8_t kind; /* of SURE: enum sd_touched_kind, or SPLIT */
	float open; /* share of its time at which accesses that it does not tell may meet others */
};

struct totals {
	const struct sd_native_watch *w;
	const struct sd_timeline *t;
	struct sample_verdict *of; /* owned; by sample */
	struct sd_touched_line
		*line; /* owned; later the first n_kept are in the order of the record */
	size_t n_line;
	struct sd_native_loop *loop; /* owned; as the loops of the plans */
	struct sd_known_code known;
};

/* ---- lines
 * --------------------------------------------------------------------------------------- */

static int is_worth_a_line(const struct sd_touch *list, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (list[i].met == SD_TOUCH_MET || list[i].met == SD_TOUCH_PAIR ||
			list[i].met == SD_TOUCH_READ || list[i].split)
			return 1;
	/* unsure ones are told by their time, not by a line, unless threads were seen to share it
	 */
	for (size_t i = 1; i < n; i++)
		if (list[i].met == SD_TOUCH_UNSURE && n >= 3)
			return 1;
	return 0;
}

static int add_line(struct totals *c, const struct sd_touch *list, size_t n)
{
	struct sd_touched_line *l, *grown;

	if (!is_worth_a_line(list, n))
		return 0;
	grown = sd_one_more(c->line, c->n_line, sizeof *grown);
	if (!grown)
		return -ENOMEM;
	c->line = grown;
	l = &c->line[c->n_line];
	sd_touched_line_sum(&c->w->touches, list, n, l);
	if (l->contested > 0 || l->maybe > 0 || l->read > 0 || l->spun > 0 || l->split > 0)
		c->n_line++;
	return 0;
}

static int add_lines(struct totals *c, size_t n)
{
	const struct sd_touch *const list = c->w->touches.touch;
	int rc = 0;

	for (size_t from = 0, to; from < n && !rc; from = to) {
		for (to = from + 1; to < n && list[to].space == list[from].space &&
				    list[to].line == list[from].line;)
			to++;
		rc = add_line(c, list + from, to - from);
	}
	return rc;
}

/* ---- samples
 * ------------------------------------------------------------------------------------- */

static void judge_touch(
	const struct totals *c, struct sample_verdict *s, const struct sd_touch *e, size_t line)
{
	const int sure = (e->met == SD_TOUCH_MET || e->split) && e->sure;
	const uint8_t verdict = sure ? SURE : e->met == SD_TOUCH_READ ? READ : MAYBE;

	if ((e->met == SD_TOUCH_ALONE || e->met == SD_TOUCH_PAIR) && !e->split)
		return;
	if (verdict < s->verdict)
		return;
	if (verdict == SURE && s->verdict == SURE && s->kind == SPLIT)
		return;
	/* of several it counts for the one that is split, or contested most */
	if (verdict == s->verdict && s->line && !e->split &&
		(!line || c->line[s->line - 1].contested >= c->line[line - 1].contested))
		return;
	s->verdict = verdict;
	s->line = (uint32_t)line;
	s->kind = e->split ? SPLIT : (uint8_t)sd_touched_line_kind(e);
}

/* By the lines, which have their touches' places; then what stands in none of them. */
static void judge_samples(struct totals *c, size_t n)
{
	const struct sd_sample_touches *const t = &c->w->touches;
	size_t line = 0;

	for (size_t i = 0; i < t->n_sample; i++) {
		c->of[i].open = (float)sd_known_code_open(&c->known, c->w, &t->sample[i]);
		c->of[i].verdict = c->of[i].open >= 1 ? UNKNOWN : NOTHING;
	}
	for (size_t i = 0; i < n; i++) {
		const struct sd_touch *const e = &t->touch[i];

		while (line < c->n_line && c->line[line].touch + c->line[line].n_touch <= e)
			line++;
		judge_touch(c, &c->of[e->sample], e,
			line < c->n_line && c->line[line].touch <= e ? line + 1 : 0);
	}
}

/* ---- loops
 * --------------------------------------------------------------------------------------- */

static void add_to_loop(
	struct sd_native_loop *l, const struct sd_touch_sample *s, const struct sample_verdict *v)
{
	const double seconds = (double)s->seconds;

	if (s->spins) {
		l->spun += seconds;
		return;
	}
	l->seconds += seconds;
	if (v->verdict == READ)
		l->read_s += seconds * (1 - (double)v->open);
	if (v->verdict <= UNKNOWN)
		l->unknown_s += seconds * (double)v->open;
	if (v->verdict == MAYBE)
		l->maybe_s += seconds;
	if (v->verdict != SURE)
		return;
	l->false_s += v->kind == SD_TOUCHED_FALSE ? seconds : 0;
	l->true_s += v->kind == SD_TOUCHED_TRUE ? seconds : 0;
	l->lock_s += v->kind == SD_TOUCHED_LOCK ? seconds : 0;
	l->split_s += v->kind == SPLIT ? seconds : 0;
}

/* Distinct ones, as long as there is room to tell them apart. */
#define DISTINCT_MOST (1u << 20)
static int count_distinct(struct totals *c)
{
	const struct sd_sample_touches *const t = &c->w->touches;
	struct sd_key_table seen = {0};

	for (size_t i = 0; i < t->n && seen.n < DISTINCT_MOST; i++) {
		const struct sd_touch *const e = &t->touch[i];
		const unsigned loop = t->sample[e->sample].loop;
		uint64_t *line, *page;

		if (t->sample[e->sample].seconds <= 0)
			continue;
		line = sd_key_table_add(&seen, (e->space << 20 ^ loop) * 2 + 1, e->line);
		if (line && !*line)
			c->loop[loop].lines += (*line = 1) != 0;
		page = line ? sd_key_table_add(
				      &seen, (e->space << 20 ^ loop) * 2 + 2, e->line / 4096)
			    : NULL;
		if (page && !*page)
			c->loop[loop].pages += (*page = 1) != 0;
		if (!line || !page) {
			sd_key_table_free(&seen);
			return -ENOMEM;
		}
	}
	sd_key_table_free(&seen);
	return 0;
}

/* The line that has most of each loop's contested time: the numbers of kept lines. */
static int find_main_lines(struct totals *c, const uint32_t *kept)
{
	const struct sd_sample_touches *const t = &c->w->touches;
	struct sd_key_table of = {0};
	double *const most = calloc(c->w->plans.n_loop + 1, sizeof *most);
	int rc = most ? 0 : -ENOMEM;

	for (size_t i = 0; i < t->n_sample && !rc; i++) {
		const unsigned loop = t->sample[i].loop;
		uint64_t *slot;
		double sum;

		if (c->of[i].verdict != SURE || !c->of[i].line || !kept[c->of[i].line - 1])
			continue;
		slot = sd_key_table_add(&of, (uint64_t)loop + 1, c->of[i].line);
		if (!slot) {
			rc = -ENOMEM;
			break;
		}
		memcpy(&sum, slot, sizeof sum);
		sum += (double)t->sample[i].seconds;
		memcpy(slot, &sum, sizeof sum);
		if (sum > most[loop]) {
			most[loop] = sum;
			c->loop[loop].line = kept[c->of[i].line - 1];
		}
	}
	free(most);
	sd_key_table_free(&of);
	return rc;
}

static int by_time(const void *a, const void *b)
{
	const struct sd_native_loop *const x = a, *const y = b;
	const double t = x->seconds + x->spun, u = y->seconds + y->spun;

	if ((x->node == 0) != (y->node == 0))
		return (x->node == 0) - (y->node == 0); /* all others come last */
	return (t < u) - (t > u);
}

/* The least go to all others. */
static void keep_loops(struct totals *c, struct sd_native_lines *out)
{
	const size_t n = c->w->plans.n_loop;
	size_t used = 0;

	for (size_t i = 0; i < n; i++)
		if (c->loop[i].seconds > 0 || c->loop[i].spun > 0)
			c->loop[used++] = c->loop[i];
	if (used)
		qsort(c->loop, used, sizeof *c->loop, by_time);
	out->n_loop_seen = used;
	for (; used > SD_NATIVE_LOOPS; used--) {
		struct sd_native_loop *const to = &c->loop[SD_NATIVE_LOOPS - 1];
		const struct sd_native_loop *const from = &c->loop[used - 1];

		to->node = 0;
		to->seconds += from->seconds;
		to->false_s += from->false_s;
		to->true_s += from->true_s;
		to->lock_s += from->lock_s;
		to->split_s += from->split_s;
		to->maybe_s += from->maybe_s;
		to->unknown_s += from->unknown_s;
		to->read_s += from->read_s;
		to->spun += from->spun;
		to->bytes = 0;
		to->line = 0;
	}
	out->loop = c->loop;
	out->n_loop = used;
	c->loop = NULL;
}

/* ---- all
 * ----------------------------------------------------------------------------------------- */

static void add_sums(struct totals *c, struct sd_native_lines *out)
{
	const struct sd_sample_touches *const t = &c->w->touches;
	const double each = (double)(UINT64_C(1) << t->every);

	for (size_t i = 0; i < t->n; i++)
		c->of[t->touch[i].sample].line = UINT32_MAX; /* it has an address */
	for (size_t i = 0; i < t->n_sample; i++) {
		if (t->sample[i].seconds <= 0)
			continue;
		out->samples += each;
		out->seconds += (double)t->sample[i].seconds;
		out->resolved += c->of[i].line || !t->sample[i].unknown ? each : 0;
	}
	for (size_t i = 0; i < t->n_sample; i++)
		c->of[i].line = 0;
}

int sd_touch_totals_fill(const struct sd_native_watch *w, const struct sd_timeline *t, size_t n,
	struct sd_native_lines *out)
{
	struct totals c = {.w = w, .t = t};
	uint32_t *kept = NULL;
	int rc = -ENOMEM;

	c.of = calloc(w->touches.n_sample + 1, sizeof *c.of);
	c.loop = calloc(w->plans.n_loop + 1, sizeof *c.loop);
	if (!c.of || !c.loop)
		goto out;
	add_sums(&c, out);
	rc = add_lines(&c, n);
	rc = rc ? rc : sd_known_code_make(&c.known, w);
	if (rc)
		goto out;
	judge_samples(&c, n);
	for (size_t i = 0; i < w->plans.n_loop; i++)
		c.loop[i] = (struct sd_native_loop){
			.node = w->plans.loop[i].node, .bytes = w->plans.loop[i].bytes};
	for (size_t i = 0; i < w->touches.n_sample; i++)
		add_to_loop(&c.loop[w->touches.sample[i].loop], &w->touches.sample[i], &c.of[i]);
	kept = calloc(c.n_line + 1, sizeof *kept);
	rc = kept ? sd_touched_line_keep(w, t, c.line, c.n_line, kept, out) : -ENOMEM;
	if (!rc)
		rc = count_distinct(&c);
	if (!rc)
		rc = find_main_lines(&c, kept);
	if (!rc)
		keep_loops(&c, out);
out:
	sd_known_code_free(&c.known);
	free(kept);
	free(c.line);
	free(c.loop);
	free(c.of);
	return rc;
}
