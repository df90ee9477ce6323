#include "facts/facts.h"

#include <stdio.h>

#include "record/probe_cost.h"

SD_FACT_ROW(struct sd_probe_cost_row, row_of)

static int is_known(const struct sd_fact_rows *rows, size_t i)
{
	const struct sd_probe_cost_row *const row = row_of(rows, i);

	return sd_has(sd_probe_cost(rows->whole, row->flag)) || sd_probe_cost_ran(rows->whole, row);
}

static void make_cost(const struct sd_fact_rows *rows, size_t i, struct sd_cell *out)
{
	const struct sd_value cost = sd_probe_cost(rows->whole, row_of(rows, i)->flag);

	out->number = (struct sd_interval){cost.value, cost.value, cost.value, cost.status};
	out->runs = SD_PROBE_COST_ROUNDS;
}

/* Says what is known without runs by turns. */
static void say_unmeasured(
	const struct sd_record *r, const struct sd_probe_cost_row *row, char *text, size_t size)
{
	const double rate = sd_probe_cost_rate(r, row);
	const int out = row->flag && sd_probe_cost_left_out(r) & row->flag;

	if (rate > row->a_second)
		snprintf(text, size, "not measured, at %.2g %s a second of CPU time%s%s", rate,
			row->per, out ? "; left out of all runs but the warm-up: " : "",
			out ? row->unweighed : "");
	else
		snprintf(text, size, "not measured, %s", row->few);
}

/* One of so many samples and so much of the time for switches, and what that costs. */
static void say_thinned(
	const struct sd_record *r, const struct sd_probe_cost_row *row, char *text, size_t size)
{
	const struct sd_value cost = sd_probe_cost_thinned(r, row);
	char measured[40] = "at an unmeasured cost";

	if (sd_has(cost))
		snprintf(measured, sizeof measured, "at %.1f %%", 100 * cost.value);
	snprintf(text, size, "by runs with and without; others have one of %.1f, %s%s%s",
		sd_probe_cost_thin(r), measured, sd_has(cost) && cost.value > row->most ? "; " : "",
		sd_has(cost) && cost.value > row->most ? row->stays : "");
}

static void make_how(const struct sd_fact_rows *rows, size_t i, struct sd_cell *out)
{
	const struct sd_probe_cost_row *const row = row_of(rows, i);
	const struct sd_value cost = sd_probe_cost(rows->whole, row->flag);
	const unsigned left_out = sd_probe_cost_left_out(rows->whole);
	const int stays = row->needed && row->needed(rows->whole) && sd_has(cost) &&
			  cost.value > SD_PROBE_COST_MOST;

	out->text = out->made;
	if (!is_known(rows, i))
		out->text = "it did not run";
	else if (!sd_has(cost))
		say_unmeasured(rows->whole, row, out->made, sizeof out->made);
	else if (left_out & row->thinned)
		say_thinned(rows->whole, row, out->made, sizeof out->made);
	else if (left_out & row->flag)
		out->text = "by runs with and without; left out of all other runs";
	else if (row->thinned && cost.value > row->most)
		snprintf(out->made, sizeof out->made, "by runs with and without; %s", row->stays);
	else
		snprintf(out->made, sizeof out->made, "by runs with and without%s%s",
			stays ? "; " : "", stays ? row->stays : "");
}

/* clang-format off */
static const struct sd_fact_column columns[] = {
	{"probe", "probe", SD_CELL_TEXT, .at = offsetof(struct sd_probe_cost_row, name), .width = 28},
	{"cost", "of the CPU time", SD_CELL_VALUE, .make = make_cost, .factor = 100, .unit = " %", .decimals = 1, .width = 15},
	{"how", "", SD_CELL_TEXT, .make = make_how, .layout = SD_LAYOUT_TAIL},
};
/* clang-format on */
static const struct sd_fact_table table = SD_FACT_TABLE(columns, struct sd_probe_cost_row, );

struct sd_fact_rows sd_facts_probe_cost_table(const struct sd_record *r)
{
	return (struct sd_fact_rows){.table = &table,
		.row = sd_probe_cost_row,
		.n = SD_PROBE_COSTS,
		.runs = SD_PROBE_COST_ROUNDS,
		.whole = r,
		.wanted = is_known};
}

void sd_facts_probe_costs(struct sd_document *b, const struct sd_record *r)
{
	const struct sd_fact_rows rows = sd_facts_probe_cost_table(r);

	if (!sd_fact_any(&rows))
		return;
	sd_document_title(b, "probe-costs", "Cost of measuring", "%s",
		"of the probes that work inside of the program");
	sd_document_table(b, &rows);
	sd_document_end(b);
}
