#include "facts/facts.h"

#include <stdio.h>

#include "record/probe_cost.h"

static const struct sd_probe_cost_row *row_of(const struct sd_fact_rows *rows, size_t i)
{
	return sd_fact_row(rows, i);
}

/* Did the probe run in any of the runs? */
static int ran(const struct sd_record *r, enum sd_run_flag flag)
{
	for (size_t i = 0; i < r->n_run; i++) {
		const struct sd_run *const run = &r->run[i];

		if (flag == SD_RUN_UNCOUNTED && sd_has(run->metric[SD_METRIC_TASK_CLOCK]))
			return 1;
		for (size_t k = 0;
			flag == SD_RUN_UNLOGGED && run->regions && k < run->regions->n_row; k++)
			if (run->regions->row[k].kind == SD_REGION_OPENMP)
				return 1;
	}
	return 0;
}

static int is_known(const struct sd_fact_rows *rows, size_t i)
{
	const enum sd_run_flag flag = row_of(rows, i)->flag;

	return sd_has(sd_probe_cost(rows->whole, flag)) || ran(rows->whole, flag);
}

static void make_cost(const struct sd_fact_rows *rows, size_t i, struct sd_cell *out)
{
	const struct sd_value cost = sd_probe_cost(rows->whole, row_of(rows, i)->flag);

	out->number = (struct sd_interval){cost.value, cost.value, cost.value, cost.status};
	out->runs = SD_PROBE_COST_ROUNDS;
}

static void make_how(const struct sd_fact_rows *rows, size_t i, struct sd_cell *out)
{
	const struct sd_probe_cost_row *const row = row_of(rows, i);

	if (!is_known(rows, i)) {
		out->text = "it did not run";
		return;
	}
	out->text = sd_probe_cost_left_out(rows->whole) & (unsigned)row->flag
			    ? "by runs with and without; left out of all other runs"
		    : sd_has(sd_probe_cost(rows->whole, row->flag)) ? "by runs with and without"
								    : out->made;
	if (out->text == out->made)
		snprintf(out->made, sizeof out->made, "not measured, %s", row->few);
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
