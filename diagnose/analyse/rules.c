#include "rules.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "sampledlines.h"
#include "settle.h"
#include "locking.h"
#include "modelled.h"
#include "nextstep.h"
#include "statistics.h"
#include "traffic.h"
#include "wheres.h"

/* The order of two causes is certain when this many resamples agree (METHODS 5). */
#define RANK_CERTAIN .9

/* Waits that no cause of the table stands for. */
#define SELF_CHOSEN (SD_BIT(SLEEP) | SD_BIT(NETWORK))

static double sum(const double *cores, unsigned long components)
{
	double s = 0;

	for (int k = 0; k < SD_COMPONENT_COUNT; k++)
		if (components >> k & 1)
			s += cores[k];
	return s;
}

static struct sd_interval share(
	const struct sd_case *c, const double *value, const double *sample, unsigned long set)
{
	const struct sd_loss *l = c->loss;

	for (size_t b = 0; b < l->n_sample; b++)
		c->scratch[b] = sum(sample + b * SD_COMPONENT_COUNT, set) / l->n;
	return sd_statistics_interval(sum(value, set) / l->n, c->scratch, l->n_sample, l->range);
}

struct sd_interval sd_rules_added(const struct sd_case *c, unsigned long components)
{
	return share(c, c->loss->added, c->loss->added_sample, components);
}

/* Have counts, or samples of the loops that threads wait in, given this cause a component of its
 * own? */
static int owned(const struct sd_case *c, const struct sd_rule *r)
{
	unsigned known = c->loss->known_ref & c->loss->known;

	return (c->model->row || ((r->sampled & r->own) && (known & SD_PARTS_SAMPLED))) &&
	       (r->own & c->loss->components) && (known & r->own_needs) == r->own_needs;
}

static unsigned long mine(const struct sd_case *c, const struct sd_rule *r)
{
	return r->mine ? r->mine(c) & c->loss->components : 0;
}

static int direct(const struct sd_case *c, const struct sd_rule *r)
{
	return r->direct || mine(c, r) || (owned(c, r) && !r->twin);
}

static unsigned long carriers(const struct sd_case *c, const struct sd_rule *r)
{
	if (mine(c, r))
		return mine(c, r);
	if (owned(c, r))
		return r->own & c->loss->components;
	int counters = (c->loss->components & SD_BIT(INSTRUCTIONS)) != 0;

	unsigned long set = counters && r->counted ? r->counted : r->carriers;

	if (r->sampled && (c->loss->known_ref & c->loss->known & SD_PARTS_SAMPLED))
		set = r->sampled;

	return (set | (r->more ? r->more(c) : 0)) & c->loss->components;
}

/* Does this much pass the gate of METHODS 3: there, and grown from the reference? */
static int passes(const struct sd_case *c, unsigned long set)
{
	return sd_rules_added(c, set).low >= SD_RULES_GATE &&
	       share(c, c->loss->stack, c->loss->stack_sample, set).low >= SD_RULES_GATE;
}

/* The lumps that compete for being the worst: the direct causes, growth, and what nobody explains.
 */
static size_t rivals(const struct sd_case *c, unsigned long *set)
{
	unsigned long told = 0;
	size_t n = 0;

	for (int i = 0; i < SD_CAUSE_COUNT; i++)
		if (direct(c, &sd_rule_table[i])) {
			set[n++] = carriers(c, &sd_rule_table[i]);
			told |= set[n - 1];
		}
	set[n++] = SD_RULES_GROWTH & c->loss->components & ~told;
	set[n++] = SELF_CHOSEN & c->loss->components;
	set[n++] = SD_BIT(UNACCOUNTED);
	return n;
}

/* What a cause must have to matter: where threads wait for peers, more than cores of unequal speed
 * make them wait. */
static double gate(const struct sd_case *c, const struct sd_rule *r)
{
	return SD_RULES_GATE + (r->peers ? c->neighbours.uneven : 0);
}

static int certain(const struct sd_case *c, unsigned long components, double gate)
{
	struct sd_interval v = sd_rules_added(c, components);
	size_t runs = c->ref->n_run < c->last->n_run ? c->ref->n_run : c->last->n_run;
	double error;

	if (c->loss->range) /* as among the times: a few runs show large effects only */
		return v.low >= gate && v.value > .2;
	error = sd_statistics_cv(c->scratch, c->loss->n_sample) *
		sd_statistics_mean(c->scratch, c->loss->n_sample);
	return v.value - sd_statistics_student((double)runs - 1) * error >= gate;
}

