#include "plugin/sampled_parts.h"

#include <inttypes.h>
#include <stdio.h>

#define FEWEST 5 /* parts that tell a spread */
#define PART ((uint64_t)SIM_SAMPLED_PART)
#define LEAST ((uint64_t)SIM_SAMPLED_LEAST)
/* Instructions that cost as much as one event of the replay, about, and as what a line costs more
 * that moves. */
#define EVENT 32
#define MOVE 128
#define BEGINNING 30 /* parts modelled at least; and at most, however they differ */
#define BEGINNING_MOST 100
#define CHANGED 4 /* standard deviations, and this much of the rate at least */
#define CHANGED_LEAST .05
#define AGAIN 5   /* parts that tell a changed rate */
#define SMALL .01 /* of the modelled cycles: a count that costs less need not be known better */

/* Between parts: at least, or a share of what the rates are known of; and where they are not known
 * well enough. */
#define REST (20 * PART)
#define REST_SHARE 16
#define REST_DENSE (3 * PART)

void sim_sampled_parts_open(struct sim_sampled_parts *s)
{
	*s = (struct sim_sampled_parts){.next = PART, .length = PART, .random = 1};
}

/* Below n; the same in every run. */
static uint64_t below(struct sim_sampled_parts *s, uint64_t n)
{
	s->random = s->random * 6364136223846793005ull + 1442695040888963407ull;
	return n ? (s->random >> 33) % n : 0;
}

static double cost(const struct sim_options *o, enum sim_sampled_rate k)
{
	switch (k) {
	case SIM_SAMPLED_L1:
		return (double)o->latency.l2;
	case SIM_SAMPLED_LLC:
		return (double)o->latency.memory;
	case SIM_SAMPLED_WALKS:
		return (double)o->latency.walk;
	case SIM_SAMPLED_MOVES:
		return (double)o->latency.transfer;
	default:
		return 1;
	}
}

/* Sums the model's counts over all threads. */
static void counted(const struct sim_run *r, double count[SIM_SAMPLED_RATES])
{
	for (size_t k = 0; k < SIM_SAMPLED_RATES; k++)
		count[k] = 0;
	for (size_t i = 0; i < r->n_thread; i++) {
		const struct sim_thread *const t = r->thread[i];

		count[SIM_SAMPLED_L1] += (double)(t->count.l1_misses + t->late.l1_misses);
		count[SIM_SAMPLED_LLC] += (double)(t->count.llc_misses + t->late.llc_misses);
		count[SIM_SAMPLED_WALKS] += (double)(t->count.stlb_misses + t->late.stlb_misses);
		count[SIM_SAMPLED_MOVES] += (double)(t->count.hitm_load + t->count.hitm_store +
						     t->late.hitm_load + t->late.hitm_store);
	}
	for (enum sim_sampled_rate k = 0; k < SIM_SAMPLED_LOST; k++)
		count[SIM_SAMPLED_LOST] += count[k] * cost(r->o, k);
}

/* Welford's. */
static void add(struct sim_sampled_spread *x, const struct sim_sampled_part *p)
{
	x->n++;
	x->length += (p->n - x->length) / (double)x->n;
	for (size_t k = 0; k < SIM_SAMPLED_RATES; k++) {
		const double d = p->rate[k] - x->mean[k];

		x->mean[k] += d / (double)x->n;
		x->squares[k] += d * (p->rate[k] - x->mean[k]);
	}
}

/* Instructions that the replay costs beyond its events' own. */
static uint64_t replayed(const struct sim_run *r)
{
	return EVENT * r->machine.events + MOVE * (uint64_t)r->machine.transfers;
}

/* The length of what comes next, of what the `n` instructions before were like: what a part itself
 * has in it may not decide how long it is. */
