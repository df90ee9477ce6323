/*
 * What holds of every ledger, over thousands of generated ones: each test names the seed of a case
 * that breaks it.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "support/ledger_case.h"
#include "ledger/verdict.h"

#define CASES 2500
#define ROUNDING 1e-9 /* of the cores */

static struct sd_ledger ledger_of(const struct ledger_case *k)
{
	struct sd_ledger l;

	sd_ledger_make(&k->c, &l);
	return l;
}

static void hold(int true_of_it, uint64_t seed, const char *what)
{
	if (!true_of_it)
		fail_msg("seed %llu: %s", (unsigned long long)seed, what);
}

static int no_wider(const struct sd_ledger *now, const struct sd_ledger *before)
{
	for (int i = 0; i < SD_CAUSE_COUNT; i++)
		if (now->cause[i].lower < before->cause[i].lower - ROUNDING * now->n ||
			now->cause[i].upper > before->cause[i].upper + ROUNDING * now->n)
			return 0;
	return 1;
}

static int same(const struct sd_ledger *a, const struct sd_ledger *b)
{
	return no_wider(a, b) && no_wider(b, a);
}

/* With statements that hold what is true, so do the bounds; and nothing disagrees. */
static void true_statements_bound_the_truth(void **state)
{
	size_t bounded = 0;

	(void)state;
	for (uint64_t seed = 1; seed <= CASES; seed++) {
		struct ledger_case k;
		struct sd_ledger l;

		ledger_case_make(&k, seed, 0);
		l = ledger_of(&k);
		for (int i = 0; i < SD_CAUSE_COUNT; i++) {
			const struct sd_bounds *const b = &l.cause[i];

			hold(b->lower <= k.truth[i] + ROUNDING * l.n, seed,
				"lower is over the truth");
			hold(b->upper >= k.truth[i] - ROUNDING * l.n, seed,
				"upper is below the truth");
			bounded += b->lower > 0 && b->upper < l.n;
		}
		hold(!ledger_case_disagrees(&l), seed, "true statements disagree");
	}
	assert_true(bounded > CASES / 4); /* else the generator says nothing of two-sided bounds */
}

static void bounds_are_in_order_and_within_the_cores(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= CASES; seed++) {
		struct ledger_case k;
		struct sd_ledger l;

		ledger_case_make(&k, seed, 4);
		l = ledger_of(&k);
		for (int i = 0; i < SD_CAUSE_COUNT; i++)
			hold(l.cause[i].lower >= 0 && l.cause[i].lower <= l.cause[i].upper &&
					l.cause[i].upper <= l.n,
				seed, "not 0 <= lower <= upper <= n");
	}
}

static void a_statement_added_never_widens_a_bound(void **state)
{
	size_t seen = 0, narrowed = 0;

	(void)state;
	for (uint64_t seed = 1; seed <= 2 * CASES; seed++) {
		struct ledger_case k;
		struct sd_ledger before, after;

		ledger_case_make(&k, seed, seed % 2 ? 0 : 6);
		before = ledger_of(&k);
		k.statement[k.c.n_statement++] = ledger_case_statement(&k, seed % 7 == 0);
		after = ledger_of(&k);
		if (ledger_case_disagrees(&after)) /* what contradicts is kept: see below */
			continue;
		hold(no_wider(&after, &before), seed, "a bound got wider");
		seen++;
		narrowed += !same(&after, &before);
	}
	assert_true(seen >= CASES && narrowed > CASES / 5);
}

/* Where two contradict each other, the bounds are no wider than with either alone left out, but for
 * those of the cause itself, which hold both. */
