/*
 * Concludes from copies, thieves, prefetchers and the clock which shared hardware costs cores.
 */
#include "experiments/apply_verdict.h"

#include <math.h>
#include <stdio.h>

#include "base/statistics.h"
#include "case/stated.h"
#include "evidence/evidence_os.h"

/* A thief that got less than this of what it gets alone did not take much. */
#define THIEF_LEAST .25

/* ---- copies ---------------------------------------------------------------------------------- */

/* Each cause that copies bound, of shared hardware or not. */
#define EACH_OF_COPIES(p, of_hardware)                                                          \
	for (const struct sd_prediction *p = sd_experiment_predictions(SD_EXPERIMENT_REPLICAS); \
		p->of == SD_EXPERIMENT_REPLICAS; p++)                                           \
		if ((p->sides == SD_BOUND_HARDWARE) == (of_hardware))

/* One copy's data are more than the cache holds, so that several copies have no less of it. */
static int beyond_cache(const struct sd_case *c)
{
	const struct sd_value llc = c->record->host.llc_bytes;

	for (size_t j = 0; j < c->ref->n_run; j++) {
		const struct sd_value rss = c->ref->run[j]->metric[SD_METRIC_MAX_RSS];

		if (!sd_run_parts_usable(rss) || !sd_run_parts_usable(llc) ||
			rss.value < 2 * llc.value)
			return 0;
	}
	return 1;
}

static size_t copies_of(const struct sd_apply_verdict *b)
{
	const struct sd_record *r = b->c->record;

	for (size_t i = 0; i < r->n_run; i++)
		if (r->run[i].tried && r->run[i].tried->n_copy)
			return r->run[i].tried->n_copy;
	return 0;
}

/* Threads that are slow by turns wait for each other where shared hardware serves them unevenly;
 * the copies, which wait for nobody, then lose all that the program does. */
static void settle_uneven(struct sd_apply_verdict *b, const char *said)
{
	struct sd_finding *const f = sd_apply_verdict_finding(b, SD_CAUSE_LOAD_IMBALANCE);
	const double n = b->c->loss->n, uneven = sd_evidence_uneven(b->c);
	struct sd_statement s = sd_stated_components(
		b->c, SD_CAUSE_LOAD_IMBALANCE, "imbalance-by-turns", SD_BIT(IMBALANCE));

	if (!sd_status_bounded(s.at_most) || uneven < 0 || uneven >= s.at_most.value / 2 ||
		!sd_apply_verdict_clearly(b->hardware) || sd_apply_verdict_clearly(b->software) ||
		b->software.value >= SD_CASE_GATE)
		return;
	s.at_least = SD_STATEMENT_OPEN;
	s.at_most.value = fmax(uneven, s.at_most.value - b->hardware.value * n);
	s.at_most.high = fmax(uneven, s.at_most.high - b->hardware.low * n);
	sd_stated_keep(b->c, &s);
	sd_case_say(b->c, f,
		"%s slow each other down as much as the threads, none of which is always the slow "
		"one: these waits are for shared hardware",
		said);
}

/* Cores of this share, scaled up: copies need a CPU each all the time, so CPU time that others
 * took hides part of their contention. Absent: no two copies ran at once. */
static struct sd_interval met(const struct sd_apply_verdict *b, struct sd_interval share)
{
	const double times = sd_disturbance_apart(sd_disturbance_had(&b->c->facts));
	struct sd_interval v = sd_apply_verdict_cores(b, share);

	if (!isfinite(times))
		return SD_APPLY_VERDICT_ABSENT;
	v.value = fmax(0, v.value) * times;
	v.high = fmax(0, v.high) * times;
	return v;
}

/* No resource of the hardware takes more than all of it does: copies share nothing else. */
static void state_hardware(struct sd_apply_verdict *b, const char *said)
{
	const double n = b->c->loss->n;

	EACH_OF_COPIES(p, 1)
	{
		const enum sd_cause k = p->cause;
		struct sd_finding *const f = sd_apply_verdict_finding(b, k);

		sd_apply_verdict_state(b, k, "copies", SD_STATEMENT_OPEN, met(b, b->hardware));
		if (sd_stated_excluded(b->c, k))
			continue;
		if (sd_apply_verdict_hardly(b, b->hardware))
			sd_case_say(
				b->c, f, "%s run as fast as one alone: not shared hardware", said);
		else if (sd_apply_verdict_clearly(b->hardware))
			sd_case_say(b->c, f,
				"%s slow each other down: shared hardware, not shared data, takes "
				"%.2f of %.0f cores",
				said, b->hardware.value * n, n);
	}
}

