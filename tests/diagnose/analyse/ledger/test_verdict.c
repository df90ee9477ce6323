#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>
#include "support/near.h"

#include "ledger/verdict.h"

/* A ledger of four cores, one of which at least is lost: the gate is .2. */
static struct sd_ledger ledger(double lower, double upper)
{
	struct sd_ledger l = {
		.n = 4, .loss_lower = 1, .loss_upper = 1.4, .loss_most = 1.4, .loss = 1.2};

	l.cause[SD_CAUSE_DTLB] = (struct sd_bounds){
		.lower = lower, .upper = upper, .value = (lower + upper) / 2, .spoken = 1};
	return l;
}

static void bounds_make_the_verdict(void **state)
{
	static const struct {
		double lower, upper;
		int intervened, spoken;
		enum sd_verdict verdict;
	} row[] = {
		{.2, 1, 1, 1, SD_VERDICT_CONFIRMED},
		{.2, 1, 0, 1, SD_VERDICT_LIKELY},
		{.19, .2, 1, 1, SD_VERDICT_POSSIBLE},
		{0, 4, 0, 1, SD_VERDICT_POSSIBLE},
		{0, 4, 0, 0, SD_VERDICT_NOT_MEASURABLE},
		{0, .19, 0, 1, SD_VERDICT_RULED_OUT},
		{0, .19, 0, 0, SD_VERDICT_RULED_OUT},
	};

	(void)state;
	for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
		struct sd_ledger l = ledger(row[i].lower, row[i].upper);

		l.cause[SD_CAUSE_DTLB].intervened = row[i].intervened;
		l.cause[SD_CAUSE_DTLB].spoken = row[i].spoken;
		assert_int_equal(sd_verdict_of(&l, SD_CAUSE_DTLB), row[i].verdict);
	}
}

static void of_a_program_that_scales_nothing_is_a_cause(void **state)
{
	struct sd_ledger l = ledger(.3, .4);

	(void)state;
	l.loss_lower = 0;
	l.loss = .19;
	l.loss_upper = .39;
	assert_int_equal(sd_verdict_scales(&l), SD_SCALES_YES);
	assert_int_equal(sd_verdict_of(&l, SD_CAUSE_DTLB), SD_VERDICT_RULED_OUT);
	/* one that scales may have a loss that matters, and its small causes */
	l.loss_upper = .4;
	assert_int_equal(sd_verdict_scales(&l), SD_SCALES_YES);
	assert_false(sd_verdict_lossless(&l));
	assert_int_equal(sd_verdict_of(&l, SD_CAUSE_DTLB), SD_VERDICT_LIKELY);
	/* without one by the best estimate only what is sure is named */
	l.cause[SD_CAUSE_DTLB].lower = .19;
	assert_int_equal(sd_verdict_of(&l, SD_CAUSE_DTLB), SD_VERDICT_NOT_MEASURABLE);
	l.loss = .3;
	assert_int_equal(sd_verdict_of(&l, SD_CAUSE_DTLB), SD_VERDICT_POSSIBLE);
	l.loss_lower = .2;
	l.loss_upper = .79;
	assert_int_equal(sd_verdict_scales(&l), SD_SCALES_YES);
	/* a fifth of four cores: between, surely, and not surely */
	l.loss_upper = .81;
	assert_int_equal(sd_verdict_scales(&l), SD_SCALES_UNKNOWN);
	l.loss_lower = .8;
	assert_int_equal(sd_verdict_scales(&l), SD_SCALES_NO);
	/* what causes surely have is lost, however little the times say; not what others took, nor
	 * what does not matter */
	l.loss_lower = 0;
	l.cause[SD_CAUSE_NOISE].lower = .9;
	l.of_others = 1ul << SD_CAUSE_NOISE;
	assert_int_equal(sd_verdict_scales(&l), SD_SCALES_UNKNOWN);
	l.cause[SD_CAUSE_DTLB].lower = .7;
	assert_int_equal(sd_verdict_scales(&l), SD_SCALES_UNKNOWN);
	l.cause[SD_CAUSE_SMT].lower = .19;
	assert_int_equal(sd_verdict_scales(&l), SD_SCALES_UNKNOWN);
	l.cause[SD_CAUSE_SMT].lower = .2;
	assert_int_equal(sd_verdict_scales(&l), SD_SCALES_NO);
	assert_int_equal(sd_verdict_of(&l, SD_CAUSE_DTLB), SD_VERDICT_LIKELY);
}

