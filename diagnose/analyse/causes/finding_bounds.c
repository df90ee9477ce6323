#include "causes/finding_bounds.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "case/cause_weights.h"
#include "case/coverage.h"
#include "case/stated.h"
#include "causes/cause_row.h"
#include "causes/next_step.h"
#include "evidence/reference_cost.h"
#include "ledger/verdict.h"
#include "native/native_causes.h"
#include "validity/scaling_verdict.h"

#define ABSENT ((struct sd_interval){.status = SD_STATUS_ABSENT})

/* On cores that nobody else uses, nobody shares them and none is slower than the others. */
#define SHARED (SD_DISTURBANCE_BIT(SHARED_CORES) | SD_DISTURBANCE_BIT(UNEVEN_CORES))

/* The efficiency of few runs is widened already; on a curve of single ones it is not. */
static unsigned disturbed_by(const struct sd_case *c)
{
	return sd_status_bounded(c->a->point[c->a->n_point - 1].efficiency)
		       ? SD_DISTURBANCE_OF_LOSS & ~SD_DISTURBANCE_BIT(FEW_RUNS)
		       : SD_DISTURBANCE_OF_LOSS;
}

static void put_loss(const struct sd_case *c, struct sd_ledger_loss *out)
{
	const struct sd_interval e = c->a->whole;
	const double n = c->loss->n;

	out[0] = out[1] = (struct sd_ledger_loss){ABSENT, SD_DISTURBANCE_OF_LOSS};
	if (c->a->n_point < 2)
		return; /* nobody knows what one count has lost */
	out[0] = (struct sd_ledger_loss){sd_scaling_verdict_loss(c), disturbed_by(c)};
	if (out[0].cores.status == SD_STATUS_OK && e.status == SD_STATUS_OK)
		out[1] = (struct sd_ledger_loss){
			{n * (1 - e.value), n * (1 - e.high), n * (1 - e.low), SD_STATUS_OK},
			SD_DISTURBANCE_OF_LOSS & ~SHARED};
}

#define SPUN (SD_BIT(GROWTH) | SD_BIT(INSTRUCTIONS) | SD_BIT(CPI_OTHER))

/* The cause's components; spinning that nobody told apart is in the growth of user time. */
static unsigned long components_of(const struct sd_case *c, int cause)
{
	const struct sd_cause_row *const row = sd_cause_row_list[cause];
	const unsigned long set = row->components | (row->also ? row->also(c) : 0);

	return set & SD_BIT(SPINNING) && !(c->loss->components & SD_BIT(SPINNING)) ? set | SPUN
										   : set;
}

static void make_ledger(struct sd_case *c, struct sd_ledger *l)
{
	struct sd_interval component[SD_COMPONENT_COUNT] = {0};
	struct sd_ledger_row row[SD_CAUSE_COUNT];
	struct sd_ledger_case k = {.n = c->loss->n,
		.component = component,
		.row = row,
		.statement = c->said.row,
		.n_statement = c->said.n,
		.disturbance = c->disturbance};

	for (int i = 0; i < SD_COMPONENT_COUNT; i++)
		component[i] = c->a->n_point < 2 ? ABSENT : sd_stated_added(c, 1ul << i);
	for (int i = 0; i < SD_CAUSE_COUNT; i++)
		row[i] = (struct sd_ledger_row){.components = components_of(c, i),
			.mechanism = sd_cause_row_list[i]->mechanism,
			.of_others = sd_cause_row_list[i]->of_others};
	put_loss(c, k.loss);
	sd_ledger_make(&k, l);
}

/* The numbers of what somebody has measured of the cause; one that nobody has has none. */
static void put_numbers(struct sd_finding *f, const struct sd_bounds *b, double n)
{
	const struct sd_interval cores = {b->value, b->lower, b->upper, SD_STATUS_OK};

	f->cores = cores;
	f->share =
		(struct sd_interval){cores.value / n, cores.low / n, cores.high / n, SD_STATUS_OK};
}

/* Does a source that sees all of it say that it is too little to matter, whatever disturbed that
 * source? */