/* Bounds what threads share, or do together, by the program's loss beyond its copies', unless the
 * copies have more data to hold. */
static void state_software(struct sd_apply_verdict *b, size_t n, const char *said)
{
	EACH_OF_COPIES(p, 0)
	{
		const enum sd_cause k = p->cause;

		if (sd_apply_verdict_hardly(b, b->software) && beyond_cache(b->c)) {
			sd_apply_verdict_mention(b, k,
				"%s slow down as much as the program does: shared hardware, "
				"not shared data",
				said);
			sd_apply_verdict_state(b, k, "copies", SD_STATEMENT_OPEN,
				sd_apply_verdict_cores(b, b->software));
		} else if (sd_apply_verdict_hardly(b, b->software)) {
			sd_apply_verdict_mention(b, k,
				"against it: %s slow down as much as the program does (but "
				"they have %zu times its data to hold)",
				said, n);
		} else if (sd_apply_verdict_clearly(b->software)) {
			sd_apply_verdict_mention(b, k,
				"%s share no data and lose %.2f cores less than the program", said,
				b->software.value * b->c->loss->n);
		}
	}
}

void sd_apply_copies(struct sd_apply_verdict *b)
{
	struct sd_tested *t = b->t[SD_EXPERIMENT_REPLICAS];
	const size_t n = copies_of(b);
	struct sd_interval r, pace, e;
	char said[160];

	if (!t || !sd_apply_verdict_has(t->time))
		return;
	r = sd_apply_verdict_inverse(t->time);
	e = sd_apply_verdict_efficiency(b, t);
	if (!sd_apply_verdict_has(e)) {
		sd_apply_verdict_seen(b, t,
			"R = %.2f (95 %%: %.2f to %.2f) in the %s placement, in which the program "
			"was never run",
			r.value, r.low, r.high, t->elsewhere == 1 ? "near" : "far");
		return;
	}
	/* copies that are faster than one alone show no more than that nothing slows them down */
	pace = (struct sd_interval){fmin(1, r.value), fmin(1, r.low), fmin(1, r.high), r.status};
	b->hardware = t->loss = sd_apply_verdict_rest(pace);
	b->software = sd_apply_verdict_less(pace, e);
	snprintf(said, sizeof said,
		"%zu independent copies (R = %.2f, 95 %%: %.2f to %.2f; E = %.2f)", n, r.value,
		r.low, r.high, e.value);
	if (t->decided)
		/* + 0: no "-0 %" */
		sd_apply_verdict_seen(b, t,
			"R = %.2f (95 %%: %.2f to %.2f): shared hardware takes %.0f %% of the "
			"cores, what the threads share %.0f %%",
			r.value, r.low, r.high, round(100 * b->hardware.value) + 0.,
			round(100 * b->software.value) + 0.);
	else
		sd_apply_verdict_seen(b, t,
			"R = %.2f (95 %%: %.2f to %.2f): the runs differ too much to part shared "
			"hardware from what the threads share",
			r.value, r.low, r.high);
	state_software(b, n, said);
	state_hardware(b, said);
	settle_uneven(b, said);
}

/* ---- hardware -------------------------------------------------------------------------------- */

struct clock {
	double value[64], low, high;
	size_t n;
};

static void take_clock(void *ctx, const struct sd_run *plain, const struct sd_run *changed)
{
	const struct sd_value *side = changed->tried->side;
	struct clock *k = ctx;

	(void)plain;
	if (k->n == sizeof k->value / sizeof *k->value ||
		!sd_run_parts_usable(side[SD_SIDE_CLOCK]) ||
		!sd_run_parts_usable(side[SD_SIDE_CLOCK_LOW]) ||
		!sd_run_parts_usable(side[SD_SIDE_CLOCK_HIGH]))
		return;
	k->value[k->n++] = side[SD_SIDE_CLOCK].value;
	k->low = fmin(k->low, side[SD_SIDE_CLOCK_LOW].value);
	k->high = fmax(k->high, side[SD_SIDE_CLOCK_HIGH].value);
}

