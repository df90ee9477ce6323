#include "text/sections.h"
#include "page/interval_text.h"

#include <stdio.h>
#include <string.h>

#define CELL 32
#define GAP 2
#define BAR_MOST 20u
#define BAR_LEAST 8u

/* What the cells share. */
struct frame {
	const struct sd_analysis *a;
	int decimals; /* of the times */
};

struct column {
	const char *head;
	const char *head_of_rates; /* where throughputs are shown; NULL: the same */
	int optional;              /* dropped first, from the highest, where the page is narrow */
	int (*wanted)(const struct frame *fr);
	void (*cell)(const struct frame *fr, const struct sd_point *pt, char out[CELL]);
};

static void number(
	char out[CELL], struct sd_interval v, double factor, int decimals, const char *unit)
{
	char text[CELL - 4];

	sd_interval_text_number(text, sizeof text, factor * v.value, decimals);
	if (sd_interval_text_has(v))
		snprintf(out, CELL, "%s%s", text, unit);
	else
		snprintf(out, CELL, "%s", sd_status_name(v.status));
}

static void cores(const struct frame *fr, const struct sd_point *pt, char out[CELL])
{
	(void)fr;
	snprintf(out, CELL, "%u", pt->cores);
}

static void wall(const struct frame *fr, const struct sd_point *pt, char out[CELL])
{
	number(out, sd_interval_text_amount(fr->a, pt), 1, fr->decimals, "");
}

static void wall_half(const struct frame *fr, const struct sd_point *pt, char out[CELL])
{
	sd_interval_text_half(
		out, CELL, sd_interval_text_amount(fr->a, pt), pt->runs, 1, fr->decimals);
}

static void speedup(const struct frame *fr, const struct sd_point *pt, char out[CELL])
{
	(void)fr;
	number(out, pt->speedup, 1, 2, "");
}

static void speedup_half(const struct frame *fr, const struct sd_point *pt, char out[CELL])
{
	/* the reference is 1 by definition */
	if (pt == fr->a->point)
		snprintf(out, CELL, "%s", "");
	else
		sd_interval_text_half(out, CELL, pt->speedup, pt->runs, 1, 2);
}

static void efficiency(const struct frame *fr, const struct sd_point *pt, char out[CELL])
{
	(void)fr;
	number(out, pt->efficiency, 100, 0, " %");
}

static void efficiency_half(const struct frame *fr, const struct sd_point *pt, char out[CELL])
{
	if (pt == fr->a->point)
		snprintf(out, CELL, "%s", "");
	else
		sd_interval_text_half(out, CELL, pt->efficiency, pt->runs, 100, 1);
}

static void parallelism(const struct frame *fr, const struct sd_point *pt, char out[CELL])
{
	(void)fr;
	number(out, pt->parallelism, 1, 2, "");
}

static void parallelism_half(const struct frame *fr, const struct sd_point *pt, char out[CELL])
{
	(void)fr;
	sd_interval_text_half(out, CELL, pt->parallelism, pt->runs, 1, 2);
}

static int has_parallelism(const struct frame *fr)
{
	for (size_t i = 0; i < fr->a->n_point; i++)
		if (sd_interval_text_has(fr->a->point[i].parallelism))
			return 1;
	return 0;
}

static const struct column columns[] = {
	{.head = "cores", .cell = cores},
	{.head = "wall s", .head_of_rates = "work/s", .cell = wall},
	{.head = "±95 %", .cell = wall_half},
	{.head = "speedup", .cell = speedup},
	{.head = "±", .cell = speedup_half, .optional = 2},
	{.head = "efficiency", .cell = efficiency},
	{.head = "±", .cell = efficiency_half, .optional = 1},
	{.head = "active cores", .cell = parallelism, .wanted = has_parallelism, .optional = 3},
	{.head = "±", .cell = parallelism_half, .wanted = has_parallelism, .optional = 3},
};
#define COLUMNS (sizeof columns / sizeof *columns)

static const char *head_of(const struct frame *fr, const struct column *c)
{
	return fr->a->work > 0 && c->head_of_rates ? c->head_of_rates : c->head;
}

/* The columns each cell needs; 0 for a column that is left out. Their sum with the gaps. */
static size_t measure(const struct frame *fr, int optional, size_t need[COLUMNS])
{
	size_t sum = 0;

	for (size_t c = 0; c < COLUMNS; c++) {
		const struct column *col = &columns[c];

		need[c] = 0;
		if (col->optional > optional || (col->wanted && !col->wanted(fr)))
			continue;
		need[c] = sd_page_columns(head_of(fr, col)) + (col->head[0] == '\xc2'); /* "+-" */
		for (size_t i = 0; i < fr->a->n_point; i++) {
			char text[CELL];

			col->cell(fr, &fr->a->point[i], text);
			if (sd_page_columns(text) > need[c])
				need[c] = sd_page_columns(text);
		}
		sum += need[c] + GAP;
	}
	return sum;
}

static void put_row(struct sd_page *p, const struct frame *fr, const size_t need[COLUMNS],
	const struct sd_point *pt, unsigned bar)
{
	for (size_t c = 0; c < COLUMNS; c++) {
		char text[CELL] = "";

		if (need[c] == 0)
			continue;
		if (pt)
			columns[c].cell(fr, pt, text);
		sd_page_put(p, SD_TONE_PLAIN, "%*s", GAP, "");
		sd_page_cell(p, pt ? SD_TONE_PLAIN : SD_TONE_DIM,
			pt ? text : head_of(fr, &columns[c]), need[c], 1);
	}
	if (pt && bar > 0 && sd_interval_text_has(pt->efficiency)) {
		sd_page_put(p, SD_TONE_PLAIN, "%*s", GAP, "");
		sd_page_bar(p, pt->efficiency.value, bar, 0);
	}
	sd_page_put(p, SD_TONE_PLAIN, "\n");
}

/* The i-th of `shown` rows among n: the first, the last, and as many others at even distances. */
static size_t row_at(size_t i, size_t shown, size_t n)
{
	return shown < 2 || shown == n ? i : i * (n - 1) / (shown - 1);
}

void sd_section_points(struct sd_page *p, const struct sd_analysis *a, size_t most)
{
	const size_t shown = most > 1 && a->n_point > most ? most : a->n_point;
	const struct frame fr = {.a = a, .decimals = sd_interval_text_decimals(a)};
	size_t need[COLUMNS], used;
	int optional = 3;
	unsigned bar;

	do
		used = measure(&fr, optional, need);
	while (used + GAP + BAR_LEAST > p->width && --optional > 0);
	bar = used + GAP + BAR_LEAST <= p->width ? p->width - (unsigned)used - GAP : 0;
	bar = bar > BAR_MOST ? BAR_MOST : bar;
	put_row(p, &fr, need, NULL, bar);
	for (size_t i = 0; i < shown; i++)
		put_row(p, &fr, need, &a->point[row_at(i, shown, a->n_point)], bar);
}
