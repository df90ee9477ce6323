#include "symbols/code_nodes.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

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
	char name[512] = "";
	uint64_t last = 0;

	*out = 0;
	for (; n->stacks && touched; touched &= touched - 1) {
		const uint64_t at = line + (uint64_t)__builtin_ctzll(touched) * cell;
		const size_t used = strlen(name);
		const char *symbol = NULL;
		uint64_t start = 0;

		if (sd_symbols_data(n->symbols, n->pid, at, &symbol, &start) || !symbol ||
			start == last)
			continue;
		last = start;
		if (used + strlen(symbol) + 24 >= sizeof name)
			break;
		snprintf(name + used, sizeof name - used, at > start ? "%s%s+0x%" PRIx64 : "%s%s",
			used ? ", " : "", symbol, at - start);
	}
	return sd_code_nodes_text(n->stacks, name, out);
}
