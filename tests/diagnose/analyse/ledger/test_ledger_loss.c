/*
 * The loss as a whole beside others: its best estimate, its bounds, and what there is to be gained.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>
#include "support/near.h"

#include "ledger/verdict.h"

static const struct sd_ledger_row rows[SD_CAUSE_COUNT];
static const struct sd_interval components[SD_COMPONENT_COUNT];

/* Two cores that have lost so much, as if there were any number of runs; others had `others` of
 * them, for all of which a thread waited. */
static struct sd_ledger beside(double loss, struct sd_value others, struct sd_value queue,
	struct sd_disturbance disturbance[SD_DISTURBANCE_COUNT])
{
	const struct sd_disturbance_facts facts = {.n = 2,
		.efficiency = 1 - loss / 2,
		.runs = 30,
		.student = 1.96,
		.others = others,
		.queue = queue,
		.waited = others};
	const struct sd_ledger_case c = {.n = 2,
		.component = components,
		.row = rows,
		.loss = {{{loss, loss, loss, SD_STATUS_OK}, SD_DISTURBANCE_OF_LOSS},
			{{.status = SD_STATUS_ABSENT}, 0}},
		.disturbance = disturbance};
	struct sd_ledger l;

	sd_disturbance_make(&facts, disturbance);
	sd_ledger_make(&c, &l);
	return l;
}

/* .11 of 2 cores lost, of which .07 were waits for CPUs that others had: .04 are the program's. */
static void what_others_took_is_not_in_the_best_estimate_of_the_loss(void **state)
{
	struct sd_disturbance disturbance[SD_DISTURBANCE_COUNT];
	struct sd_ledger l = beside(.11, SD_NOT(ABSENT), SD_NOT(ABSENT), disturbance);

	(void)state;
	assert_near(l.loss, .11, 1e-9);
	assert_int_equal(sd_verdict_scales(&l), SD_SCALES_YES);
	assert_false(sd_verdict_lossless(&l));
	/* no longer than they waited */
	l = beside(.11, SD_OK(.1), SD_OK(.07), disturbance);
	assert_near(l.loss, .04, 1e-9);
	assert_true(l.loss_upper >= .11); /* all may be its own for all that */
	assert_int_equal(sd_verdict_scales(&l), SD_SCALES_YES);
	assert_true(sd_verdict_lossless(&l));
	/* of a loss of more than a fifth, what they took may decide */
	l = beside(.45, SD_NOT(ABSENT), SD_NOT(ABSENT), disturbance);
	assert_int_equal(sd_verdict_scales(&l), SD_SCALES_NO);
	l = beside(.45, SD_OK(.1), SD_OK(.07), disturbance);
	assert_int_equal(sd_verdict_scales(&l), SD_SCALES_UNKNOWN);
}

/* While others kept threads apart the rest ran on as fast as n - 1 cores do: what that hides of the
 * loss is no more than the other time must have lost to make up for it. */
static void a_missing_thread_hides_no_more_than_the_others_could_do(void **state)
{
	static const double loss[] = {.3, .9, 1, 1.2, 1.7, 1.8};

	(void)state;
	for (size_t i = 0; i < sizeof loss / sizeof *loss; i++) {
		struct sd_disturbance disturbance[SD_DISTURBANCE_COUNT];
		const struct sd_ledger l = beside(loss[i], SD_OK(.2), SD_OK(0), disturbance);
		const double share = 1 - 1 / disturbance[SD_DISTURBANCE_OTHERS_APART].times;

		assert_true(share > 0);
		/* even where all cores may be lost */
		assert_near(l.loss, loss[i], 1e-9);
		assert_true(l.loss_most >= l.loss && l.loss_most <= l.loss_upper);
		assert_true(l.loss_most < 2);
		/* what was seen is the mean of both times, the one without a loss of its own */
		assert_near(l.loss_most * (1 - share) + share,
			fmax(loss[i], loss[i] * (1 - share) + share), 1e-9);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_others_took_is_not_in_the_best_estimate_of_the_loss),
		cmocka_unit_test(a_missing_thread_hides_no_more_than_the_others_could_do),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
