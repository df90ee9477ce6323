/*
 * Changes to a ledger that change no result, over thousands of generated ones: other orders, units
 * and names, and runs that are copies. Each test names the seed of a case that breaks it.
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
		k.c.loss[0].cores.value *= by;
		k.c.loss[0].cores.low *= by;
		k.c.loss[0].cores.high *= by;
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_order_of_the_sources_changes_nothing),
		cmocka_unit_test(scaling_scales_nothing),
		cmocka_unit_test(relabelled_causes_have_the_same_bounds),
		cmocka_unit_test(copies_of_the_runs_never_loosen_a_verdict),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
