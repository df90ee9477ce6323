#include "settle.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "statistics.h"
#include "tested.h"

/* A thief that got less than this of what it gets alone did not take much. */
#define THIEF_LEAST .25

/* Threads that wait more often than this, each, wait for no work of any size (METHODS 3: barriers,
 * 5 to 100 us a wake-up). */
#define WAIT_OFTEN_S 1e-3

struct bench {
	struct sd_case *c;
	struct sd_tested *t[SD_EXPERIMENT_COUNT]; /* NULL: too few pairs */
	struct sd_interval growth;                /* share of the last point's N */
	struct sd_interval efficiency;
	struct sd_interval hardware, software; /* by the copies; absent without them */
	struct sd_interval told;               /* of the growth, by causes that were settled */
};

#define SEEN(b, t, ...) ((b)->c->rc |= sd_texts_add(&(t)->seen, __VA_ARGS__))

static int has(struct sd_interval v)
{
	return v.status == SD_STATUS_OK;
}

static struct sd_finding *finding(const struct bench *b, enum sd_cause cause)
{
	return &b->c->a->finding[cause];
}

static int is_open(const struct bench *b, enum sd_cause cause)
{
	return finding(b, cause)->verdict == SD_VERDICT_POSSIBLE;
}

/* Open, or likely by other evidence. */
static int is_named(const struct bench *b, enum sd_cause cause)
{
	return is_open(b, cause) || finding(b, cause)->verdict == SD_VERDICT_LIKELY;
}

/* a - b of independent estimates. */
static struct sd_interval less(struct sd_interval a, struct sd_interval b)
{
	const double v = a.value - b.value;

	return (struct sd_interval){v, v - hypot(a.value - a.low, b.high - b.value),
		v + hypot(a.high - a.value, b.value - b.low), SD_STATUS_OK};
}

/* 1 - v */
static struct sd_interval rest(struct sd_interval v)
{
	return (struct sd_interval){1 - v.value, 1 - v.high, 1 - v.low, v.status};
}

/* 1 / v */
static struct sd_interval inverse(struct sd_interval v)
{
	return (struct sd_interval){1 / v.value, 1 / v.high, 1 / v.low, v.status};
}

/*
 * Share of the last point's cores that come free when its time is multiplied by `last` and the
 * reference's by `ref` (absent: stays): the efficiency that this leads to, less the one there is.
 */
static struct sd_interval gain(
	const struct bench *b, struct sd_interval last, struct sd_interval ref)
{
	const double e = b->efficiency.value;
	const struct sd_interval one = {1, 1, 1, SD_STATUS_OK}, r = has(ref) ? ref : one;
	struct sd_interval v = less(last, r); /* of logs, nearly: both are close to 1 */

	v.value = r.value / last.value;
	v.low = v.value *
		(1 - hypot((last.high - last.value) / last.value, (r.value - r.low) / r.value));
	v.high = v.value *
		 (1 + hypot((last.value - last.low) / last.value, (r.high - r.value) / r.value));
	return (struct sd_interval){
		e * (v.value - 1), e * (v.low - 1), e * (v.high - 1), SD_STATUS_OK};
}

static int clearly(struct sd_interval v)
{
	return has(v) && v.low >= SD_RULES_GATE;
}

static int hardly(struct sd_interval v)
{
	return has(v) && v.high < SD_RULES_GATE;
}

/* ---- verdicts -------------------------------------------------------------------------------- */

static const struct sd_interval absent = {.status = SD_STATUS_ABSENT};

/* Of a cause that is still open: the sentence says why it is out. Of one that other evidence speaks
 * for: it is doubtful then. Where others took the CPUs nothing met, and nothing is said. */
#define rule_out(b, cause, ...)                                               \
	do {                                                                  \
		if (is_named(b, cause) && !(b)->c->disturbed) {               \
			sd_rules_say((b)->c, finding(b, cause), __VA_ARGS__); \
			exclude(finding(b, cause));                           \
		}                                                             \
	} while (0)

/* Of a cause that is still open: a fact that does not settle it. */
#define mention(b, cause, ...)                                                \
	do {                                                                  \
		if (is_named(b, cause))                                       \
			sd_rules_say((b)->c, finding(b, cause), __VA_ARGS__); \
	} while (0)

