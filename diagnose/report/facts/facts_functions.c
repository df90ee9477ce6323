#include "facts/facts_functions.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "page/interval_text.h"

#define SHOWN .005 /* cores: less prints as 0.00 */

/* Bits of `kind`: what is told of a function. */
#define LOST 1u  /* against the smallest count */
#define WHOLE 2u /* of the one count */
#define COSTS 4u /* by what its loss is */
#define FLAT 8u  /* of its own instructions, and of all it calls */

SD_FACT_ROW(struct sd_loss_row, row_of)

/* A sum has no interval, and its name is no function's. */
static int is_sum(const struct sd_fact_rows *rows, size_t i)
{
	return row_of(rows, i)->at.share < 0;
}

static void make_total(const struct sd_fact_rows *rows, size_t i, struct sd_cell *out)
{
	out->number = row_of(rows, i)->total;
	out->runs = is_sum(rows, i) ? SD_INTERVAL_TEXT_EXACT : out->runs;
}

static void make_place(const struct sd_fact_rows *rows, size_t i, struct sd_cell *out)
{
	const struct sd_where *const at = &row_of(rows, i)->at;

	out->text = is_sum(rows, i) ? at->function : NULL;
	out->place = at;
	out->n = 1;
}

#define AT(member) .at = offsetof(struct sd_loss_row, member)
#define TOTAL \
	SD_CELL_INTERVAL, .make = make_total, .decimals = 2, .sparse = 1, .width = 7, .half = 6
#define OWN SD_CELL_INTERVAL, .kind = FLAT, .decimals = 2, .sparse = 1, .half = 6
#define NAME SD_CELL_PLACES, .make = make_place, .layout = SD_LAYOUT_TAIL, .not_in = SD_IN_HTML

/* clang-format off */
static const struct sd_fact_column cost_columns[] = {
#define X(id, name, head) {name, NULL, SD_CELL_REAL, AT(cost[SD_COST_##id])},
	SD_COSTS(X)
#undef X
};
static const struct sd_fact_table cost_table = SD_FACT_TABLE(cost_columns, struct sd_loss_row, );

static const struct sd_fact_column columns[] = {
	{"in", NULL, SD_CELL_TEXT, AT(at.in)},
	{"from", NULL, SD_CELL_TEXT, AT(at.from)},
	{"own", NULL, SD_CELL_FLAG, AT(own)},
	{NULL, "function", SD_CELL_PLACES, .make = make_place, .not_in = SD_IN_TEXT},
	{"cores", NULL, SD_CELL_INTERVAL, AT(total)},
	{NULL, "lost", TOTAL, .kind = LOST},
	{NULL, "cores", TOTAL, .kind = WHOLE},
	{"components", NULL, SD_CELL_ROW, .rows = &cost_table},
	{"exclusive", "itself", OWN, AT(exclusive), .width = 8},
	{"inclusive", "all it calls", OWN, AT(inclusive), .width = 15},
#define X(id, name, head) {NULL, head, SD_CELL_REAL, AT(cost[SD_COST_##id]), .kind = COSTS, .decimals = 2, .sparse = 1, .width = 7},
	SD_COSTS(X)
#undef X
	{NULL, "function (hottest line)", NAME, .kind = LOST, .chain = 1},
	{NULL, "function (costliest line)", NAME, .kind = WHOLE, .chain = 1},
	{NULL, "function", NAME, .kind = FLAT},
};
/* clang-format on */
static const struct sd_fact_table table = SD_FACT_TABLE(columns, struct sd_loss_row, );

static int has_loss(const struct sd_fact_rows *rows, size_t i)
{
	const struct sd_interval v = row_of(rows, i)->total;

	return !sd_status_measured(v) || fabs(v.value) >= SHOWN;
}

struct sd_fact_rows sd_facts_function_table(const struct sd_analysis *a, const char *folder)
{
	return (struct sd_fact_rows){.table = &table,
		.row = a->losses.row,
		.n = a->losses.n_row,
		.runs = a->n_point ? a->point[a->n_point - 1].runs : 0,
		.kind = (a->n_point == 1 ? WHOLE : LOST) | COSTS | FLAT,
		.folder = folder,
		.wanted = has_loss};
}

static int has_cost(const double cost[SD_COST_COUNT])
{
	for (int k = 0; k < SD_COST_COUNT; k++)
		if (fabs(cost[k]) >= SHOWN)
			return 1;
	return 0;
}

/* Adds costs up in the row behind the others, if they are any. */
static void add_sum(struct sd_fact_rows *out, struct sd_loss_row *row,
	const double cost[SD_COST_COUNT], char *name)
{
	double sum = 0;

	if (!has_cost(cost))
		return;
	row[out->n] = (struct sd_loss_row){.at = {.function = name, .share = -1}};
	for (int k = 0; k < SD_COST_COUNT; k++)
		sum += row[out->n].cost[k] = cost[k];
	row[out->n++].total = sd_fact_exact(sum);
}

/* With a single kind of cost the total says it all. */
static unsigned kind_of_costs(const struct sd_fact_rows *rows)
{
	size_t n = 0;

	for (size_t k = 0; k < table.n_column; k++)
		n += columns[k].kind == COSTS && sd_fact_shown(rows, &columns[k], SD_IN_TEXT);
	return n > 1 ? COSTS : 0;
}

/* Rows of the caller's own; 0: out of memory. */
static int open_rows(struct sd_function_rows *out, const struct sd_analysis *a)
{
	out->row = calloc(a->losses.n_row + 2, sizeof *out->row);
	out->rows = sd_facts_function_table(a, NULL);
	out->rows.row = out->row;
	out->rows.n = 0;
	out->rows.wanted = NULL;
	return out->row != NULL;
}

int sd_facts_functions_lost(const struct sd_analysis *a, size_t most, struct sd_function_rows *out)
{
	const struct sd_losses *const l = &a->losses;
	double rest[SD_COST_COUNT];
	size_t more = 0;

	if (!open_rows(out, a))
		return -ENOMEM;
	memcpy(rest, l->rest, sizeof rest);
	for (size_t i = 0; i < l->n_row; i++) {
		const int has = has_cost(l->row[i].cost);

		if (has && out->rows.n < most) {
			out->row[out->rows.n++] = l->row[i];
			continue;
		}
		more += (size_t)has;
		for (int k = 0; k < SD_COST_COUNT; k++)
			rest[k] += l->row[i].cost[k];
	}
	if (more)
		snprintf(out->others, sizeof out->others, "(%zu more, see --long)", more);
	else
		snprintf(out->others, sizeof out->others, "(others)");
	snprintf(out->unknown, sizeof out->unknown, "(no stack)");
	add_sum(&out->rows, out->row, rest, out->others);
	add_sum(&out->rows, out->row, l->unknown, out->unknown);
	out->rows.kind = (out->rows.kind & (LOST | WHOLE)) | kind_of_costs(&out->rows);
	return 0;
}

int sd_facts_functions_flat(const struct sd_analysis *a, double least, struct sd_function_rows *out)
{
	if (!open_rows(out, a))
		return -ENOMEM;
	out->rows.kind = FLAT;
	for (size_t i = 0; i < a->losses.n_row; i++) {
		const struct sd_loss_row *const r = &a->losses.row[i];
		size_t k = out->rows.n;

		if (fabs(r->exclusive.value) < least)
			continue;
		for (; k && out->row[k - 1].exclusive.value < r->exclusive.value; k--)
			out->row[k] = out->row[k - 1];
		out->row[k] = *r;
		out->rows.n++;
	}
	return 0;
}
