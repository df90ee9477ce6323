#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "modelled.h"

/* The timed point of this plan index; NULL: it has no times. */
static const struct sd_chosen *timed(const struct sd_choice *c, size_t plan)
{
	for (size_t i = 0; i < c->n_point; i++)
		if (c->point[i].plan == plan)
			return &c->point[i];
	return NULL;
}

/*
 * Model seconds of the longest thread: the latency model's cycles at the rate it was given. Below
 * what the lines need at the node's ceiling, where that is known, no program can be.
 */
static double model_time(
	const struct sd_record *r, const struct sd_modelled_counts *m, unsigned cores)
{
	const struct sd_sim_costs *k = &r->plan.simulation->costs;
	const struct sd_value limit = sd_calibration_at(&r->calibration, cores);
	double t;

	if (!m->simulated || !sd_has(m->simulated->cycles) || !(k->hz > 0) ||
		!(m->simulated->cycles.value > 0))
		return 0;
	t = m->simulated->cycles.value / k->hz;
	if (sd_has(limit) && limit.value > 0)
		t = fmax(t, m->lines * m->simulated->machine.line / limit.value);
	return t;
}

int sd_modelled_estimate(
	const struct sd_record *r, const struct sd_choice *choice, struct sd_analysis *a)
{
	const struct sd_chosen *ref = &choice->point[0];
	struct sd_modelled_counts first;
	double base;

	if (!r->plan.simulation || !(ref->median_time > 0))
		return 0;
	sd_modelled_counts(r, ref->plan, &first);
	base = model_time(r, &first, ref->n);
	if (!(base > 0))
		return 0;
	a->estimate = calloc(r->plan.n_point, sizeof *a->estimate);
	if (!a->estimate)
		return -ENOMEM;
	for (size_t i = 0; i < r->plan.n_point; i++) {
		const struct sd_chosen *p = timed(choice, i);
		struct sd_estimate *e = &a->estimate[a->n_estimate];
		struct sd_modelled_counts m;
		double t;

		sd_modelled_counts(r, i, &m);
		t = model_time(r, &m, r->plan.point[i].cores);
		if (!(t > 0) || (p && p->n_run == 0))
			continue;
		*e = (struct sd_estimate){.cores = r->plan.point[i].cores,
			.wall = ref->median_time * t / base,
			.partial = m.simulated->partial || first.simulated->partial};
		e->speedup = (r->program.scaling == SD_SCALING_WEAK ? (double)e->cores / ref->cores
								    : 1) *
			     ref->median_time / e->wall;
		if (p && p != ref)
			e->error = SD_OK(e->wall / p->median_time - 1);
		e->timed = p != NULL;
		a->n_estimate++;
	}
	return 0;
}
