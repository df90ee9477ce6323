#include "symbols/code_nodes.h"

#include <errno.h>
#include <stdlib.h>

#include "base/one_more.h"
#include "symbols/part_names.h"

/* Inlined functions at one address. */
#define INLINED 16

/* A table that is full names nothing more; without memory it is an error. */
static int lenient(int rc)
{
	return rc == -ENOSPC ? 0 : rc;
}

int sd_code_nodes_text(struct sd_stacks *stacks, const char *s, unsigned *out)
{
	*out = 0;
	return s && *s ? lenient(sd_stacks_text(stacks, s, out)) : 0;
}

static int add_place(
	struct sd_stacks *stacks, const struct sd_placement_of *p, unsigned parent, unsigned *out)
{
	struct sd_frame frame = {.line = p->line, .offset = p->offset, .inlined = p->inlined};
	unsigned number = 0;
	int rc = sd_code_nodes_text(stacks, p->function, &frame.function);

	if (!rc)
		rc = sd_code_nodes_text(stacks, p->file, &frame.file);
	if (!rc)
		rc = sd_code_nodes_text(stacks, p->module, &frame.module);
	if (frame.function && frame.line)
		frame.offset = p->start;
	if (!rc)
		rc = sd_stacks_frame(stacks, &frame, &number);
	if (!rc)
		rc = sd_stacks_node(stacks, parent, number, out);
	return rc;
}

int sd_code_nodes_add(
	const struct sd_code_nodes *n, uint64_t pc, int caller, unsigned parent, unsigned *out)
{
	struct sd_placement_of place[INLINED];
	size_t count;
	int rc = 0;

	*out = parent;
	if (!n->stacks || !pc)
		return 0;
	count = sd_symbols_at(n->symbols, n->pid, pc, caller, place, INLINED);
	for (size_t i = count; i-- > 0 && !rc;) {
		rc = add_place(n->stacks, &place[i], *out, out);
		if (rc == -ENOSPC)
			*out = parent;
	}
	return lenient(rc);
}

int sd_code_nodes_variables(const struct sd_code_nodes *n, uint64_t line, uint64_t touched,
	unsigned cell, unsigned *out)
{
	struct sd_part_names names = {.n = 0};

	for (; n->stacks && touched; touched &= touched - 1) {
		struct sd_symbols_part part;

		if (sd_symbols_variable(n->symbols, n->pid,
			    line + (uint64_t)__builtin_ctzll(touched) * cell, &part) == 0)
			sd_part_names_add(&names, &part);
	}
	return sd_code_nodes_text(n->stacks, sd_part_names_text(&names), out);
}

/* ---- objects --------------------------------------------------------------------------------- */

static int add_members(const struct sd_code_nodes *n, const struct sd_object_layout *from,
	struct sd_line_object *to)
{
	int rc = 0;

	to->member = calloc(from->n_member + 1, sizeof *to->member);
	if (!to->member)
		return -ENOMEM;
	for (size_t i = 0; i < from->n_member && !rc; i++) {
		struct sd_line_member *const m = &to->member[to->n_member++];

		*m = (struct sd_line_member){.at = from->member[i].at,
			.bytes = from->member[i].bytes,
			.line = from->member[i].line};
		rc = sd_code_nodes_text(n->stacks, from->member[i].name, &m->name);
	}
	return rc;
}

static int add_object(const struct sd_code_nodes *n, const struct sd_object_layout *from,
	struct sd_line_object *to)
{
	int rc = sd_code_nodes_text(n->stacks, from->variable, &to->variable);

	to->line = from->line;
	to->at_line = from->at_line;
	to->bytes = from->bytes;
	to->elements = from->elements;
	to->composed = from->composed;
	to->cut = from->cut;
	to->language = from->language;
	rc = rc ? rc : sd_code_nodes_text(n->stacks, from->type, &to->type);
	rc = rc ? rc : sd_code_nodes_text(n->stacks, from->file, &to->file);
	rc = rc ? rc : sd_code_nodes_text(n->stacks, from->at_file, &to->at_file);
	return rc ? rc : add_members(n, from, to);
}

/* Is the byte in an object that is there? */
static int has_object(const struct sd_sim_contested *to, int64_t begins)
{
	for (size_t i = 0; i < to->n_object; i++) {
		const struct sd_line_object *const o = &to->object[i];
		const int64_t into = begins - o->begins;

		/* elements of an array that a pointer leads to each begin one */
		if (into == 0 || (!o->elements && into % (int64_t)o->bytes == 0))
			return 1;
	}
	return 0;
}

int sd_code_nodes_object(const struct sd_code_nodes *n, const struct sd_symbols_part *part,
	unsigned byte, enum sd_object_storage storage, struct sd_sim_contested *to)
{
	struct sd_line_object object = {.storage = storage};
	struct sd_object_layout layout;
	int rc;

	if (!n->stacks || to->n_object == SD_LINE_OBJECTS || !part->entry ||
		part->into > SD_OBJECT_BYTES)
		return 0;
	object.begins = (int64_t)byte - (int64_t)part->into;
	if (has_object(to, object.begins) || sd_symbols_layout(n->symbols, part, &layout) != 0)
		return 0;
	rc = add_object(n, &layout, &object);
	if (!rc && SD_APPEND(to->object, to->n_object, &object))
		rc = -ENOMEM;
	if (rc)
		free(object.member);
	return rc;
}

int sd_code_nodes_objects(const struct sd_code_nodes *n, uint64_t line, uint64_t touched,
	unsigned cell, struct sd_sim_contested *to)
{
	int rc = 0;

	for (; touched && !rc; touched &= touched - 1) {
		const unsigned byte = (unsigned)__builtin_ctzll(touched) * cell;
		struct sd_symbols_part part;

		if (sd_symbols_variable(n->symbols, n->pid, line + byte, &part) == 0)
			rc = sd_code_nodes_object(n, &part, byte, SD_OBJECT_STATIC, to);
	}
	return rc;
}
