#include "loops/native_growth.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/statistics.h"
#include "loops/lock_users.h"
#include "loops/loop_times.h"
#include "loops/native_objects.h"
#include "runs/bootstrap.h"

/*
 * So many lines and pages stay in every core's own caches and DTLB: 64 KiB are a quarter of the
 * smallest second-level cache of a server since 2008 (Nehalem's 256 KiB), and first levels of DTLBs
 * have 48 entries (Neoverse N1) to 64 and more.
 */
#define NEAR_LINES 1024
#define NEAR_PAGES 32

/* Columns: what has an interval. */
enum {
	LEAST = 0,                      /* [kind] */
	MOST = LEAST + SD_NATIVE_KINDS, /* [kind] */
	UNDER = MOST + SD_NATIVE_KINDS,
	COLD_LINES,
	COLD_PAGES,
	UNKNOWN,
	ALL,
	COLUMNS
};

struct build {
	const struct sd_record *record;
	struct sd_loop_times t;
	double *weight; /* owned; [column][row, and behind them what no sample saw] */
	double *value;  /* owned; [column][runs of both points] */
	struct sd_native_growth *out;
};

/* ---- what a row is ----------------------------------------------------------------------------
 */

/* The largest share of a loop's growth that samples of `s` seconds can explain: all their time. */
static double share_at_most(
	const struct sd_loop_times *t, const struct sd_loop_times_row *r, double s)
{
	const double share = r->sum.seconds > 0 ? fmin(1, s / r->sum.seconds) : 1;
	const double user = t->seconds > 0 ? r->sum.seconds / t->seconds : 0;
	const double cores = t->now->n * t->now->mean.part[SD_PART_USER] * user;

	return r->cores > 0 && share > 0 ? fmin(1, share * fmax(1, cores / r->cores)) : share;
}

static double share(const struct sd_loop_times_row *r, double s)
{
	return r->sum.seconds > 0 ? fmin(1, s / r->sum.seconds) : 0;
}

static void weigh_least(const struct sd_loop_times_row *r, double w[COLUMNS])
{
	const double of_false = share(r, r->sum.of_false), of_true = share(r, r->sum.of_true),
		     of_lock = share(r, r->sum.of_lock);

	w[LEAST + SD_NATIVE_SPLIT] = share(r, r->sum.split);
	if (r->owner == SD_LOOP_OF_RUNTIME)
		return;
	if (r->owner == SD_LOOP_OF_ALLOCATOR) {
		w[LEAST + SD_NATIVE_ALLOCATOR] = of_false + of_true + of_lock;
		return;
	}
	w[LEAST + SD_NATIVE_FALSE] = of_false;
	w[LEAST + SD_NATIVE_LOCK] = of_lock;
	if (r->owner == SD_LOOP_OF_LOCKS)
		w[LEAST + SD_NATIVE_LOCK] += of_true;
	else if (r->holds)
		w[UNDER] = of_true;
	else
		w[LEAST + SD_NATIVE_TRUE] = of_true;
}

/* Reading what a thread that no sample shows may write. */
static double share_read(const struct build *b, const struct sd_loop_times_row *r)
{
	const double moves = r->cores > 0 && r->sum.read > 0 ? b->out->read_most / r->cores : 0;

	return share_at_most(&b->t, r, b->out->unwatched * r->sum.read) + moves;
}

