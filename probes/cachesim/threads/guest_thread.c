#include "threads/guest_thread.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "threads/single_thread.h"

/* Never in huge pages, which a kernel may give unasked: most of it is not used. */
static struct sim_near *near_open(void)
{
	struct sim_near *const p = mmap(NULL, sizeof *p, PROT_READ | PROT_WRITE,
		MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (p == MAP_FAILED)
		return NULL;
	madvise(p, sizeof *p, MADV_NOHUGEPAGE);
	return p;
}

int sim_thread_open(struct sim_thread *t, const struct sd_sim_machine *m, const uint8_t *hot)
{
	const size_t lines = m->l1.bytes / m->line;

	*t = (struct sim_thread){.block = &sim_block_none,
		.line_shift = (unsigned)__builtin_ctz(m->line),
		.page_shift = (unsigned)__builtin_ctz(m->page),
		.line_mask = m->line - 1,
		.hot = hot,
		.slot = SIM_SLOTS};
	t->near = near_open();
	if (!t->near || sim_reuse_open(&t->reuse) || sim_conflict_open(&t->conflict, lines)) {
		sim_thread_close(t);
		return -ENOMEM;
	}
	t->near->fast.tick = SIM_BEGIN;
	t->near->fast.page_bytes = m->page;
	sim_l1_open(&t->l1, lines / m->l1.ways, m->l1.ways, &t->near->fast.l1);
	sim_tlb_open(&t->dtlb, m->dtlb_entries, m->dtlb_ways, t->page_shift, &t->near->fast.dtlb);
	sim_tlb_open(&t->stlb, m->stlb_entries, m->stlb_ways, t->page_shift, &t->near->stlb);
	t->resting = t->l1.places;
	return 0;
}

void sim_thread_retire(struct sim_thread *t)
{
	if (t->near)
		munmap(t->near, sizeof *t->near);
	free(t->event);
	free(t->inbox);
	t->near = NULL;
	t->event = NULL;
	t->inbox = NULL;
	t->n_event = t->room = t->next = t->n_inbox = t->inbox_room = 0;
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

void sim_thread_log(struct sim_thread *t, struct sim_event e)
{
	e.order = e.locked || e.kind == SIM_EVENT_SYNC ? sim_thread_order(t)
		  : t->orders ? __atomic_load_n(t->orders, __ATOMIC_RELAXED)
			      : 0;
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
	t->event[t->n_event++] = e;
}

void sim_thread_measure(struct sim_thread *t, int on)
{
	t->measuring = on;
	t->measure = (struct sim_measure){0};
	t->last_key = 0;
}

static unsigned bits_of(uint64_t x)
{
#ifdef __POPCNT__
	return (unsigned)__builtin_popcountll(x);
#else
	x -= x >> 1 & 0x5555555555555555;
	x = (x & 0x3333333333333333) + (x >> 2 & 0x3333333333333333);
	x = (x + (x >> 4)) & 0x0f0f0f0f0f0f0f0f;
	return (unsigned)(x * 0x0101010101010101 >> 56);
#endif
}

/* A line leaves L1: what of it was used. */
static inline void account(struct sim_counts *c, const struct sim_thread *t, size_t i)
{
	c->bytes_used += bits_of(t->l1.way->used[i]);
	c->lines_unused += (t->l1.way->stamp[i] & SIM_FRESH) != 0;
}

static __attribute__((noinline)) uint32_t translate_anew(
	struct sim_thread *t, uint64_t address, uint32_t *look)
{
	const uint64_t now = t->near->fast.tick;
	const int huge = t->page_shift < SIM_HUGE_SHIFT && sim_huge_has(t->huge, address);
	uint32_t ignored;

	if (sim_tlb_use(&t->dtlb, address, huge, now, look))
		return *look;
	t->count.dtlb_misses++;
	if (!sim_tlb_use(&t->stlb, address, huge, now, &ignored)) {
		t->count.stlb_misses++;
		sim_pages_add(
			&t->pages, (huge ? address >> SIM_HUGE_SHIFT << SIM_HUGE_SHIFT : address) >>
					   t->page_shift);
	}
	return *look;
}

/* The way of the DTLB that has the page of an address, from now on. */
static inline uint32_t translate(struct sim_thread *t, struct sim_fast *f, uint64_t address)
{
	uint32_t *const look = &t->page_look[sim_page_look(address)];

	if (__builtin_expect(address - f->dtlb.first[*look] >= f->page_bytes, 0))
		return translate_anew(t, address, look);
	f->dtlb.stamp[*look] = f->tick;
	return *look;
}

/* What the compiler is to know of an access, so that it makes a short way for each. */
#define ALWAYS_INLINE static inline __attribute__((always_inline))

/* Puts a line in place of the oldest of its set: where; *victim1: line number + 1 of what was
 * there, 0 none. */
ALWAYS_INLINE size_t replace(struct sim_thread *t, struct sim_fast *f, uint64_t address,
	uint64_t line, int store, uint64_t pc, int solo, unsigned ways, uint64_t *victim1)
{
	const size_t i = sim_l1_oldest_of(&t->l1, line, ways);
	const uint64_t old = sim_l1_line1(&t->l1, i);
	const int dirty = sim_l1_modified(&t->l1, i);

	if (solo) {
		sim_cache_expect(t->l2, line);
		sim_cache_expect(t->llc, line);
		if (dirty && old)
			sim_cache_expect(t->llc, old - 1);
	}
	t->count.l1_misses++;
	if (t->block->number < t->n_blocks)
		t->blocks[t->block->number].moved++;
	sim_conflict_miss(&t->conflict, line, address, pc, f->l1.stamp, t->l1.places);
	if (old) {
		account(&t->count, t, i);
		sim_conflict_evict(&t->conflict, old, f->l1.stamp[i], f->tick);
	}
	if (solo) {
		f->l1.tag[i] = 0; /* L1 has it no longer */
		sim_solo_miss(t, line, store, old, dirty);
	}
	f->l1.tag[i] = (line + 1) | SIM_L1_READONLY |
		       (!solo && t->hot[sim_hot(line)] ? SIM_L1_CONTENDED : 0) |
		       (sim_reuse_wants(&t->reuse, line) ? SIM_L1_SAMPLED : 0);
	f->l1.part[i] = sim_l1_part(&t->l1, line);
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
	uint64_t *const tag = t->l1.way->tag;

	if (t->resting < t->l1.places && !((tag[t->resting] ^ t->resting_line1) & SIM_L1_LINE1))
		tag[t->resting] |= SIM_L1_SAMPLED;
	tag[i] &= ~SIM_L1_SAMPLED;
	t->resting = t->l1.places;
	if (!sim_reuse_wants(&t->reuse, line)) /* the rate has fallen since it came */
		return;
	sim_reuse_add(&t->reuse, line);
	t->resting = i;
	t->resting_line1 = line + 1;
}

/* The shared part must see an access. */
static __attribute__((noinline)) void tell(struct sim_thread *t, struct sim_event e)
{
	e.time = t->base + e.ins->index;
	e.locked = (e.ins->flags & SIM_INS_LOCKED) != 0;
	sim_thread_log(t, e);
}

/* An access to some bytes of one line. */
ALWAYS_INLINE void within(struct sim_thread *t, uint64_t address, uint64_t line, uint64_t bytes,
	unsigned size, int store, const struct sim_ins *ins, int solo, unsigned ways)
{
	struct sim_fast *const f = &t->near->fast;
	const uint32_t tlb = translate(t, f, address);
	uint64_t victim1 = 0;
	size_t i = sim_l1_find_of(&t->l1, line, ways);
	const int miss = i == t->l1.places;

	if (__builtin_expect(miss, 1)) {
		i = replace(t, f, address, line, store, ins->pc, solo, ways, &victim1);
		if (store && ins->flags & SIM_INS_CALL) /* it may read where to, elsewhere */
			note_stack(t, address);
		f->l1.stamp[i] = sim_stamp(f->tick, i) | SIM_FRESH;
		f->l1.used[i] = bytes;
	} else {
		f->l1.stamp[i] = sim_stamp(f->tick, i);
		f->l1.used[i] |= bytes;
	}
	if (!solo && (miss || ins->flags & SIM_INS_LOCKED || f->l1.tag[i] & SIM_L1_CONTENDED ||
			     (store && !sim_l1_modified(&t->l1, i))))
		tell(t, (struct sim_event){.address = address,
				.victim1 = victim1,
				.ins = ins,
				.size = (uint8_t)size,
				.kind = miss ? SIM_EVENT_MISS : SIM_EVENT_HIT,
				.store = store != 0,
				.watched = (f->l1.tag[i] & SIM_L1_CONTENDED) != 0});
	if (store)
		f->l1.tag[i] &= ~SIM_L1_READONLY;
	if (f->l1.tag[i] & SIM_L1_SAMPLED)
		sample(t, i, line);
	f->look[sim_look(line)] = (uint32_t)i | tlb << 16;
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
	t->near->fast.tick += SIM_TICK;
	while (size) { /* the part of each line */
		const uint64_t at = address & t->line_mask;
		const unsigned room = (unsigned)(t->line_mask + 1 - at),
			       part = size < room ? size : room;
		const uint64_t bytes = (part < 64 ? (1ull << part) - 1 : ~0ull) << at;

		if (store && ins->flags & SIM_INS_STREAMS) {
			translate(t, &t->near->fast, address);
			sim_stream_store(t, address, bytes, part, ins);
		} else {
			within(t, address, address >> t->line_shift, bytes, part, store, ins,
				t->solo != NULL, t->l1.ways);
		}
		address += part;
		size -= part;
	}
}

void sim_thread_refused(struct sim_thread *t, uint64_t address, const struct sim_row *row,
	const struct sim_ins *ins)
{
	const uint64_t line = address >> 6, bytes = row->bytes[address & 63];

	t->near->fast.tick += SIM_TICK;
	if (t->solo && t->l1.ways == 8)
		within(t, address, line, bytes, row->size, row->store, ins, 1, 8);
	else if (t->solo && t->l1.ways == 12)
		within(t, address, line, bytes, row->size, row->store, ins, 1, 12);
	else if (t->solo)
		within(t, address, line, bytes, row->size, row->store, ins, 1, t->l1.ways);
	else
		within(t, address, line, bytes, row->size, row->store, ins, 0, t->l1.ways);
}

int sim_thread_holds(struct sim_thread *t, uint64_t line, int dirty)
{
	const size_t i = sim_l1_find(&t->l1, line);

	if (i == t->l1.places)
		return 0;
	if (dirty)
		t->l1.way->tag[i] &= ~SIM_L1_READONLY;
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
			t->l1.way->tag[i] |= SIM_L1_READONLY;
			break;
		case SIM_WORD_CONTENDED:
			t->l1.way->tag[i] |= SIM_L1_CONTENDED;
			break;
		case SIM_WORD_CALM:
			t->l1.way->tag[i] &= ~SIM_L1_CONTENDED;
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
		out->instructions = t->base + t->block->n_ins - t->skipped;
	for (size_t i = 0; i < t->n_blocks; i++)
		if (t->blocks[i].runs) {
			out->loads += t->blocks[i].runs * block[i]->each.loads;
			out->stores += t->blocks[i].runs * block[i]->each.stores;
			out->conversions += t->blocks[i].runs * block[i]->conversions;
		}
	for (size_t i = 0; t->near && i < t->l1.places; i++)
		if (t->l1.way->tag[i])
			account(out, t, i);
}
