#include "render/render.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "page/sanitize.h"
#include "page/short_names.h"

#define COLUMNS 40u
#define GAP 2u
#define SHADES 16u
#define BAR_LEAST 8u
#define ROOM_LEAST 12u /* of a name */

struct layout {
	size_t width[COLUMNS], half[COLUMNS]; /* 0: not shown */
	size_t used;
};

static size_t larger(size_t a, size_t b)
{
	return a > b ? a : b;
}

/* Behind the cells, without a width of its own. */
static int is_drawn(const struct sd_fact_column *c)
{
	return c->type == SD_CELL_BAR || c->type == SD_CELL_SHADES;
}

static const char *half_head(const struct sd_fact_column *c)
{
	return c->half_head ? c->half_head : "±";
}

/* Columns that a cell needs, with the gap before it: at least `least`; less than two: as it comes.
 */
static size_t needed(unsigned least, const char *head, size_t longest)
{
	return least > 1 ? larger(least, longest + 1)
			 : larger(sd_page_columns(head), longest) + GAP;
}

static void read_text(const struct sd_fact_rows *rows, const struct sd_fact_column *c, size_t i,
	struct sd_cell *f, char *out, size_t size)
{
	char *clean;

	sd_fact_read(rows, c, i, f);
	if (sd_fact_is_number(f) || f->type == SD_CELL_NONE) {
		sd_fact_number(rows, c, f, out, size);
		return;
	}
	clean = f->text ? sd_sanitize(f->text) : NULL;
	snprintf(out, size, "%s", clean ? clean : "–");
	free(clean);
}

/* Adds what these rows need to the widths. */
static void measure(struct layout *l, const struct sd_fact_rows *rows, unsigned optional)
{
	l->used = 0;
	for (size_t k = 0; k < rows->table->n_column && k < COLUMNS; k++) {
		const struct sd_fact_column *const c = &rows->table->column[k];
		size_t longest = 0, longest_half = 0;
		struct sd_cell f;
		char text[128];

		if (c->layout != SD_LAYOUT_CELL || is_drawn(c) || c->optional > optional ||
			!sd_fact_shown(rows, c, SD_IN_TEXT)) {
			l->width[k] = l->half[k] = 0;
			continue;
		}
		for (size_t i = 0; i < rows->n; i++) {
			read_text(rows, c, i, &f, text, sizeof text);
			longest = larger(longest, sd_page_columns(text));
			sd_fact_half(rows, c, &f, text, sizeof text);
			longest_half = larger(longest_half, sd_page_columns(text));
		}
		l->width[k] = larger(l->width[k], needed(c->width, c->head, longest));
		l->half[k] = !c->half || c->half_optional > optional
				     ? 0
				     : larger(l->half[k],
					       needed(c->half, half_head(c),
						       larger(longest_half,
							       sd_page_columns(half_head(c)) + 1)));
		l->used += l->width[k] + l->half[k];
	}
}

static void put_head(struct sd_page *p, const struct layout *l, const struct sd_fact_rows *rows)
{
	size_t owed = 0; /* of columns without a head: nothing may follow */

	for (size_t k = 0; k < rows->table->n_column && k < COLUMNS; k++) {
		const struct sd_fact_column *const c = &rows->table->column[k];

		if (l->width[k] && !*c->head) {
			owed += l->width[k] + l->half[k];
			continue;
		}
		if (l->width[k])
			sd_page_put(p, SD_TONE_PLAIN, "%*s", (int)owed, "");
		owed = l->width[k] ? 0 : owed;
		if (l->width[k] && sd_fact_is_word(c)) {
			sd_page_cell(p, SD_TONE_DIM, "", GAP, 0);
			sd_page_cell(p, SD_TONE_DIM, c->head, l->width[k] - GAP, 0);
		} else if (l->width[k])
			sd_page_cell(p, SD_TONE_DIM, c->head, l->width[k], 1);
		if (l->half[k])
			sd_page_cell(p, SD_TONE_DIM, half_head(c), l->half[k], 1);
	}
	for (size_t k = 0; k < rows->table->n_column; k++) {
		const struct sd_fact_column *const c = &rows->table->column[k];

		if (c->layout == SD_LAYOUT_TAIL && sd_fact_shown(rows, c, SD_IN_TEXT) && *c->head)
			sd_page_put(p, SD_TONE_DIM, "  %s", c->head);
	}
	sd_page_put(p, SD_TONE_PLAIN, "\n");
}

