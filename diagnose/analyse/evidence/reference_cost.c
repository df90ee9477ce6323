#include "evidence/reference_cost.h"

#include <math.h>

#include "accounting/parts_by_stack.h"
#include "base/statistics.h"
#include "evidence/atomic_time.h"
#include "simulated/cost_model.h"

#define BIT(part) SD_PARTS_BY_STACK_BIT(part)
#define STALL(k) (1u << SD_STALL_##k)

/* Is this spot, in this part, code that belongs to the cause? */
typedef int is_in_fn(const struct sd_spot *spot, enum sd_part part);

static int is_below_malloc(const struct sd_spot *spot, enum sd_part part)
{
	return spot->allocates && SD_LOSS_BY_STACK_ALLOCATING >> part & 1;
}

static int is_in_tasking(const struct sd_spot *spot, enum sd_part part)
{
	return spot->tasks && part == SD_PART_USER;
}

/*
 * Selects the time that the reference spends on a cause. A cause without a row costs it nothing
 * that a fix would take away: data that each thread has for itself, shares that are made even and
 * code that is made parallel take one core as long as before.
 */
static const struct {
	unsigned long parts; /* all of these */
	is_in_fn *is_in;     /* and such code */
	unsigned stalls;     /* and what its instructions wait for, by counts */
	int atomics;         /* and atomic instructions: a word in two lines is dear on one core */
} row[SD_CAUSE_COUNT] = {
	[SD_CAUSE_KERNEL_MEMORY] = {.parts = BIT(SYSTEM) | BIT(KERNEL)},
	[SD_CAUSE_ALLOCATOR] = {.is_in = is_below_malloc},
	[SD_CAUSE_LOCK_CONTENTION] = {.parts = BIT(LOCK) | BIT(SPIN_LOCK) | BIT(SYSTEM_LOCK),
		.is_in = sd_loss_by_stack_is_locking},
	[SD_CAUSE_BARRIER_OVERHEAD] = {.parts = BIT(SYSTEM_THREADS), .is_in = is_in_tasking},
	[SD_CAUSE_SPINNING] = {.parts = BIT(SPIN) | BIT(SYSTEM_YIELD)},
	[SD_CAUSE_DISK] = {.parts = BIT(DISK)},
	[SD_CAUSE_MPI] = {.parts = BIT(MPI) | BIT(SPIN_MPI)},
	[SD_CAUSE_BUS_LOCKS] = {.atomics = 1},
	/* as are atomic instructions on a word that nobody need share */
	[SD_CAUSE_TRUE_SHARING] = {.atomics = 1},
	[SD_CAUSE_MEMORY_BANDWIDTH] = {.stalls = STALL(BANDWIDTH)},
	[SD_CAUSE_LLC_CAPACITY] = {.stalls = STALL(LLC)},
	[SD_CAUSE_DTLB] = {.stalls = STALL(DTLB)},
	[SD_CAUSE_NUMA] = {.stalls = STALL(NUMA)},
};

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

static double of_code(const struct sd_case *c, is_in_fn *is_in)
{
	const struct sd_loss_by_stack *const s = c->spread;
	double cores = 0;

	for (size_t i = 0; s->now && is_in && i < s->places.n_spot; i++)
		for (int k = 0; k < SD_PART_COUNT; k++)
			if (is_in(&s->places.spot[i], (enum sd_part)k))
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
	const double cores = of_parts(c, row[cause].parts) + of_code(c, row[cause].is_in) +
			     fmax(of_stalls(c, row[cause].stalls), of_simulated(c, cause)) +
			     (row[cause].atomics ? at_last(c, sd_atomic_time_reference(c)) : 0);

	return isfinite(cores) ? fmax(0, cores) : 0;
}
