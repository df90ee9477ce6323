#include "operands/operand_walk.h"

#include <string.h>

static void forget_memory(
	struct sd_operand_walk *w, const struct sd_operand_step *s, int has, uint64_t address)
{
	if (has && s->width)
		sd_operand_moment_note(&w->m, address, s->width, 0, 0);
	else if (!has && s->base == SD_OPERAND_NEVER && s->access != SD_OPERAND_NO_ACCESS &&
		 w->plan->operand[s->access].thread_local_)
		return;
	else
		w->m.stack_doubtful = 1;
}

static void record(
	struct sd_operand_walk *w, const struct sd_operand_step *s, int has, uint64_t address)
{
	if (s->access == SD_OPERAND_NO_ACCESS || !has || w->resolved >> s->access & 1)
		return;
	if ((s->what == SD_OPERAND_READ || s->what == SD_OPERAND_WRITE) &&
		s->dst != SD_OPERAND_ZERO &&
		(!sd_operand_moment_knows(&w->m, s->dst) || !w->m.reg[s->dst]))
		return;
	w->resolved |= sd_operand_moment_bit(s->access);
	w->address[s->access] = address;
	if (sd_operand_moment_doubts(&w->m, s))
		w->doubtful |= sd_operand_moment_bit(s->access);
}

/* Does step `s` have an address of its own? */
static int has_memory(const struct sd_operand_step *s)
{
	return s->what >= SD_OPERAND_LOAD && s->what < SD_OPERAND_FORGET_STACK;
}

/* A step that makes something unknown, which is the same in both directions. 0: it is none. */
static int forget(
	struct sd_operand_walk *w, const struct sd_operand_step *s, int has, uint64_t address)
{
	switch ((enum sd_operand_do)s->what) {
	case SD_OPERAND_WRITE:
	case SD_OPERAND_FORGET_MEMORY:
		forget_memory(w, s, has, address);
		return 1;
	case SD_OPERAND_READ:
		return 1;
	case SD_OPERAND_FORGET_STACK:
		w->m.stack_doubtful = 1;
		return 1;
	case SD_OPERAND_FORGET_REGISTERS:
		w->m.known &= ~((uint64_t)s->imm & ~sd_operand_moment_bit(SD_OPERAND_ZERO));
		return 1;
	default:
		return 0;
	}
}

void sd_operand_walk_forward(struct sd_operand_walk *w, unsigned i)
{
	const struct sd_operand_step *const s = &w->plan->step[i];
	struct sd_operand_moment *const m = &w->m;
	uint64_t address = 0, value = 0;
	int has = 0, doubtful = 0, known;

	if (has_memory(s)) {
		has = sd_operand_moment_address(m, s, &address);
		record(w, s, has, address);
	}
	if (forget(w, s, has, address))
		return;
	switch ((enum sd_operand_do)s->what) {
	case SD_OPERAND_LOAD:
		doubtful = sd_operand_moment_doubts(m, s);
		known = has && s->width &&
			sd_operand_moment_read(&w->m, address, s->width, &value, &known);
		sd_operand_moment_set(m, s->dst, known, value, doubtful || m->stack_doubtful);
		break;
	case SD_OPERAND_STORE:
		if (has && sd_operand_moment_knows(m, s->dst) && s->width && s->width <= 8)
			sd_operand_moment_note(&w->m, address, s->width, 1,
				sd_operand_moment_low(m->reg[s->dst], s->width));
		else
			forget_memory(w, s, has, address);
		break;
	default:
		sd_operand_moment_compute(m, s);
	}
}

/* Memory held at `address` what was loaded from there, unless it is known better. */
static void undo_load(struct sd_operand_walk *w, const struct sd_operand_step *s)
{
	struct sd_operand_moment *const m = &w->m;
	const uint64_t after = m->reg[s->dst];
	const int known = sd_operand_moment_knows(m, s->dst);
	uint64_t address, value;
	int doubtful, has;

	sd_operand_moment_set(m, s->dst, 0, 0, 0);
	has = sd_operand_moment_address(m, s, &address);
	if (has && known && s->width && s->width <= 8 &&
		!sd_operand_moment_read(&w->m, address, s->width, &value, &doubtful))
		sd_operand_moment_note(
			&w->m, address, s->width, 1, sd_operand_moment_low(after, s->width));
}

