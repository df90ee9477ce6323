#include "calibration/bench_table.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "calibration/bench_sections.h"
#include "page/plot.h"

#define INDENT 2u
#define GAP 2u

/* ---- one number ------------------------------------------------------------------------------ */

struct unit {
	double least; /* from here on */
	double factor;
	const char *name;
};

/* The last unit whose least is reached. */
static void put_unit(double v, const struct unit *unit, size_t n, char *out, size_t size)
{
	size_t u = 0;

	while (u + 1 < n && v >= unit[u + 1].least)
		u++;
	v *= unit[u].factor;
	snprintf(out, size, "%.*f %s", v >= 100 ? 0 : v >= 10 ? 1 : 2, v, unit[u].name);
}

void sd_bench_scaled(double v, enum sd_scale scale, char *out, size_t size)
{
	static const struct unit time[] = {
		{0, 1, "ns"}, {1e3, 1e-3, "us"}, {1e6, 1e-6, "ms"}, {1e9, 1e-9, "s"}};
	static const struct unit rate[] = {
		{0, 1, "Hz"}, {1e3, 1e-3, "kHz"}, {1e6, 1e-6, "MHz"}, {1e9, 1e-9, "GHz"}};

	switch (scale) {
	case SD_SCALE_TIME:
		put_unit(v, time, sizeof time / sizeof *time, out, size);
		return;
	case SD_SCALE_RATE:
		put_unit(v, rate, sizeof rate / sizeof *rate, out, size);
		return;
	case SD_SCALE_MICRO:
		sd_bench_number(v * 1e-3, out, size);
		return;
	case SD_SCALE_MEGA:
		sd_bench_number(v * 1e-6, out, size);
		return;
	case SD_SCALE_WHOLE:
		snprintf(out, size, "%.0f", v);
		return;
	case SD_SCALE_BYTES:
		sd_plot_bytes(v, out, size);
		return;
	case SD_SCALE_PLAIN:
	default:
		sd_bench_number(v, out, size);
	}
}

void sd_bench_cell(const struct sd_bench_row *r, enum sd_scale scale, char *out, size_t size)
{
	char number[SD_TABLE_TEXT];

	if (!r || !sd_bench_row_has(r)) {
		/* the row's own: one refused as noisy has no number, and that name */
		snprintf(out, size, "%s",
			!r                          ? "-"
			: r->status == SD_STATUS_OK ? sd_status_name(SD_STATUS_ABSENT)
						    : sd_status_name(r->status));
		return;
	}
	sd_bench_scaled(r->median, scale, number, sizeof number);
	snprintf(out, size, "%s%s", number, r->status == SD_STATUS_NOISY ? "?" : "");
}

/* An interval needs more than one sample, and a whole number's are no news. */
static void put_spread(const struct sd_bench_row *r, enum sd_scale scale, char *out, size_t size)
{
	struct sd_interval v;
	char low[SD_TABLE_TEXT], high[SD_TABLE_TEXT];

	if (!r || !sd_bench_row_has(r) || scale == SD_SCALE_WHOLE)
		return;
	if (r->n < 2) {
		snprintf(out, size, "(n=1)");
		return;
	}
	v = sd_bench_row_value(r);
	sd_bench_scaled(v.low, scale, low, sizeof low);
	sd_bench_scaled(v.high, scale, high, sizeof high);
	/* one unit is enough when both have the same */
	if (strchr(low, ' ') && strchr(high, ' ') &&
		strcmp(strchr(low, ' '), strchr(high, ' ')) == 0)
		*strchr(low, ' ') = *strchr(high, ' ') = '\0';
	snprintf(out, size, "(%.13s-%.13s)", low, high);
}

/* ---- filling --------------------------------------------------------------------------------- */

void sd_table_begin(struct sd_table *t, struct sd_page *g, const char *title, ...)
{
	va_list ap;

	*t = (struct sd_table){.page = g};
	va_start(ap, title);
	vsnprintf(t->title, sizeof t->title, title, ap);
	va_end(ap);
}

void sd_table_column(struct sd_table *t, const char *over, const char *head, ...)
{
	va_list ap;

	if (t->columns == SD_TABLE_COLUMNS)
		return;
	snprintf(t->column[t->columns].over, SD_TABLE_TEXT, "%s", over);
	va_start(ap, head);
	vsnprintf(t->column[t->columns].head, SD_TABLE_TEXT, head, ap);
	va_end(ap);
	t->columns++;
}

/* The next cell of the last line; NULL when it is full, or without memory. */
static struct sd_table_cell *next(struct sd_table *t)
{
	if (t->failed || t->lines == 0 || t->at == t->columns)
		return NULL;
	return &t->cell[(t->lines - 1) * t->columns + t->at++];
}

static void put_word(struct sd_table_cell *c, const char *text, va_list ap)
	__attribute__((format(printf, 2, 0)));
static void put_word(struct sd_table_cell *c, const char *text, va_list ap)
{
	if (!c)
		return;
	vsnprintf(c->text, sizeof c->text, text, ap);
	c->word = 1;
}

void sd_table_line(struct sd_table *t, const char *name, ...)
{
	const size_t n = (t->lines + 1) * t->columns;
	struct sd_table_cell *p = t->failed ? NULL : realloc(t->cell, n * sizeof *p);
	va_list ap;

	if (!p) {
		t->failed = t->page->failed = 1;
		return;
	}
	t->cell = p;
	memset(&p[t->lines * t->columns], 0, t->columns * sizeof *p);
	t->lines++;
	t->at = 0;
	va_start(ap, name);
	put_word(next(t), name, ap);
	va_end(ap);
}

void sd_table_text(struct sd_table *t, const char *text, ...)
{
	va_list ap;

	va_start(ap, text);
	put_word(next(t), text, ap);
	va_end(ap);
}

