#include "text/sections.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "facts/facts_functions.h"
#include "page/interval_text.h"
#include "page/short_names.h"
#include "render/render.h"

/* A cell below this prints as 0.00. */
#define SHOWN 0.005
#define ROWS 8u       /* of the default report */
#define LONG_ROWS 64u /* of the long one */
#define CONTEXTS 10u
#define CONTEXT_FIRST 4u /* functions of one, from outside */
#define CONTEXT_LAST 6u
#define LEAST .005 /* of the cores: less is in the JSON report alone */

static void put_number(struct sd_page *p, double v, size_t columns)
{
	char text[32] = "";

	if (fabs(v) >= SHOWN)
		sd_interval_text_number(text, sizeof text, v, 2);
	sd_page_cell(p, SD_TONE_PLAIN, text, columns, 1);
}

/* Columns that are left for a name. */
static size_t room(const struct sd_page *p, size_t used)
{
	return p->width > used + 12 ? p->width - used : 12;
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

static void put_title(struct sd_page *p, const struct sd_analysis *a)
{
	const struct sd_point *const pt = &a->point[a->n_point - 1];

	if (a->n_point == 1) {
		sd_page_put(p, SD_TONE_BOLD, "Where its cores go, by function");
		sd_page_put(p, SD_TONE_DIM, " (of %u cores)\n", pt->cores);
		return;
	}
	sd_page_put(p, SD_TONE_BOLD, "Lost cores by function");
	sd_page_put(p, SD_TONE_DIM, " (%u vs %u core%s)\n", pt->cores, a->point[0].cores,
		a->point[0].cores == 1 ? "" : "s");
}

int sd_section_functions_brief(struct sd_page *p, const struct sd_analysis *a, size_t most)
{
	struct sd_function_rows lost;
	int any;

	p->failed |= sd_facts_functions_lost(a, most, &lost) != 0;
	any = lost.rows.n && a->losses.n_row;
	if (any) {
		put_title(p, a);
		sd_render_text_table(p, &lost.rows, 0);
	}
	free(lost.row);
	return any;
}

void sd_section_functions(
	struct sd_page *p, const struct sd_analysis *a, const struct sd_report_style *s)
{
	const struct sd_losses *l = &a->losses;
	const struct sd_point *pt = &a->point[a->n_point - 1];
	const double least = fmax(SHOWN, LEAST * pt->n); /* cores */
	const int all = s && s->all;
	struct sd_function_rows lost, flat = {.row = NULL};

	p->failed |= sd_facts_functions_lost(a, all ? LONG_ROWS : ROWS, &lost) != 0;
	p->failed |= all && sd_facts_functions_flat(a, least, &flat) != 0;
	if (lost.rows.n == 0 || l->n_row == 0)
		goto out;
	sd_page_put(p, SD_TONE_PLAIN, "\n");
	put_title(p, a);
	sd_render_text_table(p, &lost.rows, all);
	if (all) {
		sd_page_put(p, SD_TONE_BOLD, "Flat: every function by its own instructions\n");
		sd_render_text_table(p, &flat.rows, all);
		put_calls(p, l, least);
		put_paths(p, l, least);
	}
	sd_page_put(p, SD_TONE_PLAIN, "\n");
out:
	free(lost.row);
	free(flat.row);
}
