#include "facts/facts.h"

#include <stdio.h>

#include "page/interval_text.h"

#define ROW(member) .at = offsetof(struct sd_neighbour_met, who.member)

static const struct sd_neighbour *who_of(const void *row)
{
	return &((const struct sd_neighbour_met *)row)->who;
}

static void say_kind(const void *row, char *out)
{
	snprintf(out, sizeof((struct sd_cell *)0)->made, "%s",
		sd_neighbour_kind_name[sd_neighbour_kind(who_of(row))]);
}

static void say_what(const void *row, char *out)
{
	sd_neighbour_does(who_of(row), out, sizeof((struct sd_cell *)0)->made);
}

/* clang-format off */
static const struct sd_fact_column columns[] = {
	{"process", "process", SD_CELL_CHARS, ROW(name), .width = 15},
	{"pid", "pid", SD_CELL_INT, ROW(pid), .width = 8},
	{"cores", "cores", SD_CELL_VALUE, ROW(cpu), .decimals = 2, .width = 6},
	{"disk", "MB/s", SD_CELL_VALUE, ROW(disk), .factor = 1e-6, .decimals = 1, .width = 8},
	{"memory", "MB at least", SD_CELL_VALUE, ROW(memory), .factor = 1e-6, .width = 12},
	{"runs", "runs", SD_CELL_COUNT, .at = offsetof(struct sd_neighbour_met, runs), .width = 5},
	{"kind", NULL, SD_CELL_TEXT, .say = say_kind},
	{NULL, "it", SD_CELL_TEXT, .say = say_what, .layout = SD_LAYOUT_TAIL},
};
/* clang-format on */
static const struct sd_fact_table table = SD_FACT_TABLE(columns, struct sd_neighbour_met, );

struct sd_fact_rows sd_facts_neighbour_table(const struct sd_neighbours_met *met)
{
	return (struct sd_fact_rows){
		.table = &table, .row = met->row, .n = met->n, .runs = SD_INTERVAL_TEXT_EXACT};
}

void sd_facts_neighbours(struct sd_document *b, const struct sd_record *r)
{
	struct sd_neighbours_met met;
	struct sd_fact_rows rows;

	sd_neighbours_met(r, &met);
	rows = sd_facts_neighbour_table(&met);
	if (!sd_fact_any(&rows))
		return;
	sd_document_title(b, "neighbours", "Beside these runs", "%s",
		"other processes, seen after the runs that they disturbed");
	sd_document_table(b, &rows);
	sd_document_end(b);
}
