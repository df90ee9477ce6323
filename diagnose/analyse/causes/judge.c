#include "causes/judge.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#include "causes/judge_sampled_lines.h"
#include "causes/cause_row.h"
#include "causes/judge_simulated.h"
#include "causes/taken_words.h"
#include "causes/next_step.h"
#include "causes/judge_tasks.h"
#include "evidence/evidence_traffic.h"
#include "case/cannot_tell.h"
#include "case/coverage.h"
#include "case/cause_weights.h"
#include "evidence/cause_places.h"
#include "case/finding.h"
#include "causes/cause_table.h"
#include "case/rule.h"

static void numbers(struct sd_case *c, struct sd_finding *f, unsigned long set)
{
	struct sd_interval s =
		sd_cause_weights_share(c, c->loss->stack, c->loss->stack_sample, set);
	double n = c->loss->n;

	f->share = s;
	f->cores = (struct sd_interval){s.value * n, s.low * n, s.high * n, s.status};
	f->worth = sd_finding_worth(s);
}

static void say_amount(struct sd_case *c, struct sd_finding *f, const struct sd_rule *r)
{
	struct sd_interval v = f->cores;
	double own =
		v.value - sd_cause_weights_sum(c->loss->added, sd_cause_weights_carriers(c, r));

	sd_case_say(c, f, "%.2f of %u cores (95 %%: %.2f to %.2f) %s", v.value, c->last->n, v.low,
		v.high, sd_cause_weights_mine(c, r) ? r->what_mine : r->what);
	if (own > .01 * c->loss->n)
		sd_case_say(c, f,
			"%.2f of these cores are not a loss of scaling: the same share was there "
			"at %u core%s",
			own, c->ref->cores, c->ref->cores == 1 ? "" : "s");
}

/* Most of what the cause holds is the allocator's doing: that is the cause then. */
static int is_allocators(struct sd_case *c, const struct sd_rule *r, struct sd_finding *f)
{
	const double share = r->parts ? sd_cause_places_allocating(c, r->parts) : -1;

	if (share <= .5)
		return 0;
	sd_case_say(c, f, "%.0f %% of it is below malloc, free and their like: see %s",
		100 * (share < 1 ? share : 1), sd_cause_info[SD_CAUSE_ALLOCATOR].label);
	return 1;
}

