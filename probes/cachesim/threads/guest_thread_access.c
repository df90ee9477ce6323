#include "threads/guest_thread.h"

#include "threads/single_thread.h"

static __attribute__((noinline)) uint32_t translate_anew(
	struct sim_thread *t, uint64_t address, int store, uint32_t *look)
{
	const uint64_t now = t->near->fast.tick;
	const int huge = t->page_shift < SIM_HUGE_SHIFT && sim_huge_has(t->huge, address);
	uint32_t ignored;

	if (sim_tlb_use(&t->dtlb, address, huge, now, look))
		return *look;
	t->count.dtlb_misses++;
	t->count.dtlb_stores += (uint64_t)store;
	if (!sim_tlb_use(&t->stlb, address, huge, now, &ignored)) {
		t->count.stlb_misses++;
		t->count.stlb_stores += (uint64_t)store;
		sim_pages_add(
			&t->pages, (huge ? address >> SIM_HUGE_SHIFT << SIM_HUGE_SHIFT : address) >>
					   t->page_shift);
	}
	return *look;
}

/* The way of the DTLB that has the page of an address, from now on. */
static inline uint32_t translate(
	struct sim_thread *t, struct sim_fast *f, uint64_t address, int store)
{
	uint32_t *const look = &t->page_look[sim_page_look(address)];

	if (__builtin_expect(address - f->dtlb.first[*look] >= f->page_bytes, 0))
		return translate_anew(t, address, store, look);
	f->dtlb.stamp[*look] = f->tick;
	return *look;
}

/* Forces inlining, so that the compiler specialises each access by its constant arguments. */
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
		/* most of what L1 misses is in L2: the set of the last level is not looked for yet
		 */
		sim_cache_expect(t->l2->way ? t->l2 : t->llc, line);
		if (dirty && old)
			sim_cache_expect(t->l2->way ? t->l2 : t->llc, old - 1);
	}
	t->count.l1_misses++;
	if (t->block->number < t->n_blocks)
		t->blocks[t->block->number].moved++;
	sim_conflict_miss(&t->conflict, line, address, pc, f->l1.stamp, t->l1.places);
	if (old) {
		sim_thread_account(&t->count, t, i);
		sim_conflict_evict(&t->conflict, old, f->l1.stamp[i], f->tick);
	}
	if (solo) {
		f->l1.tag[i] = 0; /* L1 has it no longer */
		sim_single_miss(t, line, store, old, dirty);
	}
	f->l1.tag[i] = (line + 1) | SIM_L1_READONLY |
		       (!solo && t->hot[sim_hot(line)] ? SIM_L1_CONTENDED : 0) |
		       (!solo && t->follows ? SIM_L1_FOLLOWED : 0) |
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
	e.time = sim_thread_now(t, e.ins);
	e.locked = (e.ins->flags & SIM_INS_LOCKED) != 0;
	sim_thread_log(t, e);
}

/* Is it within the core's window behind the miss of its line? */
static __attribute__((noinline)) int is_followed(
	struct sim_thread *t, uint64_t line, const struct sim_ins *ins, int miss)
{
	const uint64_t now = sim_thread_now(t, ins);

	if (miss)
		t->followed[t->n_followed++ % SIM_RECENT] =
			(struct sim_recent){.line1 = line + 1, .time = now};
	for (unsigned i = 0; i < SIM_RECENT; i++)
		if (t->followed[i].line1 == line + 1)
			return now - t->followed[i].time <= t->follows;
	return 0;
}

/* An access to some bytes of one line. */
ALWAYS_INLINE void within(struct sim_thread *t, uint64_t address, uint64_t line, uint64_t bytes,
	unsigned size, int store, const struct sim_ins *ins, int solo, unsigned ways)
{
	struct sim_fast *const f = &t->near->fast;
	const uint32_t tlb = translate(t, f, address, store != 0);
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
	if (!solo && (miss || ins->flags & SIM_INS_LOCKED ||
			     f->l1.tag[i] & (SIM_L1_CONTENDED | SIM_L1_FOLLOWED) ||
			     (store && !sim_l1_modified(&t->l1, i))))
		tell(t, (struct sim_event){.address = address,
				.victim1 = victim1,
				.ins = ins,
				.size = (uint8_t)size,
				.kind = miss ? SIM_EVENT_MISS : SIM_EVENT_HIT,
				.store = store != 0,
				.watched = (f->l1.tag[i] & SIM_L1_CONTENDED) != 0});
	if (!solo && f->l1.tag[i] & SIM_L1_FOLLOWED && !is_followed(t, line, ins, miss))
		f->l1.tag[i] &= ~SIM_L1_FOLLOWED;
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

void sim_thread_tell(struct sim_thread *t, unsigned size, int store, const struct sim_ins *ins)
{
	if (t->measuring)
		measure(t, size, store, ins);
}

void sim_thread_slow(
	struct sim_thread *t, uint64_t address, unsigned size, int store, const struct sim_ins *ins)
{
	sim_thread_tell(t, size, store, ins);
	t->near->fast.tick += SIM_TICK;
	while (size) { /* the part of each line */
		const uint64_t at = address & t->line_mask;
		const unsigned room = (unsigned)(t->line_mask + 1 - at),
			       part = size < room ? size : room;
		const uint64_t bytes = (part < 64 ? (1ull << part) - 1 : ~0ull) << at;

		if (store && ins->flags & SIM_INS_STREAMS) {
			translate(t, &t->near->fast, address, 1);
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
