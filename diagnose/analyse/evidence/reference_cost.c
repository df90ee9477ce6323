#include "evidence/reference_cost.h"

#include <math.h>

#include "accounting/parts_by_stack.h"
#include "base/statistics.h"
#include "evidence/atomic_time.h"
#include "evidence/cause_places.h"
#include "simulated/cost_model.h"

#define BIT(part) SD_PARTS_BY_STACK_BIT(part)
/* Is this spot, in this part, code that belongs to the cause? */
static int is_in(const struct sd_cause_parts *r, const struct sd_spot *spot, enum sd_part part)
{
	return (r->allocating && spot->allocates && r->parts >> part & 1) ||
	       (r->locking && sd_loss_by_stack_is_locking(spot, part)) ||
	       (r->tasking && spot->tasks && part == SD_PART_USER);
}

/* Core-s at the reference, in cores of the last point for as much work. */
static double at_last(const struct sd_case *c, double seconds)
{
	return c->last->median_time > 0 ? c->last->work * seconds / c->last->median_time : 0;
}

/* Core-s of a run in these parts. */
static double of_run(const struct sd_chosen *p, size_t j, unsigned long parts)
{
	double share = 0;

	for (int k = 0; k < SD_PART_COUNT; k++)
		share += parts >> k & 1 ? p->parts[j].part[k] : 0;
	return share * p->n * p->parts[j].time;
}

/* At most, as far as the runs differ: the upper end of the mean's interval. */
static double of_parts(const struct sd_case *c, unsigned long parts)
{
	const struct sd_chosen *const p = c->ref;
	double n = 0, sum = 0, squares = 0, mean;

	for (size_t j = 0; j < p->n_run; j++)
		if (sd_run_selection_typical(p, j)) {
			n++;
			sum += of_run(p, j, parts);
		}
	mean = n > 0 ? sum / n : 0;
	for (size_t j = 0; j < p->n_run; j++)
		if (sd_run_selection_typical(p, j))
			squares += pow(of_run(p, j, parts) - mean, 2);
	if (n > 1)
		mean += sd_statistics_t((size_t)n - 1) * sqrt(squares / (n - 1) / n);
	return at_last(c, mean);
}

static double of_code(const struct sd_case *c, const struct sd_cause_parts *r)
{
	const struct sd_loss_by_stack *const s = c->spread;
	double cores = 0;

	for (size_t i = 0; s->now && i < s->places.n_spot; i++)
		for (int k = 0; k < SD_PART_COUNT; k++)
			if (is_in(r, &s->places.spot[i], (enum sd_part)k))
				cores += SD_LOSS_BY_STACK_BEFORE(s, i, k);
	return cores;
}

/* Cycles of waiting an instruction, times instructions, over the clock (METHODS 2.2.6). */
static double of_stalls(const struct sd_case *c, unsigned stalls)
{
	const struct sd_run_parts *const p = &c->ref->mean;
	double cycles = 0;

	for (int k = 0; k < SD_STALL_COUNT; k++)
		if (stalls >> k & 1 && c->ref->known & SD_RUN_PARTS_STALL(k))
			cycles += p->stall[k] * p->instructions;
	return p->cycles > 0 ? fmin(1, cycles / p->cycles) * of_parts(c, BIT(USER)) : 0;
}

/* Page walks and misses that were simulated, each as long as this node takes for one. */
static double of_simulated(const struct sd_case *c, enum sd_cause cause)
{
	const struct sd_calibration *const k = &c->record->calibration;
	struct sd_cost_model m;
	double seconds = 0;

	if ((cause != SD_CAUSE_DTLB && cause != SD_CAUSE_LLC_CAPACITY) ||
		!sd_cost_model_make(c, c->loss->components, &m) || !sd_cost_model_comparable(&m))
		return 0;
	if (cause == SD_CAUSE_DTLB && sd_has(k->walk))
		seconds = m.before.walks * k->walk.value;
	if (cause == SD_CAUSE_LLC_CAPACITY && sd_has(k->dram) && sd_has(k->llc))
		seconds = m.before.misses * fmax(0, k->dram.value - k->llc.value);
	return fmin(at_last(c, seconds), of_parts(c, BIT(USER)));
}

double sd_reference_cost(const struct sd_case *c, enum sd_cause cause)
{
	const struct sd_cause_parts *const r = &sd_cause_parts[cause];
	const double cores = of_parts(c, r->allocating ? 0 : r->parts & ~r->evened) +
			     of_code(c, r) + fmax(of_stalls(c, r->stalls), of_simulated(c, cause)) +
			     (r->atomics ? at_last(c, sd_atomic_time_reference(c)) : 0);

	return isfinite(cores) ? fmax(0, cores) : 0;
}
