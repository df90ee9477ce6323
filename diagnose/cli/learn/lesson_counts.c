#include "learn/lesson_counts.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "simulated/simulated_costs.h"
#include "base/statistics.h"

enum { NAME_COLUMNS = 7, CORES_COLUMNS = 6, COUNT_COLUMNS = 10, TEXT_BYTES = 32 };

static double count_instructions(const struct sd_simulated_costs_counts *c)
{
	return c->instructions;
}

/* Instructions of the thread with most: they take their time, however many cores there are. */
static double count_longest(const struct sd_simulated_costs_counts *c)
{
	double most = 0;

	for (size_t i = 0; i < c->simulated->n_thread; i++)
		if (c->simulated->thread[i].instructions > most)
			most = c->simulated->thread[i].instructions;
	return most;
}

static double count_lines(const struct sd_simulated_costs_counts *c)
{
	return c->lines;
}

static double count_walks(const struct sd_simulated_costs_counts *c)
{
	return c->walks;
}

static double count_moves(const struct sd_simulated_costs_counts *c)
{
	return c->hitm;
}

/* Pages of a thread that others touch as well: on a machine with nodes, far from one of them. */
static double count_pages(const struct sd_simulated_costs_counts *c)
{
	double n = 0;

	for (size_t i = 0; i < c->simulated->n_thread; i++)
		n += c->simulated->thread[i].pages * c->simulated->thread[i].shared_pages;
	return n;
}

/* Waits for locks are in it; of costs that are known roughly, unlike the others. */
static double count_cycles(const struct sd_simulated_costs_counts *c)
{
	return sd_has(c->simulated->cycles) ? c->simulated->cycles.value : NAN;
}

static const struct column {
	const char *title[2], *is; /* two lines of a head; what it is, in words */
	double (*count)(const struct sd_simulated_costs_counts *c);
} columns[SD_LESSON_COUNTED] = {
#define X(id, name, above, below, is) [SD_LESSON_##id] = {{above, below}, is, count_##name},
	SD_LESSON_COUNTS(X)
#undef X
};

/* A terminal has room for six of them: cycles are shown where they are what to look at. */
static int is_shown(const struct sd_lesson *l, size_t column)
{
	return column != (l->count == SD_LESSON_CYCLES ? SD_LESSON_PAGES : SD_LESSON_CYCLES);
}

static void put_head(struct sd_page *p, const struct sd_lesson *l)
{
	for (int line = 0; line < 2; line++) {
		sd_page_put(p, SD_TONE_PLAIN, "  ");
		sd_page_cell(p, SD_TONE_DIM, "", NAME_COLUMNS, 0);
		sd_page_cell(p, SD_TONE_DIM, line ? "cores" : "", CORES_COLUMNS, 1);
		for (size_t i = 0; i < SD_LESSON_COUNTED; i++)
			if (is_shown(l, i))
				sd_page_cell(
					p, SD_TONE_DIM, columns[i].title[line], COUNT_COLUMNS, 1);
		sd_page_put(p, SD_TONE_PLAIN, "\n");
	}
}

static void put_row(struct sd_page *p, const struct sd_lesson *l, const char *name, unsigned cores,
	const struct sd_simulated_costs_counts *counts)
{
	char text[TEXT_BYTES];

	sd_page_put(p, SD_TONE_PLAIN, "  ");
	sd_page_cell(p, SD_TONE_PLAIN, name, NAME_COLUMNS, 0);
	snprintf(text, sizeof text, "%u%s", cores, counts->simulated->partial ? "*" : "");
	sd_page_cell(p, SD_TONE_PLAIN, text, CORES_COLUMNS, 1);
	for (size_t i = 0; i < SD_LESSON_COUNTED; i++) {
		if (!is_shown(l, i))
			continue;
		snprintf(text, sizeof text, "%.4g", columns[i].count(counts));
		sd_page_cell(p, SD_TONE_PLAIN, text, COUNT_COLUMNS, 1);
	}
	sd_page_put(p, SD_TONE_PLAIN, "\n");
}

double sd_lesson_counts_of(enum sd_lesson_count what, const struct sd_record *r)
{
	struct sd_simulated_costs_counts c = {0};

	if (r->plan.n_point)
		sd_simulated_costs_counts(r, r->plan.n_point - 1, &c);
	return c.simulated && !c.simulated->partial ? columns[what].count(&c) : NAN;
}

/* Says what is to be seen in the last row of each version. */
static void put_verdict(struct sd_page *p, const struct sd_lesson *l, const char *const *name,
	const struct sd_record *record)
{
	double n[2];

	for (int v = 0; v < 2; v++) {
		n[v] = sd_lesson_counts_of(l->count, &record[v]);
		if (isnan(n[v]))
			return;
	}
	sd_page_wrap(p, "", 2, "%s: %.4g of %s.c at %u cores, %.4g of %s.c%s", columns[l->count].is,
		n[0], name[0], record[0].plan.point[record[0].plan.n_point - 1].cores, n[1],
		name[1],
		n[0] > l->times * n[1]
			? ""
			: ". This lesson expects more of a difference: the model does "
			  "not show it either");
}