static void put_place(struct sd_page *p, const char *first, unsigned indent,
	const struct sd_fact_column *c, const struct sd_where *w)
{
	char *const name = sd_name_place(w, p->width > 44 ? p->width - 34 : 10);

	p->failed |= !name;
	if (name && c->factor > 1)
		sd_page_wrap(p, first, indent, "%s, %.0f %%", name, c->factor * w->share);
	else if (name)
		sd_page_wrap(p, first, indent, "%s", name);
	free(name);
}

/* Puts the place; what it called, or who called it, where there is room for that as well. */
static void put_tail_place(
	struct sd_page *p, const struct sd_fact_column *c, const struct sd_where *w, size_t room)
{
	const char *const other = !c->chain ? NULL : w->in ? w->in : w->from;
	char *const by = other ? sd_name_function(other) : NULL;
	const size_t used = by ? sd_page_columns(by) + sizeof ", from  " : 0;
	const int fits = used && used + 2 * ROOM_LEAST <= room;
	char *const name = sd_name_place(w, fits ? room - used : room);

	p->failed |= !name || (other && !by);
	if (name)
		sd_page_put(p, SD_TONE_PLAIN, "  %s", name);
	if (fits)
		sd_page_put(p, SD_TONE_DIM, ", %s %s", w->in ? "in" : "from", by);
	free(by);
	free(name);
}

/* Puts what follows the cells of a row on its line; 1 when it ended the line. */
static int put_tail(struct sd_page *p, const struct layout *l, const struct sd_fact_column *c,
	const struct sd_cell *f, size_t owed)
{
	if (f->text && *f->text) {
		sd_page_put(p, SD_TONE_PLAIN, "%*s", (int)owed, "");
		sd_page_wrap(p, "  ", 4, "%s", f->text);
		return 1;
	}
	if (!f->place || !f->n)
		return 0;
	sd_page_put(p, SD_TONE_PLAIN, "%*s", (int)owed, "");
	put_tail_place(p, c, f->place,
		p->width > l->used + ROOM_LEAST ? p->width - l->used - GAP : ROOM_LEAST);
	return 0;
}

static void put_below(
	struct sd_page *p, const struct sd_fact_column *c, const struct sd_cell *f, int all)
{
	const size_t most = all || !c->most ? f->n : c->most;
	char first[48];

	if (f->text)
		sd_page_wrap(p, "    ", 6, "%s", f->text);
	for (size_t i = 0; f->texts && i < f->n; i++)
		sd_page_wrap_tone(p, SD_TONE_DIM, "    ", 6, "%s", f->texts->text[i]);
	for (size_t i = 0; f->place && i < f->n && i < most; i++) {
		snprintf(first, sizeof first, "    %*s  ", (int)sd_page_columns(c->head),
			i ? "" : c->head);
		put_place(p, first, (unsigned)strlen(first), c, &f->place[i]);
	}
}

/* A bar as long as the page has room for; the columns that are left of its room. */
static size_t put_bar(struct sd_page *p, const struct layout *l, const struct sd_fact_column *c,
	const struct sd_cell *f, size_t owed)
{
	size_t room = p->width > l->used + GAP ? p->width - l->used - GAP : 0;

	room = room > c->width ? c->width : room;
	if (room < BAR_LEAST || !(f->number.value > 0))
		return owed + (room < BAR_LEAST ? 0 : room + GAP);
	sd_page_put(p, SD_TONE_PLAIN, "%*s", (int)(owed + GAP), "");
	return room - sd_page_bar(p, f->number.value, (unsigned)room, 0);
}