int sd_rules_any_certain(const struct sd_case *c)
{
	for (int i = 0; i < SD_CAUSE_COUNT; i++) {
		const struct sd_rule *r = &sd_rule_table[i];
		const unsigned long set = carriers(c, r);

		if (r->direct && set && certain(c, set, gate(c, r)))
			return 1;
	}
	return certain(c, SELF_CHOSEN & c->loss->components, SD_RULES_GATE);
}

/*
 * Probability that these components are among the k worst, where k is the number of lumps that
 * pass the gate: with one cause it is P(rank 1).
 */
static double certain_rank(const struct sd_case *c, unsigned long mine)
{
	unsigned long set[SD_CAUSE_COUNT + 3];
	size_t n = rivals(c, set), k = 0, held = 0;

	for (size_t i = 0; i < n; i++)
		k += (size_t)passes(c, set[i]);
	k = k ? k : 1;
	for (size_t b = 0; b < c->loss->n_sample; b++) {
		const double *cores = c->loss->added_sample + b * SD_COMPONENT_COUNT;
		double own = sum(cores, mine);
		size_t larger = 0;

		for (size_t i = 0; i < n; i++)
			larger += !(set[i] & mine) && sum(cores, set[i]) > own;
		held += larger < k;
	}
	return (double)held / (double)c->loss->n_sample;
}

struct sd_interval sd_rules_worth(struct sd_interval share)
{
	if (share.low < 0 || share.high >= 1)
		return (struct sd_interval){.status = SD_STATUS_ABSENT};
	return (struct sd_interval){
		1 / (1 - share.value), 1 / (1 - share.low), 1 / (1 - share.high), share.status};
}

static void numbers(struct sd_case *c, struct sd_finding *f, unsigned long set)
{
	struct sd_interval s = share(c, c->loss->stack, c->loss->stack_sample, set);
	double n = c->loss->n;

	f->share = s;
	f->cores = (struct sd_interval){s.value * n, s.low * n, s.high * n, s.status};
	f->worth = sd_rules_worth(s);
}

static void say_amount(struct sd_case *c, struct sd_finding *f, const struct sd_rule *r)
{
	struct sd_interval v = f->cores;
	double own = v.value - sum(c->loss->added, carriers(c, r));

	sd_rules_say(c, f, "%.2f of %u cores (95 %%: %.2f to %.2f) %s", v.value, c->last->n, v.low,
		v.high, mine(c, r) ? r->what_mine : r->what);
	if (own > .01 * c->loss->n)
		sd_rules_say(c, f,
			"%.2f of these cores are not a loss of scaling: the same share was there "
			"at %u core%s",
			own, c->ref->cores, c->ref->cores == 1 ? "" : "s");
}

/* Most of what the cause holds is the allocator's doing: that is the cause then. */
static int is_allocators(struct sd_case *c, const struct sd_rule *r, struct sd_finding *f)
{
	const double share = r->parts ? sd_wheres_allocating(c, r->parts) : -1;

	if (share <= .5)
		return 0;
	sd_rules_say(c, f, "%.0f %% of it is below malloc, free and their like: see %s",
		100 * (share < 1 ? share : 1), sd_cause_info[SD_CAUSE_ALLOCATOR].label);
	return 1;
}

/* A cause whose components hold nothing else. */
static enum sd_verdict judge_direct(
	struct sd_case *c, const struct sd_rule *r, struct sd_finding *f, unsigned long set)
{
	double rank = certain_rank(c, set);
	int contradicted;

	say_amount(c, f, r);
	if (r->evidence)
		r->evidence(c, f);
	if (c->model->row && r->counts)
		r->counts(c, f);
	contradicted = r->falsified && r->falsified(c, f);
	contradicted |= is_allocators(c, r, f);
	if (c->model->row && r->against)
		contradicted |= r->against(c, f);
	if (contradicted)
		c->contradicted |= 1ul << f->cause;
	if (passes(c, set) && rank < RANK_CERTAIN)
		sd_rules_say(c, f,
			"its place among the causes is not certain: only %.0f %% of the resamples "
			"agree",
			100 * rank);
	if (sd_rules_added(c, set).low < gate(c, r) && passes(c, set)) {
		sd_rules_say(c, f,
			"against it: up to %.2f of %u cores wait since the CPUs were not equally "
			"fast",
			c->neighbours.uneven * c->loss->n, c->last->n);
		contradicted = 1;
	}
	if (!passes(c, set) || contradicted || rank < RANK_CERTAIN || c->capped ||
		(c->disturbed && !r->machine))
		return SD_VERDICT_POSSIBLE;
	return SD_VERDICT_LIKELY;
}