static void weigh_most(const struct build *b, const struct sd_loop_times_row *r, double w[COLUMNS])
{
	const struct sd_loop_times *const t = &b->t;
	const struct sd_loop_sums *const s = &r->sum;
	const double open =
		fmin(1, share_at_most(t, r, s->maybe + s->unknown + s->split) + share_read(b, r));
	const int of_locks = r->owner == SD_LOOP_OF_LOCKS;

	w[UNKNOWN] = share(r, s->maybe + s->unknown);
	/* one stops the accesses of all loops */
	w[MOST + SD_NATIVE_SPLIT] = t->split > 0 ? 1 : share_at_most(t, r, s->unknown);
	if (r->owner == SD_LOOP_OF_RUNTIME)
		return;
	if (r->owner == SD_LOOP_OF_ALLOCATOR) {
		w[MOST + SD_NATIVE_ALLOCATOR] = 1;
		return;
	}
	w[MOST + SD_NATIVE_FALSE] = s->of_false > 0 ? 1 : open;
	w[MOST + SD_NATIVE_TRUE] = of_locks ? 0 : s->of_true > 0 ? 1 : open;
	w[MOST + SD_NATIVE_LOCK] =
		of_locks || s->of_lock > 0 || (r->holds && s->of_true > 0) ? 1 : open;
}

/* Lines that a loop had touched before are in a core's own cache, as far as there are few: the
 * chance that a sample finds another one is at most that of those that did (Good 1953). */
static double cold(
	const struct sd_loop_times *t, const struct sd_loop_times_row *r, double found, int near)
{
	const struct sd_loop_sums *const s = &r->sum;

	if (!near || !(s->samples > 0))
		return 1;
	return share_at_most(
		t, r, s->unknown + s->seconds * sd_statistics_share(found, s->samples).high);
}

static void weigh_sure(struct build *b)
{
	for (size_t i = 0; i < b->t.n; i++) {
		double w[COLUMNS] = {0};

		weigh_least(&b->t.row[i], w);
		for (size_t k = 0; k < COLUMNS; k++)
			b->weight[k * (b->t.n + 1) + i] = w[k];
	}
}

static void weigh_open(struct build *b)
{
	const size_t n = b->t.n + 1;

	for (size_t i = 0; i < b->t.n; i++) {
		const struct sd_loop_times_row *const r = &b->t.row[i];
		double w[COLUMNS] = {[ALL] = 1};

		b->out->read += fmax(0, r->cores) * share(r, b->out->unwatched * r->sum.read);
		weigh_most(b, r, w);
		w[COLD_LINES] = cold(&b->t, r, r->sum.new_lines, r->sum.most_lines <= NEAR_LINES);
		w[COLD_PAGES] = cold(&b->t, r, r->sum.new_pages, r->sum.most_pages <= NEAR_PAGES);
		for (int k = MOST; k < COLUMNS; k++)
			if (k != UNDER)
				b->weight[(size_t)k * n + i] = w[k];
	}
	for (int k = MOST; k < COLUMNS; k++) /* what no sample saw may be anything */
		b->weight[(size_t)k * n + b->t.n] = k != UNDER;
}

/* Bounds loops by the cost of moves, where the writes of all contested lines were counted. What is
 * not known of a loop stays open. */
static void keep_counted(struct build *b)
{
	static const int kind[] = {MOST + SD_NATIVE_FALSE, MOST + SD_NATIVE_TRUE};
	const size_t n = b->t.n + 1;

	for (size_t i = 0; isfinite(b->out->counted) && i < b->t.n; i++) {
		const struct sd_loop_times_row *const r = &b->t.row[i];
		const double open =
			share_at_most(&b->t, r,
				r->sum.unknown + r->sum.split + b->out->unlisted * r->sum.maybe +
					b->out->unwatched * r->sum.read) +
			b->out->counted / r->cores;

		for (size_t k = 0; r->cores > 0 && k < 2; k++)
			b->weight[(size_t)kind[k] * n + i] =
				fmin(b->weight[(size_t)kind[k] * n + i], open);
	}
}

