/*
 * Concludes from other waiting, padding and allocators what the threads share.
 */
#include "experiments/apply_verdict.h"

#include <math.h>
#include <stdio.h>

#include "base/statistics.h"
#include "accounting/parts_by_stack.h"
#include "case/stated.h"
#include "evidence/cause_places.h"
#include "experiments/race_words.h"

/* Threads that wait more often than this, each, wait for no work of any size (METHODS 3: barriers,
 * 5 to 100 us a wake-up). */
#define WAIT_OFTEN_S 1e-3

/* So many times a plain run's time, and not done: no single wake-up explains that. */
#define UNENDED_TIMES 3

/* ---- waiting in loops ------------------------------------------------------------------------ */

#define PAIRS_MOST 64

struct waits {
	const struct sd_apply_verdict *b;
	double saved[PAIRS_MOST]; /* share of the cores */
	double serial, imbalance; /* of the changed runs; sums */
	double apart;             /* s between two waits of one core; sum */
	size_t n, polled;
};

static void take_waits(void *ctx, const struct sd_run *plain, const struct sd_run *changed)
{
	struct waits *k = ctx;
	const unsigned n = k->b->c->last->n;
	const struct sd_value *p = plain->metric, *q = changed->metric;
	struct sd_run_parts parts;

	if (k->n == PAIRS_MOST || !sd_run_parts_usable(p[SD_METRIC_USER]) ||
		!sd_run_parts_usable(q[SD_METRIC_USER]))
		return;
	k->saved[k->n++] =
		(p[SD_METRIC_USER].value - q[SD_METRIC_USER].value) / (n * p[SD_METRIC_WALL].value);
	if (!(sd_run_parts_split(changed, n, &parts) & SD_RUN_PARTS_POLLER))
		return;
	k->polled++;
	k->serial += parts.part[SD_PART_SERIAL];
	k->imbalance += parts.part[SD_PART_IMBALANCE];
	if (sd_run_parts_usable(q[SD_METRIC_VOLUNTARY_SWITCHES]))
		k->apart += n * p[SD_METRIC_WALL].value /
			    fmax(1, q[SD_METRIC_VOLUNTARY_SWITCHES].value);
}

/* The spinning hid that threads wait for this. */
static int hid(
	struct sd_apply_verdict *b, enum sd_cause cause, double was, double is, const char *what)
{
	struct sd_finding *f = sd_apply_verdict_finding(b, cause);
	const double n = b->c->loss->n, half = (b->growth.high - b->growth.low) / 2 * n;
	const struct sd_statement s = {.cause = cause,
		.kind = SD_STATEMENT_OBSERVATION, /* another schedule may wait otherwise */
		.at_least = {is * n, is * n - half, is * n + half, SD_STATUS_OK},
		.sees = SD_SEES_WHOLE,
		.disturbed_by = sd_stated_disturbed(b->c, SD_BIT(SERIAL) | SD_BIT(IMBALANCE)),
		.id = "hidden-by-spinning"};

	if (is - was < SD_CASE_GATE)
		return 0;
	sd_stated_keep(b->c, &s);
	sd_case_say(b->c, f,
		"where waiting threads sleep (passive-wait), %.2f of %.0f cores %s; where they "
		"spin, only %.2f do: spinning hides it",
		is * b->c->loss->n, b->c->loss->n, what, was * b->c->loss->n);
	return 1;
}

/* Cores that CPUs of unequal speed explain, at most. */
static double uneven(const struct sd_apply_verdict *b)
{
	return b->c->disturbance[SD_DISTURBANCE_UNEVEN_CORES].added;
}

/* Cores spun beyond what CPUs of unequal speed explain; absent: no more than that. */
static struct sd_interval spun(const struct sd_apply_verdict *b)
{
	const struct sd_interval v = sd_stated_added(b->c, SD_BIT(SPINNING));
	const double n = b->c->loss->n;

	return sd_stated_sized(b->c, SD_CAUSE_SPINNING) && v.status == SD_STATUS_OK &&
			       v.value >= SD_CASE_GATE * n + uneven(b)
		       ? v
		       : SD_APPLY_VERDICT_ABSENT;
}

/* CPUs that were not equally fast explain the spinning itself, or a part of it. At barriers so near
 * to each other no wait is for work of any size, whoever waits: beyond that part all is their cost.
 */