/* True or false sharing: how much by counters; which by sampled addresses, if there are any. */
static enum sd_verdict judge_twin(struct sd_case *c, const struct sd_rule *r, struct sd_finding *f)
{
	enum sd_verdict verdict;

	say_amount(c, f, r);
	if (r->evidence)
		r->evidence(c, f);
	if (r->counts)
		r->counts(c, f);
	if (sd_sampledlines_judge(c, f, &verdict))
		return verdict;
	sd_rules_say(c, f,
		"whether the threads write the same bytes of the line or only the same line, "
		"counts cannot say: it needs the addresses");
	return SD_VERDICT_POSSIBLE;
}

/* A cause that hides in a lump with others. */
static enum sd_verdict judge_lump(
	struct sd_case *c, const struct sd_rule *r, struct sd_finding *f, struct sd_interval grown)
{
	double before =
		c->ref->mean.part[SD_PART_USER] * c->ref->n * c->ref->mean.time * c->last->work;
	double after = c->last->mean.part[SD_PART_USER] * c->last->n * c->last->mean.time;

	if (before > 0 &&
		sd_rules_added(c, SD_RULES_GROWTH & c->loss->components).high >= SD_RULES_GATE)
		sd_rules_say(c, f,
			"user time grows by %.1f %%: shared hardware or sharing, undecided",
			100 * (after / before - 1));
	sd_rules_say(c, f, "at most %.2f of %u cores (95 %%: %.2f to %.2f) %s",
		grown.value * c->loss->n, c->last->n, grown.low * c->loss->n,
		grown.high * c->loss->n, r->what);
	if (r->evidence)
		r->evidence(c, f);
	if (c->model->row && r->counts)
		r->counts(c, f);
	if (r->falsified)
		r->falsified(c, f);
	f->cores = f->share = (struct sd_interval){.status = SD_STATUS_ABSENT};
	f->worth = (struct sd_interval){.status = SD_STATUS_ABSENT};
	return SD_VERDICT_POSSIBLE;
}

static enum sd_verdict not_measurable(struct sd_case *c, struct sd_finding *f, const char *why)
{
	f->cores = f->share = f->worth = (struct sd_interval){.status = SD_STATUS_ABSENT};
	sd_rules_say(c, f, "%s", why);
	return SD_VERDICT_NOT_MEASURABLE;
}

static enum sd_verdict too_noisy(struct sd_case *c, struct sd_finding *f, struct sd_interval added)
{
	f->cores = f->share = f->worth = (struct sd_interval){.status = SD_STATUS_ABSENT};
	/* the same words for all such causes, so that a report says them once */
	sd_rules_say(c, f, "these runs cannot tell whether it takes 5 %% of the cores%s",
		c->together < 1 - SD_RULES_GATE
			? ": others took CPUs, so that threads seldom ran together"
			: "");
	sd_rules_say(c, f, "%.1f to %.1f %% of the cores more than at %u core%s", 100 * added.low,
		100 * added.high, c->ref->cores, c->ref->cores == 1 ? "" : "s");
	f->next = strdup("more runs narrow it: --repeats 20 or more, on a quiet machine");
	if (!f->next)
		c->rc = -ENOMEM;
	return SD_VERDICT_NOT_MEASURABLE;
}

static enum sd_verdict unequal(struct sd_case *c, struct sd_finding *f, struct sd_interval added)
{
	f->cores = f->share = f->worth = (struct sd_interval){.status = SD_STATUS_ABSENT};
	sd_rules_say(c, f,
		"these runs cannot tell: the CPUs were not equally fast, since others used their "
		"cores, and up to %.2f of %u cores wait for that alone (%.2f more than at %u "
		"core%s do)",
		c->neighbours.uneven * c->loss->n, c->last->n, added.value * c->loss->n,
		c->ref->cores, c->ref->cores == 1 ? "" : "s");
	f->next = strdup("measure on a machine of its own, or when its neighbours are quiet");
	if (!f->next)
		c->rc = -ENOMEM;
	return SD_VERDICT_NOT_MEASURABLE;
}

