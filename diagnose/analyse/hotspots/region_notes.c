#include "hotspots/region_notes.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/statistics.h"

/* Entries at two counts that differ by more than this share are other work. */
#define SAME_ENTRIES .01

/* Shares of the cores that differ by less are the same. */
#define APART .05

double sd_region_notes_whole(const struct sd_chosen *p, double *v)
{
	for (size_t j = 0; j < p->n_run; j++)
		v[j] = sd_run_whole(p->run[j]).value;
	return p->n_run ? sd_statistics_median(v, p->n_run) : 0;
}

int sd_region_notes_same(const struct sd_region_point *a, const struct sd_region_point *b)
{
	return fabs(a->entries - b->entries) <= SAME_ENTRIES * b->entries;
}

/* ---- of one region --------------------------------------------------------------------------- */

static int say_entries(struct sd_region_row *row)
{
	const struct sd_region_point *const ref = &row->point[0],
					    *const last = &row->point[row->n_point - 1];

	if (!ref->runs || !last->runs)
		return sd_texts_add(&row->notes, "not entered at %u core%s",
			ref->runs ? last->cores : ref->cores,
			(ref->runs ? last->cores : ref->cores) == 1 ? "" : "s");
	if (sd_region_notes_same(last, ref))
		return 0;
	return sd_texts_add(&row->notes,
		"entered %.0f times at %u core%s and %.0f times at %u: not the same work, so that no "
		"speedup is told",
		ref->entries, ref->cores, ref->cores == 1 ? "" : "s", last->entries, last->cores);
}

/* Notes what was odd in the runs of the largest point and of the reference. */
int sd_region_notes_row(struct sd_region_row *row, const struct sd_region_time *of,
	const struct sd_run_selection *choice)
{
	double unmatched = 0, unended = 0;
	unsigned processes = 0, least = UINT32_MAX, most = 0;
	int rc = say_entries(row);

	for (size_t i = 0; i < choice->n_point; i++)
		for (size_t j = 0; j < choice->point[i].n_run; j++) {
			const struct sd_region_run *const r = choice->point[i].run[j]->regions;
			const struct sd_region_time *const t =
				r ? sd_region_run_find(r, of->kind, of->name, of->node) : NULL;

			if (!t)
				continue;
			unmatched = fmax(unmatched, t->unmatched);
			unended = fmax(unended, t->unended);
			processes = t->processes > processes ? t->processes : processes;
			if (i + 1 < choice->n_point)
				continue;
			least = t->least < least ? t->least : least;
			most = t->most > most ? t->most : most;
		}
	if (!rc && unmatched > 0)
		rc = sd_texts_add(&row->notes,
			"%.0f begins or ends a run without the other: those are in no time",
			unmatched);
	if (!rc && unended > 0)
		rc = sd_texts_add(&row->notes,
			"not ended when the program did: until then it was counted as in it");
	if (!rc && processes > 1)
		rc = sd_texts_add(&row->notes,
			"of up to %u processes: the time is that of the one longest in it",
			processes);
	if (!rc && of->kind == SD_REGION_OPENMP && most > choice->point[choice->n_point - 1].n)
		rc = sd_texts_add(&row->notes,
			"a team of %u threads on %u cores: those without a CPU are taken to work",
			most, choice->point[choice->n_point - 1].n);
	if (!rc && of->kind == SD_REGION_OPENMP && most > least)
		rc = sd_texts_add(&row->notes, "teams of %u to %u threads at %u cores", least, most,
			row->point[row->n_point - 1].cores);
	return rc;
}

/* ---- of all ---------------------------------------------------------------------------------- */

/* Entries that are in no row, of the run that has most. */
static int say_lost(const struct sd_run_selection *choice, struct sd_region_losses *l)
{
	double no_row = 0, too_deep = 0;
	int rc = 0;

	for (size_t i = 0; i < choice->n_point; i++)
		for (size_t j = 0; j < choice->point[i].n_run; j++) {
			const struct sd_region_run *const r = choice->point[i].run[j]->regions;

			no_row = fmax(no_row, r ? r->no_row : 0);
			too_deep = fmax(too_deep, r ? r->too_deep : 0);
		}
	if (no_row > 0)
		rc = sd_texts_add(&l->notes,
			"too many regions: %.0f entries a run are in none of the rows", no_row);
	if (!rc && too_deep > 0)
		rc = sd_texts_add(&l->notes,
			"%.0f entries a run were inside of more than 32 other regions, and are in no "
			"row",
			too_deep);
	return rc;
}

