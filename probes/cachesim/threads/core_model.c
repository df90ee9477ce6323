#include "threads/core_model.h"

#include "threads/line_copies.h"
#include "threads/line_moves.h"
#include "threads/store_window.h"

/* Cycles of the bus are kept in hundredths. */
#define HUNDRED 100u

#define COUNT(t, id) ((t)->modelled[SD_MODELLED_##id]++)

/* Counts of a request for a line: the first of four by holder, and of four by state found. */
struct asking {
	enum sd_modelled_count from, found, occupancy;
};
static const struct asking a_load = {
	SD_MODELLED_LOAD_LLC, SD_MODELLED_LOAD_FOUND_M, SD_MODELLED_LOAD_OCCUPANCY};
static const struct asking a_store = {
	SD_MODELLED_STORE_LLC, SD_MODELLED_STORE_FOUND_M, SD_MODELLED_COUNT};
static const struct asking a_lock = {
	SD_MODELLED_STORE_LLC, SD_MODELLED_LOCK_FOUND_M, SD_MODELLED_COUNT};
static const struct asking a_prefetch = {
	SD_MODELLED_PREFETCH_LLC, SD_MODELLED_COUNT, SD_MODELLED_PREFETCH_OCCUPANCY};
static const struct asking a_prefetch_to_own = {
	SD_MODELLED_OWN_LLC, SD_MODELLED_COUNT, SD_MODELLED_COUNT};

static int is_prefetch(const struct asking *who)
{
	return who == &a_prefetch || who == &a_prefetch_to_own;
}

/* ---- time ------------------------------------------------------------------------------------ */

/* A thread that asks for a line from there waits for this. A line that others have, and that is
 * asked for to be written, is taken from them, whoever sends it. */
static struct sim_stall_reason why_of(
	enum sim_source from, int taken, uint64_t turn, const struct sim_stall_reason *under_way)
{
	if (from == SIM_FROM_PEER || from == SIM_FROM_FAR || taken)
		return (struct sim_stall_reason){.kind = SIM_STALL_TRANSFER};
	if (from == SIM_FROM_MEMORY)
		return (struct sim_stall_reason){SIM_STALL_MEMORY, turn};
	return under_way ? *under_way : (struct sim_stall_reason){.kind = SIM_STALL_LLC};
}

static struct sim_arrival *arrival_of(struct sim_machine *m, uint64_t line)
{
	return &m->arrival[sim_hash(line) % SIM_ARRIVALS];
}

/* When a line that somebody requested is there; 0: nothing is known to be under way. */
static uint64_t coming(struct sim_machine *m, uint64_t line)
{
	const struct sim_arrival *const a = arrival_of(m, line);

	return a->line1 == line + 1 ? a->until : 0;
}

/* One line passes the bus, not before `now`: when its turn is. */
static uint64_t pass(struct sim_machine *m, uint64_t now)
{
	const uint64_t at = now * HUNDRED > m->bus_free ? now * HUNDRED : m->bus_free;

	m->bus_free = at + m->o->bus;
	return at / HUNDRED;
}

void sim_core_left(struct sim_machine *m, struct sim_thread *t, uint64_t now, uint64_t written_back,
	int streamed)
{
	t->modelled[SD_MODELLED_WRITEBACKS] += written_back;
	for (uint64_t i = 0; i < written_back + (streamed != 0); i++)
		pass(m, now);
}

