#include "simthread.h"

#include <errno.h>
#include <stdlib.h>

#include "simsolo.h"

#define WAY_BITS 11 /* of a way's index: L1 has 1024 ways at most (simoptions.c) */

int sim_thread_open(struct sim_thread *t, const struct sd_sim_machine *m, const uint8_t *hot)
{
	const size_t lines = m->l1.bytes / m->line;

	*t = (struct sim_thread){.line_shift = (unsigned)__builtin_ctz(m->line),
		.page_shift = (unsigned)__builtin_ctz(m->page),
		.line_mask = m->line - 1,
		.page_bytes = m->page,
		.ways = m->l1.ways,
		.sets = lines / m->l1.ways,
		.lines = lines,
		.hot = hot,
		.slot = SIM_SLOTS};
	t->way = calloc(lines + 1, sizeof *t->way); /* the last one is never filled */
	t->state_of = calloc(lines, sizeof *t->state_of);
	t->line1 = calloc(lines, sizeof *t->line1);
	t->look = calloc(SIM_LOOK, sizeof *t->look);
	t->nowhere = calloc(SIM_LOOK, sizeof *t->nowhere);
	if (t->way && t->state_of && t->line1 && t->look && t->nowhere &&
		sim_tlb_open(&t->dtlb, m->dtlb_entries, m->dtlb_ways, t->page_shift) == 0 &&
		sim_tlb_open(&t->stlb, m->stlb_entries, m->stlb_ways, t->page_shift) == 0 &&
		sim_reuse_open(&t->reuse) == 0 && sim_conflict_open(&t->conflict, lines) == 0) {
		for (size_t i = 0; i < SIM_LOOK; i++)
			t->nowhere[i] = (uint32_t)lines;
		sim_thread_measure(t, 0);
		return 0;
	}
	sim_thread_close(t);
	return -ENOMEM;
}

void sim_thread_close(struct sim_thread *t)
{
	free(t->way);
	free(t->state_of);
	free(t->line1);
	free(t->look);
	free(t->nowhere);
	sim_tlb_close(&t->dtlb);
	sim_tlb_close(&t->stlb);
	sim_reuse_close(&t->reuse);
	sim_conflict_close(&t->conflict);
	sim_pages_close(&t->pages);
	free(t->blocks);
	free(t->event);
	free(t->inbox);
	sim_callers_close(&t->callers);
	*t = (struct sim_thread){.slot = SIM_SLOTS};
}

void sim_thread_log(struct sim_thread *t, const struct sim_event *e)
{
	if (t->n_event == t->room) {
		const size_t room = t->room ? t->room * 2 : 1024;
		struct sim_event *const p = realloc(t->event, room * sizeof *p);

		if (!p) {
			t->lost = 1;
			return;
		}
		t->event = p;
		t->room = room;
	}
	t->event[t->n_event++] = *e;
}

void sim_thread_measure(struct sim_thread *t, int on)
{
	t->measuring = on;
	t->guess = on || t->line_mask != 63 ? t->nowhere : t->look;
	t->measure = (struct sim_measure){0};
	t->last_key = 0;
}

/* A line leaves L1: what of it was used. */
static void account(struct sim_counts *c, const struct sim_thread *t, size_t i)
{
	c->bytes_used +=
		t->way[i].used == ~0ull ? 64 : (unsigned)__builtin_popcountll(t->way[i].used);
	c->lines_unused += t->way[i].stamp == t->state_of[i].born;
}

static uint32_t translate(struct sim_thread *t, uint64_t address)
{
	struct sim_tlb_way *const last = &t->dtlb.way[t->page_at];
	uint32_t at, ignored;
	int hit;

	if (address - last->first < t->page_bytes) {
		last->stamp = t->tick;
		return t->page_at;
	}
	hit = sim_tlb_use(&t->dtlb, address, t->tick, &at);
	t->page_at = at;
	if (hit)
		return at;
	t->count.dtlb_misses++;
	if (!sim_tlb_use(&t->stlb, address, t->tick, &ignored)) {
		t->count.stlb_misses++;
		sim_pages_add(&t->pages, address >> t->page_shift);
	}
	return at;
}

/* With a number of ways that the compiler knows, all are looked at side by side. The index is below
 * the stamp, so that the least of both is the oldest way. */
