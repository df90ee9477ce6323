#include "simfile/sim_names.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "symbols/code_nodes.h"
#include "symbols/part_names.h"
#include "simfile/sim_address.h"
#include "simfile/sim_types.h"
#include "symbols/symbols.h"

/* A word with less of the accesses than this, of the most used one, is a neighbour that start-up
 * touched. */
#define LITTLE .25

/* How much each 8-byte word of the line is used: accesses of its threads, by their bytes there. The
 * most of any. */
static double weigh(const struct sd_sim_file_contested *l, double weight[SD_SIM_LINE / 8])
{
	double most = 0;

	memset(weight, 0, SD_SIM_LINE / 8 * sizeof *weight);
	for (size_t i = 0; i < l->n_sharer; i++) {
		const struct sd_sim_sharer *s = &l->sharer[i];
		const uint64_t mask = s->read | s->written;
		const double each = (s->loads + s->stores) / fmax(1, __builtin_popcountll(mask));

		for (unsigned w = 0; w < SD_SIM_LINE / 8; w++) {
			const double part = each * __builtin_popcountll(mask >> 8 * w & 0xff);

			weight[w] += part;
			most = fmax(most, weight[w]);
		}
	}
	return most;
}

/* Names what the threads use of the line, and lays out its variables. */
static int name_line(const struct sd_sim_address *n, const struct sd_sim_file_contested *l,
	struct sd_sim_contested *to)
{
	const struct sd_code_nodes nodes = {
		.symbols = n->symbols, .stacks = n->stacks, .pid = n->f->pid};
	double weight[SD_SIM_LINE / 8];
	const double most = weigh(l, weight);
	struct sd_part_names names = {.n = 0}, files = {.n = 0};
	char text[2 * sizeof names.text];
	int rc = 0;

	for (unsigned w = 0; n->stacks && w < SD_SIM_LINE / 8 && !rc; w++) {
		struct sd_symbols_part part;

		if (weight[w] <= LITTLE * most)
			continue;
		sd_sim_address_data(n, l->address + 8 * w, l, &part);
		/* beside a variable the name of its file says nothing */
		sd_part_names_add(*part.name == '/' ? &files : &names, &part);
		rc = sd_code_nodes_object(&nodes, &part, 8 * w, SD_OBJECT_STATIC, to);
	}
	snprintf(text, sizeof text, "%s",
		*sd_part_names_text(&names) ? names.text : sd_part_names_text(&files));
	rc = rc || to->n_object ? rc : sd_sim_types_add(n, l, text, sizeof text, to);
	return rc ? rc : sd_code_nodes_text(n->stacks, text, &to->name);
}

/* ---- the parts ------------------------------------------------------------------------------- */

static int by_accesses(const void *a, const void *b)
{
	const struct sd_sim_sharer *x = a, *y = b;
	const double nx = x->loads + x->stores, ny = y->loads + y->stores;

	return (nx < ny) - (nx > ny);
}

static int by_hitm(const void *a, const void *b)
{
	const struct sd_sim_code *x = a, *y = b;

	if (x->hitm != y->hitm)
		return (x->hitm < y->hitm) - (x->hitm > y->hitm);
	return (x->accesses < y->accesses) - (x->accesses > y->accesses);
}

/* Instructions of one source line become one. */
static int fill_codes(const struct sd_sim_address *n, const struct sd_sim_file_contested *from,
	struct sd_sim_contested *to)
{
	int rc = 0;

	to->code = calloc(from->n_code + 1, sizeof *to->code);
	if (!to->code)
		return -ENOMEM;
	for (size_t i = 0; i < from->n_code && !rc; i++) {
		const struct sd_sim_file_code *c = &from->code[i];
		const uint64_t bytes = sd_sim_types_bytes(n, from->address, c->pc);
		unsigned node = 0;
		size_t k = 0;

		rc = sd_sim_address_code(n, c->pc, 0, 0, &node);
		while (k < to->n_code &&
			(to->code[k].node != node || to->code[k].writes != !!c->writes ||
				to->code[k].locked != !!c->locked))
			k++;
		/* of several it is known what all touch, or nothing */
		to->code[k].bytes = k == to->n_code              ? bytes
				    : bytes && to->code[k].bytes ? bytes | to->code[k].bytes
								 : 0;
		to->n_code += k == to->n_code;
		to->code[k].node = node;
		to->code[k].accesses += c->accesses;
		to->code[k].hitm += c->hitm;
		to->code[k].writes = !!c->writes;
		to->code[k].locked = !!c->locked;
	}
	qsort(to->code, to->n_code, sizeof *to->code, by_hitm);
	if (to->n_code > SD_SIM_CODES)
		to->n_code = SD_SIM_CODES;
	return rc;
}

