#include "text/sections.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "page/short_names.h"
#include "page/interval_text.h"
#include "page/page.h"

/* A cell below this prints as 0.00. */
#define SHOWN 0.005
#define ROWS 8u       /* of the default report */
#define LONG_ROWS 64u /* of the long one */
#define CONTEXTS 10u
#define CONTEXT_FIRST 4u /* functions of one, from outside */
#define CONTEXT_LAST 6u
#define LEAST .005 /* of the cores: less is in the JSON report alone */
#define CELL 7u
#define HALF 6u

/* Which columns of costs there is something in. */
struct columns {
	int shown[SD_COST_COUNT];
	size_t n;
};

static struct columns find_columns(const struct sd_losses *l)
{
	struct columns c = {0};

	for (int k = 0; k < SD_COST_COUNT; k++) {
		c.shown[k] = fabs(l->rest[k]) >= SHOWN || fabs(l->unknown[k]) >= SHOWN;
		for (size_t i = 0; i < l->n_row; i++)
			c.shown[k] |= fabs(l->row[i].cost[k]) >= SHOWN;
		c.n += (size_t)c.shown[k];
	}
	return c;
}

static double sum(const double cost[SD_COST_COUNT])
{
	double s = 0;

	for (int k = 0; k < SD_COST_COUNT; k++)
		s += cost[k];
	return s;
}

static void put_number(struct sd_page *p, double v, size_t columns)
{
	char text[32] = "";

	if (fabs(v) >= SHOWN)
		sd_interval_text_number(text, sizeof text, v, 2);
	sd_page_cell(p, SD_TONE_PLAIN, text, columns, 1);
}

static void put_costs(struct sd_page *p, const struct columns *c, const double cost[SD_COST_COUNT])
{
	for (int k = 0; k < SD_COST_COUNT && c->n > 1; k++)
		if (c->shown[k])
			put_number(p, cost[k], CELL);
}

/* Columns that are left for a name. */
static size_t room(const struct sd_page *p, size_t used)
{
	return p->width > used + 12 ? p->width - used : 12;
}

static void put_name(struct sd_page *p, const struct sd_where *at, size_t columns)
{
	char *name = sd_name_place(at, columns);

	p->failed |= !name;
	if (name)
		sd_page_put(p, SD_TONE_PLAIN, "  %s", name);
	free(name);
}

static size_t row_width(const struct columns *c)
{
	return CELL + HALF + (c->n > 1 ? c->n * CELL : 0) + 2;
}

static void put_row(
	struct sd_page *p, const struct columns *c, const struct sd_loss_row *r, size_t runs)
{
	char half[32];
	size_t columns = room(p, row_width(c)), used;
	const char *other = r->at.in ? r->at.in : r->at.from;
	char *in = other ? sd_name_function(other) : NULL;

	put_number(p, r->total.value, CELL);
	sd_interval_text_half(half, sizeof half, r->total, runs, 1, 2);
	sd_page_cell(p, SD_TONE_DIM, half, HALF, 1);
	put_costs(p, c, r->cost);
	/* what it called, or who called it, is said where there is room for it */
	used = in ? sd_page_columns(in) + 9 : 0;
	if (used + 24 > columns)
		used = 0;
	put_name(p, &r->at, columns - used);
	if (used)
		sd_page_put(p, SD_TONE_DIM, ", %s %s", r->at.in ? "in" : "from", in);
	sd_page_put(p, SD_TONE_PLAIN, "\n");
	free(in);
}

static void put_sum(struct sd_page *p, const struct columns *c, const double cost[SD_COST_COUNT],
	const char *name)
{
	put_number(p, sum(cost), CELL);
	sd_page_cell(p, SD_TONE_DIM, "", HALF, 1);
	put_costs(p, c, cost);
	sd_page_put(p, SD_TONE_DIM, "  %s\n", name);
}

static void put_head(struct sd_page *p, const struct columns *c, int whole)
{
	sd_page_cell(p, SD_TONE_DIM, whole ? "cores" : "lost", CELL, 1);
	sd_page_cell(p, SD_TONE_DIM, "±", HALF, 1);
	for (int k = 0; k < SD_COST_COUNT && c->n > 1; k++)
		if (c->shown[k])
			sd_page_cell(p, SD_TONE_DIM, sd_cost_head[k], CELL, 1);
	sd_page_put(p, SD_TONE_DIM, "  function (%s line)\n", whole ? "costliest" : "hottest");
}