/* Idle time that nobody could explain may be a wait of any kind that was not counted. */
static int may_be_unaccounted(const struct sd_case *c, const struct sd_rule *r)
{
	unsigned long waits = SD_BIT(LOCK) | SD_BIT(IMBALANCE) | SD_BIT(SERIAL) | SD_BIT(DISK);

	if (!(c->loss->components & SD_BIT(RUN_QUEUE)))
		waits |= SD_BIT(RUN_QUEUE);
	return c->incomplete && (r->carriers & waits) &&
	       sd_rules_added(c, carriers(c, r) | SD_BIT(UNACCOUNTED)).high >= SD_RULES_GATE;
}

/* Cores that idled at the last point since a runtime had no task for them: mean of the runs. */
static double taskless(const struct sd_case *c)
{
	double sum = 0;

	for (size_t i = 0; i < c->last->n_run; i++) {
		const struct sd_value idle = c->last->run[i]->idle[SD_IDLE_TASKLESS];
		const struct sd_value wall = c->last->run[i]->metric[SD_METRIC_WALL];

		if (sd_parts_usable(idle) && sd_parts_usable(wall) && wall.value > 0)
			sum += idle.value / wall.value;
	}
	return c->last->n_run ? sum / (double)c->last->n_run : 0;
}

static enum sd_verdict not_accounted(struct sd_case *c, struct sd_finding *f)
{
	const double unknown = c->loss->stack[SD_COMPONENT_UNACCOUNTED];

	f->cores = f->share = f->worth = (struct sd_interval){.status = SD_STATUS_ABSENT};
	if (taskless(c) > SD_RULES_GATE * c->last->n)
		sd_rules_say(c, f,
			"these runs cannot tell: %.2f of %u cores are not accounted for; the "
			"program's runtime schedules tasks of its own (goroutines) on its threads, "
			"and what tasks wait for was not seen",
			unknown, c->last->n);
	else
		sd_rules_say(c, f,
			"these runs cannot tell: %.2f of %u cores are not accounted for, and it "
			"may be among them",
			unknown, c->last->n);
	return SD_VERDICT_NOT_MEASURABLE;
}

/* Below the gate: ruled out, unless the threads ran together too rarely to disturb each other. */
static enum sd_verdict below_gate(
	struct sd_case *c, const struct sd_rule *r, struct sd_finding *f, struct sd_interval added)
{
	if (may_be_unaccounted(c, r))
		return not_accounted(c, f);
	if (c->a->n_point == 2 && (c->ref->n_run < 2 || c->last->n_run < 2))
		return not_measurable(
			c, f, "one run at a core count does not tell how much the runs differ");
	if (!r->machine && added.high >= SD_RULES_GATE * c->together)
		return too_noisy(c, f, added);
	sd_rules_say(c, f,
		"%.1f %% of the cores more than at %u core%s (95 %%: %.1f to %.1f %%) %s",
		100 * added.value, c->ref->cores, c->ref->cores == 1 ? "" : "s", 100 * added.low,
		100 * added.high, r->what);
	return SD_VERDICT_RULED_OUT;
}

/* A cause that is where the stacks are below malloc and its like: they say how much it is. */
static enum sd_verdict judge_stacks(
	struct sd_case *c, const struct sd_rule *r, struct sd_finding *f)
{
	const struct sd_interval v = c->spread->allocated;
	const double n = c->loss->n;
	struct sd_interval s = {v.value / n, v.low / n, v.high / n, v.status};

	if (s.high < SD_RULES_GATE) {
		sd_rules_say(c, f, "%.2f of %u cores (95 %%: %.2f to %.2f) %s", v.value, c->last->n,
			v.low, v.high, r->what_stacks);
		return SD_VERDICT_RULED_OUT;
	}
	if (c->scales || !c->lost || s.low <= 0 || s.value < SD_RULES_GATE)
		return too_noisy(c, f, s);
	f->cores = v;
	f->share = s;
	f->worth = sd_rules_worth(s);
	sd_rules_say(c, f, "%.2f of %u cores (95 %%: %.2f to %.2f) %s", v.value, c->last->n, v.low,
		v.high, r->what_stacks);
	return s.low >= SD_RULES_GATE && !c->capped && !c->disturbed ? SD_VERDICT_LIKELY
								     : SD_VERDICT_POSSIBLE;
}

