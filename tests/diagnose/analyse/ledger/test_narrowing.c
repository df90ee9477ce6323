/*
 * Which experiment comes next, by what it is expected to narrow for each second.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include "support/near.h"

#include "ledger/narrowing.h"

#define N 4.

/* Nothing is known of two causes but that the loss is there. */
static struct sd_ledger open_ledger(void)
{
	struct sd_ledger l = {.n = N, .loss_lower = 2, .loss_upper = 2.4, .loss = 2.2};

	l.cause[SD_CAUSE_FALSE_SHARING].upper = 2.4;
	l.cause[SD_CAUSE_DTLB].upper = .4;
	return l;
}

static const struct sd_narrowing_move sharing[] = {
	{SD_CAUSE_FALSE_SHARING, SD_BOUND_LOWER | SD_BOUND_UPPER}};
static const struct sd_narrowing_move pages[] = {{SD_CAUSE_DTLB, SD_BOUND_LOWER | SD_BOUND_UPPER}};
static const struct sd_narrowing_move disk[] = {{SD_CAUSE_DISK, SD_BOUND_UPPER}};

/* Averages over truths that are as likely anywhere between the bounds. */
static void the_narrowing_that_is_expected_is_the_mean_of_all_truths(void **state)
{
	static const double halves[] = {0, .1, .5, 1, 1.5, 1.9, 2, 3};
	struct sd_ledger l = open_ledger();

	(void)state;
	l.cause[SD_CAUSE_DTLB] = (struct sd_bounds){.lower = .5, .upper = 2.5};
	for (size_t i = 0; i < sizeof halves / sizeof *halves; i++) {
		const struct sd_narrowing_step s = {1, halves[i], pages, 1};
		double mean = 0;

		for (int k = 0; k < 20000; k++) {
			const double x = .5 + 2 * (k + .5) / 20000;

			mean += (2 - (fmin(2.5, x + halves[i]) - fmax(.5, x - halves[i]))) / 20000;
		}
		/* less than half a gate changes no verdict */
		if (mean < SD_LEDGER_GATE * N / 2)
			mean = 0;
		assert_near(sd_narrowing_expected(&l, &s), mean, 1e-6);
	}
}

/* The scatter of runs, of causes that matter: more of them narrow that, and not what a changed run
 * showed. */
static void the_scatter_of_runs_is_of_causes_that_matter(void **state)
{
	struct sd_statement seen = {.kind = SD_STATEMENT_OBSERVATION,
		.at_least = {.value = 1, .low = .4, .high = 1.6, .status = SD_STATUS_OK},
		.at_most = {.value = 1.5, .low = 1, .high = 1.8, .status = SD_STATUS_OK}};
	struct sd_ledger l = open_ledger();
	enum sd_cause of;

	(void)state;
	assert_near(sd_narrowing_scatter(&l, &of), 0, 1e-9);
	assert_int_equal(of, SD_CAUSE_COUNT);
	l.cause[SD_CAUSE_FALSE_SHARING].least = l.cause[SD_CAUSE_FALSE_SHARING].most = &seen;
	assert_near(sd_narrowing_scatter(&l, &of), .6 + .3, 1e-9);
	assert_int_equal(of, SD_CAUSE_FALSE_SHARING);
	seen.kind = SD_STATEMENT_INTERVENTION;
	assert_near(sd_narrowing_scatter(&l, &of), 0, 1e-9);
	seen.kind = SD_STATEMENT_OBSERVATION;
	l.of_others = 1ul << SD_CAUSE_FALSE_SHARING;
	assert_near(sd_narrowing_scatter(&l, &of), 0, 1e-9);
	l.of_others = 0;
	l.cause[SD_CAUSE_FALSE_SHARING].upper = .5 * SD_LEDGER_GATE * N;
	assert_near(sd_narrowing_scatter(&l, &of), 0, 1e-9);
}

static void what_narrows_most_for_each_second_comes_first(void **state)
{
	const struct sd_ledger l = open_ledger();
	struct sd_narrowing_step step[] = {
		{2, .1, pages, 1}, {4, .1, sharing, 1}, {.1, .1, disk, 1}};
	size_t next = 99;

	(void)state;
	assert_int_equal(sd_narrowing_next(&l, step, 3, 60, &next), SD_NARROWING_GO_ON);
	assert_int_equal(next, 1);
	/* so much slower that the lesser answer comes sooner */
	step[1].seconds = 400;
	assert_int_equal(sd_narrowing_next(&l, step, 3, 600, &next), SD_NARROWING_GO_ON);
	assert_int_equal(next, 0);
	/* or does not fit */
	step[1].seconds = 4;
	assert_int_equal(sd_narrowing_next(&l, step, 3, 3, &next), SD_NARROWING_GO_ON);
	assert_int_equal(next, 0);
}

static void it_ends_when_nothing_can_narrow_or_nothing_fits(void **state)
{
	const struct sd_ledger l = open_ledger();
	const struct sd_narrowing_step coarse[] = {{1, 3, sharing, 1}, {1, .1, disk, 1}};
	const struct sd_narrowing_step slow[] = {{100, .1, sharing, 1}};
	size_t next;

	(void)state;
	assert_int_equal(sd_narrowing_next(&l, coarse, 2, 60, &next), SD_NARROWING_NOTHING);
	assert_int_equal(sd_narrowing_next(&l, slow, 1, 60, &next), SD_NARROWING_BUDGET);
	assert_int_equal(sd_narrowing_next(&l, slow, 0, 60, &next), SD_NARROWING_NOTHING);
}

