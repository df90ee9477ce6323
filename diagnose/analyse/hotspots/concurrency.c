#include "hotspots/concurrency.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "hotspots/code_places.h"
#include "hotspots/top_functions.h"
#include "accounting/parts_by_stack.h"
#include "runs/sampled_uses.h"

#define PLACES 3
#define PLACE_LEAST .01

static double sane(double v)
{
	return sd_run_parts_usable(SD_OK(v)) ? v : 0;
}

/* Mean over the runs of each count's share of the run's time. */
static int fill_together(const struct sd_chosen *p, struct sd_busiest_threads *out)
{
	size_t n = 0, runs = 0;

	for (size_t j = 0; j < p->n_run; j++)
		n = p->run[j]->n_concurrency > n ? p->run[j]->n_concurrency : n;
	out->together = calloc(n + 1, sizeof *out->together);
	if (!out->together)
		return -ENOMEM;
	out->n_together = n;
	out->by_switches = n > 0;
	for (size_t j = 0; j < p->n_run; j++) {
		const struct sd_run *const r = p->run[j];
		double sum = 0;

		for (size_t k = 0; k < r->n_concurrency; k++)
			sum += sane(r->concurrency[k]);
		if (!(sum > 0))
			continue;
		runs++;
		out->by_switches &= r->sampled.idle != 0;
		for (size_t k = 0; k < r->n_concurrency; k++)
			out->together[k] += sane(r->concurrency[k]) / sum;
	}
	for (size_t k = 0; k < n; k++)
		out->together[k] /= runs ? (double)runs : 1;
	if (!runs)
		out->n_together = 0;
	return 0;
}

/* The spots of the stacks that ran alone. */
static int fill_alone(
	const struct sd_record *record, const struct sd_chosen *p, struct sd_busiest_threads *out)
{
	struct sd_sampled_uses uses = {.p = p};
	struct sd_code_places places;
	double *weight = NULL, sum = 0;
	int rc = sd_code_places_make(&places, &record->stacks, NULL);

	if (!rc) {
		weight = calloc(places.n_spot, sizeof *weight);
		rc = weight ? 0 : -ENOMEM;
	}
	for (const struct sd_use *u; !rc && (u = sd_sampled_uses_next(&uses));) {
		weight[sd_code_places_spot(&places, u->node)] += sane(u->solo);
		sum += sane(u->solo);
	}
	if (!rc && sum > 0)
		rc = sd_top_functions(
			&places, weight, sum, PLACE_LEAST, PLACES, &out->alone, &out->n_alone);
	free(weight);
	sd_code_places_free(&places);
	return rc;
}

static void find_stage(const struct sd_run *run, int pid, struct sd_thread_row *row)
{
	for (size_t i = 0; i < run->n_thread && !row->stages; i++)
		if (run->thread[i].pid == pid) {
			row->stage = run->thread[i].stage;
			row->stages = run->thread[i].stages;
		}
}

/* Processes of the bottle's name; those of one process count once. */
static unsigned processes_of(const struct sd_sampled *s, const struct sd_bottle *b)
{
	unsigned n = 0;

	for (size_t i = 0; i < s->n_bottle; i++) {
		size_t k = 0;

		if (strncmp(s->bottle[i].name, b->name, sizeof b->name) != 0)
			continue;
		while (k < i && s->bottle[k].pid != s->bottle[i].pid)
			k++;
		n += k == i;
	}
	return n;
}

/* The row of these processes, where there are more of them than rows: a program that starts others
 * all the time. NULL: there is none yet, or they are few. */
static struct sd_thread_row *row_of_many(
	struct sd_busiest_threads *t, const struct sd_bottle *b, unsigned processes)
{
	for (size_t i = 0; processes > SD_THREAD_ROWS && i < t->n_row; i++)
		if (t->row[i].processes &&
			strncmp(t->row[i].name, b->name, sizeof b->name - 1) == 0)
			return &t->row[i];
	return NULL;
}

static int by_height(const void *x, const void *y)
{
	const struct sd_thread_row *const a = x, *const b = y;

	return (a->height_s < b->height_s) - (a->height_s > b->height_s);
}

/* Tids differ between runs, so this shows the sampled run nearest the median time. */
static int fill_rows(const struct sd_chosen *p, struct sd_busiest_threads *out)
{
	const struct sd_run *run = NULL;
	const struct sd_sampled *s;
	double sum = 0;

	/* by rising time */
	for (size_t j = 0; j < p->n_run; j++)
		if (sd_parts_by_stack_sampled(p->run[j]) && (!run || j <= p->n_run / 2))
			run = p->run[j];
	s = run ? &run->sampled : NULL;
	if (!s || s->n_bottle == 0)
		return 0;
	out->row = calloc(SD_THREAD_ROWS, sizeof *out->row);
	if (!out->row)
		return -ENOMEM;
	for (size_t i = 0; i < s->n_bottle; i++)
		sum += sane(s->bottle[i].height);
	out->n_seen = s->n_bottle;
	for (size_t i = 0; i < s->n_bottle; i++) {
		const struct sd_bottle *const b = &s->bottle[i];
		const unsigned processes = processes_of(s, b);
		struct sd_thread_row *row = row_of_many(out, b, processes);

		if (!(sane(b->height) > 0) || !(sum > 0))
			continue;
		if (row) {
			row->width = (row->width * row->height_s + sane(b->width) * b->height) /
				     (row->height_s + b->height);
			row->height_s += b->height;
			row->share += b->height / sum;
			out->n_seen--;
			continue;
		}
		if (out->n_row == SD_THREAD_ROWS)
			continue;
		row = &out->row[out->n_row];
		*row = (struct sd_thread_row){.tid = b->tid,
			.processes = processes > SD_THREAD_ROWS ? processes : 0,
			.height_s = b->height,
			.width = sane(b->width),
			.share = b->height / sum};
		memcpy(row->name, b->name, sizeof row->name);
		row->name[sizeof row->name - 1] = '\0';
		find_stage(run, b->pid, row);
		out->n_row++;
	}
	if (out->n_seen < s->n_bottle) /* the others have their order */
		qsort(out->row, out->n_row, sizeof *out->row, by_height);
	return 0;
}

int sd_concurrency_fill(const struct sd_record *record, const struct sd_run_selection *choice,
	struct sd_analysis *a)
{
	const struct sd_chosen *const p = &choice->point[choice->n_point - 1];
	int rc = fill_together(p, &a->threads);

	if (!rc)
		rc = fill_alone(record, p, &a->threads);
	return rc ? rc : fill_rows(p, &a->threads);
}
