#include "modelled.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "locking.h"
#include "named.h"
#include "statistics.h"
#include "wheres.h"

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

/* Of the ceiling: memory is the limit from here (METHODS 1.12, saturation at 70 to 90 %); and
 * surely not below, also if prefetchers bring in as much again. */
#define SATURATED .8
#define FAR_FROM .25

/* Of the work: counts of so much of it may make a cause likely; they rule nothing out. */
#define MOST_PART .5

/* Less spinning than this, of the user time, does not matter to counts of instructions. */
#define LITTLE_SPIN .02

static int simulated_well(const struct sd_run *run)
{
	return run->kind == SD_RUN_SIMULATED && run->simulated && run->simulated->n_thread > 0;
}

/*
 * Moves by false sharing: all those of lines whose threads use different bytes; of mixed ones those
 * that a second pass with the bytes apart does not have. Lines that were not kept are taken to be
 * like the others.
 */
static double share_of_false(const struct sd_simulated *s)
{
	double all = 0, of_false = 0;

	for (size_t i = 0; i < s->n_contested; i++) {
		const struct sd_sim_contested *l = &s->contested[i];
		const double hitm = l->hitm_load + l->hitm_store;

		all += hitm;
		if (l->sharing == SD_SIM_FALSE)
			of_false += hitm;
		else if (l->sharing == SD_SIM_MIXED && sd_has(l->separated))
			of_false += fmax(0, hitm - l->separated.value);
	}
	return all > 0 ? of_false / all : 0;
}

void sd_modelled_counts(const struct sd_record *r, size_t plan, struct sd_modelled_counts *out)
{
	const struct sd_simulated *s = NULL;

	*out = (struct sd_modelled_counts){0};
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
	out->hitm_false = out->hitm * share_of_false(s);
	out->whole = !s->partial ? out->instructions : sd_has(s->whole) ? s->whole.value : 0;
}

double sd_modelled_false(const struct sd_case *c)
{
	struct sd_modelled_counts m;

	sd_modelled_counts(c->record, c->last->plan, &m);
	return m.hitm > 0 ? m.hitm_false / m.hitm : -1;
}

/* ---- costs ----------------------------------------------------------------------------------- */

/* Both points, and what each cause costs at the last more than at the reference, in cores. */
struct modelled {
	struct sd_modelled_counts before, after;
	double work;                          /* of the last point, against the reference */
	struct sd_value cost[SD_CAUSE_COUNT]; /* cores; absent: not to be told */
	double all;                           /* their sum */
	double used, ceiling;                 /* bytes/s at the last point; 0 unknown */
	double part;   /* of the work, that was simulated, where it is less; 0 all or unknown */
	double scaled; /* by so much the last point's counts are more than those simulated */
};

static int is_partial(const struct modelled *m)
{
	return m->before.simulated->partial || m->after.simulated->partial;
}

/* Are both points' counts of the same work, or scaled to it? */
static int is_comparable(const struct modelled *m)
{
	return !is_partial(m) || m->part > 0;
}

static int is_region(const struct sd_record *r)
{
	const struct sd_plan_simulation *const s = r->plan.simulation;

	return s && (s->from[0] || s->length[0]);
}

/* As if all of the program were like the part; the part, of it. */
static double scale(struct sd_modelled_counts *k, double all)
{
	const double part = k->instructions / all;

	k->instructions /= part;
	k->lines /= part;
	k->misses /= part;
	k->walks /= part;
	k->hitm /= part;
	k->hitm_false /= part;
	return part;
}

/*
 * Of a run that was ended early only a part of the work was counted. How large a part, its own
 * whole count of instructions says, or for the last point that of the reference for the same work.
 * The rest is taken to be like it.
 */
