/*
 * Properties of every ledger, over thousands of generated ones: each test names the seed of a case
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
#define ROUNDING LEDGER_CASE_ROUNDING
#define ledger_of ledger_case_ledger
#define hold ledger_case_hold
#define no_wider ledger_case_no_wider
#define same ledger_case_same

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
	assert_true(bounded > 500); /* else the cases say nothing */
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

/* If two contradict each other, the bounds are no wider than with either alone left out, but for
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
		cmocka_unit_test(lowers_sum_to_no_more_than_the_loss),
		cmocka_unit_test(one_run_never_scales_nor_says_more_than_possible),
		cmocka_unit_test(a_machine_disturbed_more_widens_and_names_no_other_cause),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
