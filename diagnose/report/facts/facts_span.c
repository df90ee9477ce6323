#include "facts/facts.h"

#define AT(member) .at = offsetof(struct sd_span_point, member)

static const char *const state_name[SD_SPAN_STATE_COUNT] = {
#define X(id, name) [SD_SPAN_##id] = name,
	SD_SPAN_STATES(X)
#undef X
};

/* clang-format off */
static const struct sd_fact_column columns[] = {
	{"cores", "from runs at", SD_CELL_COUNT, AT(cores), .width = 12},
	{"runs", NULL, SD_CELL_SIZE, AT(runs)},
	{"state", NULL, SD_CELL_NAME, AT(state), .names = state_name},
	{"tasks", "tasks", SD_CELL_REAL, AT(tasks), .width = 9},
	{"work_s", "work s", SD_CELL_INTERVAL, AT(work), .decimals = 3, .width = 9},
	{"span_s", "span s", SD_CELL_INTERVAL, AT(span), .decimals = 4, .width = 9},
	{"parallelism", "work/span", SD_CELL_INTERVAL, AT(parallelism), .decimals = 1, .width = 10},
	{"greedy_16", "greedy on 16", SD_CELL_INTERVAL, AT(greedy[SD_SPAN_AT_16]), .decimals = 1, .unit = "x", .width = 13},
	{"limit_16", "at most", SD_CELL_INTERVAL, AT(limit[SD_SPAN_AT_16]), .decimals = 1, .unit = "x", .width = 8},
	{"greedy_64", "greedy on 64", SD_CELL_INTERVAL, AT(greedy[SD_SPAN_AT_64]), .decimals = 1, .unit = "x", .width = 13},
	{"limit_64", "at most", SD_CELL_INTERVAL, AT(limit[SD_SPAN_AT_64]), .decimals = 1, .unit = "x", .width = 8},
};
/* clang-format on */
static const struct sd_fact_table points = SD_FACT_TABLE(
	columns, struct sd_span_point, .runs_at = offsetof(struct sd_span_point, runs) + 1);

struct sd_fact_rows sd_facts_span_table(const struct sd_analysis *a)
{
	const struct sd_span_limits *const l = &a->regions.span;

	return (struct sd_fact_rows){.table = &points, .row = l->point, .n = l->n_point, .a = a};
}

void sd_facts_span(struct sd_document *b, const struct sd_analysis *a)
{
	const struct sd_span_limits *const l = &a->regions.span;
	const struct sd_fact_rows rows = sd_facts_span_table(a);

	if (!l->notes.n)
		return;
	sd_document_end(b);
	sd_document_title(b, "task-span", "What the algorithm allows",
		"OpenMP tasks: s of CPU time, and speedups");
	if (l->state == SD_SPAN_TOLD)
		sd_document_table(b, &rows);
	sd_document_texts(b, SD_BLOCK_NOTE, &l->notes);
	sd_document_end(b);
}
