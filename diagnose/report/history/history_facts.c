#include "history/history_report.h"

#include <errno.h>
#include <math.h>
#include <string.h>
#include <time.h>

#include "html/html_sections.h"
#include "render/json_values.h"
#include "render/render.h"

#define SCHEMA 1

void sd_history_time(const void *history_row, char *out)
{
	const struct sd_history_row *const row = history_row;
	const time_t seconds = row->time > 0 && row->time < 1e11 ? (time_t)row->time : 0;
	struct tm tm;

	out[0] = '\0';
	if (!seconds || !gmtime_r(&seconds, &tm) || !strftime(out, 32, "%Y-%m-%d %H:%M", &tm))
		out[0] = '\0';
}

void sd_history_commit(const void *history_row, char *out)
{
	const struct sd_history_row *const row = history_row;

	snprintf(out, 80, "%.8s%s%.40s", row->commit, row->branch[0] ? " " : "", row->branch);
}

void sd_history_cause(const void *history_row, char *out)
{
	const struct sd_history_row *const row = history_row;

	if (row->cause >= SD_CAUSE_COUNT)
		snprintf(out, 128, "none found");
	else if (sd_status_measured(row->cores))
		snprintf(out, 128, "%s, %.2f cores (%s)", sd_cause_info[row->cause].label,
			row->cores.value, sd_verdict_label[row->verdict]);
	else
		snprintf(out, 128, "%s (%s)", sd_cause_info[row->cause].label,
			sd_verdict_label[row->verdict]);
}

SD_FACT_ROW(struct sd_history_row, row_of)

static int has_cause(const void *row)
{
	return ((const struct sd_history_row *)row)->cause < SD_CAUSE_COUNT;
}

static size_t runs_of(const void *row)
{
	const struct sd_history_row *const r = row;

	return r->point[r->n_point - 1].runs;
}

/* ---- every count, and the main cause: for machines ------------------------------------------- */

#define AT(member) .at = offsetof(struct sd_history_point, member)

static const struct sd_fact_column point_columns[] = {
	{"cores", NULL, SD_CELL_COUNT, AT(cores)},
	{"runs", NULL, SD_CELL_SIZE, AT(runs)},
	{"wall", NULL, SD_CELL_INTERVAL, AT(wall)},
	{"speedup", NULL, SD_CELL_INTERVAL, AT(speedup)},
	{"efficiency", NULL, SD_CELL_INTERVAL, AT(efficiency)},
};
static const struct sd_fact_table point_table = SD_FACT_TABLE(point_columns,
	struct sd_history_point, .runs_at = offsetof(struct sd_history_point, runs) + 1);

#undef AT
#define AT(member) .at = offsetof(struct sd_history_row, member)

static const struct sd_fact_column cause_columns[] = {
	{"cause", NULL, SD_CELL_NAME, AT(cause), .names = &sd_cause_info[0].name,
		.stride = sizeof *sd_cause_info},
	{"verdict", NULL, SD_CELL_NAME, AT(verdict), .names = sd_verdict_name},
	{"lost", NULL, SD_CELL_INTERVAL, AT(cores)},
	{"function", NULL, SD_CELL_TEXT, AT(where.function)},
	{"file", NULL, SD_CELL_TEXT, AT(where.file)},
	{"line", NULL, SD_CELL_COUNT, AT(where.line)},
};
static const struct sd_fact_table cause_table =
	SD_FACT_TABLE(cause_columns, struct sd_history_row, .runs = runs_of, .has = has_cause);

/* ---- a row a record -------------------------------------------------------------------------- */

/* People are told of the largest count. */
static const void *last_of(const struct sd_fact_rows *rows, size_t i)
{
	return &row_of(rows, i)->point[row_of(rows, i)->n_point - 1];
}

static void make_change(const struct sd_fact_rows *rows, size_t i, struct sd_cell *out)
{
	const enum sd_change change = row_of(rows, i)->change;

	out->text = change == SD_CHANGE_MORE ? "slower" : change == SD_CHANGE_LESS ? "faster" : "";
	out->tone = change == SD_CHANGE_MORE   ? SD_CELL_BAD
		    : change == SD_CHANGE_LESS ? SD_CELL_GOOD
					       : SD_CELL_NEUTRAL;
}