static void set_length(struct sim_sampled_parts *s, const struct sim_run *r, uint64_t n)
{
	const uint64_t cost = replayed(r) - s->replayed;

	s->replayed = replayed(r);
	if (r->o->share)
		return;
	s->length = n ? PART * n / (n + cost) : PART;
	if (s->length < LEAST)
		s->length = LEAST;
}

/* Nothing here is linked with the mathematics of C. */
static double square_root(double x)
{
	double root = x > 1 ? x : 1;

	for (int i = 0; i < 200 && x > 0; i++)
		root = (root + x / root) / 2;
	return x > 0 ? root : 0;
}

/* Standard deviation of a rate in parts: at least that of events that come one by one, of which
 * some may not have been seen: three, with 95 % (Hanley and Lippman-Hand, JAMA 1983). */
static double deviation(const struct sim_sampled_spread *x, enum sim_sampled_rate k)
{
	const double n = (double)x->n, part = x->length;
	const double chance = (x->mean[k] + (k < SIM_SAMPLED_LOST ? 3 / (n * part) : 0)) / part;
	const double variance = n > 1 ? x->squares[k] / (n - 1) : 0;

	/* scaled: the root above is for numbers that are not tiny */
	return square_root(1e18 * (variance > chance ? variance : chance)) / 1e9;
}

/* Student's, two-sided 95 %, of n - 1 degrees of freedom: within 2 % from four on. */
static double quantile(uint64_t n)
{
	const double f = (double)n - 1;

	return 1.96 + 2.4 / f + 5.0 / (f * f);
}

/* Is every rate that costs something known to `percent`, if `half` is the interval's of each? */
static int is_known(const double mean[SIM_SAMPLED_RATES], const double half[SIM_SAMPLED_RATES],
	const struct sim_options *o, unsigned percent)
{
	const double cycles = 1 + mean[SIM_SAMPLED_LOST];

	for (enum sim_sampled_rate k = 0; k < SIM_SAMPLED_LOST; k++)
		if (half[k] * 100 > mean[k] * percent && half[k] * cost(o, k) > SMALL * cycles)
			return 0;
	return 1;
}

static struct sim_sampled_spread recent(const struct sim_sampled_parts *s)
{
	struct sim_sampled_spread x = {0};

	for (size_t i = 0; i < s->n_recent && i < SIM_SAMPLED_RECENT; i++)
		add(&x, &s->recent[i]);
	return x;
}

/* The first misses of all are not like what comes later: of the last parts only. */
static int beginning_is_known(const struct sim_sampled_parts *s, const struct sim_options *o)
{
	double half[SIM_SAMPLED_RATES];

	for (enum sim_sampled_rate k = 0; k < SIM_SAMPLED_RATES; k++)
		half[k] = quantile(s->first.n) * deviation(&s->first, k) /
			  square_root((double)s->first.n);
	return s->n_recent >= SIM_SAMPLED_RECENT && is_known(s->first.mean, half, o, o->settle);
}

static int is_judged(const struct sim_sampled_parts *s)
{
	return s->first.n >= FEWEST || s->later.n >= FEWEST;
}

/* Half width of one part's interval, by the spread of the parts after the beginning; while these
 * are few, by that of the beginning's last if it is larger. */
static double half_of_part(const struct sim_sampled_parts *s, enum sim_sampled_rate k)
{
	const struct sim_sampled_spread *const x = &s->first, *const y = &s->later;
	const double first = x->n >= FEWEST ? quantile(x->n) * deviation(x, k) : 0,
		     later = y->n > 1 ? quantile(y->n) * deviation(y, k) : 0;

	return y->n >= FEWEST || later > first ? later : first;
}

static double half_of(const struct sim_sampled_parts *s, double ahead, enum sim_sampled_rate k)
{
	return half_of_part(s, k) * square_root(s->represented_squares + ahead * ahead);
}