/* Puts what follows the cells: the end of the line, and paragraphs below it. */
static void put_rest(struct sd_page *p, const struct layout *l, const struct sd_fact_rows *rows,
	size_t i, size_t owed, int all)
{
	struct sd_cell f;
	int ended = 0;

	for (int pass = SD_LAYOUT_TAIL; pass <= SD_LAYOUT_BELOW; pass++) {
		for (size_t k = 0; k < rows->table->n_column; k++) {
			const struct sd_fact_column *const c = &rows->table->column[k];

			if ((int)c->layout != pass || !sd_fact_shown(rows, c, SD_IN_TEXT))
				continue;
			sd_fact_read(rows, c, i, &f);
			if (pass == SD_LAYOUT_BELOW)
				put_below(p, c, &f, all);
			else
				ended |= put_tail(p, l, c, &f, owed);
		}
		if (pass == SD_LAYOUT_TAIL && !ended)
			sd_page_put(p, SD_TONE_PLAIN, "\n");
	}
}

static void put_shades(struct sd_page *p, const struct sd_cell *f, size_t owed)
{
	static const char *const shade[] = {" ", "░", "▒", "▓", "█"};
	static const char *const plain[] = {" ", ".", ":", "*", "#"};
	const size_t n = f->n < SHADES ? f->n : SHADES;

	sd_page_put(p, SD_TONE_PLAIN, "%*s", (int)(owed + GAP), "");
	for (size_t i = 0; i < n; i++) {
		const int level = (int)lround(4 * fmin(1, fmax(0, sd_fact_shade(f, i, n))));

		sd_page_put(p, SD_TONE_PLAIN, "%s", (p->ascii ? plain : shade)[level]);
	}
}

static void put_row(struct sd_page *p, const struct layout *l, const struct sd_fact_rows *rows,
	size_t i, int all)
{
	static const enum sd_tone tone[] = {[SD_CELL_NEUTRAL] = SD_TONE_PLAIN,
		[SD_CELL_GOOD] = SD_TONE_GOOD,
		[SD_CELL_BAD] = SD_TONE_BAD};
	size_t owed = 0; /* spaces that nothing may follow */
	struct sd_cell f;
	char text[128];

	for (size_t k = 0; k < rows->table->n_column && k < COLUMNS; k++) {
		const struct sd_fact_column *const c = &rows->table->column[k];

		if (c->layout != SD_LAYOUT_CELL || !sd_fact_shown(rows, c, SD_IN_TEXT))
			continue;
		if (!l->width[k] && !is_drawn(c))
			continue;
		read_text(rows, c, i, &f, text, sizeof text);
		if (c->type == SD_CELL_SHADES) {
			put_shades(p, &f, owed);
			owed = 0;
		} else if (c->type == SD_CELL_BAR)
			owed = put_bar(p, l, c, &f, owed);
		else if (sd_fact_is_word(c)) {
			sd_page_put(p, SD_TONE_PLAIN, "%*s", (int)(owed + GAP), "");
			sd_page_cell(p, tone[f.tone], text, sd_page_columns(text), 0);
			owed = l->width[k] - GAP - sd_page_columns(text);
		} else {
			sd_page_put(p, SD_TONE_PLAIN, "%*s", (int)owed, "");
			sd_page_cell(p, SD_TONE_PLAIN, text, l->width[k], 1);
			sd_fact_half(rows, c, &f, text, sizeof text);
			owed = *text ? 0 : l->half[k];
			if (l->half[k] && *text)
				sd_page_cell(p, SD_TONE_DIM, text, l->half[k], 1);
		}
	}
	put_rest(p, l, rows, i, owed, all);
}

/* The widths with as many optional columns as the page has room for. */
static void fit(struct sd_page *p, struct layout *l, const struct sd_fact_rows *rows, size_t n)
{
	unsigned optional = 4;

	do {
		*l = (struct layout){{0}, {0}, 0};
		optional--;
		for (size_t i = 0; i < n; i++)
			measure(l, &rows[i], optional);
	} while (optional && l->used + rows->table->tail > p->width);
}