static inline __attribute__((always_inline)) size_t find_of(
	const struct sim_thread *t, uint64_t line, unsigned ways)
{
	const size_t first = (line & (t->sets - 1)) * ways;
	const struct sim_l1_way *const way = t->way + first;
	uint64_t least = UINT64_MAX;
	unsigned at = ways;

	/* no early end: where it is nobody can predict */
	for (unsigned k = 0; k < ways; k++)
		at = t->line1[first + k] == line + 1 ? k : at;
	if (at < ways)
		return first + at;
	for (unsigned k = 0; k < ways; k++) {
		const uint64_t age = way[k].stamp << WAY_BITS | k;

		least = age < least ? age : least;
	}
	return first + (least & ((1u << WAY_BITS) - 1));
}

/* The way of a line, or the one that it will replace: an empty one has the oldest stamp, 0. */
static size_t find(const struct sim_thread *t, uint64_t line)
{
	switch (t->ways) {
	case 4:
		return find_of(t, line, 4);
	case 8:
		return find_of(t, line, 8);
	case 12:
		return find_of(t, line, 12);
	default:
		return find_of(t, line, t->ways);
	}
}

/* The tags tell the fast path what it may do. */
static void set_flags(struct sim_thread *t, size_t i, unsigned flags)
{
	const int free_to_load = !(flags & (SIM_L1_CONTENDED | SIM_L1_SAMPLED));
	const int free_to_store = free_to_load && flags & SIM_L1_WRITABLE;

	t->state_of[i].flags = flags;
	t->way[i].tag[0] = free_to_load ? t->line1[i] : 0;
	t->way[i].tag[1] = free_to_store ? t->line1[i] : 0;
}

static void empty(struct sim_thread *t, size_t i)
{
	t->way[i] = (struct sim_l1_way){.stamp = 0};
	t->state_of[i] = (struct sim_l1_state){0};
	t->line1[i] = 0;
}

static void miss(struct sim_thread *t, size_t i, struct sim_event *e)
{
	const uint64_t line = e->address >> t->line_shift, old = t->line1[i];
	const int dirty = (t->state_of[i].flags & SIM_L1_WRITABLE) != 0;

	e->kind = SIM_EVENT_MISS;
	e->victim1 = old;
	t->count.l1_misses++;
	t->count.brought++;
	if (t->block && t->block->number < t->n_blocks)
		t->blocks[t->block->number].moved++;
	sim_conflict_miss(&t->conflict, line, e->address, e->ins->pc, t->way, t->lines);
	if (old) {
		account(&t->count, t, i);
		sim_conflict_evict(&t->conflict, old - 1, t->way[i].stamp, t->tick);
	}
	if (t->solo) {
		empty(t, i);
		t->stall += sim_solo_miss(t->solo, t, line, e->store, old, dirty);
	}
	t->way[i].used = 0;
	t->line1[i] = line + 1;
	t->state_of[i] = (struct sim_l1_state){.born = t->tick,
		.flags = (!t->solo && t->hot[sim_hot(line)] ? SIM_L1_CONTENDED : 0) |
			 (sim_reuse_wants(&t->reuse, line) ? SIM_L1_SAMPLED : 0)};
}

/* A call pushes its return address: what it misses shows where the stack is. */
static void note_stack(struct sim_thread *t, uint64_t address)
{
	if (!t->stack_low || address < t->stack_low)
		t->stack_low = address;
	if (address > t->stack_high)
		t->stack_high = address;
}

/* An access within one line. */
static void within(
	struct sim_thread *t, uint64_t address, unsigned size, int store, const struct sim_ins *ins)
{
	const uint64_t line = address >> t->line_shift;
	const uint32_t tlb = translate(t, address);
	const size_t i = find(t, line);
	const struct sim_l1_state *const s = &t->state_of[i];
	struct sim_event e = {.time = t->base + ins->index,
		.address = address,
		.ins = ins,
		.size = (uint8_t)size,
		.kind = SIM_EVENT_HIT,
		.store = store != 0,
		.locked = (ins->flags & SIM_INS_LOCKED) != 0};
	int must = e.locked;