/* Fills in the sites that allocated the line's blocks: two at most. */
static int fill_sites(const struct sd_sim_address *n, const struct sd_sim_file_contested *from,
	struct sd_sim_contested *to)
{
	int rc = 0;

	for (size_t i = 0; i < from->n_site && from->site + i < n->f->n_site && !rc; i++) {
		unsigned node = 0;

		rc = sd_sim_address_site(n, &n->f->site[from->site + i], &node);
		if (!to->site)
			to->site = node;
		else if (!to->other && node != to->site)
			to->other = node;
	}
	return rc;
}

static int fill_line(const struct sd_sim_address *n, struct sd_sim_file_contested *from,
	struct sd_sim_contested *to, double all)
{
	int rc;

	*to = (struct sd_sim_contested){.address = from->address,
		.sharing = from->sharing,
		.hitm_load = from->hitm_load,
		.hitm_store = from->hitm_store,
		.invalidations = from->invalidations,
		.upgrades = from->upgrades,
		.separated = from->separated,
		.sharer = from->sharer,
		.n_sharer = from->n_sharer};
	rc = name_line(n, from, to);
	from->sharer = NULL;
	from->n_sharer = 0;
	if (all > 0)
		to->share = (to->hitm_load + to->hitm_store) / all;
	if (to->share > 1)
		to->share = 1;
	qsort(to->sharer, to->n_sharer, sizeof *to->sharer, by_accesses);
	if (to->n_sharer > SD_SIM_SHARERS)
		to->n_sharer = SD_SIM_SHARERS;
	if (!rc)
		rc = fill_sites(n, from, to);
	return rc ? rc : fill_codes(n, from, to);
}

static int fill_lines(
	const struct sd_sim_address *n, struct sd_sim_file *f, struct sd_simulated *out)
{
	const size_t most = f->n_contested < SD_SIM_LINES ? f->n_contested : SD_SIM_LINES;
	int rc = 0;

	out->contested = calloc(most + 1, sizeof *out->contested);
	if (!out->contested)
		return -ENOMEM;
	for (size_t i = 0; i < most && !rc; i++)
		rc = fill_line(
			n, &f->contested[i], &out->contested[out->n_contested++], f->transfers);
	out->n_contested_seen = f->n_contested_seen > most ? f->n_contested_seen : most;
	return rc;
}

/* A jump back into another function is a call that does not return here, and no loop. */
static int is_loop(const struct sd_sim_address *n, const struct sd_sim_file_loop *l)
{
	const char *head_module, *end_module;
	const uint64_t head = sd_sim_address_function(n, l->head, &head_module);
	const uint64_t end = sd_sim_address_function(n, l->end - 1, &end_module);

	if (head_module && end_module && strcmp(head_module, end_module) != 0)
		return 0;
	return head == end;
}

static int fill_loops(
	const struct sd_sim_address *n, const struct sd_sim_file *f, struct sd_simulated *out)
{
	const size_t most = f->n_loop < SD_SIM_LOOPS ? f->n_loop : SD_SIM_LOOPS;
	int rc = 0;

	out->loop = calloc(most + 1, sizeof *out->loop);
	if (!out->loop)
		return -ENOMEM;
	for (size_t i = 0; i < most && !rc; i++) {
		const struct sd_sim_file_loop *l = &f->loop[i];
		struct sd_sim_loop *to;

		if (!is_loop(n, l))
			continue;
		to = &out->loop[out->n_loop++];
		*to = (struct sd_sim_loop){.entries = l->entries,
			.iterations = l->iterations,
			.instructions = l->instructions,
			.bytes_consumed = l->bytes_consumed,
			.bytes_moved = l->bytes_moved};
		rc = sd_sim_address_code(n, l->head, 0, 0, &to->node);
	}
	return rc;
}