static void complete(struct modelled *m)
{
	struct sd_modelled_counts *const a = &m->before, *const b = &m->after;
	const double all_a = a->whole, all_b = b->whole > 0 ? b->whole : a->whole * m->work;
	double part = 1, last = 1;

	m->scaled = 1;
	if ((a->simulated->partial && !(a->instructions > 0 && a->instructions < all_a)) ||
		(b->simulated->partial && !(b->instructions > 0 && b->instructions < all_b)))
		return;
	if (a->simulated->partial)
		part = scale(a, all_a);
	if (b->simulated->partial)
		last = scale(b, all_b);
	m->part = is_partial(m) ? fmin(part, last) : 0;
	m->scaled = 1 / last;
}

/* A modified line's way from core to core: calibrated, else as the runs' own probe saw it. */
static struct sd_value transfer_time(const struct sd_case *c)
{
	double sum = 0;
	size_t n = 0;

	if (sd_has(c->record->calibration.line) && c->record->calibration.line.value > 0)
		return c->record->calibration.line;
	for (size_t j = 0; j < c->last->n_run; j++) {
		const struct sd_value v = c->last->run[j]->metric[SD_METRIC_LINE_BEFORE];

		if (sd_parts_usable(v)) {
			sum += v.value / 2; /* a round trip */
			n++;
		}
	}
	return n ? SD_OK(sum / (double)n) : SD_NOT(ABSENT);
}

/* Counts times seconds as cores of the last point; what the reference had too is none of it. */
static struct sd_value cores_of(const struct sd_case *c, const struct modelled *m, double before,
	double after, struct sd_value seconds)
{
	if (!sd_has(seconds) || !(seconds.value >= 0))
		return SD_NOT(ABSENT);
	return SD_OK(fmax(0, after - m->work * before) * seconds.value / c->last->median_time);
}

static void find_bandwidth(const struct sd_case *c, struct modelled *m, double growth)
{
	const struct sd_value limit = sd_calibration_at(&c->record->calibration, c->last->n);
	const double line = m->after.simulated->machine.line;

	m->used = m->after.lines * line / c->last->median_time;
	if (!sd_has(limit) || !(limit.value > 0))
		return;
	m->ceiling = limit.value;
	if (!is_comparable(m) || is_region(c->record)) /* lines of less time than they are over */
		return;
	/* at the limit, what nothing else explains is waiting for memory */
	m->cost[SD_CAUSE_MEMORY_BANDWIDTH] =
		SD_OK(m->used >= SATURATED * m->ceiling ? fmax(0, growth - m->all) : 0);
}

static void find_costs(const struct sd_case *c, unsigned long set, struct modelled *m)
{
	const struct sd_calibration *k = &c->record->calibration;
	const struct sd_value line = transfer_time(c);
	const struct sd_modelled_counts *a = &m->before, *b = &m->after;
	const double user = c->ref->mean.part[SD_PART_USER] * c->ref->n * c->ref->mean.time;
	struct sd_value miss = SD_NOT(ABSENT);

	if (sd_has(k->dram) && sd_has(k->llc))
		miss = SD_OK(fmax(0, k->dram.value - k->llc.value));
	m->cost[SD_CAUSE_FALSE_SHARING] = cores_of(c, m, a->hitm_false, b->hitm_false, line);
	m->cost[SD_CAUSE_TRUE_SHARING] =
		cores_of(c, m, a->hitm - a->hitm_false, b->hitm - b->hitm_false, line);
	/* a reference of one core has no moves, whatever part of it was simulated, but all of these
	 */
	if (is_comparable(m)) {
		m->cost[SD_CAUSE_LLC_CAPACITY] = cores_of(c, m, a->misses, b->misses, miss);
		m->cost[SD_CAUSE_DTLB] = cores_of(c, m, a->walks, b->walks, k->walk);
	}
	if (a->whole > 0 && b->whole > 0)
		m->cost[SD_CAUSE_EXTRA_WORK] =
			SD_OK(fmax(0, b->whole / a->whole - m->work) * user / c->last->median_time);
	for (int i = 0; i < SD_CAUSE_COUNT; i++)
		m->all += sd_has(m->cost[i]) ? m->cost[i].value : 0;
	find_bandwidth(c, m, sd_rules_added(c, set).value * c->loss->n);
	m->all += sd_has(m->cost[SD_CAUSE_MEMORY_BANDWIDTH])
			  ? m->cost[SD_CAUSE_MEMORY_BANDWIDTH].value
			  : 0;
}

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

