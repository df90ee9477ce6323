#include "causes/judge_simulated.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "simulated/cost_model.h"
#include "simulated/line_words.h"
#include "base/statistics.h"
#include "evidence/cause_places.h"
#include "case/finding.h"
#include "simulated/simulated_costs.h"

/*
 * A loaded line or miss costs several times the unloaded one (METHODS 1.12: 85 to 130 ns become 200
 * to 600): a cause is ruled out only when even so many times its cost does not matter.
 */
#define LOADED 5

/*
 * s; more than one takes on any machine, for nodes whose costs are not calibrated: a line from or
 * to loaded memory (METHODS 1.12: 200 to 600 ns), and the 24 references of a page walk in a virtual
 * machine (Bhargava et al., ASPLOS 2008), a few of which memory serves.
 */
#define LINE_MOST 1e-6
#define WALK_MOST 5e-6

/* Of the ceiling: memory is surely not the limit below this, also if prefetchers bring in as much
 * again. */
#define FAR_FROM .25

/* Of the work: counts of so much of it may make a cause likely; they rule nothing out. */
#define MOST_PART .5

/* Less spinning than this, of the user time, does not matter to counts of instructions. */
#define LITTLE_SPIN .02

/* ---- numbers ---- */

/* Of one resample: what the costs explain of the growth, each its part, never more than it is. */
static double part_of(double cost, double all, double growth)
{
	if (growth <= 0 || all <= 0)
		return 0;
	return all > growth ? cost * growth / all : cost;
}

static double growth_of(const double *cores, unsigned long set)
{
	double sum = 0;

	for (int k = 0; k < SD_COMPONENT_COUNT; k++)
		if (set >> k & 1)
			sum += cores[k];
	return sum;
}

static void put_numbers(struct sd_case *c, const struct sd_cost_model *m, unsigned long set,
	double cost, struct sd_finding *f)
{
	const struct sd_loss *l = c->loss;
	const double value = part_of(cost, m->all, growth_of(l->added, set)) / l->n;
	struct sd_interval s;

	for (size_t b = 0; b < l->n_sample; b++)
		c->scratch[b] = part_of(cost, m->all,
					growth_of(l->added_sample + b * SD_COMPONENT_COUNT, set)) /
				l->n;
	s = sd_statistics_interval(value, c->scratch, l->n_sample, l->runs);
	f->share = s;
	f->cores = (struct sd_interval){s.value * l->n, s.low * l->n, s.high * l->n, s.status};
	f->worth = sd_finding_worth(s);
}

/* ---- the verdict ----------------------------------------------------------------------------- */

/* Whether waiting in loops may be among the instructions. */
static int may_spin(const struct sd_case *c)
{
	const unsigned known = c->loss->known_ref & c->loss->known;
	const struct sd_run_parts *const p = &c->last->mean;

	if (known & SD_RUN_PARTS_SPIN)
		return p->spin > LITTLE_SPIN;
	return !(known & SD_RUN_PARTS_SAMPLED) ||
	       sd_run_parts_user(p) - p->part[SD_PART_USER] > LITTLE_SPIN * sd_run_parts_user(p);
}

/* What keeps the counts from ruling anything out, or from more than possible; NULL: nothing. */
static const char *elsewhere(const struct sd_cost_model *m, const struct sd_record *r)
{
	if (strcmp(m->after.simulated->machine.name, "host") != 0)
		return "another machine than this node was simulated";
	return sd_cost_model_region(r) ? "only a region of the program was simulated" : NULL;
}

static const char *reservation(const struct sd_cost_model *m, const struct sd_record *r)
{
	return sd_cost_model_partial(m) ? "only a part of the program was simulated"
					: elsewhere(m, r);
}

/* Do the moves of lines in the part that was simulated, beyond all that the reference has, take
 * half of all growth already? Whatever the rest does, they are most of it then. */
static int is_enough(const struct sd_case *c, const struct sd_cost_model *m, enum sd_cause cause,
	unsigned long set)
{
	const int is_false = cause == SD_CAUSE_FALSE_SHARING;
	const struct sd_simulated_costs_counts *a = &m->before, *b = &m->after;
	const double after = is_false ? b->hitm_false : b->hitm - b->hitm_false;
	struct sd_value counted;

	if ((!is_false && cause != SD_CAUSE_TRUE_SHARING) || elsewhere(m, c->record))
		return 0;
	if (a->simulated->partial && c->ref->cores > 1) /* what all of it has is not known */
		return 0;
	counted = sd_cost_model_cores(c, m, is_false ? a->hitm_false : a->hitm - a->hitm_false,
		after / m->scaled, sd_cost_model_transfer(c));
	return sd_has(counted) && counted.value >= growth_of(c->loss->added, set) / 2;
}