static void blame_barriers_of_uneven_cpus(struct sd_apply_verdict *b)
{
	struct sd_interval v = sd_stated_added(b->c, SD_BIT(SPINNING) | SD_BIT(IMBALANCE));
	const double n = b->c->loss->n, slow = uneven(b);

	if (slow <= 0 || !sd_apply_verdict_has(v) || sd_apply_verdict_has(spun(b)))
		return;
	v = (struct sd_interval){v.value - slow, 0, v.high - slow, v.status};
	if (v.value >= SD_CASE_GATE * n)
		sd_apply_verdict_observe(
			b, SD_CAUSE_BARRIER_OVERHEAD, "barrier-uneven", v, SD_STATEMENT_OPEN);
}

/*
 * Charges spinning to the barriers that are too near to each other for sleeping: no other thread's
 * work is hidden behind it.
 */
static void blame_barriers(struct sd_apply_verdict *b)
{
	const struct sd_interval v = spun(b);
	struct sd_statement s = sd_stated_components(
		b->c, SD_CAUSE_BARRIER_OVERHEAD, "barrier-spun", SD_BIT(SPINNING));

	if (!sd_apply_verdict_has(v))
		return;
	s.at_most = SD_STATEMENT_OPEN;
	sd_stated_keep(b->c, &s);
	sd_case_say(b->c, sd_apply_verdict_finding(b, SD_CAUSE_SPINNING),
		"sleeping instead costs more: see %s",
		sd_cause_info[SD_CAUSE_BARRIER_OVERHEAD].label);
	sd_stated_doubt(b->c, SD_CAUSE_SPINNING);
}

/* s; the shortest run of the program whose threads sleep, or when it was ended; 0 none. */
static double least_asleep(const struct sd_record *r)
{
	double least = INFINITY;

	for (size_t i = 0; i < r->plan.n_experiment; i++) {
		const struct sd_plan_experiment *const e = &r->plan.experiment[i];

		if (e->experiment != SD_EXPERIMENT_PASSIVE_WAIT)
			continue;
		if (e->unended_s > 0)
			least = e->unended_s;
		for (size_t k = 0; k < r->n_run; k++) {
			const struct sd_experiment_run *const t = r->run[k].tried;

			if (t && t->experiment == i && t->arm == SD_ARM_CHANGED &&
				r->run[k].point == e->point)
				least = fmin(least, sd_experiment_results_time(r, &r->run[k]));
		}
	}
	return isfinite(least) ? least : 0;
}

/* Too slow for more pairs, or ended long after it should have been done. */
static void settle_unended(struct sd_apply_verdict *b)
{
	const double times = least_asleep(b->c->record) / b->c->last->median_time;

	if (times < UNENDED_TIMES)
		return;
	blame_barriers_of_uneven_cpus(b);
	if (!sd_apply_verdict_named(b, SD_CAUSE_BARRIER_OVERHEAD))
		return;
	sd_apply_verdict_mention(b, SD_CAUSE_BARRIER_OVERHEAD,
		"with OMP_WAIT_POLICY=passive the program takes at least %.0f times as long: "
		"waking its threads costs more than what they do between two barriers",
		times);
	blame_barriers(b);
}