static void undo_store(struct sd_operand_walk *w, const struct sd_operand_step *s)
{
	struct sd_operand_moment *const m = &w->m;
	uint64_t address, value = 0;
	int doubtful;
	const int has = sd_operand_moment_address(m, s, &address);

	if (has && s->width && (s->width == 8 || (s->width < 8 && s->dst >= SD_OPERAND_TEMP)) &&
		!sd_operand_moment_knows(m, s->dst) &&
		sd_operand_moment_read(&w->m, address, s->width, &value, &doubtful))
		sd_operand_moment_set(m, s->dst, 1, value, doubtful);
	forget_memory(w, s, has, address);
}

void sd_operand_walk_back(struct sd_operand_walk *w, unsigned i)
{
	const struct sd_operand_step *const s = &w->plan->step[i];
	struct sd_operand_moment *const m = &w->m;
	uint64_t address = 0;
	int has = has_memory(s) && sd_operand_moment_address(m, s, &address);

	w->left[i] = m->reg[s->dst];
	w->left_known[i] = s->what <= SD_OPERAND_SIGN || s->what == SD_OPERAND_LOAD
				   ? (unsigned char)(sd_operand_moment_knows(m, s->dst) &&
						     !(m->doubtful >> s->dst & 1))
				   : 0;
	if (forget(w, s, has, address)) {
		record(w, s, has, address);
		return;
	}
	switch ((enum sd_operand_do)s->what) {
	case SD_OPERAND_LOAD:
		undo_load(w, s);
		break;
	case SD_OPERAND_STORE:
		undo_store(w, s);
		break;
	default:
		sd_operand_moment_undo(m, s);
	}
	if (has_memory(s)) {
		has = sd_operand_moment_address(m, s, &address);
		record(w, s, has, address);
	}
}

/* Registers and memory for strides: numbers of no meaning, below 2^30 so that they are as good as
 * 32-bit ones. By their seed they end in ones or in zeros, so that what a mask cuts off of the next
 * one, up or down, shows: an index that goes around has no stride. */
static uint64_t invent(uint64_t seed, uint64_t of)
{
	uint64_t x = (seed + of) * UINT64_C(0x9e3779b97f4a7c15);

	x = (x ^ x >> 31) * UINT64_C(0xbf58476d1ce4e5b9);
	x >>= 34;
	return seed % 4 == 1 ? x | 0xfffff : seed % 4 == 2 ? x & ~UINT64_C(0xfffff) : x;
}

#define PASSES 3 /* that a stride holds for, from each of the seeds */

void sd_operand_walk_strides(struct sd_operand_plan *p)
{
	static const uint64_t seeds[] = {0x12345678, 0x89abcdef03, 0xfedcba981, 0x1f2e3d4c5e};
	struct sd_operand_walk w = {.plan = p};

	for (unsigned t = 0; t < sizeof seeds / sizeof *seeds; t++) {
		uint64_t last[SD_OPERANDS], had;

		memset(&w.m, 0, sizeof w.m);
		for (unsigned i = 0; i < SD_OPERAND_TEMP; i++)
			w.m.reg[i] = invent(seeds[t], i);
		w.m.known = ~(sd_operand_moment_bit(SD_OPERAND_NEVER));
		w.m.invented = invent;
		w.m.seed = seeds[t];
		w.resolved = 0;
		for (unsigned pass = 0; pass <= PASSES; pass++) {
			memcpy(last, w.address, sizeof last);
			had = w.resolved;
			w.resolved = 0;
			for (unsigned i = p->certain; i < p->n_steps; i++)
				sd_operand_walk_forward(&w, i);
			for (unsigned i = 0; pass > 0 && i < p->n; i++) {
				const int64_t by = had & w.resolved & sd_operand_moment_bit(i)
							   ? (int64_t)(w.address[i] - last[i])
							   : 0;

				p->operand[i].stride =
					(t == 0 && pass == 1) || p->operand[i].stride == by ? by
											    : 0;
			}
		}
	}
}
