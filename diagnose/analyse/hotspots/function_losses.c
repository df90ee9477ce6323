#include "hotspots/function_losses.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/parallel_for.h"
#include "runs/bootstrap.h"
#include "hotspots/fold_stacks.h"
#include "hotspots/loss_calls.h"
#include "hotspots/loss_lines.h"

/* Number of functions that become rows, for each of the three orders below. */
#define BY_TOTAL 40
#define BY_EXCLUSIVE 12
#define BY_INCLUSIVE 12

/* A row's three numbers. */
enum { TOTAL, EXCLUSIVE, INCLUSIVE, KINDS };
/* Totals of families of functions, whatever called them: the columns after the last row's. */
enum { BELOW_MALLOC, AT_LOCKS, IN_TASKING, FOR_TASKS, FAMILIES };

struct build {
	const struct sd_record *record;
	const struct sd_loss_by_stack *s;
	struct sd_losses *out;
	double *total;      /* owned; [function], of its spots */
	size_t *order;      /* owned; functions, for sorting */
	size_t *row_of;     /* owned; function -> row + 1; 0: none */
	unsigned *function; /* owned; of each row */
	double *run;        /* owned; [run of both points][columns], fractions: [row][KINDS], then
			       [FAMILIES] */
	struct sd_interval family[FAMILIES];
	size_t n_draw; /* resamples */
	size_t runs;   /* of the point that has fewer */
};

/* ---- which functions ------------------------------------------------------------------------- */

static int by_value(const void *x, const void *y, void *ctx)
{
	const size_t a = *(const size_t *)x, b = *(const size_t *)y;
	const double *v = ctx;

	if (v[a] > v[b] || v[a] < v[b])
		return v[a] > v[b] ? -1 : 1;
	return (a > b) - (a < b);
}

static void sort_by(size_t *order, size_t n, double *value)
{
	qsort_r(order, n, sizeof *order, by_value, value);
}

/* Takes the first `most` functions of an order, except the unknown one. */
static void take(struct build *b, double *value, size_t most)
{
	const size_t n = b->s->places.n_function;

	for (size_t i = 0; i < n; i++)
		b->order[i] = i;
	sort_by(b->order, n, value);
	for (size_t i = 0; i < n && most > 0; i++) {
		const size_t f = b->order[i];

		if (f == 0 || b->row_of[f] || !(value[f] > 0 || value[f] < 0) ||
			b->out->n_row == SD_LOSS_ROWS)
			continue;
		b->function[b->out->n_row] = (unsigned)f;
		b->row_of[f] = ++b->out->n_row;
		most--;
	}
}

static void choose(struct build *b)
{
	for (size_t i = 0; i < b->s->places.n_spot; i++)
		b->total[b->s->places.spot[i].function] +=
			sd_loss_by_stack_sum(b->s, i, SD_PARTS_BY_STACK_PARTS);
	take(b, b->total, BY_TOTAL);
	take(b, b->s->exclusive, BY_EXCLUSIVE);
	take(b, b->s->inclusive, BY_INCLUSIVE);
}

/* ---- intervals ------------------------------------------------------------------------------- */

struct into {
	const struct build *b;
	double *to; /* [columns] */
};

static void add_run(void *ctx, unsigned node, enum sd_part part, double value)
{
	const struct into *k = ctx;
	const struct build *b = k->b;
	const struct sd_code_places *p = &b->s->places;
	const struct sd_spot *spot = &p->spot[sd_code_places_spot(p, node)];
	unsigned path[SD_STACKS_DEPTH];
	const size_t n = sd_loss_by_stack_path(p, node, path);
	size_t row = b->row_of[spot->function];

	if (row && spot->function)
		k->to[(row - 1) * KINDS + TOTAL] += value;
	if (spot->allocates && (SD_LOSS_BY_STACK_ALLOCATING >> part & 1))
		k->to[b->out->n_row * KINDS + BELOW_MALLOC] += value;
	if (sd_loss_by_stack_is_locking(spot, part))
		k->to[b->out->n_row * KINDS + AT_LOCKS] += value;
	if (spot->tasks)
		k->to[b->out->n_row * KINDS + IN_TASKING] += value;
	if (spot->tasks || (SD_LOSS_BY_STACK_DISPATCHING >> part & 1))
		k->to[b->out->n_row * KINDS + FOR_TASKS] += value;
	for (size_t i = 0; i < n; i++) {
		row = b->row_of[path[i]];
		if (!row)
			continue;
		k->to[(row - 1) * KINDS + INCLUSIVE] += value;
		if (i == 0)
			k->to[(row - 1) * KINDS + EXCLUSIVE] += value;
	}
}

static size_t columns(const struct build *b)
{
	return b->out->n_row * KINDS + FAMILIES;
}

static void measure(struct build *b, const struct sd_chosen *p, double *run)
{
	for (size_t j = 0; j < p->n_run; j++) {
		struct into k = {.b = b};

		k.to = run + j * columns(b);
		if (sd_parts_by_stack_sampled(p->run[j]))
			sd_loss_by_stack_each(
				&b->s->places, p->run[j], p->n, &p->parts[j], add_run, &k);
	}
}

