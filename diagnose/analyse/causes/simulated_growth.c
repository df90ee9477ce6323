#include "causes/simulated_growth.h"

#include <math.h>
#include <string.h>

#include "base/statistics.h"
#include "case/stated.h"
#include "causes/grown_time.h"
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

/* Share of the ceiling: below it memory is surely not the limit, even if prefetchers double it. */
#define FAR_FROM .25

/* Share of the work: counts of so much of it may make a cause likely; they rule nothing out. */
#define MOST_PART .5

/* Moves of lines for each miss more, where cores have several LLCs: with fewer of them hardly any
 * miss is of a line that another core took. */
#define MOVES_FEW .1

/* Less spinning than this, of the user time, does not matter to counts of instructions. */
#define LITTLE_SPIN .02

/* ---- numbers ---- */

/* One resample's growth that a cost explains; together the costs explain at most all of it. */
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

/* Cores of the growth that this cost explains. */
static struct sd_interval explained(
	const struct sd_case *c, const struct sd_cost_model *m, unsigned long set, double cost)
{
	const struct sd_loss *const l = c->loss;

	for (size_t b = 0; b < l->n_sample; b++)
		c->scratch[b] = part_of(
			cost, m->all, growth_of(l->added_sample + b * SD_COMPONENT_COUNT, set));
	return sd_statistics_interval(
		part_of(cost, m->all, growth_of(l->added, set)), c->scratch, l->n_sample, l->runs);
}

/* ---- what the counts are of ------------------------------------------------------------------ */

/* The reason why the counts bound nothing, however much they cover; NULL: there is none. */
static const char *elsewhere(const struct sd_cost_model *m, const struct sd_record *r)
{
	/* of a run that was modelled whole it is the machine of the times as well */
	if (!sd_run_selection_modelled(r) && strcmp(m->after.simulated->machine.name, "host") != 0)
		return "another machine than this node was simulated";
	return sd_cost_model_region(r) ? "only a region of the program was simulated" : NULL;
}

const char *sd_simulated_growth_reservation(
	const struct sd_cost_model *m, const struct sd_record *r)
{
	return sd_cost_model_partial(m) ? "only a part of the program was simulated"
					: elsewhere(m, r);
}

/* All instructions are counted, also of what is simulated in part, on whatever machine. */
static const char *reservation(
	const struct sd_case *c, const struct sd_cost_model *m, enum sd_cause cause)
{
	return cause == SD_CAUSE_EXTRA_WORK && sd_has(m->cost[cause])
		       ? NULL
		       : sd_simulated_growth_reservation(m, c->record);
}

/* Do the moves of lines in the part that was simulated, beyond all that the reference has, take
 * half of all growth already? Whatever the rest does, they are most of it then. */
static int is_enough(const struct sd_case *c, const struct sd_cost_model *m, enum sd_cause cause,
	unsigned long set)
{
	const double before = sd_simulated_costs_moves(&m->before, cause),
		     after = sd_simulated_costs_moves(&m->after, cause);
	struct sd_value counted;

	if (after < 0 || elsewhere(m, c->record))
		return 0;
	/* what all of it has is not known */
	if (m->before.simulated->partial && c->ref->cores > 1)
		return 0;
	counted = sd_cost_model_cores(c, m, before, after / m->scaled, sd_cost_model_transfer(c));
	return sd_has(counted) && counted.value >= growth_of(c->loss->added, set) / 2;
}

/* Was most of the work simulated, by counts of all of it and not by the reference's work? The rest
 * would have to be quite unlike it to be another cause. */
static int is_most(const struct sd_cost_model *m, const struct sd_record *r)
{
	return m->part >= MOST_PART && m->before.whole > 0 && m->after.whole > 0 &&
	       !elsewhere(m, r);
}

void sd_simulated_growth_say_part(
	struct sd_case *c, struct sd_finding *f, const struct sd_cost_model *m, const char *but)
{
	const char *const why = m->after.simulated->why;

	if (m->part > 0)
		sd_case_say(c, f,
			"%s %.1f %% of the program were simulated%s%s: the counts are scaled up, "
			"as if the rest were like it",
			m->at_most ? "at most" : "only", 100 * m->part, *why ? "; " : "", why);
	else if (but)
		sd_case_say(c, f, "%s", but);
}

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

/* ---- at most --------------------------------------------------------------------------------- */

/* Cores at the most that one event may cost, for events whose cost is not known. */
static struct sd_value at_any_cost(
	struct sd_case *c, const struct sd_cost_model *m, enum sd_cause cause, struct sd_finding *f)
{
	const struct sd_simulated_costs_counts *const a = &m->before, *const b = &m->after;
	const double each = cause == SD_CAUSE_DTLB ? WALK_MOST : LINE_MOST;
	struct sd_value cores = SD_NOT(ABSENT);

	if (cause == SD_CAUSE_MEMORY_BANDWIDTH)
		cores = sd_cost_model_cores(c, m, 0, b->lines, SD_OK(each));
	else if (cause == SD_CAUSE_LLC_CAPACITY)
		cores = sd_cost_model_cores(c, m, a->misses, b->misses, SD_OK(each));
	else if (cause == SD_CAUSE_DTLB)
		cores = sd_cost_model_cores(c, m, a->walks, b->walks, SD_OK(each));
	if (sd_has(cores) && cores.value < SD_CASE_GATE * c->loss->n)
		sd_case_say(c, f, "even at %.0f ns each, more than on any machine, %.3f cores",
			each * 1e9, cores.value);
	return cores;
}

