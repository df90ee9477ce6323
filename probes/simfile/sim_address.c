#include "simfile/sim_address.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "symbols/code_nodes.h"

/* ---- the guest's address space --------------------------------------------------------------- */

int sd_sim_address_maps(const struct sd_sim_address *n)
{
	int rc = 0;

	for (size_t i = 0; i < n->f->n_map && !rc; i++) {
		const struct sd_sim_file_map *m = &n->f->map[i];
		const struct sd_event e = {.kind = SD_EVENT_MAP,
			.pid = n->f->pid,
			.tid = n->f->pid,
			.address = m->start,
			.size = m->end - m->start,
			.offset = m->offset,
			.name = m->path};

		/* to the host the guest's code is data: nothing of it is mapped executable */
		if (m->path && m->path[0] == '/')
			rc = sd_symbols_event(n->symbols, &e);
	}
	return rc;
}

static const struct sd_sim_file_map *map_at(const struct sd_sim_file *f, uint64_t address)
{
	for (size_t i = 0; i < f->n_map; i++)
		if (address >= f->map[i].start && address < f->map[i].end)
			return &f->map[i];
	return NULL;
}

/* ---- code ------------------------------------------------------------------------------------ */

int sd_sim_address_code(
	const struct sd_sim_address *n, uint64_t pc, int caller, unsigned parent, unsigned *out)
{
	const struct sd_code_nodes to = {
		.symbols = n->symbols, .stacks = n->stacks, .pid = n->f->pid};

	return sd_code_nodes_add(&to, pc, caller, parent, out);
}

int sd_sim_address_site(
	const struct sd_sim_address *n, const struct sd_sim_file_site *site, unsigned *out)
{
	int rc = 0;

	*out = 0;
	for (size_t i = site->n_pc; i-- > 0 && !rc;)
		rc = sd_sim_address_code(n, site->pc[i], 1, *out, out);
	return rc;
}

/* ---- data ------------------------------------------------------------------------------------ */

/* The thread whose stack holds an address; n_thread: none, or several, as where tasks have stacks
 * of their own in one heap and go from thread to thread. */
static size_t stack_at(const struct sd_sim_file *f, uint64_t address)
{
	size_t found = f->n_thread;

	for (size_t i = 0; f->stack && i < f->n_thread; i++) {
		if (!f->stack[i].high || address < f->stack[i].low || address >= f->stack[i].high)
			continue;
		if (found < f->n_thread)
			return f->n_thread;
		found = i;
	}
	return found;
}

/* "stack of thread 3, frame of serve()" */
static void name_stack(const struct sd_sim_address *n, uint64_t address,
	const struct sd_sim_file_contested *l, char *out, size_t size)
{
	const struct sd_sim_file *const f = n->f;
	struct sd_placement_of place[16];
	const size_t thread = stack_at(f, address);
	size_t k = 0;

	if (thread == f->n_thread)
		return;
	if (l && l->frame)
		k = sd_symbols_at(
			n->symbols, f->pid, l->frame, 0, place, sizeof place / sizeof *place);
	if (k && place[k - 1].function)
		snprintf(out, size, "stack of thread %zu, frame of %s%s", thread,
			place[k - 1].function, strpbrk(place[k - 1].function, "([") ? "" : "()");
	else
		snprintf(out, size, "stack of thread %zu", thread);
}

/* The block that holds an address, of those that moved with the line; NULL: none. */
static const struct sd_sim_file_site *block_at(
	const struct sd_sim_file *f, const struct sd_sim_file_contested *l, uint64_t address)
{
	for (size_t i = 0; l && i < l->n_site && l->site + i < f->n_site; i++)
		if (address - f->site[l->site + i].start < f->site[l->site + i].bytes)
			return &f->site[l->site + i];
	return NULL;
}

void sd_sim_address_data(const struct sd_sim_address *n, uint64_t address,
	const struct sd_sim_file_contested *l, struct sd_symbols_part *out)
{
	const struct sd_sim_file_site *const block = block_at(n->f, l, address);
	const struct sd_sim_file *f = n->f;
	const struct sd_sim_file_map *m = map_at(f, address);

	if (sd_symbols_variable(n->symbols, f->pid, address, out) == 0)
		return;
	*out = (struct sd_symbols_part){.variable = block ? block->start : 0};
	if (block) {
		snprintf(out->name, sizeof out->name,
			"heap block of %" PRIu64 " bytes at +%" PRIu64, block->bytes,
			address - block->start);
		return;
	}
	name_stack(n, address, l, out->name, sizeof out->name);
	if (!*out->name && f->brk_high && address >= f->brk_low && address < f->brk_high)
		snprintf(out->name, sizeof out->name, "heap");
	if (!*out->name && m && m->path)
		snprintf(out->name, sizeof out->name, "%s", m->path);
}

uint64_t sd_sim_address_function(const struct sd_sim_address *n, uint64_t pc, const char **module)
{
	struct sd_placement_of place[16];
	const size_t k =
		sd_symbols_at(n->symbols, n->f->pid, pc, 0, place, sizeof place / sizeof *place);

	*module = k ? place[k - 1].module : NULL;
	return k ? place[k - 1].start : 0;
}