/* Limits what is sure of a loop to the time that its lines' writers can make others wait. */
static int keep_answered(struct build *b)
{
	const size_t n = b->t.n + 1;
	double *const sure = calloc(n * SD_NATIVE_KINDS, sizeof *sure);
	int rc = -ENOMEM;

	if (!sure)
		return rc;
	for (size_t i = 0; i < b->t.n; i++)
		for (size_t k = 0; k < SD_NATIVE_KINDS; k++)
			sure[i * SD_NATIVE_KINDS + k] =
				b->weight[(LEAST + k) * n + i] +
				(k == SD_NATIVE_LOCK ? b->weight[UNDER * n + i] : 0);
	rc = sd_native_objects_make(b->record, &b->t, sure, b->out);
	for (size_t i = 0; rc == 0 && i < b->t.n; i++) {
		const double kept =
			sd_native_objects_answered(&b->record->stacks, b->out, &b->t, i);

		for (size_t k = 0; k < SD_NATIVE_KINDS; k++)
			b->weight[(LEAST + k) * n + i] *= k == SD_NATIVE_SPLIT ? 1 : kept;
		b->weight[UNDER * n + i] *= kept;
	}
	if (rc == 0) {
		sd_native_objects_keep(b->out);
		weigh_open(b);
		keep_counted(b);
	}
	free(sure);
	return rc;
}

/* ---- intervals ------------------------------------------------------------------------------- */

static void put_columns(struct build *b)
{
	const size_t n = b->t.n + 1, runs = b->t.ref->n_run + b->t.now->n_run;

	for (size_t k = 0; k < COLUMNS; k++)
		for (size_t j = 0; j < runs; j++)
			for (size_t i = 0; i < n; i++)
				b->value[k * runs + j] +=
					b->weight[k * n + i] * b->t.part[j * n + i];
}

/* All columns of one draw; NULL: of all runs. */
static void draw(const struct build *b, const struct sd_bootstrap *d, double out[COLUMNS])
{
	const size_t runs = b->t.ref->n_run + b->t.now->n_run;

	for (size_t k = 0; k < COLUMNS; k++)
		out[k] = sd_loop_times_grown(&b->t, b->value + k * runs, d ? d->times_ref : NULL,
			d ? d->times_now : NULL, d ? d->time_ref : b->t.ref->median_time,
			d ? d->time_now : b->t.now->median_time);
	/* code that the reference ran elsewhere has not grown */
	for (int k = 0; k < SD_NATIVE_KINDS; k++) {
		out[LEAST + k] = fmin(out[LEAST + k], fmax(0, out[ALL]));
		out[MOST + k] = fmax(0, out[MOST + k]);
	}
	out[UNDER] = fmin(out[UNDER], fmax(0, out[ALL]));
	out[COLD_LINES] = fmax(0, out[COLD_LINES]);
	out[COLD_PAGES] = fmax(0, out[COLD_PAGES]);
}

/* Samples are few: a share of those that are of a kind has an interval of its own. */
static double samples_low(const struct build *b, int kind)
{
	const size_t n = b->t.n + 1;
	double all = 0, are = 0;

	for (size_t i = 0; i < b->t.n; i++) {
		const double w = b->weight[(size_t)(LEAST + kind) * n + i];

		all += w > 0 ? b->t.row[i].sum.samples : 0;
		are += w * b->t.row[i].sum.samples;
	}
	return all > 0 && are > 0 ? sd_statistics_share(fmin(are, all), all).low / (are / all) : 0;
}

static void put_intervals(struct build *b, struct sd_interval v[COLUMNS])
{
	struct sd_native_growth *const g = b->out;
	const double unseen = sd_statistics_share(0, fmax(1, g->samples)).high;

	g->all = v[ALL];
	g->under = v[UNDER];
	g->cold_lines = v[COLD_LINES];
	g->cold_pages = v[COLD_PAGES];
	g->unknown = v[UNKNOWN].value;
	for (int k = 0; k < SD_NATIVE_KINDS; k++) {
		g->least[k] = v[LEAST + k];
		if (g->least[k].low > 0)
			g->least[k].low *= samples_low(b, k);
		g->most[k] = v[MOST + k];
		g->most[k].high += unseen * fmax(0, v[ALL].high);
	}
}

