#include "threads/sharing_lines.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "model/directory.h"

#define PLACES ((size_t)SIM_LINES_KEPT * 2)
#define FEW 8 /* transfers */
#define SOME 16
#define FIRSTS (sizeof((struct sim_lines *)0)->first / sizeof(uint64_t))

int sim_lines_open(struct sim_lines *l, unsigned line_shift)
{
	memset(l, 0, sizeof *l);
	l->line_shift = line_shift;
	l->line = calloc(SIM_LINES_KEPT, sizeof *l->line);
	return l->line ? 0 : -ENOMEM;
}

void sim_lines_close(struct sim_lines *l)
{
	free(l->line);
	l->line = NULL;
}

/* The place of the line's index, or the empty one where it would go. */
static uint16_t *place(struct sim_lines *l, uint64_t line)
{
	size_t i = sim_hash(line) & (PLACES - 1);

	while (l->at[i] && l->line[l->at[i] - 1].line1 != line + 1)
		i = (i + 1) & (PLACES - 1);
	return &l->at[i];
}

static struct sim_line_sharer *sharer_of(struct sim_line *x, unsigned thread)
{
	for (size_t i = 0; i < x->n_sharer; i++)
		if (x->sharer[i].thread == thread)
			return &x->sharer[i];
	if (x->n_sharer == SD_SIM_SHARERS)
		return NULL;
	x->sharer[x->n_sharer] = (struct sim_line_sharer){.thread = thread};
	return &x->sharer[x->n_sharer++];
}

/* A full table gives the place of the least accessed code that never moved the line. */
static struct sim_line_code *code_of(struct sim_line *x, uint64_t pc)
{
	struct sim_line_code *least = NULL;

	for (size_t i = 0; i < x->n_code; i++) {
		struct sim_line_code *const c = &x->code[i];

		if (c->pc == pc)
			return c;
		if (c->hitm == 0 && (!least || c->accesses < least->accesses))
			least = c;
	}
	if (x->n_code < SD_SIM_CODES)
		least = &x->code[x->n_code++];
	if (least)
		*least = (struct sim_line_code){.pc = pc};
	return least;
}

static void race(struct sim_lines *l, uint64_t line, uint64_t writer, uint64_t other, int byte)
{
	for (size_t i = 0; i < l->n_race; i++)
		if (l->race[i].line == line && l->race[i].writer == writer &&
			l->race[i].other == other) {
			l->race[i].bytes |= 1ull << byte;
			return;
		}
	l->n_race_seen++;
	if (l->n_race < SIM_LINES_RACES)
		l->race[l->n_race++] = (struct sim_race){line, writer, other, 1ull << byte};
}

/* Written by another thread, and neither it nor this one ordered itself between the two, as they
 * were really done: locked accesses do, and a thread's end does. */
static void suspect(struct sim_lines *l, const struct sim_line *x, const struct sim_thread *t,
	const struct sim_event *e, const struct sim_thread *const *threads, int byte)
{
	const struct sim_line_byte *const b = &x->byte[byte];
	const struct sim_thread *writer;

	if (!b->thread1 || b->thread1 - 1u == t->index || b->locked || e->locked)
		return;
	writer = threads[b->thread1 - 1];
	if (!sim_thread_ordered(writer, b->order, e->order) &&
		!sim_thread_ordered(t, b->order, e->order))
		race(l, (x->line1 - 1) << l->line_shift, b->ins->pc, e->ins->pc, byte);
}

/* 1 when a byte of the access comes modified from another thread: the move that it costs if every
 * byte has its own coherence. */
static int separately(
	struct sim_line *x, struct sim_line_sharer *s, uint64_t mask, unsigned thread, int store)
{
	const uint64_t missing = mask & ~s->valid;
	int moved = 0;

	for (uint64_t left = missing; left; left &= left - 1) {
		struct sim_line_byte *const b = &x->byte[__builtin_ctzll(left)];

		if (b->dirty && b->thread1 && b->thread1 - 1u != thread) {
			moved = 1;
			b->dirty = 0;
		}
	}
	s->valid |= mask;
	if (store)
		for (size_t i = 0; i < x->n_sharer; i++)
			if (&x->sharer[i] != s)
				x->sharer[i].valid &= ~mask;
	return moved;
}

static void tally(struct sim_line *x, struct sim_line_sharer *s, const struct sim_event *e,
	const struct sim_moved *m, uint64_t mask)
{
	struct sim_line_code *const c = code_of(x, e->ins->pc);

	if (e->store) {
		s->stores++;
		s->written |= mask;
	} else {
		s->loads++;
		s->read |= mask;
	}
	s->locked += e->locked;
	s->hitm += m->hitm;
	if (!c)
		return;
	c->accesses++;
	c->hitm += m->hitm;
	c->writes |= e->store;
	c->locked |= e->locked;
}

static void watch(struct sim_lines *l, struct sim_line *x, const struct sim_thread *t,
	const struct sim_event *e, const struct sim_moved *m,
	const struct sim_thread *const *threads)
{
	const unsigned offset = (unsigned)(e->address & ((1u << l->line_shift) - 1));
	const uint64_t mask = (e->size < 64 ? (1ull << e->size) - 1 : ~0ull) << offset;
	struct sim_line_sharer *const s = sharer_of(x, t->index);

	if (s) {
		x->watched_hitm += m->hitm;
		x->separated += separately(x, s, mask, t->index, e->store);
		tally(x, s, e, m, mask);
	}
	for (uint64_t left = mask; left; left &= left - 1) {
		const int i = __builtin_ctzll(left);

		suspect(l, x, t, e, threads, i);
		if (e->store)
			x->byte[i] = (struct sim_line_byte){.order = e->order,
				.ins = e->ins,
				.thread1 = (uint16_t)(t->index + 1),
				.dirty = 1,
				.locked = e->locked};
	}
}

