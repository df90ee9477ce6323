#include "simsolo.h"

static struct sim_cache *llc_of(const struct sim_machine *m, const struct sim_thread *t)
{
	return &m->llc[m->cluster[t->slot]];
}

/* An inclusive LLC that loses a line takes it from the core: 1 when that had modified it. */
static int back_invalidate(struct sim_machine *m, struct sim_thread *t, uint64_t line)
{
	struct sim_cache *const l2 = &m->l2[t->slot];
	uint64_t *const w = sim_cache_find(l2, line, 0);
	int dirty = sim_thread_drop(t, line) == 1;

	if (w) {
		dirty |= *w & 1;
		sim_cache_remove(l2, w);
	}
	return dirty;
}

static void llc_insert(struct sim_machine *m, struct sim_thread *t, uint64_t line, int dirty)
{
	struct sim_cache *const llc = llc_of(m, t);
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
		dirty |= back_invalidate(m, t, (victim >> 1) - 1);
	t->late.write_backs += (uint64_t)dirty;
}

static void write_back(struct sim_machine *m, struct sim_thread *t, uint64_t line)
{
	uint64_t *const w = sim_cache_find(llc_of(m, t), line, 0);

	if (w)
		*w |= 1;
	else
		llc_insert(m, t, line, 1);
}

/* L2 takes a line; what it loses for it stays modified in L1 if it is there, else goes on. */
static void l2_insert(struct sim_machine *m, struct sim_thread *t, uint64_t line, int dirty)
{
	const uint64_t victim = sim_cache_insert(&m->l2[t->slot], line, dirty);
	int modified = victim & 1, above;

	if (!victim)
		return;
	if (m->o->machine.l2.inclusive) {
		above = sim_thread_drop(t, (victim >> 1) - 1);
		modified |= above == 1;
	} else if (sim_thread_holds(t, (victim >> 1) - 1, modified)) {
		return;
	}
	if (modified)
		write_back(m, t, (victim >> 1) - 1);
}

static void evict_l1(struct sim_machine *m, struct sim_thread *t, uint64_t line, int dirty)
{
	struct sim_cache *const l2 = &m->l2[t->slot];
	uint64_t *w;

	if (!dirty)
		return;
	w = sim_cache_find(l2, line, 0);
	if (w)
		*w |= 1;
	else if (l2->way)
		l2_insert(m, t, line, 1);
	else
		write_back(m, t, line);
}

static uint64_t fetch(struct sim_machine *m, struct sim_thread *t, uint64_t line)
{
	const int there = sim_cache_find(llc_of(m, t), line, 1) != NULL;

	if (!there) {
		t->late.llc_misses++;
		t->late.lines_in++;
		llc_insert(m, t, line, 0);
	}
	if (m->l2[t->slot].way)
		l2_insert(m, t, line, 0);
	return there ? m->o->latency.llc : m->o->latency.memory;
}

uint64_t sim_solo_miss(struct sim_machine *m, struct sim_thread *t, uint64_t line, int store,
	uint64_t victim1, int dirty)
{
	struct sim_cache *const l2 = &m->l2[t->slot];
	uint64_t cycles;

	if (victim1)
		evict_l1(m, t, victim1 - 1, dirty);
	if (sim_cache_find(l2, line, 1))
		return m->o->latency.l2;
	t->late.l2_misses++;
	t->late.rfo += (uint64_t)store;
	cycles = fetch(m, t, line);
	line ^= 1;
	if (m->o->machine.adjacent && l2->way && !sim_cache_find(l2, line, 0) &&
		!sim_thread_holds(t, line, 0))
		fetch(m, t, line);
	return cycles;
}

static void enter(struct sim_machine *m, unsigned slot, uint64_t line, int dirty, int level)
{
	struct sim_holder *const h = sim_directory_get(&m->directory, line);

	if (!h) {
		m->lost = 1;
		return;
	}
	sim_bit_set(level == 1 ? h->in_l1 : h->in_l2, slot);
	h->owner = (uint16_t)slot;
	h->dirty |= dirty != 0;
}

void sim_solo_end(struct sim_machine *m, struct sim_thread *t)
{
	const struct sim_cache *const l2 = &m->l2[t->slot];

	for (size_t i = 0; i < t->l1.places; i++)
		if (t->l1.tag[i])
			enter(m, t->slot, sim_l1_line1(&t->l1, i) - 1, sim_l1_modified(&t->l1, i),
				1);
	for (size_t i = 0; l2->way && i < l2->sets * l2->ways; i++)
		if (l2->way[i])
			enter(m, t->slot, (l2->way[i] >> 1) - 1, l2->way[i] & 1, 2);
	t->solo = NULL;
}
