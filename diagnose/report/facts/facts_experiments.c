#include "facts/facts.h"

#include <stdio.h>

#include "page/interval_text.h"

/* Bits of `kind`: which experiments are told. */
#define DONE 1u
#define LEFT_OUT 2u

SD_FACT_ROW(struct sd_tested, tested_of)

static size_t pairs_of(const void *row)
{
	return ((const struct sd_tested *)row)->pairs;
}

/* ---- predictions ----------------------------------------------------------------------------- */

#define AT(member) .at = offsetof(struct sd_prediction, member)
#define OF(info, member) .names = &info[0].member, .stride = sizeof *info

/* clang-format off */
static const struct sd_fact_column prediction_columns[] = {
	{"cause", NULL, SD_CELL_NAME, AT(cause), OF(sd_cause_info, name)},
	{"expects", NULL, SD_CELL_TEXT, AT(says)},
};
/* clang-format on */
static const struct sd_fact_table predictions =
	SD_FACT_TABLE(prediction_columns, struct sd_prediction, );

static void make_predictions(const struct sd_fact_rows *rows, size_t i, struct sd_cell *out)
{
	const enum sd_experiment e = tested_of(rows, i)->experiment;
	const struct sd_prediction *const first = sd_experiment_predictions(e);

	out->table = (struct sd_fact_rows){.table = &predictions, .row = first};
	while (first[out->table.n].of == e)
		out->table.n++;
}

/* ---- experiments ----------------------------------------------------------------------------- */

#undef AT
#define AT(member) .at = offsetof(struct sd_tested, member)

/* clang-format off */
static const struct sd_fact_column columns[] = {
	{"name", "experiment", SD_CELL_NAME, AT(experiment), OF(sd_experiment_info, name), .attribute = "data-experiment"},
	{"does", "", SD_CELL_NAME, AT(experiment), OF(sd_experiment_info, does), .beneath = DONE},
	{NULL, "half the time … twice", SD_CELL_RATIO, AT(time), .kind = DONE},
	{NULL, "time with / without", SD_CELL_INTERVAL, AT(time), .kind = DONE, .decimals = 2, .unit = "x", .half = 1},
	{"cores", "cores", SD_CELL_COUNT, AT(cores), .kind = DONE},
	{"pairs", "pairs", SD_CELL_SIZE, AT(pairs), .kind = DONE},
	{"time_ratio", NULL, SD_CELL_INTERVAL, AT(time)},
	{"reference_time_ratio", NULL, SD_CELL_INTERVAL, AT(reference)},
	{"share", NULL, SD_CELL_INTERVAL, AT(loss)},
	{"cost_s", NULL, SD_CELL_REAL, AT(cost_s)},
	{"skipped", "why not", SD_CELL_TEXT, AT(skipped), .kind = LEFT_OUT},
	{"predicts", NULL, SD_CELL_ROWS, .make = make_predictions},
	{"seen", "seen", SD_CELL_TEXTS, AT(seen), .kind = DONE},
};
/* clang-format on */
static const struct sd_fact_table table =
	SD_FACT_TABLE(columns, struct sd_tested, .runs = pairs_of);

static int is_of_kind(const struct sd_fact_rows *rows, size_t i)
{
	const struct sd_tested *const t = tested_of(rows, i);

	return rows->kind == (t->pairs > 0 || t->seen.n > 0 || !t->skipped ? DONE : LEFT_OUT);
}

struct sd_fact_rows sd_facts_tested_table(const struct sd_analysis *a, int done)
{
	return (struct sd_fact_rows){.table = &table,
		.row = a->tested,
		.n = a->n_tested,
		.kind = done ? DONE : LEFT_OUT,
		.wanted = is_of_kind};
}

/* ---- counts that were predicted -------------------------------------------------------------- */

/* The envelope is of laws, not of runs: it is there whatever their number. */
static size_t many(const void *row)
{
	(void)row;
	return 2;
}

static void make_speedup(const struct sd_fact_rows *rows, size_t i, struct sd_cell *out)
{
	const struct sd_predicted *const p = sd_fact_row(rows, i);
	char low[32], high[32];

	sd_interval_text_number(low, sizeof low, p->speedup.low, 2);
	sd_interval_text_number(high, sizeof high, p->speedup.high, 2);
	snprintf(out->made, sizeof out->made, "%s to %s%s", low, high,
		p->beyond ? " as if there were more of the same CPUs" : "");
	out->text = p->refused ? p->refused : out->made;
}

#undef AT
#define AT(member) .at = offsetof(struct sd_predicted, member)

/* clang-format off */
static const struct sd_fact_column predicted_columns[] = {
	{"cores", "cores", SD_CELL_COUNT, AT(cores)},
	{"speedup", NULL, SD_CELL_INTERVAL, AT(speedup)},
	{NULL, "speedup", SD_CELL_TEXT, .make = make_speedup},
	{"as_if_more_cpus", NULL, SD_CELL_FLAG, AT(beyond)},
	{"refused", NULL, SD_CELL_TEXT, AT(refused)},
};
/* clang-format on */
static const struct sd_fact_table predicted =
	SD_FACT_TABLE(predicted_columns, struct sd_predicted, .runs = many);

struct sd_fact_rows sd_facts_predicted_table(const struct sd_analysis *a)
{
	return (struct sd_fact_rows){
		.table = &predicted, .row = a->outlook.count, .n = a->outlook.n_count};
}