void sd_apply_waits(struct sd_apply_verdict *b)
{
	struct sd_tested *t = b->t[SD_EXPERIMENT_PASSIVE_WAIT];
	const double *plain = b->c->last->mean.part;
	struct waits k = {.b = b};
	struct sd_interval saved;
	int hidden = 0;

	if (!t)
		settle_unended(b);
	if (!t || !sd_apply_verdict_has(t->time))
		return;
	sd_experiment_results_pairs(b->c->record, b->c->choice, sd_apply_verdict_index(b, t),
		b->c->record->plan.experiment[sd_apply_verdict_index(b, t)].point, take_waits, &k);
	t->loss = sd_statistics_paired(k.saved, k.n);
	if (!sd_apply_verdict_has(t->loss))
		return;
	sd_apply_verdict_seen(b, t,
		"waiting threads that sleep save %.0f %% of the cores' time; "
		"the program takes %.2f times as long (95 %%: %.2f to %.2f)",
		100 * t->loss.value, t->time.value, t->time.low, t->time.high);
	if (sd_apply_verdict_hardly(b, t->loss))
		sd_apply_verdict_mention(b, SD_CAUSE_SPINNING,
			"against it: with OMP_WAIT_POLICY=passive the CPU time hardly falls (by "
			"%.1f %% of the cores' time)",
			100 * t->loss.value);
	if (!sd_apply_verdict_clearly(t->loss) || !sd_apply_verdict_named(b, SD_CAUSE_SPINNING))
		return;
	if (k.polled) {
		hidden |= hid(b, SD_CAUSE_SERIAL_CODE, plain[SD_PART_SERIAL],
			k.serial / (double)k.polled, "wait while one thread runs alone");
		hidden |= hid(b, SD_CAUSE_LOAD_IMBALANCE, plain[SD_PART_IMBALANCE],
			k.imbalance / (double)k.polled, "wait for slower threads");
	}
	sd_apply_verdict_mention(b, SD_CAUSE_SPINNING,
		"with OMP_WAIT_POLICY=passive %.2f of %.0f cores come free and the program takes "
		"%.2f times as long%s",
		t->loss.value * b->c->loss->n, b->c->loss->n, t->time.value,
		hidden ? ": it spends the time, but what it waits for loses it" : "");
	if (t->time.low > 1 + SD_CASE_GATE && k.polled &&
		k.apart / (double)k.polled < WAIT_OFTEN_S &&
		sd_apply_verdict_named(b, SD_CAUSE_BARRIER_OVERHEAD)) {
		sd_apply_verdict_mention(b, SD_CAUSE_BARRIER_OVERHEAD,
			"with OMP_WAIT_POLICY=passive the program takes %.2f times as long, and a "
			"core waits every %.0f us: its regions are too short",
			t->time.value, 1e6 * k.apart / (double)k.polled);
		sd_apply_verdict_grown(b, SD_CAUSE_BARRIER_OVERHEAD, "barrier-passive-wait",
			SD_STATEMENT_OBSERVATION, SD_BIT(SPINNING), t->loss);
		if (!hidden)
			blame_barriers(b);
		return;
	}
	/* what is spent spinning is the wait's that it hides: no core is lost to both */
	saved = t->loss;
	saved.low = hidden ? fmin(0, saved.low) : saved.low;
	sd_apply_verdict_grown(b, SD_CAUSE_SPINNING, "spinning-passive-wait",
		hidden ? SD_STATEMENT_OBSERVATION : SD_STATEMENT_INTERVENTION, SD_BIT(SPINNING),
		saved);
}

/* ---- the heap -------------------------------------------------------------------------------- */

void sd_apply_padding(struct sd_apply_verdict *b)
{
	struct sd_tested *t = b->t[SD_EXPERIMENT_PADDING];
	/* of neighbours on the heap, which it parts */
	const enum sd_cause cause = sd_experiment_predictions(SD_EXPERIMENT_PADDING)->cause;
	const double allocating = sd_cause_places_allocating(b->c, SD_PARTS_BY_STACK_BIT(USER));

	if (!t || !sd_apply_verdict_has(t->time))
		return;
	t->loss = sd_apply_verdict_gain(b, t->time, SD_APPLY_VERDICT_ABSENT);
	sd_apply_verdict_seen(b, t, "%.2f times as long (95 %%: %.2f to %.2f)", t->time.value,
		t->time.low, t->time.high);
	if (sd_apply_verdict_clearly(t->loss) && allocating > .5) {
		/* other sizes, other bins: malloc itself may be the faster for it */
		sd_apply_verdict_mention(b, cause,
			"with 128 bytes between allocations the program takes %.2f times as long "
			"(95 %%: %.2f to %.2f), but %.0f %% of the growth is in malloc, free and "
			"their like, which that changes as well: see %s",
			t->time.value, t->time.low, t->time.high, 100 * fmin(allocating, 1),
			sd_cause_info[SD_CAUSE_ALLOCATOR].label);
		sd_stated_doubt(b->c, cause);
	} else if (sd_apply_verdict_clearly(t->loss) && sd_apply_verdict_named(b, cause)) {
		sd_apply_verdict_mention(b, cause,
			"with 128 bytes between allocations the program takes %.2f times as long "
			"(95 %%: %.2f to %.2f): threads write to neighbours on the heap",
			t->time.value, t->time.low, t->time.high);
		sd_apply_verdict_grown(b, cause, "sharing-padding", SD_STATEMENT_INTERVENTION,
			SD_BIT(CPI_SHARING), t->loss);
	} else if (sd_apply_verdict_none(t->time)) {
		sd_apply_verdict_mention(b, cause,
			"128 bytes between allocations change nothing: it is within one allocation "
			"or in static data, if at all");
	} else if (sd_apply_verdict_hardly(b, t->loss)) {
		sd_apply_verdict_mention(b, cause,
			"with 128 bytes between allocations the program takes %.2f times as long "
			"(95 %%: %.2f to %.2f): larger blocks cost more than neighbours on the "
			"heap, so this says nothing of those",
			t->time.value, t->time.low, t->time.high);
	}
}

