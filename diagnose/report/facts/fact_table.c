#include "facts/fact_table.h"

#include <math.h>
#include <stdio.h>

#include "page/interval_text.h"

const void *sd_fact_row(const struct sd_fact_rows *rows, size_t i)
{
	return (const char *)rows->row + i * rows->table->size;
}

int sd_fact_wanted(const struct sd_fact_rows *rows, size_t i)
{
	return !rows->wanted || rows->wanted(rows, i);
}

int sd_fact_any(const struct sd_fact_rows *rows)
{
	for (size_t i = 0; i < rows->n; i++)
		if (sd_fact_wanted(rows, i))
			return 1;
	return 0;
}

struct sd_interval sd_fact_exact(double v)
{
	return (struct sd_interval){v, v, v, isfinite(v) ? SD_STATUS_OK : SD_STATUS_ABSENT};
}

static size_t runs_of(const struct sd_fact_rows *rows, const void *row)
{
	const size_t at = rows->table->runs_at;

	if (rows->table->has && !rows->table->has(row))
		return 0;
	if (rows->table->runs)
		return rows->table->runs(row);
	return at ? *(const size_t *)(const void *)((const char *)row + at - 1) : rows->runs;
}

static const char *name_of(const struct sd_fact_column *c, size_t number)
{
	const size_t stride = c->stride ? c->stride : sizeof *c->names;

	return *(const char *const *)(const void *)((const char *)c->names + number * stride);
}

static struct sd_fact_rows nested(const struct sd_fact_rows *rows, const struct sd_fact_column *c,
	const void *row, size_t runs)
{
	return (struct sd_fact_rows){
		.table = c->rows, .row = row, .runs = runs, .a = rows->a, .folder = rows->folder};
}

void sd_fact_read(const struct sd_fact_rows *rows, const struct sd_fact_column *c, size_t i,
	struct sd_cell *out)
{
	const char *const row = sd_fact_row(rows, i);
	const void *const at = (const char *)(c->of ? c->of(rows, i) : row) + c->at;

	*out = (struct sd_cell){.type = c->type, .runs = runs_of(rows, row)};
	if (c->make) {
		c->make(rows, i, out);
		return;
	}
	if (c->say) {
		c->say(row, out->made);
		out->text = c->empty_is_none && !*out->made ? NULL : out->made;
		return;
	}
	switch (c->type) {
	case SD_CELL_TEXT:
		out->text = *(const char *const *)at;
		break;
	case SD_CELL_CHARS:
		out->text = c->empty_is_none && !*(const char *)at ? NULL : at;
		break;
	case SD_CELL_NAME:
		out->text = name_of(c, *(const unsigned *)at);
		break;
	case SD_CELL_COUNT:
		out->number = sd_fact_exact(*(const unsigned *)at);
		break;
	case SD_CELL_SIZE:
		out->number = sd_fact_exact((double)*(const size_t *)at);
		break;
	case SD_CELL_INT:
	case SD_CELL_FLAG:
		out->number = sd_fact_exact(*(const int *)at);
		break;
	case SD_CELL_REAL:
	case SD_CELL_BAR:
		out->number = sd_fact_exact(*(const double *)at);
		break;
	case SD_CELL_VALUE:
		out->number = sd_fact_exact(((const struct sd_value *)at)->value);
		out->number.status = ((const struct sd_value *)at)->status;
		break;
	case SD_CELL_INTERVAL:
	case SD_CELL_RATIO:
		out->number = *(const struct sd_interval *)at;
		break;
	case SD_CELL_PLACES:
		out->place = *(const struct sd_where *const *)at;
		out->n = *(const size_t *)(const void *)(row + c->n_at);
		break;
	case SD_CELL_TEXTS:
		out->texts = at;
		out->n = out->texts->n;
		break;
	case SD_CELL_SHADES:
		out->shade = *(const float *const *)at;
		out->n = *(const size_t *)(const void *)(row + c->n_at);
		break;
	case SD_CELL_ROWS:
		out->table = nested(rows, c, *(const void *const *)at, out->runs);
		out->table.n = *(const size_t *)(const void *)(row + c->n_at);
		break;
	case SD_CELL_ROW:
		out->table = nested(rows, c, at, out->runs);
		out->table.n = !c->rows->has || c->rows->has(at);
		break;
	case SD_CELL_NONE:
		break;
	}
}

