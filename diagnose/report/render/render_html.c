#include "render/render.h"

#include <math.h>
#include <string.h>

#include "page/interval_text.h"
#include "render/html_values.h"

#define SHADES 64u
#define WIDE 240.0 /* units of a drawn ratio, from half to twice */
#define REACH log(2)
#define LONG 60 /* bytes of a text that may go on in a second line */

static int is_shown(const struct sd_fact_rows *rows, const struct sd_fact_column *c)
{
	return c->type != SD_CELL_BAR && c->type != SD_CELL_ROWS && !c->beneath &&
	       sd_fact_shown(rows, c, SD_IN_HTML);
}

static void put_number(FILE *f, const struct sd_fact_rows *rows, const struct sd_fact_column *c,
	const struct sd_cell *x)
{
	const double factor = sd_fact_factor(c);
	const int decimals = sd_fact_decimals(rows, c) + 1;
	char number[96], half[48], low[48], high[48];

	sd_fact_number(rows, c, x, number, sizeof number);
	sd_fact_half(rows, c, x, half, sizeof half);
	if (!sd_fact_has(x))
		fprintf(f, "<td class=\"soft\" title=\"%s\">%s</td>",
			x->type == SD_CELL_NONE ? "" : sd_status_name(x->number.status), number);
	else if (!*half || !*number)
		fprintf(f, "<td>%s</td>", number);
	else if (x->runs < 2 || !sd_status_bounded(x->number))
		fprintf(f,
			"<td title=\"one run: no interval\">%s <span "
			"class=\"soft\">±?</span></td>",
			number);
	else {
		sd_interval_text_number(low, sizeof low, factor * x->number.low, decimals);
		sd_interval_text_number(high, sizeof high, factor * x->number.high, decimals);
		fprintf(f, "<td title=\"95 %%: %s to %s\">%s <span class=\"soft\">±%s</span></td>",
			low, high, number, half);
	}
}

/* From what is idle to what works all the time: one hue, more of it. With more values than cells, a
 * cell has the mean of neighbouring values. */
static void put_shades(FILE *f, const struct sd_cell *x)
{
	const size_t n = x->n < SHADES ? x->n : SHADES;

	fputs("<td class=\"left\">", f);
	for (size_t i = 0; i < n; i++) {
		const int percent = (int)lround(100 * fmin(1, fmax(0, sd_fact_shade(x, i, n))));

		fprintf(f,
			"<i style=\"display:inline-block;width:.6em;height:1em;background:hsl(212 "
			"70%% %d%%)\" title=\"%d %%\"></i>",
			95 - percent * 6 / 10, percent);
	}
	fputs("</td>", f);
}

static double place(double ratio)
{
	const double x = ratio > 0 ? log(ratio) / REACH : -1;

	return WIDE / 2 * (1 + fmin(1, fmax(-1, x)));
}

/* A whisker around the ratio, and a line where nothing changed. */
static void put_ratio(FILE *f, const struct sd_cell *x)
{
	const struct sd_interval v = x->number;

	if (!sd_status_measured(v)) {
		fputs("<td></td>", f);
		return;
	}
	fprintf(f,
		"<td><svg class=\"forest\" viewBox=\"0 0 %.0f 16\" aria-hidden=\"true\">"
		"<line x1=\"%.0f\" y1=\"0\" x2=\"%.0f\" y2=\"16\" class=\"one\"/>",
		WIDE, WIDE / 2, WIDE / 2);
	if (x->runs > 1 && sd_status_bounded(v))
		fprintf(f, "<line x1=\"%.1f\" y1=\"8\" x2=\"%.1f\" y2=\"8\"/>", place(v.low),
			place(v.high));
	fprintf(f, "<circle cx=\"%.1f\" cy=\"8\" r=\"4\"/></svg></td>", place(v.value));
}

/* Puts the text of the column behind this one, where that stands beneath. */
static void put_beneath(
	FILE *f, const struct sd_fact_rows *rows, const struct sd_fact_column *c, size_t i)
{
	struct sd_cell x;

	if (c + 1 == rows->table->column + rows->table->n_column || !(c[1].beneath & rows->kind))
		return;
	sd_fact_read(rows, c + 1, i, &x);
	sd_html_around(f, "<br><span class=\"soft\">", x.text, "</span>");
}

static void put_words(FILE *f, const struct sd_fact_rows *rows, const struct sd_fact_column *c,
	size_t row, const struct sd_cell *x)
{
	static const char *const tone[] = {
		[SD_CELL_NEUTRAL] = "", [SD_CELL_GOOD] = " good", [SD_CELL_BAD] = " bad"};

	fprintf(f, "<td class=\"%s%s\">",
		x->n || (x->text && strlen(x->text) > LONG) ? "wrap left" : "left", tone[x->tone]);
	if (x->text)
		sd_html_text(f, x->text);
	for (size_t i = 0; i < x->n; i++) {
		fputs(i ? "<br>" : "", f);
		if (x->texts)
			sd_html_text(f, x->texts->text[i]);
		if (!x->place)
			continue;
		sd_html_place(f, &x->place[i], rows->folder);
		if (c->factor > 1)
			fprintf(f, " %.0f %%", c->factor * x->place[i].share);
	}
	put_beneath(f, rows, c, row);
	fputs("</td>", f);
}