/* Memory far from its ceiling is no limit; nearer to it nobody knows what waiting for it costs. */
static struct sd_value most_of(
	struct sd_case *c, const struct sd_cost_model *m, enum sd_cause cause, struct sd_finding *f)
{
	if (m->exact && sd_has(m->cost[cause]))
		return m->cost[cause];
	if (cause == SD_CAUSE_MEMORY_BANDWIDTH && m->ceiling > 0)
		return m->used < FAR_FROM * m->ceiling ? SD_OK(0) : SD_NOT(ABSENT);
	return sd_has(m->cost[cause]) ? SD_OK(LOADED * m->cost[cause].value)
				      : at_any_cost(c, m, cause, f);
}

/* The counts are the program's, whatever disturbed its runs. */
static void state_most(struct sd_case *c, enum sd_cause cause, struct sd_value most)
{
	const struct sd_statement s = {.cause = cause,
		.kind = SD_STATEMENT_MODEL,
		.at_least = SD_STATEMENT_OPEN,
		.at_most = {most.value, most.value, most.value, most.status},
		.sees = SD_SEES_WHOLE,
		.disturbed_by = SD_DISTURBANCE_BIT(FEW_RUNS),
		.id = "simulated-most"};

	if (sd_has(most))
		sd_stated_keep(c, &s);
}

/* ---- at least -------------------------------------------------------------------------------- */

/* Are misses of one of several LLCs, or many of them, of lines that another one took to write them,
 * or to have them ready? Those are no want of room. */
static int may_be_taken(const struct sd_cost_model *m)
{
	const struct sd_sim_machine *const k = &m->after.simulated->machine;

	return k->llc.sharers && k->llc.sharers < k->cores &&
	       m->after.hitm > MOVES_FEW * (m->after.misses - m->work * m->before.misses);
}

/* A model divides the growth that was seen: where there is none, or too little, it says nothing. */
static void state_least(struct sd_case *c, const struct sd_cost_model *m, struct sd_finding *f,
	unsigned long set, const char *but, sd_simulated_growth_against *against)
{
	const struct sd_interval grown = sd_stated_added(c, set);
	struct sd_statement s = {.cause = f->cause,
		.kind = SD_STATEMENT_MODEL,
		.at_most = SD_STATEMENT_OPEN,
		.sees = SD_SEES_WHOLE,
		.disturbed_by = sd_stated_disturbed(c, set),
		.id = "simulated"};

	if (!sd_has(m->cost[f->cause]) || !sd_grown_time_seen(c, &grown))
		return;
	s.at_least = explained(c, m, set, m->cost[f->cause].value);
	if (s.at_least.value < SD_CASE_GATE * c->loss->n)
		return;
	if (f->cause == SD_CAUSE_EXTRA_WORK && may_spin(c)) {
		sd_case_say(c, f,
			"waiting in loops counts as instructions too, and nothing tells it apart here");
		s.at_least = sd_stated_unsized(c);
		s.unsized = 1;
	}
	if (against && against(c, f, s.at_least.value))
		c->contradicted |= 1ul << f->cause;
	if (sd_grown_time_is_unsure(c, f->cause) ||
		(f->cause == SD_CAUSE_LLC_CAPACITY && may_be_taken(m)) ||
		(but && !is_enough(c, m, f->cause, set) && !is_most(m, c->record)))
		s.at_least.low = fmin(0, s.at_least.low);
	sd_stated_keep(c, &s);
}

/* Makes the model, and says what it counted for the cause; 0: it says nothing. */
static int make_model(struct sd_case *c, struct sd_finding *f, unsigned long set,
	struct sd_cost_model *m, const char **but)
{
	const struct sd_interval grown = sd_stated_added(c, set);

	if (sd_grown_time_unknown(c, &grown) || !(c->last->median_time > 0) ||
		!sd_cost_model_make(c, set, m))
		return 0;
	*but = reservation(c, m, f->cause);
	sd_simulated_evidence_say(c, f, m, f->cause);
	if (f->cause != SD_CAUSE_EXTRA_WORK || *but)
		sd_simulated_growth_say_part(c, f, m, *but);
	return 1;
}

void sd_simulated_growth_state(struct sd_case *c, struct sd_finding *f, unsigned long components,
	sd_simulated_growth_against *against)
{
	const unsigned long set = components & c->loss->components;
	struct sd_cost_model m;
	const char *but;

	if (!make_model(c, f, set, &m, &but))
		return;
	if (!but)
		state_most(c, f->cause, most_of(c, &m, f->cause, f));
	state_least(c, &m, f, set, but, against);
}

void sd_simulated_growth_least(struct sd_case *c, struct sd_finding *f, unsigned long components)
{
	const unsigned long set = components & c->loss->components;
	struct sd_cost_model m;
	const char *but;

	if (make_model(c, f, set, &m, &but))
		state_least(c, &m, f, set, but, NULL);
}