static void exclude(struct sd_finding *f)
{
	if (f->verdict == SD_VERDICT_LIKELY) {
		f->verdict = SD_VERDICT_POSSIBLE;
		return;
	}
	f->verdict = SD_VERDICT_RULED_OUT;
	f->cores = f->share = f->worth = absent;
}

static double clamp(double v, double most)
{
	return fmin(fmax(v, 0), most);
}

/* Gives the cause this share of the cores. A machine that is not to be trusted keeps every verdict
 * at possible. */
static void give(
	struct bench *b, enum sd_cause cause, enum sd_verdict verdict, struct sd_interval v)
{
	struct sd_finding *f = finding(b, cause);
	const double n = b->c->loss->n, most = 1 - 1e-9;

	if (b->c->capped || b->c->disturbed)
		verdict = SD_VERDICT_POSSIBLE;
	v = (struct sd_interval){
		clamp(v.value, most), clamp(v.low, most), clamp(v.high, most), SD_STATUS_OK};
	f->verdict = verdict;
	f->share = v;
	f->cores = (struct sd_interval){v.value * n, v.low * n, v.high * n, SD_STATUS_OK};
	f->worth = (struct sd_interval){
		1 / (1 - v.value), 1 / (1 - v.low), 1 / (1 - v.high), SD_STATUS_OK};
}

/* The same of a cause that hides in the growth of user time: never more than that. */
static void give_growth(
	struct bench *b, enum sd_cause cause, enum sd_verdict verdict, struct sd_interval v)
{
	const double half = (v.high - v.low) / 2;
	double error;

	/* measured by other means already, and not in the growth */
	if (has(finding(b, cause)->share)) {
		if (v.value >= finding(b, cause)->share.value / 2)
			give(b, cause, verdict, finding(b, cause)->share);
		return;
	}
	if (v.value > b->growth.value)
		v = b->growth;
	give(b, cause, verdict, v);
	/* where two may share it, neither leaves nothing to others */
	if (verdict == SD_VERDICT_CONFIRMED) {
		error = hypot((b->told.high - b->told.low) / 2, half);
		b->told.value += v.value;
		b->told.low = b->told.value - error;
		b->told.high = b->told.value + error;
	}
	if (finding(b, cause)->verdict <= SD_VERDICT_LIKELY && v.value >= b->growth.value / 2)
		b->c->a->growth = &sd_cause_info[cause];
}

/* ---- copies ---------------------------------------------------------------------------------- */

static const enum sd_cause hardware[] = {
	SD_CAUSE_MEMORY_BANDWIDTH, SD_CAUSE_LLC_CAPACITY, SD_CAUSE_SMT, SD_CAUSE_FREQUENCY};
static const enum sd_cause software[] = {SD_CAUSE_FALSE_SHARING, SD_CAUSE_TRUE_SHARING,
	SD_CAUSE_SPINNING, SD_CAUSE_EXTRA_WORK, SD_CAUSE_BARRIER_OVERHEAD, SD_CAUSE_ALLOCATOR};

#define EACH(list, cause) \
	for (size_t i_ = 0; i_ < sizeof(list) / sizeof *(list) && ((cause) = (list)[i_], 1); i_++)

/* One copy's data are more than the cache holds, so that several copies have no less of it. */
static int beyond_cache(const struct sd_case *c)
{
	const struct sd_value llc = c->record->host.llc_bytes;

	for (size_t j = 0; j < c->ref->n_run; j++) {
		const struct sd_value rss = c->ref->run[j]->metric[SD_METRIC_MAX_RSS];

		if (!sd_parts_usable(rss) || !sd_parts_usable(llc) || rss.value < 2 * llc.value)
			return 0;
	}
	return 1;
}

static size_t copies_of(const struct bench *b)
{
	const struct sd_record *r = b->c->record;

	for (size_t i = 0; i < r->n_run; i++)
		if (r->run[i].tried && r->run[i].tried->n_copy)
			return r->run[i].tried->n_copy;
	return 0;
}

