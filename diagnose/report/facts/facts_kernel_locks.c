#include "facts/facts.h"

#include <stdio.h>

#include "analysis/code_place.h"
#include "record/record.h"

#define SHOWN 0.005 /* threads that wait, on average: less prints as 0.00 */
#define ROWS 4u     /* of a short report */
#define MANY .99    /* of the waits: nearly all */

SD_FACT_ROW(struct sd_kernel_lock_mean, row_of)

static void make_where(const struct sd_fact_rows *rows, size_t i, struct sd_cell *out)
{
	const struct sd_record *const r = rows->whole;
	const unsigned node = row_of(rows, i)->node;

	if (node)
		sd_code_place_text(&r->stacks, node, out->made, sizeof out->made);
	out->text = node ? out->made : NULL;
}

static void make_waiter(const struct sd_fact_rows *rows, size_t i, struct sd_cell *out)
{
	const struct sd_kernel_lock_mean *const l = row_of(rows, i);
	struct sd_cell where = {0};

	make_where(rows, i, &where);
	snprintf(out->made, sizeof out->made, "waits in %.30s%s%.80s",
		*l->call ? l->call : "an unknown call", where.text ? ", at " : "",
		where.text ? where.text : "");
	out->text = out->made;
}

static void make_holder(const struct sd_fact_rows *rows, size_t i, struct sd_cell *out)
{
	const struct sd_kernel_lock_mean *const l = row_of(rows, i);

	snprintf(out->made, sizeof out->made, "held meanwhile in %.100s", l->held);
	out->text = *l->held ? out->made : "holder not seen: no wake-up ended the wait";
}

#define AT(member) .at = offsetof(struct sd_kernel_lock_mean, member)

/* clang-format off */
static const struct sd_fact_column columns[] = {
	{"name", "kernel lock", SD_CELL_TEXT, AT(name), .layout = SD_LAYOUT_BELOW},
	{"call", NULL, SD_CELL_TEXT, AT(call)},
	{"held", NULL, SD_CELL_TEXT, AT(held), .empty_is_none = 1},
	{"where", NULL, SD_CELL_TEXT, .make = make_where},
	{"waits", "waits", SD_CELL_REAL, AT(waits), .width = 9},
	{"wait_s", "waited s", SD_CELL_REAL, AT(wait_s), .decimals = 3, .width = 10},
	{"slept_s", "slept s", SD_CELL_REAL, AT(slept_s), .decimals = 3, .width = 10, .optional = 1},
	{NULL, "longest ms", SD_CELL_REAL, AT(longest_s), .factor = 1e3, .decimals = 1, .width = 12},
	{"longest_s", NULL, SD_CELL_REAL, AT(longest_s)},
	{"cores", "threads", SD_CELL_REAL, AT(cores), .decimals = 2, .width = 9},
	{"cores_at_least", "at fewest cores", SD_CELL_VALUE, AT(at_least), .decimals = 2, .width = 17, .optional = 1},
	{NULL, "waiter", SD_CELL_TEXT, .make = make_waiter, .layout = SD_LAYOUT_BELOW},
	{NULL, "holder", SD_CELL_TEXT, .make = make_holder, .layout = SD_LAYOUT_BELOW},
};
/* clang-format on */
static const struct sd_fact_table table = SD_FACT_TABLE(columns, struct sd_kernel_lock_mean, );

struct sd_fact_rows sd_facts_kernel_lock_table(
	const struct sd_record *r, const struct sd_kernel_lock_means *m)
{
	return (struct sd_fact_rows){
		.table = &table, .row = m->row, .n = m->n_row, .runs = m->runs, .whole = r};
}

static void say_missing(struct sd_document *b, const struct sd_kernel_lock_means *m)
{
	if (m->status == SD_STATUS_ABSENT || !b->all)
		return;
	sd_document_title(b, "kernel-locks", "Kernel locks that threads waited for", NULL);
	sd_document_say(b, SD_BLOCK_DOUBT, "Not measured (%s): %s", sd_status_name(m->status),
		m->status == SD_STATUS_DENIED
			? "that takes programs in the kernel (BPF), for root or with the "
			  "capabilities CAP_BPF and CAP_PERFMON."
			: "that takes Linux 5.19 or later with a description of its types (BTF), "
			  "outside of a PID namespace.");
	sd_document_end(b);
}

void sd_facts_kernel_locks(struct sd_document *b, const struct sd_record *r)
{
	struct sd_kernel_lock_means m;
	struct sd_fact_rows rows;
	size_t worth = 0;

	sd_kernel_lock_means_of(r, &m);
	if (m.status != SD_STATUS_OK) {
		say_missing(b, &m);
		return;
	}
	while (worth < m.n_row && m.row[worth].cores >= SHOWN)
		worth++;
	rows = sd_facts_kernel_lock_table(r, &m);
	rows.n = b->all ? rows.n : worth < ROWS ? worth : ROWS;
	if (!rows.n)
		return;
	sd_document_title(b, "kernel-locks", "Kernel locks that threads waited for",
		"a run at %u cores; threads: how many wait on average", m.cores);
	sd_document_table(b, &rows);
	if (m.recorded < MANY * m.waits)
		sd_document_say(b, SD_BLOCK_NOTE,
			"%.0f %% of these waits were timed, the others are taken to be as long",
			100 * m.recorded / m.waits);
	if (m.n_seen > rows.n)
		sd_document_say(b, SD_BLOCK_NOTE, "%zu more, each for less", m.n_seen - rows.n);
	sd_document_end(b);
}
