#include "simthread.h"

#include <errno.h>
#include <stdlib.h>

#include "simsolo.h"

int sim_thread_open(struct sim_thread *t, const struct sd_sim_machine *m, const uint8_t *hot)
{
	const size_t lines = m->l1.bytes / m->line;

	*t = (struct sim_thread){.line_shift = (unsigned)__builtin_ctz(m->line),
		.page_shift = (unsigned)__builtin_ctz(m->page),
		.line_mask = m->line - 1,
		.page_bytes = m->page,
		.hot = hot,
		.slot = SIM_SLOTS};
	t->look = calloc(SIM_LOOK, sizeof *t->look);
	t->nowhere = calloc(SIM_LOOK, sizeof *t->nowhere);
	if (t->look && t->nowhere && sim_l1_open(&t->l1, lines / m->l1.ways, m->l1.ways) == 0 &&
		sim_tlb_open(&t->dtlb, m->dtlb_entries, m->dtlb_ways, t->page_shift) == 0 &&
		sim_tlb_open(&t->stlb, m->stlb_entries, m->stlb_ways, t->page_shift) == 0 &&
		sim_reuse_open(&t->reuse) == 0 && sim_conflict_open(&t->conflict, lines) == 0) {
		for (size_t i = 0; i < SIM_LOOK; i++)
			t->nowhere[i] = (uint32_t)t->l1.places;
		t->resting = t->l1.places;
		sim_thread_measure(t, 0);
		return 0;
	}
	sim_thread_close(t);
	return -ENOMEM;
}

void sim_thread_retire(struct sim_thread *t)
{
	sim_l1_close(&t->l1);
	free(t->look);
	free(t->nowhere);
	free(t->event);
	free(t->inbox);
	t->guess = t->look = t->nowhere = NULL;
	t->event = NULL;
	t->inbox = NULL;
	t->n_event = t->room = t->next = t->n_inbox = t->inbox_room = 0;
	sim_tlb_close(&t->dtlb);
	sim_tlb_close(&t->stlb);
	sim_reuse_retire(&t->reuse);
	sim_conflict_retire(&t->conflict);
	sim_callers_close(&t->callers);
}