static void settle_copies(struct bench *b)
{
	struct sd_tested *t = b->t[SD_EXPERIMENT_REPLICAS];
	const size_t n = copies_of(b);
	struct sd_interval r;
	enum sd_cause k;
	char said[160];

	if (!t || !has(t->time))
		return;
	r = inverse(t->time);
	b->hardware = t->loss = rest(r);
	b->software = less(r, b->efficiency);
	snprintf(said, sizeof said,
		"%zu independent copies (R = %.2f, 95 %%: %.2f to %.2f; E = %.2f)", n, r.value,
		r.low, r.high, b->efficiency.value);
	SEEN(b, t,
		"R = %.2f (95 %%: %.2f to %.2f): shared hardware takes %.0f %% of the cores, what "
		"the threads share %.0f %%",
		r.value, r.low, r.high, 100 * b->hardware.value, 100 * b->software.value);
	EACH(hardware, k)
	{
		if (hardly(b->hardware))
			rule_out(b, k, "%s run as fast as one alone: not shared hardware", said);
		else if (clearly(b->hardware))
			mention(b, k,
				"%s slow each other down: shared hardware, not shared data, "
				"takes %.2f of %.0f cores",
				said, b->hardware.value * b->c->loss->n, b->c->loss->n);
	}
	EACH(software, k)
	{
		if (hardly(b->software) && beyond_cache(b->c))
			rule_out(b, k,
				"%s slow down as much as the program does: shared hardware, "
				"not shared data",
				said);
		else if (hardly(b->software))
			mention(b, k,
				"against it: %s slow down as much as the program does (but "
				"they have %zu times its data to hold)",
				said, n);
		else if (clearly(b->software))
			mention(b, k, "%s share no data and lose %.2f cores less than the program",
				said, b->software.value * b->c->loss->n);
	}
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
	if (k->n == sizeof k->value / sizeof *k->value || !sd_parts_usable(side[SD_SIDE_CLOCK]) ||
		!sd_parts_usable(side[SD_SIDE_CLOCK_LOW]) ||
		!sd_parts_usable(side[SD_SIDE_CLOCK_HIGH]))
		return;
	k->value[k->n++] = side[SD_SIDE_CLOCK].value;
	k->low = fmin(k->low, side[SD_SIDE_CLOCK_LOW].value);
	k->high = fmax(k->high, side[SD_SIDE_CLOCK_HIGH].value);
}

static size_t index_of(const struct bench *b, const struct sd_tested *t)
{
	return (size_t)(t - b->c->a->tested);
}

static void settle_clock(struct bench *b)
{
	struct sd_tested *t = b->t[SD_EXPERIMENT_ADD_LOOP];
	const struct sd_record *r = b->c->record;
	struct clock k = {.low = INFINITY};
	const double user = b->c->last->mean.part[SD_PART_USER];
	double f;

	if (!t)
		return;
	sd_tested_pairs(r, b->c->choice, index_of(b, t), r->plan.experiment[index_of(b, t)].point,
		take_clock, &k);
	if (k.n < SD_TESTED_LEAST)
		return;
	f = sd_statistics_median(k.value, k.n);
	t->loss = (struct sd_interval){
		user * (1 - f), user * (1 - k.high), user * (1 - k.low), SD_STATUS_OK};
	SEEN(b, t, "with %u cores busy the clock is %.3f of one core's (quartiles %.3f to %.3f)",
		t->cores, f, k.low, k.high);
	if (hardly(t->loss))
		rule_out(b, SD_CAUSE_FREQUENCY,
			"the clock holds: with %u cores busy it is %.3f of "
			"one core's, by a chain of additions",
			t->cores, f);
	else if (clearly(t->loss) && is_named(b, SD_CAUSE_FREQUENCY)) {
		mention(b, SD_CAUSE_FREQUENCY,
			"with %u cores busy the clock is %.3f of one core's, by a chain of "
			"additions",
			t->cores, f);
		give_growth(b, SD_CAUSE_FREQUENCY, SD_VERDICT_CONFIRMED, t->loss);
	}
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
	if (!sd_parts_usable(side[SD_SIDE_THIEF_RATE]) ||
		!sd_parts_usable(side[SD_SIDE_THIEF_ALONE]) ||
		!sd_parts_usable(side[SD_SIDE_THIEF_BYTES]))
		return;
	k->rate += side[SD_SIDE_THIEF_RATE].value;
	k->alone += side[SD_SIDE_THIEF_ALONE].value;
	k->bytes = side[SD_SIDE_THIEF_BYTES].value;
	k->n++;
}

/* What a thief did to the program, when it did take what it is there for; absent otherwise. */
static struct sd_interval robbed(struct bench *b, enum sd_experiment e, struct thief *k)
{
	struct sd_tested *t = b->t[e];
	struct sd_interval v = absent;