int sd_fact_is_number(const struct sd_cell *f)
{
	return f->type >= SD_CELL_COUNT && f->type <= SD_CELL_INTERVAL;
}

int sd_fact_has(const struct sd_cell *f)
{
	return sd_fact_is_number(f) && sd_status_measured(f->number) &&
	       (f->runs > 0 || f->type < SD_CELL_REAL);
}

double sd_fact_factor(const struct sd_fact_column *c)
{
	return c->factor > 0 ? c->factor : 1;
}

int sd_fact_decimals(const struct sd_fact_rows *rows, const struct sd_fact_column *c)
{
	return c->decimals == SD_FACT_OF_ROWS ? rows->decimals : c->decimals;
}

/* Does it print as 0? */
static int is_nothing(const struct sd_fact_rows *rows, const struct sd_fact_column *c, double v)
{
	return fabs(v * sd_fact_factor(c)) < .5 * pow(10, -sd_fact_decimals(rows, c));
}

static int says_something(const struct sd_fact_rows *rows, const struct sd_fact_column *c, size_t i)
{
	struct sd_cell f;

	sd_fact_read(rows, c, i, &f);
	return f.n > 0 || (f.text && *f.text) ||
	       (sd_fact_has(&f) && !is_nothing(rows, c, f.number.value));
}

int sd_fact_shown(
	const struct sd_fact_rows *rows, const struct sd_fact_column *c, enum sd_fact_format format)
{
	if (!c->head || (c->not_in & format) ||
		(c->type == SD_CELL_RATIO && format != SD_IN_HTML) ||
		(c->kind && rows->kind && !(c->kind & rows->kind)))
		return 0;
	for (size_t i = 0; c->sparse && i < rows->n; i++)
		if (sd_fact_wanted(rows, i) && says_something(rows, c, i))
			return 1;
	return !c->sparse;
}

int sd_fact_is_word(const struct sd_fact_column *c)
{
	return c->type < SD_CELL_COUNT || c->type > SD_CELL_INTERVAL;
}

void sd_fact_number(const struct sd_fact_rows *rows, const struct sd_fact_column *c,
	const struct sd_cell *f, char *out, size_t size)
{
	const int decimals = sd_fact_decimals(rows, c);
	char number[64];

	if (f->type == SD_CELL_NONE ||
		(sd_fact_has(f) && c->sparse && is_nothing(rows, c, f->number.value)))
		snprintf(out, size, "%s", "");
	else if (!sd_fact_has(f))
		snprintf(out, size, "%s",
			f->number.status == SD_STATUS_DENIED ||
					f->number.status == SD_STATUS_UNSUPPORTED
				? sd_status_name(f->number.status)
				: "–");
	else {
		sd_interval_text_number(
			number, sizeof number, sd_fact_factor(c) * f->number.value, decimals);
		snprintf(out, size, "%s%s", number, c->unit ? c->unit : "");
	}
}

void sd_fact_half(const struct sd_fact_rows *rows, const struct sd_fact_column *c,
	const struct sd_cell *f, char *out, size_t size)
{
	if (f->type != SD_CELL_INTERVAL || f->runs == SD_INTERVAL_TEXT_EXACT)
		snprintf(out, size, "%s", "");
	else
		sd_interval_text_half(out, size, f->number, f->runs, sd_fact_factor(c),
			c->half_decimals ? c->half_decimals : sd_fact_decimals(rows, c));
}

double sd_fact_shade(const struct sd_cell *f, size_t i, size_t n)
{
	const size_t from = i * f->n / n, to = (i + 1) * f->n / n;
	double sum = 0;

	for (size_t k = from; k < to; k++)
		sum += (double)f->shade[k];
	return sum / (double)(to - from);
}