static void make_where(const struct sd_fact_rows *rows, size_t i, struct sd_cell *out)
{
	out->place = &row_of(rows, i)->where;
	out->n = out->place->function != NULL;
}

#define LAST(member) .of = last_of, .at = offsetof(struct sd_history_point, member)

/* clang-format off */
static const struct sd_fact_column columns[] = {
	{"record", NULL, SD_CELL_TEXT, AT(file)},
	{"program", NULL, SD_CELL_TEXT, AT(program)},
	{"time", NULL, SD_CELL_REAL, AT(time)},
	{"commit", NULL, SD_CELL_CHARS, AT(commit), .empty_is_none = 1},
	{"branch", NULL, SD_CELL_CHARS, AT(branch), .empty_is_none = 1},
	{"cpu", NULL, SD_CELL_CHARS, AT(cpu)},
	{"points", NULL, SD_CELL_ROWS, AT(point), .n_at = offsetof(struct sd_history_row, n_point), .rows = &point_table},
	{"main_cause", NULL, SD_CELL_ROW, .rows = &cause_table},
	{"change", NULL, SD_CELL_NAME, AT(change), .names = sd_change_name},
	{NULL, "measured (UTC)", SD_CELL_TEXT, .say = sd_history_time, .empty_is_none = 1},
	{NULL, "commit", SD_CELL_TEXT, .say = sd_history_commit, .empty_is_none = 1},
	{NULL, "cores", SD_CELL_COUNT, LAST(cores)},
	{NULL, "wall s", SD_CELL_INTERVAL, LAST(wall), .decimals = 3},
	{NULL, "than before", SD_CELL_TEXT, .make = make_change},
	{NULL, "speedup", SD_CELL_INTERVAL, LAST(speedup), .decimals = 2, .unit = "x"},
	{NULL, "efficiency", SD_CELL_INTERVAL, LAST(efficiency), .factor = 100, .unit = " %"},
	{NULL, "main cause", SD_CELL_TEXT, .say = sd_history_cause, .layout = SD_LAYOUT_TAIL},
	{NULL, "where", SD_CELL_PLACES, .make = make_where, .not_in = SD_IN_TEXT},
	{NULL, "record", SD_CELL_TEXT, AT(file), .not_in = SD_IN_TEXT},
};
/* clang-format on */
static const struct sd_fact_table table =
	SD_FACT_TABLE(columns, struct sd_history_row, .runs = runs_of);

static struct sd_fact_rows rows_of(const struct sd_history *h)
{
	return (struct sd_fact_rows){.table = &table, .row = h->row, .n = h->n};
}

/* ---- changes that last ----------------------------------------------------------------------- */

static const struct sd_history_row *shifted(const struct sd_fact_rows *rows, size_t i)
{
	return ((const struct sd_history_shift *)sd_fact_row(rows, i))->row;
}

static const void *row_since(const struct sd_fact_rows *rows, size_t i)
{
	return shifted(rows, i);
}

static int has_moved(const void *shift)
{
	return ((const struct sd_history_shift *)shift)->cause < SD_CAUSE_COUNT;
}

#undef AT
#define AT(member) .at = offsetof(struct sd_history_shift, member)
#define SINCE(member) .of = row_since, .at = offsetof(struct sd_history_row, member)

static const struct sd_fact_column moved_columns[] = {
	{"cause", NULL, SD_CELL_NAME, AT(cause), .names = &sd_cause_info[0].name,
		.stride = sizeof *sd_cause_info},
	{"cores", NULL, SD_CELL_REAL, AT(moved)},
};
static const struct sd_fact_table moved_table =
	SD_FACT_TABLE(moved_columns, struct sd_history_shift, .has = has_moved);