	*k = (struct thief){0};
	if (!t || !has(t->time))
		return v;
	sd_tested_pairs(b->c->record, b->c->choice, index_of(b, t), 0, take_thief, k);
	if (k->n == 0)
		return v;
	k->rate /= (double)k->n;
	k->alone /= (double)k->n;
	v = t->loss = rest(inverse(t->time));
	SEEN(b, t,
		"the thief moves %.1f GB/s beside the program (%.1f alone) over %.0f MB; the "
		"program "
		"takes %.2f times as long (95 %%: %.2f to %.2f)",
		1e-9 * k->rate, 1e-9 * k->alone, 1e-6 * k->bytes, t->time.value, t->time.low,
		t->time.high);
	return k->rate >= THIEF_LEAST * k->alone ? v : absent;
}

/* Did it take at least half of what the copies lose to hardware? */
static int explains(const struct bench *b, struct sd_interval v)
{
	return clearly(v) && v.value >= b->hardware.value / 2;
}

static void settle_thieves(struct bench *b)
{
	struct thief band, cache;
	const struct sd_interval x = robbed(b, SD_EXPERIMENT_BANDWIDTH_THIEF, &band);
	const struct sd_interval y = robbed(b, SD_EXPERIMENT_CACHE_THIEF, &cache);
	const int shared = clearly(b->hardware);

	if (hardly(x))
		rule_out(b, SD_CAUSE_MEMORY_BANDWIDTH,
			"one core beside a thief that moves %.1f GB/s keeps its pace",
			1e-9 * band.rate);
	if (hardly(y))
		rule_out(b, SD_CAUSE_LLC_CAPACITY,
			"one core beside a thief that walks %.0f MB of the shared cache keeps its "
			"pace",
			1e-6 * cache.bytes);
	if (has(x))
		mention(b, SD_CAUSE_MEMORY_BANDWIDTH,
			"one core beside a thief that moves %.1f GB/s loses %.0f %% of its pace",
			1e-9 * band.rate, 100 * x.value);
	if (has(y))
		mention(b, SD_CAUSE_LLC_CAPACITY,
			"one core beside a thief that walks %.0f MB of the shared cache loses %.0f "
			"%% "
			"of its pace",
			1e-6 * cache.bytes, 100 * y.value);
	if (!shared)
		return;
	if (explains(b, x) && is_named(b, SD_CAUSE_MEMORY_BANDWIDTH) &&
		!(explains(b, y) && y.value > x.value))
		give_growth(b, SD_CAUSE_MEMORY_BANDWIDTH,
			has(y) && y.value < x.value / 2 ? SD_VERDICT_CONFIRMED : SD_VERDICT_LIKELY,
			b->hardware);
	else if (explains(b, y) && is_named(b, SD_CAUSE_LLC_CAPACITY))
		give_growth(b, SD_CAUSE_LLC_CAPACITY,
			has(x) && x.value < y.value / 2 ? SD_VERDICT_CONFIRMED : SD_VERDICT_LIKELY,
			b->hardware);
}

/* ---- waiting in loops ------------------------------------------------------------------------ */

#define PAIRS_MOST 64

struct waits {
	const struct bench *b;
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
	struct sd_parts parts;

	if (k->n == PAIRS_MOST || !sd_parts_usable(p[SD_METRIC_USER]) ||
		!sd_parts_usable(q[SD_METRIC_USER]))
		return;
	k->saved[k->n++] =
		(p[SD_METRIC_USER].value - q[SD_METRIC_USER].value) / (n * p[SD_METRIC_WALL].value);
	if (!(sd_parts_split(changed, n, &parts) & SD_PARTS_POLLER))
		return;
	k->polled++;
	k->serial += parts.part[SD_PART_SERIAL];
	k->imbalance += parts.part[SD_PART_IMBALANCE];
	if (sd_parts_usable(q[SD_METRIC_VOLUNTARY_SWITCHES]))
		k->apart += n * p[SD_METRIC_WALL].value /
			    fmax(1, q[SD_METRIC_VOLUNTARY_SWITCHES].value);
}

