#include "facts/facts_lines.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/code_place.h"
#include "analysis/line_memory.h"

#define MOST 16   /* lines of a source */
#define THREADS 3 /* whose bytes are told */
#define AT(member) .at = offsetof(struct sd_line_row, member)

/* clang-format off */
static const struct sd_fact_column columns[] = {
	{"from", "seen by", SD_CELL_TEXT, AT(from)},
	{"sharing", "sharing", SD_CELL_TEXT, AT(sharing)},
	{"share", "share", SD_CELL_REAL, AT(share), .factor = 100, .unit = " %", .width = 8},
	{"readers", "readers", SD_CELL_COUNT, AT(readers)},
	{"writers", "writers", SD_CELL_COUNT, AT(writers)},
	{"bytes", "bytes by thread", SD_CELL_CHARS, AT(bytes), .layout = SD_LAYOUT_TAIL},
	{"memory", "memory", SD_CELL_CHARS, AT(memory), .layout = SD_LAYOUT_BELOW},
	{"code", "code", SD_CELL_CHARS, AT(code), .layout = SD_LAYOUT_BELOW},
};
/* clang-format on */
static const struct sd_fact_table table = SD_FACT_TABLE(columns, struct sd_line_row, .tail = 0);

/* ---- rows ------------------------------------------------------------------------------------ */

static void put_memory(
	const struct sd_stacks *s, const struct sd_sim_contested *c, char *out, size_t size)
{
	const char *const name = sd_stacks_text_at(s, c->name);
	char site[256] = "";

	if (c->site)
		sd_code_place_callers(s, c->site, 1, site, sizeof site);
	if (!*name && !c->site)
		snprintf(out, size, "line 0x%" PRIx64, c->address);
	else
		snprintf(out, size, "%s%s%s", *name ? name : "memory",
			!c->site ? ""
			: *name  ? ", allocated in "
				 : " allocated in ",
			site);
}

/* "0: 0-7, 1: 8-15, and 2 more". */
static void put_bytes(const struct sd_contested_lines *l, const struct sd_sim_contested *c,
	char *out, size_t size)
{
	size_t used = 0, told = 0;
	char bytes[96];

	out[0] = '\0';
	for (; told < c->n_sharer && told < THREADS && used < size; told++) {
		const struct sd_sim_sharer *const t = &c->sharer[told];

		sd_line_memory_bytes(
			t->written ? t->written : t->read, l->bytes, bytes, sizeof bytes);
		used += (size_t)snprintf(
			out + used, size - used, "%s%u: %s", used ? "; " : "", t->thread, bytes);
	}
	if (c->n_sharer > told && used < size)
		snprintf(out + used, size - used, "; and %zu more", c->n_sharer - told);
}

static void put_row(const struct sd_record *r, const struct sd_contested_lines *l,
	const struct sd_line_view *v, struct sd_line_row *out)
{
	*out = (struct sd_line_row){.from = l->native      ? "own samples"
					    : l->simulated ? "simulation"
							   : "CPU samples",
		.sharing = sd_sim_sharing_name[v->line->sharing],
		.share = v->line->share,
		.readers = v->readers,
		.writers = v->writers};
	put_memory(&r->stacks, v->line, out->memory, sizeof out->memory);
	put_bytes(l, v->line, out->bytes, sizeof out->bytes);
	if (v->line->n_code)
		sd_code_place_text(&r->stacks, v->line->code[0].node, out->code, sizeof out->code);
}

/* Length of the object's name in "counters+0x40" and "heap block of 64 bytes at +8". */
static size_t stem(const char *name)
{
	const char *plus = strstr(name, "+0x");

	plus = plus ? plus : strstr(name, " at +");
	return plus && *name != '[' ? (size_t)(plus - name) : strlen(name);
}

static unsigned frame_of(const struct sd_stacks *s, unsigned node)
{
	return node && node < s->n_node ? s->node[node].frame + 1 : 0;
}

/* By who allocated them, else by the name. */
static int is_same(const struct sd_stacks *s, const struct sd_sim_contested *a,
	const struct sd_sim_contested *b)
{
	const char *const one = sd_stacks_text_at(s, a->name), *const two = sd_stacks_text_at(
								       s, b->name);

	if (a->site && b->site)
		return frame_of(s, a->site) == frame_of(s, b->site);
	return *one && stem(one) == stem(two) && strncmp(one, two, stem(one)) == 0;
}

static size_t told(const struct sd_contested_lines *l)
{
	return l->n_matter < MOST ? l->n_matter : MOST;
}

int sd_facts_lines_make(const struct sd_record *r, const struct sd_contested_lines *own,
	const struct sd_contested_lines *other, struct sd_line_rows *out)
{
	unsigned char used[MOST] = {0};

	*out = (struct sd_line_rows){.own = own, .other = other};
	if (!own || !own->native || !other || !other->run)
		return 0;
	out->row = calloc(told(own) + told(other) + 1, sizeof *out->row);
	if (!out->row)
		return -ENOMEM;
	for (size_t i = 0; i < told(own); i++) {
		put_row(r, own, &own->line[i], &out->row[out->n++]);
		for (size_t k = 0; k < told(other); k++) {
			if (used[k] || !is_same(&r->stacks, own->line[i].line, other->line[k].line))
				continue;
			used[k] = 1;
			put_row(r, other, &other->line[k], &out->row[out->n++]);
		}
	}
	for (size_t k = 0; k < told(other); k++)
		if (!used[k])
			put_row(r, other, &other->line[k], &out->row[out->n++]);
	return 0;
}

void sd_facts_lines_free(struct sd_line_rows *l)
{
	free(l->row);
	*l = (struct sd_line_rows){0};
}

/* ---- the section ----------------------------------------------------------------------------- */

struct sd_fact_rows sd_facts_line_table(const struct sd_line_rows *l)
{
	return (struct sd_fact_rows){.table = &table, .row = l->row, .n = l->n, .runs = 1};
}

void sd_facts_lines(struct sd_document *b, const struct sd_line_rows *l)
{
	const struct sd_fact_rows rows = sd_facts_line_table(l);

	if (!l->n)
		return;
	sd_document_title(b, "lines-together", "Contested lines side by side",
		"the program's own samples at %u cores; %s at %u", l->own->cores,
		l->other->simulated ? "simulated" : "sampled by the CPU", l->other->cores);
	sd_document_table(b, &rows);
	sd_document_say(b, SD_BLOCK_NOTE,
		"share: of the time at contested lines, by own samples; of all moves between cores "
		"otherwise");
	sd_document_end(b);
}