static int same(const struct sim_site *a, const struct sim_site *b)
{
	return a->start == b->start && a->bytes == b->bytes && a->chain == b->chain;
}

/*
 * Whose memory it was that moved, now: it may be given to another one later. Every move at first,
 * then one in SOME; a full list gives the place of one that was met once.
 */
static void settle(struct sim_lines *l, struct sim_line *x, uint64_t address)
{
	struct sim_site s;
	size_t i = 0;

	if (!l->sites || (x->moves++ >= SOME && x->moves % SOME) ||
		!sim_sites_find(l->sites, address, &s))
		return;
	while (i < x->n_home && !same(&x->home[i].site, &s))
		i++;
	if (i == SIM_LINES_HOMES)
		for (i = 0; i < SIM_LINES_HOMES && x->home[i].votes > 1;)
			i++;
	if (i == SIM_LINES_HOMES)
		return;
	if (i == x->n_home || !same(&x->home[i].site, &s))
		x->home[i] = (struct sim_line_home){.site = s};
	x->n_home += i == x->n_home;
	x->home[i].votes++;
}

/* In whose frame it is when it moves, of the thread whose stack that is. Nobody runs meanwhile who
 * could call or return. */
static void find_frame(struct sim_lines *l, struct sim_line *x, uint64_t address,
	const struct sim_thread *const *threads)
{
	for (size_t i = 0; i < SD_SIM_THREADS && threads[i]; i++) {
		const struct sim_thread *const t = threads[i];

		if (address < t->stack_low || address >= t->stack_high)
			continue;
		if (t->state != SIM_RUNNING && t->block)
			x->frame =
				sim_callers_frame(&t->callers, l->base, address, t->block->start);
		return;
	}
}

/* A full table forgets the lines that moved a few times and no longer do. */
static void forget(struct sim_lines *l)
{
	size_t kept = 0;

	memset(l->at, 0, sizeof l->at);
	for (size_t i = 0; i < l->used; i++) {
		const struct sim_line *const x = &l->line[i];

		if (!x->watched && x->hitm_load + x->hitm_store <= FEW)
			continue;
		if (kept < i)
			l->line[kept] = *x;
		*place(l, l->line[kept].line1 - 1) = (uint16_t)(kept + 1);
		kept++;
	}
	l->used = kept;
}

/* A line that moves for the second time is worth its own entry. */
static struct sim_line *promote(struct sim_lines *l, uint64_t line)
{
	uint64_t *const first = &l->first[sim_hash(line) % FIRSTS];
	struct sim_line *x;

	if (*first != line + 1) {
		*first = line + 1;
		l->seen++;
		return NULL;
	}
	if (l->used >= SIM_LINES_KEPT)
		forget(l);
	if (l->used >= SIM_LINES_KEPT)
		return NULL;
	x = &l->line[l->used++];
	*x = (struct sim_line){.line1 = line + 1};
	*place(l, line) = (uint16_t)l->used;
	return x;
}

static void set_watched(struct sim_lines *l, struct sim_line *x, int on)
{
	uint8_t *const hot = &l->hot[sim_hot(x->line1 - 1)];

	x->watched = on;
	x->quiet = 0;
	if (on && *hot < UINT8_MAX)
		(*hot)++;
	else if (!on && *hot && *hot < UINT8_MAX)
		(*hot)--; /* a full counter stays: more is logged than must be, no less */
}

int sim_lines_access(struct sim_lines *l, const struct sim_thread *t, const struct sim_event *e,
	const struct sim_moved *m, const struct sim_thread *const *threads, enum sim_word *word)
{
	const uint64_t line = e->address >> l->line_shift;
	const int transfer = m->hitm || m->invalidated;
	struct sim_line *x;
	uint16_t at;

	if (!transfer && !m->upgrade && !e->watched && !l->hot[sim_hot(line)])
		return 0;
	at = *place(l, line);
	x = at ? &l->line[at - 1] : transfer ? promote(l, line) : NULL;
	if (!x)
		return 0;
	if (m->hitm && e->store)
		x->hitm_store++;
	else if (m->hitm)
		x->hitm_load++;
	if (m->hitm)
		settle(l, x, e->address);
	if (m->hitm && l->sites && !x->frame && !x->n_home && x->moves <= SOME)
		find_frame(l, x, e->address, threads);
	x->invalidations += m->invalidated;
	x->upgrades += m->upgrade;
	if (transfer || x->quiet == 0) {
		x->quiet_by = t->index;
		x->several = 0;
	}
	x->quiet = transfer ? 0 : x->quiet + 1;
	x->several |= t->index != x->quiet_by;
	if (transfer && !x->watched)
		set_watched(l, x, 1);
	if (x->watched)
		watch(l, x, t, e, m, threads);
	if (x->watched && x->quiet > (x->several ? SIM_LINES_CALM_SEVERAL : SIM_LINES_CALM))
		set_watched(l, x, 0);
	*word = x->watched ? SIM_WORD_CONTENDED : SIM_WORD_CALM;
	return 1;
}

enum sd_sim_sharing sim_line_sharing(const struct sim_line *l)
{
	if (l->watched_hitm <= 0 || l->separated >= 0.9 * l->watched_hitm)
		return SD_SIM_TRUE;
	return l->separated <= 0.1 * l->watched_hitm ? SD_SIM_FALSE : SD_SIM_MIXED;
}
