#include "threads/guest_thread.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/mman.h>

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

void sim_thread_settle(struct sim_thread *t)
{
	const struct sim_block *const b = t->block;
	const uint64_t runs = sim_thread_unsettled(t);

	t->again = t->again_most = 0;
	if (!runs)
		return;
	__atomic_store_n(&t->base, t->base + runs * b->n_ins, __ATOMIC_RELAXED);
	t->blocks[b->number].runs += runs;
	t->blocks[b->number].back += runs;
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
	sim_thread_account(&t->count, t, i);
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
			sim_thread_account(&t->count, t, i);
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

/* Counted by blocks, whether or not their accesses are modelled. */
static int is_always_counted(size_t k)
{
	static const size_t always[] = {offsetof(struct sim_counts, instructions),
		offsetof(struct sim_counts, loads), offsetof(struct sim_counts, stores),
		offsetof(struct sim_counts, conversions), offsetof(struct sim_counts, locked)};

	for (size_t i = 0; i < sizeof always / sizeof *always; i++)
		if (k == always[i] / sizeof(uint64_t))
			return 1;
	return 0;
}

static uint64_t counted(const struct sim_thread *t, size_t k)
{
	const uint64_t *const count = (const uint64_t *)&t->count, *const late =
									   (const uint64_t *)&t
										   ->late;

	if (k == SIM_ESTIMATED - 1)
		return t->stall;
	return is_always_counted(k) ? 0 : count[k] + late[k];
}

void sim_thread_mark(struct sim_thread *t)
{
	for (size_t k = 0; k < SIM_ESTIMATED; k++)
		t->mark[k] = counted(t, k);
}

void sim_thread_weigh(struct sim_thread *t, double times)
{
	for (size_t k = 0; k < SIM_ESTIMATED; k++) {
		const int64_t n = (int64_t)(counted(t, k) - t->mark[k]);

		t->extra[k] += (int64_t)(times * (double)n);
		if (times >= 0)
			t->part[k] = n;
	}
	sim_thread_mark(t);
}

void sim_thread_result(
	const struct sim_thread *t, const struct sim_block *const *block, struct sim_counts *out)
{
	const uint64_t *const add = (const uint64_t *)&t->late;
	uint64_t *const to = (uint64_t *)out;

	*out = t->count;
	for (size_t i = 0; i < sizeof *out / sizeof *to; i++)
		to[i] += add[i] + (uint64_t)t->extra[i];
	if (t->state != SIM_GONE)
		out->instructions = t->base + t->block->n_ins - t->skipped;
	for (size_t i = 0; i < t->n_blocks; i++)
		if (t->blocks[i].runs) {
			out->loads += t->blocks[i].runs * block[i]->each.loads;
			out->stores += t->blocks[i].runs * block[i]->each.stores;
			out->conversions += t->blocks[i].runs * block[i]->conversions;
			out->locked += t->blocks[i].runs * block[i]->locked;
		}
	for (size_t i = 0; t->near && i < t->l1.places; i++)
		if (t->l1.way->tag[i])
			sim_thread_account(out, t, i);
}