static void what_contradicts_is_said_and_both_are_kept(void **state)
{
	size_t seen = 0;

	(void)state;
	for (uint64_t seed = 1; seed <= CASES; seed++) {
		struct ledger_case k;
		struct sd_ledger l;
		const struct sd_statement *s;
		enum sd_cause cause;

		ledger_case_make(&k, seed, 0);
		cause = (enum sd_cause)ledger_case_below(&k, SD_CAUSE_COUNT);
		k.facts.runs = 20;
		ledger_case_disturb(&k);
		s = &k.statement[k.c.n_statement];
		k.statement[k.c.n_statement++] = (struct sd_statement){.cause = cause,
			.at_least = {.8 * k.c.n, .8 * k.c.n, .8 * k.c.n, SD_STATUS_OK},
			.sees = SD_SEES_WHOLE,
			.id = "most"};
		k.statement[k.c.n_statement++] = (struct sd_statement){.cause = cause,
			.at_most = {.01 * k.c.n, .01 * k.c.n, .01 * k.c.n, SD_STATUS_OK},
			.sees = SD_SEES_WHOLE,
			.id = "little"};
		l = ledger_of(&k);
		hold(l.cause[cause].disagree, seed, "not said");
		hold(l.cause[cause].least == s, seed, "who says at least is not named");
		hold(l.cause[cause].lower <= .01 * l.n + ROUNDING * l.n, seed, "one was not kept");
		hold(sd_verdict_of(&l, cause) != SD_VERDICT_LIKELY, seed, "a side was taken");
		seen++;
	}
	assert_int_equal(seen, CASES);
}

static void a_blind_source_changes_nothing(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= CASES; seed++) {
		struct ledger_case k;
		struct sd_ledger before, after;
		struct sd_statement blind;

		ledger_case_make(&k, seed, 4);
		before = ledger_of(&k);
		/* silent: it says zero, and does not see what there would be to see */
		blind = (struct sd_statement){
			.cause = (enum sd_cause)ledger_case_below(&k, SD_CAUSE_COUNT),
			.kind = SD_STATEMENT_OBSERVATION,
			.at_least = {0, 0, 0, SD_STATUS_OK},
			.at_most = {0, 0, 0, SD_STATUS_OK},
			.sees = SD_SEES_WHOLE};
		switch (seed % 4) {
		case 0:
			blind.sees.mechanism &= ~k.row[blind.cause].mechanism;
			break;
		case 1:
			blind.sees.run = .99;
			break;
		case 2:
			blind.sees.threads = .5;
			break;
		default: /* it bounds neither side */
			blind.at_least = blind.at_most = SD_STATEMENT_OPEN;
			break;
		}
		k.statement[k.c.n_statement++] = blind;
		after = ledger_of(&k);
		hold(same(&before, &after), seed, "a bound moved");
		for (int i = 0; i < SD_CAUSE_COUNT; i++)
			hold(sd_verdict_of(&before, (enum sd_cause)i) ==
					sd_verdict_of(&after, (enum sd_cause)i),
				seed, "a verdict moved");
	}
}

static void the_order_of_the_sources_changes_nothing(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= CASES; seed++) {
		struct ledger_case k;
		struct sd_ledger before, after;

		ledger_case_make(&k, seed, 4);
		before = ledger_of(&k);
		for (unsigned i = (unsigned)k.c.n_statement; i > 1; i--) {
			const unsigned j = ledger_case_below(&k, i);
			const struct sd_statement s = k.statement[i - 1];

			k.statement[i - 1] = k.statement[j];
			k.statement[j] = s;
		}
		after = ledger_of(&k);
		hold(same(&before, &after), seed, "a bound moved");
	}
}

/* All that the stack may hold, with what disturbances can have taken away from it. */
static double may_hold(const struct ledger_case *k)
{
	double sum = 0, times = 1;

	for (int i = 0; i < SD_DISTURBANCE_COUNT; i++) {
		sum += k->disturbance[i].removed;
		times *= k->disturbance[i].times;
	}
	for (int i = 0; i < SD_COMPONENT_COUNT; i++) {
		const struct sd_interval v = k->component[i];

		if (v.status == SD_STATUS_OK)
			sum += fmax(0,
				v.value + (v.high - v.value) *
						  k->disturbance[SD_DISTURBANCE_FEW_RUNS].spread);
	}
	return sum * times;
}

static void lowers_sum_to_no_more_than_the_loss(void **state)
{
	size_t tight = 0;

	(void)state;
	for (uint64_t seed = 1; seed <= CASES; seed++) {
		struct ledger_case k;
		struct sd_ledger l;
		double sum = 0;

		ledger_case_make(&k, seed, 3);
		l = ledger_of(&k);
		for (int i = 0; i < SD_CAUSE_COUNT; i++)
			sum += l.cause[i].lower;
		hold(sum <= may_hold(&k) * (1 + ROUNDING) + ROUNDING * l.n, seed,
			"more is sure than was lost");
		tight += sum > may_hold(&k) / 2;
	}
	assert_true(tight > 20);
}