static int all_is_known(const struct sim_sampled_parts *s, const struct sim_options *o)
{
	double half[SIM_SAMPLED_RATES], mean[SIM_SAMPLED_RATES];

	for (enum sim_sampled_rate k = 0; k < SIM_SAMPLED_RATES; k++) {
		mean[k] = s->total[k] / (double)s->end;
		half[k] = half_of(s, 0, k) / (double)s->end;
	}
	return is_known(mean, half, o, o->settle);
}

/* How long only instructions are counted: somewhere between half of the usual and one and a half:
 * a program has periods, too. */
static uint64_t rest(struct sim_sampled_parts *s, const struct sim_options *o)
{
	uint64_t n = (s->end - s->since) / REST_SHARE;

	if (o->share)
		n = (s->length + s->length / 2) * (100 - o->share) / o->share;
	else if (s->later.n >= FEWEST && !all_is_known(s, o))
		n = REST_DENSE;
	else if (n < REST)
		n = REST;
	return n / 2 + below(s, n);
}

/* ---- what each thread has counted ------------------------------------------------------------ */

static void weigh(const struct sim_run *r, double times)
{
	for (size_t i = 0; i < r->n_thread; i++)
		sim_thread_weigh(r->thread[i], times);
}

void sim_sampled_parts_warm(struct sim_sampled_parts *s, const struct sim_run *r, uint64_t now)
{
	for (size_t i = 0; i < r->n_thread; i++)
		sim_thread_mark(r->thread[i]);
	s->state = SIM_SAMPLED_WARMS;
	s->on = now;
	s->next = now + s->length / 2;
	s->replayed = replayed(r);
}

/* It has warmed for half of a part's length, be that now another. */
static void count(struct sim_sampled_parts *s, const struct sim_run *r, uint64_t now)
{
	const uint64_t before = s->replayed;

	set_length(s, r, now - s->on);
	if (now - s->on < s->length / 2) {
		s->replayed = before;
		s->next = s->on + s->length / 2;
		return;
	}
	weigh(r, -1); /* what was counted while it warmed */
	counted(r, s->count);
	s->unfilled = r->machine.unfilled;
	s->state = SIM_SAMPLED_COUNTS;
	s->begin = now;
	s->next = now + s->length;
}

static int is_unlike(const struct sim_sampled_spread *x, double lost)
{
	const double off = lost > x->mean[SIM_SAMPLED_LOST] ? lost - x->mean[SIM_SAMPLED_LOST]
							    : x->mean[SIM_SAMPLED_LOST] - lost;

	return x->n >= FEWEST && off > CHANGED * deviation(x, SIM_SAMPLED_LOST) &&
	       off > CHANGED_LEAST * (1 + x->mean[SIM_SAMPLED_LOST]);
}

/* A part's end: its rates, which stand for all since the end of the one before. */
static void take(struct sim_sampled_parts *s, const struct sim_run *r, uint64_t now)
{
	const double n = (double)(now - s->begin), stands_for = (double)(now - s->end);
	struct sim_sampled_part part = {.n = n};
	struct sim_sampled_spread before;
	double c[SIM_SAMPLED_RATES];

	counted(r, c);
	for (size_t k = 0; k < SIM_SAMPLED_RATES; k++) {
		part.rate[k] = (c[k] - s->count[k]) / n;
		s->total[k] += part.rate[k] * stands_for;
	}
	weigh(r, stands_for > n ? stands_for / n - 1 : 0);
	s->last = n;
	if (s->state == SIM_SAMPLED_COUNTS) {
		s->represented_squares += (stands_for - n) * stands_for;
		s->unseen += (double)(r->machine.unfilled - s->unfilled) * stands_for / n;
		s->parts++;
	}
	before = recent(s);
	if (is_unlike(&before, part.rate[SIM_SAMPLED_LOST])) {
		s->n_recent = 0;
		s->since = now;
		s->more = AGAIN;
	}
	s->recent[s->n_recent++ % SIM_SAMPLED_RECENT] = part;
	if (s->state == SIM_SAMPLED_BEGINNING) {
		s->first = recent(s);
		s->beginning++;
	} else {
		add(&s->later, &part);
	}
	s->modelled += n;
	s->end = s->begin = now;
	s->unfilled = r->machine.unfilled;
	set_length(s, r, (uint64_t)n);
	counted(r, s->count);
}