static void causes_stand_by_what_is_sure_then_by_the_middle(void **state)
{
	struct sd_ledger l = ledger(.5, .6);
	enum sd_cause order[SD_CAUSE_COUNT];

	(void)state;
	l.cause[SD_CAUSE_DTLB].intervened = 1; /* the word is no reason */
	l.cause[SD_CAUSE_SMT] = (struct sd_bounds){.lower = .7, .upper = .7};
	l.cause[SD_CAUSE_MPI] = (struct sd_bounds){.lower = .5, .upper = 1};
	l.cause[SD_CAUSE_DISK] = (struct sd_bounds){.lower = 0, .upper = 4};
	sd_verdict_order(&l, order);
	assert_int_equal(order[0], SD_CAUSE_SMT);
	assert_int_equal(order[1], SD_CAUSE_MPI);
	assert_int_equal(order[2], SD_CAUSE_DTLB);
	assert_int_equal(order[3], SD_CAUSE_DISK);
	assert_int_equal(order[4], SD_CAUSE_MEMORY_BANDWIDTH);
	assert_int_equal(order[SD_CAUSE_COUNT - 1], SD_CAUSE_NOISE);
}

/* A directory's lock, of whose cores none are sure, and the kernel's time, of which few are. */
static void a_large_estimate_comes_before_little_that_is_sure(void **state)
{
	struct sd_ledger l = ledger(0, .1);
	enum sd_cause order[SD_CAUSE_COUNT];
	struct sd_bounds *const lock = &l.cause[SD_CAUSE_LOCK_CONTENTION];

	(void)state;
	*lock = (struct sd_bounds){.upper = .9, .value = .4, .sized = 1, .spoken = 1};
	l.cause[SD_CAUSE_KERNEL_MEMORY] = (struct sd_bounds){
		.lower = .02, .upper = .5, .value = .13, .sized = 1, .spoken = 1};
	l.cause[SD_CAUSE_NOISE] = (struct sd_bounds){.lower = .01, .upper = .3};
	sd_verdict_order(&l, order);
	assert_int_equal(order[0], SD_CAUSE_LOCK_CONTENTION);
	assert_int_equal(order[1], SD_CAUSE_KERNEL_MEMORY);
	assert_int_equal(order[2], SD_CAUSE_NOISE);
	/* an amount that nobody measured is no estimate */
	lock->sized = 0;
	sd_verdict_order(&l, order);
	assert_int_equal(order[0], SD_CAUSE_KERNEL_MEMORY);
	/* what is sure by the gate comes first, however large an estimate is */
	lock->sized = 1;
	l.cause[SD_CAUSE_KERNEL_MEMORY].lower = .2;
	sd_verdict_order(&l, order);
	assert_int_equal(order[0], SD_CAUSE_KERNEL_MEMORY);
	/* more is sure of noise than of any */
	l.cause[SD_CAUSE_KERNEL_MEMORY].lower = 0;
	sd_verdict_order(&l, order);
	assert_int_equal(order[0], SD_CAUSE_NOISE);
}

/* Others took more of the machine than the line costs. */
static void noise_comes_after_what_the_program_surely_has(void **state)
{
	struct sd_ledger l = ledger(0, .1);
	enum sd_cause order[SD_CAUSE_COUNT];

	(void)state;
	l.cause[SD_CAUSE_NOISE] = (struct sd_bounds){.lower = 1, .upper = 1.2};
	l.cause[SD_CAUSE_FALSE_SHARING] = (struct sd_bounds){.lower = .3, .upper = 1};
	sd_verdict_order(&l, order);
	assert_int_equal(order[0], SD_CAUSE_FALSE_SHARING);
	assert_int_equal(order[1], SD_CAUSE_NOISE);
	/* a quota is what the program is given, and counts as others do */
	l.cause[SD_CAUSE_CPU_QUOTA] = (struct sd_bounds){.lower = .9, .upper = 1};
	sd_verdict_order(&l, order);
	assert_int_equal(order[0], SD_CAUSE_CPU_QUOTA);
	/* less than the gate is not sure */
	l.cause[SD_CAUSE_FALSE_SHARING].lower = l.cause[SD_CAUSE_CPU_QUOTA].lower = .01;
	sd_verdict_order(&l, order);
	assert_int_equal(order[0], SD_CAUSE_NOISE);
}

