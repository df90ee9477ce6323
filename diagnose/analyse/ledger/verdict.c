#include "ledger/verdict.h"

#include <math.h>
#include <string.h>

static double gate_of(const struct sd_ledger *l)
{
	return SD_LEDGER_GATE * l->n;
}

double sd_verdict_surely_lost(const struct sd_ledger *l)
{
	double causes = 0;

	for (int k = 0; k < SD_CAUSE_COUNT; k++)
		if (!(l->of_others >> k & 1) && l->cause[k].lower >= gate_of(l))
			causes += l->cause[k].lower;
	return fmax(l->loss_lower, causes);
}

enum sd_scales sd_verdict_scales(const struct sd_ledger *l)
{
	const double most = (1 - SD_SCALES_FROM) * l->n;

	if (l->loss_upper < most)
		return SD_SCALES_YES;
	return sd_verdict_surely_lost(l) >= most ? SD_SCALES_NO : SD_SCALES_UNKNOWN;
}

int sd_verdict_lossless(const struct sd_ledger *l)
{
	return l->loss < gate_of(l) && l->loss_upper < 2 * gate_of(l);
}

int sd_verdict_lost_nothing(const struct sd_ledger *l)
{
	return sd_verdict_scales(l) == SD_SCALES_YES && l->loss < gate_of(l);
}

enum sd_verdict sd_verdict_of(const struct sd_ledger *l, enum sd_cause cause)
{
	const struct sd_bounds *const b = &l->cause[cause];

	if (b->upper < gate_of(l) || sd_verdict_lossless(l))
		return SD_VERDICT_RULED_OUT;
	if (b->lower >= gate_of(l))
		return b->intervened ? SD_VERDICT_CONFIRMED : SD_VERDICT_LIKELY;
	return b->spoken && !sd_verdict_lost_nothing(l) ? SD_VERDICT_POSSIBLE
							: SD_VERDICT_NOT_MEASURABLE;
}

/* In millionths of the cores: rounding puts no cause before another. */
static double rank(const struct sd_ledger *l, double cores)
{
	return round(1e6 * cores / l->n);
}

/* Is it surely there, and the program's own? What others took is gone on another day. */
static int is_surely_own(const struct sd_ledger *l, enum sd_cause cause)
{
	return cause != SD_CAUSE_NOISE && l->cause[cause].lower >= gate_of(l);
}

/* Is more of a surely there than of b? Else the middle of the bounds decides. */
static int is_surer(const struct sd_ledger *l, enum sd_cause a, enum sd_cause b)
{
	const struct sd_bounds *const x = &l->cause[a], *const y = &l->cause[b];
	const double lower = rank(l, x->lower) - rank(l, y->lower);
	const double middle = rank(l, x->lower + x->upper) - rank(l, y->lower + y->upper);
	const int own = is_surely_own(l, a) - is_surely_own(l, b);

	if (own)
		return own > 0;
	if (lower > 0 || lower < 0)
		return lower > 0;
	if (middle > 0 || middle < 0)
		return middle > 0;
	return a < b;
}

/* Cores that a cause stands by. Where too few are sure to matter, and something speaks for it and
 * says how much, its best estimate counts half: .02 of .13 cores that are sure come after .40 of
 * which nothing is. */
static double weight_of(const struct sd_ledger *l, enum sd_cause cause)
{
	const struct sd_bounds *const b = &l->cause[cause];

	return rank(l, !is_surely_own(l, cause) && b->spoken && b->sized ? b->lower + b->value / 2
									 : b->lower);
}

/* Is a before b, both the program's own? */
static int is_more(const struct sd_ledger *l, enum sd_cause a, enum sd_cause b)
{
	const double weight = weight_of(l, a) - weight_of(l, b);

	if (is_surely_own(l, a) != is_surely_own(l, b))
		return is_surely_own(l, a);
	return weight > 0 || weight < 0 ? weight > 0 : is_surer(l, a, b);
}

static int speaks_for(const struct sd_ledger *l, enum sd_cause cause)
{
	return l->cause[cause].spoken || l->cause[cause].lower > 0;
}

