#include "calibration/bench_sections.h"

#include <stdio.h>
#include <string.h>

#include "page/plot.h"

#define BAR 21u
#define HOW 43u     /* columns of the words that say how the best was reached */
#define NUMBERS 32u /* columns left of them */
#define HEAD 12u    /* columns of "16 cores, s1" */
#define SAMPLES_FEW 3u

static const char *const ops[] = {"triad", "copy", "scale", "add", "read", "write"};

static double best_of_all(const struct sd_profile *p)
{
	double best = 0;

	for (size_t i = 0; i < p->rows.n; i++) {
		const struct sd_bench_row *r = &p->rows.row[i];

		if (strcmp(r->kernel, "ceiling") == 0 && sd_bench_row_has(r) && r->median > best)
			best = r->median;
	}
	return best;
}

static void put_no_ceiling(
	struct sd_page *g, const struct sd_profile *p, const struct sd_bench_row *r)
{
	char first[32], state[16] = "", op[16] = "", stores[16] = "";

	sd_bench_row_key(r, "op", op, sizeof op);
	sd_bench_row_key(r, "stores", stores, sizeof stores);
	if (p->states.n > 1)
		snprintf(state, sizeof state, "s%u", r->state);
	snprintf(first, sizeof first, "%6u %-4s  ", r->cores, state);
	sd_page_wrap_tone(g, SD_TONE_DOUBT, first, 13, "not known: %s %s: %s", op, stores,
		r->why[0] ? r->why : sd_status_name(r->status));
}

static void put_ceiling(
	struct sd_page *g, const struct sd_profile *p, const struct sd_bench_row *r, double best)
{
	const struct sd_interval v = sd_bench_row_value(r);
	char op[16] = "", stores[16] = "", isa[16] = "", pages[16] = "", team[16] = "", size[32],
	     text[200];

	sd_bench_row_key(r, "op", op, sizeof op);
	sd_bench_row_key(r, "stores", stores, sizeof stores);
	sd_bench_row_key(r, "isa", isa, sizeof isa);
	sd_bench_row_key(r, "pages", pages, sizeof pages);
	sd_bench_row_key(r, "team", team, sizeof team);
	sd_plot_bytes(r->parameter, size, sizeof size);
	snprintf(text, sizeof text, "%6u", r->cores);
	sd_page_cell(g, SD_TONE_PLAIN, text, 7, 0);
	if (p->states.n > 1) {
		snprintf(text, sizeof text, "s%u", r->state);
		sd_page_cell(g, SD_TONE_DOUBT, text, 4, 0);
	}
	snprintf(text, sizeof text, "%.1f%s", r->median, r->status == SD_STATUS_NOISY ? "?" : "");
	sd_page_cell(g, SD_TONE_BOLD, text, 8, 1);
	if (r->n > 1)
		snprintf(text, sizeof text, " (%.1f-%.1f)", v.low, v.high);
	else
		snprintf(text, sizeof text, " (one sample)");
	sd_page_cell(g, SD_TONE_PLAIN, text, 17, 0);
	snprintf(text, sizeof text, "%s%s%s %s %s %s, %s", op,
		strcmp(stores, "none") == 0 ? "" : " ", strcmp(stores, "none") == 0 ? "" : stores,
		isa, pages, team, size);
	if (g->width >= NUMBERS + 4 + HOW + BAR) {
		sd_page_cell(g, SD_TONE_DIM, text, HOW, 0);
		sd_page_bar(g, best > 0 ? r->median / best : 0, BAR, 0);
	} else {
		sd_page_put(g, SD_TONE_DIM, "%s%s",
			g->width >= NUMBERS + 4 + HOW ? "" : "\n         ", text);
	}
	sd_page_put(g, SD_TONE_PLAIN, "\n");
}

/* The best row of an op and kind of store at these cores in this state; NULL none. */
static const struct sd_bench_row *best_row(const struct sd_profile *p, const char *op,
	const char *stores, const char *bytes, const struct sd_bench_row *at)
{
	const struct sd_bench_row *best = NULL;
	char word[16];

	for (size_t i = 0; i < p->rows.n; i++) {
		const struct sd_bench_row *r = &p->rows.row[i];

		if (strcmp(r->kernel, op) == 0 && r->cores == at->cores && r->state == at->state &&
			sd_bench_row_has(r) &&
			sd_bench_row_key(r, "stores", word, sizeof word) == 0 &&
			strcmp(word, stores) == 0 &&
			sd_bench_row_key(r, "bytes", word, sizeof word) == 0 &&
			strcmp(word, bytes) == 0 && (!best || r->median > best->median))
			best = r;
	}
	return best;
}

/* Marks that a table's cells have, and that are explained below it. */
struct marks {
	int noisy, few;
};

static void put_cell(struct sd_page *g, const struct sd_bench_row *r, struct marks *marks)
{
	char text[24] = "-";

	if (r) {
		const int noisy = r->status == SD_STATUS_NOISY, few = r->n < SAMPLES_FEW;

		snprintf(
			text, sizeof text, "%.1f%s%s", r->median, noisy ? "?" : "", few ? "*" : "");
		marks->noisy |= noisy;
		marks->few |= few;
	}
	sd_page_cell(g, SD_TONE_PLAIN, text, 9, 1);
}