/* Was most of the work simulated, by counts of all of it and not by the reference's work? The rest
 * would have to be quite unlike it to be another cause. */
static int is_most(const struct sd_cost_model *m, const struct sd_record *r)
{
	return m->part >= MOST_PART && m->before.whole > 0 && m->after.whole > 0 &&
	       !elsewhere(m, r);
}

static int too_little(const struct sd_case *c, const struct sd_cost_model *m, enum sd_cause cause)
{
	if (cause == SD_CAUSE_MEMORY_BANDWIDTH)
		return m->ceiling > 0 && m->used < FAR_FROM * m->ceiling;
	return sd_has(m->cost[cause]) && LOADED * m->cost[cause].value < SD_CASE_GATE * c->loss->n;
}

/* Where what one costs is not known: does it matter even at the most that one may cost? */
static int never_matters(
	struct sd_case *c, const struct sd_cost_model *m, enum sd_cause cause, struct sd_finding *f)
{
	const struct sd_simulated_costs_counts *const a = &m->before, *const b = &m->after;
	struct sd_value cores = SD_NOT(ABSENT);
	double each = LINE_MOST;

	if (sd_has(m->cost[cause]))
		return 0;
	if (cause == SD_CAUSE_MEMORY_BANDWIDTH)
		cores = sd_cost_model_cores(c, m, 0, b->lines, SD_OK(each));
	else if (cause == SD_CAUSE_LLC_CAPACITY)
		cores = sd_cost_model_cores(c, m, a->misses, b->misses, SD_OK(each));
	else if (cause == SD_CAUSE_DTLB)
		cores = sd_cost_model_cores(c, m, a->walks, b->walks, SD_OK(each = WALK_MOST));
	if (!sd_has(cores) || cores.value >= SD_CASE_GATE * c->loss->n)
		return 0;
	sd_case_say(c, f, "even at %.0f ns each, more than on any machine, %.3f cores", each * 1e9,
		cores.value);
	return 1;
}

static void say_part(
	struct sd_case *c, struct sd_finding *f, const struct sd_cost_model *m, const char *but)
{
	const char *const why = m->after.simulated->why;

	if (m->part > 0)
		sd_case_say(c, f,
			"only %.1f %% of the program were simulated%s%s: the counts are scaled up, "
			"as if the rest were like it",
			100 * m->part, *why ? "; " : "", why);
	else if (but)
		sd_case_say(c, f, "%s", but);
}

static enum sd_verdict nothing_known(struct sd_finding *f)
{
	f->cores = f->share = f->worth = (struct sd_interval){.status = SD_STATUS_ABSENT};
	return SD_VERDICT_POSSIBLE;
}

static enum sd_verdict judge(struct sd_case *c, const struct sd_cost_model *m, enum sd_cause cause,
	unsigned long set, struct sd_finding *f)
{
	/* all instructions are counted, also of what is simulated in part, on whatever machine */
	const int whole = cause == SD_CAUSE_EXTRA_WORK && sd_has(m->cost[cause]);
	const char *but = whole ? NULL : reservation(m, c->record);

	sd_simulated_evidence_say(c, f, m, cause);
	if (!whole)
		say_part(c, f, m, but);
	if (!but && (too_little(c, m, cause) || never_matters(c, m, cause, f))) {
		f->cores = f->share = f->worth = (struct sd_interval){.status = SD_STATUS_ABSENT};
		return SD_VERDICT_RULED_OUT;
	}
	if (!sd_has(m->cost[cause]))
		return nothing_known(f);
	put_numbers(c, m, set, m->cost[cause].value, f);
	if (f->share.value < SD_CASE_GATE)
		return nothing_known(f);
	if (cause == SD_CAUSE_EXTRA_WORK && may_spin(c)) {
		sd_case_say(c, f,
			"waiting in loops counts as instructions too, and nothing tells it apart here");
		return nothing_known(f);
	}
	if (but && (is_enough(c, m, cause, set) || is_most(m, c->record)))
		but = NULL;
	return f->share.low < SD_CASE_GATE || but ? SD_VERDICT_POSSIBLE : SD_VERDICT_LIKELY;
}