static int find_intervals(struct build *b)
{
	const struct sd_chosen *const ref = b->t.ref, *const now = b->t.now;
	const size_t draws = sd_bootstrap_resamples(ref, now), runs = sd_bootstrap_runs(ref, now);
	double *const sample = calloc(COLUMNS * draws + 1, sizeof *sample);
	struct sd_interval v[COLUMNS];
	struct sd_bootstrap d;
	double one[COLUMNS];
	int rc = sd_bootstrap_begin(&d, ref, now, b->record->plan.seed);

	rc = sample ? rc : -ENOMEM;
	for (size_t i = 0; rc == 0 && i < draws; i++) {
		sd_bootstrap_next(&d, i);
		draw(b, &d, one);
		for (size_t k = 0; k < COLUMNS; k++)
			sample[k * draws + i] = one[k];
	}
	if (rc == 0) {
		draw(b, NULL, one);
		for (size_t k = 0; k < COLUMNS; k++)
			v[k] = sd_statistics_interval(one[k], sample + k * draws, draws, runs);
		put_intervals(b, v);
	}
	sd_bootstrap_end(&d);
	free(sample);
	return rc;
}

/* ---- places ---------------------------------------------------------------------------------- */

static double most_of(const struct sd_native_place *p)
{
	double most = 0;

	for (int k = 0; k < SD_NATIVE_KINDS; k++)
		most = fmax(most, p->cores[k]);
	return most;
}

static int by_growth(const void *x, const void *y)
{
	const struct sd_native_place *const a = x, *const b = y;
	const double one = most_of(a), other = most_of(b);

	return one != other ? (one < other) - (one > other)
			    : (a->node > b->node) - (a->node < b->node);
}

static int put_places(struct build *b)
{
	const size_t n = b->t.n + 1;

	b->out->place = calloc(n, sizeof *b->out->place);
	if (!b->out->place)
		return -ENOMEM;
	for (size_t i = 0; i < b->t.n; i++) {
		struct sd_native_place *const p = &b->out->place[b->out->n_place];

		*p = (struct sd_native_place){.node = b->t.row[i].node};
		for (size_t k = 0; k < SD_NATIVE_KINDS; k++)
			p->cores[k] = b->t.row[i].cores * b->weight[(LEAST + k) * n + i];
		b->out->n_place += p->node && most_of(p) > 0;
	}
	qsort(b->out->place, b->out->n_place, sizeof *b->out->place, by_growth);
	return 0;
}

static int build(struct build *b)
{
	const size_t runs = b->t.ref->n_run + b->t.now->n_run;
	int rc;

	b->weight = calloc(COLUMNS * (b->t.n + 1), sizeof *b->weight);
	b->value = calloc(COLUMNS * runs, sizeof *b->value);
	if (!b->weight || !b->value)
		return -ENOMEM;
	weigh_sure(b);
	rc = keep_answered(b);
	if (rc)
		return rc;
	put_columns(b);
	b->out->samples = b->t.samples;
	rc = find_intervals(b);
	if (rc == 0)
		rc = put_places(b);
	b->out->known = rc == 0;
	return rc;
}

int sd_native_growth_make(const struct sd_record *record, const struct sd_chosen *ref,
	const struct sd_chosen *now, const struct sd_code_places *places,
	struct sd_native_growth *out)
{
	struct build b = {.record = record, .out = out};
	unsigned char *const holds = calloc(places->n_function + 1, 1);
	int rc = -ENOMEM;

	*out = (struct sd_native_growth){0};
	if (holds)
		rc = sd_lock_users_mark(now, places, holds);
	if (rc == 0)
		rc = sd_loop_times_make(record, ref, now, places, holds, &b.t);
	if (rc == 0 && b.t.n)
		rc = build(&b);
	sd_loop_times_free(&b.t);
	free(holds);
	free(b.weight);
	free(b.value);
	return rc;
}

void sd_native_growth_free(struct sd_native_growth *g)
{
	free(g->object);
	free(g->place);
	*g = (struct sd_native_growth){0};
}
