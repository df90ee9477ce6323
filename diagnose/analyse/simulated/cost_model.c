#include "simulated/cost_model.h"

#include <math.h>
#include <string.h>

#include "case/cause_weights.h"
#include "loops/transfer_time.h"
#include "metrics/os_metrics.h"

/* Share of the ceiling from which memory is the limit (METHODS 6.2; 1.12: saturation at 70 to 90
 * %). */
#define SATURATED .8

int sd_cost_model_partial(const struct sd_cost_model *m)
{
	return m->before.simulated->partial || m->after.simulated->partial;
}

int sd_cost_model_comparable(const struct sd_cost_model *m)
{
	return !sd_cost_model_partial(m) || (m->part > 0 && !m->at_most);
}

int sd_cost_model_region(const struct sd_record *r)
{
	const struct sd_plan_simulation *const s = r->plan.simulation;

	return s && (s->from[0] || (s->length[0] && strcmp(s->length, "all") != 0 &&
					   !strchr(s->length, '%')));
}

/* Scales the counts as if the whole program were like the simulated part. Returns that part's
 * share. */
static double scale(struct sd_simulated_costs_counts *k, double all)
{
	const double part = k->instructions / all;

	k->instructions /= part;
	k->lines /= part;
	k->misses /= part;
	k->walks /= part;
	k->hitm /= part;
	k->hitm_false /= part;
	k->hitm_locks /= part;
	k->hitm_allocator /= part;
	k->hitm_openmp /= part;
	return part;
}

/*
 * A run ended early counted only a part of the work. Its size follows from the run's own total of
 * instructions or from the other point's for the same work; if neither is known, the work is at
 * least what was simulated of the reference. The rest is assumed to be like it.
 */
static void complete(struct sd_cost_model *m)
{
	struct sd_simulated_costs_counts *const a = &m->before, *const b = &m->after;
	double all_a = a->whole > 0 ? a->whole : b->whole / m->work;
	double all_b = b->whole > 0 ? b->whole : a->whole * m->work;
	double part = 1, last = 1;

	m->scaled = 1;
	if (!(all_a > 0)) { /* both ended early, and nobody counted: at least what the first did */
		m->at_most = 1;
		all_a = a->instructions;
		all_b = a->instructions * m->work;
	}
	if ((a->simulated->partial && !(a->instructions > 0 && a->instructions <= all_a)) ||
		(b->simulated->partial && !(b->instructions > 0 && b->instructions < all_b)))
		return;
	if (a->simulated->partial)
		part = scale(a, all_a);
	if (b->simulated->partial)
		last = scale(b, all_b);
	m->part = sd_cost_model_partial(m) ? fmin(part, last) : 0;
	m->scaled = 1 / last;
}

struct sd_value sd_cost_model_transfer(const struct sd_case *c)
{
	return sd_transfer_time(c->record, c->last);
}

struct sd_value sd_cost_model_cores(const struct sd_case *c, const struct sd_cost_model *m,
	double before, double after, struct sd_value seconds)
{
	if (!sd_has(seconds) || !(seconds.value >= 0))
		return SD_NOT(ABSENT);
	return SD_OK(fmax(0, after - m->work * before) * seconds.value / c->last->median_time);
}

/* Share of the lines to and from memory that the reference's work needed, too. */
static double needed(const struct sd_cost_model *m)
{
	const double before = m->work * m->before.lines;

	return m->after.lines > before ? before / m->after.lines : 1;
}

/* Cores that went to lines that the work did not need at the reference: they, and the turns on the
 * bus that they take. */
static struct sd_value cost_of_misses(const struct sd_case *c, const struct sd_cost_model *m)
{
	return sd_cost_model_cores(c, m, m->waited_before.memory,
		m->waited_after.memory + m->waited_after.bus * (1 - needed(m)), SD_OK(1));
}

/* The lines are simulated, but the time is that of the native runs: their quotient is what memory
 * had to deliver. */
static void find_bandwidth(const struct sd_case *c, struct sd_cost_model *m, double growth)
{
	const struct sd_value limit = sd_calibration_at(&c->record->calibration, c->last->n);
	const double line = m->after.simulated->machine.line;

	m->used = m->after.lines * line / c->last->median_time;
	if (!sd_has(limit) || !(limit.value > 0))
		return;
	m->ceiling = limit.value;
	if (!sd_cost_model_comparable(m) ||
		sd_cost_model_region(c->record)) /* the lines are only the region's, but the time is
						    the whole run's */
		return;
	if (m->exact) {
		m->cost[SD_CAUSE_MEMORY_BANDWIDTH] = sd_cost_model_cores(
			c, m, m->waited_before.bus, m->waited_after.bus * needed(m), SD_OK(1));
		return;
	}
	/* at the limit, whatever nothing else explains is waiting for memory */
	m->cost[SD_CAUSE_MEMORY_BANDWIDTH] =
		SD_OK(m->used >= SATURATED * m->ceiling ? fmax(0, growth - m->all) : 0);
}

