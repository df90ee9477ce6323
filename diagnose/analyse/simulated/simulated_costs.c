#include "simulated/simulated_costs.h"

#include <math.h>

#include "analysis/cause_growth.h"
#include "case/case.h"
#include "hotspots/constructs.h"
#include "hotspots/allocator_names.h"
#include "hotspots/function_role.h"

static int simulated_well(const struct sd_run *run)
{
	return run->kind == SD_RUN_SIMULATED && run->simulated && run->simulated->n_thread > 0;
}

typedef int is_of(const struct sd_stacks *s, const struct sd_frame *f);

static int is_of_lock(const struct sd_stacks *s, const struct sd_frame *f)
{
	return sd_function_role_locks(sd_stacks_text_at(s, f->function));
}

static int is_of_allocator(const struct sd_stacks *s, const struct sd_frame *f)
{
	return sd_allocator_names_of(sd_stacks_text_at(s, f->function),
		       sd_stacks_text_at(s, f->module)) != SD_ALLOCATOR_NONE;
}

static int is_of_openmp(const struct sd_stacks *s, const struct sd_frame *f)
{
	return sd_constructs_is_openmp(sd_stacks_text_at(s, f->module));
}

/* Share of a line's moves by code of a kind: in such a function, or in one that it called. */
static double share_in(
	const struct sd_stacks *s, const struct sd_sim_contested *l, is_of *is, int with_callers)
{
	double in = 0, all = 0;

	for (size_t i = 0; i < l->n_code; i++) {
		unsigned node = l->code[i].node;
		int found = 0;

		while (node > 0 && node < s->n_node && !found) {
			const unsigned frame = s->node[node].frame, up = s->node[node].parent;

			found = frame < s->n_frame && is(s, &s->frame[frame]);
			node = with_callers && up < node ? up : 0;
		}
		all += l->code[i].hitm;
		in += found ? l->code[i].hitm : 0;
	}
	return all > 0 ? in / all : 0;
}

static double share_of_allocator(const struct sd_stacks *s, const struct sd_sim_contested *l)
{
	return share_in(s, l, is_of_allocator, 1);
}

/* The code of a parallel region is below the runtime, and not the runtime's. */
static double share_of_openmp(const struct sd_stacks *s, const struct sd_sim_contested *l)
{
	return share_in(s, l, is_of_openmp, 0);
}

/* Share of a line's moves in a library's own code: nobody else can move its bytes apart. */
static double share_of_libraries(const struct sd_stacks *s, const struct sd_sim_contested *l)
{
	return fmin(1, share_of_allocator(s, l) + share_of_openmp(s, l));
}

/* Share of the moves of a line between threads that write the same bytes of it and no others. */
static double share_of_alike(const struct sd_sim_contested *l)
{
	double alike = 0, all = 0;

	for (size_t i = 0; i < l->n_sharer; i++)
		for (size_t k = 0; k < i; k++) {
			const struct sd_sim_sharer *const a = &l->sharer[i], *const b =
										     &l->sharer[k];
			const double both = a->hitm * b->hitm;

			all += both;
			alike += a->written == b->written ? both : 0;
		}
	return all > 0 ? alike / all : 0;
}

/*
 * Share of a line's moves that belong to a lock. Code that takes or releases one uses several of
 * its bytes at a time: the word that all write and others that hardly anybody does (its kind, its
 * flags). Nobody can move these apart: such moves are of one object, and each thread's own use of
 * it.
 */
double sd_simulated_costs_of_lock(const struct sd_stacks *s, const struct sd_sim_contested *l)
{
	return share_in(s, l, is_of_lock, 1) * share_of_alike(l);
}

/* Does a thread write bytes of it that no other uses? Where none does, the line moves because of
 * what they share, and would stay with all who only read the rest of it. */
static int has_private_writes(const struct sd_sim_contested *l)
{
	for (size_t i = 0; i < l->n_sharer; i++) {
		uint64_t others = 0;

		for (size_t k = 0; k < l->n_sharer; k++)
			others |= k != i ? l->sharer[k].read | l->sharer[k].written : 0;
		if (l->sharer[i].written & ~others)
			return 1;
	}
	return 0;
}

