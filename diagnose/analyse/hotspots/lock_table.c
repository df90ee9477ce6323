#include "hotspots/lock_table.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hotspots/code_places.h"
#include "base/statistics.h"
#include "hotspots/top_functions.h"
#include "accounting/parts_by_stack.h"

static double sane(double v)
{
	return sd_run_parts_usable(SD_OK(v)) ? v : 0;
}

/* Places kept of a lock's holders, and of its waiters. */
#define PLACES 3
#define PLACE_LEAST .01

/*
 * A lock of one run. Locks are matched between runs by name. A lock without a name is on the heap
 * or a stack, at a different address in every run; it is matched by the place where threads wait
 * for it and, among several there, by its rank in time waited.
 */
struct seen {
	const struct sd_lock_use *use;
	size_t run;
	unsigned spot; /* without a name: where threads mostly wait for it */
	size_t rank;
};

static int by_kind(const struct seen *a, const struct seen *b)
{
	if (a->use->kind != b->use->kind)
		return a->use->kind < b->use->kind ? -1 : 1;
	if (a->use->name != b->use->name)
		return a->use->name < b->use->name ? -1 : 1;
	if (a->use->name || a->spot == b->spot)
		return 0;
	return a->spot < b->spot ? -1 : 1;
}

static int by_run(const void *x, const void *y)
{
	const struct seen *const a = x, *const b = y;
	const double wait = sane(a->use->wait_s) - sane(b->use->wait_s);
	const int kind = by_kind(a, b);

	if (kind)
		return kind;
	if (a->run != b->run)
		return a->run < b->run ? -1 : 1;
	return wait > 0 ? -1 : wait < 0;
}

static int by_lock(const void *x, const void *y)
{
	const struct seen *const a = x, *const b = y;
	const int kind = by_kind(a, b);

	if (kind || a->use->name || a->rank == b->rank)
		return kind;
	return a->rank < b->rank ? -1 : 1;
}

/* In the order of locks, those of one lock side by side. */
static void sort(const struct sd_code_places *p, struct seen *v, size_t n)
{
	for (size_t i = 0; i < n; i++)
		v[i].spot = v[i].use->name ? 0 : sd_code_places_spot(p, v[i].use->waiter[0].node);
	qsort(v, n, sizeof *v, by_run);
	for (size_t i = 1; i < n; i++)
		if (v[i].run == v[i - 1].run && by_kind(&v[i], &v[i - 1]) == 0)
			v[i].rank = v[i - 1].rank + 1;
	qsort(v, n, sizeof *v, by_lock);
}

static int by_wait(const void *x, const void *y)
{
	const struct sd_lock_row *a = x, *b = y;

	if (a->wait_s > b->wait_s || a->wait_s < b->wait_s)
		return a->wait_s > b->wait_s ? -1 : 1;
	return 0;
}

/* ---- places ---------------------------------------------------------------------------------- */

static void add(const struct sd_code_places *p, unsigned node, double seconds, double *weight)
{
	weight[sd_code_places_spot(p, node)] += sane(seconds);
}

static int name_places(const struct sd_code_places *p, const struct seen *v, size_t n, double all,
	struct sd_lock_row *row)
{
	double *holder = calloc(p->n_spot, sizeof *holder);
	double *waiter = calloc(p->n_spot, sizeof *waiter);
	int rc = holder && waiter ? 0 : -ENOMEM;

	for (size_t i = 0; rc == 0 && i < n; i++)
		for (int k = 0; k < SD_LOCK_STACKS; k++) {
			const struct sd_lock_use *u = v[i].use;

			add(p, u->holder[k].node, u->holder[k].seconds, holder);
			add(p, u->waiter[k].node, u->waiter[k].seconds, waiter);
		}
	if (rc == 0)
		rc = sd_top_functions(
			p, holder, all, PLACE_LEAST, PLACES, &row->holder, &row->n_holder);
	if (rc == 0)
		rc = sd_top_functions(
			p, waiter, all, PLACE_LEAST, PLACES, &row->waiter, &row->n_waiter);
	free(holder);
	free(waiter);
	return rc;
}

/* ---- rows ------------------------------------------------------------------------------------ */

/* The innermost function on the stack that is of the library in "[libx.so.1+0x40]"; NULL: none. */
static const char *taker_in(const struct sd_stacks *s, unsigned node, const char *name)
{
	const char *const plus = strrchr(name, '+');
	const size_t n = *name == '[' && plus ? (size_t)(plus - name - 1) : 0;

	for (; n && node && node < s->n_node; node = s->node[node].parent) {
		const struct sd_frame *const f = &s->frame[s->node[node].frame];
		const char *const module = sd_stacks_text_at(s, f->module), *const slash = strrchr(
										    module, '/');
		const char *const base = slash ? slash + 1 : module;

		if (strlen(base) == n && strncmp(base, name + 1, n) == 0 &&
			*sd_stacks_text_at(s, f->function))
			return sd_stacks_text_at(s, f->function);
	}
	return NULL;
}

