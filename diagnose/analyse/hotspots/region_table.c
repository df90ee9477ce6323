#include "hotspots/region_table.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/code_place.h"
#include "base/statistics.h"
#include "hotspots/region_notes.h"

/* ---- one region at one point ----------------------------------------------------------------- */

/* The numbers of a region that are averaged over runs. */
#define NUMBERS(X)  \
	X(entries)  \
	X(thread_s) \
	X(imbalance) X(lock) X(scheduling) X(barrier) X(serial) X(nested) X(tasks) X(whole)

static double median_of(
	const struct sd_region_time *const *seen, size_t n, size_t offset, double *v)
{
	for (size_t i = 0; i < n; i++)
		memcpy(&v[i], (const char *)seen[i] + offset, sizeof *v);
	return n ? sd_statistics_median(v, n) : 0;
}

/* Cores that were had, where every run knows them. */
static struct sd_value used_of(const struct sd_region_time *const *seen, size_t n, double *v)
{
	for (size_t i = 0; i < n; i++) {
		if (!sd_has(seen[i]->cpu) || !(seen[i]->elapsed > 0))
			return SD_NOT(ABSENT);
		v[i] = seen[i]->cpu.value / seen[i]->elapsed;
	}
	return n ? SD_OK(sd_statistics_median(v, n)) : SD_NOT(ABSENT);
}

/* The losses of the mean thread: thread-seconds over the threads that were in it. */
static void divide(struct sd_region_point *out, const struct sd_region_time *mean)
{
	const double threads = out->threads;

	out->serial = mean->serial;
	if (!(threads > 0))
		return;
	out->imbalance = mean->imbalance / threads;
	out->lock = mean->lock / threads;
	out->scheduling = mean->scheduling / threads;
	out->barrier = mean->barrier / threads;
	out->gain = out->imbalance + out->lock + out->scheduling + out->barrier;
	out->ideal = fmax(0, out->elapsed.value - out->gain);
}

static void fill_point(const struct sd_chosen *p, const struct sd_region_time *of,
	const struct sd_region_time **seen, double *v, struct sd_region_point *out)
{
	struct sd_region_time mean = {0};
	double whole;
	size_t n = 0;

	out->cores = p->cores;
	out->least = UINT32_MAX;
	for (size_t j = 0; j < p->n_run; j++) {
		const struct sd_region_run *const r = p->run[j]->regions;
		const struct sd_region_time *const t =
			r ? sd_region_run_find(r, of->kind, of->name, of->node) : NULL;

		if (!t)
			continue;
		out->least = t->least < out->least ? t->least : out->least;
		out->most = t->most > out->most ? t->most : out->most;
		seen[n++] = t;
	}
	out->runs = n;
	if (!n) {
		*out = (struct sd_region_point){.cores = p->cores};
		return;
	}
#define X(m) mean.m = median_of(seen, n, offsetof(struct sd_region_time, m), v);
	NUMBERS(X)
#undef X
	for (size_t i = 0; i < n; i++)
		v[i] = seen[i]->elapsed;
	out->elapsed = sd_statistics_order(v, n);
	out->used = used_of(seen, n, v);
	out->entries = mean.entries;
	out->nested = mean.nested;
	out->tasks = mean.tasks;
	out->whole = mean.whole;
	out->threads = out->elapsed.value > 0 ? mean.thread_s / out->elapsed.value : 0;
	if (of->kind == SD_REGION_OPENMP)
		divide(out, &mean);
	whole = sd_region_notes_whole(p, v);
	out->share = whole > 0 ? fmin(1, out->elapsed.value / whole) : 0;
}

/* ---- against the reference ------------------------------------------------------------------- */

/* A quotient's interval, at least as wide as that of its parts. */
static struct sd_interval over(struct sd_interval a, struct sd_interval b, double times)
{
	struct sd_interval q = {.status = SD_STATUS_ABSENT};

	if (!(b.value > 0))
		return q;
	q = (struct sd_interval){times * a.value / b.value, -INFINITY, INFINITY, SD_STATUS_OK};
	if (sd_status_bounded(a) && sd_status_bounded(b) && b.low > 0) {
		q.low = times * a.low / b.high;
		q.high = times * a.high / b.low;
	}
	return q;
}