static void it_ends_when_most_of_the_loss_has_its_cause(void **state)
{
	const struct sd_narrowing_step step[] = {{1, .1, sharing, 1}};
	struct sd_ledger l = open_ledger();
	size_t next;

	(void)state;
	l.cause[SD_CAUSE_FALSE_SHARING].lower = 1.1;
	l.cause[SD_CAUSE_LOCK_CONTENTION].upper = 1.2; /* which may still be more */
	assert_int_equal(sd_narrowing_next(&l, step, 1, 60, &next), SD_NARROWING_GO_ON);
	l.cause[SD_CAUSE_FALSE_SHARING].lower = 1.3;
	assert_int_equal(sd_narrowing_next(&l, step, 1, 60, &next), SD_NARROWING_DECIDED);
	/* a program that scales has nothing to decide */
	l = open_ledger();
	l.loss_lower = 0;
	l.loss_upper = l.loss = .1;
	assert_int_equal(sd_narrowing_next(&l, step, 1, 60, &next), SD_NARROWING_DECIDED);
}

/* The first cause is the one that surely has more than any other may have, however little of the
 * loss that is; a cause that can no longer be first is not looked at. */
static void it_ends_when_no_other_cause_can_be_the_first(void **state)
{
	const struct sd_narrowing_step step[] = {{1, .01, pages, 1}, {2, .1, sharing, 1}};
	struct sd_ledger l = open_ledger();
	size_t next;

	(void)state;
	l.cause[SD_CAUSE_FALSE_SHARING].lower = 1; /* less than half of 2.4 */
	assert_int_equal(sd_narrowing_next(&l, step, 2, 60, &next), SD_NARROWING_DECIDED);
	l.cause[SD_CAUSE_LOCK_CONTENTION].upper = 1.1;
	assert_int_equal(sd_narrowing_next(&l, step, 2, 60, &next), SD_NARROWING_GO_ON);
	assert_int_equal(next, 1);
	assert_true(sd_narrowing_expected(&l, &step[0]) <= 0);
	/* what others take is not the first, nor most of what is lost */
	l.of_others = 1ul << SD_CAUSE_NOISE;
	l.cause[SD_CAUSE_NOISE] = (struct sd_bounds){.lower = 3, .upper = 3};
	assert_int_equal(sd_narrowing_next(&l, step, 2, 60, &next), SD_NARROWING_GO_ON);
	assert_int_equal(next, 1);
	l.cause[SD_CAUSE_NOISE] = (struct sd_bounds){0};
	/* it is, as soon as it may be more than the first */
	l.cause[SD_CAUSE_DTLB].upper = 1.1;
	assert_true(sd_narrowing_expected(&l, &step[0]) > 0);
	/* less than the gate makes no cause the first */
	l = open_ledger();
	l.cause[SD_CAUSE_FALSE_SHARING].lower = .9 * SD_LEDGER_GATE * N;
	l.cause[SD_CAUSE_DTLB].upper = 0;
	assert_int_equal(sd_narrowing_next(&l, step, 2, 60, &next), SD_NARROWING_GO_ON);
}

/* Bounds of few runs are wide on both sides at once: a first cause that is likely, and that has
 * most of the loss by the best estimates, stays the first; one that nobody sized, or that is only
 * possible, does not. */
static void it_ends_when_most_of_the_loss_is_the_first_cause_s_in_all_likelihood(void **state)
{
	const struct sd_narrowing_step step[] = {{1, .1, sharing, 1}};
	struct sd_ledger l = open_ledger();
	struct sd_bounds *const b = &l.cause[SD_CAUSE_FALSE_SHARING];
	size_t next;

	(void)state;
	l.loss_lower = .5;
	l.loss_upper = 3.9;
	*b = (struct sd_bounds){.lower = .4, .upper = 3.9, .value = 1.9, .sized = 1, .spoken = 1};
	l.cause[SD_CAUSE_LOCK_CONTENTION].upper = 3;
	assert_int_equal(sd_narrowing_next(&l, step, 1, 60, &next), SD_NARROWING_DECIDED);
	b->value = 1;
	assert_int_equal(sd_narrowing_next(&l, step, 1, 60, &next), SD_NARROWING_GO_ON);
	b->value = 1.9;
	b->sized = 0;
	assert_int_equal(sd_narrowing_next(&l, step, 1, 60, &next), SD_NARROWING_GO_ON);
	b->sized = 1;
	b->lower = .9 * SD_LEDGER_GATE * N;
	assert_int_equal(sd_narrowing_next(&l, step, 1, 60, &next), SD_NARROWING_GO_ON);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_narrowing_that_is_expected_is_the_mean_of_all_truths),
		cmocka_unit_test(the_scatter_of_runs_is_of_causes_that_matter),
		cmocka_unit_test(what_narrows_most_for_each_second_comes_first),
		cmocka_unit_test(it_ends_when_nothing_can_narrow_or_nothing_fits),
		cmocka_unit_test(it_ends_when_most_of_the_loss_has_its_cause),
		cmocka_unit_test(it_ends_when_no_other_cause_can_be_the_first),
		cmocka_unit_test(
			it_ends_when_most_of_the_loss_is_the_first_cause_s_in_all_likelihood),
	};

	return cmocka_run_group_tests_name("analyse/ledger/narrowing", tests, NULL, NULL);
}
