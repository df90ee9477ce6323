#include "render/render.h"

#include <math.h>

#include "page/interval_text.h"
#include "render/html_values.h"

#define SHADES 64u

static int is_shown(const struct sd_fact_rows *rows, const struct sd_fact_column *c)
{
	return c->type != SD_CELL_BAR && c->type != SD_CELL_ROWS &&
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
	else if (!*half)
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

static void put_words(FILE *f, const struct sd_fact_rows *rows, const struct sd_fact_column *c,
	const struct sd_cell *x)
{
	static const char *const tone[] = {
		[SD_CELL_NEUTRAL] = "", [SD_CELL_GOOD] = " good", [SD_CELL_BAD] = " bad"};

	fprintf(f, "<td class=\"%s%s\">", x->n ? "wrap left" : "left", tone[x->tone]);
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

static void put_rows(FILE *f, const struct sd_fact_rows *rows)
{
	struct sd_cell x;

	for (size_t i = 0; i < rows->n; i++) {
		if (!sd_fact_wanted(rows, i))
			continue;
		fputs("<tr>", f);
		for (size_t k = 0; k < rows->table->n_column; k++) {
			const struct sd_fact_column *const c = &rows->table->column[k];

			if (!is_shown(rows, c))
				continue;
			sd_fact_read(rows, c, i, &x);
			if (c->type == SD_CELL_SHADES)
				put_shades(f, &x);
			else if (sd_fact_is_word(c))
				put_words(f, rows, c, &x);
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
	fprintf(f, "<p%s>", class[block]);
	sd_html_text(f, text);
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