/* Times and amounts in other units, on as many times the cores: the same shares. */
static void scaling_scales_nothing(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= CASES; seed++) {
		struct ledger_case k, twice;
		struct sd_disturbance other[SD_DISTURBANCE_COUNT];
		struct sd_ledger l, m;
		const double by = seed % 2 ? 8 : .25;

		ledger_case_make(&k, seed, 4);
		l = ledger_of(&k);
		/* seconds by seconds: what is a share of a run stays it */
		twice = k;
		twice.facts.wall.value *= by;
		twice.facts.period.value *= by;
		sd_disturbance_make(&twice.facts, other);
		hold(memcmp(other, k.disturbance, sizeof other) == 0, seed,
			"a time in other units disturbs otherwise");
		for (int i = 0; i < SD_COMPONENT_COUNT; i++) {
			k.component[i].value *= by;
			k.component[i].low *= by;
			k.component[i].high *= by;
		}
		for (size_t i = 0; i < k.c.n_statement; i++) {
			struct sd_interval *const v[] = {
				&k.statement[i].at_least, &k.statement[i].at_most};

			for (int j = 0; j < 2; j++) {
				v[j]->value *= by;
				v[j]->low *= by;
				v[j]->high *= by;
			}
		}
		for (int i = 0; i < SD_DISTURBANCE_COUNT; i++) {
			k.disturbance[i].added *= by;
			k.disturbance[i].removed *= by;
		}
		k.c.loss.value *= by;
		k.c.loss.low *= by;
		k.c.loss.high *= by;
		k.c.n *= by;
		m = ledger_of(&k);
		for (int i = 0; i < SD_CAUSE_COUNT; i++) {
			hold(fabs(m.cause[i].lower / by - l.cause[i].lower) <= ROUNDING * l.n, seed,
				"lower is not in proportion");
			hold(fabs(m.cause[i].upper / by - l.cause[i].upper) <= ROUNDING * l.n, seed,
				"upper is not in proportion");
			hold(sd_verdict_of(&m, (enum sd_cause)i) ==
					sd_verdict_of(&l, (enum sd_cause)i),
				seed, "another verdict");
		}
		hold(sd_verdict_scales(&m) == sd_verdict_scales(&l), seed, "another answer");
	}
}

static void relabelled_causes_have_the_same_bounds(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= CASES; seed++) {
		struct ledger_case k, other;
		struct sd_ledger l, m;
		unsigned to[SD_CAUSE_COUNT];

		ledger_case_make(&k, seed, 4);
		for (unsigned i = 0; i < SD_CAUSE_COUNT; i++)
			to[i] = i;
		for (unsigned i = SD_CAUSE_COUNT; i > 1; i--) {
			const unsigned j = ledger_case_below(&k, i), was = to[i - 1];

			to[i - 1] = to[j];
			to[j] = was;
		}
		other = k;
		other.c.row = other.row;
		other.c.statement = other.statement;
		for (int i = 0; i < SD_CAUSE_COUNT; i++)
			other.row[to[i]] = k.row[i];
		for (size_t i = 0; i < k.c.n_statement; i++)
			other.statement[i].cause = (enum sd_cause)to[k.statement[i].cause];
		l = ledger_of(&k);
		m = ledger_of(&other);
		for (int i = 0; i < SD_CAUSE_COUNT; i++) {
			const struct sd_bounds *const a = &l.cause[i], *const b = &m.cause[to[i]];

			hold(fabs(a->lower - b->lower) <= ROUNDING * l.n &&
					fabs(a->upper - b->upper) <= ROUNDING * l.n,
				seed, "a bound moved");
			hold(sd_verdict_of(&l, (enum sd_cause)i) ==
					sd_verdict_of(&m, (enum sd_cause)to[i]),
				seed, "a verdict moved");
		}
	}
}