/* A cause whose components hold nothing else. */
static enum sd_verdict judge_direct(
	struct sd_case *c, const struct sd_rule *r, struct sd_finding *f, unsigned long set)
{
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
	if (sd_cause_weights_added(c, set).low < sd_cause_weights_gate(c, r) &&
		sd_cause_weights_pass(c, set)) {
		sd_case_say(c, f,
			"against it: up to %.2f of %u cores wait since the CPUs were not equally fast",
			c->neighbours.uneven * c->loss->n, c->last->n);
		contradicted = 1;
	}
	return !sd_cause_weights_pass(c, set) || contradicted ? SD_VERDICT_POSSIBLE
							      : SD_VERDICT_LIKELY;
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
	if (r->falsified && r->falsified(c, f))
		c->contradicted |= 1ul << f->cause;
	if (sd_judge_sampled_lines_judge(c, f, &verdict))
		return verdict;
	sd_case_say(c, f,
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

	if (before > 0 && sd_cause_weights_added(c, SD_CASE_GROWTH & c->loss->components).high >=
				  SD_CASE_GATE)
		sd_case_say(c, f,
			"CPU time grows %.2fx: contention for shared hardware, or threads that "
			"share data; not yet told apart",
			after / before);
	sd_case_say(c, f, "at most %.2f of %u cores (95 %%: %.2f to %.2f) %s",
		grown.value * c->loss->n, c->last->n, grown.low * c->loss->n,
		grown.high * c->loss->n, r->what);
	if (r->evidence)
		r->evidence(c, f);
	if (c->model->row && r->counts)
		r->counts(c, f);
	if (r->falsified && r->falsified(c, f))
		c->contradicted |= 1ul << f->cause;
	f->cores = f->share = (struct sd_interval){.status = SD_STATUS_ABSENT};
	f->worth = (struct sd_interval){.status = SD_STATUS_ABSENT};
	return SD_VERDICT_POSSIBLE;
}

/* Below the gate. */
static enum sd_verdict below_gate(
	struct sd_case *c, const struct sd_rule *r, struct sd_finding *f, struct sd_interval added)
{
	if (sd_cannot_tell_unaccounted_may_be(c, r))
		return sd_cannot_tell_unaccounted(c, f);
	if (c->no_loss)
		return sd_cannot_tell(c, f, c->a->no_verdict);
	sd_case_say(c, f, "%.1f %% of the cores more than at %u core%s (95 %%: %.1f to %.1f %%) %s",
		100 * added.value, c->ref->cores, c->ref->cores == 1 ? "" : "s", 100 * added.low,
		100 * added.high, r->what);
	return SD_VERDICT_RULED_OUT;
}

/* What a cause must take at least, with 95 % confidence. Where others on the machine may have
 * caused the loss of the whole, a part of it must be beyond doubt by itself, also beyond what
 * uneven cores make threads wait for each other. */
static double least_known(const struct sd_case *c, const struct sd_rule *r)
{
	return c->a->scales == SD_SCALES_UNKNOWN && !r->machine ? sd_cause_weights_gate(c, r) : 0;
}

static enum sd_verdict judge(struct sd_case *c, enum sd_cause cause, struct sd_finding *f)
{
	const struct sd_rule *r = &sd_cause_table[cause];
	unsigned known = c->loss->known_ref & c->loss->known;
	unsigned long set = sd_cause_weights_carriers(c, r);
	struct sd_interval added;
	enum sd_verdict verdict;