static int anything(const double cost[SD_COST_COUNT])
{
	for (int k = 0; k < SD_COST_COUNT; k++)
		if (fabs(cost[k]) >= SHOWN)
			return 1;
	return 0;
}

/* The rows that are worth showing are first; what is left is added up. */
static void put_table(struct sd_page *p, const struct sd_analysis *a, size_t most)
{
	const struct sd_losses *l = &a->losses;
	const struct sd_point *pt = &a->point[a->n_point - 1];
	const struct columns c = find_columns(l);
	double rest[SD_COST_COUNT];
	size_t shown = 0, more = 0;
	char text[64];

	memcpy(rest, l->rest, sizeof rest);
	put_head(p, &c, a->n_point == 1);
	for (size_t i = 0; i < l->n_row; i++) {
		const struct sd_loss_row *r = &l->row[i];

		if (shown < most && anything(r->cost)) {
			put_row(p, &c, r, pt->runs);
			shown++;
			continue;
		}
		more += (size_t)anything(r->cost);
		for (int k = 0; k < SD_COST_COUNT; k++)
			rest[k] += r->cost[k];
	}
	if (more)
		snprintf(text, sizeof text, "(%zu more, see --long)", more);
	else
		snprintf(text, sizeof text, "(others)");
	if (anything(rest))
		put_sum(p, &c, rest, text);
	if (anything(l->unknown))
		put_sum(p, &c, l->unknown, "(no stack)");
}

/* ---- the long views -------------------------------------------------------------------------- */

static int by_exclusive(const void *x, const void *y)
{
	const struct sd_loss_row *a = *(const struct sd_loss_row *const *)x;
	const struct sd_loss_row *b = *(const struct sd_loss_row *const *)y;

	if (a->exclusive.value > b->exclusive.value || a->exclusive.value < b->exclusive.value)
		return a->exclusive.value > b->exclusive.value ? -1 : 1;
	return (a > b) - (a < b);
}

static void put_flat(struct sd_page *p, const struct sd_losses *l, size_t runs, double least)
{
	const struct sd_loss_row **order = calloc(l->n_row + 1, sizeof(struct sd_loss_row *));
	char half[32];

	p->failed |= !order;
	if (!order)
		return;
	for (size_t i = 0; i < l->n_row; i++)
		order[i] = &l->row[i];
	qsort(order, l->n_row, sizeof(struct sd_loss_row *), by_exclusive);
	sd_page_put(p, SD_TONE_BOLD, "Flat: every function by its own instructions\n");
	sd_page_put(p, SD_TONE_DIM, "  itself     ±   all it calls     ±  function\n");
	for (size_t i = 0; i < l->n_row; i++) {
		const struct sd_loss_row *r = order[i];

		if (fabs(r->exclusive.value) < least)
			continue;
		put_number(p, r->exclusive.value, 8);
		sd_interval_text_half(half, sizeof half, r->exclusive, runs, 1, 2);
		sd_page_cell(p, SD_TONE_DIM, half, 6, 1);
		put_number(p, r->inclusive.value, 15);
		sd_interval_text_half(half, sizeof half, r->inclusive, runs, 1, 2);
		sd_page_cell(p, SD_TONE_DIM, half, 6, 1);
		put_name(p, &r->at, room(p, 37));
		sd_page_put(p, SD_TONE_PLAIN, "\n");
	}
	free(order);
}

/* Each call once: who called what cost most. Between functions of libraries and of the kernel alone
 * it tells nothing of the program. */
static void put_calls(struct sd_page *p, const struct sd_losses *l, double least)
{
	int any = 0;

	for (size_t i = 0; i < l->n_call; i++) {
		const struct sd_loss_call *const call = &l->call[i];
		const struct sd_where *const from = &l->row[call->caller].at;
		const struct sd_where *const to = &l->row[call->callee].at;
		char *caller, *callee;

		if (fabs(call->cores) < least ||
			(!l->row[call->caller].own && !l->row[call->callee].own))
			continue;
		caller =
			from->function ? sd_name_function(from->function) : sd_name_place(from, 40);
		callee = sd_name_place(to, room(p, 14 + (caller ? sd_page_columns(caller) : 0)));
		p->failed |= !caller || !callee;
		if (!any++)
			sd_page_put(p, SD_TONE_BOLD, "Calls, with the cores lost below them\n");
		put_number(p, call->cores, 8);
		if (caller && callee)
			sd_page_put(p, SD_TONE_PLAIN, "  %s -> %s\n", caller, callee);
		free(caller);
		free(callee);
	}
}