static void put_numbers(struct sd_case *c, const struct modelled *m, unsigned long set, double cost,
	struct sd_finding *f)
{
	const struct sd_loss *l = c->loss;
	const double value = part_of(cost, m->all, growth_of(l->added, set)) / l->n;
	struct sd_interval s;

	for (size_t b = 0; b < l->n_sample; b++)
		c->scratch[b] = part_of(cost, m->all,
					growth_of(l->added_sample + b * SD_COMPONENT_COUNT, set)) /
				l->n;
	s = sd_statistics_interval(value, c->scratch, l->n_sample, l->range);
	f->share = s;
	f->cores = (struct sd_interval){s.value * l->n, s.low * l->n, s.high * l->n, s.status};
	f->worth = sd_rules_worth(s);
}

/* ---- words ----------------------------------------------------------------------------------- */

static const char *plural(unsigned n)
{
	return n == 1 ? "" : "s";
}

/* More than there are: a core that waits for a line goes on with what does not need it, and a probe
 * in a bad moment makes each look dearer. */
static void say_cores(
	struct sd_case *c, struct sd_finding *f, struct sd_value each, struct sd_value cores)
{
	if (sd_has(each) && cores.value > c->loss->n)
		sd_rules_say(c, f,
			"at %.0f ns each on this node all %.0f cores and more, if none overlapped",
			each.value * 1e9, c->loss->n);
	else if (sd_has(each))
		sd_rules_say(c, f, "%.0f ns each on this node: %.2f cores if none overlapped",
			each.value * 1e9, cores.value);
}

static void say_sharing(
	struct sd_case *c, struct sd_finding *f, const struct modelled *m, enum sd_cause cause)
{
	const struct sd_simulated *s = m->after.simulated;
	const int is_false = cause == SD_CAUSE_FALSE_SHARING;
	const double before =
		is_false ? m->before.hitm_false : m->before.hitm - m->before.hitm_false;
	const double after = is_false ? m->after.hitm_false : m->after.hitm - m->after.hitm_false;
	const struct sd_value line = transfer_time(c);

	sd_rules_say(c, f,
		"simulated: lines of which threads write %s bytes move between cores in modified "
		"state %.4g times at %u core%s, %.4g times at %u",
		is_false ? "different" : "the same", before, c->ref->cores, plural(c->ref->cores),
		after, c->last->cores);
	say_cores(c, f, line, m->cost[cause]);
	for (size_t i = 0; i < s->n_contested && after > 0; i++)
		if (sd_named_is_of(&s->contested[i], cause)) {
			c->rc |= sd_named_line(c->record, &s->contested[i], &f->evidence);
			break;
		}
}

static void say_counts(struct sd_case *c, struct sd_finding *f, const struct modelled *m,
	const char *what, double before, double after, struct sd_value cost)
{
	sd_rules_say(c, f, "simulated: %s: %.4g at %u core%s, %.4g at %u", what, before,
		c->ref->cores, plural(c->ref->cores), after, c->last->cores);
	if (!is_comparable(m))
		return;
	if (sd_has(cost))
		sd_rules_say(c, f,
			"at this node's calibrated cost the difference takes %.2f cores, if "
			"nothing "
			"overlapped",
			cost.value);
	else
		sd_rules_say(c, f, "what one costs here is not known: scalediag calibrate");
}

static void say(
	struct sd_case *c, struct sd_finding *f, const struct modelled *m, enum sd_cause cause)
{
	const struct sd_modelled_counts *a = &m->before, *b = &m->after;

