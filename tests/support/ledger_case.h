/*
 * Cases of the ledger from a seed: what each cause truly takes, the stack and the statements as a
 * disturbed machine would show them, some of them wrong where that is asked for. Include after
 * cmocka.h.
 */
#ifndef LEDGER_CASE_H
#define LEDGER_CASE_H

#include <math.h>
#include <stdint.h>
#include <string.h>

#include "ledger/ledger.h"

#define LEDGER_CASE_STATEMENTS 48

struct ledger_case {
	uint64_t random;
	double truth[SD_CAUSE_COUNT];
	struct sd_interval component[SD_COMPONENT_COUNT];
	struct sd_ledger_row row[SD_CAUSE_COUNT];
	struct sd_statement statement[LEDGER_CASE_STATEMENTS];
	struct sd_disturbance_facts facts;
	struct sd_disturbance disturbance[SD_DISTURBANCE_COUNT];
	struct sd_ledger_case c;
};

/* splitmix64 (Steele, Lea, Flood 2014) */
static inline uint64_t ledger_case_next(struct ledger_case *k)
{
	uint64_t z = k->random += 0x9e3779b97f4a7c15;

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
	z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
	return z ^ (z >> 31);
}

static inline double ledger_case_between(struct ledger_case *k, double low, double high)
{
	return low + (high - low) * (double)(ledger_case_next(k) >> 11) * 0x1p-53;
}

static inline unsigned ledger_case_below(struct ledger_case *k, unsigned n)
{
	return (unsigned)(ledger_case_next(k) % n);
}

/* Student's t, .975, of runs - 1 degrees of freedom; rounded. */
static inline double ledger_case_student(unsigned runs)
{
	static const double t[] = {0, 0, 12.71, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306,
		2.262, 2.228, 2.201, 2.179, 2.16, 2.145, 2.131, 2.12, 2.11, 2.101, 2.093};

	return runs < sizeof t / sizeof *t ? t[runs] : 2;
}

static inline void ledger_case_disturb(struct ledger_case *k)
{
	sd_disturbance_make(&k->facts, k->disturbance);
}

static inline void ledger_case_facts(struct ledger_case *k, double n)
{
	struct sd_disturbance_facts *const f = &k->facts;
	const double calm = ledger_case_below(k, 3) ? .01 : .15;

	*f = (struct sd_disturbance_facts){.n = n,
		.efficiency = ledger_case_between(k, .1, 1),
		.runs = 2 + ledger_case_below(k, 19),
		.drift_noise = .01};
	f->student = ledger_case_student(f->runs);
#define SOMETIMES(field, v)          \
	if (ledger_case_below(k, 4)) \
	(field) = SD_OK(v)
	SOMETIMES(f->others, ledger_case_between(k, 0, calm * n));
	SOMETIMES(f->stolen, ledger_case_between(k, 0, calm * n / 4));
	SOMETIMES(f->queue, ledger_case_between(k, 0, calm * n));
	SOMETIMES(f->throttled, ledger_case_between(k, 0, calm / 4));
	SOMETIMES(f->user, f->efficiency * n);
	SOMETIMES(f->width_ref, ledger_case_between(k, 3 * (1 - calm), 3));
	SOMETIMES(f->width, ledger_case_between(k, 3 * (1 - calm), 3));
	SOMETIMES(f->width_least, f->width.value * ledger_case_between(k, 1 - calm, 1));
	SOMETIMES(f->drift, ledger_case_between(k, -calm, calm));
	SOMETIMES(f->wall, 1);
	SOMETIMES(f->period, calm / 50);
#undef SOMETIMES
	if (ledger_case_below(k, 2))
		f->unaccounted = (struct sd_interval){0, -calm / 20, calm * n / 5, SD_STATUS_OK};
	ledger_case_disturb(k);
}

/* The cores seen of those truly there, where these disturbed it. */
static inline double ledger_case_seen(struct ledger_case *k, double cores, unsigned by)
{
	double added = 0, removed = 0, times = 1;

	for (int i = 0; i < SD_DISTURBANCE_COUNT; i++) {
		const struct sd_disturbance *const d = &k->disturbance[i];

		if (!(by >> i & 1))
			continue;
		added += d->added;
		removed += d->removed;
		times *= isfinite(d->times) ? d->times : 1;
	}
	return fmax(0, cores / ledger_case_between(k, 1, times) + ledger_case_between(k, 0, added) -
			       ledger_case_between(k, 0, removed));
}

/* An interval with `v` in it, its value anywhere. */
static inline struct sd_interval ledger_case_around(struct ledger_case *k, double v, double width)
{
	const double low = v - ledger_case_between(k, 0, width),
		     high = v + ledger_case_between(k, 0, width);

	return (struct sd_interval){ledger_case_between(k, low, high), low, high, SD_STATUS_OK};
}