void sd_apply_clock(struct sd_apply_verdict *b)
{
	struct sd_tested *t = b->t[SD_EXPERIMENT_ADD_LOOP];
	const struct sd_record *r = b->c->record;
	struct clock k = {.low = INFINITY};
	const double user = b->c->last->mean.part[SD_PART_USER];
	double f;

	if (!t)
		return;
	sd_experiment_results_pairs(r, b->c->choice, sd_apply_verdict_index(b, t),
		r->plan.experiment[sd_apply_verdict_index(b, t)].point, take_clock, &k);
	if (k.n < SD_EXPERIMENT_RESULTS_LEAST)
		return;
	f = sd_statistics_median(k.value, k.n);
	t->loss = (struct sd_interval){
		user * (1 - f), user * (1 - k.high), user * (1 - k.low), SD_STATUS_OK};
	sd_apply_verdict_seen(b, t,
		"with %u cores busy the clock is %.3f of one core's (quartiles %.3f to %.3f)",
		t->cores, f, k.low, k.high);
	/* additions are not the program, whose instructions may ask for another clock */
	sd_apply_verdict_observe(b, SD_CAUSE_FREQUENCY, "frequency-additions",
		sd_apply_verdict_cores(b, t->loss), sd_apply_verdict_cores(b, t->loss));
	if (sd_apply_verdict_hardly(b, t->loss))
		sd_case_say(b->c, sd_apply_verdict_finding(b, SD_CAUSE_FREQUENCY),
			"the clock holds: with %u cores busy it is %.3f of "
			"one core's, by a chain of additions",
			t->cores, f);
	else
		sd_case_say(b->c, sd_apply_verdict_finding(b, SD_CAUSE_FREQUENCY),
			"with %u cores busy the clock is %.3f of one core's, by a chain of "
			"additions",
			t->cores, f);
	if (sd_apply_verdict_clearly(t->loss))
		sd_apply_verdict_tell(b, SD_CAUSE_FREQUENCY, t->loss);
}

struct thief {
	double rate, alone, bytes;
	size_t n;
};

static void take_thief(void *ctx, const struct sd_run *plain, const struct sd_run *changed)
{
	const struct sd_value *side = changed->tried->side;
	struct thief *k = ctx;

	(void)plain;
	if (!sd_run_parts_usable(side[SD_SIDE_THIEF_RATE]) ||
		!sd_run_parts_usable(side[SD_SIDE_THIEF_ALONE]) ||
		!sd_run_parts_usable(side[SD_SIDE_THIEF_BYTES]))
		return;
	k->rate += side[SD_SIDE_THIEF_RATE].value;
	k->alone += side[SD_SIDE_THIEF_ALONE].value;
	k->bytes = side[SD_SIDE_THIEF_BYTES].value;
	k->n++;
}

/* How much the thief moved beside the program, and what that took; 0: no pair shows it. */
static int moved(struct sd_apply_verdict *b, enum sd_experiment e, struct thief *k)
{
	struct sd_tested *const t = b->t[e];

	*k = (struct thief){0};
	if (!t || !sd_apply_verdict_has(t->time))
		return 0;
	sd_experiment_results_pairs(
		b->c->record, b->c->choice, sd_apply_verdict_index(b, t), 0, take_thief, k);
	if (k->n == 0)
		return 0;
	k->rate /= (double)k->n;
	k->alone /= (double)k->n;
	sd_apply_verdict_seen(b, t,
		"the thief moves %.1f GB/s beside the program (%.1f alone) over %.0f MB; "
		"the program takes %.2f times as long (95 %%: %.2f to %.2f)",
		1e-9 * k->rate, 1e-9 * k->alone, 1e-6 * k->bytes, t->time.value, t->time.low,
		t->time.high);
	return 1;
}

int sd_apply_thief_moved(struct sd_apply_verdict *b, enum sd_experiment e)
{
	return (e == SD_EXPERIMENT_BANDWIDTH_THIEF || e == SD_EXPERIMENT_CACHE_THIEF) &&
	       moved(b, e, &(struct thief){0});
}

/* Share of the cores that a thief cost the program; absent where it took too little itself. */
static struct sd_interval robbed(struct sd_apply_verdict *b, enum sd_experiment e, struct thief *k)
{
	struct sd_tested *const t = b->t[e];

	if (!moved(b, e, k))
		return SD_APPLY_VERDICT_ABSENT;
	t->loss = sd_apply_verdict_rest(sd_apply_verdict_inverse(t->time));
	return k->rate >= THIEF_LEAST * k->alone ? t->loss : SD_APPLY_VERDICT_ABSENT;
}

/* Did it take at least half of what the copies lose to hardware? */
static int explains(const struct sd_apply_verdict *b, struct sd_interval v)
{
	return sd_apply_verdict_clearly(v) && v.value >= b->hardware.value / 2;
}

/*
 * A program that goes to memory at all is slower beside any thief. What the copies lose is this
 * resource's only when the thief of the other one hardly hurts; without that thief, or where its
 * few pairs do not say, it is likely.
 */
static void blame(struct sd_apply_verdict *b, enum sd_cause cause, unsigned long own,
	struct sd_interval mine, struct sd_interval other)
{
	const int as_much = sd_apply_verdict_has(other) && other.value >= mine.value / 2;

