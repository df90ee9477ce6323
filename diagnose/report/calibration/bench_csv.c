#include "calibration/bench_report.h"

#include <errno.h>

#include "bench/profile_pick.h"
#include "render/render.h"

#define AT(member) .at = offsetof(struct sd_bench_row, member)

static void make_parameter(const struct sd_fact_rows *rows, size_t i, struct sd_cell *out)
{
	out->number = sd_fact_exact(((const struct sd_bench_row *)sd_fact_row(rows, i))->parameter);
	out->runs = 1;
}

static void make_status(const struct sd_fact_rows *rows, size_t i, struct sd_cell *out)
{
	out->text = sd_status_name(((const struct sd_bench_row *)sd_fact_row(rows, i))->status);
}

static const struct sd_fact_column columns[] = {
	{"kernel", NULL, SD_CELL_TEXT, AT(kernel)},
	{"variant", NULL, SD_CELL_CHARS, AT(variant)},
	{"cores", NULL, SD_CELL_COUNT, AT(cores)},
	{"cpus", NULL, SD_CELL_CHARS, AT(cpus)},
	{"parameter", NULL, SD_CELL_REAL, .make = make_parameter},
	{"parameter_unit", NULL, SD_CELL_TEXT, AT(parameter_unit)},
	{"unit", NULL, SD_CELL_TEXT, AT(unit)},
	{"state", NULL, SD_CELL_COUNT, AT(state)},
	{"samples", NULL, SD_CELL_SIZE, AT(n)},
	{"dropped", NULL, SD_CELL_SIZE, AT(dropped)},
	{"median", NULL, SD_CELL_REAL, AT(median)},
	{"q1", NULL, SD_CELL_REAL, AT(q1)},
	{"q3", NULL, SD_CELL_REAL, AT(q3)},
	{"low", NULL, SD_CELL_REAL, AT(low)},
	{"high", NULL, SD_CELL_REAL, AT(high)},
	{"status", NULL, SD_CELL_TEXT, .make = make_status},
	{"why", NULL, SD_CELL_CHARS, AT(why)},
};

static int has(const void *row)
{
	return sd_bench_row_has(row);
}

static const struct sd_fact_table table = SD_FACT_TABLE(columns, struct sd_bench_row, .has = has);

int sd_bench_csv(FILE *f, const struct sd_profile *p)
{
	sd_render_csv(f, &(struct sd_fact_rows){
				 .table = &table, .row = p->rows.row, .n = p->rows.n, .runs = 1});
	return fflush(f) != 0 || ferror(f) ? -EIO : 0;
}