/* The diagnosis that real programs get, where the fault is one at any number of cores. */
static void put_waste(struct sd_page *p, const struct sd_lesson *l, const char *const *name,
	const struct sd_record *record)
{
	const char *const label = sd_waste_info[l->wasted].label;

	for (int v = 0; l->waste && v < 2; v++) {
		struct sd_waste waste[SD_WASTE_COUNT];
		struct sd_simulated_costs_counts c;
		const struct sd_waste *const w = &waste[l->wasted];

		sd_simulated_costs_counts(&record[v], record[v].plan.n_point - 1, &c);
		if (!c.simulated)
			return;
		sd_wasted_work_of(&record[v], c.simulated, waste);
		if (w->found)
			sd_page_wrap(p, "", 2,
				"%s.c wastes, at any number of cores: %s: %s; up to %.0f %% of the "
				"modelled time",
				name[v], label, w->text, 100 * w->share);
		else
			sd_page_wrap(p, "", 2, "%s.c does not: %s", name[v], w->text);
	}
}

void sd_lesson_counts_said(struct sd_page *p, const struct sd_lesson *l, const char *const *name,
	const struct sd_record *record)
{
	if (record[0].plan.n_point == 0 || record[1].plan.n_point == 0)
		return;
	put_verdict(p, l, name, record);
	put_waste(p, l, name, record);
}

void sd_lesson_counts_put(struct sd_page *p, const struct sd_lesson *l, const char *const *name,
	const struct sd_record *record)
{
	const struct sd_simulated *part = NULL;
	int begun = 0;

	for (size_t i = 0; i < 2; i++)
		for (size_t point = 0; point < record[i].plan.n_point; point++) {
			struct sd_simulated_costs_counts c;

			sd_simulated_costs_counts(&record[i], point, &c);
			if (!c.simulated)
				continue;
			if (!begun++) {
				sd_page_put(
					p, SD_TONE_BOLD, "What the simulated machine counted\n\n");
				put_head(p, l);
			}
			put_row(p, l, name[i], record[i].plan.point[point].cores, &c);
			part = c.simulated->partial ? c.simulated : part;
		}
	if (part)
		sd_page_wrap_tone(p, SD_TONE_DOUBT, "  * ", 4,
			"of a part of the run, not to be compared with the others: %s", part->why);
	if (!begun)
		return;
	sd_page_put(p, SD_TONE_PLAIN, "\n");
	sd_lesson_counts_said(p, l, name, record);
	sd_page_put(p, SD_TONE_PLAIN, "\n");
}

int sd_lesson_counts_same_output(const struct sd_record *a, const struct sd_record *b)
{
	for (size_t i = 0; i < a->n_run; i++)
		for (size_t k = 0; k < b->n_run; k++) {
			const struct sd_run *const x = &a->run[i], *const y = &b->run[k];

			if (x->kind == SD_RUN_BLOCK && y->kind == SD_RUN_BLOCK &&
				x->point == y->point && x->stdout_digest != y->stdout_digest)
				return 0;
		}
	return 1;
}

/* The median of its plain runs with most cores. */
double sd_lesson_counts_faults_of(const struct sd_record *r)
{
	double *const v = calloc(r->n_run + 1, sizeof *v);
	double out = NAN;
	size_t n = 0;

	for (size_t i = 0; v && i < r->n_run; i++)
		if (r->run[i].kind == SD_RUN_BLOCK && r->run[i].point == r->plan.n_point - 1 &&
			sd_has(r->run[i].metric[SD_METRIC_MINOR_FAULTS]))
			v[n++] = r->run[i].metric[SD_METRIC_MINOR_FAULTS].value;
	if (n)
		out = sd_statistics_median(v, n);
	free(v);
	return out;
}

void sd_lesson_counts_faults(struct sd_page *p, const struct sd_lesson *l, const char *const *name,
	const struct sd_record *const *record)
{
	double n[2];

	if (!l->faults)
		return;
	for (int v = 0; v < 2; v++) {
		n[v] = sd_lesson_counts_faults_of(record[v]);
		if (isnan(n[v]))
			return;
	}
	sd_page_wrap(p, "", 0,
		"Counted by the kernel, which takes no clock: %.4g page faults of %s.c at %u cores, %.4g of %s.c%s.",
		n[0], name[0], record[0]->plan.point[record[0]->plan.n_point - 1].cores, n[1],
		name[1],
		n[0] > l->fault_times * n[1] ? "" : ". This lesson expects more of a difference");
}