	if (!sd_apply_verdict_named(b, cause))
		return;
	if (as_much && sd_apply_verdict_clearly(other))
		sd_apply_verdict_mention(b, cause,
			"both thieves slow it down: bandwidth and cache are not told apart");
	else
		sd_apply_verdict_grown(b, cause, "thief",
			sd_apply_verdict_has(other) && !as_much ? SD_STATEMENT_INTERVENTION
								: SD_STATEMENT_OBSERVATION,
			own, b->hardware);
}

/* A thief that took what it is there for and hardly hurts: no more than that is this resource's. */
static void state_unhurt(struct sd_apply_verdict *b, enum sd_cause cause, struct sd_interval v)
{
	if (sd_apply_verdict_hardly(b, v))
		sd_apply_verdict_state(
			b, cause, "thief-unhurt", SD_STATEMENT_OPEN, sd_apply_verdict_cores(b, v));
}

void sd_apply_thieves(struct sd_apply_verdict *b)
{
	struct thief band, cache;
	const struct sd_interval x = robbed(b, SD_EXPERIMENT_BANDWIDTH_THIEF, &band);
	const struct sd_interval y = robbed(b, SD_EXPERIMENT_CACHE_THIEF, &cache);
	const int shared = sd_apply_verdict_clearly(b->hardware);

	if (sd_apply_verdict_hardly(b, x))
		sd_apply_verdict_mention(b, SD_CAUSE_MEMORY_BANDWIDTH,
			"one core beside a thief that moves %.1f GB/s keeps its pace",
			1e-9 * band.rate);
	if (sd_apply_verdict_hardly(b, y))
		sd_apply_verdict_mention(b, SD_CAUSE_LLC_CAPACITY,
			"one core beside a thief that walks %.0f MB of the shared cache keeps its pace",
			1e-6 * cache.bytes);
	state_unhurt(b, SD_CAUSE_MEMORY_BANDWIDTH, x);
	state_unhurt(b, SD_CAUSE_LLC_CAPACITY, y);
	if (sd_apply_verdict_has(x))
		sd_apply_verdict_mention(b, SD_CAUSE_MEMORY_BANDWIDTH,
			"one core beside a thief that moves %.1f GB/s loses %.0f %% of its pace",
			1e-9 * band.rate, 100 * x.value);
	if (sd_apply_verdict_has(y))
		sd_apply_verdict_mention(b, SD_CAUSE_LLC_CAPACITY,
			"one core beside a thief that walks %.0f MB of the shared cache loses %.0f %% of its pace",
			1e-6 * cache.bytes, 100 * y.value);
	if (!shared)
		return;
	if (explains(b, x))
		blame(b, SD_CAUSE_MEMORY_BANDWIDTH, SD_BIT(CPI_BANDWIDTH), x, y);
	if (explains(b, y))
		blame(b, SD_CAUSE_LLC_CAPACITY, SD_BIT(CPI_LLC), y, x);
}

/* ---- prefetchers ----------------------------------------------------------------------------- */

/*
 * Without them a program is slower, as it waits for what they would have brought, unless they bring
 * what nobody reads: that takes bandwidth, room in the cache and other cores' lines, and which of
 * the three it was the experiment does not say.
 */
void sd_apply_prefetchers(struct sd_apply_verdict *b)
{
	const struct sd_prediction *p = sd_experiment_predictions(SD_EXPERIMENT_PREFETCHERS);
	struct sd_tested *t = b->t[SD_EXPERIMENT_PREFETCHERS];

	if (!t || !sd_apply_verdict_has(t->time) || !sd_apply_verdict_has(t->reference))
		return;
	t->loss = sd_apply_verdict_gain(b, t->time, SD_APPLY_VERDICT_ABSENT);
	sd_apply_verdict_seen(b, t,
		"without prefetchers %.2f times as long (95 %%: %.2f to %.2f), at the reference "
		"%.2f times: %s",
		t->time.value, t->time.low, t->time.high, t->reference.value,
		sd_apply_verdict_clearly(t->loss) ? "they fetch lines that nobody reads"
		: t->time.low > 1                 ? "what they fetch is read"
		: sd_apply_verdict_none(t->time)  ? "they make no difference that shows"
						  : "how much they matter does not show");
	if (!sd_apply_verdict_clearly(t->loss))
		return;
	for (; p->of == SD_EXPERIMENT_PREFETCHERS; p++)
		sd_apply_verdict_mention(b, p->cause,
			"without hardware prefetchers the program takes %.2f times as long (95 %%: %.2f to "
			"%.2f), at the reference %.2f times: lines are fetched that nobody reads",
			t->time.value, t->time.low, t->time.high, t->reference.value);
}