/* Mean of every column over the drawn runs that are typical and sampled; over all sampled ones if
 * none is typical. A run at a time, as they lie in memory: 2,000 draws are most of the time of a
 * report. */
static void drawn(const struct build *b, const struct sd_chosen *p, const double *run,
	const unsigned *times, double *mean)
{
	const size_t n = columns(b);
	double weights = 0;

	for (int typical = 1; typical >= 0 && !(weights > 0); typical--) {
		memset(mean, 0, n * sizeof *mean);
		for (size_t j = 0; j < p->n_run; j++) {
			const double weight = typical && times ? times[j] : 1;

			if (!sd_parts_by_stack_sampled(p->run[j]) || !(weight > 0) ||
				(typical && !sd_run_selection_typical(p, j)))
				continue;
			weights += weight;
			for (size_t k = 0; k < n; k++)
				mean[k] += weight * run[j * n + k];
		}
	}
	for (size_t k = 0; k < n; k++)
		mean[k] /= weights;
}

/* Cores that each column has lost; `scratch` has as many. */
static void cores(
	const struct build *b, const struct sd_bootstrap *d, double *scratch, double *lost)
{
	const struct sd_chosen *ref = b->s->ref, *now = b->s->now;
	const double t_ref = d ? d->time_ref : ref->median_time;
	const double t_now = d ? d->time_now : now->median_time;

	drawn(b, ref, b->run, d ? d->times_ref : NULL, scratch);
	drawn(b, now, b->run + ref->n_run * columns(b), d ? d->times_now : NULL, lost);
	for (size_t k = 0; k < columns(b); k++)
		lost[k] = now->n * lost[k] -
			  (b->s->whole ? 0 : now->work * ref->n * scratch[k] * t_ref / t_now);
}

static struct sd_interval *interval_of(struct build *b, size_t column)
{
	struct sd_loss_row *r = &b->out->row[column / KINDS];

	if (column >= b->out->n_row * KINDS)
		return &b->family[column - b->out->n_row * KINDS];
	return column % KINDS == TOTAL       ? &r->total
	       : column % KINDS == EXCLUSIVE ? &r->exclusive
					     : &r->inclusive;
}

/* The resamples, in as many parts of one sequence as there are threads. */
struct drawing {
	struct build *b;
	double *sample; /* owned; [column][n_draw] */
	double *lost;   /* owned; [threads][2][columns]: and working memory */
	unsigned threads;
	int failed[SD_PARALLEL_FOR_MOST];
};

static void draw_part(void *of, size_t part, unsigned thread)
{
	struct drawing *const w = of;
	const struct build *const b = w->b;
	const size_t n = columns(b), first = b->n_draw * part / w->threads;
	double *const lost = w->lost + 2 * thread * n;
	struct sd_bootstrap d;

	w->failed[part] = sd_bootstrap_begin(&d, b->s->ref, b->s->now, b->record->plan.seed);
	sd_bootstrap_skip(&d, first);
	for (size_t i = first; !w->failed[part] && i < b->n_draw * (part + 1) / w->threads; i++) {
		sd_bootstrap_next(&d, i);
		cores(b, &d, lost + n, lost);
		for (size_t k = 0; k < n; k++)
			w->sample[k * b->n_draw + i] = lost[k];
	}
	sd_bootstrap_end(&d);
}

static void find_interval(void *of, size_t column, unsigned thread)
{
	const struct drawing *const w = of;
	struct build *const b = w->b;

	struct sd_interval v = sd_statistics_interval(
		w->lost[column], w->sample + column * b->n_draw, b->n_draw, b->runs);

	(void)thread;
	/* what causes state of families the ledger widens */
	if (column < b->out->n_row * KINDS)
		v = sd_statistics_widen_part(v, b->runs, b->s->now->n);
	*interval_of(b, column) = v;
}

static int find_intervals(struct build *b)
{
	const size_t n = columns(b);
	struct drawing w = {.b = b, .threads = sd_parallel_for_threads()};
	int rc = 0;

	w.sample = calloc(n * b->n_draw, sizeof *w.sample);
	w.lost = calloc(2 * w.threads * n, sizeof *w.lost);
	if (!w.sample || !w.lost)
		rc = -ENOMEM;
	if (rc == 0)
		sd_parallel_for(w.threads, w.threads, draw_part, &w);
	for (unsigned t = 0; t < w.threads; t++)
		rc = rc ? rc : w.failed[t];
	if (rc == 0) {
		cores(b, NULL, w.lost + n, w.lost);
		sd_parallel_for(n, w.threads, find_interval, &w);
	}
	free(w.sample);
	free(w.lost);
	return rc;
}

/* ---- rows and paths --------------------------------------------------------------- */