	if (t->line1[i] != line + 1) {
		miss(t, i, &e);
		if (store && ins->flags & SIM_INS_CALL) /* it may read where to, elsewhere */
			note_stack(t, address);
		must = 1;
	}
	e.watched = (s->flags & SIM_L1_CONTENDED) != 0;
	if (!t->solo && (must || e.watched || (store && !(s->flags & SIM_L1_WRITABLE))))
		sim_thread_log(t, &e);
	set_flags(t, i, s->flags | (store ? SIM_L1_WRITABLE : 0));
	if (s->flags & SIM_L1_SAMPLED) {
		if (sim_reuse_wants(&t->reuse, line))
			sim_reuse_add(&t->reuse, line);
		else /* the rate has fallen since it came */
			set_flags(t, i, s->flags & ~(unsigned)SIM_L1_SAMPLED);
	}
	t->way[i].stamp = t->tick;
	t->way[i].used |= (size < 64 ? (1ull << size) - 1 : ~0ull) << (address & t->line_mask);
	t->look[sim_look(line)] = (uint32_t)i | tlb << 16;
}

/* Pieces of one access (QEMU splits vectors) count once: they come from the same instruction in the
 * same run of its block. What is read, changed and written in one is told once, as a store. */
static void measure(struct sim_thread *t, unsigned size, int store, const struct sim_ins *ins)
{
	const uintptr_t key = (uintptr_t)ins + (store != 0);

	t->measure.bytes += size;
	if (key == t->last_key)
		return;
	t->measure.loads +=
		!store || (ins->flags & SIM_INS_LOCKED && t->last_key != (uintptr_t)ins);
	t->measure.stores += store != 0;
	t->last_key = key;
}

void sim_thread_slow(
	struct sim_thread *t, uint64_t address, unsigned size, int store, const struct sim_ins *ins)
{
	if (t->measuring)
		measure(t, size, store, ins);
	t->tick++;
	while (size) {
		const uint64_t room = t->line_mask + 1 - (address & t->line_mask);
		const unsigned part = size < room ? size : (unsigned)room;

		within(t, address, part, store, ins);
		address += part;
		size -= part;
	}
}

int sim_thread_holds(struct sim_thread *t, uint64_t line, int dirty)
{
	const size_t i = find(t, line);

	if (t->line1[i] != line + 1)
		return 0;
	if (dirty)
		set_flags(t, i, t->state_of[i].flags | SIM_L1_WRITABLE);
	return 1;
}

int sim_thread_drop(struct sim_thread *t, uint64_t line)
{
	const size_t i = find(t, line);
	const int dirty = (t->state_of[i].flags & SIM_L1_WRITABLE) != 0;

	if (t->line1[i] != line + 1)
		return -1;
	account(&t->count, t, i);
	empty(t, i);
	return dirty;
}

void sim_thread_obey(struct sim_thread *t)
{
	for (size_t k = 0; k < t->n_inbox; k++) {
		const struct sim_message *const m = &t->inbox[k];
		const size_t i = find(t, m->line);
		const unsigned flags = t->state_of[i].flags;

		if (t->line1[i] != m->line + 1)
			continue;
		switch (m->word) {
		case SIM_WORD_INVALIDATE:
			account(&t->count, t, i);
			empty(t, i);
			break;
		case SIM_WORD_DOWNGRADE:
			set_flags(t, i, flags & ~(unsigned)SIM_L1_WRITABLE);
			break;
		case SIM_WORD_CONTENDED:
			set_flags(t, i, flags | SIM_L1_CONTENDED);
			break;
		case SIM_WORD_CALM:
			set_flags(t, i, flags & ~(unsigned)SIM_L1_CONTENDED);
			break;
		}
	}
	t->n_inbox = 0;
}

void sim_thread_result(
	const struct sim_thread *t, const struct sim_block *const *block, struct sim_counts *out)
{
	const uint64_t *const add = (const uint64_t *)&t->late;
	uint64_t *const to = (uint64_t *)out;

	*out = t->count;
	for (size_t i = 0; i < sizeof *out / sizeof *to; i++)
		to[i] += add[i];
	if (t->state != SIM_GONE)
		out->instructions = t->base + t->n_ins - t->skipped;
	for (size_t i = 0; i < t->n_blocks; i++)
		if (t->blocks[i].runs) {
			out->loads += t->blocks[i].runs * block[i]->each.loads;
			out->stores += t->blocks[i].runs * block[i]->each.stores;
		}
	for (size_t i = 0; t->way && i < t->lines; i++)
		if (t->line1[i])
			account(out, t, i);
}
