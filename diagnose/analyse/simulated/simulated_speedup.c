#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "simulated/simulated_costs.h"
#include "analysis/cause_growth.h"
#include "simulated/simulated_speedup.h"

/* The point with times at this plan index; NULL: not timed. */
static const struct sd_chosen *timed(const struct sd_run_selection *c, size_t plan)
{
	for (size_t i = 0; i < c->n_point; i++)
		if (c->point[i].plan == plan)
			return &c->point[i];
	return NULL;
}

/* Model cycles a second; without calibration a cycle is the unit. */
static double rate(const struct sd_record *r)
{
	const double hz = r->plan.simulation->costs.hz;

	return hz > 0 ? hz : 1;
}

/* Model seconds of the longest thread: the latency model's cycles at its rate. 0: unknown. */
static double thread_time(const struct sd_record *r, const struct sd_simulated_costs_counts *m)
{
	if (!m->simulated || !sd_has(m->simulated->cycles) || !(m->simulated->cycles.value > 0))
		return 0;
	return m->simulated->cycles.value / rate(r);
}

/* But at least the time its lines need at the node's ceiling, if that is known (METHODS 6.2). */
static double model_time(
	const struct sd_record *r, const struct sd_simulated_costs_counts *m, unsigned cores)
{
	const struct sd_value limit = sd_calibration_at(&r->calibration, cores);
	const double t = thread_time(r, m);

	if (t > 0 && r->plan.simulation->costs.hz > 0 && sd_has(limit) && limit.value > 0)
		return fmax(t, m->lines * m->simulated->machine.line / limit.value);
	return t;
}

/* The model's charges beyond the reference's for the same work, in cores. */
static void find_costs(const struct sd_record *r, const struct sd_simulated_costs_counts *a,
	const struct sd_simulated_costs_counts *b, double work, struct sd_estimate *e)
{
	const struct sd_sim_costs *const k = sd_sim_costs_charged(&r->plan.simulation->costs);
	const double t = model_time(r, b, e->cores);
	const struct {
		enum sd_cause cause;
		double before, after, cycles;
	} charge[] = {
		{SD_CAUSE_LLC_CAPACITY, a->misses, b->misses, fmax(0, (double)k->memory - k->llc)},
		{SD_CAUSE_DTLB, a->walks, b->walks, k->walk},
		{SD_CAUSE_EXTRA_WORK, a->instructions, b->instructions, 1},
	};
	double all;

	for (int i = 0; i < SD_CAUSE_COUNT; i++)
		e->cost[i] = SD_NOT(ABSENT);
	if (e->partial)
		return;
	all = (t - thread_time(r, b)) / t * e->cores;
	if (r->plan.simulation->costs.hz > 0)
		e->cost[SD_CAUSE_MEMORY_BANDWIDTH] = SD_OK(all);
	for (int i = 0; i < SD_CAUSE_COUNT; i++)
		if (sd_cause_growth[i].bytes) {
			const int own = sd_cause_growth[i].bytes == SD_CAUSE_BYTES_DIFFERENT;
			const double before = own ? a->hitm_false : a->hitm - a->hitm_false,
				     after = own ? b->hitm_false : b->hitm - b->hitm_false;

			e->cost[i] =
				SD_OK(fmax(0, after - work * before) * k->transfer / rate(r) / t);
			all += e->cost[i].value;
		}
	for (size_t i = 0; i < sizeof charge / sizeof *charge; i++) {
		const double more = fmax(0, charge[i].after - work * charge[i].before);

		e->cost[charge[i].cause] = SD_OK(more * charge[i].cycles / rate(r) / t);
		all += e->cost[charge[i].cause].value;
	}
	for (int i = 0; i < SD_CAUSE_COUNT && all > fmax(0, e->lost); i++)
		if (sd_has(e->cost[i])) /* they overlap */
			e->cost[i].value *= fmax(0, e->lost) / all;
}

int sd_simulated_speedup(
	const struct sd_record *r, const struct sd_run_selection *choice, struct sd_analysis *a)
{
	const struct sd_chosen *ref = &choice->point[0];
	const int weak = r->program.scaling == SD_SCALING_WEAK;
	int here; /* this node is modelled, whose times are known */
	struct sd_simulated_costs_counts first;
	double base;

	/* times of a machine that is modelled whole are better than an estimate of them */
	if (!r->plan.simulation || sd_run_selection_modelled(r) || !(ref->median_time > 0))
		return 0;
	sd_simulated_costs_counts(r, ref->plan, &first);
	base = model_time(r, &first, ref->n);
	if (!first.simulated || !(base > 0))
		return 0;
	here = strcmp(first.simulated->machine.name, "host") == 0;
	a->estimate = calloc(r->plan.n_point, sizeof *a->estimate);
	if (!a->estimate)
		return -ENOMEM;
	for (size_t i = 0; i < r->plan.n_point; i++) {
		const struct sd_chosen *p = timed(choice, i);
		struct sd_estimate *e = &a->estimate[a->n_estimate];
		struct sd_simulated_costs_counts m;
		double t;

		sd_simulated_costs_counts(r, i, &m);
		t = model_time(r, &m, r->plan.point[i].cores);
		if (!(t > 0) || (p && p->n_run == 0))
			continue;
		*e = (struct sd_estimate){.cores = r->plan.point[i].cores,
			.wall = here ? ref->median_time * t / base : NAN,
			.usual = !(r->plan.simulation->costs.hz > 0),
			.partial = m.simulated->partial || first.simulated->partial};
		e->speedup = (weak ? (double)e->cores / ref->cores : 1) * base / t;
		e->lost = e->cores - e->speedup * ref->cores;
		find_costs(r, &first, &m, weak ? (double)e->cores / ref->cores : 1, e);
		if (p && p != ref && here)
			e->error = SD_OK(e->wall / p->median_time - 1);
		e->timed = p == ref || (p && here);
		a->n_estimate++;
	}
	return 0;
}