/*
 * Moves by false sharing: all moves of lines whose threads use different bytes, and those moves of
 * mixed lines that disappear in a second pass with the bytes apart, if threads write such bytes and
 * unless they are one lock's or a library's own. Lines that were not kept are assumed to be like
 * the others.
 */
static double share_of_false(const struct sd_stacks *stacks, const struct sd_simulated *s)
{
	double all = 0, of_false = 0;

	for (size_t i = 0; i < s->n_contested; i++) {
		const struct sd_sim_contested *l = &s->contested[i];
		const double hitm = l->hitm_load + l->hitm_store;

		all += hitm;
		if (l->sharing == SD_SIM_FALSE)
			of_false += hitm * (1 - share_of_libraries(stacks, l));
		else if (l->sharing == SD_SIM_MIXED && sd_has(l->separated) &&
			 has_private_writes(l))
			of_false += fmax(0, hitm - l->separated.value) *
				    (1 - fmin(1, sd_simulated_costs_of_lock(stacks, l) +
							 share_of_libraries(stacks, l)));
	}
	return all > 0 ? of_false / all : 0;
}

typedef double share_of(const struct sd_stacks *s, const struct sd_sim_contested *l);

/* Moves of a lock's own bytes, where it is taken and released: what they cost is the lock's. */
static double share_of_locks(const struct sd_stacks *s, const struct sd_sim_contested *l)
{
	const int is_one = l->sharing == SD_SIM_TRUE || l->sharing == SD_SIM_MIXED;

	return is_one ? fmin(sd_simulated_costs_of_lock(s, l), 1 - share_of_libraries(s, l)) : 0;
}

/* Mean of `share` over all lines, weighted by their moves. */
static double share_of_all(
	const struct sd_stacks *stacks, const struct sd_simulated *s, share_of *share)
{
	double all = 0, of = 0;

	for (size_t i = 0; i < s->n_contested; i++) {
		const struct sd_sim_contested *const l = &s->contested[i];
		const double hitm = l->hitm_load + l->hitm_store;

		all += hitm;
		of += hitm * share(stacks, l);
	}
	return all > 0 ? of / all : 0;
}

double sd_simulated_costs_moves(const struct sd_simulated_costs_counts *k, enum sd_cause cause)
{
	if (sd_cause_growth[cause].bytes == SD_CAUSE_BYTES_DIFFERENT)
		return k->hitm_false;
	if (sd_cause_growth[cause].bytes == SD_CAUSE_BYTES_SAME)
		return fmax(0, k->hitm - k->hitm_false - k->hitm_locks - k->hitm_allocator -
				       k->hitm_openmp);
	return cause == SD_CAUSE_ALLOCATOR ? k->hitm_allocator : -1;
}

void sd_simulated_costs_counts(
	const struct sd_record *r, size_t plan, struct sd_simulated_costs_counts *out)
{
	const struct sd_simulated *s = NULL;

	*out = (struct sd_simulated_costs_counts){0};
	for (size_t i = 0; i < r->n_run; i++)
		if (r->run[i].point == plan && simulated_well(&r->run[i]))
			s = r->run[i].simulated;
	if (!s)
		return;
	out->simulated = s;
	for (size_t i = 0; i < s->n_thread; i++) {
		const struct sd_sim_thread *t = &s->thread[i];

		out->instructions += t->instructions;
		out->lines += t->lines_in + t->write_backs;
		out->misses += t->llc_misses;
		out->walks += t->stlb_misses;
		out->hitm += t->hitm_load + t->hitm_store;
	}
	out->hitm_false = out->hitm * share_of_false(&r->stacks, s);
	out->hitm_locks = out->hitm * share_of_all(&r->stacks, s, share_of_locks);
	out->hitm_allocator = out->hitm * share_of_all(&r->stacks, s, share_of_allocator);
	out->hitm_openmp = out->hitm * share_of_all(&r->stacks, s, share_of_openmp);
	out->whole = !s->partial ? out->instructions : sd_has(s->whole) ? s->whole.value : 0;
}

double sd_simulated_costs_false(const struct sd_case *c)
{
	struct sd_simulated_costs_counts m;

	sd_simulated_costs_counts(c->record, c->last->plan, &m);
	return m.hitm > 0 ? m.hitm_false / m.hitm : -1;
}
