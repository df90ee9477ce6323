#include "thread.h"

#include <errno.h>
#include <stdlib.h>

#define LOOK 2048u /* direct-mapped guess of a line's way */

int sim_thread_open(struct sim_thread *t, const struct sd_sim_machine *m, const uint8_t *hot)
{
	const size_t lines = m->l1.bytes / m->line;

	*t = (struct sim_thread){.line_shift = (unsigned)__builtin_ctz(m->line),
		.page_shift = (unsigned)__builtin_ctz(m->page),
		.line_mask = m->line - 1,
		.look_mask = LOOK - 1,
		.ways = m->l1.ways,
		.sets = lines / m->l1.ways,
		.hot = hot,
		.slot = SIM_SLOTS};
	t->way = calloc(lines, sizeof *t->way);
	t->look = calloc(LOOK, sizeof *t->look);
	if (t->way && t->look && sim_tlb_open(&t->dtlb, m->dtlb_entries, m->dtlb_ways) == 0 &&
		sim_tlb_open(&t->stlb, m->stlb_entries, m->stlb_ways) == 0 &&
		sim_reuse_open(&t->reuse) == 0 && sim_conflict_open(&t->conflict, lines) == 0)
		return 0;
	sim_thread_close(t);
	return -ENOMEM;
}

void sim_thread_close(struct sim_thread *t)
{
	free(t->way);
	free(t->look);
	sim_tlb_close(&t->dtlb);
	sim_tlb_close(&t->stlb);
	sim_reuse_close(&t->reuse);
	sim_conflict_close(&t->conflict);
	sim_pages_close(&t->pages);
	free(t->blocks);
	free(t->event);
	free(t->inbox);
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

/* A line leaves L1: what of it was used. */
static void account(struct sim_counts *c, const struct sim_l1_way *w)
{
	c->bytes_used += (unsigned)__builtin_popcountll(w->used);
	c->lines_unused += w->stamp == w->born;
}

static uint32_t translate(struct sim_thread *t, uint64_t page)
{
	uint32_t at, ignored;

	if (sim_tlb_use(&t->dtlb, page, t->tick, &at))
		return at;
	t->count.dtlb_misses++;
	if (!sim_tlb_use(&t->stlb, page, t->tick, &ignored)) {
		t->count.stlb_misses++;
		sim_pages_add(&t->pages, page);
	}
	return at;
}

/* The way of a line, or the one that it will replace. */
static struct sim_l1_way *find(const struct sim_thread *t, uint64_t line)
{
	struct sim_l1_way *const set = t->way + (line & (t->sets - 1)) * t->ways, *oldest = set;

	for (unsigned i = 0; i < t->ways; i++) {
		if (set[i].line1 == line + 1)
			return &set[i];
		if (oldest->line1 && (!set[i].line1 || set[i].stamp < oldest->stamp))
			oldest = &set[i];
	}
	return oldest;
}

static void miss(struct sim_thread *t, struct sim_l1_way *w, struct sim_event *e)
{
	const uint64_t line = e->address >> t->line_shift;

	e->kind = SIM_EVENT_MISS;
	e->victim1 = w->line1;
	t->count.l1_misses++;
	t->count.brought++;
	if (t->block && t->block->number < t->n_blocks)
		t->blocks[t->block->number].moved++;
	sim_conflict_miss(
		&t->conflict, line, e->address, e->ins->pc, t->way, (size_t)t->sets * t->ways);
	if (w->line1) {
		account(&t->count, w);
		sim_conflict_evict(&t->conflict, w->line1 - 1, w->stamp, t->tick);
	}
	*w = (struct sim_l1_way){.line1 = line + 1,
		.born = t->tick,
		.flags = (t->hot[sim_hot(line)] ? SIM_L1_CONTENDED : 0) |
			 (sim_reuse_wants(&t->reuse, line) ? SIM_L1_SAMPLED : 0)};
}

/* An access within one line. */
static void within(
	struct sim_thread *t, uint64_t address, unsigned size, int store, const struct sim_ins *ins)
{
	const uint64_t line = address >> t->line_shift;
	const uint32_t tlb = translate(t, address >> t->page_shift);
	const int locked = (ins->flags & SIM_INS_LOCKED) != 0;
	struct sim_l1_way *const w = find(t, line);
	struct sim_event e = {.time = t->base + ins->index,
		.address = address,
		.ins = ins,
		.size = (uint8_t)size,
		.kind = SIM_EVENT_HIT,
		.store = store != 0,
		.locked = (uint8_t)locked,
		.watched = w->line1 == line + 1 && w->flags & SIM_L1_CONTENDED};

	if (w->line1 != line + 1) {
		miss(t, w, &e);
		e.watched = (w->flags & SIM_L1_CONTENDED) != 0;
		sim_thread_log(t, &e);
		if (ins->flags & SIM_INS_CALL) {
			t->stack_low =
				t->stack_low && t->stack_low < address ? t->stack_low : address;
			t->stack_high = t->stack_high > address ? t->stack_high : address;
		}
	} else if (locked || w->flags & SIM_L1_CONTENDED ||
		   (store && !(w->flags & SIM_L1_WRITABLE))) {
		sim_thread_log(t, &e);
	}
	if (store)
		w->flags |= SIM_L1_WRITABLE;
	if (w->flags & SIM_L1_SAMPLED)
		sim_reuse_add(&t->reuse, line);
	w->stamp = t->tick;
	w->tlb = tlb;
	w->used |= (size < 64 ? (1ull << size) - 1 : ~0ull) << (address & t->line_mask);
	t->look[line & t->look_mask] = (uint16_t)(w - t->way);
}

void sim_thread_slow(
	struct sim_thread *t, uint64_t address, unsigned size, int store, const struct sim_ins *ins)
{
	t->tick++;
	while (size) {
		const uint64_t room = t->line_mask + 1 - (address & t->line_mask);
		const unsigned part = size < room ? size : (unsigned)room;

		within(t, address, part, store, ins);
		address += part;
		size -= part;
	}
}

void sim_thread_obey(struct sim_thread *t)
{
	for (size_t i = 0; i < t->n_inbox; i++) {
		const struct sim_message *const m = &t->inbox[i];
		struct sim_l1_way *const w = find(t, m->line);

		if (w->line1 != m->line + 1)
			continue;
		switch (m->word) {
		case SIM_WORD_INVALIDATE:
			account(&t->count, w);
			*w = (struct sim_l1_way){0};
			break;
		case SIM_WORD_DOWNGRADE:
			w->flags &= ~(unsigned)SIM_L1_WRITABLE;
			break;
		case SIM_WORD_CONTENDED:
			w->flags |= SIM_L1_CONTENDED;
			break;
		case SIM_WORD_CALM:
			w->flags &= ~(unsigned)SIM_L1_CONTENDED;
			break;
		}
	}
	t->n_inbox = 0;
}

void sim_thread_result(const struct sim_thread *t, struct sim_counts *out)
{
	const uint64_t *const add = (const uint64_t *)&t->late;
	uint64_t *const to = (uint64_t *)out;

	*out = t->count;
	if (t->state != SIM_GONE)
		out->instructions = t->base + t->n_ins;
	for (size_t i = 0; i < sizeof *out / sizeof *to; i++)
		to[i] += add[i];
	for (size_t i = 0; t->way && i < (size_t)t->sets * t->ways; i++)
		if (t->way[i].line1)
			account(out, &t->way[i]);
}
