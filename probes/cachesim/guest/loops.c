#include "guest/loops.h"

#include <errno.h>
#include <stdlib.h>

const struct sim_block sim_block_none = {.number = UINT32_MAX};

#define PADDING 32 /* of a loop's head, for alignment, is shorter */

struct entry {
	const struct sim_block *block;
	const struct sim_block_count *count;
};

static int by_start(const void *a, const void *b)
{
	const struct sim_block *const x = ((const struct entry *)a)->block;
	const struct sim_block *const y = ((const struct entry *)b)->block;

	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	return (x->end > y->end) - (x->end < y->end);
}

static int by_instructions(const void *a, const void *b)
{
	const double x = ((const struct sim_loop *)a)->instructions;
	const double y = ((const struct sim_loop *)b)->instructions;

	return (x < y) - (x > y);
}

/* The first of e[0..n) that starts at `address` or behind. */
static size_t first_at(const struct entry *e, size_t n, uint64_t address)
{
	size_t low = 0;

	while (low < n) {
		const size_t mid = low + (n - low) / 2;

		if (e[mid].block->start < address)
			low = mid + 1;
		else
			n = mid;
	}
	return low;
}

/*
 * Every pass through the head is an iteration: blocks that start there, and those that begin before
 * it and run through it (the first iteration, falling in). Those before it start at most the
 * longest block's length away.
 *
 * It is entered through the head other than by its jump back; or by the jump right before the head
 * into its middle, where the condition stands. Where neither is seen, as often as the latch was
 * come to and did not jump.
 */
static void measure(const struct entry *e, size_t n, uint64_t longest, struct sim_loop *l)
{
	double back = 0, middle = 0, ends = 0;

	for (size_t i = first_at(e, n, l->head > longest ? l->head - longest : 0);
		i < n && e[i].block->start < l->end; i++) {
		const struct sim_block *const b = e[i].block;
		const struct sim_block_count *const c = e[i].count;

		if (b->end <= l->head) {
			if (l->head - b->end < PADDING && b->jumps > l->head && b->jumps < l->end)
				middle += (double)c->runs;
			continue;
		}
		if (b->end == l->end)
			ends += (double)c->runs;
		if (b->start <= l->head)
			l->iterations += (double)c->runs;
		if (b->start == l->head)
			back += (double)c->back;
		if (b->start < l->head || b->end > l->end)
			continue;
		l->instructions += (double)c->runs * b->n_ins;
		l->bytes += (double)c->runs * b->each.bytes;
		l->lines += (double)c->moved;
	}
	l->entries = l->iterations - back + middle;
	if (l->entries <= 0)
		l->entries = ends > back ? ends - back : 0;
}

/* Keeps the `max` with most instructions of what came so far. */
static size_t keep(struct sim_loop *out, size_t n, size_t max, const struct sim_loop *l)
{
	size_t least = 0;

	if (n < max) {
		out[n] = *l;
		return n + 1;
	}
	for (size_t i = 1; i < n; i++)
		if (out[i].instructions < out[least].instructions)
			least = i;
	if (n && l->instructions > out[least].instructions)
		out[least] = *l;
	return n;
}

long sim_loops_find(const struct sim_block *const *blocks, const struct sim_block_count *counts,
	size_t n, int part, struct sim_loop *out, size_t max)
{
	struct entry *const e = calloc(n ? n : 1, sizeof *e);
	uint64_t longest = 0;
	size_t kept = 0;

	if (!e)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++) {
		e[i] = (struct entry){blocks[i], &counts[i]};
		if (blocks[i]->end - blocks[i]->start > longest)
			longest = blocks[i]->end - blocks[i]->start;
	}
	qsort(e, n, sizeof *e, by_start);
	for (size_t i = 0; i < n;) {
		struct sim_loop l = {.head = e[i].block->start};

		/* one start may have several blocks: cut at different ends */
		for (; i < n && e[i].block->start == l.head; i++)
			if (e[i].count->back && e[i].count->latch > l.end)
				l.end = e[i].count->latch;
		if (l.end <= l.head)
			continue;
		measure(e, n, longest, &l);
		if (l.entries > 0 || part)
			kept = keep(out, kept, max, &l);
	}
	qsort(out, kept, sizeof *out, by_instructions);
	free(e);
	return (long)kept;
}
