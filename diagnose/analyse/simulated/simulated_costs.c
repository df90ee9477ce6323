#include <math.h>
#include <string.h>

#include "simulated/cost_model.h"

#include "case/cause_weights.h"
#include "hotspots/constructs.h"
#include "hotspots/function_role.h"
#include "loops/transfer_time.h"

/* Share of the ceiling from which memory is the limit (METHODS 6.2; 1.12: saturation at 70 to 90
 * %). */
#define SATURATED .8

static int simulated_well(const struct sd_run *run)
{
	return run->kind == SD_RUN_SIMULATED && run->simulated && run->simulated->n_thread > 0;
}

static const char *text_of(const struct sd_stacks *s, unsigned number)
{
	return number < s->n_text && s->text[number] ? s->text[number] : "";
}

typedef int is_of(const struct sd_stacks *s, const struct sd_frame *f);

static int is_of_lock(const struct sd_stacks *s, const struct sd_frame *f)
{
	return sd_function_role_locks(text_of(s, f->function));
}

static int is_of_allocator(const struct sd_stacks *s, const struct sd_frame *f)
{
	return sd_function_role_allocates(text_of(s, f->function));
}

static int is_of_openmp(const struct sd_stacks *s, const struct sd_frame *f)
{
	return sd_constructs_is_openmp(text_of(s, f->module));
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

double sd_simulated_costs_true(const struct sd_simulated_costs_counts *k)
{
	return fmax(
		0, k->hitm - k->hitm_false - k->hitm_locks - k->hitm_allocator - k->hitm_openmp);
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
	/* at the limit, whatever nothing else explains is waiting for memory */
	m->cost[SD_CAUSE_MEMORY_BANDWIDTH] =
		SD_OK(m->used >= SATURATED * m->ceiling ? fmax(0, growth - m->all) : 0);
}

/* Computes each cause's cost: counts times calibrated latencies (METHODS 6.2). A latency without
 * calibration leaves its cause unknown and not 0. Bandwidth comes last, since it is what the others
 * leave. */
static void find_costs(const struct sd_case *c, unsigned long set, struct sd_cost_model *m)
{
	const struct sd_calibration *k = &c->record->calibration;
	const struct sd_value line = sd_cost_model_transfer(c);
	const struct sd_simulated_costs_counts *a = &m->before, *b = &m->after;
	const double user = c->ref->mean.part[SD_PART_USER] * c->ref->n * c->ref->mean.time;
	struct sd_value miss = SD_NOT(ABSENT);

	if (sd_has(k->dram) && sd_has(k->llc))
		miss = SD_OK(fmax(0, k->dram.value - k->llc.value));
	m->cost[SD_CAUSE_FALSE_SHARING] =
		sd_cost_model_cores(c, m, a->hitm_false, b->hitm_false, line);
	m->cost[SD_CAUSE_TRUE_SHARING] = sd_cost_model_cores(
		c, m, sd_simulated_costs_true(a), sd_simulated_costs_true(b), line);
	m->cost[SD_CAUSE_ALLOCATOR] =
		sd_cost_model_cores(c, m, a->hitm_allocator, b->hitm_allocator, line);
	/* a reference of one core has no moves, whatever part of it was simulated, but all
	 * of these */
	if (sd_cost_model_comparable(m)) {
		m->cost[SD_CAUSE_LLC_CAPACITY] =
			sd_cost_model_cores(c, m, a->misses, b->misses, miss);
		m->cost[SD_CAUSE_DTLB] = sd_cost_model_cores(c, m, a->walks, b->walks, k->walk);
	}
	if (a->whole > 0 && b->whole > 0)
		m->cost[SD_CAUSE_EXTRA_WORK] =
			SD_OK(fmax(0, b->whole / a->whole - m->work) * user / c->last->median_time);
	for (int i = 0; i < SD_CAUSE_COUNT; i++)
		m->all += sd_has(m->cost[i]) ? m->cost[i].value : 0;
	/* so do the moves of locks and of an OpenMP runtime, which have no row among these */
	m->all += sd_cost_model_cores(
		c, m, a->hitm_locks + a->hitm_openmp, b->hitm_locks + b->hitm_openmp, line)
			  .value;
	find_bandwidth(c, m, sd_cause_weights_added(c, set).value * c->loss->n);
	m->all += sd_has(m->cost[SD_CAUSE_MEMORY_BANDWIDTH])
			  ? m->cost[SD_CAUSE_MEMORY_BANDWIDTH].value
			  : 0;
}

int sd_cost_model_make(const struct sd_case *c, unsigned long set, struct sd_cost_model *out)
{
	*out = (struct sd_cost_model){.work = c->last->work};
	sd_simulated_costs_counts(c->record, c->ref->plan, &out->before);
	sd_simulated_costs_counts(c->record, c->last->plan, &out->after);
	if (!out->before.simulated || !out->after.simulated)
		return 0;
	complete(out);
	find_costs(c, set, out);
	return 1;
}

double sd_simulated_costs_false(const struct sd_case *c)
{
	struct sd_simulated_costs_counts m;

	sd_simulated_costs_counts(c->record, c->last->plan, &m);
	return m.hitm > 0 ? m.hitm_false / m.hitm : -1;
}
