#include "facts/facts_layout.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "analysis/code_place.h"
#include "analysis/line_memory.h"

#define AT(member) .at = offsetof(struct sd_layout_fact, member)

/* clang-format off */
static const struct sd_fact_column columns[] = {
	{"bytes", "bytes", SD_CELL_CHARS, AT(bytes)},
	{"member", "member", SD_CELL_CHARS, AT(name)},
	{"access", "did", SD_CELL_TEXT, AT(did)},
	{"threads", "by", SD_CELL_CHARS, AT(threads)},
	{"share", "about", SD_CELL_VALUE, AT(share), .factor = 100, .unit = " %", .width = 6},
	{"code", "code", SD_CELL_CHARS, AT(code), .layout = SD_LAYOUT_TAIL},
};
/* clang-format on */
static const struct sd_fact_table table = SD_FACT_TABLE(columns, struct sd_layout_fact, .tail = 0);

static void put_code(
	const struct sd_stacks *s, const struct sd_layout_row *r, char *out, size_t size)
{
	const unsigned writes = r->writers ? r->writer : 0, reads = r->readers ? r->reader : 0;
	char writer[256], reader[256];

	out[0] = '\0';
	if (writes)
		sd_code_place_text(s, writes, writer, sizeof writer);
	if (reads)
		sd_code_place_text(s, reads, reader, sizeof reader);
	if (writes && reads)
		snprintf(out, size, "written by %s, read by %s", writer, reader);
	else if (writes || reads)
		snprintf(out, size, "%s by %s", writes ? "written" : "read",
			writes ? writer : reader);
}

int sd_facts_layout_make(const struct sd_record *r, const struct sd_line_view *v, unsigned bytes,
	struct sd_layout_facts *out)
{
	struct sd_line_layout *const l = malloc(sizeof *l);

	*out = (struct sd_layout_facts){0};
	if (!l)
		return -ENOMEM;
	sd_line_layout_make(v, bytes, l);
	out->row = calloc(l->n_row + 1, sizeof *out->row);
	for (size_t i = 0; out->row && i < l->n_row; i++) {
		const struct sd_layout_row *const from = &l->row[i];
		struct sd_layout_fact *const to = &out->row[out->n++];
		char text[96];

		snprintf(to->bytes, sizeof to->bytes, "%s",
			sd_line_memory_bytes(from->mask, bytes, text, sizeof text));
		sd_line_layout_name(&r->stacks, from, to->name, sizeof to->name);
		to->did = from->writers ? from->readers ? "rw" : "w" : from->readers ? "r" : "";
		sd_line_layout_threads(from, to->threads, sizeof to->threads);
		to->share = from->share;
		put_code(&r->stacks, from, to->code, sizeof to->code);
	}
	if (out->row && l->n_row) {
		sd_line_layout_type(&r->stacks, l->row->object, out->type, sizeof out->type);
		sd_line_layout_after(&r->stacks, l, out->after, sizeof out->after);
	}
	free(l);
	return out->row ? 0 : -ENOMEM;
}

void sd_facts_layout_free(struct sd_layout_facts *l)
{
	free(l->row);
	*l = (struct sd_layout_facts){0};
}

struct sd_fact_rows sd_facts_layout_table(const struct sd_layout_facts *l)
{
	return (struct sd_fact_rows){.table = &table, .row = l->row, .n = l->n, .runs = 1};
}