static void a_fix_gains_a_range(void **state)
{
	struct sd_ledger l = ledger(1, 3);
	struct sd_interval g;

	(void)state;
	l.loss = 2.5;
	g = sd_verdict_gain(&l, SD_CAUSE_DTLB, 0);
	assert_near(g.low, 1 / .75, 1e-12);
	assert_near(g.value, 2, 1e-12);
	assert_near(g.high, 4, 1e-12);
	l.cause[SD_CAUSE_DTLB].upper = 4;
	assert_true(isinf(sd_verdict_gain(&l, SD_CAUSE_DTLB, 0).high));
	/* of four times what a program without any loss gains, and more, no bound is known */
	l.loss_most = 3.5;
	l.cause[SD_CAUSE_DTLB].upper = 3.7;
	assert_true(isinf(sd_verdict_gain(&l, SD_CAUSE_DTLB, 0).high));
	l.loss = 3.2;
	assert_near(sd_verdict_gain(&l, SD_CAUSE_DTLB, 0).high, 1 / (1 - 3.7 / 4), 1e-12);
	l.loss_most = 1; /* all of it is surely the other's */
	assert_near(sd_verdict_gain(&l, SD_CAUSE_SMT, 0).high, 1, 0);
	/* what no other cause surely has of the loss may go with the one that is fixed */
	l.cause[SD_CAUSE_DTLB] = (struct sd_bounds){.lower = .5, .upper = 1, .value = .75};
	l.loss_most = 2.5;
	assert_near(sd_verdict_gain(&l, SD_CAUSE_DTLB, 0).high, 1 / (1 - 2.5 / 4), 1e-12);
	l.cause[SD_CAUSE_SMT] = (struct sd_bounds){.lower = 1, .upper = 1, .value = 1};
	assert_near(sd_verdict_gain(&l, SD_CAUSE_DTLB, 0).high, 1 / (1 - 1.5 / 4), 1e-12);
	l.loss_most = 1; /* contradicted: the upper bound stays */
	assert_near(sd_verdict_gain(&l, SD_CAUSE_DTLB, 0).high, 1 / .75, 1e-12);
}

/* The other cause's share grows with the pace, so that less than all that comes free is gained;
 * serial code, uneven shares and work done twice take as long as before. */
static void the_next_cause_takes_over(void **state)
{
	struct sd_ledger l = ledger(1, 1);
	double before = sd_verdict_gain(&l, SD_CAUSE_DTLB, 0).low;

	(void)state;
	l.loss = l.loss_upper = l.loss_most = 3;
	assert_near(before, 1 / .75, 1e-12); /* nothing else is known */
	for (int i = 1; i <= 4; i++) {
		const double other = .5 * i;
		double low, left;

		l.cause[SD_CAUSE_SMT] = (struct sd_bounds){
			.lower = other, .upper = other, .value = other, .sized = 1};
		low = sd_verdict_gain(&l, SD_CAUSE_DTLB, 0).low;
		left = 1 / low;
		assert_true(low > 1 && low < before);
		/* the work there is, what came free of it, and the other cause at the new pace */
		assert_near(4 * left, 4 - 1 - other + other / left, 1e-9);
		before = low;
		l.cause[SD_CAUSE_SERIAL_CODE] = l.cause[SD_CAUSE_SMT];
		l.cause[SD_CAUSE_SMT] = (struct sd_bounds){.lower = 0};
		assert_near(sd_verdict_gain(&l, SD_CAUSE_DTLB, 0).low, 1 / .75, 1e-12);
		l.cause[SD_CAUSE_SERIAL_CODE] = (struct sd_bounds){.lower = 0};
	}
	/* what others took is none of the program's causes, nor is more than is lost besides */
	l.cause[SD_CAUSE_NOISE] =
		(struct sd_bounds){.lower = 1, .upper = 1, .value = 1, .sized = 1};
	l.of_others = 1ul << SD_CAUSE_NOISE;
	assert_near(sd_verdict_gain(&l, SD_CAUSE_DTLB, 0).low, 1 / .75, 1e-12);
	l.of_others = 0;
	l.loss = 1;
	assert_near(sd_verdict_gain(&l, SD_CAUSE_DTLB, 0).low, 1 / .75, 1e-12);
}

/* All cores may be its doing: that is no number. */
static void what_may_be_all_of_it_gains_no_number(void **state)
{
	struct sd_ledger l = ledger(0, 4);

	(void)state;
	l.cause[SD_CAUSE_DTLB].value = 4 - 1e-15;
	l.cause[SD_CAUSE_DTLB].lower = .5;
	assert_true(isinf(sd_verdict_gain(&l, SD_CAUSE_DTLB, 0).value));
	assert_near(sd_verdict_gain(&l, SD_CAUSE_DTLB, 0).low, 1 / (1 - .5 / 4), 1e-12);
}