/* The spinning hid that threads wait for this. */
static int hid(struct bench *b, enum sd_cause cause, double was, double is, const char *what)
{
	struct sd_finding *f = finding(b, cause);
	const double half = (b->growth.high - b->growth.low) / 2;

	if (is - was < SD_RULES_GATE)
		return 0;
	if (f->verdict > SD_VERDICT_POSSIBLE) /* what was said of the plain runs does not hold */
		sd_texts_free(&f->evidence);
	sd_rules_say(b->c, f,
		"where waiting threads sleep (passive-wait), %.2f of %.0f cores %s; where they "
		"spin, only %.2f do: spinning hides it",
		is * b->c->loss->n, b->c->loss->n, what, was * b->c->loss->n);
	give(b, cause, SD_VERDICT_LIKELY,
		(struct sd_interval){is, is - half, is + half, SD_STATUS_OK});
	return 1;
}

static void settle_waits(struct bench *b)
{
	struct sd_tested *t = b->t[SD_EXPERIMENT_PASSIVE_WAIT];
	const double *plain = b->c->last->mean.part;
	struct waits k = {.b = b};
	int hidden = 0;

	if (!t || !has(t->time))
		return;
	sd_tested_pairs(b->c->record, b->c->choice, index_of(b, t),
		b->c->record->plan.experiment[index_of(b, t)].point, take_waits, &k);
	t->loss = sd_statistics_paired(k.saved, k.n);
	if (!has(t->loss))
		return;
	SEEN(b, t,
		"waiting threads that sleep save %.0f %% of the cores' time; the program takes "
		"%.2f "
		"times as long (95 %%: %.2f to %.2f)",
		100 * t->loss.value, t->time.value, t->time.low, t->time.high);
	if (hardly(t->loss))
		mention(b, SD_CAUSE_SPINNING,
			"against it: with OMP_WAIT_POLICY=passive the CPU time hardly falls (by "
			"%.1f %% of the cores' time)",
			100 * t->loss.value);
	if (!clearly(t->loss) || !is_named(b, SD_CAUSE_SPINNING))
		return;
	if (k.polled) {
		hidden |= hid(b, SD_CAUSE_SERIAL_CODE, plain[SD_PART_SERIAL],
			k.serial / (double)k.polled, "idle while one thread runs alone");
		hidden |= hid(b, SD_CAUSE_LOAD_IMBALANCE, plain[SD_PART_IMBALANCE],
			k.imbalance / (double)k.polled, "wait for slower threads");
	}
	mention(b, SD_CAUSE_SPINNING,
		"with OMP_WAIT_POLICY=passive %.2f of %.0f cores come free and the program takes "
		"%.2f times as long%s",
		t->loss.value * b->c->loss->n, b->c->loss->n, t->time.value,
		hidden ? ": it spends the time, but what it waits for loses it" : "");
	if (t->time.low > 1 + SD_RULES_GATE && k.polled &&
		k.apart / (double)k.polled < WAIT_OFTEN_S &&
		is_named(b, SD_CAUSE_BARRIER_OVERHEAD)) {
		mention(b, SD_CAUSE_BARRIER_OVERHEAD,
			"with OMP_WAIT_POLICY=passive the program takes %.2f times as long, and a "
			"core waits every %.0f us: its regions are too short",
			t->time.value, 1e6 * k.apart / (double)k.polled);
		give_growth(b, SD_CAUSE_BARRIER_OVERHEAD, SD_VERDICT_LIKELY, t->loss);
		return;
	}
	give_growth(
		b, SD_CAUSE_SPINNING, hidden ? SD_VERDICT_LIKELY : SD_VERDICT_CONFIRMED, t->loss);
}

/* ---- the heap -------------------------------------------------------------------------------- */

static void settle_padding(struct bench *b)
{
	struct sd_tested *t = b->t[SD_EXPERIMENT_PADDING];

	if (!t || !has(t->time))
		return;
	t->loss = gain(b, t->time, absent);
	SEEN(b, t, "%.2f times as long (95 %%: %.2f to %.2f)", t->time.value, t->time.low,
		t->time.high);
	if (clearly(t->loss) && is_named(b, SD_CAUSE_FALSE_SHARING)) {
		mention(b, SD_CAUSE_FALSE_SHARING,
			"with 128 bytes between allocations the program takes %.2f times as long "
			"(95 %%: %.2f to %.2f): threads write to neighbours on the heap",
			t->time.value, t->time.low, t->time.high);
		give_growth(b, SD_CAUSE_FALSE_SHARING, SD_VERDICT_CONFIRMED, t->loss);
	} else if (hardly(t->loss)) {
		mention(b, SD_CAUSE_FALSE_SHARING,
			"128 bytes between allocations change nothing: it is within one allocation "
			"or in static data, if at all");
	}
}

