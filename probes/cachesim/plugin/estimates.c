#include "plugin/estimates.h"

struct sim_counts sim_estimates_thread(
	const struct sim_run *r, const struct sim_thread *t, double tail)
{
	struct sim_counts c;
	uint64_t *const field = (uint64_t *)&c;

	sim_thread_result(t, (const struct sim_block *const *)r->block, &c);
	for (size_t k = 0; tail > 0 && k < SIM_ESTIMATED - 1; k++)
		field[k] += (uint64_t)((double)t->part[k] * tail + .5);
	return c;
}

uint64_t sim_estimates_stall(const struct sim_thread *t, double tail)
{
	const size_t k = SIM_ESTIMATED - 1;

	return t->stall + (uint64_t)(t->extra[k] + (int64_t)((double)t->part[k] * tail));
}

struct sim_estimates sim_estimates_of(
	const struct sim_run *r, const struct sim_sampled_parts *parts)
{
	struct sim_estimates w = {0, 1, 1};
	double l1 = 0, counted = 0, moves = 0;

	if (!parts)
		return w;
	w.tail = sim_sampled_parts_tail(parts, (double)sim_run_instructions(r));
	for (size_t i = 0; i < r->n_thread; i++) {
		const struct sim_thread *const t = r->thread[i];
		const struct sim_counts e = sim_estimates_thread(r, t, w.tail);

		l1 += (double)e.l1_misses;
		counted += (double)(t->count.l1_misses + t->late.l1_misses);
		moves += (double)(e.hitm_load + e.hitm_store);
	}
	if (counted > 0)
		w.misses = l1 / counted;
	if (r->machine.transfers > 0)
		w.moves = moves / r->machine.transfers;
	return w;
}

void sim_estimates_line(struct sim_line *x, const struct sim_estimates *e)
{
	const double times = e->moves;

	x->hitm_load *= times;
	x->hitm_store *= times;
	x->invalidations *= times;
	x->upgrades *= times;
	x->separated *= times;
	for (size_t i = 0; i < x->n_sharer; i++) {
		x->sharer[i].loads *= times;
		x->sharer[i].stores *= times;
		x->sharer[i].locked *= times;
		x->sharer[i].hitm *= times;
	}
	for (size_t i = 0; i < x->n_code; i++) {
		x->code[i].accesses *= times;
		x->code[i].hitm *= times;
	}
}