static uint64_t later(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

static uint64_t latency_of(const struct sim_machine *m, enum sim_source from)
{
	const struct sim_latency *const l = &m->o->latency;

	switch (from) {
	case SIM_FROM_LLC:
		return l->llc;
	case SIM_FROM_PEER:
		return l->transfer;
	case SIM_FROM_FAR:
		return m->o->far;
	default:
		return l->memory;
	}
}

static int is_beyond(enum sim_source from)
{
	return from == SIM_FROM_FAR || from == SIM_FROM_MEMORY;
}

/* ---- the line -------------------------------------------------------------------------------- */

/* State of the line in the own LLC: 0 M, 1 E, 2 S, 3 I. */
static unsigned found_in_llc(struct sim_machine *m, const struct sim_thread *t, uint64_t line,
	const struct sim_holder *h)
{
	const uint64_t *const w = sim_cache_find(sim_copies_llc(m, t->slot), line, 0);
	const int owned = h && h->owner != SIM_NOBODY && h->dirty &&
			  m->cluster[h->owner] == m->cluster[t->slot];

	if (owned || (w && *w & 1))
		return 0;
	if (!w)
		return 3;
	return sim_moves_far(m, t, line, h) ? 2 : 1;
}

static void note_found(struct sim_machine *m, struct sim_thread *t, uint64_t line,
	const struct sim_holder *h, const struct asking *who)
{
	const unsigned found = found_in_llc(m, t, line, h);

	t->modelled[who->found + found]++;
	/* a locked access looks again once its line came, which is its own then */
	if (who == &a_lock && found == 3)
		COUNT(t, LOCK_FOUND_E);
}

/* Has another core of the cluster the line in its private caches? */
static int has_peer(
	const struct sim_machine *m, const struct sim_thread *t, const struct sim_holder *h)
{
	for (unsigned s = 0; h && s < SIM_SLOTS; s++)
		if (m->at[s] && s != t->slot && m->cluster[s] == m->cluster[t->slot] &&
			(sim_holder_has(h, 1, s) || sim_holder_has(h, 2, s)))
			return 1;
	return 0;
}

/* The line comes into the private caches; returns when it is there, not before `now`. */
static uint64_t bring(struct sim_machine *m, struct sim_thread *t, uint64_t line,
	const struct asking *who, uint64_t now, struct sim_moved *moved)
{
	const int store = who != &a_load && who != &a_prefetch;
	struct sim_holder *const h = sim_directory_find(&m->directory, line);
	const unsigned owner = h ? h->owner : SIM_NOBODY;
	struct sim_arrival *const a = arrival_of(m, line);
	const int taken = store && sim_moves_far(m, t, line, h);
	const struct sim_stall_reason before = a->why;
	const uint64_t begun = later(now, coming(m, line));
	uint64_t at = begun, *w;

	if (has_peer(m, t, h))
		COUNT(t, SNOOPED);
	sim_moves_fetch(m, t, line, h, store, !is_prefetch(who), moved);
	t->modelled[who->from + moved->source]++;
	if (m->l2[t->slot].way)
		COUNT(t, L2_FILLS);
	if (moved->source == SIM_FROM_FAR) {
		struct sim_thread *const from = owner < SIM_SLOTS ? m->at[owner] : NULL;

		COUNT(from ? from : t, SUPPLIED_FAR);
		w = store ? NULL : sim_cache_find(sim_copies_llc(m, t->slot), line, 0);
		if (w)
			*w &= ~1ull; /* memory has it now, too */
	}
	if (is_beyond(moved->source))
		at = pass(m, at);
	a->why = why_of(moved->source, taken, at - begun, begun > now ? &before : NULL);
	at += latency_of(m, moved->source);
	if (is_beyond(moved->source) && who->occupancy != SD_MODELLED_COUNT)
		t->modelled[who->occupancy] += at - now;
	a->line1 = line + 1;
	a->until = at;
	return at;
}

/* ---- prefetch -------------------------------------------------------------------------------- */

static void prefetch(
	struct sim_machine *m, struct sim_thread *t, uint64_t line, int store, uint64_t now)
{
	const struct sim_holder *h = sim_directory_find(&m->directory, line);
	struct sim_moved moved = {0};
	struct sim_holder *left;

	if (h && (sim_holder_has(h, 1, t->slot) || sim_holder_has(h, 2, t->slot)))
		return;
	if (!m->l2[t->slot].way && sim_cache_find(sim_copies_llc(m, t->slot), line, 0))
		return;
	bring(m, t, line, store ? &a_prefetch_to_own : &a_prefetch, now, &moved);
	left = sim_directory_find(&m->directory, line);
	if (left)
		left->dirty = 0; /* nothing is written yet */
	if (m->l2[t->slot].way)
		return;
	/* it is in the LLC only: nobody owns it */
	if (left && left->owner == t->slot)
		left->owner = SIM_NOBODY;
	if (left && !sim_copies_held(left))
		sim_directory_drop(&m->directory, left);
}

/* The second line in a row begins a stream; then some lines ahead are fetched, up to the page. */
static void run_ahead(
	struct sim_machine *m, struct sim_thread *t, uint64_t line, int store, uint64_t now)
{
	struct sim_stream_head *oldest = t->head;
	const uint64_t page = line >> (12 - m->lines.line_shift);

	for (unsigned i = 0; i < SIM_STREAM_HEADS; i++) {
		struct sim_stream_head *const s = &t->head[i];

		if (s->used < oldest->used)
			oldest = s;
		if (s->next != line)
			continue;
		s->next = line + 1;
		s->used = now;
		for (uint64_t k = line + 1; k <= line + m->o->ahead; k++)
			if (k >> (12 - m->lines.line_shift) == page)
				prefetch(m, t, k, store, now);
		return;
	}
	*oldest = (struct sim_stream_head){.next = line + 1, .used = now};
}

/* ---- accesses -------------------------------------------------------------------------------- */

/* The line is in L1. */
static uint64_t hit(struct sim_machine *m, struct sim_thread *t, const struct sim_event *e,
	struct sim_holder *h, struct sim_moved *moved, uint64_t now)
{
	const uint64_t line = h->line1 - 1;
	const int is_far = e->store && h->owner != t->slot && sim_moves_far(m, t, line, h);
	struct sim_arrival *const a = arrival_of(m, line);
	uint64_t at;

	if (!e->store) {
		if (!sim_window_forwards(m, t, e, line) &&
			(sim_window_has_store(m, t, e, line, now) ||
				sim_window_missed(m, t, e, line)))
			COUNT(t, LOAD_MISSES);
		return 0;
	}
	sim_window_store(t, e, line);
	if (h->owner == t->slot) {
		h->dirty = 1;
		return 0;
	}
	note_found(m, t, line, h, e->locked ? &a_lock : &a_store);
	if (has_peer(m, t, h))
		COUNT(t, SNOOPED);
	sim_moves_own(m, t, h, moved);
	t->modelled[is_far ? SD_MODELLED_UPGRADES_FAR : SD_MODELLED_UPGRADES]++;
	at = later(now, coming(m, line)) + (is_far                      ? m->o->far
						   : moved->invalidated ? m->o->latency.transfer
									: m->o->latency.llc);
	*a = (struct sim_arrival){line + 1, at,
		{.kind = is_far || moved->invalidated ? SIM_STALL_TRANSFER : SIM_STALL_LLC}};
	if (e->locked) {
		sim_stall_reason_count(t->modelled, a->why, at - now);
		return at - now;
	}
	sim_window_behind(t, e, now, a);
	return 0;
}

/* Not in L1, nor to be brought: a store joins one of its own for the line, a load has what its own
 * store wrote, or waits with that store. What L1 took it for is put right. */
static int is_joined(struct sim_machine *m, struct sim_thread *t, const struct sim_event *e,
	uint64_t line, uint64_t now)
{
	const int is_own = sim_window_has_store(m, t, e, line, now);

	if (e->locked || !(is_own || sim_window_forwards(m, t, e, line)))
		return 0;
	if (e->store)
		sim_window_store(t, e, line);
	else if (is_own && !sim_window_forwards(m, t, e, line))
		COUNT(t, LOAD_MISSES);
	sim_copies_tell(m, t->slot, line, SIM_WORD_INVALIDATE);
	return 1;
}

/* In the private L2. */
static int is_in_l2(struct sim_machine *m, const struct sim_thread *t, uint64_t line,
	const struct sim_holder *h)
{
	return h && sim_holder_has(h, 2, t->slot) && sim_cache_find(&m->l2[t->slot], line, 1);
}

static uint64_t miss(struct sim_machine *m, struct sim_thread *t, const struct sim_event *e,
	struct sim_moved *moved, uint64_t now)
{
	const uint64_t line = e->address >> m->lines.line_shift;
	const int to_write = sim_window_writes(m, t, e, line);
	const struct asking *const who = e->locked              ? &a_lock
					 : e->store || to_write ? &a_store
								: &a_load;
	const uint64_t under_way = coming(m, line);
	struct sim_arrival came;
	uint64_t at;
	int waits;

	note_found(m, t, line, sim_directory_find(&m->directory, line), to_write ? &a_load : who);
	t->late.l2_misses++;
	t->late.rfo += e->store;
	at = bring(
		m, t, line, who, e->store && !e->locked ? later(now, t->pending.done) : now, moved);
	came = *arrival_of(m, line); /* before prefetches take its place */
	waits = is_beyond(moved->source) || (moved->source == SIM_FROM_LLC && under_way > now);
	if (!e->store && !e->locked && waits) {
		COUNT(t, LOAD_MISSES);
		t->modelled[SD_MODELLED_LOAD_LINE_MISSES] +=
			(uint64_t)(is_beyond(moved->source) && !to_write);
		sim_window_miss(t, e, line);
	}
	if (m->o->machine.adjacent && moved->source == SIM_FROM_MEMORY)
		prefetch(m, t, line ^ 1, 0, now);
	run_ahead(m, t, line, e->store, now);
	if (e->store && !e->locked) {
		sim_window_store(t, e, line);
		sim_window_behind(t, e, now, &came);
		return 0;
	}
	sim_stall_reason_count(t->modelled, came.why, at - now);
	if (waits)
		t->modelled[SD_MODELLED_STALLS_BEYOND] += at - now;
	return at - now;
}

uint64_t sim_core_access(struct sim_machine *m, struct sim_thread *t, const struct sim_event *e,
	struct sim_moved *moved)
{
	const uint64_t line = e->address >> m->lines.line_shift;
	const uint64_t full = sim_window_wait(m, t, e), now = e->time + t->stall + full;
	struct sim_holder *const h = sim_directory_find(&m->directory, line);
	uint64_t cycles = full;

	t->modelled[SD_MODELLED_LOCKED] += (uint64_t)(e->locked && !e->store);
	t->modelled[SD_MODELLED_STALLS_BEYOND] += full;
	sim_stall_reason_count(t->modelled, t->pending.why, full);
	if (h && sim_holder_has(h, 1, t->slot)) {
		cycles += hit(m, t, e, h, moved, now);
	} else if (!is_joined(m, t, e, line, now)) {
		if (e->kind == SIM_EVENT_HIT) { /* it was taken away, which its L1 did not know */
			t->late.l1_misses++;
			t->late.bytes_used += e->size;
		}
		COUNT(t, L1_FILLS);
		if (is_in_l2(m, t, line, h)) {
			sim_holder_add(h, 1, t->slot);
			cycles += m->o->latency.l2 + hit(m, t, e, h, moved, now);
		} else {
			cycles += miss(m, t, e, moved, now);
		}
	}
	t->modelled[SD_MODELLED_STALLS] += cycles;
	return cycles;
}
