#include "facts/facts.h"

#include "page/interval_text.h"

#define BAR 20u
#define BAR_LEAST 8u

/* Bits of `kind`: what a run is measured by. */
#define TIMES 1u
#define RATES 2u

#define AT(member) .at = offsetof(struct sd_point, member)

SD_FACT_ROW(struct sd_point, point_of)

static void make_amount(const struct sd_fact_rows *rows, size_t i, struct sd_cell *out)
{
	out->number = sd_interval_text_amount(rows->a, point_of(rows, i));
}

/* The reference is 1 by definition. */
static void make_speedup(const struct sd_fact_rows *rows, size_t i, struct sd_cell *out)
{
	out->number = point_of(rows, i)->speedup;
	out->runs = i ? out->runs : SD_INTERVAL_TEXT_EXACT;
}

static void make_efficiency(const struct sd_fact_rows *rows, size_t i, struct sd_cell *out)
{
	out->number = point_of(rows, i)->efficiency;
	out->runs = i ? out->runs : SD_INTERVAL_TEXT_EXACT;
}

/* clang-format off */
static const struct sd_fact_column columns[] = {
	{"cores", "cores", SD_CELL_COUNT, AT(cores)},
	{"n", NULL, SD_CELL_COUNT, AT(n)},
	{"runs", NULL, SD_CELL_SIZE, AT(runs)},
	{"runs_other", NULL, SD_CELL_SIZE, AT(runs_other)},
	{"runs_outlying", NULL, SD_CELL_SIZE, AT(runs_outlying)},
	{"wall_s", NULL, SD_CELL_INTERVAL, AT(wall)},
	{"speedup", NULL, SD_CELL_INTERVAL, AT(speedup)},
	{"efficiency", NULL, SD_CELL_INTERVAL, AT(efficiency)},
	{"parallelism", NULL, SD_CELL_INTERVAL, AT(parallelism)},
	{"karp_flatt", NULL, SD_CELL_INTERVAL, AT(karp_flatt)},
	{NULL, "wall s", SD_CELL_INTERVAL, .make = make_amount, .kind = TIMES, .decimals = SD_FACT_OF_ROWS, .half = 1, .half_head = "±95 %"},
	{NULL, "work/s", SD_CELL_INTERVAL, .make = make_amount, .kind = RATES, .decimals = SD_FACT_OF_ROWS, .half = 1, .half_head = "±95 %"},
	{NULL, "speedup", SD_CELL_INTERVAL, .make = make_speedup, .decimals = 2, .half = 1, .half_optional = 1},
	{NULL, "efficiency", SD_CELL_INTERVAL, .make = make_efficiency, .factor = 100, .unit = " %", .half_decimals = 1, .half = 1},
	{NULL, "active cores", SD_CELL_INTERVAL, AT(parallelism), .decimals = 2, .half = 1, .optional = 2, .half_optional = 2, .sparse = 1, .not_in = SD_IN_MARKDOWN},
	{NULL, "runs", SD_CELL_SIZE, AT(runs), .not_in = SD_IN_TEXT | SD_IN_MARKDOWN},
	{NULL, "", SD_CELL_BAR, AT(efficiency.value), .width = BAR},
};
/* clang-format on */
static const struct sd_fact_table table = SD_FACT_TABLE(columns, struct sd_point,
	.runs_at = offsetof(struct sd_point, runs) + 1, .tail = 2 + BAR_LEAST);

/* The first, the last, and as many others at even distances. */
static int is_picked(const struct sd_fact_rows *rows, size_t i)
{
	if (rows->most < 2 || rows->n <= rows->most)
		return 1;
	for (size_t k = 0; k < rows->most; k++)
		if (k * (rows->n - 1) / (rows->most - 1) == i)
			return 1;
	return 0;
}

struct sd_fact_rows sd_facts_points_table(const struct sd_analysis *a, size_t most)
{
	return (struct sd_fact_rows){.table = &table,
		.row = a->point,
		.n = a->n_point,
		.kind = a->work > 0 ? RATES : TIMES,
		.a = a,
		.decimals = sd_interval_text_decimals(a),
		.most = most,
		.wanted = is_picked};
}
