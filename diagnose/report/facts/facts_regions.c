#include "facts/facts.h"

#include <stdio.h>

/* Bits of `kind`. */
#define IF_MARKED (1u << SD_REGION_MARKED)
#define IF_OPENMP (1u << SD_REGION_OPENMP)

#define AT(member) .at = offsetof(struct sd_region_point, member)

/* clang-format off */
static const struct sd_fact_column point_columns[] = {
	{"cores", "cores", SD_CELL_COUNT, AT(cores), .width = 9},
	{"runs", NULL, SD_CELL_SIZE, AT(runs)},
	{"entries", "entries", SD_CELL_REAL, AT(entries), .width = 9},
	{"elapsed_s", "elapsed s", SD_CELL_INTERVAL, AT(elapsed), .decimals = 3, .width = 11, .half = 6, .half_optional = 1},
	{NULL, "time", SD_CELL_REAL, AT(share), .kind = IF_MARKED, .factor = 100, .unit = " %", .width = 7},
	{NULL, "speedup", SD_CELL_INTERVAL, AT(speedup), .kind = IF_MARKED, .decimals = 2, .width = 9},
	{NULL, "effic.", SD_CELL_INTERVAL, AT(efficiency), .kind = IF_MARKED, .factor = 100, .unit = " %", .width = 8},
	{"speedup", NULL, SD_CELL_INTERVAL, AT(speedup)},
	{"efficiency", NULL, SD_CELL_INTERVAL, AT(efficiency)},
	{"threads", "threads", SD_CELL_REAL, AT(threads), .decimals = 1, .width = 9},
	{"threads_least", NULL, SD_CELL_COUNT, AT(least)},
	{"threads_most", NULL, SD_CELL_COUNT, AT(most)},
	{"cores_used", "used", SD_CELL_VALUE, AT(used), .kind = IF_MARKED, .decimals = 2, .width = 7},
	{"cores_lost", "lost", SD_CELL_VALUE, AT(lost), .kind = IF_MARKED, .decimals = 2, .width = 7},
	{"share", NULL, SD_CELL_REAL, AT(share)},
	{"ideal_s", "ideal", SD_CELL_REAL, AT(ideal), .kind = IF_OPENMP, .key_kind = IF_OPENMP, .decimals = 3, .width = 8},
	{"gain_s", "gain", SD_CELL_REAL, AT(gain), .kind = IF_OPENMP, .key_kind = IF_OPENMP, .decimals = 3, .width = 8},
	{"imbalance_s", "imbal.", SD_CELL_REAL, AT(imbalance), .kind = IF_OPENMP, .key_kind = IF_OPENMP, .decimals = 3, .width = 8},
	{"lock_s", "lock", SD_CELL_REAL, AT(lock), .kind = IF_OPENMP, .key_kind = IF_OPENMP, .decimals = 3, .width = 7},
	{"scheduling_s", "sched.", SD_CELL_REAL, AT(scheduling), .kind = IF_OPENMP, .key_kind = IF_OPENMP, .decimals = 3, .width = 7},
	{"barrier_s", "barrier", SD_CELL_REAL, AT(barrier), .kind = IF_OPENMP, .key_kind = IF_OPENMP, .decimals = 3, .width = 8},
	{"serial_before_s", "before", SD_CELL_REAL, AT(serial), .kind = IF_OPENMP, .key_kind = IF_OPENMP, .decimals = 3, .width = 8},
	{"tasks", NULL, SD_CELL_REAL, AT(tasks), .key_kind = IF_OPENMP},
	{"nested", NULL, SD_CELL_REAL, AT(nested), .key_kind = IF_OPENMP},
	{"undivided", NULL, SD_CELL_REAL, AT(whole), .key_kind = IF_OPENMP},
};
/* clang-format on */

static const struct sd_fact_table points = SD_FACT_TABLE(point_columns, struct sd_region_point,
	.runs_at = offsetof(struct sd_region_point, runs) + 1);

SD_FACT_ROW(struct sd_region_row, row_of)

static const char *const kind_name[SD_REGION_KIND_COUNT] = {
#define X(id, name) [SD_REGION_##id] = name,
	SD_REGION_KINDS(X)
#undef X
};

static void make_points(const struct sd_fact_rows *rows, size_t i, struct sd_cell *out)
{
	const struct sd_region_row *const r = row_of(rows, i);

	out->table = (struct sd_fact_rows){
		.table = &points, .row = r->point, .n = r->n_point, .kind = 1u << r->kind};
}

static void make_tasks(const struct sd_fact_rows *rows, size_t i, struct sd_cell *out)
{
	const struct sd_region_row *const r = row_of(rows, i);
	const struct sd_region_point *const last = &r->point[r->n_point - 1];

	if (r->kind != SD_REGION_OPENMP || (!(last->tasks > 0) && !(last->nested > 0)))
		return;
	snprintf(out->made, sizeof out->made,
		"%.0f tasks; %.0f of %.0f entries from inside another region", last->tasks,
		last->nested, last->entries);
	out->text = out->made;
}

static const struct sd_fact_column region_columns[] = {
	{"kind", NULL, SD_CELL_NAME, .at = offsetof(struct sd_region_row, kind),
		.names = kind_name},
	{"name", "region", SD_CELL_TEXT, .at = offsetof(struct sd_region_row, name)},
	{"points", "points", SD_CELL_ROWS, .make = make_points},
	{NULL, "tasks", SD_CELL_TEXT, .make = make_tasks, .layout = SD_LAYOUT_BELOW},
	{"notes", "notes", SD_CELL_TEXTS, .at = offsetof(struct sd_region_row, notes),
		.layout = SD_LAYOUT_BELOW},
};
static const struct sd_fact_table regions = SD_FACT_TABLE(region_columns, struct sd_region_row, );

struct sd_fact_rows sd_facts_region_table(const struct sd_analysis *a)
{
	return (struct sd_fact_rows){
		.table = &regions, .row = a->regions.row, .n = a->regions.n_row, .a = a};
}

static int is_marked(const struct sd_fact_rows *rows, size_t i)
{
	return row_of(rows, i)->kind == SD_REGION_MARKED;
}

static int is_openmp(const struct sd_fact_rows *rows, size_t i)
{
	return row_of(rows, i)->kind == SD_REGION_OPENMP;
}

void sd_facts_regions(struct sd_document *b, const struct sd_analysis *a)
{
	const struct sd_region_losses *const l = &a->regions;
	struct sd_fact_rows rows = sd_facts_region_table(a);
	static const struct {
		int (*wanted)(const struct sd_fact_rows *rows, size_t i);
		const char *id, *title, *more;
	} part[] = {
		{is_marked, "regions", "Regions that the program marks",
			"lost: cores of the whole run"},
		{is_openmp, "openmp-regions", "OpenMP regions",
			"s a run; gain: elapsed less ideal; before: serial, ahead of it"},
	};

	if (l->n_row)
		sd_document_end(b);
	for (size_t i = 0; i < sizeof part / sizeof *part; i++) {
		rows.wanted = part[i].wanted;
		if (sd_fact_any(&rows))
			sd_document_title(b, part[i].id, part[i].title, "%s", part[i].more);
		sd_document_groups(b, &rows);
	}
	sd_document_texts(b, SD_BLOCK_NOTE, &l->notes);
	if (l->n_seen > l->n_row)
		sd_document_say(
			b, SD_BLOCK_NOTE, "%zu more regions, of less time", l->n_seen - l->n_row);
	if (l->n_row)
		sd_document_end(b);
}
