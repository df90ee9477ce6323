#include "plugin/basic_blocks.h"

#include <errno.h>
#include <stdlib.h>

#include "threads/guest_thread.h"

static int by_address(const void *a, const void *b)
{
	const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

static int by_work(const void *a, const void *b)
{
	const struct sim_basic *const x = a, *const y = b;
	const double p = x->runs * x->instructions, q = y->runs * y->instructions;

	return (p < q) - (p > q);
}

/* Writes the addresses at which blocks begin and end, each once, in order; returns how many. */
static size_t cuts(const struct sim_block *const *blocks, const struct sim_block_count *counts,
	size_t n, uint64_t *cut)
{
	size_t all = 0, kept = 0;

	for (size_t i = 0; i < n; i++)
		if (counts[i].runs && blocks[i]->n_ins) {
			cut[all++] = blocks[i]->start;
			cut[all++] = blocks[i]->end;
		}
	qsort(cut, all, sizeof *cut, by_address);
	for (size_t i = 0; i < all; i++)
		if (!kept || cut[kept - 1] != cut[i])
			cut[kept++] = cut[i];
	return kept;
}

static size_t place(const uint64_t *cut, size_t n, uint64_t address)
{
	const uint64_t *const p = bsearch(&address, cut, n, sizeof *cut, by_address);

	return (size_t)(p - cut); /* every block's start is one */
}

/* Adds a translated block to the basic blocks that it is made of. */
static void add(const struct sim_block *b, double runs, const uint64_t *cut, size_t n,
	struct sim_basic *basic)
{
	size_t at = place(cut, n, b->start);
	double instructions = 0;

	for (uint32_t i = 0; i < b->n_ins; i++) {
		instructions++;
		if (i + 1 < b->n_ins && b->ins[i + 1].pc < cut[at + 1])
			continue;
		basic[at].start = cut[at];
		basic[at].end = cut[at + 1];
		basic[at].runs += runs;
		if (instructions > basic[at].instructions) /* code that was written anew */
			basic[at].instructions = instructions;
		instructions = 0;
		while (i + 1 < b->n_ins && at + 2 < n && b->ins[i + 1].pc >= cut[at + 1])
			at++;
	}
}

long sim_basic_find(const struct sim_block *const *blocks, const struct sim_block_count *counts,
	size_t n, struct sim_basic *out, size_t max)
{
	uint64_t *const cut = calloc(2 * n + 1, sizeof *cut);
	struct sim_basic *const basic = calloc(2 * n + 1, sizeof *basic);
	size_t n_cut = 0, kept = 0;

	if (cut && basic)
		n_cut = cuts(blocks, counts, n, cut);
	for (size_t i = 0; n_cut && i < n; i++)
		if (counts[i].runs && blocks[i]->n_ins)
			add(blocks[i], (double)counts[i].runs, cut, n_cut, basic);
	if (n_cut)
		qsort(basic, n_cut, sizeof *basic, by_work);
	for (; kept < n_cut && kept < max && basic[kept].runs > 0; kept++)
		out[kept] = basic[kept];
	free(cut);
	free(basic);
	return cut && basic ? (long)kept : -ENOMEM;
}
