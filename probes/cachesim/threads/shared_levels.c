#include "threads/shared_levels.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "threads/line_copies.h"

int sim_machine_open(struct sim_machine *m, const struct sim_options *o)
{
	const struct sd_sim_machine *const h = &o->machine;
	int rc;

	memset(m, 0, sizeof *m);
	m->o = o;
	m->llc_sharers = h->llc.sharers && h->llc.sharers < h->cores ? h->llc.sharers : h->cores;
	m->n_llc = (h->cores + m->llc_sharers - 1) / m->llc_sharers;
	m->llc = calloc(m->n_llc, sizeof *m->llc);
	rc = m->llc ? 0 : -ENOMEM;
	for (unsigned i = 0; rc == 0 && i < m->n_llc; i++)
		rc = sim_cache_open(&m->llc[i], h->llc.bytes, h->llc.ways, h->line);
	if (rc == 0)
		rc = sim_directory_open(&m->directory);
	if (rc == 0)
		rc = sim_lines_open(&m->lines, (unsigned)__builtin_ctz(h->line));
	if (rc)
		sim_machine_close(m);
	return rc;
}

void sim_machine_close(struct sim_machine *m)
{
	for (unsigned i = 0; m->llc && i < m->n_llc; i++)
		sim_cache_close(&m->llc[i]);
	for (unsigned i = 0; i < SIM_SLOTS; i++)
		sim_cache_close(&m->l2[i]);
	free(m->llc);
	sim_directory_close(&m->directory);
	sim_lines_close(&m->lines);
	m->llc = NULL;
}

/* A free slot of the thread's own core, else one never used, else any. */
static unsigned slot_for(const struct sim_machine *m, unsigned core)
{
	unsigned unused = SIM_SLOTS, any = SIM_SLOTS;

	for (unsigned i = SIM_SLOTS; i-- > 0;) {
		if (m->at[i])
			continue;
		any = i;
		if (!m->opened[i])
			unused = i;
		else if (m->core[i] == core)
			return i;
	}
	return unused < SIM_SLOTS ? unused : any;
}

void sim_machine_enter(struct sim_machine *m, struct sim_thread *t)
{
	const struct sd_sim_machine *const h = &m->o->machine;
	const unsigned s = slot_for(m, t->core);

	t->slot = SIM_SLOTS;
	if (s == SIM_SLOTS)
		return;
	if (!m->opened[s] && sim_cache_open(&m->l2[s], h->l2.bytes, h->l2.ways, h->line))
		return;
	m->opened[s] = 1;
	m->at[s] = t;
	t->slot = s;
	sim_machine_move(m, t, t->core);
}

void sim_machine_move(struct sim_machine *m, struct sim_thread *t, unsigned core)
{
	t->core = core;
	if (t->slot == SIM_SLOTS)
		return;
	m->core[t->slot] = core;
	m->cluster[t->slot] = core / m->llc_sharers;
}

void sim_machine_leave(struct sim_machine *m, struct sim_thread *t)
{
	if (t->slot == SIM_SLOTS)
		return;
	for (size_t i = 0; i < t->l1.places; i++)
		if (t->l1.way->tag[i])
			sim_copies_out_of_l1(m, t, sim_l1_line1(&t->l1, i) - 1);
	m->at[t->slot] = NULL;
	t->slot = SIM_SLOTS;
}

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
		if (sim_bit(h->in_l1, owner))
			sim_copies_tell(m, owner, h->line1 - 1, SIM_WORD_DOWNGRADE);
	}
	h->owner = SIM_NOBODY;
	return hitm;
}