/* Cores that went to so many more moves of lines: those that the machine's model charged, the waits
 * for each other among them; else the moves times what one takes. */
static struct sd_value cost_of_moves(
	const struct sd_case *c, const struct sd_cost_model *m, double before, double after)
{
	const struct sd_simulated_costs_counts *const a = &m->before, *const b = &m->after;

	return m->exact ? sd_cost_model_cores(c, m,
				  a->hitm > 0 ? m->waited_before.transfer * before / a->hitm : 0,
				  b->hitm > 0 ? m->waited_after.transfer * after / b->hitm : 0,
				  SD_OK(1))
			: sd_cost_model_cores(c, m, before, after, sd_cost_model_transfer(c));
}

/* Computes each cause's cost: counts times calibrated latencies (METHODS 6.2). A latency without
 * calibration leaves its cause unknown and not 0. Bandwidth comes last, since it is what the others
 * leave. */
static void find_costs(const struct sd_case *c, unsigned long set, struct sd_cost_model *m)
{
	const struct sd_calibration *k = &c->record->calibration;
	const struct sd_simulated_costs_counts *a = &m->before, *b = &m->after;
	const double user = c->ref->mean.part[SD_PART_USER] * c->ref->n * c->ref->mean.time;
	struct sd_value miss = SD_NOT(ABSENT);

	if (sd_has(k->dram) && sd_has(k->llc))
		miss = SD_OK(fmax(0, k->dram.value - k->llc.value));
	for (int i = 0; i < SD_CAUSE_COUNT; i++)
		if (sd_simulated_costs_moves(b, (enum sd_cause)i) >= 0)
			m->cost[i] =
				cost_of_moves(c, m, sd_simulated_costs_moves(a, (enum sd_cause)i),
					sd_simulated_costs_moves(b, (enum sd_cause)i));
	/* a reference of one core has no moves, whatever part of it was simulated, but all
	 * of these */
	if (sd_cost_model_comparable(m)) {
		m->cost[SD_CAUSE_LLC_CAPACITY] =
			m->exact ? cost_of_misses(c, m)
				 : sd_cost_model_cores(c, m, a->misses, b->misses, miss);
		m->cost[SD_CAUSE_DTLB] = sd_cost_model_cores(c, m, a->walks, b->walks, k->walk);
	}
	if (a->whole > 0 && b->whole > 0)
		m->cost[SD_CAUSE_EXTRA_WORK] =
			SD_OK(fmax(0, b->whole / a->whole - m->work) * user / c->last->median_time);
	for (int i = 0; i < SD_CAUSE_COUNT; i++)
		m->all += sd_has(m->cost[i]) ? m->cost[i].value : 0;
	/* so do the moves of locks and of an OpenMP runtime, which have no row among these */
	m->all +=
		cost_of_moves(c, m, a->hitm_locks + a->hitm_openmp, b->hitm_locks + b->hitm_openmp)
			.value;
	find_bandwidth(c, m, sd_cause_weights_added(c, set).value * c->loss->n);
	m->all += sd_has(m->cost[SD_CAUSE_MEMORY_BANDWIDTH])
			  ? m->cost[SD_CAUSE_MEMORY_BANDWIDTH].value
			  : 0;
}

/* 0: the machine was not modelled with its times. */
static int take_waits(const struct sd_chosen *p, struct sd_cost_waits *out)
{
	const struct sd_value transfer = sd_os_metrics_median(p, SD_METRIC_WAIT_TRANSFER),
			      memory = sd_os_metrics_median(p, SD_METRIC_WAIT_MEMORY),
			      bus = sd_os_metrics_median(p, SD_METRIC_WAIT_BUS);

	*out = (struct sd_cost_waits){transfer.value, memory.value, bus.value};
	return sd_has(transfer) && sd_has(memory) && sd_has(bus);
}

int sd_cost_model_make(const struct sd_case *c, unsigned long set, struct sd_cost_model *out)
{
	*out = (struct sd_cost_model){.work = c->last->work};
	sd_simulated_costs_counts(c->record, c->ref->plan, &out->before);
	sd_simulated_costs_counts(c->record, c->last->plan, &out->after);
	if (!out->before.simulated || !out->after.simulated)
		return 0;
	complete(out);
	out->exact = !sd_cost_model_partial(out) && take_waits(c->ref, &out->waited_before) &&
		     take_waits(c->last, &out->waited_after);
	find_costs(c, set, out);
	return 1;
}
