#include "facts/facts.h"

#define MS .factor = 1e3, .decimals = 3

#define AT(member) .at = offsetof(struct sd_slow_part, member)

#define PART_NAMES(m) .names = &sd_request_part_info[0].m, .stride = sizeof *sd_request_part_info

/* clang-format off */
static const struct sd_fact_column part_columns[] = {
	{"part", NULL, SD_CELL_NAME, AT(part), PART_NAMES(name)},
	{NULL, "ms a request", SD_CELL_NAME, AT(part), PART_NAMES(label), .width = 26},
	{"slow_s", "slowest 1 %", SD_CELL_INTERVAL, AT(slow), MS, .width = 12},
	{"typical_s", "typical", SD_CELL_INTERVAL, AT(typical), MS, .width = 9},
	{"more_s", "more", SD_CELL_INTERVAL, AT(more), MS, .width = 9, .half = 7, .half_optional = 1},
	{"share", "share", SD_CELL_REAL, AT(share), .factor = 100, .unit = " %", .width = 7},
	{"place", NULL, SD_CELL_TEXT, AT(place)},
};
/* clang-format on */
static const struct sd_fact_table parts = SD_FACT_TABLE(part_columns, struct sd_slow_part, );

SD_FACT_ROW(struct sd_slow_point, point_of)

static struct sd_fact_rows parts_of(const struct sd_slow_point *p)
{
	return (struct sd_fact_rows){
		.table = &parts, .row = p->part, .n = p->n_part, .runs = p->runs};
}

static void make_parts(const struct sd_fact_rows *rows, size_t i, struct sd_cell *out)
{
	out->table = parts_of(point_of(rows, i));
}

#undef AT
#define AT(member) .at = offsetof(struct sd_slow_point, member)

/* clang-format off */
static const struct sd_fact_column point_columns[] = {
	{"cores", NULL, SD_CELL_COUNT, AT(cores)},
	{"runs", NULL, SD_CELL_SIZE, AT(runs)},
	{"requests", NULL, SD_CELL_REAL, AT(requests)},
	{"p50_s", NULL, SD_CELL_INTERVAL, AT(p50)},
	{"p99_s", NULL, SD_CELL_INTERVAL, AT(p99)},
	{"more_s", NULL, SD_CELL_INTERVAL, AT(more)},
	{"known", NULL, SD_CELL_REAL, AT(known)},
	{NULL, "requests", SD_CELL_TEXT, AT(name)},
	{"parts", "parts", SD_CELL_ROWS, .make = make_parts},
	{"notes", "notes", SD_CELL_TEXTS, AT(notes), .layout = SD_LAYOUT_BELOW},
};
/* clang-format on */
static const struct sd_fact_table points = SD_FACT_TABLE(
	point_columns, struct sd_slow_point, .runs_at = offsetof(struct sd_slow_point, runs) + 1);

struct sd_fact_rows sd_facts_request_table(const struct sd_analysis *a)
{
	const struct sd_slow_requests *const s = &a->regions.requests;

	return (struct sd_fact_rows){.table = &points, .row = s->point, .n = s->n_point, .a = a};
}

struct sd_fact_rows sd_facts_request_parts(const struct sd_analysis *a)
{
	const struct sd_slow_requests *const s = &a->regions.requests;

	return s->n_point ? parts_of(&s->point[s->n_point - 1])
			  : (struct sd_fact_rows){.table = &parts};
}

void sd_facts_requests(struct sd_document *b, const struct sd_analysis *a)
{
	const struct sd_slow_requests *const s = &a->regions.requests;
	const struct sd_fact_rows rows = sd_facts_request_table(a);

	if (!s->region)
		return;
	sd_document_end(b);
	sd_document_title(b, "slow-requests", "Slow requests", "region '%s'", s->region);
	sd_document_groups(b, &rows);
	sd_document_texts(b, SD_BLOCK_DOUBT, &s->notes);
	sd_document_end(b);
}