static void settle_allocator(struct bench *b)
{
	struct sd_tested *one = b->t[SD_EXPERIMENT_ONE_ARENA], *t = b->t[SD_EXPERIMENT_ALLOCATOR];

	if (one && has(one->time)) {
		SEEN(b, one, "%.2f times as long (95 %%: %.2f to %.2f)", one->time.value,
			one->time.low, one->time.high);
		if (one->time.high < 1 + SD_RULES_GATE)
			rule_out(b, SD_CAUSE_ALLOCATOR,
				"with one arena for all threads the program takes %.2f times as "
				"long (95 %%: %.2f to %.2f): they do not meet in malloc",
				one->time.value, one->time.low, one->time.high);
	}
	if (!t || !has(t->time) || !has(t->reference))
		return;
	t->loss = gain(b, t->time, t->reference);
	SEEN(b, t, "%.2f times as long, at the reference %.2f times", t->time.value,
		t->reference.value);
	if (clearly(t->loss) && is_named(b, SD_CAUSE_ALLOCATOR)) {
		mention(b, SD_CAUSE_ALLOCATOR,
			"with another allocator the program takes %.2f times as long, at the "
			"reference %.2f times",
			t->time.value, t->reference.value);
		give_growth(b, SD_CAUSE_ALLOCATOR, SD_VERDICT_CONFIRMED, t->loss);
	} else if (hardly(t->loss)) {
		rule_out(b, SD_CAUSE_ALLOCATOR,
			"another allocator makes no difference: %.2f times as long, at the "
			"reference %.2f times",
			t->time.value, t->reference.value);
	}
}

/* ---- pages, places, files -------------------------------------------------------------------- */

struct faults {
	double plain, changed;
};

static void take_faults(void *ctx, const struct sd_run *plain, const struct sd_run *changed)
{
	struct faults *k = ctx;

	if (!sd_parts_usable(plain->metric[SD_METRIC_MINOR_FAULTS]) ||
		!sd_parts_usable(changed->metric[SD_METRIC_MINOR_FAULTS]))
		return;
	k->plain += plain->metric[SD_METRIC_MINOR_FAULTS].value;
	k->changed += changed->metric[SD_METRIC_MINOR_FAULTS].value;
}

static void settle_pages(struct bench *b)
{
	struct sd_tested *t = b->t[SD_EXPERIMENT_HUGE_PAGES],
			 *base = b->t[SD_EXPERIMENT_BASE_PAGES];
	struct faults k = {0};

	if (base && has(base->time)) {
		SEEN(b, base, "%.2f times as long (95 %%: %.2f to %.2f)", base->time.value,
			base->time.low, base->time.high);
		if (base->time.high < 1 + SD_RULES_GATE)
			rule_out(b, SD_CAUSE_DTLB,
				"without huge pages the program takes %.2f times "
				"as long: their size does not matter",
				base->time.value);
	}
	if (!t || !has(t->time) || !has(t->reference))
		return;
	sd_tested_pairs(b->c->record, b->c->choice, index_of(b, t),
		b->c->record->plan.experiment[index_of(b, t)].point, take_faults, &k);
	t->loss = gain(b, t->time, t->reference);
	SEEN(b, t,
		"%.2f times as long, at the reference %.2f times; page faults %.2f times as many",
		t->time.value, t->reference.value, k.plain > 0 ? k.changed / k.plain : 1);
	if (clearly(t->loss) && is_named(b, SD_CAUSE_DTLB)) {
		mention(b, SD_CAUSE_DTLB,
			"with huge pages for malloc the program takes %.2f times as long, at the "
			"reference %.2f times",
			t->time.value, t->reference.value);
		give_growth(b, SD_CAUSE_DTLB, SD_VERDICT_CONFIRMED, t->loss);
	} else if (hardly(t->loss) && k.changed < .8 * k.plain) {
		rule_out(b, SD_CAUSE_DTLB,
			"huge pages for malloc change its scaling by %.1f %% only",
			100 * t->loss.value);
	} else if (hardly(t->loss)) {
		mention(b, SD_CAUSE_DTLB,
			"huge pages for malloc made no difference, but hardly any were used: its "
			"memory is not malloc's");
	}
}