/* Locks of a language's runtime that have a name of their own: by the object that they lie in. */
static const struct {
	const char *object, *called;
} runtime_lock[] = {
	{"_PyRuntime", "GIL"},
};

/* NULL: it has none. */
static const char *called_in_runtime(const struct sd_lock_use *u, const char *name)
{
	for (size_t i = 0; i < sizeof runtime_lock / sizeof *runtime_lock; i++)
		if (u->kind == SD_ACTIVITY_RUNTIME_LOCK &&
			strncmp(name, runtime_lock[i].object, strlen(runtime_lock[i].object)) == 0)
			return runtime_lock[i].called;
	return NULL;
}

/* A library without symbols for its data gives an address only: then with the function that takes
 * it, "[libx.so.1+0x40], of next_ticket()". NULL: no memory. */
static char *lock_name(const struct sd_stacks *s, const struct sd_lock_use *u, const char *name)
{
	const char *const taker = taker_in(s, u->waiter[0].node, name);
	const char *const called = called_in_runtime(u, name);
	char *out;

	if (called)
		return asprintf(&out, "%s, %s", called, name) < 0 ? NULL : out;
	if (!taker)
		return strdup(name);
	return asprintf(&out, "%s, of %s%s", name, taker, strpbrk(taker, "([") ? "" : "()") < 0
		       ? NULL
		       : out;
}

/* The class of the object that a runtime locks there. NULL: it does not tell, or no memory. */
static char *class_at(const struct sd_stacks *s, unsigned node)
{
	for (; node; node = s->node[node].parent) {
		const char *const function =
			sd_stacks_text_at(s, s->frame[s->node[node].frame].function);
		const char *const of = strstr(function, SD_STACKS_OF);
		const char *const end = of ? strrchr(of, ']') : NULL;

		if (end)
			return strndup(of + strlen(SD_STACKS_OF),
				(size_t)(end - of) - strlen(SD_STACKS_OF));
	}
	return NULL;
}

/* Means over `runs` runs of the point of one lock's n entries. */
static int make_row(const struct sd_record *r, const struct sd_chosen *p,
	const struct sd_code_places *pl, const struct seen *v, size_t n, size_t runs,
	struct sd_lock_row *row)
{
	double *waited = calloc(p->n_run + 1, sizeof *waited), sum = 0, busy = 0, taken = 0;
	double contested = 0;
	size_t n_busy = 0, k = 0;
	const char *const name = sd_stacks_text_at(&r->stacks, v[0].use->name);

	if (!waited)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++) {
		const struct sd_lock_use *u = v[i].use;

		row->waits += sane(u->waits) / (double)runs;
		row->longest_s = fmax(row->longest_s, sane(u->longest_s));
		sum += sane(u->wait_s);
		waited[v[i].run] += sane(u->wait_s);
		if (sd_run_parts_usable(u->busy)) {
			busy += u->busy.value;
			n_busy++;
		}
		if (sd_run_parts_usable(u->acquisitions)) {
			taken += u->acquisitions.value;
			contested += sane(u->waits);
		}
	}
	for (size_t j = 0; j < p->n_run; j++)
		if (sd_parts_by_stack_sampled(p->run[j]))
			waited[k++] = waited[j] / p->run[j]->metric[SD_METRIC_WALL].value;
	row->wait_s = sum / (double)runs;
	row->cores = sd_statistics_order(waited, k);
	free(waited);
	row->kind = sd_activity_info[v[0].use->kind].name;
	if (n_busy)
		row->busy = SD_OK(busy / (double)runs);
	if (taken > 0)
		row->conflict = SD_OK(fmin(1, contested / taken));
	row->name = *name ? lock_name(&r->stacks, v[0].use, name)
			  : class_at(&r->stacks, v[0].use->waiter[0].node);
	if (*name && !row->name)
		return -ENOMEM;
	return name_places(pl, v, n, sum, row);
}

static int make_rows(const struct sd_record *r, const struct sd_chosen *p, struct seen *v, size_t n,
	size_t runs, struct sd_analysis *a)
{
	struct sd_code_places places;
	int rc = sd_code_places_make(&places, &r->stacks, NULL);

	a->lock = calloc(n + 1, sizeof *a->lock);
	if (rc == 0 && !a->lock)
		rc = -ENOMEM;
	if (rc == 0)
		sort(&places, v, n);
	for (size_t i = 0, end; rc == 0 && i < n; i = end) {
		for (end = i + 1; end < n && by_lock(&v[i], &v[end]) == 0; end++)
			;
		rc = make_row(r, p, &places, &v[i], end - i, runs, &a->lock[a->n_lock++]);
	}
	sd_code_places_free(&places);
	if (rc)
		return rc;
	qsort(a->lock, a->n_lock, sizeof *a->lock, by_wait);
	while (a->n_lock > SD_LOCK_ROWS)
		sd_lock_row_free(&a->lock[--a->n_lock]);
	return 0;
}

