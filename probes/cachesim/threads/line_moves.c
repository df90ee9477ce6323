#include "threads/line_moves.h"

#include "threads/line_copies.h"

/* Another slot's modified copy: it is given up for a store, shared for a load. 1 when it came from
 * another core. */
static int snoop(struct sim_machine *m, struct sim_thread *t, struct sim_holder *h, int store)
{
	const unsigned owner = h->owner;
	int hitm;

	if (owner == SIM_NOBODY || owner == t->slot)
		return 0;
	hitm = h->dirty && m->core[owner] != m->core[t->slot];
	if (!store && h->dirty) {
		if (sim_holder_has(h, 1, owner))
			sim_copies_tell(m, owner, h->line1 - 1, SIM_WORD_DOWNGRADE);
	}
	h->owner = SIM_NOBODY;
	return hitm;
}

unsigned sim_moves_invalidate(
	struct sim_machine *m, const struct sim_thread *t, struct sim_holder *h)
{
	unsigned n = 0;

	for (uint32_t i = 0; i < h->words; i++) {
		uint64_t bits = sim_holder_slots(h, i);

		for (; bits; bits &= bits - 1) {
			const unsigned s = i * 64 + (unsigned)__builtin_ctzll(bits);

			if (s == t->slot)
				continue;
			n += m->core[s] != m->core[t->slot];
			sim_copies_take(m, h, s);
		}
	}
	return n;
}

/* The copies that other clusters' LLCs have. 1 when one of them was modified; a store
 * takes them. */
static int other_llcs(struct sim_machine *m, const struct sim_thread *t, uint64_t line, int store)
{
	const struct sim_cache *const own = sim_copies_llc(m, t->slot);
	int dirty = 0;

	for (unsigned i = 0; m->n_llc > 1 && i < m->n_llc; i++) {
		uint64_t *const w = &m->llc[i] == own ? NULL : sim_cache_find(&m->llc[i], line, 0);

		if (!w)
			continue;
		dirty |= *w & 1;
		if (store)
			sim_cache_remove(&m->llc[i], w);
		else
			*w &= ~1ull;
	}
	return dirty;
}

/* The LLC's part of a fetch: cycles. `from_core`: another core's private cache has the data. */
static uint64_t fetch_llc(struct sim_machine *m, struct sim_thread *t, uint64_t line, int store,
	int from_core, int dirty, int *hitm)
{
	const struct sim_latency *const cost = &m->o->latency;
	struct sim_cache *const llc = sim_copies_llc(m, t->slot);
	uint64_t *const w = sim_cache_find(llc, line, 1);
	/* what the own one has is as good as theirs, but not theirs any more after a store */
	const int elsewhere = (!w || store) && other_llcs(m, t, line, store);

	if (elsewhere && !w && !from_core) {
		from_core = *hitm = 1;
		dirty = !store;
	}
	if (w) {
		if (dirty)
			*w |= 1;
		return *hitm ? cost->transfer : cost->llc;
	}
	t->late.llc_misses += !from_core;
	m->unfilled += !from_core && sim_cache_is_unfilled(llc, line);
	t->late.lines_in += !from_core;
	sim_copies_into_llc(m, t, llc, line, dirty);
	return *hitm ? cost->transfer : from_core ? cost->llc : cost->memory;
}

uint64_t sim_moves_fetch(struct sim_machine *m, struct sim_thread *t, uint64_t line,
	struct sim_holder *known, int store, int demand, struct sim_moved *moved)
{
	struct sim_holder *const h = known ? known : sim_directory_get(&m->directory, line);
	int had_dirty, from_core, is_far, hitm;
	uint64_t cycles, misses;

	if (!h) {
		m->lost = 1;
		return 0;
	}
	had_dirty = h->owner != SIM_NOBODY && h->dirty;
	from_core = had_dirty;
	is_far = had_dirty && m->cluster[h->owner] != m->cluster[t->slot];
	misses = t->late.llc_misses;
	hitm = snoop(m, t, h, store);
	moved->source = is_far ? SIM_FROM_FAR : hitm ? SIM_FROM_PEER : SIM_FROM_LLC;
	if (store) {
		moved->invalidated = sim_moves_invalidate(m, t, h);
		h->owner = (uint16_t)t->slot;
		h->dirty = 1;
	} else {
		h->owner = sim_copies_held(h) ? SIM_NOBODY : (uint16_t)t->slot;
		h->dirty = 0;
	}
	if (demand)
		sim_holder_add(h, 1, t->slot);
	if (m->l2[t->slot].way)
		sim_holder_add(h, 2, t->slot);
	cycles = fetch_llc(m, t, line, store, from_core, had_dirty && !store, &hitm);
	sim_copies_into_l2(m, t, t->slot, line);
	if (t->late.llc_misses > misses)
		moved->source = SIM_FROM_MEMORY;
	else if (hitm && moved->source == SIM_FROM_LLC)
		moved->source = SIM_FROM_FAR; /* another LLC had it */
	moved->hitm = hitm;
	if (hitm) {
		m->transfers++;
		t->late.hitm_store += store != 0;
		t->late.hitm_load += !store;
	}
	t->late.invalidations += moved->invalidated;
	return cycles;
}

uint64_t sim_moves_own(
	struct sim_machine *m, struct sim_thread *t, struct sim_holder *h, struct sim_moved *moved)
{
	if (h->owner == t->slot) {
		h->dirty = 1;
		return 0;
	}
	moved->upgrade = 1;
	moved->invalidated = sim_moves_invalidate(m, t, h);
	other_llcs(m, t, h->line1 - 1, 1);
	h->owner = (uint16_t)t->slot;
	h->dirty = 1;
	t->late.upgrades++;
	t->late.invalidations += moved->invalidated;
	return moved->invalidated ? m->o->latency.transfer : m->o->latency.llc;
}

int sim_moves_far(const struct sim_machine *m, const struct sim_thread *t, uint64_t line,
	const struct sim_holder *h)
{
	for (unsigned s = 0; h && s < SIM_SLOTS; s++)
		if (m->at[s] && m->cluster[s] != m->cluster[t->slot] &&
			(sim_holder_has(h, 1, s) || sim_holder_has(h, 2, s)))
			return 1;
	for (unsigned i = 0; m->n_llc > 1 && i < m->n_llc; i++)
		if (i != m->cluster[t->slot] && sim_cache_find(&m->llc[i], line, 0))
			return 1;
	return 0;
}