static void settle_places(struct bench *b)
{
	struct sd_tested *t = b->t[SD_EXPERIMENT_INTERLEAVE];
	struct sd_tested *spread = b->t[SD_EXPERIMENT_SPREAD];

	if (spread && has(spread->time)) {
		SEEN(b, spread, "%.2f times as long (95 %%: %.2f to %.2f)", spread->time.value,
			spread->time.low, spread->time.high);
		for (int k = SD_CAUSE_FALSE_SHARING; k <= SD_CAUSE_TRUE_SHARING; k++)
			mention(b, (enum sd_cause)k,
				"in the other placement (spread) the program takes %.2f times as "
				"long (95 %%: %.2f to %.2f)",
				spread->time.value, spread->time.low, spread->time.high);
	}
	if (b->t[SD_EXPERIMENT_SIBLINGS] && has(b->t[SD_EXPERIMENT_SIBLINGS]->time))
		SEEN(b, b->t[SD_EXPERIMENT_SIBLINGS], "%.2f times as long",
			b->t[SD_EXPERIMENT_SIBLINGS]->time.value);
	if (!t || !has(t->time))
		return;
	t->loss = gain(b, t->time, absent);
	SEEN(b, t, "%.2f times as long (95 %%: %.2f to %.2f)", t->time.value, t->time.low,
		t->time.high);
	if (clearly(t->loss) && is_named(b, SD_CAUSE_NUMA)) {
		mention(b, SD_CAUSE_NUMA,
			"with its memory interleaved the program takes %.2f times "
			"as long",
			t->time.value);
		give_growth(b, SD_CAUSE_NUMA, SD_VERDICT_CONFIRMED, t->loss);
	} else if (hardly(t->loss)) {
		rule_out(b, SD_CAUSE_NUMA, "interleaved memory does not help: %.2f times as long",
			t->time.value);
	}
}

static void settle_files(struct bench *b)
{
	struct sd_tested *t = b->t[SD_EXPERIMENT_READ_AHEAD];
	struct sd_finding *f = finding(b, SD_CAUSE_DISK);

	if (!t || !has(t->time))
		return;
	t->loss = gain(b, t->time, absent);
	SEEN(b, t, "%.2f times as long (95 %%: %.2f to %.2f)", t->time.value, t->time.low,
		t->time.high);
	if (!clearly(t->loss) || f->verdict > SD_VERDICT_POSSIBLE)
		return;
	sd_rules_say(b->c, f, "with its files read before it starts it takes %.2f times as long",
		t->time.value);
	if (has(f->share) && t->loss.value >= f->share.value / 2)
		give(b, SD_CAUSE_DISK, SD_VERDICT_CONFIRMED, f->share);
}

/* ---- all ------------------------------------------------------------------------------------- */

/* What hides in the growth of user time, when so little of it is left that none can matter. */
static void settle_rest(struct bench *b)
{
	const struct sd_interval left = less(b->growth, b->told);

	if (b->told.value < SD_RULES_GATE || left.high >= SD_RULES_GATE || b->c->capped ||
		b->c->disturbed)
		return;
	for (int k = 0; k < SD_CAUSE_COUNT; k++)
		if (!has(finding(b, (enum sd_cause)k)->share) &&
			!(sd_rule_table[k].carriers & ~(SD_RULES_GROWTH | SD_BIT(SYSTEM))))
			rule_out(b, (enum sd_cause)k,
				"what is left of the growth of user time, %.1f %% of the cores, is "
				"too little",
				100 * left.value);
}

static int gather(struct bench *b)
{
	struct sd_analysis *a = b->c->a;
	int any = 0;

	for (size_t i = 0; i < a->n_tested; i++) {
		struct sd_tested *t = &a->tested[i];

		if (t->pairs < SD_TESTED_LEAST)
			continue;
		b->t[t->experiment] = t;
		any = 1;
	}
	return any;
}

void sd_settle(struct sd_case *c)
{
	struct bench b = {.c = c};

	if (c->a->n_point < 2 || !gather(&b))
		return;
	b.efficiency = c->a->point[c->a->n_point - 1].efficiency;
	b.growth = sd_rules_added(c, SD_RULES_GROWTH & c->loss->components);
	if (b.efficiency.status == SD_STATUS_ABSENT)
		return;
	b.efficiency.status = SD_STATUS_OK;
	settle_copies(&b);
	settle_clock(&b);
	settle_thieves(&b);
	settle_waits(&b);
	settle_padding(&b);
	settle_allocator(&b);
	settle_pages(&b);
	settle_places(&b);
	settle_files(&b);
	settle_rest(&b);
}
