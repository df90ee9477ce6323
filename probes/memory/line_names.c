#include "memory/line_names.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "symbols/code_nodes.h"

struct names {
	const struct sd_line_table *m;
	struct sd_symbols *symbols;
	struct sd_stacks *stacks;
};

static const struct sd_memspace *space_of(const struct names *n, const struct sd_memline *l)
{
	return &n->m->space[l->space];
}

/* ---- data ------------------------------------------------------------------------------------ */

/* The variables of the line that were touched. */
static int name_line(const struct names *n, const struct sd_memline *l, struct sd_sim_contested *to)
{
	const unsigned cell = n->m->bytes > SD_SIM_LINE ? n->m->bytes / SD_SIM_LINE : 1;
	const struct sd_code_nodes names = {
		.symbols = n->symbols, .stacks = n->stacks, .pid = space_of(n, l)->pid};
	uint64_t touched = 0;
	int rc;

	if (space_of(n, l)->gone)
		return 0;
	for (size_t i = 0; i < l->n_sharer; i++)
		touched |= l->sharer[i].read | l->sharer[i].written;
	rc = sd_code_nodes_objects(&names, l->address, touched, cell, to);
	return rc ? rc : sd_code_nodes_variables(&names, l->address, touched, cell, &to->name);
}

/* ---- code ------------------------------------------------------------------------------------ */

static int by_hitm(const void *a, const void *b)
{
	const struct sd_sim_code *const x = a, *const y = b;

	if (x->hitm != y->hitm)
		return (x->hitm < y->hitm) - (x->hitm > y->hitm);
	return (x->accesses < y->accesses) - (x->accesses > y->accesses);
}

/* Instructions of one source line become one. */
static int fill_codes(
	const struct names *n, const struct sd_memline *l, struct sd_sim_contested *to)
{
	const struct sd_code_nodes names = {
		.symbols = n->symbols, .stacks = n->stacks, .pid = space_of(n, l)->pid};
	int rc = 0;

	to->code = calloc(l->n_code + 1, sizeof *to->code);
	if (!to->code)
		return -ENOMEM;
	for (size_t i = 0; i < l->n_code && !rc; i++) {
		const struct sd_memcode *const c = &l->code[i];
		unsigned node = 0;
		size_t k = 0;

		if (!space_of(n, l)->gone)
			rc = sd_code_nodes_add(&names, c->pc, 0, 0, &node);
		while (k < to->n_code &&
			(to->code[k].node != node || to->code[k].writes != c->writes ||
				to->code[k].locked != c->locked))
			k++;
		to->n_code += k == to->n_code;
		to->code[k].node = node;
		to->code[k].accesses += c->accesses;
		to->code[k].hitm += c->hitm;
		to->code[k].writes = c->writes;
		to->code[k].locked = c->locked;
	}
	qsort(to->code, to->n_code, sizeof *to->code, by_hitm);
	if (to->n_code > SD_SIM_CODES)
		to->n_code = SD_SIM_CODES;
	return rc;
}

/* ---- the parts ------------------------------------------------------------------------------- */

static int by_accesses(const void *a, const void *b)
{
	const struct sd_sim_sharer *const x = a, *const y = b;
	const double nx = x->loads + x->stores, ny = y->loads + y->stores;

	return (nx < ny) - (nx > ny);
}

static int fill_line(const struct names *n, const struct sd_memline *l, struct sd_mem_line *to)
{
	const double all = n->m->local + n->m->remote + n->m->peer;

	*to = (struct sd_mem_line){.local = l->local,
		.remote = l->remote,
		.peer = l->peer,
		.cycles = l->timed > 0 ? SD_OK(l->cycles / l->timed) : SD_NOT(ABSENT)};
	to->line.address = l->address;
	to->line.sharing = sd_line_table_sharing(l);
	to->line.hitm_load = sd_line_table_moves(l);
	to->line.separated = SD_NOT(ABSENT);
	to->line.share = all > 0 ? fmin(1, to->line.hitm_load / all) : 0;
	to->line.sharer = calloc(l->n_sharer + 1, sizeof *to->line.sharer);
	if (!to->line.sharer)
		return -ENOMEM;
	memcpy(to->line.sharer, l->sharer, l->n_sharer * sizeof *l->sharer);
	to->line.n_sharer = l->n_sharer;
	qsort(to->line.sharer, to->line.n_sharer, sizeof *to->line.sharer, by_accesses);
	return fill_codes(n, l, &to->line);
}

static int fill_lines(const struct names *n, struct sd_memory_sampled *out)
{
	size_t moved = 0;
	int rc = 0;

	while (moved < n->m->n && sd_line_table_moves(&n->m->line[moved]) > 0)
		moved++;
	out->n_contested_seen = moved;
	moved = moved < SD_SIM_LINES ? moved : SD_SIM_LINES;
	out->contested = calloc(moved + 1, sizeof *out->contested);
	if (!out->contested)
		return -ENOMEM;
	for (size_t i = 0; i < moved && !rc; i++) {
		struct sd_mem_line *const to = &out->contested[out->n_contested++];

		rc = fill_line(n, &n->m->line[i], to);
		if (!rc)
			rc = name_line(n, &n->m->line[i], &to->line);
	}
	return rc;
}

static int fill_threads(const struct sd_line_table *m, struct sd_memory_sampled *out)
{
	out->thread = calloc(m->n_thread + 1, sizeof *out->thread);
	if (!out->thread)
		return -ENOMEM;
	for (size_t i = 0; i < m->n_thread; i++)
		out->thread[i] = (struct sd_mem_thread){.pid = m->thread[i].pid,
			.tid = m->thread[i].tid,
			.loads = m->thread[i].loads,
			.stores = m->thread[i].stores,
			.hitm = m->thread[i].hitm};
	out->n_thread = m->n_thread;
	out->n_thread_seen = m->n_thread_seen;
	return 0;
}

int sd_line_names_fill(struct sd_line_table *m, struct sd_symbols *symbols,
	struct sd_stacks *stacks, struct sd_memory_sampled *out)
{
	const struct names n = {.m = m, .symbols = symbols, .stacks = stacks};
	int rc;

	out->line = m->bytes;
	out->loads = m->loads;
	out->stores = m->stores;
	out->local = m->local;
	out->remote = m->remote;
	out->peer = m->peer;
	out->unplaced = m->unplaced;
	sd_line_table_sort(m);
	rc = fill_threads(m, out);
	return rc ? rc : fill_lines(&n, out);
}