static enum sd_verdict judge(struct sd_case *c, enum sd_cause cause, struct sd_finding *f)
{
	const struct sd_rule *r = &sd_rule_table[cause];
	unsigned known = c->loss->known_ref & c->loss->known;
	unsigned long set = carriers(c, r);
	struct sd_interval added;
	enum sd_verdict verdict;

	if (r->excluded && r->excluded(c, f))
		return SD_VERDICT_RULED_OUT;
	if (r->carriers == 0)
		return not_measurable(c, f, r->lacking);
	if (c->a->n_point < 2)
		return not_measurable(c, f, "needs runs at two core counts or more");
	if (r->traffic && !(known & SD_PARTS_CPU) && sd_traffic_judge(c, cause, f, &verdict)) {
		f->cores = f->share = f->worth = (struct sd_interval){.status = SD_STATUS_ABSENT};
		return verdict;
	}
	if ((known & r->needs) != r->needs || set == 0)
		return not_measurable(c, f, r->lacking);
	if (r->what_stacks && c->spread->now && !c->fixed_time)
		return judge_stacks(c, r, f);
	added = sd_rules_added(c, set);
	numbers(c, f, set);
	if (sd_locking_judge(c, r, f, added, &verdict))
		return verdict;
	if (added.high < SD_RULES_GATE)
		return below_gate(c, r, f, added);
	if (c->fixed_time && !r->direct)
		return not_measurable(c, f,
			"the program may run for a fixed time (see the warning): then nothing is "
			"lost");
	if (c->scales || !(c->lost || (r->direct && certain(c, set, gate(c, r)))) ||
		added.low <= 0 || added.value < SD_RULES_GATE)
		return too_noisy(c, f, added);
	if (added.value < gate(c, r))
		return unequal(c, f, added);
	if ((!owned(c, r) || r->twin) &&
		sd_modelled_judge(c, cause, set, owned(c, r) && r->twin, f, &verdict))
		return verdict;
	if (owned(c, r) && r->twin)
		return judge_twin(c, r, f);
	return direct(c, r) ? judge_direct(c, r, f, set) : judge_lump(c, r, f, added);
}

static void advise(struct sd_case *c, const struct sd_rule *r, struct sd_finding *f)
{
	if (f->verdict == SD_VERDICT_RULED_OUT)
		return;
	if (!f->next)
		f->next = sd_next_step(c, r);
	if (f->verdict == SD_VERDICT_NOT_MEASURABLE)
		return;
	if (f->verdict == SD_VERDICT_POSSIBLE && (c->contradicted >> f->cause & 1))
		return; /* an experiment may have settled it since */
	for (size_t i = 0; i < sizeof r->advice / sizeof *r->advice && r->advice[i]; i++)
		if (sd_texts_add(&f->advice, "%s", r->advice[i]))
			c->rc = -ENOMEM;
}

/* Strongest verdict first, then most cores, then the order of the causes. */
static int worse(const void *a, const void *b)
{
	const struct sd_finding *x = a, *y = b;
	double cx = x->cores.status == SD_STATUS_OK ? x->cores.value : -1e9;
	double cy = y->cores.status == SD_STATUS_OK ? y->cores.value : -1e9;

	if (x->verdict != y->verdict)
		return (x->verdict > y->verdict) - (x->verdict < y->verdict);
	if (cx != cy)
		return (cx < cy) - (cx > cy);
	return (x->cause > y->cause) - (x->cause < y->cause);
}

void sd_rules_judge(struct sd_case *c)
{
	unsigned long growth = c->loss->components & (SD_BIT(GROWTH) | SD_BIT(CPI_OTHER));

	for (int i = 0; i < SD_CAUSE_COUNT; i++) {
		struct sd_finding *f = &c->a->finding[i];

		f->cause = (enum sd_cause)i;
		f->verdict = judge(c, f->cause, f);
	}
	sd_settle(c);
	for (int i = 0; i < SD_CAUSE_COUNT; i++)
		advise(c, &sd_rule_table[i], &c->a->finding[i]);
	/* Growth below the gate is nothing to decide about. */
	if (growth && !c->fixed_time && c->a->n_point > 1 &&
		sd_rules_added(c, growth).high >= SD_RULES_GATE)
		c->a->undecided = SD_OK(sum(c->loss->stack, growth) - c->explained);
	if (c->explained > 0 && c->a->undecided.value < SD_RULES_GATE * c->loss->n)
		c->a->undecided = SD_NOT(ABSENT);
	qsort(c->a->finding, SD_CAUSE_COUNT, sizeof c->a->finding[0], worse);
}