static void relate(struct sd_region_row *row, const struct sd_run_selection *choice, double *v)
{
	const struct sd_region_point *const ref = &row->point[0];

	for (size_t i = 0; i < row->n_point && !choice->rates; i++) {
		struct sd_region_point *const now = &row->point[i];
		const struct sd_chosen *const p = &choice->point[i];
		const double whole = sd_region_notes_whole(p, v);
		const double scale = (double)choice->point[0].n / p->n;

		if (!ref->runs || !now->runs || !sd_region_notes_same(now, ref))
			continue;
		now->speedup = over(ref->elapsed, now->elapsed, p->work);
		now->efficiency = over(ref->elapsed, now->elapsed, p->work * scale);
		if (i > 0 && whole > 0)
			now->lost =
				SD_OK((p->n * now->elapsed.value -
					      p->work * choice->point[0].n * ref->elapsed.value) /
					whole);
	}
}

/* ---- all of them ----------------------------------------------------------------------------- */

static int name_row(
	struct sd_region_row *row, const struct sd_region_time *of, const struct sd_record *record)
{
	char place[300];

	row->kind = of->kind;
	if (of->kind == SD_REGION_MARKED) {
		row->name = strdup(of->name);
		return row->name ? 0 : -ENOMEM;
	}
	sd_code_place_text(&record->stacks, of->node, place, sizeof place);
	row->name = strdup(place);
	return row->name ? 0 : -ENOMEM;
}

static int add_row(const struct sd_record *record, const struct sd_run_selection *choice,
	const struct sd_region_time *of, struct sd_region_losses *l)
{
	struct sd_region_row *const row = &l->row[l->n_row++];
	const struct sd_region_time **seen;
	size_t most = 0;
	double *v;
	int rc;

	for (size_t i = 0; i < choice->n_point; i++)
		most = choice->point[i].n_run > most ? choice->point[i].n_run : most;
	row->n_point = choice->n_point;
	row->point = calloc(choice->n_point + 1, sizeof *row->point);
	seen = calloc(most + 1, sizeof(void *));
	v = calloc(most + 1, sizeof *v);
	rc = row->point && seen && v ? name_row(row, of, record) : -ENOMEM;
	for (size_t i = 0; i < choice->n_point && !rc; i++)
		fill_point(&choice->point[i], of, seen, v, &row->point[i]);
	if (!rc) {
		relate(row, choice, v);
		rc = sd_region_notes_row(row, of, choice);
	}
	free(seen);
	free(v);
	return rc;
}

static int is_known(
	const struct sd_region_time *const *known, size_t n, const struct sd_region_time *t)
{
	for (size_t i = 0; i < n; i++)
		if (known[i]->kind == t->kind && known[i]->node == t->node &&
			strcmp(known[i]->name, t->name) == 0)
			return 1;
	return 0;
}

/* Each region once, from the largest point down, as the runs have them: most time first. */
static size_t find_all(const struct sd_run_selection *choice, const struct sd_region_time **known,
	struct sd_region_losses *l)
{
	size_t n = 0;

	for (size_t i = choice->n_point; i-- > 0;)
		for (size_t j = 0; j < choice->point[i].n_run; j++) {
			const struct sd_region_run *const r = choice->point[i].run[j]->regions;

			for (size_t k = 0; r && k < r->n_row; k++)
				if (n < SD_REGION_RUN_ROWS && !is_known(known, n, &r->row[k]))
					known[n++] = &r->row[k];
		}
	l->n_seen = n;
	return n < SD_REGION_LOSSES_ROWS ? n : SD_REGION_LOSSES_ROWS;
}

int sd_region_table_fill(const struct sd_record *record, const struct sd_run_selection *choice,
	struct sd_analysis *a)
{
	const struct sd_region_time **known = calloc(SD_REGION_RUN_ROWS, sizeof(void *));
	struct sd_region_losses *const l = &a->regions;
	size_t n;
	int rc = known ? 0 : -ENOMEM;

	if (!rc) {
		n = find_all(choice, known, l);
		l->row = calloc(n + 1, sizeof *l->row);
		rc = l->row ? 0 : -ENOMEM;
		for (size_t i = 0; i < n && !rc; i++)
			rc = add_row(record, choice, known[i], l);
	}
	free(known);
	return rc ? rc : sd_region_notes_all(record, choice, a);
}