void sd_table_value(struct sd_table *t, const struct sd_bench_row *r, enum sd_scale scale)
{
	struct sd_table_cell *c = next(t);

	if (!c)
		return;
	sd_bench_cell(r, scale, c->text, sizeof c->text);
	put_spread(r, scale, c->spread, sizeof c->spread);
	c->tried = r != NULL;
	if (!r || !sd_bench_row_has(r) || r->status == SD_STATUS_NOISY)
		c->tone = SD_TONE_DOUBT;
}

/* ---- printing -------------------------------------------------------------------------------- */

struct layout {
	size_t text[SD_TABLE_COLUMNS], spread[SD_TABLE_COLUMNS];
	int word[SD_TABLE_COLUMNS];
	int spreads; /* the quartiles are shown */
};

static size_t longest(size_t a, size_t b)
{
	return a > b ? a : b;
}

static size_t width_of(const struct layout *l, size_t column)
{
	const size_t spread = l->spreads && l->spread[column] ? l->spread[column] + 1 : 0;

	return GAP + l->text[column] + spread;
}

static struct layout measure(const struct sd_table *t)
{
	struct layout l = {.spreads = 1};
	size_t all = INDENT;

	for (size_t c = 0; c < t->columns; c++) {
		l.text[c] = longest(
			sd_page_columns(t->column[c].over), sd_page_columns(t->column[c].head));
		for (size_t i = 0; i < t->lines; i++) {
			const struct sd_table_cell *cell = &t->cell[i * t->columns + c];

			l.text[c] = longest(l.text[c], sd_page_columns(cell->text));
			l.spread[c] = longest(l.spread[c], sd_page_columns(cell->spread));
			l.word[c] |= cell->word;
		}
		all += width_of(&l, c);
	}
	l.spreads = all - GAP <= t->page->width;
	return l;
}

static int was_tried(const struct sd_table *t, size_t line)
{
	for (size_t c = 1; c < t->columns; c++)
		if (t->cell[line * t->columns + c].tried)
			return 1;
	return 0;
}

/* The columns of a part: the first one, and as many from `from` on as fit, at least one. */
static size_t part_end(const struct sd_table *t, const struct layout *l, size_t from)
{
	size_t used = INDENT + width_of(l, 0) - GAP, end = from;

	while (end < t->columns && (end == from || used + width_of(l, end) <= t->page->width))
		used += width_of(l, end++);
	return end;
}

/* Spaces are owed until something follows them: no line ends in one. */
static void put_padded(const struct sd_table *t, const struct layout *l, size_t column,
	enum sd_tone tone, const char *text, size_t *owed)
{
	const size_t n = sd_page_columns(text), pad = l->text[column] > n ? l->text[column] - n : 0;

	if (l->word[column]) {
		if (n > 0) {
			sd_page_cell(t->page, SD_TONE_PLAIN, "", *owed, 0);
			sd_page_cell(t->page, tone, text, n, 0);
			*owed = 0;
		}
		*owed += pad;
		return;
	}
	*owed += pad;
	if (n > 0) {
		sd_page_cell(t->page, SD_TONE_PLAIN, "", *owed, 0);
		sd_page_cell(t->page, tone, text, n, 0);
		*owed = 0;
	}
}

static void put_head(
	const struct sd_table *t, const struct layout *l, size_t from, size_t end, int over)
{
	size_t owed = INDENT, any = 0;

	for (size_t c = 0; c < end; c = c == 0 ? from : c + 1)
		any |= (over ? t->column[c].over : t->column[c].head)[0] != '\0';
	if (!any)
		return;
	for (size_t c = 0; c < end; c = c == 0 ? from : c + 1) {
		put_padded(
			t, l, c, SD_TONE_DIM, over ? t->column[c].over : t->column[c].head, &owed);
		owed += width_of(l, c) - l->text[c];
	}
	sd_page_put(t->page, SD_TONE_PLAIN, "\n");
}

static void put_line(
	const struct sd_table *t, const struct layout *l, size_t line, size_t from, size_t end)
{
	size_t owed = INDENT;

	for (size_t c = 0; c < end; c = c == 0 ? from : c + 1) {
		const struct sd_table_cell *cell = &t->cell[line * t->columns + c];
		const size_t n = l->spreads ? sd_page_columns(cell->spread) : 0;

		put_padded(t, l, c, cell->tone, cell->text, &owed);
		if (n > 0) {
			sd_page_put(t->page, SD_TONE_PLAIN, " ");
			sd_page_cell(t->page, SD_TONE_DIM, cell->spread, n, 0);
		}
		owed += width_of(l, c) - l->text[c] - (n > 0 ? n + 1 : 0);
	}
	sd_page_put(t->page, SD_TONE_PLAIN, "\n");
}

size_t sd_table_end(struct sd_table *t)
{
	const struct layout l = measure(t);
	size_t shown = 0, end;

	for (size_t i = 0; i < t->lines; i++)
		shown += (size_t)was_tried(t, i);
	if (shown > 0 && t->title[0])
		sd_page_put(t->page, SD_TONE_PLAIN, "\n");
	if (shown > 0 && t->title[0])
		sd_page_wrap_tone(t->page, SD_TONE_BOLD, "", 2, "%s", t->title);
	for (size_t from = 1; shown > 0 && from < t->columns; from = end) {
		end = part_end(t, &l, from);
		put_head(t, &l, from, end, 1);
		put_head(t, &l, from, end, 0);
		for (size_t i = 0; i < t->lines; i++)
			if (was_tried(t, i))
				put_line(t, &l, i, from, end);
	}
	free(t->cell);
	t->cell = NULL;
	t->lines = 0;
	return shown;
}
