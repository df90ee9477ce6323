#include "facts/facts.h"

#include <stdio.h>

#include "page/interval_text.h"

/* Makes the cell of the value, and between what it lies. */
static void make_cores(const struct sd_fact_rows *rows, size_t i, struct sd_cell *out)
{
	const struct sd_interval v = ((const struct sd_finding *)sd_fact_row(rows, i))->cores;
	char value[32], range[80];

	sd_interval_text_number(value, sizeof value, v.value, 2);
	sd_interval_text_range(range, sizeof range, v, &rows->a->point[rows->a->n_point - 1], 2);
	snprintf(out->made, sizeof out->made, "%s %s", value, range);
	out->text = sd_status_measured(v) ? out->made : "unknown";
}

#define AT(member) .at = offsetof(struct sd_finding, member)
#define CAUSE(member) .names = &sd_cause_info[0].member, .stride = sizeof *sd_cause_info

/* No advice on pages: most of these causes are not the program's. */
/* clang-format off */
static const struct sd_fact_column columns[] = {
	{"cause", NULL, SD_CELL_NAME, AT(cause), CAUSE(name), .attribute = "data-cause"},
	{NULL, "cause", SD_CELL_NAME, AT(cause), CAUSE(label)},
	{"verdict", NULL, SD_CELL_NAME, AT(verdict), .names = sd_verdict_name, .attribute = "data-verdict"},
	{NULL, "verdict", SD_CELL_NAME, AT(verdict), .names = sd_verdict_label},
	{"of_growth", NULL, SD_CELL_FLAG, AT(of_growth)},
	{"contradicted", NULL, SD_CELL_FLAG, AT(contradicted)},
	{"cores", NULL, SD_CELL_INTERVAL, AT(cores)},
	{NULL, "cores", SD_CELL_TEXT, .make = make_cores},
	{"share", NULL, SD_CELL_INTERVAL, AT(share)},
	{"worth", NULL, SD_CELL_INTERVAL, AT(worth)},
	{"evidence", "evidence", SD_CELL_TEXTS, AT(evidence)},
	{"where", NULL, SD_CELL_PLACES, AT(where), .n_at = offsetof(struct sd_finding, n_where)},
	{"advice", NULL, SD_CELL_TEXTS, AT(advice)},
	{"next", "what would decide it", SD_CELL_TEXT, AT(next)},
};
/* clang-format on */
static const struct sd_fact_table table = SD_FACT_TABLE(columns, struct sd_finding, );

struct sd_fact_rows sd_facts_finding_table(const struct sd_analysis *a, const char *folder)
{
	return (struct sd_fact_rows){.table = &table,
		.row = a->finding,
		.n = a->n_point ? SD_CAUSE_COUNT : 0,
		.runs = a->n_point ? a->point[a->n_point - 1].runs : 0,
		.a = a,
		.folder = folder};
}
