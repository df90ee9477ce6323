#include "threads/single_thread.h"

void sim_single_begin(struct sim_machine *m, struct sim_thread *t)
{
	t->solo = m;
	t->l2 = &m->l2[t->slot];
	t->llc = &m->llc[m->cluster[t->slot]];
	t->latency = &m->o->latency;
}

/* An inclusive LLC that loses a line takes it from the core: 1 when that had modified it. */
static int back_invalidate(struct sim_thread *t, uint64_t line)
{
	struct sim_cache *const l2 = t->l2;
	uint64_t *const w = sim_cache_find(l2, line, 0);
	int dirty = sim_thread_drop(t, line) == 1;

	if (w) {
		dirty |= *w & 1;
		sim_cache_remove(l2, w);
	}
	return dirty;
}

static void llc_insert(struct sim_thread *t, uint64_t line, int dirty)
{
	struct sim_cache *const llc = t->llc;
	uint64_t victim;

	if (!llc->way) {
		t->late.write_backs += dirty != 0;
		return;
	}
	victim = sim_cache_insert(llc, line, dirty);
	if (!victim)
		return;
	dirty = victim & 1;
	if (t->solo->o->machine.llc.inclusive)
		dirty |= back_invalidate(t, (victim >> 1) - 1);
	t->late.write_backs += (uint64_t)dirty;
}

static void write_back(struct sim_thread *t, uint64_t line)
{
	uint64_t *const w = sim_cache_find(t->llc, line, 0);

	if (w)
		*w |= 1;
	else
		llc_insert(t, line, 1);
}

/* L2 takes a line; what it loses for it stays modified in L1 if it is there, else goes on. */
static void l2_insert(struct sim_thread *t, uint64_t line, int dirty)
{
	const uint64_t victim = sim_cache_insert(t->l2, line, dirty);
	int modified = victim & 1, above;

	if (!victim)
		return;
	if (t->solo->o->machine.l2.inclusive) {
		above = sim_thread_drop(t, (victim >> 1) - 1);
		modified |= above == 1;
	} else if (sim_thread_holds(t, (victim >> 1) - 1, modified)) {
		return;
	}
	if (modified)
		write_back(t, (victim >> 1) - 1);
}

void sim_single_evict(struct sim_thread *t, uint64_t line)
{
	uint64_t *const w = sim_cache_find(t->l2, line, 0);

	if (w)
		*w |= 1;
	else if (t->l2->way)
		l2_insert(t, line, 1);
	else
		write_back(t, line);
}

static void fetch(struct sim_thread *t, uint64_t line, int in_llc)
{
	if (!in_llc) {
		t->late.llc_misses++;
		t->solo->unfilled += sim_cache_is_unfilled(t->llc, line);
		t->late.lines_in++;
		llc_insert(t, line, 0);
	}
	if (t->l2->way)
		l2_insert(t, line, 0);
}

void sim_single_fetch(struct sim_thread *t, uint64_t line, int in_llc)
{
	fetch(t, line, in_llc);
	line ^= 1;
	if (t->solo->o->machine.adjacent && t->l2->way && !sim_cache_find(t->l2, line, 0) &&
		!sim_thread_holds(t, line, 0))
		fetch(t, line, sim_cache_find(t->llc, line, 1) != NULL);
}

void sim_single_stream(struct sim_thread *t, uint64_t line, int dirty)
{
	struct sim_cache *const below[] = {t->l2, t->llc};

	for (size_t i = 0; i < 2; i++) {
		uint64_t *const w = sim_cache_find(below[i], line, 0);

		if (!w)
			continue;
		dirty |= *w & 1;
		sim_cache_remove(below[i], w);
	}
	t->late.write_backs += dirty != 0;
	t->stall += t->latency->memory / SIM_STREAM_BUFFERS;
}

static void enter(struct sim_machine *m, unsigned slot, uint64_t line, int dirty, unsigned level)
{
	struct sim_holder *const h = sim_directory_get(&m->directory, line);

	if (!h) {
		m->lost = 1;
		return;
	}
	sim_holder_add(h, level, slot);
	h->owner = (uint16_t)slot;
	h->dirty |= dirty != 0;
}

void sim_single_end(struct sim_machine *m, struct sim_thread *t)
{
	const struct sim_cache *const l2 = t->l2;

	for (size_t i = 0; i < t->l1.places; i++)
		if (t->l1.way->tag[i])
			enter(m, t->slot, sim_l1_line1(&t->l1, i) - 1, sim_l1_modified(&t->l1, i),
				1);
	for (size_t i = 0; l2->way && i < l2->sets * l2->ways; i++)
		if (l2->way[i])
			enter(m, t->slot, (l2->way[i] >> 1) - 1, l2->way[i] & 1, 2);
	t->solo = NULL;
}