static inline void ledger_case_stack(struct ledger_case *k, double n)
{
	static const enum sd_component in[] = {SD_COMPONENT_GROWTH, SD_COMPONENT_INSTRUCTIONS,
		SD_COMPONENT_CPI_OTHER, SD_COMPONENT_SYSTEM, SD_COMPONENT_LOCK,
		SD_COMPONENT_IMBALANCE, SD_COMPONENT_SERIAL, SD_COMPONENT_RUN_QUEUE,
		SD_COMPONENT_SPINNING, SD_COMPONENT_MPI};
	enum { IN = sizeof in / sizeof *in };
	double cores[SD_COMPONENT_COUNT] = {0}, left = ledger_case_between(k, 0, .9 * n);

	for (int i = 0; i < SD_CAUSE_COUNT; i++) {
		const enum sd_component mine[2] = {
			in[ledger_case_below(k, IN)], in[ledger_case_below(k, IN)]};
		double part = ledger_case_between(k, 0, 1);

		k->row[i].components = 1ul << mine[0] | 1ul << mine[1];
		k->row[i].mechanism = 1u << ledger_case_below(k, SD_SEES_INDEX_COUNT) |
				      1u << ledger_case_below(k, SD_SEES_INDEX_COUNT);
		k->truth[i] = ledger_case_below(k, 3) ? 0 : ledger_case_between(k, 0, left);
		left -= k->truth[i];
		cores[mine[0]] += part * k->truth[i];
		cores[mine[1]] += (1 - part) * k->truth[i];
	}
	for (int i = 0; i < IN; i++) {
		/* what disturbances took away is less than all of it in each */
		const double seen = ledger_case_seen(k, cores[in[i]],
			sd_disturbance_of[in[i]] & ~SD_DISTURBANCE_BIT(OTHERS_APART));

		k->component[in[i]] = ledger_case_around(k, fmax(seen, cores[in[i]]), .02 * n);
	}
	double loss = 0;

	for (int i = 0; i < SD_CAUSE_COUNT; i++)
		loss += k->truth[i];
	k->c.loss[0].disturbed_by = SD_DISTURBANCE_OF_LOSS;
	k->c.loss[0].cores =
		ledger_case_around(k, ledger_case_seen(k, loss, SD_DISTURBANCE_OF_LOSS), .02 * n);
}

static inline struct sd_statement ledger_case_statement(struct ledger_case *k, int wrong)
{
	const double n = k->c.n;
	struct sd_statement s = {.cause = (enum sd_cause)ledger_case_below(k, SD_CAUSE_COUNT),
		.kind = (enum sd_statement_kind)ledger_case_below(k, 3),
		.sees = SD_SEES_WHOLE,
		.id = "generated"};
	const double truth = wrong ? ledger_case_between(k, 0, n) : k->truth[s.cause];
	double seen;

	for (int i = 0; i < SD_COMPONENT_COUNT; i++)
		if (k->row[s.cause].components >> i & 1)
			s.disturbed_by |= sd_disturbance_of[i];
	seen = ledger_case_seen(k, truth, s.disturbed_by);
	if (ledger_case_below(k, 2)) {
		s.at_least = ledger_case_around(k, seen, .05 * n);
		if (!ledger_case_below(k, 3)) { /* only a part of it */
			const double part = ledger_case_between(k, 0, 1);

			s.at_least.value *= part;
			s.at_least.low *= part;
			s.at_least.high *= part;
		}
	}
	if (ledger_case_below(k, 2))
		s.at_most = ledger_case_around(k, seen, .05 * n);
	if (!ledger_case_below(k, 3)) { /* sees a part, and says what it pleases of the rest */
		s.sees.mechanism &= ~k->row[s.cause].mechanism;
		s.at_most = ledger_case_around(k, 0, .01);
	}
	return s;
}

/* `wrong`: one statement in so many is; 0: none. */
static inline void ledger_case_make(struct ledger_case *k, uint64_t seed, unsigned wrong)
{
	*k = (struct ledger_case){.random = seed};
	k->c = (struct sd_ledger_case){.n = (double)(2u << ledger_case_below(k, 6)),
		.component = k->component,
		.row = k->row,
		.statement = k->statement,
		.n_statement = ledger_case_below(k, LEDGER_CASE_STATEMENTS / 2),
		.disturbance = k->disturbance};
	ledger_case_facts(k, k->c.n);
	ledger_case_stack(k, k->c.n);
	for (size_t i = 0; i < k->c.n_statement; i++)
		k->statement[i] = ledger_case_statement(k, wrong && !ledger_case_below(k, wrong));
}

static inline int ledger_case_disagrees(const struct sd_ledger *l)
{
	for (int i = 0; i < SD_CAUSE_COUNT; i++)
		if (l->cause[i].disagree)
			return 1;
	return 0;
}

/* Share of the cores: a smaller difference is rounding. */
#define LEDGER_CASE_ROUNDING 1e-9

static inline struct sd_ledger ledger_case_ledger(const struct ledger_case *k)
{
	struct sd_ledger l;

	sd_ledger_make(&k->c, &l);
	return l;
}

static inline void ledger_case_hold(int true_of_it, uint64_t seed, const char *what)
{
	if (!true_of_it)
		fail_msg("seed %llu: %s", (unsigned long long)seed, what);
}

static inline int ledger_case_no_wider(const struct sd_ledger *now, const struct sd_ledger *before)
{
	for (int i = 0; i < SD_CAUSE_COUNT; i++)
		if (now->cause[i].lower < before->cause[i].lower - LEDGER_CASE_ROUNDING * now->n ||
			now->cause[i].upper >
				before->cause[i].upper + LEDGER_CASE_ROUNDING * now->n)
			return 0;
	return 1;
}

static inline int ledger_case_same(const struct sd_ledger *a, const struct sd_ledger *b)
{
	return ledger_case_no_wider(a, b) && ledger_case_no_wider(b, a);
}

#endif