/* Counters say how much sharing costs; the simulated addresses say which. */
static int divide_twin(struct sd_case *c, struct sd_cost_model *m, enum sd_cause cause,
	unsigned long set, struct sd_finding *f, enum sd_verdict *verdict)
{
	const double mine = cause == SD_CAUSE_FALSE_SHARING ? m->after.hitm_false
							    : m->after.hitm - m->after.hitm_false;
	const char *const but = reservation(m, c->record);

	if (!(m->after.hitm > 0))
		return 0;
	m->all = 1e9; /* in proportion, whatever the amount */
	sd_simulated_evidence_say(c, f, m, cause);
	say_part(c, f, m, but);
	put_numbers(c, m, set, 1e9 * mine / m->after.hitm, f);
	if (mine < SD_CASE_GATE * m->after.hitm) {
		sd_case_say(c, f, "%.1f %% of the simulated moves", 100 * mine / m->after.hitm);
		*verdict = but ? nothing_known(f) : SD_VERDICT_RULED_OUT;
	} else {
		*verdict = f->share.low < SD_CASE_GATE || but ? SD_VERDICT_POSSIBLE
							      : SD_VERDICT_LIKELY;
	}
	return 1;
}

/* What malloc's own words cost, as they go from core to core, is the allocator's. */
static int is_allocators(struct sd_case *c, enum sd_cause cause, struct sd_finding *f)
{
	const double share = cause == SD_CAUSE_FALSE_SHARING || cause == SD_CAUSE_TRUE_SHARING
				     ? sd_cause_places_allocating(c, SD_PARTS_BY_STACK_BIT(USER))
				     : 0;

	if (!(share > .5))
		return 0;
	sd_case_say(c, f, "%.0f %% of the growth is in malloc, free and their like: see %s",
		100 * fmin(share, 1), sd_cause_info[SD_CAUSE_ALLOCATOR].label);
	c->contradicted |= 1ul << cause;
	return 1;
}

/* Where locks are taken, held and released, what moves is the locks' own words, or written under
 * them. */
static int is_locks(struct sd_case *c, enum sd_cause cause, struct sd_finding *f)
{
	const struct sd_interval v = c->spread->locking;

	if (cause != SD_CAUSE_TRUE_SHARING || v.status != SD_STATUS_OK ||
		!(v.value > .5 * f->cores.value))
		return 0;
	sd_case_say(c, f,
		"%.2f cores of the growth are in functions that take, hold and release locks: see "
		"%s",
		v.value, sd_cause_info[SD_CAUSE_LOCK_CONTENTION].label);
	c->contradicted |= 1ul << cause;
	return 1;
}

int sd_judge_simulated_judge(struct sd_case *c, enum sd_cause cause, unsigned long set, int twin,
	struct sd_finding *f, enum sd_verdict *verdict)
{
	static const enum sd_cause mine[] = {SD_CAUSE_FALSE_SHARING, SD_CAUSE_TRUE_SHARING,
		SD_CAUSE_LLC_CAPACITY, SD_CAUSE_DTLB, SD_CAUSE_MEMORY_BANDWIDTH,
		SD_CAUSE_EXTRA_WORK};
	struct sd_cost_model m;
	int known = 0;

	for (size_t i = 0; i < sizeof mine / sizeof *mine; i++)
		known |= mine[i] == cause;
	if (!known || !(c->last->median_time > 0))
		return 0;
	if (!sd_cost_model_make(c, set, &m))
		return 0;
	if (twin && !divide_twin(c, &m, cause, set, f, verdict))
		return 0;
	if (!twin)
		*verdict = judge(c, &m, cause, set, f);
	if (*verdict == SD_VERDICT_LIKELY && (is_allocators(c, cause, f) || is_locks(c, cause, f)))
		*verdict = SD_VERDICT_POSSIBLE;
	if (*verdict == SD_VERDICT_LIKELY && !twin)
		c->explained += f->cores.value;
	if (*verdict <= SD_VERDICT_POSSIBLE && m.after.hitm > 0 && !f->next &&
		(cause == SD_CAUSE_FALSE_SHARING || cause == SD_CAUSE_TRUE_SHARING) &&
		!(f->next = strdup(
			  "scalediag lines RECORD # the lines byte by byte, and what to do about each")))
		c->rc = -ENOMEM;
	if (*verdict <= SD_VERDICT_POSSIBLE &&
		(cause == SD_CAUSE_FALSE_SHARING || cause == SD_CAUSE_TRUE_SHARING))
		c->rc |= sd_line_words_wheres(c->record, m.after.simulated, f);
	return 1;
}