static int is_too_little(const struct sd_case *c, enum sd_cause cause)
{
	const unsigned all = sd_cause_row_list[cause]->mechanism;

	for (size_t i = 0; i < c->said.n; i++) {
		const struct sd_statement *const s = &c->said.row[i];

		if (s->cause == cause && (s->sees.mechanism & all) == all &&
			s->at_most.status == SD_STATUS_OK &&
			s->at_most.high < SD_CASE_GATE * c->loss->n)
			return 1;
	}
	return 0;
}

static void put_finding(struct sd_case *c, const struct sd_ledger *l, struct sd_finding *f)
{
	const struct sd_bounds *const b = &l->cause[f->cause];

	f->verdict = sd_verdict_of(l, f->cause);
	if (f->verdict == SD_VERDICT_NOT_MEASURABLE && is_too_little(c, f->cause)) {
		/* the same words for all such causes, so that a report says them once */
		sd_texts_free(&f->evidence);
		sd_case_say(c, f,
			"not seen, but what disturbed these runs could hide 5 %% of the cores");
	}
	if (f->verdict != SD_VERDICT_RULED_OUT)
		sd_coverage_say(c, f);
	f->disagree = b->disagree;
	if (f->verdict <= SD_VERDICT_POSSIBLE && b->sized) {
		put_numbers(f, b, l->n);
		f->worth = sd_verdict_gain(l, f->cause, sd_reference_cost(c, f->cause));
	} else if (f->verdict != SD_VERDICT_RULED_OUT) {
		f->cores = f->share = f->worth = ABSENT;
	}
}

/* A gain is no negative loss in the ledger: the best of the runs bounds it. */
static void put_surely(struct sd_case *c, const struct sd_ledger *l)
{
	const struct sd_point *const last = &c->a->point[c->a->n_point - 1];
	const double times = (double)c->last->n / c->ref->n;
	const double lost = fmin(sd_verdict_surely_lost(l), l->loss_upper);

	c->a->surely = ABSENT;
	if (c->a->n_point < 2 || !sd_status_bounded(last->speedup) || !(l->loss_upper < l->n))
		return;
	c->a->surely = (struct sd_interval){last->speedup.value, times * (1 - l->loss_upper / l->n),
		times * (1 - lost / l->n), SD_STATUS_OK};
	if (!(lost > 0))
		c->a->surely.high = fmax(c->a->surely.high, last->speedup.high);
}

int sd_finding_bounds_fill(struct sd_case *c, struct sd_ledger *l)
{
	make_ledger(c, l);
	c->a->scales = sd_verdict_scales(l);
	put_surely(c, l);
	for (int i = 0; i < SD_CAUSE_COUNT; i++)
		put_finding(c, l, &c->a->finding[i]);
	return c->rc;
}

/* A cost has one interval: a sentence that begins with the cause's own amount says no other. */
static void drop_intervals(struct sd_finding *f)
{
	char amount[48];

	snprintf(amount, sizeof amount, "%.2f of ", f->cores.value);
	for (size_t i = 0; sd_status_measured(f->cores) && i < f->evidence.n; i++) {
		char *const text = f->evidence.text[i], *const from = strstr(text, " (95 %: ");
		const char *const end = from ? strchr(from, ')') : NULL;

		if (end && strncmp(text, amount, strlen(amount)) == 0)
			memmove(from, end + 1, strlen(end));
	}
}