static int fill_blocks(
	const struct sd_sim_address *n, const struct sd_sim_file *f, struct sd_simulated *out)
{
	const size_t most = f->n_block < SD_SIM_BLOCKS ? f->n_block : SD_SIM_BLOCKS;
	int rc = 0;

	out->block = calloc(most + 1, sizeof *out->block);
	if (!out->block)
		return -ENOMEM;
	for (size_t i = 0; i < most && !rc; i++) {
		struct sd_sim_block *const to = &out->block[out->n_block++];

		*to = (struct sd_sim_block){
			.runs = f->block[i].runs, .instructions = f->block[i].instructions};
		rc = sd_sim_address_code(n, f->block[i].start, 0, 0, &to->node);
	}
	return rc;
}

static int fill_races(
	const struct sd_sim_address *n, const struct sd_sim_file *f, struct sd_simulated *out)
{
	const size_t most = f->n_race < SD_SIM_RACES ? f->n_race : SD_SIM_RACES;
	int rc = 0;

	out->race = calloc(most + 1, sizeof *out->race);
	if (!out->race)
		return -ENOMEM;
	for (size_t i = 0; i < most && !rc; i++) {
		const struct sd_sim_file_race *r = &f->race[i];
		struct sd_sim_race *to = &out->race[out->n_race++];
		struct sd_symbols_part part;

		*to = (struct sd_sim_race){.address = r->address, .bytes = r->bytes};
		if (n->stacks) {
			sd_sim_address_data(n, r->address, NULL, &part);
			rc = sd_code_nodes_text(n->stacks, part.name, &to->name);
		}
		if (!rc)
			rc = sd_sim_address_code(n, r->writer, 0, 0, &to->writer);
		if (!rc)
			rc = sd_sim_address_code(n, r->other, 0, 0, &to->other);
	}
	out->n_race_seen = f->n_race_seen > most ? f->n_race_seen : most;
	return rc;
}

static int fill_conflicts(
	const struct sd_sim_address *n, const struct sd_sim_file *f, struct sd_simulated *out)
{
	const size_t most = f->n_conflict < SD_SIM_CONFLICTS ? f->n_conflict : SD_SIM_CONFLICTS;
	int rc = 0;

	out->conflict = calloc(most + 1, sizeof *out->conflict);
	if (!out->conflict)
		return -ENOMEM;
	for (size_t i = 0; i < most && !rc; i++) {
		struct sd_sim_conflict *to = &out->conflict[out->n_conflict++];

		*to = (struct sd_sim_conflict){
			.stride = f->conflict[i].stride, .misses = f->conflict[i].misses};
		rc = sd_sim_address_code(n, f->conflict[i].pc, 0, 0, &to->node);
	}
	return rc;
}

static void fill_head(struct sd_sim_file *f, struct sd_simulated *out)
{
	out->machine = f->machine;
	out->partial = f->partial;
	memcpy(out->why, f->why, sizeof out->why);
	out->modelled = f->sampled;
	memcpy(out->sampled, f->precision, sizeof out->sampled);
	out->from_s = f->from_s;
	out->for_s = f->for_s;
	out->cycles = f->cycles;
	out->thread = f->thread;
	out->n_thread = f->n_thread;
	out->n_thread_seen = f->n_thread_seen > f->n_thread ? f->n_thread_seen : f->n_thread;
}

int sd_sim_names_fill(struct sd_sim_file *f, struct sd_stacks *stacks, struct sd_simulated *out)
{
	struct sd_sim_address n = {.f = f, .stacks = stacks};
	int rc = sd_symbols_open(&n.symbols, "");

	if (!rc)
		rc = sd_sim_address_maps(&n);
	if (!rc) {
		fill_head(f, out);
		rc = fill_lines(&n, f, out);
	}
	if (!rc)
		rc = fill_loops(&n, f, out);
	if (!rc)
		rc = fill_blocks(&n, f, out);
	if (!rc)
		rc = fill_races(&n, f, out);
	if (!rc)
		rc = fill_conflicts(&n, f, out);
	/* threads are looked at until here: the names of stacks need their number */
	if (out->thread) {
		f->thread = NULL;
		f->n_thread = 0;
	}
	sd_symbols_close(n.symbols);
	return rc;
}