/* Noise stands behind all causes for which something speaks and of which more is sure. */
static int place_of_noise(const struct sd_ledger *l, const enum sd_cause *order, int n)
{
	int place = speaks_for(l, SD_CAUSE_NOISE) ? 0 : n;

	for (int i = place; i < n; i++)
		if (speaks_for(l, order[i]) && !is_surer(l, SD_CAUSE_NOISE, order[i]))
			place = i + 1;
	return place;
}

void sd_verdict_order(const struct sd_ledger *l, enum sd_cause order[SD_CAUSE_COUNT])
{
	int n = 0, place;

	for (int i = 0; i < SD_CAUSE_COUNT; i++) {
		int k = n;

		if (i == SD_CAUSE_NOISE)
			continue;
		for (n++; k > 0 && is_more(l, (enum sd_cause)i, order[k - 1]); k--)
			order[k] = order[k - 1];
		order[k] = (enum sd_cause)i;
	}
	place = place_of_noise(l, order, n);
	memmove(&order[place + 1], &order[place], (size_t)(n - place) * sizeof *order);
	order[place] = SD_CAUSE_NOISE;
}

static double gain(double cores, double n)
{
	return cores < n ? 1 / (1 - cores / n) : INFINITY;
}

/* Cores of the loss that are surely no other cause's. A fix also removes what the cause brought
 * about elsewhere: with a lock go the caches that were cold after each wait. */
static double left_by_others(const struct sd_ledger *l, enum sd_cause cause)
{
	double left = l->loss_most;

	for (int k = 0; k < SD_CAUSE_COUNT; k++)
		if (k != (int)cause)
			left -= l->cause[k].lower;
	return left;
}

/*
 * Losses that take as long whatever the pace: code that one thread runs, uneven shares, work done
 * twice. All others come more often when the program gets faster: who no longer waits for one lock
 * comes to the next the sooner, and moves more lines a second.
 */
static int is_of_the_work(int cause)
{
	return cause == SD_CAUSE_SERIAL_CODE || cause == SD_CAUSE_LOAD_IMBALANCE ||
	       cause == SD_CAUSE_EXTRA_WORK;
}

/*
 * So many times as fast when `cores` come free and what other causes have grows with the pace:
 * n t = n - cores - rest + rest / t, t the time that is left of 1.
 */
static double at_least(const struct sd_ledger *l, enum sd_cause cause)
{
	const double freed = l->cause[cause].lower;
	double rest = 0, work;

	for (int k = 0; k < SD_CAUSE_COUNT; k++)
		if (k != (int)cause && l->cause[k].sized && !is_of_the_work(k) &&
			!(l->of_others >> k & 1))
			rest += l->cause[k].value;
	/* causes that share what nobody told apart may have more than is lost besides */
	rest = fmax(0, fmin(rest, l->loss - fmax(freed, l->cause[cause].value)));
	work = l->n - freed - rest;
	return 2 * l->n / (work + sqrt(work * work + 4 * l->n * rest));
}

/* With its part of what nobody explains of the loss, in proportion to what causes have, and within
 * its bounds. What causes that nobody could size may have is not divided among the others. */
static double middle(const struct sd_ledger *l, const struct sd_bounds *b)
{
	double told = 0, open = 0;

	for (int k = 0; k < SD_CAUSE_COUNT; k++)
		if (l->cause[k].sized)
			told += l->cause[k].value;
		else if (l->cause[k].spoken)
			open = fmax(open, l->cause[k].upper);
	if (!b->sized || !(told > 0))
		return b->value;
	return fmin(b->upper, b->value * fmax(1, (l->loss - open) / told));
}

/* Far above the gain of a program without any loss runs that differ widely bound nothing. */
#define FAR 4

static double told(double gained, double all)
{
	return gained > FAR * all ? INFINITY : gained;
}

struct sd_interval sd_verdict_gain(const struct sd_ledger *l, enum sd_cause cause, double reference)
{
	const struct sd_bounds *const b = &l->cause[cause];
	const double upper = fmax(b->upper, left_by_others(l, cause)) + reference;
	const double all = gain(l->loss + reference, l->n);

	return (struct sd_interval){.value = told(gain(middle(l, b), l->n), all),
		.low = at_least(l, cause),
		.high = told(gain(upper, l->n), all),
		.status = SD_STATUS_OK};
}