/* A fix may remove what the cause takes at the reference; nobody knows whether it does. */
static void what_the_reference_has_of_a_cause_may_go_with_it(void **state)
{
	struct sd_ledger l = ledger(1, 1.5);
	const struct sd_interval plain = sd_verdict_gain(&l, SD_CAUSE_DTLB, 0),
				 also = sd_verdict_gain(&l, SD_CAUSE_DTLB, .5);

	(void)state;
	assert_near(also.low, plain.low, 0);
	assert_near(also.value, plain.value, 0);
	assert_near(also.high, 1 / (1 - 2. / 4), 1e-12);
	assert_true(isinf(sd_verdict_gain(&l, SD_CAUSE_DTLB, 2.5).high));
}

/* A loss of 1.2 of which 1 has causes: each has its part of the rest, within its bounds. */
static void the_middle_has_its_part_of_what_nobody_explains(void **state)
{
	struct sd_ledger l = ledger(.5, .8);

	(void)state;
	l.cause[SD_CAUSE_DTLB].value = .6;
	assert_near(sd_verdict_gain(&l, SD_CAUSE_DTLB, 0).value, 1 / (1 - .6 / 4), 1e-12);
	l.cause[SD_CAUSE_DTLB].sized = 1; /* somebody says how much it is */
	l.cause[SD_CAUSE_SMT] =
		(struct sd_bounds){.lower = .4, .upper = .4, .value = .4, .sized = 1};
	assert_near(sd_verdict_gain(&l, SD_CAUSE_DTLB, 0).value, 1 / (1 - .72 / 4), 1e-12);
	assert_near(sd_verdict_gain(&l, SD_CAUSE_SMT, 0).value, 1 / (1 - .4 / 4), 1e-12);
	/* .1 of the .2 may be that of a cause that nobody could size */
	l.cause[SD_CAUSE_MPI] = (struct sd_bounds){.upper = .1, .spoken = 1};
	assert_near(sd_verdict_gain(&l, SD_CAUSE_DTLB, 0).value, 1 / (1 - .66 / 4), 1e-12);
	l.cause[SD_CAUSE_MPI].upper = .5; /* all of it may */
	assert_near(sd_verdict_gain(&l, SD_CAUSE_DTLB, 0).value, 1 / (1 - .6 / 4), 1e-12);
	l.cause[SD_CAUSE_MPI].spoken = 0;
	l.cause[SD_CAUSE_DTLB].upper = .65;
	assert_near(sd_verdict_gain(&l, SD_CAUSE_DTLB, 0).value, 1 / (1 - .65 / 4), 1e-12);
	l.cause[SD_CAUSE_SMT].value = 2; /* they have more than is lost: nothing to divide */
	assert_near(sd_verdict_gain(&l, SD_CAUSE_DTLB, 0).value, 1 / (1 - .6 / 4), 1e-12);
}

/* A loss is sure by the runs or by the causes, whichever says more. */
static void what_causes_surely_have_is_lost_for_sure(void **state)
{
	struct sd_ledger l = {.n = 2, .loss_lower = .14, .loss_upper = .85};

	(void)state;
	assert_true(sd_verdict_surely_lost(&l) == .14);
	l.cause[SD_CAUSE_SERIAL_CODE].lower = .36;
	assert_true(sd_verdict_surely_lost(&l) == .36);
	l.cause[SD_CAUSE_LOAD_IMBALANCE].lower = .01; /* too little to matter */
	assert_true(sd_verdict_surely_lost(&l) == .36);
	l.of_others = 1ul << SD_CAUSE_SERIAL_CODE;
	assert_true(sd_verdict_surely_lost(&l) == .14);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(bounds_make_the_verdict),
		cmocka_unit_test(of_a_program_that_scales_nothing_is_a_cause),
		cmocka_unit_test(causes_stand_by_what_is_sure_then_by_the_middle),
		cmocka_unit_test(a_large_estimate_comes_before_little_that_is_sure),
		cmocka_unit_test(noise_comes_after_what_the_program_surely_has),
		cmocka_unit_test(a_fix_gains_a_range),
		cmocka_unit_test(the_next_cause_takes_over),
		cmocka_unit_test(what_may_be_all_of_it_gains_no_number),
		cmocka_unit_test(what_the_reference_has_of_a_cause_may_go_with_it),
		cmocka_unit_test(what_causes_surely_have_is_lost_for_sure),
		cmocka_unit_test(the_middle_has_its_part_of_what_nobody_explains),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