static void advise(struct sd_case *c, struct sd_finding *f)
{
	const struct sd_cause_row *const row = sd_cause_row_list[f->cause];

	drop_intervals(f);
	f->contradicted = f->verdict == SD_VERDICT_POSSIBLE && c->contradicted >> f->cause & 1;
	if (f->verdict == SD_VERDICT_RULED_OUT)
		return;
	if (!f->next)
		f->next = sd_next_step(c, row, f->cause);
	if (f->verdict == SD_VERDICT_NOT_MEASURABLE || f->contradicted)
		return; /* an experiment may have settled it since */
	for (size_t i = 0; i < sizeof row->advice / sizeof *row->advice && row->advice[i]; i++)
		if (sd_texts_add(&f->advice, "%s", row->advice[i]))
			c->rc = -ENOMEM;
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

/* User time that grew below malloc and its like: the allocator's, once that is a cause. */
static double allocated(const struct sd_case *c)
{
	const struct sd_loss_by_stack *const s = c->spread;
	double cores = 0;

	for (size_t i = 0; s->now && i < s->places.n_spot; i++)
		if (s->places.spot[i].allocates)
			cores += SD_LOSS_BY_STACK(s, i, SD_PART_USER);
	return fmax(0, cores);
}

/* User time that grew where locks are taken, and under them: theirs, once they are a cause. */
static double at_locks(const struct sd_case *c)
{
	const struct sd_interval named = c->spread->locking;
	struct sd_interval seen;
	const double by_name = named.status == SD_STATUS_OK ? fmax(0, named.value) : 0;

	return sd_native_causes_locks(c, &seen) ? fmax(by_name, seen.value) : by_name;
}

/* Computes the growth that has no cause yet; growth below the gate is nothing to decide about. */
static void put_undecided(struct sd_case *c)
{
	const struct sd_finding *const work = &c->a->finding[SD_CAUSE_EXTRA_WORK];
	/* instructions that may be work or waiting in loops have no cause yet either */
	const int open = work->verdict == SD_VERDICT_POSSIBLE && !sd_status_measured(work->cores);
	const unsigned long growth =
		c->loss->components &
		(SD_BIT(GROWTH) | SD_BIT(CPI_OTHER) | (open ? SD_BIT(INSTRUCTIONS) : 0));
	double told = fmax(c->explained + attributed(c, SD_VERDICT_POSSIBLE),
		attributed(c, SD_VERDICT_CONFIRMED));

	if (c->a->finding[SD_CAUSE_LOCK_CONTENTION].verdict <= SD_VERDICT_LIKELY)
		told += at_locks(c);
	if (c->a->finding[SD_CAUSE_ALLOCATOR].verdict <= SD_VERDICT_LIKELY &&
		!c->a->finding[SD_CAUSE_ALLOCATOR].of_growth)
		told += allocated(c);
	if (growth && !c->fixed_time && c->a->n_point > 1 &&
		sd_cause_weights_added(c, growth).high >= SD_CASE_GATE)
		c->a->undecided = SD_OK(sd_cause_weights_sum(c->loss->stack, growth) - told);
	if (told > 0 && c->a->undecided.value < SD_CASE_GATE * c->loss->n)
		c->a->undecided = SD_NOT(ABSENT);
}

void sd_finding_bounds_advise(struct sd_case *c)
{
	for (int i = 0; i < SD_CAUSE_COUNT; i++)
		advise(c, &c->a->finding[i]);
	put_undecided(c);
}

/* The order of the findings: claimed with an amount first, then claimed without, each with
 * contradicted ones last; then what could not be told, and last what was ruled out. */
#define CLAIMS 6
static int claim(const struct sd_finding *f)
{
	if (f->verdict > SD_VERDICT_POSSIBLE)
		return f->verdict == SD_VERDICT_RULED_OUT ? CLAIMS - 1 : CLAIMS - 2;
	if (f->verdict < SD_VERDICT_POSSIBLE)
		return 0;
	return (f->cores.status == SD_STATUS_OK ? 0 : 2) + (f->contradicted != 0);
}

void sd_finding_bounds_sort(struct sd_case *c, const struct sd_ledger *l)
{
	struct sd_finding by_cause[SD_CAUSE_COUNT];
	enum sd_cause order[SD_CAUSE_COUNT];
	size_t n = 0;

	sd_verdict_order(l, order);
	memcpy(by_cause, c->a->finding, sizeof by_cause);
	for (int k = 0; k < CLAIMS; k++)
		for (int i = 0; i < SD_CAUSE_COUNT; i++)
			if (claim(&by_cause[order[i]]) == k)
				c->a->finding[n++] = by_cause[order[i]];
}
