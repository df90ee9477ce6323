#include "threads/line_copies.h"

#include <stdlib.h>

void sim_copies_tell(struct sim_machine *m, unsigned slot, uint64_t line, enum sim_word word)
{
	struct sim_thread *const t = m->at[slot];

	if (!t)
		return;
	if (t->n_inbox == t->inbox_room) {
		const size_t room = t->inbox_room ? t->inbox_room * 2 : 64;
		struct sim_message *const p = realloc(t->inbox, room * sizeof *p);

		if (!p) {
			m->lost = 1;
			return;
		}
		t->inbox = p;
		t->inbox_room = room;
	}
	t->inbox[t->n_inbox++] = (struct sim_message){.line = line, .word = word};
}

struct sim_cache *sim_copies_llc(const struct sim_machine *m, unsigned slot)
{
	return &m->llc[m->cluster[slot]];
}

int sim_copies_held(const struct sim_holder *h)
{
	uint64_t any = 0;

	for (uint32_t i = 0; i < h->words; i++)
		any |= sim_holder_slots(h, i);
	return any != 0;
}

void sim_copies_take(struct sim_machine *m, struct sim_holder *h, unsigned slot)
{
	const uint64_t line = h->line1 - 1;
	uint64_t *w;

	if (sim_holder_has(h, 1, slot))
		sim_copies_tell(m, slot, line, SIM_WORD_INVALIDATE);
	if (sim_holder_has(h, 2, slot)) {
		w = sim_cache_find(&m->l2[slot], line, 0);
		if (w)
			sim_cache_remove(&m->l2[slot], w);
	}
	sim_holder_remove(h, 1, slot);
	sim_holder_remove(h, 2, slot);
}

/* An inclusive LLC that loses a line takes it from the cores below it: 1 when one had
 * modified it. */
static int back_invalidate(struct sim_machine *m, const struct sim_cache *llc, uint64_t line)
{
	struct sim_holder *const h = sim_directory_find(&m->directory, line);
	int dirty = 0;

	if (!h)
		return 0;
	for (uint32_t i = 0; i < h->words; i++)
		for (uint64_t bits = sim_holder_slots(h, i); bits; bits &= bits - 1) {
			const unsigned s = i * 64 + (unsigned)__builtin_ctzll(bits);

			if (sim_copies_llc(m, s) != llc)
				continue;
			sim_copies_take(m, h, s);
			if (h->owner != s)
				continue;
			dirty = h->dirty;
			h->owner = SIM_NOBODY;
			h->dirty = 0;
		}
	if (!sim_copies_held(h))
		sim_directory_drop(&m->directory, h);
	return dirty;
}

void sim_copies_into_llc(struct sim_machine *m, struct sim_thread *t, struct sim_cache *llc,
	uint64_t line, int dirty)
{
	uint64_t victim;

	if (!llc->way) {
		t->late.write_backs += dirty != 0;
		return;
	}
	victim = sim_cache_insert(llc, line, dirty);
	if (!victim)
		return;
	dirty = victim & 1;
	if (m->o->machine.llc.inclusive)
		dirty |= back_invalidate(m, llc, (victim >> 1) - 1);
	t->late.write_backs += (uint64_t)dirty;
}

/* A modified line comes back from a private cache. */
static void write_back(struct sim_machine *m, struct sim_thread *t, unsigned slot, uint64_t line)
{
	struct sim_cache *const llc = sim_copies_llc(m, slot);
	uint64_t *const w = sim_cache_find(llc, line, 0);

	if (w)
		*w |= 1;
	else
		sim_copies_into_llc(m, t, llc, line, 1);
}

/* After a slot lost the line from its L1 or L2: the last copy takes the entry with it, a modified
 * one goes to the LLC. */
static void lost(struct sim_machine *m, struct sim_thread *t, struct sim_holder *h, unsigned slot)
{
	const uint64_t line = h->line1 - 1;
	int dirty = 0;

	if (sim_holder_has(h, 1, slot) || sim_holder_has(h, 2, slot))
		return;
	if (h->owner == slot) {
		dirty = h->dirty;
		h->owner = SIM_NOBODY;
		h->dirty = 0;
	}
	if (!sim_copies_held(h))
		sim_directory_drop(&m->directory, h);
	if (dirty)
		write_back(m, t, slot, line);
}

void sim_copies_into_l2(struct sim_machine *m, struct sim_thread *t, unsigned slot, uint64_t line)
{
	struct sim_holder *h;
	uint64_t victim;

	if (!m->l2[slot].way)
		return;
	victim = sim_cache_insert(&m->l2[slot], line, 0) >> 1;
	h = victim ? sim_directory_find(&m->directory, victim - 1) : NULL;
	if (!h)
		return;
	sim_holder_remove(h, 2, slot);
	if (m->o->machine.l2.inclusive && sim_holder_has(h, 1, slot)) {
		sim_copies_tell(m, slot, victim - 1, SIM_WORD_INVALIDATE);
		sim_holder_remove(h, 1, slot);
	}
	lost(m, t, h, slot);
}

void sim_copies_out_of_l1(struct sim_machine *m, struct sim_thread *t, uint64_t line)
{
	struct sim_holder *const h = sim_directory_find(&m->directory, line);

	if (!h || !sim_holder_has(h, 1, t->slot))
		return; /* taken from it meanwhile */
	sim_holder_remove(h, 1, t->slot);
	if (h->owner == t->slot && h->dirty && m->l2[t->slot].way &&
		!sim_holder_has(h, 2, t->slot)) {
		sim_holder_add(h, 2, t->slot);
		sim_copies_into_l2(m, t, t->slot, line);
		return;
	}
	lost(m, t, h, t->slot);
}