static void one_run_never_scales_nor_says_more_than_possible(void **state)
{
	size_t said_more = 0;

	(void)state;
	for (uint64_t seed = 1; seed <= CASES; seed++) {
		struct ledger_case k;
		struct sd_ledger l;

		ledger_case_make(&k, seed, 4);
		k.facts.runs = 20;
		ledger_case_disturb(&k);
		l = ledger_of(&k);
		for (int i = 0; i < SD_CAUSE_COUNT; i++)
			said_more += sd_verdict_of(&l, (enum sd_cause)i) <= SD_VERDICT_LIKELY;
		k.facts.runs = 1;
		k.facts.student = NAN;
		ledger_case_disturb(&k);
		l = ledger_of(&k);
		hold(sd_verdict_scales(&l) == SD_SCALES_UNKNOWN, seed, "one run tells of scaling");
		for (int i = 0; i < SD_CAUSE_COUNT; i++) {
			const enum sd_verdict v = sd_verdict_of(&l, (enum sd_cause)i);

			hold(v == SD_VERDICT_POSSIBLE || v == SD_VERDICT_NOT_MEASURABLE, seed,
				"one run decides");
		}
	}
	assert_true(said_more > CASES / 10);
}

/* Each run as often again: the same intervals, or narrower ones, of more runs. */
static void copies_of_the_runs_never_loosen_a_verdict(void **state)
{
	size_t seen = 0;

	(void)state;
	for (uint64_t seed = 1; seed <= CASES + CASES / 2; seed++) {
		struct ledger_case k;
		struct sd_ledger before, after;
		const size_t n_copies = 1 + seed % 2;
		size_t n;

		ledger_case_make(&k, seed, seed % 2 ? 0 : 8);
		before = ledger_of(&k);
		n = k.c.n_statement;
		for (size_t i = 0; i < n && k.c.n_statement < LEDGER_CASE_STATEMENTS; i++)
			k.statement[k.c.n_statement++] = k.statement[i];
		k.facts.runs *= (unsigned)(1 + n_copies);
		k.facts.student = ledger_case_student(k.facts.runs);
		ledger_case_disturb(&k);
		after = ledger_of(&k);
		if (ledger_case_disagrees(&after))
			continue;
		hold(no_wider(&after, &before), seed, "a bound got wider");
		for (int i = 0; i < SD_CAUSE_COUNT; i++) {
			const enum sd_verdict a = sd_verdict_of(&before, (enum sd_cause)i),
					      b = sd_verdict_of(&after, (enum sd_cause)i);

			hold(a > SD_VERDICT_LIKELY || b <= a || b == SD_VERDICT_RULED_OUT, seed,
				"a verdict is weaker");
			hold(a != SD_VERDICT_RULED_OUT || b == SD_VERDICT_RULED_OUT, seed,
				"what was ruled out is not");
		}
		seen++;
	}
	assert_true(seen >= CASES);
}

static void a_machine_disturbed_more_widens_and_names_no_other_cause(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= CASES; seed++) {
		struct ledger_case k;
		struct sd_ledger calm, busy;

		ledger_case_make(&k, seed, 0);
		calm = ledger_of(&k);
		for (int i = 0; i < SD_DISTURBANCE_COUNT; i++) {
			k.disturbance[i].added *= 1.5;
			k.disturbance[i].removed *= 1.5;
			k.disturbance[i].times *= 1.1;
			k.disturbance[i].spread *= 1.2;
		}
		busy = ledger_of(&k);
		hold(no_wider(&calm, &busy), seed, "a bound got narrower");
		for (int i = 0; i < SD_CAUSE_COUNT; i++)
			hold(sd_verdict_of(&busy, (enum sd_cause)i) > SD_VERDICT_LIKELY ||
					sd_verdict_of(&calm, (enum sd_cause)i) <=
						SD_VERDICT_LIKELY ||
					sd_verdict_scales(&calm) == SD_SCALES_YES,
				seed, "a disturbance names a cause");
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(true_statements_bound_the_truth),
		cmocka_unit_test(bounds_are_in_order_and_within_the_cores),
		cmocka_unit_test(a_statement_added_never_widens_a_bound),
		cmocka_unit_test(what_contradicts_is_said_and_both_are_kept),
		cmocka_unit_test(a_blind_source_changes_nothing),
		cmocka_unit_test(the_order_of_the_sources_changes_nothing),
		cmocka_unit_test(lowers_sum_to_no_more_than_the_loss),
		cmocka_unit_test(scaling_scales_nothing),
		cmocka_unit_test(relabelled_causes_have_the_same_bounds),
		cmocka_unit_test(one_run_never_scales_nor_says_more_than_possible),
		cmocka_unit_test(copies_of_the_runs_never_loosen_a_verdict),
		cmocka_unit_test(a_machine_disturbed_more_widens_and_names_no_other_cause),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
