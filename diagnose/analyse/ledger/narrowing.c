#include "ledger/narrowing.h"

#include <math.h>

#include "ledger/verdict.h"

/* Does the program surely lose to this cause? The CPU time of others is no answer. */
static int is_answer(const struct sd_ledger *l, int cause)
{
	return !(l->of_others >> cause & 1) && l->cause[cause].lower >= SD_LEDGER_GATE * l->n;
}

/* The cause that surely has most, where that is as much as the gate; NULL: none has. */
static const struct sd_bounds *first(const struct sd_ledger *l)
{
	const struct sd_bounds *most = NULL;

	for (int k = 0; k < SD_CAUSE_COUNT; k++)
		if (is_answer(l, k) && (!most || l->cause[k].lower > most->lower))
			most = &l->cause[k];
	return most;
}

/* May a cause have more than is surely the first one's? */
static int may_be_first(const struct sd_ledger *l, enum sd_cause cause)
{
	const struct sd_bounds *const most = first(l);

	return !most || l->cause[cause].upper > most->lower;
}

/* A cause that may still be worth the gate, and be the first. */
static int matters(const struct sd_ledger *l, enum sd_cause cause)
{
	return !sd_verdict_lost_nothing(l) && l->cause[cause].upper >= SD_LEDGER_GATE * l->n &&
	       may_be_first(l, cause);
}

/*
 * Bounds w apart, and the truth as likely anywhere between them: a step that finds it to within
 * +- h moves one of them by (w - h)^2 / (2 w) on average, and by nothing when h is over w.
 */
static double expected(double width, double half)
{
	return half < width ? (width - half) * (width - half) / (2 * width) : 0;
}

static double moved(const struct sd_ledger *l, const struct sd_narrowing_step *s,
	const struct sd_narrowing_move *m)
{
	const struct sd_bounds *const b = &l->cause[m->cause];
	const int sides = !!(m->sides & SD_BOUND_LOWER) + !!(m->sides & SD_BOUND_UPPER);

	return matters(l, m->cause) ? sides * expected(b->upper - b->lower, s->half) : 0;
}

double sd_narrowing_expected(const struct sd_ledger *l, const struct sd_narrowing_step *s)
{
	double sum = 0;

	for (size_t i = 0; i < s->n_move; i++)
		sum += moved(l, s, &s->move[i]);
	return sum < SD_LEDGER_GATE * l->n / 2 ? 0 : sum;
}

/* Cores between what runs show of a cause and the end of their interval on one side. */
static double scatter_of(const struct sd_statement *s, const struct sd_interval *v, int high)
{
	if (!s || s->kind == SD_STATEMENT_INTERVENTION || !sd_status_bounded(*v))
		return 0;
	return fmax(0, high ? v->high - v->value : v->value - v->low);
}

double sd_narrowing_scatter(const struct sd_ledger *l, enum sd_cause *of)
{
	double sum = 0, most = 0;

	*of = SD_CAUSE_COUNT;
	for (int k = 0; k < SD_CAUSE_COUNT; k++) {
		const struct sd_bounds *const b = &l->cause[k];
		const struct sd_statement *const up = b->most, *const low = b->least;
		double s;

		if (l->of_others >> k & 1 || !matters(l, (enum sd_cause)k))
			continue;
		s = fmin(scatter_of(low, low ? &low->at_least : NULL, 0) +
				 scatter_of(up, up ? &up->at_most : NULL, 1),
			b->upper - b->lower);
		sum += s;
		if (s > most) {
			most = s;
			*of = (enum sd_cause)k;
		}
	}
	return sum;
}

enum sd_cause sd_narrowing_of(const struct sd_ledger *l, const struct sd_narrowing_step *s)
{
	enum sd_cause of = SD_CAUSE_COUNT;
	double most = 0;

	for (size_t i = 0; i < s->n_move; i++)
		if (moved(l, s, &s->move[i]) > most) {
			most = moved(l, s, &s->move[i]);
			of = s->move[i].cause;
		}
	return of;
}

/* Does the first cause have more than half of the loss by the best estimates? So it stays the
 * first, however much more or less of everything runs that scatter allow: its bounds and those of
 * the other causes in the same time grow and shrink with that time together. */
static int is_most_of_it(const struct sd_ledger *l, const struct sd_bounds *first)
{
	return first && first->sized && first->value > l->loss / 2;
}

/* Have causes that are likely or confirmed surely more than half of what may be lost, has the first
 * of them most of what is lost in all likelihood, or can no other become the first? So when the
 * program scales, too. */
static int is_decided(const struct sd_ledger *l)
{
	const struct sd_bounds *const most = first(l);
	double told = 0;
	int others = 0; /* that may be the first */

	if (sd_verdict_lost_nothing(l) || is_most_of_it(l, most))
		return 1;
	for (int k = 0; k < SD_CAUSE_COUNT; k++) {
		if (is_answer(l, k))
			told += l->cause[k].lower;
		others += &l->cause[k] != most && may_be_first(l, (enum sd_cause)k);
	}
	return told > l->loss_upper / 2 || (most && !others);
}

enum sd_narrowing_end sd_narrowing_next(const struct sd_ledger *l,
	const struct sd_narrowing_step *step, size_t n, double budget, size_t *next)
{
	double best = 0;
	int any = 0;

	if (is_decided(l))
		return SD_NARROWING_DECIDED;
	for (size_t i = 0; i < n; i++) {
		const double a_second = sd_narrowing_expected(l, &step[i]) / step[i].seconds;

		any |= a_second > 0;
		if (a_second > best && step[i].seconds <= budget) {
			best = a_second;
			*next = i;
		}
	}
	if (best > 0)
		return SD_NARROWING_GO_ON;
	return any ? SD_NARROWING_BUDGET : SD_NARROWING_NOTHING;
}