/* Takes all other copies: how many of them were on other cores. */
static unsigned invalidate(struct sim_machine *m, const struct sim_thread *t, struct sim_holder *h)
{
	unsigned n = 0;

	for (unsigned i = 0; i < SIM_WORDS; i++) {
		uint64_t bits = h->in_l1[i] | h->in_l2[i];

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
	t->late.lines_in += !from_core;
	sim_copies_into_llc(m, t, llc, line, dirty);
	return *hitm ? cost->transfer : from_core ? cost->llc : cost->memory;
}

/* Brings the line into the slot's private caches. `demand` 0: a prefetch into L2. */
static uint64_t fetch(struct sim_machine *m, struct sim_thread *t, uint64_t line, int store,
	int demand, struct sim_moved *moved)
{
	struct sim_holder *const h = sim_directory_get(&m->directory, line);
	int had_dirty, from_core, hitm;
	uint64_t cycles;

	if (!h) {
		m->lost = 1;
		return 0;
	}
	had_dirty = h->owner != SIM_NOBODY && h->dirty;
	from_core = had_dirty;
	hitm = snoop(m, t, h, store);
	if (store) {
		moved->invalidated = invalidate(m, t, h);
		h->owner = (uint16_t)t->slot;
		h->dirty = 1;
	} else {
		h->owner = sim_copies_held(h) ? SIM_NOBODY : (uint16_t)t->slot;
		h->dirty = 0;
	}
	if (demand)
		sim_bit_set(h->in_l1, t->slot);
	if (m->l2[t->slot].way)
		sim_bit_set(h->in_l2, t->slot);
	cycles = fetch_llc(m, t, line, store, from_core, had_dirty && !store, &hitm);
	sim_copies_into_l2(m, t, t->slot, line);
	moved->hitm = hitm;
	if (hitm) {
		m->transfers++;
		t->late.hitm_store += store != 0;
		t->late.hitm_load += !store;
	}
	t->late.invalidations += moved->invalidated;
	return cycles;
}

/* A store to a private copy: E becomes M in silence, S asks the others. */
static uint64_t own(
	struct sim_machine *m, struct sim_thread *t, struct sim_holder *h, struct sim_moved *moved)
{
	if (h->owner == t->slot) {
		h->dirty = 1;
		return 0;
	}
	moved->upgrade = 1;
	moved->invalidated = invalidate(m, t, h);
	other_llcs(m, t, h->line1 - 1, 1);
	h->owner = (uint16_t)t->slot;
	h->dirty = 1;
	t->late.upgrades++;
	t->late.invalidations += moved->invalidated;
	return moved->invalidated ? m->o->latency.transfer : m->o->latency.llc;
}

static void prefetch(struct sim_machine *m, struct sim_thread *t, const struct sim_event *e,
	uint64_t line, const struct sim_thread *const *threads)
{
	const struct sim_holder *const h = sim_directory_find(&m->directory, line);
	struct sim_event of = *e;
	struct sim_moved moved = {0};
	enum sim_word word;

	if (!m->l2[t->slot].way ||
		(h && (sim_bit(h->in_l1, t->slot) || sim_bit(h->in_l2, t->slot))))
		return;
	of.address = line << m->lines.line_shift;
	of.size = 0;
	of.store = 0;
	fetch(m, t, line, 0, 0, &moved);
	if (moved.hitm)
		sim_lines_access(&m->lines, t, &of, &moved, threads, &word);
}

static uint64_t access_line(struct sim_machine *m, struct sim_thread *t, const struct sim_event *e,
	struct sim_moved *moved, const struct sim_thread *const *threads)
{
	const uint64_t line = e->address >> m->lines.line_shift;
	struct sim_holder *h = sim_directory_find(&m->directory, line);
	uint64_t cycles = 0;

	if (h && sim_bit(h->in_l1, t->slot))
		return e->store ? own(m, t, h, moved) : 0;
	if (e->kind == SIM_EVENT_HIT) { /* it was taken away, which its L1 did not know */
		t->late.l1_misses++;
		t->late.bytes_used += e->size;
	}
	if (h && sim_bit(h->in_l2, t->slot) && sim_cache_find(&m->l2[t->slot], line, 1)) {
		sim_bit_set(h->in_l1, t->slot);
		cycles = m->o->latency.l2;
		return cycles + (e->store ? own(m, t, h, moved) : 0);
	}
	t->late.l2_misses++;
	t->late.rfo += e->store;
	cycles = fetch(m, t, line, e->store, 1, moved);
	if (m->o->machine.adjacent)
		prefetch(m, t, e, line ^ 1, threads);
	return cycles;
}

/* A line is written past the caches: every copy goes, a modified one to memory. The thread goes on
 * when one of its buffers is free again. */
static uint64_t stream(
	struct sim_machine *m, struct sim_thread *t, uint64_t line, struct sim_moved *moved)
{
	struct sim_holder *const h = sim_directory_find(&m->directory, line);
	int dirty = 0;

	if (h) {
		dirty = h->owner != SIM_NOBODY && h->dirty;
		moved->invalidated = invalidate(m, t, h);
		sim_bit_clear(h->in_l1, t->slot); /* it knows */
		sim_copies_take(m, h, t->slot);
		sim_directory_drop(&m->directory, h);
	}
	for (unsigned i = 0; i < m->n_llc; i++) {
		uint64_t *const w = sim_cache_find(&m->llc[i], line, 0);

		if (!w)
			continue;
		dirty |= *w & 1;
		sim_cache_remove(&m->llc[i], w);
	}
	t->late.write_backs += (uint64_t)dirty;
	t->late.invalidations += moved->invalidated;
	return moved->invalidated ? m->o->latency.transfer
				  : m->o->latency.memory / SIM_STREAM_BUFFERS;
}

uint64_t sim_machine_event(struct sim_machine *m, struct sim_thread *t, const struct sim_event *e,
	const struct sim_thread *const *threads)
{
	const uint64_t line = e->address >> m->lines.line_shift;
	struct sim_moved moved = {0};
	enum sim_word word;
	uint64_t cycles;

	if (e->kind == SIM_EVENT_SYNC || t->slot == SIM_SLOTS)
		return 0;
	if (e->victim1)
		sim_copies_out_of_l1(m, t, e->victim1 - 1);
	cycles = e->kind == SIM_EVENT_STREAM ? stream(m, t, line, &moved)
					     : access_line(m, t, e, &moved, threads);
	if (sim_lines_access(&m->lines, t, e, &moved, threads, &word) &&
		e->watched != (word == SIM_WORD_CONTENDED))
		sim_copies_tell(m, t->slot, line, word);
	return cycles;
}
