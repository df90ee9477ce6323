#include "threads/shared_levels.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "threads/core_model.h"
#include "threads/line_copies.h"
#include "threads/line_moves.h"

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
	if (rc == 0 && o->instructions) {
		m->arrival = calloc(SIM_ARRIVALS, sizeof *m->arrival);
		rc = m->arrival ? 0 : -ENOMEM;
	}
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
	free(m->arrival);
	sim_directory_close(&m->directory);
	sim_lines_close(&m->lines);
	m->llc = NULL;
	m->arrival = NULL;
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
	if (sim_directory_widen(&m->directory, s) ||
		(!m->opened[s] && sim_cache_open(&m->l2[s], h->l2.bytes, h->l2.ways, h->line)))
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

static void prefetch(struct sim_machine *m, struct sim_thread *t, const struct sim_event *e,
	uint64_t line, const struct sim_thread *const *threads)
{
	struct sim_holder *const h = sim_directory_find(&m->directory, line);
	struct sim_event of = *e;
	struct sim_moved moved = {0};
	enum sim_word word;

	if (!m->l2[t->slot].way ||
		(h && (sim_holder_has(h, 1, t->slot) || sim_holder_has(h, 2, t->slot))))
		return;
	of.address = line << m->lines.line_shift;
	of.size = 0;
	of.store = 0;
	sim_moves_fetch(m, t, line, h, 0, 0, &moved);
	if (moved.hitm)
		sim_lines_access(&m->lines, t, &of, &moved, threads, &word);
}

static uint64_t access_line(struct sim_machine *m, struct sim_thread *t, const struct sim_event *e,
	struct sim_moved *moved, const struct sim_thread *const *threads)
{
	const uint64_t line = e->address >> m->lines.line_shift;
	struct sim_holder *h = sim_directory_find(&m->directory, line);
	uint64_t cycles = 0;

	if (h && sim_holder_has(h, 1, t->slot))
		return e->store ? sim_moves_own(m, t, h, moved) : 0;
	if (e->kind == SIM_EVENT_HIT) { /* it was taken away, which its L1 did not know */
		t->late.l1_misses++;
		t->late.bytes_used += e->size;
	}
	if (h && sim_holder_has(h, 2, t->slot) && sim_cache_find(&m->l2[t->slot], line, 1)) {
		sim_holder_add(h, 1, t->slot);
		cycles = m->o->latency.l2;
		return cycles + (e->store ? sim_moves_own(m, t, h, moved) : 0);
	}
	t->late.l2_misses++;
	t->late.rfo += e->store;
	cycles = sim_moves_fetch(m, t, line, h, e->store, 1, moved);
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
		moved->invalidated = sim_moves_invalidate(m, t, h);
		sim_holder_remove(h, 1, t->slot); /* it knows */
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

static void expect_later(
	const struct sim_machine *m, const struct sim_thread *t, const struct sim_event *e)
{
	const uint64_t line = e->address >> m->lines.line_shift;

	sim_directory_expect(&m->directory, line);
	if (e->victim1)
		sim_directory_expect(&m->directory, e->victim1 - 1);
	if (m->l2[t->slot].way)
		sim_cache_expect(&m->l2[t->slot], line);
}

/* The line that L2 will lose for it is looked for, too. */
static void expect_soon(
	const struct sim_machine *m, const struct sim_thread *t, const struct sim_event *e)
{
	const uint64_t line = e->address >> m->lines.line_shift;
	const struct sim_cache *const l2 = &m->l2[t->slot];
	uint64_t victim;

	if (l2->way) {
		if (sim_cache_has(l2, line))
			return;
		victim = sim_cache_last(l2, line);
		if (victim)
			sim_directory_expect(&m->directory, (victim >> 1) - 1);
	}
	sim_cache_expect(&m->llc[m->cluster[t->slot]], line);
}

void sim_machine_expect(const struct sim_machine *m, const struct sim_thread *t,
	const struct sim_event *later, const struct sim_event *soon)
{
	if (t->slot == SIM_SLOTS)
		return;
	if (later->kind == SIM_EVENT_MISS)
		expect_later(m, t, later);
	if (soon->kind == SIM_EVENT_MISS)
		expect_soon(m, t, soon);
}

uint64_t sim_machine_event(struct sim_machine *m, struct sim_thread *t, const struct sim_event *e,
	const struct sim_thread *const *threads)
{
	const uint64_t line = e->address >> m->lines.line_shift;
	struct sim_moved moved = {0};
	const uint64_t left = t->late.write_backs, now = e->time + t->stall;
	enum sim_word word;
	uint64_t cycles;

	if (e->kind == SIM_EVENT_SYNC || t->slot == SIM_SLOTS)
		return 0;
	m->events++;
	if (e->victim1)
		sim_copies_out_of_l1(m, t, e->victim1 - 1);
	cycles = e->kind == SIM_EVENT_STREAM ? stream(m, t, line, &moved)
		 : m->arrival                ? sim_core_access(m, t, e, &moved)
					     : access_line(m, t, e, &moved, threads);
	if (m->arrival)
		sim_core_left(m, t, now, t->late.write_backs - left, e->kind == SIM_EVENT_STREAM);
	if (sim_lines_access(&m->lines, t, e, &moved, threads, &word) &&
		e->watched != (word == SIM_WORD_CONTENDED))
		sim_copies_tell(m, t->slot, line, word);
	return cycles;
}