/* Threads that all meet in one arena take no longer: those that meet in several do not either. */
static void state_arena(struct sd_apply_verdict *b, const struct sd_tested *one)
{
	const double n = b->c->loss->n;
	const struct sd_interval slower =
		sd_apply_verdict_rest(sd_apply_verdict_inverse(one->time));
	const struct sd_interval cores = {
		fmax(0, slower.value) * n, 0, fmax(0, slower.high) * n, SD_STATUS_OK};

	if (one->time.high >= 1 + SD_CASE_GATE)
		return;
	sd_apply_verdict_state(
		b, SD_CAUSE_ALLOCATOR, "allocator-one-arena", SD_STATEMENT_OPEN, cores);
	sd_case_say(b->c, sd_apply_verdict_finding(b, SD_CAUSE_ALLOCATOR),
		"with one arena for all threads the program takes %.2f times as "
		"long (95 %%: %.2f to %.2f): they do not meet in malloc",
		one->time.value, one->time.low, one->time.high);
}

/* States the gain of another allocator as lost in this one: at least, as it has its own costs. */
static void state_allocator(struct sd_apply_verdict *b, const struct sd_tested *t)
{
	struct sd_finding *const f = sd_apply_verdict_finding(b, SD_CAUSE_ALLOCATOR);
	const struct sd_interval cores = sd_apply_verdict_cores(b, t->loss);

	sd_apply_verdict_state(b, SD_CAUSE_ALLOCATOR, "allocator-other", cores,
		sd_apply_verdict_hardly(b, t->loss) ? cores : SD_STATEMENT_OPEN);
	if (sd_apply_verdict_clearly(t->loss)) {
		sd_case_say(b->c, f,
			"with another allocator the program takes %.2f times as long, at the "
			"reference %.2f times",
			t->time.value, t->reference.value);
		sd_apply_verdict_tell(b, SD_CAUSE_ALLOCATOR, t->loss);
	} else if (sd_apply_verdict_hardly(b, t->loss)) {
		sd_case_say(b->c, f, "%s: %.2f times as long, at the reference %.2f times",
			sd_apply_verdict_none(t->time) && sd_apply_verdict_none(t->reference)
				? "another allocator makes no difference"
				: "with another allocator it scales no better",
			t->time.value, t->reference.value);
	}
}

void sd_apply_allocator(struct sd_apply_verdict *b)
{
	struct sd_tested *one = b->t[SD_EXPERIMENT_ONE_ARENA], *t = b->t[SD_EXPERIMENT_ALLOCATOR];

	if (one && sd_apply_verdict_has(one->time)) {
		sd_apply_verdict_seen(b, one, "%.2f times as long (95 %%: %.2f to %.2f)",
			one->time.value, one->time.low, one->time.high);
		state_arena(b, one);
	}
	if (!t || !sd_apply_verdict_has(t->time) || !sd_apply_verdict_has(t->reference))
		return;
	t->loss = sd_apply_verdict_gain(b, t->time, t->reference);
	sd_apply_verdict_seen(b, t, "%.2f times as long, at the reference %.2f times",
		t->time.value, t->reference.value);
	state_allocator(b, t);
}

/* ---- races ---- */

#define MOST_RACES 3 /* the experiment itself has them all */

void sd_apply_races(struct sd_apply_verdict *b)
{
	const struct sd_record *const record = b->c->record;
	char text[1024];

	for (size_t i = 0; i < record->plan.n_experiment; i++) {
		const struct sd_experiment_run *const x = sd_race_words_run(record, i);

		for (size_t k = 0; x && k < x->n_race && k < MOST_RACES; k++) {
			sd_race_words(record, &x->race[k], text, sizeof text);
			sd_apply_verdict_mention(b, SD_CAUSE_TRUE_SHARING, "race-check: %s", text);
		}
	}
}
