#include "facts/facts.h"

#include <stdio.h>

#define SHOWN .005 /* share of the time */
#define BAR 20

/* ---- threads at a time ----------------------------------------------------------------------- */

static void make_number(const struct sd_fact_rows *rows, size_t i, struct sd_cell *out)
{
	(void)rows;
	out->number = sd_fact_exact((double)i);
	out->runs = 1;
}

/* Makes the cell of the places where one thread ran alone. */
static void make_alone(const struct sd_fact_rows *rows, size_t i, struct sd_cell *out)
{
	if (i != 1)
		return;
	out->place = rows->a->threads.alone;
	out->n = rows->a->threads.n_alone;
}

/* clang-format off */
static const struct sd_fact_column together_columns[] = {
	{"threads", "threads", SD_CELL_SIZE, .make = make_number, .width = 9},
	{"share", "share", SD_CELL_REAL, .factor = 100, .unit = " %", .decimals = 1, .width = 9},
	{NULL, "", SD_CELL_BAR, .width = BAR},
	{NULL, "then in", SD_CELL_PLACES, .make = make_alone, .factor = 100, .layout = SD_LAYOUT_BELOW},
};
/* clang-format on */
static const struct sd_fact_table together_table = SD_FACT_TABLE(together_columns, double, );

static int is_common(const struct sd_fact_rows *rows, size_t i)
{
	return *(const double *)sd_fact_row(rows, i) >= SHOWN;
}

struct sd_fact_rows sd_facts_together_table(const struct sd_analysis *a, const char *folder)
{
	return (struct sd_fact_rows){.table = &together_table,
		.row = a->threads.together,
		.n = a->threads.n_together,
		.runs = 1,
		.a = a,
		.folder = folder,
		.wanted = is_common};
}

/* ---- the critical path ----------------------------------------------------------------------- */

SD_FACT_ROW(struct sd_thread_row, row_of)

static void make_stage(const struct sd_fact_rows *rows, size_t i, struct sd_cell *out)
{
	const struct sd_thread_row *const r = row_of(rows, i);

	if (r->stages)
		snprintf(out->made, sizeof out->made, "%u of %u", r->stage, r->stages);
	out->text = out->made;
}

static void make_processes(const struct sd_fact_rows *rows, size_t i, struct sd_cell *out)
{
	const struct sd_thread_row *const r = row_of(rows, i);

	if (r->processes)
		snprintf(out->made, sizeof out->made, "%u processes", r->processes);
	out->text = out->made;
}

#define AT(member) .at = offsetof(struct sd_thread_row, member)

/* clang-format off */
static const struct sd_fact_column thread_columns[] = {
	{"tid", "thread", SD_CELL_INT, AT(tid), .width = 9},
	{"name", "name", SD_CELL_CHARS, AT(name)},
	{"stage", NULL, SD_CELL_COUNT, AT(stage)},
	{"stages", NULL, SD_CELL_COUNT, AT(stages)},
	{"share", "share", SD_CELL_REAL, AT(share), .factor = 100, .unit = " %", .decimals = 1, .width = 9},
	{"height_s", "s", SD_CELL_REAL, AT(height_s), .decimals = 3, .width = 9},
	{"width", "threads", SD_CELL_REAL, AT(width), .decimals = 1, .width = 9},
	{NULL, "", SD_CELL_BAR, AT(share), .width = BAR},
	{NULL, "stage", SD_CELL_TEXT, .make = make_stage, .sparse = 1, .layout = SD_LAYOUT_TAIL},
	{NULL, "of", SD_CELL_TEXT, .make = make_processes, .sparse = 1, .layout = SD_LAYOUT_TAIL},
};
/* clang-format on */
static const struct sd_fact_table thread_table =
	SD_FACT_TABLE(thread_columns, struct sd_thread_row, );

static int has_share(const struct sd_fact_rows *rows, size_t i)
{
	return row_of(rows, i)->share >= SHOWN;
}

struct sd_fact_rows sd_facts_thread_table(const struct sd_analysis *a)
{
	return (struct sd_fact_rows){.table = &thread_table,
		.row = a->threads.row,
		.n = a->threads.n_row,
		.runs = 1,
		.a = a,
		.wanted = has_share};
}

void sd_facts_threads(struct sd_document *b, const struct sd_analysis *a, const char *folder)
{
	const struct sd_busiest_threads *const t = &a->threads;
	const struct sd_fact_rows together = sd_facts_together_table(a, folder);
	const struct sd_fact_rows rows = sd_facts_thread_table(a);

	if (t->n_together) {
		sd_document_title(b, "concurrency", "Threads at a time",
			"on a CPU or ready, share of the time, by %s",
			t->by_switches ? "context switches" : "looking at thread states");
		sd_document_table(b, &together);
		sd_document_end(b);
	}
	if (!t->n_row)
		return;
	sd_document_title(b, "threads", "Critical path by thread", "%s",
		"one run; share of the time, and threads at once");
	sd_document_table(b, &rows);
	if (t->n_seen > t->n_row)
		sd_document_say(
			b, SD_BLOCK_NOTE, "%zu more threads, each with less", t->n_seen - t->n_row);
	sd_document_end(b);
}