static void put_rows(
	struct sd_page *p, const struct layout *l, const struct sd_fact_rows *rows, int all)
{
	for (size_t i = 0; i < rows->n; i++)
		if (sd_fact_wanted(rows, i))
			put_row(p, l, rows, i, all);
}

void sd_render_text_table(struct sd_page *p, const struct sd_fact_rows *rows, int all)
{
	struct layout l;

	fit(p, &l, rows, 1);
	put_head(p, &l, rows);
	put_rows(p, &l, rows, all);
}

/* The tables of the groups that are wanted; their number. */
static size_t find_tables(const struct sd_fact_rows *groups, struct sd_fact_rows *out)
{
	struct sd_cell f;
	size_t n = 0;

	for (size_t i = 0; i < groups->n; i++)
		for (size_t k = 0; k < groups->table->n_column; k++)
			if (groups->table->column[k].type == SD_CELL_ROWS &&
				sd_fact_wanted(groups, i)) {
				sd_fact_read(groups, &groups->table->column[k], i, &f);
				out[n++] = f.table;
			}
	return n;
}

static void put_groups(struct sd_page *p, const struct sd_fact_rows *groups, int all)
{
	struct sd_fact_rows *const rows = calloc(groups->n + 1, sizeof *rows);
	const size_t n = rows ? find_tables(groups, rows) : 0;
	struct layout l;
	struct sd_cell f;
	size_t at = 0;

	p->failed |= !rows;
	if (n)
		fit(p, &l, rows, n);
	if (n)
		put_head(p, &l, rows);
	for (size_t i = 0; n && i < groups->n; i++)
		for (size_t k = 0; sd_fact_wanted(groups, i) && k < groups->table->n_column; k++) {
			const struct sd_fact_column *const c = &groups->table->column[k];

			if (!sd_fact_shown(groups, c, SD_IN_TEXT))
				continue;
			sd_fact_read(groups, c, i, &f);
			if (c->type == SD_CELL_ROWS)
				put_rows(p, &l, &rows[at++], all);
			else if (c->layout == SD_LAYOUT_BELOW)
				put_below(p, c, &f, all);
			else
				sd_page_wrap(p, "  ", 4, "%s", f.text);
		}
	free(rows);
}

static void put_block(struct sd_document *b, enum sd_block block, const char *id, const char *text,
	const char *more)
{
	struct sd_page *const p = b->to;

	(void)id;
	switch (block) {
	case SD_BLOCK_TITLE:
		if (!more) {
			sd_page_wrap_tone(p, SD_TONE_BOLD, "", 2, "%s", text);
			break;
		}
		sd_page_put(p, SD_TONE_BOLD, "%s", text);
		sd_page_put(p, SD_TONE_DIM, " (%s)\n", more);
		break;
	case SD_BLOCK_TERM:
		sd_page_wrap_tone(p, SD_TONE_DIM, "", 2, "%s: %s", text, more);
		break;
	case SD_BLOCK_SENTENCE:
	case SD_BLOCK_ITEM:
		sd_page_wrap(p, "  ", block == SD_BLOCK_ITEM ? 4 : 2, "%s", text);
		break;
	case SD_BLOCK_NOTE:
	case SD_BLOCK_DOUBT:
		sd_page_wrap_tone(p, block == SD_BLOCK_NOTE ? SD_TONE_DIM : SD_TONE_DOUBT, "  ", 4,
			"%s", text);
		break;
	case SD_BLOCK_END:
	case SD_BLOCK_TABLE:
	case SD_BLOCK_GROUPS:
		sd_page_put(p, SD_TONE_PLAIN, "\n");
	}
}

static void put_table(struct sd_document *b, enum sd_block block, const struct sd_fact_rows *rows)
{
	if (block == SD_BLOCK_GROUPS)
		put_groups(b->to, rows, b->all);
	else
		sd_render_text_table(b->to, rows, b->all);
}

struct sd_document sd_render_text(struct sd_page *p, int all)
{
	return (struct sd_document){.put = put_block, .table = put_table, .to = p, .all = all};
}