struct context {
	const char *path;
	double cores;
};

static int by_path(const void *x, const void *y)
{
	return strcmp(((const struct context *)x)->path, ((const struct context *)y)->path);
}

static int by_cores(const void *x, const void *y)
{
	const double a = ((const struct context *)x)->cores, b = ((const struct context *)y)->cores;

	return (a < b) - (a > b);
}

/* "main > solve > … 31 more … > leaf": of a deep recursion its ends. Fresh, or NULL. */
static char *context_text(const char *path)
{
	size_t size = 0, n = 1, i = 0;
	char *text = NULL;
	FILE *const f = open_memstream(&text, &size);

	for (const char *c = path; *c; c++)
		n += *c == ';';
	for (const char *c = path; f && *c; i++) {
		const size_t length = strcspn(c, ";");
		const int left_out = n > CONTEXT_FIRST + CONTEXT_LAST + 1 && i >= CONTEXT_FIRST &&
				     i < n - CONTEXT_LAST;

		if (!left_out)
			fprintf(f, "%s%.*s", i ? " > " : "", (int)length, c);
		else if (i == CONTEXT_FIRST)
			fprintf(f, " > … %zu more …", n - CONTEXT_FIRST - CONTEXT_LAST);
		c += length + (c[length] == ';');
	}
	return sd_page_written(f, &text);
}

/* Those of the analysis are of instructions: here of functions. */
static void put_paths(struct sd_page *p, const struct sd_losses *l, double least)
{
	struct context one[SD_LOSS_PATHS] = {{0}};
	char first[32], number[24];
	size_t n = 0, kept = 0;

	for (; n < l->n_path && n < SD_LOSS_PATHS; n++)
		one[n] = (struct context){l->path[n].path, l->path[n].cores};
	qsort(one, n, sizeof *one, by_path);
	for (size_t i = 0; i < n; i++)
		if (kept && strcmp(one[kept - 1].path, one[i].path) == 0)
			one[kept - 1].cores += one[i].cores;
		else
			one[kept++] = one[i];
	qsort(one, kept, sizeof *one, by_cores);
	for (size_t i = 0; i < kept && i < CONTEXTS && one[i].cores >= least; i++) {
		char *const text = context_text(one[i].path);

		if (i == 0)
			sd_page_put(p, SD_TONE_BOLD, "Calling contexts\n");
		sd_interval_text_number(number, sizeof number, one[i].cores, 2);
		snprintf(first, sizeof first, "%8s  ", number);
		p->failed |= !text;
		if (text)
			sd_page_wrap(p, first, 12, "%s", text);
		free(text);
	}
}

void sd_section_functions(
	struct sd_page *p, const struct sd_analysis *a, const struct sd_report_style *s)
{
	const struct sd_losses *l = &a->losses;
	const struct sd_point *pt = &a->point[a->n_point - 1];
	const double least = fmax(SHOWN, LEAST * pt->n); /* cores */
	const int all = s && s->all;

	if (l->n_row == 0 || find_columns(l).n == 0)
		return;
	sd_page_put(p, SD_TONE_PLAIN, "\n");
	if (a->n_point == 1) {
		sd_page_put(p, SD_TONE_BOLD, "Where its cores go, by function");
		sd_page_put(p, SD_TONE_DIM, " (of %u cores)\n", pt->cores);
	} else {
		sd_page_put(p, SD_TONE_BOLD, "Lost cores by function");
		sd_page_put(p, SD_TONE_DIM, " (%u vs %u core%s)\n", pt->cores, a->point[0].cores,
			a->point[0].cores == 1 ? "" : "s");
	}
	put_table(p, a, all ? LONG_ROWS : ROWS);
	if (all) {
		put_flat(p, l, pt->runs, least);
		put_calls(p, l, least);
		put_paths(p, l, least);
	}
	sd_page_put(p, SD_TONE_PLAIN, "\n");
}
