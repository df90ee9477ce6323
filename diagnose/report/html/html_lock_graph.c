#include "html/html_sections.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "page/short_names.h"

/* Units of the drawing. */
#define WIDE 900.0
#define LOCK_X 360.0 /* the middle column, and its width */
#define LOCK_WIDE 180.0
#define HOLDER_X 620.0
#define BOX_WIDE (WIDE - HOLDER_X)
#define ROW_HIGH 30.0
#define BOX_HIGH 22.0
#define LOCKS 8u
#define FUNCTIONS 24u

struct side {
	const struct sd_where *at[FUNCTIONS]; /* each function once */
	size_t n;
};

struct graph {
	const struct sd_analysis *a;
	size_t n_lock;
	struct side waiter, holder;
};

static int same_text(const char *a, const char *b)
{
	return a == b || (a && b && strcmp(a, b) == 0);
}

/* The place's number on its side; FUNCTIONS: there is no room for it. */
static size_t number_of(struct side *s, const struct sd_where *at)
{
	for (size_t i = 0; i < s->n; i++)
		if (same_text(s->at[i]->function, at->function) &&
			same_text(s->at[i]->file, at->file))
			return i;
	if (s->n < FUNCTIONS)
		s->at[s->n++] = at;
	else
		return FUNCTIONS;
	return s->n - 1;
}

static double row_y(size_t row)
{
	return 24 + ROW_HIGH * (double)row;
}

/* The text fits its box at 7 units a character; the whole name is in the title. */
static void put_box(FILE *f, double x, double y, double wide, const char *class, const char *text,
	const char *whole)
{
	const size_t room = (size_t)(wide / 7) - 1, n = strlen(text);
	char *const shown = strndup(text, n > room ? room - 1 : n);

	fprintf(f,
		"<g class=\"%s\"><rect x=\"%.0f\" y=\"%.0f\" width=\"%.0f\" height=\"%.0f\" rx=\"4\"/>"
		"<text x=\"%.0f\" y=\"%.0f\">",
		class, x, y, wide, BOX_HIGH, x + 6, y + 15);
	sd_html_text(f, shown ? shown : "");
	fprintf(f, "%s</text><title>", n > room ? "…" : "");
	sd_html_text(f, whole);
	fputs("</title></g>\n", f);
	free(shown);
}

static void put_function(FILE *f, double x, double y, double wide, const struct sd_where *at)
{
	char *const name = sd_name_place(at, 60);

	put_box(f, x, y, wide, "function", name ? name : "?", at->function ? at->function : "?");
	free(name);
}

/* From one side of a column to the next: the wider, the more of the waiting it is. */
static void put_edge(FILE *f, double x1, double y1, double x2, double y2, double share)
{
	const double middle = (x1 + x2) / 2;

	fprintf(f,
		"<path class=\"edge\" d=\"M%.0f %.0fC%.0f %.0f %.0f %.0f %.0f %.0f\" "
		"stroke-width=\"%.1f\"><title>%.0f %%</title></path>\n",
		x1, y1, middle, y1, middle, y2, x2, y2, 1 + 9 * fmin(1, fmax(0, share)),
		100 * share);
}

static void put_edges(FILE *f, struct graph *g)
{
	for (size_t i = 0; i < g->n_lock; i++) {
		const struct sd_lock_row *const l = &g->a->lock[i];
		const double y = row_y(i) + BOX_HIGH / 2;

		for (size_t k = 0; k < l->n_waiter; k++) {
			const size_t to = number_of(&g->waiter, &l->waiter[k]);

			if (to < FUNCTIONS)
				put_edge(f, BOX_WIDE, row_y(to) + BOX_HIGH / 2, LOCK_X, y,
					l->waiter[k].share);
		}
		for (size_t k = 0; k < l->n_holder; k++) {
			const size_t to = number_of(&g->holder, &l->holder[k]);

			if (to < FUNCTIONS)
				put_edge(f, LOCK_X + LOCK_WIDE, y, HOLDER_X,
					row_y(to) + BOX_HIGH / 2, l->holder[k].share);
		}
	}
}

static size_t count_rows(struct graph *g)
{
	size_t rows = g->n_lock;

	for (size_t i = 0; i < g->n_lock; i++) {
		const struct sd_lock_row *const l = &g->a->lock[i];

		for (size_t k = 0; k < l->n_waiter; k++)
			number_of(&g->waiter, &l->waiter[k]);
		for (size_t k = 0; k < l->n_holder; k++)
			number_of(&g->holder, &l->holder[k]);
	}
	rows = g->waiter.n > rows ? g->waiter.n : rows;
	return g->holder.n > rows ? g->holder.n : rows;
}

void sd_html_lock_graph(FILE *f, const struct sd_analysis *a)
{
	struct graph g = {.a = a, .n_lock = a->n_lock < LOCKS ? a->n_lock : LOCKS};
	const double high = row_y(count_rows(&g)) + 4;

	fprintf(f,
		"<div class=\"scroll\" tabindex=\"0\"><svg class=\"locks\" viewBox=\"0 0 %.0f %.0f\" "
		"role=\"img\" aria-label=\"Who waits for which lock, and who holds it; the numbers "
		"are in the table\"><text x=\"6\" y=\"14\">waits in</text><text x=\"%.0f\" "
		"y=\"14\">for</text><text x=\"%.0f\" y=\"14\">held by</text>\n",
		WIDE, high, LOCK_X + 6, HOLDER_X + 6);
	put_edges(f, &g);
	for (size_t i = 0; i < g.n_lock; i++)
		put_box(f, LOCK_X, row_y(i), LOCK_WIDE, "lock",
			a->lock[i].name ? a->lock[i].name : a->lock[i].kind,
			a->lock[i].name ? a->lock[i].name : "unknown");
	for (size_t i = 0; i < g.waiter.n; i++)
		put_function(f, 0, row_y(i), BOX_WIDE, g.waiter.at[i]);
	for (size_t i = 0; i < g.holder.n; i++)
		put_function(f, HOLDER_X, row_y(i), BOX_WIDE, g.holder.at[i]);
	fputs("</svg></div>\n", f);
}