	switch (cause) {
	case SD_CAUSE_FALSE_SHARING:
	case SD_CAUSE_TRUE_SHARING:
		say_sharing(c, f, m, cause);
		return;
	case SD_CAUSE_LLC_CAPACITY:
		say_counts(c, f, m, "misses of the last-level cache", a->misses, b->misses,
			m->cost[cause]);
		return;
	case SD_CAUSE_DTLB:
		say_counts(c, f, m, "page walks", a->walks, b->walks, m->cost[cause]);
		return;
	case SD_CAUSE_EXTRA_WORK:
		if (!(a->whole > 0 && b->whole > 0))
			return;
		sd_rules_say(c, f,
			"%s: instructions for the same work: %.3f times those at %u core%s",
			is_partial(m) ? "counted in all of it" : "simulated",
			b->whole / a->whole / m->work, c->ref->cores, plural(c->ref->cores));
		return;
	default:
		if (!is_comparable(m) || is_region(c->record)) {
			sd_rules_say(c, f, "simulated: %.4g lines to and from memory at %u cores",
				b->lines, c->last->cores);
			return;
		}
		sd_rules_say(c, f,
			"simulated: %.4g lines to and from memory at %u cores, over the measured "
			"time %.2f GB/s",
			b->lines, c->last->cores, m->used / 1e9);
		if (m->ceiling > 0)
			sd_rules_say(c, f, "this node's ceiling at %u cores is %.2f GB/s",
				c->last->n, m->ceiling / 1e9);
		else
			sd_rules_say(c, f, "this node's ceiling is not known: scalediag calibrate");
	}
}

/* ---- the verdict ----------------------------------------------------------------------------- */

/* Whether waiting in loops may be among the instructions. */
static int may_spin(const struct sd_case *c)
{
	const unsigned known = c->loss->known_ref & c->loss->known;
	const struct sd_parts *const p = &c->last->mean;

	if (known & SD_PARTS_SPIN)
		return p->spin > LITTLE_SPIN;
	return !(known & SD_PARTS_SAMPLED) ||
	       sd_parts_user(p) - p->part[SD_PART_USER] > LITTLE_SPIN * sd_parts_user(p);
}

/* What keeps the counts from ruling anything out, or from more than possible; NULL: nothing. */
static const char *elsewhere(const struct modelled *m, const struct sd_record *r)
{
	if (strcmp(m->after.simulated->machine.name, "host") != 0)
		return "another machine than this node was simulated";
	return is_region(r) ? "only a region of the program was simulated" : NULL;
}

static const char *reservation(const struct modelled *m, const struct sd_record *r)
{
	return is_partial(m) ? "only a part of the program was simulated" : elsewhere(m, r);
}

/* Do the moves of lines in the part that was simulated, beyond all that the reference has, take
 * half of all growth already? Whatever the rest does, they are most of it then. */
static int is_enough(
	const struct sd_case *c, const struct modelled *m, enum sd_cause cause, unsigned long set)
{
	const int is_false = cause == SD_CAUSE_FALSE_SHARING;
	const struct sd_modelled_counts *a = &m->before, *b = &m->after;
	const double after = is_false ? b->hitm_false : b->hitm - b->hitm_false;
	struct sd_value counted;

	if ((!is_false && cause != SD_CAUSE_TRUE_SHARING) || elsewhere(m, c->record))
		return 0;
	if (a->simulated->partial && c->ref->cores > 1) /* what all of it has is not known */
		return 0;
	counted = cores_of(c, m, is_false ? a->hitm_false : a->hitm - a->hitm_false,
		after / m->scaled, transfer_time(c));
	return sd_has(counted) && counted.value >= growth_of(c->loss->added, set) / 2;
}

/* Was most of the work simulated, by counts of all of it and not by the reference's work? The rest
 * would have to be quite unlike it to be another cause. */