void sim_thread_close(struct sim_thread *t)
{
	sim_thread_retire(t);
	sim_pages_close(&t->pages);
	free(t->blocks);
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

static unsigned bits_of(uint64_t x)
{
	x -= x >> 1 & 0x5555555555555555;
	x = (x & 0x3333333333333333) + (x >> 2 & 0x3333333333333333);
	x = (x + (x >> 4)) & 0x0f0f0f0f0f0f0f0f;
	return (unsigned)(x * 0x0101010101010101 >> 56);
}

/* A line leaves L1: what of it was used. */
static void account(struct sim_counts *c, const struct sim_thread *t, size_t i)
{
	c->bytes_used += bits_of(t->l1.used[i]);
	c->lines_unused += t->l1.stamp[i] & SIM_FRESH;
}

static inline uint32_t translate(struct sim_thread *t, uint64_t address)
{
	uint32_t *const look = &t->page_look[address >> t->page_shift & (SIM_PAGE_LOOK - 1)];
	struct sim_tlb_way *const p = &t->dtlb.way[*look];
	uint32_t ignored;

	if (address - p->first < t->page_bytes) {
		p->stamp = t->tick;
	} else if (!sim_tlb_use(&t->dtlb, address, t->tick, look)) {
		t->count.dtlb_misses++;
		if (!sim_tlb_use(&t->stlb, address, t->tick, &ignored)) {
			t->count.stlb_misses++;
			sim_pages_add(&t->pages, address >> t->page_shift);
		}
	}
	return *look;
}

/* Puts a line in place of the oldest of its set: where; *victim1: line number + 1 of what was
 * there, 0 none. */
static inline __attribute__((always_inline)) size_t replace(
	struct sim_thread *t, uint64_t address, int store, uint64_t pc, uint64_t *victim1)
{
	const uint64_t line = address >> t->line_shift;
	const size_t i = sim_l1_oldest(&t->l1, line);
	const uint64_t old = sim_l1_line1(&t->l1, i);
	const int dirty = sim_l1_modified(&t->l1, i);

	t->count.l1_misses++;
	if (t->block && t->block->number < t->n_blocks)
		t->blocks[t->block->number].moved++;
	sim_conflict_miss(&t->conflict, line, address, pc, t->l1.stamp, t->l1.places);
	if (old) {
		account(&t->count, t, i);
		sim_conflict_evict(
			&t->conflict, old - 1, t->l1.stamp[i] / SIM_TICK, t->tick / SIM_TICK);
	}
	if (t->solo) {
		t->l1.tag[i] = 0; /* L1 has it no longer */
		t->stall += sim_solo_miss(t->solo, t, line, store, old, dirty);
	}
	t->l1.tag[i] = (line + 1) | SIM_L1_READONLY |
		       (!t->solo && t->hot[sim_hot(line)] ? SIM_L1_CONTENDED : 0) |
		       (sim_reuse_wants(&t->reuse, line) ? SIM_L1_SAMPLED : 0);
	t->l1.part[i] = sim_l1_part(&t->l1, line);
	*victim1 = old;
	return i;
}

/* A call pushes its return address: what it misses shows where the stack is. */
static void note_stack(struct sim_thread *t, uint64_t address)
{
	if (!t->stack_low || address < t->stack_low)
		t->stack_low = address;
	if (address > t->stack_high)
		t->stack_high = address;
}

/*
 * An access to a line whose reuse distances are sampled. Until another sampled line is accessed
 * the next ones have distance 0, which is what accesses that were not sampled are taken for
 * (sim_reuse_result): the line rests so long.
 */
static __attribute__((noinline)) void sample(struct sim_thread *t, size_t i, uint64_t line)
{
	if (t->resting < t->l1.places &&
		!((t->l1.tag[t->resting] ^ t->resting_line1) & SIM_L1_LINE1))
		t->l1.tag[t->resting] |= SIM_L1_SAMPLED;
	t->l1.tag[i] &= ~SIM_L1_SAMPLED;
	t->resting = t->l1.places;
	if (!sim_reuse_wants(&t->reuse, line)) /* the rate has fallen since it came */
		return;
	sim_reuse_add(&t->reuse, line);
	t->resting = i;
	t->resting_line1 = line + 1;
}

/* The shared part must see an access: of a line that it replaces with, that was there, or that it
 * must ask for. */
static __attribute__((noinline)) void tell(struct sim_thread *t, struct sim_event e)
{
	e.time = t->base + e.ins->index;
	e.locked = (e.ins->flags & SIM_INS_LOCKED) != 0;
	sim_thread_log(t, &e);
}

/* An access within one line. */
static inline __attribute__((always_inline)) void within(
	struct sim_thread *t, uint64_t address, unsigned size, int store, const struct sim_ins *ins)
{
	const uint64_t line = address >> t->line_shift;
	const uint64_t bytes = (size < 64 ? (1ull << size) - 1 : ~0ull) << (address & t->line_mask);
	const uint32_t tlb = translate(t, address);
	uint64_t victim1 = 0;
	size_t i = sim_l1_find(&t->l1, line);
	const int miss = i == t->l1.places;

	if (__builtin_expect(miss, 1)) {
		i = replace(t, address, store, ins->pc, &victim1);
		if (store && ins->flags & SIM_INS_CALL) /* it may read where to, elsewhere */
			note_stack(t, address);
		t->l1.stamp[i] = sim_stamp(t->tick, i) | SIM_FRESH;
		t->l1.used[i] = bytes;
	} else {
		t->l1.stamp[i] = sim_stamp(t->tick, i);
		t->l1.used[i] |= bytes;
	}
	if (!t->solo && (miss || ins->flags & SIM_INS_LOCKED || t->l1.tag[i] & SIM_L1_CONTENDED ||
				(store && !sim_l1_modified(&t->l1, i))))
		tell(t, (struct sim_event){.address = address,
				.victim1 = victim1,
				.ins = ins,
				.size = (uint8_t)size,
				.kind = miss ? SIM_EVENT_MISS : SIM_EVENT_HIT,
				.store = (uint8_t)store,
				.watched = (t->l1.tag[i] & SIM_L1_CONTENDED) != 0});
	if (store)
		t->l1.tag[i] &= ~SIM_L1_READONLY;
	if (t->l1.tag[i] & SIM_L1_SAMPLED)
		sample(t, i, line);
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

/* An access to several lines. */
static __attribute__((noinline)) void across(
	struct sim_thread *t, uint64_t address, unsigned size, int store, const struct sim_ins *ins)
{
	while (size) {
		const uint64_t room = t->line_mask + 1 - (address & t->line_mask);
		const unsigned part = size < room ? size : (unsigned)room;

		within(t, address, part, store, ins);
		address += part;
		size -= part;
	}
}

void sim_thread_slow(
	struct sim_thread *t, uint64_t address, unsigned size, int store, const struct sim_ins *ins)
{
	if (__builtin_expect(t->measuring, 0))
		measure(t, size, store, ins);
	t->tick += SIM_TICK;
	if (__builtin_expect((address & t->line_mask) + size > t->line_mask + 1, 0))
		across(t, address, size, store, ins);
	else
		within(t, address, size, store, ins);
}

int sim_thread_holds(struct sim_thread *t, uint64_t line, int dirty)
{
	const size_t i = sim_l1_find(&t->l1, line);

	if (i == t->l1.places)
		return 0;
	if (dirty)
		t->l1.tag[i] &= ~SIM_L1_READONLY;
	return 1;
}

int sim_thread_drop(struct sim_thread *t, uint64_t line)
{
	const size_t i = sim_l1_find(&t->l1, line);
	int dirty;

	if (i == t->l1.places)
		return -1;
	dirty = sim_l1_modified(&t->l1, i);
	account(&t->count, t, i);
	sim_l1_empty(&t->l1, i);
	return dirty;
}

void sim_thread_obey(struct sim_thread *t)
{
	for (size_t k = 0; k < t->n_inbox; k++) {
		const struct sim_message *const m = &t->inbox[k];
		const size_t i = sim_l1_find(&t->l1, m->line);

		if (i == t->l1.places)
			continue;
		switch (m->word) {
		case SIM_WORD_INVALIDATE:
			account(&t->count, t, i);
			sim_l1_empty(&t->l1, i);
			break;
		case SIM_WORD_DOWNGRADE:
			t->l1.tag[i] |= SIM_L1_READONLY;
			break;
		case SIM_WORD_CONTENDED:
			t->l1.tag[i] |= SIM_L1_CONTENDED;
			break;
		case SIM_WORD_CALM:
			t->l1.tag[i] &= ~SIM_L1_CONTENDED;
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
	for (size_t i = 0; t->l1.tag && i < t->l1.places; i++)
		if (t->l1.tag[i])
			account(out, t, i);
}
