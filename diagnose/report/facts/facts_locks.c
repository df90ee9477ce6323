#include "facts/facts.h"

#define SHOWN 0.005 /* cores: less prints as 0.00 */

#define AT(member) .at = offsetof(struct sd_lock_row, member)

static void make_name(const struct sd_fact_rows *rows, size_t i, struct sd_cell *out)
{
	const struct sd_lock_row *const l = sd_fact_row(rows, i);

	out->text = l->name ? l->name : "a lock without a name";
}

/* clang-format off */
static const struct sd_fact_column columns[] = {
	{"name", NULL, SD_CELL_TEXT, AT(name)},
	{NULL, "lock", SD_CELL_TEXT, .make = make_name, .layout = SD_LAYOUT_BELOW},
	{"kind", "kind", SD_CELL_TEXT, AT(kind), .layout = SD_LAYOUT_TAIL},
	{"waits", "waits", SD_CELL_REAL, AT(waits), .width = 9},
	{"wait_s", "waited s", SD_CELL_REAL, AT(wait_s), .decimals = 3, .width = 10},
	{NULL, "longest ms", SD_CELL_REAL, AT(longest_s), .factor = 1e3, .decimals = 1, .width = 12},
	{"longest_s", NULL, SD_CELL_REAL, AT(longest_s)},
	{"cores", "cores", SD_CELL_INTERVAL, AT(cores), .decimals = 2, .width = 7, .half = 6},
	{"conflict", "contended", SD_CELL_VALUE, AT(conflict), .factor = 100, .unit = " %", .width = 10, .optional = 1},
	{"busy", "util", SD_CELL_VALUE, AT(busy), .factor = 100, .unit = " %", .width = 7, .optional = 1},
	{"holders", "holder", SD_CELL_PLACES, AT(holder), .n_at = offsetof(struct sd_lock_row, n_holder), .factor = 100, .layout = SD_LAYOUT_BELOW, .most = 2},
	{"waiters", "waiter", SD_CELL_PLACES, AT(waiter), .n_at = offsetof(struct sd_lock_row, n_waiter), .factor = 100, .layout = SD_LAYOUT_BELOW, .most = 1},
};
/* clang-format on */
static const struct sd_fact_table table = SD_FACT_TABLE(columns, struct sd_lock_row, .tail = 17);

struct sd_fact_rows sd_facts_lock_table(const struct sd_analysis *a, const char *folder)
{
	return (struct sd_fact_rows){.table = &table,
		.row = a->lock,
		.n = a->n_lock,
		.runs = a->n_point ? a->point[a->n_point - 1].runs : 0,
		.a = a,
		.folder = folder};
}

void sd_facts_locks(
	struct sd_document *b, const struct sd_analysis *a, const char *folder, size_t most)
{
	struct sd_fact_rows rows = sd_facts_lock_table(a, folder);

	if (!b->all)
		for (rows.n = 0; rows.n < a->n_lock && rows.n < most; rows.n++)
			if (a->lock[rows.n].cores.value < SHOWN)
				break;
	if (!rows.n)
		return;
	sd_document_title(b, "locks", "Locks that threads waited for", "a run at %u cores%s",
		a->point[a->n_point - 1].cores,
		a->sampling.unwatched > 0 ? "; estimated, and the longest of what was seen" : "");
	sd_document_picture(b, "locks", a);
	sd_document_table(b, &rows);
	if (a->n_lock_seen > rows.n)
		sd_document_say(b, SD_BLOCK_NOTE, "%zu more locks were waited for, each for less",
			a->n_lock_seen - rows.n);
	sd_document_end(b);
}