static int is_most(const struct modelled *m, const struct sd_record *r)
{
	return m->part >= MOST_PART && m->before.whole > 0 && m->after.whole > 0 &&
	       !elsewhere(m, r);
}

static int too_little(const struct sd_case *c, const struct modelled *m, enum sd_cause cause)
{
	if (cause == SD_CAUSE_MEMORY_BANDWIDTH)
		return m->ceiling > 0 && m->used < FAR_FROM * m->ceiling;
	return sd_has(m->cost[cause]) && LOADED * m->cost[cause].value < SD_RULES_GATE * c->loss->n;
}

/* Where what one costs is not known: does it matter even at the most that one may cost? */
static int never_matters(
	struct sd_case *c, const struct modelled *m, enum sd_cause cause, struct sd_finding *f)
{
	const struct sd_modelled_counts *const a = &m->before, *const b = &m->after;
	struct sd_value cores = SD_NOT(ABSENT);
	double each = LINE_MOST;

	if (sd_has(m->cost[cause]))
		return 0;
	if (cause == SD_CAUSE_MEMORY_BANDWIDTH)
		cores = cores_of(c, m, 0, b->lines, SD_OK(each));
	else if (cause == SD_CAUSE_LLC_CAPACITY)
		cores = cores_of(c, m, a->misses, b->misses, SD_OK(each));
	else if (cause == SD_CAUSE_DTLB)
		cores = cores_of(c, m, a->walks, b->walks, SD_OK(each = WALK_MOST));
	if (!sd_has(cores) || cores.value >= SD_RULES_GATE * c->loss->n)
		return 0;
	sd_rules_say(c, f, "even at %.0f ns each, more than on any machine, %.3f cores", each * 1e9,
		cores.value);
	return 1;
}

static void say_part(
	struct sd_case *c, struct sd_finding *f, const struct modelled *m, const char *but)
{
	if (m->part > 0)
		sd_rules_say(c, f,
			"only %.1f %% of the program were simulated: the counts are scaled up, as "
			"if the rest were like it",
			100 * m->part);
	else if (but)
		sd_rules_say(c, f, "%s", but);
}

static enum sd_verdict nothing_known(struct sd_finding *f)
{
	f->cores = f->share = f->worth = (struct sd_interval){.status = SD_STATUS_ABSENT};
	return SD_VERDICT_POSSIBLE;
}

static enum sd_verdict judge(struct sd_case *c, const struct modelled *m, enum sd_cause cause,
	unsigned long set, struct sd_finding *f)
{
	/* all instructions are counted, also of what is simulated in part, on whatever machine */
	const int whole = cause == SD_CAUSE_EXTRA_WORK && sd_has(m->cost[cause]);
	const char *but = whole ? NULL : reservation(m, c->record);

	say(c, f, m, cause);
	if (!whole)
		say_part(c, f, m, but);
	if (!but && (too_little(c, m, cause) || never_matters(c, m, cause, f))) {
		f->cores = f->share = f->worth = (struct sd_interval){.status = SD_STATUS_ABSENT};
		return SD_VERDICT_RULED_OUT;
	}
	if (!sd_has(m->cost[cause]))
		return nothing_known(f);
	put_numbers(c, m, set, m->cost[cause].value, f);
	if (f->share.low < SD_RULES_GATE)
		return nothing_known(f);
	if (cause == SD_CAUSE_EXTRA_WORK && may_spin(c)) {
		sd_rules_say(c, f,
			"waiting in loops counts as instructions too, and nothing tells it apart "
			"here");
		return nothing_known(f);
	}
	if (but && (is_enough(c, m, cause, set) || is_most(m, c->record)))
		but = NULL;
	return but || c->capped || c->disturbed ? SD_VERDICT_POSSIBLE : SD_VERDICT_LIKELY;
}