int sd_lock_table_fill(const struct sd_record *record, const struct sd_run_selection *choice,
	struct sd_analysis *a)
{
	const struct sd_chosen *p = &choice->point[choice->n_point - 1];
	size_t n = 0, runs = 0;
	struct seen *v;
	int rc;

	for (size_t j = 0; j < p->n_run; j++) {
		const struct sd_sampled *s = &p->run[j]->sampled;

		if (!sd_parts_by_stack_sampled(p->run[j]))
			continue;
		runs++;
		n += s->n_lock;
		a->n_lock_seen = s->n_lock_seen > a->n_lock_seen ? s->n_lock_seen : a->n_lock_seen;
	}
	if (n == 0)
		return 0;
	v = calloc(n, sizeof *v);
	if (!v)
		return -ENOMEM;
	n = 0;
	for (size_t j = 0; j < p->n_run; j++)
		for (size_t i = 0;
			sd_parts_by_stack_sampled(p->run[j]) && i < p->run[j]->sampled.n_lock; i++)
			v[n++] = (struct seen){.use = &p->run[j]->sampled.lock[i], .run = j};
	rc = make_rows(record, p, v, n, runs, a);
	free(v);
	return rc;
}

/* ---- where samples are from ------------------------------------------------------------------ */

/* Keeps the first status that is not ok. */
static void worst(enum sd_status *all, enum sd_status one, size_t n)
{
	if (n == 0 || *all == SD_STATUS_OK)
		*all = one;
}

struct sampling_sums {
	double unwound, pointed, cost, cpu;
};

static void add_run(
	const struct sd_run *run, size_t n, struct sd_sampling *out, struct sampling_sums *sum)
{
	const struct sd_sampled *s = &run->sampled;

	worst(&out->switch_stacks, s->switch_stacks, n);
	worst(&out->kernel, s->kernel, n);
	worst(&out->wakers, s->wakers, n);
	worst(&out->programs, s->programs, n);
	out->idle = (n == 0 || out->idle) && s->idle;
	out->hz_least = n == 0 ? sane(s->hz) : fmin(out->hz_least, sane(s->hz));
	out->hz_most = fmax(out->hz_most, sane(s->hz));
	if (sd_has(s->sample_s) &&
		!(sd_has(out->sample_s) && out->sample_s.value >= s->sample_s.value))
		out->sample_s = s->sample_s;
	out->samples += sane(s->samples);
	out->switches += sane(s->switches);
	out->lost += sane(s->lost);
	out->unwatched = fmax(out->unwatched, sane(s->unwatched));
	out->stack_least =
		n == 0 ? sane(s->stack_bytes) : fmin(out->stack_least, sane(s->stack_bytes));
	out->stack_most = fmax(out->stack_most, sane(s->stack_bytes));
	sum->unwound += sane(s->unwound) * sane(s->samples);
	sum->pointed += sane(s->pointed) * sane(s->samples);
	sum->cost += sane(s->cpu_s);
	sum->cpu +=
		sane(run->metric[SD_METRIC_USER].value) + sane(run->metric[SD_METRIC_SYSTEM].value);
}

void sd_lock_table_sampling(const struct sd_run_selection *choice, struct sd_sampling *out)
{
	struct sampling_sums sum = {0};
	size_t n = 0, all = 0;

	*out = (struct sd_sampling){0};
	for (size_t i = 0; i < choice->n_point; i++)
		for (size_t j = 0; j < choice->point[i].n_run; j++) {
			const struct sd_run *run = choice->point[i].run[j];

			if (run->sampled.status == SD_STATUS_OK)
				add_run(run, n++, out, &sum);
			else if (out->status == SD_STATUS_ABSENT)
				out->status = run->sampled.status;
			out->ended |= (run->flags & SD_RUN_UNREADABLE) != 0;
			all++;
		}
	out->mixed = n > 0 && n < all;
	if (n > 0)
		out->status = SD_STATUS_OK;
	if (out->samples > 0) {
		out->unwound = SD_OK(sum.unwound / out->samples);
		out->pointed = SD_OK(sum.pointed / out->samples);
	}
	if (sum.cpu > 0 && n > 0)
		out->cost = SD_OK(sum.cost / sum.cpu);
}