/* Its number of columns. */
static size_t put_head(FILE *f, const struct sd_fact_rows *rows)
{
	size_t n = 0;

	fputs("<div class=\"scroll\"><table><thead><tr>", f);
	for (size_t k = 0; k < rows->table->n_column; k++) {
		const struct sd_fact_column *const c = &rows->table->column[k];

		if (!is_shown(rows, c))
			continue;
		fprintf(f, sd_fact_is_word(c) ? "<th class=\"left\">%s</th>" : "<th>%s</th>",
			c->head);
		n++;
	}
	fputs("</tr></thead><tbody>\n", f);
	return n;
}

/* Begins a row, with what scripts know it by. */
static void put_begin(FILE *f, const struct sd_fact_rows *rows, size_t i)
{
	struct sd_cell x;

	fputs("<tr", f);
	for (size_t k = 0; k < rows->table->n_column; k++) {
		const struct sd_fact_column *const c = &rows->table->column[k];

		if (!c->attribute)
			continue;
		sd_fact_read(rows, c, i, &x);
		fprintf(f, " %s=\"", c->attribute);
		sd_html_around(f, "", x.text, "\"");
	}
	fputs(">", f);
}

static void put_rows(FILE *f, const struct sd_fact_rows *rows)
{
	struct sd_cell x;

	for (size_t i = 0; i < rows->n; i++) {
		if (!sd_fact_wanted(rows, i))
			continue;
		put_begin(f, rows, i);
		for (size_t k = 0; k < rows->table->n_column; k++) {
			const struct sd_fact_column *const c = &rows->table->column[k];

			if (!is_shown(rows, c))
				continue;
			sd_fact_read(rows, c, i, &x);
			if (c->type == SD_CELL_SHADES)
				put_shades(f, &x);
			else if (c->type == SD_CELL_RATIO)
				put_ratio(f, &x);
			else if (sd_fact_is_word(c))
				put_words(f, rows, c, i, &x);
			else
				put_number(f, rows, c, &x);
		}
		fputs("</tr>\n", f);
	}
}

void sd_render_html_table(FILE *f, const struct sd_fact_rows *rows)
{
	put_head(f, rows);
	put_rows(f, rows);
	fputs("</tbody></table></div>\n", f);
}

void sd_render_html_folded(
	FILE *f, const char *id, const char *summary, const struct sd_fact_rows *rows)
{
	fputs("<details", f);
	if (id)
		fprintf(f, " id=\"%s\"", id);
	sd_html_around(f, "><summary>", summary, "</summary>");
	sd_render_html_table(f, rows);
	fputs("</details>\n", f);
}

static void put_group_note(FILE *f, const char *text, size_t columns)
{
	fprintf(f, "<tr><td class=\"soft wrap left\" colspan=\"%zu\">", columns);
	sd_html_text(f, text);
	fputs("</td></tr>\n", f);
}

static void put_groups(FILE *f, const struct sd_fact_rows *groups)
{
	size_t columns = 0;
	struct sd_cell x, name = {.text = ""};

	for (size_t i = 0; i < groups->n; i++)
		for (size_t k = 0; sd_fact_wanted(groups, i) && k < groups->table->n_column; k++) {
			const struct sd_fact_column *const c = &groups->table->column[k];

			if (!sd_fact_shown(groups, c, SD_IN_HTML))
				continue;
			sd_fact_read(groups, c, i, &x);
			if (c->type == SD_CELL_ROWS) {
				columns = columns ? columns : put_head(f, &x.table);
				fprintf(f, "<tr><th class=\"left\" colspan=\"%zu\">", columns);
				sd_html_text(f, name.text);
				fputs("</th></tr>\n", f);
				put_rows(f, &x.table);
			} else if (c->layout != SD_LAYOUT_BELOW)
				name = x;
			else if (x.text)
				put_group_note(f, x.text, columns);
			for (size_t t = 0; x.texts && t < x.n; t++)
				put_group_note(f, x.texts->text[t], columns);
		}
	fputs("</tbody></table></div>\n", f);
}

static void put_block(struct sd_document *b, enum sd_block block, const char *id, const char *text,
	const char *more)
{
	static const char *const class[] = {
		[SD_BLOCK_SENTENCE] = "",
		[SD_BLOCK_NOTE] = " class=\"soft\"",
		[SD_BLOCK_DOUBT] = " class=\"warning\"",
		[SD_BLOCK_ITEM] = "",
	};
	FILE *const f = b->to;

	if (block == SD_BLOCK_END)
		return;
	if (block == SD_BLOCK_TITLE) {
		fputs("<h2", f);
		if (id)
			fprintf(f, " id=\"%s\"", id);
		sd_html_around(f, ">", text, "</h2>");
		if (more) {
			sd_html_around(f, "<p class=\"soft\">", more, "</p>");
		}
		fputs("\n", f);
		return;
	}
	if (block == SD_BLOCK_TERM)
		sd_html_around(f, "<p class=\"term\"><b>", text, "</b> ");
	else
		fprintf(f, "<p%s>", class[block]);
	sd_html_text(f, block == SD_BLOCK_TERM ? more : text);
	fputs("</p>\n", f);
}

static void put_table(struct sd_document *b, enum sd_block block, const struct sd_fact_rows *rows)
{
	if (block == SD_BLOCK_GROUPS)
		put_groups(b->to, rows);
	else
		sd_render_html_table(b->to, rows);
}

struct sd_document sd_render_html(FILE *f)
{
	return (struct sd_document){.put = put_block, .table = put_table, .to = f, .all = 1};
}