/* Counters say how much sharing costs; the simulated addresses say which. */
static int divide_twin(struct sd_case *c, struct modelled *m, enum sd_cause cause,
	unsigned long set, struct sd_finding *f, enum sd_verdict *verdict)
{
	const double mine = cause == SD_CAUSE_FALSE_SHARING ? m->after.hitm_false
							    : m->after.hitm - m->after.hitm_false;
	const char *const but = reservation(m, c->record);

	if (!(m->after.hitm > 0))
		return 0;
	m->all = 1e9; /* in proportion, whatever the amount */
	say(c, f, m, cause);
	say_part(c, f, m, but);
	put_numbers(c, m, set, 1e9 * mine / m->after.hitm, f);
	if (mine < SD_RULES_GATE * m->after.hitm) {
		sd_rules_say(c, f, "%.1f %% of the simulated moves", 100 * mine / m->after.hitm);
		*verdict = but ? nothing_known(f) : SD_VERDICT_RULED_OUT;
	} else {
		*verdict = f->share.low < SD_RULES_GATE || but || c->capped || c->disturbed
				   ? SD_VERDICT_POSSIBLE
				   : SD_VERDICT_LIKELY;
	}
	return 1;
}

/* What malloc's own words cost, as they go from core to core, is the allocator's. */
static int is_allocators(struct sd_case *c, enum sd_cause cause, struct sd_finding *f)
{
	const double share = cause == SD_CAUSE_FALSE_SHARING || cause == SD_CAUSE_TRUE_SHARING
				     ? sd_wheres_allocating(c, SD_USES_BIT(USER))
				     : 0;

	if (!(share > .5))
		return 0;
	sd_rules_say(c, f, "%.0f %% of the growth is in malloc, free and their like: see %s",
		100 * fmin(share, 1), sd_cause_info[SD_CAUSE_ALLOCATOR].label);
	c->contradicted |= 1ul << cause;
	return 1;
}

int sd_modelled_judge(struct sd_case *c, enum sd_cause cause, unsigned long set, int twin,
	struct sd_finding *f, enum sd_verdict *verdict)
{
	static const enum sd_cause mine[] = {SD_CAUSE_FALSE_SHARING, SD_CAUSE_TRUE_SHARING,
		SD_CAUSE_LLC_CAPACITY, SD_CAUSE_DTLB, SD_CAUSE_MEMORY_BANDWIDTH,
		SD_CAUSE_EXTRA_WORK};
	struct modelled m = {.work = c->last->work};
	int known = 0;

	for (size_t i = 0; i < sizeof mine / sizeof *mine; i++)
		known |= mine[i] == cause;
	if (!known || !(c->last->median_time > 0))
		return 0;
	sd_modelled_counts(c->record, c->ref->plan, &m.before);
	sd_modelled_counts(c->record, c->last->plan, &m.after);
	if (!m.before.simulated || !m.after.simulated)
		return 0;
	complete(&m);
	find_costs(c, set, &m);
	if (twin && !divide_twin(c, &m, cause, set, f, verdict))
		return 0;
	if (!twin)
		*verdict = judge(c, &m, cause, set, f);
	if (*verdict == SD_VERDICT_LIKELY &&
		(is_allocators(c, cause, f) || sd_locking_has(c, cause, f)))
		*verdict = SD_VERDICT_POSSIBLE;
	if (*verdict == SD_VERDICT_LIKELY && !twin)
		c->explained += f->cores.value;
	if (*verdict <= SD_VERDICT_POSSIBLE && m.after.hitm > 0 && !f->next &&
		(cause == SD_CAUSE_FALSE_SHARING || cause == SD_CAUSE_TRUE_SHARING) &&
		!(f->next = strdup("scalediag lines RECORD: the lines byte by byte, and what to do "
				   "about each")))
		c->rc = -ENOMEM;
	if (*verdict <= SD_VERDICT_POSSIBLE &&
		(cause == SD_CAUSE_FALSE_SHARING || cause == SD_CAUSE_TRUE_SHARING))
		c->rc |= sd_named_wheres(c->record, m.after.simulated, f);
	return 1;
}