static void find_costs(struct build *b)
{
	const struct sd_loss_by_stack *s = b->s;

	for (size_t i = 0; i < s->places.n_spot; i++) {
		const unsigned function = s->places.spot[i].function;
		const size_t row = b->row_of[function];
		double *cost = i == 0 ? b->out->unknown
			       : row  ? b->out->row[row - 1].cost
				      : b->out->rest;

		for (int k = 0; k < SD_PART_COUNT; k++)
			if (SD_PARTS_BY_STACK_PARTS >> k & 1)
				cost[sd_part_info[k].cost] += SD_LOSS_BY_STACK(s, i, k);
	}
}

/* The function that accounts for most of a row's cores as callee, or caller; else 0. */
static unsigned mostly(const struct build *b, unsigned function, int callers, double *sum)
{
	const struct sd_code_places *p = &b->s->places;
	unsigned most = 0;

	memset(sum, 0, p->n_function * sizeof *sum);
	for (size_t i = 1; i < p->n_spot; i++)
		if (p->spot[i].function == function)
			sum[callers ? p->spot[i].from : p->spot[i].in] +=
				sd_loss_by_stack_sum(b->s, i, SD_PARTS_BY_STACK_PARTS);
	sum[0] = 0;
	for (unsigned f = 1; f < p->n_function; f++)
		most = sum[f] > sum[most] ? f : most;
	return sum[most] > b->total[function] / 2 ? most : 0;
}

static int name_rows(struct build *b)
{
	double *scratch = calloc(b->s->places.n_function, sizeof *scratch);
	int rc = scratch ? 0 : -ENOMEM;

	for (size_t i = 0; rc == 0 && i < b->out->n_row; i++) {
		struct sd_loss_row *r = &b->out->row[i];
		const unsigned f = b->function[i];

		r->own = b->s->places.function[f].own;
		rc = sd_code_places_name(&b->s->places, f, mostly(b, f, 0, scratch),
			mostly(b, f, 1, scratch), &r->at);
	}
	free(scratch);
	return rc;
}

static int find_paths(struct build *b)
{
	const size_t n = b->record->stacks.n_node;
	size_t *order = calloc(n + 1, sizeof *order);
	int rc = 0;

	b->out->path = calloc(SD_LOSS_PATHS, sizeof *b->out->path);
	if (!order || !b->out->path) {
		free(order);
		return -ENOMEM;
	}
	for (size_t i = 1; i < n; i++)
		order[i - 1] = i;
	if (n > 1)
		sort_by(order, n - 1, b->s->node);
	for (size_t i = 0; rc == 0 && i + 1 < n && i < SD_LOSS_PATHS; i++) {
		struct sd_loss_path *p = &b->out->path[i];

		if (!(b->s->node[order[i]] > 0))
			break;
		p->cores = b->s->node[order[i]];
		p->path = sd_fold_stacks_path(&b->record->stacks, (unsigned)order[i]);
		rc = p->path ? 0 : -ENOMEM;
		b->out->n_path += p->path != NULL;
	}
	free(order);
	return rc;
}

static int build(struct build *b)
{
	const struct sd_chosen *ref = b->s->ref, *now = b->s->now;
	const size_t n = b->s->places.n_function;
	int rc;

	b->total = calloc(n, sizeof *b->total);
	b->order = calloc(n, sizeof *b->order);
	b->row_of = calloc(n, sizeof *b->row_of);
	b->function = calloc(SD_LOSS_ROWS, sizeof *b->function);
	b->out->row = calloc(SD_LOSS_ROWS, sizeof *b->out->row);
	if (!b->total || !b->order || !b->row_of || !b->function || !b->out->row)
		return -ENOMEM;
	choose(b);
	b->run = calloc((ref->n_run + now->n_run) * columns(b), sizeof *b->run);
	if (!b->run)
		return -ENOMEM;
	measure(b, ref, b->run);
	measure(b, now, b->run + ref->n_run * columns(b));
	b->runs = sd_bootstrap_runs(ref, now);
	b->n_draw = sd_bootstrap_resamples(ref, now);
	rc = find_intervals(b);
	find_costs(b);
	if (rc == 0)
		rc = sd_loss_lines_find(b->s, b->row_of, b->out);
	if (rc == 0)
		rc = name_rows(b);
	if (rc == 0)
		rc = sd_loss_calls_find(b->s, b->row_of, b->out);
	return rc ? rc : find_paths(b);
}

int sd_function_losses_fill(
	const struct sd_record *record, struct sd_loss_by_stack *spread, struct sd_analysis *a)
{
	struct build b = {.record = record, .s = spread, .out = &a->losses};
	int rc;

	if (!spread->now)
		return 0;
	rc = build(&b);
	if (b.n_draw) {
		spread->allocated = b.family[BELOW_MALLOC];
		spread->locking = b.family[AT_LOCKS];
		spread->tasking = b.family[IN_TASKING];
		spread->dispatch = b.family[FOR_TASKS];
	}
	free(b.total);
	free(b.order);
	free(b.row_of);
	free(b.function);
	free(b.run);
	return rc;
}