int sim_sampled_parts_step(struct sim_sampled_parts *s, struct sim_run *r, uint64_t now)
{
	const struct sim_options *const o = r->o;

	switch (s->state) {
	case SIM_SAMPLED_RESTS:
		return 1;
	case SIM_SAMPLED_WARMS:
		count(s, r, now);
		return 1;
	default:
		break;
	}
	take(s, r, now);
	s->more -= s->more > 0;
	if (s->state == SIM_SAMPLED_COUNTS
			? s->more > 0 && !o->share
			: !o->share && (s->beginning < BEGINNING ||
					       (s->beginning < BEGINNING_MOST &&
						       !beginning_is_known(s, o)))) {
		s->next = now + s->length;
		return 1;
	}
	s->state = SIM_SAMPLED_RESTS;
	s->next = now + rest(s, o);
	return 0;
}

void sim_sampled_parts_finish(struct sim_sampled_parts *s, const struct sim_run *r, uint64_t now)
{
	if (s->state == SIM_SAMPLED_BEGINNING || s->state == SIM_SAMPLED_RESTS)
		return;
	if (s->state == SIM_SAMPLED_COUNTS && now - s->begin >= s->length / 10)
		take(s, r, now);
	else
		weigh(r, -1);
	s->state = SIM_SAMPLED_RESTS;
}

/* ---- what is said of it ---------------------------------------------------------------------- */

/* Instructions that no part stands for yet. */
static double tail(const struct sim_sampled_parts *s, double instructions)
{
	switch (s->state) {
	case SIM_SAMPLED_BEGINNING:
		return 0;
	case SIM_SAMPLED_RESTS:
		return instructions - (double)s->end;
	default: /* what is being counted stands for itself */
		return (double)s->on - (double)s->end;
	}
}

double sim_sampled_parts_tail(const struct sim_sampled_parts *s, double instructions)
{
	return s->last > 0 ? tail(s, instructions) / s->last : 0;
}

double sim_sampled_parts_half(
	const struct sim_sampled_parts *s, double instructions, enum sim_sampled_rate rate)
{
	const double times = instructions / (double)(s->end ? s->end : 1),
		     total = s->total[rate] * times;
	double half;

	if (!is_judged(s) || total <= 0)
		return -1;
	half = half_of(s, tail(s, instructions), rate) / total;
	if (rate != SIM_SAMPLED_LLC || half >= 1)
		return half;
	half += s->unseen * times / total;
	return half < 1 ? half : 1; /* no count is below 0 */
}

double sim_sampled_parts_say(
	const struct sim_sampled_parts *s, double instructions, char *text, size_t n)
{
	static const char *const name[SIM_SAMPLED_LOST] = {
		"L1 misses", "last-level misses", "page walks", "moved lines"};
	const double share = s->modelled / instructions;
	int at = snprintf(text, n,
		"%.0f %% of the instructions, the beginning and %" PRIu64 " part%s of the rest",
		100 * share, s->parts, s->parts == 1 ? "" : "s");

	if (!is_judged(s)) {
		snprintf(text + at, n - (size_t)at, ", too few to tell how precise");
		return share;
	}
	for (enum sim_sampled_rate k = 0; k < SIM_SAMPLED_LOST; k++) {
		const double half = sim_sampled_parts_half(s, instructions, k);

		if (half >= 0 && at >= 0 && (size_t)at < n)
			at += snprintf(text + at, n - (size_t)at, "; %s ±%.*f %%", name[k],
				half < 0.0995 ? 1 : 0, 100 * half);
	}
	return share;
}