	/* locks of one line that nobody waits for look like spinning */
	if (cause == SD_CAUSE_FALSE_SHARING &&
		sd_taken_words_false(c) >= sd_cause_weights_sum(c->loss->added, SD_BIT(LOCK)) / 2 &&
		sd_taken_words_false(c) > 0)
		set |= SD_BIT(LOCK);
	if (r->excluded && r->excluded(c, f))
		return SD_VERDICT_RULED_OUT;
	if (r->carriers == 0)
		return sd_cannot_tell(c, f, r->lacking);
	if (c->a->n_point < 2)
		return sd_cannot_tell(c, f, "needs runs at two core counts or more");
	if (r->traffic && !(known & SD_RUN_PARTS_CPU) &&
		sd_evidence_traffic_judge(c, cause, f, &verdict)) {
		f->cores = f->share = f->worth = (struct sd_interval){.status = SD_STATUS_ABSENT};
		return verdict;
	}
	if ((known & r->needs) != r->needs || set == 0)
		return sd_cannot_tell(c, f, r->lacking);
	/* a point of one run has no interval, and nothing is known about any share of its cores */
	if (c->loss->runs < 2)
		return sd_cannot_tell(c, f, c->a->no_verdict);
	if (sd_judge_tasks_judge(c, r, f, &verdict))
		return verdict;
	added = sd_cause_weights_added(c, set);
	numbers(c, f, set);
	if (added.high < SD_CASE_GATE)
		return below_gate(c, r, f, added);
	if (c->fixed_time && !r->direct)
		return sd_cannot_tell(c, f,
			"the program may run for a fixed time (see the warning): then nothing is lost");
	if (c->scales ||
		!(c->lost || (r->direct && sd_cause_weights_certain(
						   c, set, sd_cause_weights_gate(c, r)))) ||
		added.low <= least_known(c, r) || added.value < SD_CASE_GATE)
		return sd_cannot_tell_noisy(c, f, added);
	if (added.value < sd_cause_weights_gate(c, r))
		return sd_cannot_tell_unequal(c, f, added);
	if ((!sd_cause_weights_owned(c, r) || r->twin) &&
		sd_judge_simulated_judge(
			c, cause, set, sd_cause_weights_owned(c, r) && r->twin, f, &verdict))
		return verdict;
	if (sd_cause_weights_owned(c, r) && r->twin)
		return judge_twin(c, r, f);
	return sd_cause_weights_direct(c, r) ? judge_direct(c, r, f, set)
					     : judge_lump(c, r, f, added);
}

static void advise(struct sd_case *c, const struct sd_rule *r, struct sd_finding *f)
{
	if (f->verdict == SD_VERDICT_RULED_OUT)
		return;
	if (!f->next)
		f->next = sd_next_step(c, r);
	if (f->verdict == SD_VERDICT_NOT_MEASURABLE)
		return;
	if (f->contradicted)
		return; /* an experiment may have settled it since */
	for (size_t i = 0; i < sizeof r->advice / sizeof *r->advice && r->advice[i]; i++)
		if (sd_texts_add(&f->advice, "%s", r->advice[i]))
			c->rc = -ENOMEM;
}

static int is_of_growth(const struct sd_case *c, enum sd_cause cause)
{
	const unsigned long set = sd_cause_weights_carriers(c, &sd_cause_table[cause]);

	return set && !(set & ~(SD_CASE_GROWTH | SD_BIT(SYSTEM))) && set & SD_CASE_GROWTH;
}

/* Cores of the growth that causes have, from this verdict on: what they take is not open twice. */
static double attributed(const struct sd_case *c, enum sd_verdict from)
{
	double cores = 0;

	for (int i = 0; i < SD_CAUSE_COUNT; i++) {
		const struct sd_finding *const f = &c->a->finding[i];

		if (f->of_growth && f->verdict >= from && f->verdict <= SD_VERDICT_POSSIBLE &&
			!f->contradicted && f->cores.status == SD_STATUS_OK)
			cores += f->cores.value;
	}
	return cores;
}

static void state(struct sd_case *c, const struct sd_cause_row *row, struct sd_finding *f)
{
	for (sd_cause_row_state *const *s = row->state; *s; s++)
		(*s)(c, f);
}

void sd_judge_all(struct sd_case *c)
{
	for (int i = 0; i < SD_CAUSE_COUNT; i++) {
		struct sd_finding *f = &c->a->finding[i];

		f->cause = (enum sd_cause)i;
		f->of_growth = is_of_growth(c, f->cause);
		f->verdict = SD_VERDICT_NOT_MEASURABLE;
		if (sd_cause_row_list[i]->state)
			state(c, sd_cause_row_list[i], f);
		else
			f->verdict = judge(c, f->cause, f);
		if (f->verdict != SD_VERDICT_RULED_OUT)
			sd_coverage_say(c, f);
	}
}

void sd_judge_rank(struct sd_case *c)
{
	unsigned long growth = c->loss->components & (SD_BIT(GROWTH) | SD_BIT(CPI_OTHER));
	double told;

	for (int i = 0; i < SD_CAUSE_COUNT; i++) {
		struct sd_finding *const f = &c->a->finding[i];

		f->contradicted = f->verdict == SD_VERDICT_POSSIBLE && c->contradicted >> i & 1;
		advise(c, &sd_cause_table[i], f);
	}
	told = fmax(c->explained + attributed(c, SD_VERDICT_POSSIBLE),
		attributed(c, SD_VERDICT_CONFIRMED));
	if (c->a->finding[SD_CAUSE_LOCK_CONTENTION].verdict <= SD_VERDICT_LIKELY &&
		c->spread->locking.status == SD_STATUS_OK)
		told += fmax(0, c->spread->locking.value);
	/* Growth below the gate is nothing to decide about. */
	if (growth && !c->fixed_time && c->a->n_point > 1 &&
		sd_cause_weights_added(c, growth).high >= SD_CASE_GATE)
		c->a->undecided = SD_OK(sd_cause_weights_sum(c->loss->stack, growth) - told);
	if (told > 0 && c->a->undecided.value < SD_CASE_GATE * c->loss->n)
		c->a->undecided = SD_NOT(ABSENT);
}