static const struct sd_fact_column shift_columns[] = {
	{"record", NULL, SD_CELL_TEXT, SINCE(file)},
	{"program", NULL, SD_CELL_TEXT, SINCE(program)},
	{"commit", NULL, SD_CELL_CHARS, SINCE(commit), .empty_is_none = 1},
	{"cores", NULL, SD_CELL_COUNT, AT(cores)},
	{"time_ratio", NULL, SD_CELL_REAL, AT(ratio)},
	{"records_before", NULL, SD_CELL_SIZE, AT(before)},
	{"records_since", NULL, SD_CELL_SIZE, AT(since)},
	{"p", NULL, SD_CELL_REAL, AT(p)},
	{"moved", NULL, SD_CELL_ROW, .rows = &moved_table},
};
static const struct sd_fact_table shift_table =
	SD_FACT_TABLE(shift_columns, struct sd_history_shift);

/* "From a1b2c3d4 main (a.json) on 5.2 % slower at 8 cores: 14 records before, 6 since, p = 0.001.
 * Lock contention costs 0.40 cores more." */
static void put_shift(struct sd_document *b, const struct sd_history_shift *s)
{
	char commit[80], cause[96] = "";

	sd_history_commit(s->row, commit);
	if (s->cause < SD_CAUSE_COUNT)
		snprintf(cause, sizeof cause, " The cost that moved: %s, %+.2f cores.",
			sd_cause_info[s->cause].label, s->moved);
	sd_document_say(b, SD_BLOCK_SENTENCE,
		"From %s%s%s%s on %.2g %% %s at %u cores: %zu records before, %zu since, p = %.2g.%s",
		*commit ? commit : "record ", *commit ? " (" : "", s->row->file, *commit ? ")" : "",
		100 * fabs(s->ratio - 1), s->ratio > 1 ? "slower" : "faster", s->cores, s->before,
		s->since, s->p, cause);
}

/* A table a program. */
static void put_programs(struct sd_document *b, const struct sd_history *h)
{
	struct sd_history of_one;
	struct sd_fact_rows rows;

	for (size_t from = 0; from < h->n; from += of_one.n) {
		of_one = (struct sd_history){.row = &h->row[from]};
		while (from + of_one.n < h->n &&
			strcmp(of_one.row[of_one.n].program, of_one.row->program) == 0)
			of_one.n++;
		rows = rows_of(&of_one);
		if (from)
			sd_document_end(b);
		sd_document_title(b, NULL, of_one.row->program, NULL);
		sd_document_picture(b, NULL, &of_one);
		sd_document_table(b, &rows);
		for (size_t i = 0; i < h->n_shift; i++)
			if (h->shift[i].row >= of_one.row &&
				h->shift[i].row < of_one.row + of_one.n)
				put_shift(b, &h->shift[i]);
	}
}

int sd_history_text(FILE *f, const struct sd_history *h, const struct sd_report_style *style)
{
	struct sd_page page;
	struct sd_document b = sd_render_text(&page, 1);

	sd_page_begin(&page, f, style);
	put_programs(&b, h);
	page.failed |= b.failed;
	return sd_page_end(&page);
}

static void put_picture(struct sd_document *b, const char *id, const void *of)
{
	(void)id;
	sd_history_picture(b->to, of);
}

int sd_history_html(FILE *f, const struct sd_history *h, const char *folder)
{
	struct sd_document b = sd_render_html(f);

	b.picture = put_picture;
	sd_html_head(f, folder);
	sd_html_around(f, "<header><h1>scalediag history</h1><p class=\"soft code\">", folder,
		"</p></header>\n<main>\n");
	put_programs(&b, h);
	fputs("</main>\n</body>\n</html>\n", f);
	return fflush(f) != 0 || ferror(f) ? -EIO : 0;
}

int sd_history_json(FILE *f, const struct sd_history *h, const char *folder)
{
	const struct sd_fact_rows rows = rows_of(h);
	const struct sd_fact_rows shifts = {
		.table = &shift_table, .row = h->shift, .n = h->n_shift};

	return sd_json_print(
		f, sd_json("kind", "scalediag-history", "schema", SCHEMA, "folder", folder,
			   "records", sd_render_json(&rows), "changes", sd_render_json(&shifts)));
}