static void put_marks(struct sd_page *g, const struct marks *marks)
{
	if (marks->noisy)
		sd_page_wrap_tone(g, SD_TONE_DOUBT, "  ", 2,
			"? some samples were preempted, had CPU time stolen or shared their cores");
	if (marks->few)
		sd_page_wrap_tone(
			g, SD_TONE_DOUBT, "  ", 2, "* of one or two samples: no time for more");
}

/* One line for each op that was tried, in the cores and state of a ceiling. */
static void put_table(struct sd_page *g, const struct sd_profile *p, const struct sd_bench_row *at,
	struct marks *marks)
{
	char head[64], cores[24];

	sd_bench_cores(at->cores, cores, sizeof cores);
	if (p->states.n > 1)
		snprintf(head, sizeof head, "%s, s%u", cores, at->state);
	else
		snprintf(head, sizeof head, "%s", cores);
	sd_page_cell(g, SD_TONE_DIM, "", 2, 0);
	sd_page_cell(g, SD_TONE_DIM, head, HEAD, 0);
	sd_page_put(g, SD_TONE_DIM, "  regular  with write-allocate  non-temporal\n");
	for (size_t i = 0; i < sizeof ops / sizeof *ops; i++) {
		const struct sd_bench_row *regular = best_row(p, ops[i], "regular", "counted", at);
		const struct sd_bench_row *nt = best_row(p, ops[i], "nt", "counted", at);

		if (strcmp(ops[i], "read") == 0)
			regular = best_row(p, ops[i], "none", "counted", at);
		if (!regular && !nt)
			continue;
		sd_page_put(g, SD_TONE_PLAIN, "    ");
		sd_page_cell(g, SD_TONE_PLAIN, ops[i], HEAD - 2, 0);
		put_cell(g, regular, marks);
		sd_page_put(g, SD_TONE_PLAIN, "            ");
		put_cell(g, best_row(p, ops[i], "regular", "allocated", at), marks);
		sd_page_put(g, SD_TONE_PLAIN, "     ");
		put_cell(g, nt, marks);
		sd_page_put(g, SD_TONE_PLAIN, "\n");
	}
}

/* Puts what could not be measured, each reason once. */
static void put_missing(struct sd_page *g, const struct sd_profile *p)
{
	for (size_t i = 0; i < p->rows.n; i++) {
		const struct sd_bench_row *r = &p->rows.row[i];
		int ours = strcmp(r->kernel, "bandwidth") == 0;

		for (size_t k = 0; !ours && k < sizeof ops / sizeof *ops; k++)
			ours = strcmp(r->kernel, ops[k]) == 0;
		if (ours && !sd_bench_row_has(r))
			sd_page_wrap_tone(g, SD_TONE_DOUBT, "  ", 4, "%s, %u core%s: %s",
				r->variant, r->cores, r->cores == 1 ? "" : "s",
				r->why[0] ? r->why : sd_status_name(r->status));
	}
}

static void put_title(struct sd_page *g)
{
	sd_page_put(g, SD_TONE_PLAIN, "\n");
	sd_page_wrap_tone(g, SD_TONE_BOLD, "", 2,
		"Memory bandwidth, GB/s: the ceiling is the best of what was tried");
}

/* The fewest and the most cores are what is asked for first; in every state. */
static int has_table(const struct sd_profile *p, const struct sd_bench_row *r, int all)
{
	unsigned least = r->cores, most = r->cores;

	for (size_t i = 0; i < p->rows.n; i++) {
		const struct sd_bench_row *c = &p->rows.row[i];

		if (strcmp(c->kernel, "ceiling") != 0)
			continue;
		least = c->cores < least ? c->cores : least;
		most = c->cores > most ? c->cores : most;
	}
	return all || r->cores == least || r->cores == most;
}

void sd_bench_section_bandwidth(struct sd_page *g, const struct sd_profile *p, int all)
{
	const double best = best_of_all(p);
	struct marks marks = {0, 0};
	size_t shown = 0;

	for (size_t i = 0; i < p->rows.n; i++) {
		if (strcmp(p->rows.row[i].kernel, "ceiling") != 0)
			continue;
		if (shown++ == 0)
			put_title(g);
		if (sd_bench_row_has(&p->rows.row[i]))
			put_ceiling(g, p, &p->rows.row[i], best);
		else
			put_no_ceiling(g, p, &p->rows.row[i]);
	}
	if (shown)
		sd_page_wrap_tone(g, SD_TONE_DIM, "  ", 2,
			"bytes as the loop counts them; with write-allocate: if every line that is "
			"only written is read first");
	for (size_t i = 0; i < p->rows.n; i++)
		if (strcmp(p->rows.row[i].kernel, "ceiling") == 0 &&
			has_table(p, &p->rows.row[i], all))
			put_table(g, p, &p->rows.row[i], &marks);
	put_marks(g, &marks);
	put_missing(g, p);
}