/* A part of the stack beside what the table has for it; where they differ, why that can be. */
static int say_both(struct sd_region_losses *l, const struct sd_point *pt, enum sd_component of,
	double table, const char *words)
{
	const struct sd_interval stack = pt->stack[of];
	const double half = sd_status_bounded(stack) ? (stack.high - stack.low) / 2 : INFINITY;

	if (stack.status != SD_STATUS_OK && stack.status != SD_STATUS_NOISY)
		return 0;
	return sd_texts_add(&l->notes, "%s: %.2f of %u cores, in the stack above %.2f%s", words,
		table, pt->n, stack.value,
		fabs(table - stack.value) <= half + APART * pt->n
			? ""
			: ". They differ: here a thread without a CPU works or waits as it was, and "
			  "what only one thread does inside of a region is imbalance");
}

/* Compares the loss in OpenMP's regions at the largest point with the stack's. */
static int compare_with_stack(const struct sd_run_selection *choice, const struct sd_analysis *a,
	struct sd_region_losses *l)
{
	const struct sd_chosen *const p = &choice->point[choice->n_point - 1];
	const struct sd_point *const pt = &a->point[a->n_point - 1];
	double inside = 0, imbalance = 0, barrier = 0, whole, *v;
	int any = 0, rc;

	for (size_t i = 0; i < l->n_row; i++) {
		const struct sd_region_point *const t = &l->row[i].point[l->row[i].n_point - 1];

		if (l->row[i].kind != SD_REGION_OPENMP || !t->runs)
			continue;
		if (t->nested > 0 || t->whole > 0 || t->most > p->n)
			return 0; /* in others, or not divided */
		inside += t->elapsed.value;
		imbalance += t->imbalance * t->threads;
		barrier += t->barrier * t->threads;
		any = 1;
	}
	if (!any || p->n < 2)
		return 0;
	v = calloc(p->n_run + 1, sizeof *v);
	if (!v)
		return -ENOMEM;
	whole = sd_region_notes_whole(p, v);
	free(v);
	if (!(whole > 0) || l->judged || l->n_seen > l->n_row)
		return 0;
	rc = say_both(l, pt, SD_COMPONENT_SERIAL, (p->n - 1) * fmax(0, 1 - inside / whole),
		"Outside of the OpenMP regions the other cores are lost to serial code");
	rc = rc ? rc
		: say_both(l, pt, SD_COMPONENT_IMBALANCE, imbalance / whole,
			  "Inside of them imbalance costs");
	return rc ? rc
		  : sd_texts_add(&l->notes,
			    "Fork, join and barriers inside of them cost %.2f of %u cores",
			    barrier / whole, p->n);
}

/* Which part of the runs is judged, and how much of their time that is. */
static int say_judged(const struct sd_record *record, const struct sd_run_selection *choice,
	struct sd_region_losses *l)
{
	const struct sd_chosen *const p = &choice->point[choice->n_point - 1];
	double *const v = calloc(p->n_run + 1, sizeof *v), whole, wall;
	size_t n = 0;

	if (!v)
		return -ENOMEM;
	for (size_t j = 0; j < p->n_run; j++)
		n += sd_has(p->run[j]->whole);
	whole = sd_region_notes_whole(p, v);
	for (size_t j = 0; j < p->n_run; j++)
		v[j] = p->run[j]->metric[SD_METRIC_WALL].value;
	wall = sd_statistics_median(v, p->n_run);
	free(v);
	if (n < p->n_run || !(whole > 0))
		return 0;
	return asprintf(&l->judged, "%s%s%s, %.0f %% of the time at %u core%s",
		       record->program.region ? "region '" : "MPI_Init to MPI_Finalize",
		       record->program.region ? record->program.region : "",
		       record->program.region ? "'" : "", 100 * wall / whole, p->cores,
		       p->cores == 1 ? "" : "s") < 0
		       ? (l->judged = NULL, -ENOMEM)
		       : 0;
}

int sd_region_notes_all(const struct sd_record *record, const struct sd_run_selection *choice,
	struct sd_analysis *a)
{
	int rc = say_lost(choice, &a->regions);

	rc = rc ? rc : say_judged(record, choice, &a->regions);
	return rc ? rc : compare_with_stack(choice, a, &a->regions);
}
