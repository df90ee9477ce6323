/*
 * Ledgers of two to eight cores, statement by statement: what they bound, and what of it is seen
 * where it went wrong on real machines.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>
#include "support/near.h"

#include "ledger/verdict.h"

#define BIT(c) (1ul << SD_COMPONENT_##c)
#define ALL_OF(c) sd_disturbance_of[SD_COMPONENT_##c]
#define EXACTLY(v) ((struct sd_interval){(v), (v), (v), SD_STATUS_OK})
#define BETWEEN(v, low, high) ((struct sd_interval){(v), (low), (high), SD_STATUS_OK})
#define SHARING (SD_SEES_LOADS | SD_SEES_STORES | SD_SEES_INSIDE_CACHE | SD_SEES_BETWEEN_CACHES)

static const struct sd_ledger_row rows[SD_CAUSE_COUNT] = {
	[SD_CAUSE_MEMORY_BANDWIDTH] = {BIT(GROWTH),
		SD_SEES_LOADS | SD_SEES_STORES | SD_SEES_PREFETCHES},
	[SD_CAUSE_LLC_CAPACITY] = {BIT(GROWTH), SD_SEES_LOADS | SD_SEES_STORES},
	[SD_CAUSE_DTLB] = {BIT(GROWTH), SD_SEES_LOADS | SD_SEES_STORES},
	[SD_CAUSE_FALSE_SHARING] = {BIT(GROWTH), SHARING},
	[SD_CAUSE_TRUE_SHARING] = {BIT(GROWTH), SHARING},
	[SD_CAUSE_BUS_LOCKS] = {BIT(GROWTH), SD_SEES_USER_CODE},
	[SD_CAUSE_LOCK_CONTENTION] = {BIT(LOCK) | BIT(GROWTH) | BIT(SYSTEM), SD_SEES_USER_CODE},
	[SD_CAUSE_SERIAL_CODE] = {BIT(SERIAL) | BIT(MPI), SD_SEES_USER_CODE},
	[SD_CAUSE_LOAD_IMBALANCE] = {BIT(IMBALANCE) | BIT(MPI), SD_SEES_USER_CODE},
	[SD_CAUSE_BARRIER_OVERHEAD] = {BIT(IMBALANCE) | BIT(SYSTEM), SD_SEES_USER_CODE},
	[SD_CAUSE_EXTRA_WORK] = {BIT(GROWTH), SD_SEES_USER_CODE},
	[SD_CAUSE_SPINNING] = {BIT(SPINNING), SD_SEES_USER_CODE},
	[SD_CAUSE_KERNEL_MEMORY] = {BIT(SYSTEM), SD_SEES_KERNEL_CODE},
	[SD_CAUSE_ALLOCATOR] = {BIT(GROWTH) | BIT(SYSTEM) | BIT(LOCK), SD_SEES_USER_CODE},
	[SD_CAUSE_NUMA] = {BIT(GROWTH), SD_SEES_BETWEEN_SOCKETS},
	[SD_CAUSE_SMT] = {BIT(GROWTH), SD_SEES_USER_CODE},
	[SD_CAUSE_FREQUENCY] = {BIT(GROWTH), SD_SEES_USER_CODE},
	[SD_CAUSE_CPU_QUOTA] = {BIT(THROTTLED), SD_SEES_KERNEL_CODE},
	[SD_CAUSE_OVERSUBSCRIPTION] = {BIT(RUN_QUEUE) | BIT(IMBALANCE), SD_SEES_KERNEL_CODE},
	[SD_CAUSE_NOISE] = {BIT(RUN_QUEUE) | BIT(STOLEN), SD_SEES_KERNEL_CODE},
	[SD_CAUSE_DISK] = {BIT(DISK), SD_SEES_KERNEL_CODE},
	[SD_CAUSE_MPI] = {BIT(MPI), SD_SEES_USER_CODE},
};

/* A case that is filled step by step; its ledger. */
struct book {
	struct sd_interval component[SD_COMPONENT_COUNT];
	struct sd_statement statement[16];
	struct sd_disturbance_facts facts;
	struct sd_disturbance disturbance[SD_DISTURBANCE_COUNT];
	struct sd_ledger_case c;
	struct sd_ledger l;
};

static void open_book(struct book *b, double n, double loss)
{
	*b = (struct book){.facts = {.n = n,
				   .efficiency = 1 - loss / n,
				   .runs = 30,
				   .student = 1.96}, /* as if there were any number of runs */
		.c = {.n = n, .row = rows, .loss = {{EXACTLY(loss), SD_DISTURBANCE_OF_LOSS}}}};
}

static struct sd_statement *add(struct book *b, enum sd_cause cause, enum sd_statement_kind kind)
{
	struct sd_statement *const s = &b->statement[b->c.n_statement++];

	assert_true(b->c.n_statement <= sizeof b->statement / sizeof *b->statement);
	*s = (struct sd_statement){.cause = cause, .kind = kind, .sees = SD_SEES_WHOLE};
	return s;
}

/* Waits that the accounting has seen, all of which this cause's row alone explains. */
static void add_waits(
	struct book *b, enum sd_cause cause, enum sd_component component, struct sd_interval v)
{
	struct sd_statement *const s = add(b, cause, SD_STATEMENT_OBSERVATION);

	b->component[component] = v;
	s->at_least = s->at_most = v;
	s->disturbed_by = sd_disturbance_of[component];
}

static const struct sd_bounds *bounds(struct book *b, enum sd_cause cause)
{
	b->c.component = b->component;
	b->c.statement = b->statement;
	b->c.disturbance = b->disturbance;
	sd_disturbance_make(&b->facts, b->disturbance);
	sd_ledger_make(&b->c, &b->l);
	return &b->l.cause[cause];
}

/* ---- what went wrong ------------------------------------------------------------------------ */

/* One mutex, five times slower on two cores, while others took 6 % of the CPUs. */
static void a_lock_beside_others_is_a_lock_and_comes_first(void **state)
{
	struct book b;
	enum sd_cause order[SD_CAUSE_COUNT];
	const struct sd_bounds *lock;

	(void)state;
	open_book(&b, 2, 1.8);
	add_waits(&b, SD_CAUSE_LOCK_CONTENTION, SD_COMPONENT_LOCK, BETWEEN(.9, .81, .95));
	add_waits(&b, SD_CAUSE_NOISE, SD_COMPONENT_RUN_QUEUE, BETWEEN(.16, .14, .18));
	b.facts.others = SD_OK(.12);
	b.facts.stolen = SD_OK(0);
	b.facts.queue = SD_OK(.16);
	lock = bounds(&b, SD_CAUSE_LOCK_CONTENTION);
	/* the other thread waited for one without its CPU for as long as others ran, at most */
	assert_near(lock->lower, .81 - .12, .01);
	assert_true(lock->upper >= .95);
	assert_int_equal(sd_verdict_of(&b.l, SD_CAUSE_LOCK_CONTENTION), SD_VERDICT_LIKELY);
	sd_verdict_order(&b.l, order);
	assert_int_equal(order[0], SD_CAUSE_LOCK_CONTENTION);
	assert_int_equal(order[1], SD_CAUSE_NOISE);
	assert_int_equal(sd_verdict_scales(&b.l), SD_SCALES_NO);
}

/* A counter of moves between caches, on a machine whose two cores share one, and a simulation. */
static void a_counter_that_is_blind_there_rules_nothing_out(void **state)
{
	struct book b;
	struct sd_statement *s;
	const struct sd_bounds *sharing;

	(void)state;
	open_book(&b, 2, .5);
	b.component[SD_COMPONENT_GROWTH] = BETWEEN(.5, .45, .55);
	s = add(&b, SD_CAUSE_FALSE_SHARING, SD_STATEMENT_MODEL);
	s->at_least = BETWEEN(.32, .26, .4);
	s->disturbed_by = ALL_OF(GROWTH);
	s = add(&b, SD_CAUSE_FALSE_SHARING, SD_STATEMENT_OBSERVATION);
	s->at_least = s->at_most = EXACTLY(0);
	s->sees.mechanism = SD_SEES_LOADS | SD_SEES_STORES | SD_SEES_BETWEEN_CACHES;
	sharing = bounds(&b, SD_CAUSE_FALSE_SHARING);
	assert_near(sharing->lower, .26, .01);
	assert_near(sharing->upper, .55, .01);
	assert_int_equal(sd_verdict_of(&b.l, SD_CAUSE_FALSE_SHARING), SD_VERDICT_LIKELY);
	/* one that sees them all does, and then two disagree */
	s->sees = SD_SEES_WHOLE;
	sharing = bounds(&b, SD_CAUSE_FALSE_SHARING);
	assert_int_equal(sharing->disagree, 1);
	assert_near(sharing->lower, 0, 1e-9);
	assert_ptr_equal(sharing->least, &b.statement[0]);
	assert_int_equal(sd_verdict_of(&b.l, SD_CAUSE_FALSE_SHARING), SD_VERDICT_POSSIBLE);
}

/* Lines of three columns say something of the shared cache; so they do among 44. */
static void a_law_holds_however_much_else_is_known(void **state)
{
	struct book b;
	struct sd_statement *s;
	double upper;

	(void)state;
	open_book(&b, 8, 4);
	b.component[SD_COMPONENT_UNACCOUNTED] = EXACTLY(4);
	b.facts.unaccounted = EXACTLY(4);
	s = add(&b, SD_CAUSE_LLC_CAPACITY, SD_STATEMENT_MODEL);
	s->at_least = BETWEEN(.8, .2, 1.4); /* grown lines times their least cost */
	s->at_most = BETWEEN(1.5, 1.4, 1.6);
	upper = bounds(&b, SD_CAUSE_LLC_CAPACITY)->upper;
	assert_int_equal(sd_verdict_of(&b.l, SD_CAUSE_LLC_CAPACITY), SD_VERDICT_POSSIBLE);
	for (int k = SD_CAUSE_DTLB; k < SD_CAUSE_DTLB + 8; k++) {
		s = add(&b, (enum sd_cause)k, SD_STATEMENT_OBSERVATION);
		s->at_most = EXACTLY(2);
		s->sees.mechanism = SD_SEES_LOADS;
	}
	assert_near(bounds(&b, SD_CAUSE_LLC_CAPACITY)->upper, upper, 1e-12);
	assert_int_equal(sd_verdict_of(&b.l, SD_CAUSE_LLC_CAPACITY), SD_VERDICT_POSSIBLE);
}

static void one_run_a_point_does_not_scale(void **state)
{
	struct book b;

	(void)state;
	open_book(&b, 4, -.56); /* 4.56 times as fast, by one run */
	b.facts.runs = 1;
	b.facts.drift = SD_OK(-.75);
	bounds(&b, SD_CAUSE_NOISE);
	assert_int_equal(sd_verdict_scales(&b.l), SD_SCALES_UNKNOWN);
	b.facts.runs = 2; /* more runs do not make up for a machine that changed by so much */
	b.facts.student = 12.706;
	bounds(&b, SD_CAUSE_NOISE);
	assert_int_equal(sd_verdict_scales(&b.l), SD_SCALES_UNKNOWN);
	b.facts = (struct sd_disturbance_facts){
		.n = 4, .efficiency = 1.14, .runs = 10, .student = 2.262, .drift = SD_OK(.001)};
	bounds(&b, SD_CAUSE_NOISE);
	assert_int_equal(sd_verdict_scales(&b.l), SD_SCALES_YES);
}

/* Ranks that wait in MPI for rank 0: the wait has an owner, and may have others. */
static void waits_in_mpi_rule_no_serial_code_out(void **state)
{
	struct book b;
	struct sd_statement *s;

	(void)state;
	open_book(&b, 4, 2);
	b.component[SD_COMPONENT_MPI] = BETWEEN(2, 1.9, 2.1);
	s = add(&b, SD_CAUSE_MPI, SD_STATEMENT_OBSERVATION);
	s->at_most = BETWEEN(2, 1.9, 2.1);
	bounds(&b, SD_CAUSE_MPI);
	assert_int_equal(sd_verdict_of(&b.l, SD_CAUSE_MPI), SD_VERDICT_NOT_MEASURABLE);
	assert_int_equal(sd_verdict_of(&b.l, SD_CAUSE_SERIAL_CODE), SD_VERDICT_NOT_MEASURABLE);
	/* attribution has seen one rank alone for most of it: that is not under way */
	s = add(&b, SD_CAUSE_SERIAL_CODE, SD_STATEMENT_OBSERVATION);
	s->at_least = BETWEEN(1.6, 1.5, 1.7);
	bounds(&b, SD_CAUSE_MPI);
	assert_int_equal(sd_verdict_of(&b.l, SD_CAUSE_SERIAL_CODE), SD_VERDICT_LIKELY);
	assert_near(b.l.cause[SD_CAUSE_MPI].upper, 2.1 - 1.5, .02);
	assert_null(b.l.cause[SD_CAUSE_MPI].most);
	assert_near(b.l.cause[SD_CAUSE_LOAD_IMBALANCE].upper, 2.1 - 1.5, .02);
}

/* 1458 lines to and from memory in all of a run of a tenth of a second, at a microsecond each. */
static void next_to_no_lines_are_no_bandwidth(void **state)
{
	struct book b;
	struct sd_statement *s;

	(void)state;
	open_book(&b, 2, .6);
	b.component[SD_COMPONENT_GROWTH] = BETWEEN(.6, .5, .7);
	s = add(&b, SD_CAUSE_MEMORY_BANDWIDTH, SD_STATEMENT_MODEL);
	s->at_most = EXACTLY(1458 * 1e-6 / .1);
	bounds(&b, SD_CAUSE_MEMORY_BANDWIDTH);
	assert_int_equal(sd_verdict_of(&b.l, SD_CAUSE_MEMORY_BANDWIDTH), SD_VERDICT_RULED_OUT);
	assert_ptr_equal(b.l.cause[SD_CAUSE_MEMORY_BANDWIDTH].most, &b.statement[0]);
}

/* Imported records have no digests of what the program printed. */
static void what_is_absent_says_nothing(void **state)
{
	struct book b;
	struct sd_ledger before;

	(void)state;
	open_book(&b, 2, .6);
	b.component[SD_COMPONENT_GROWTH] = BETWEEN(.6, .5, .7);
	bounds(&b, SD_CAUSE_TRUE_SHARING);
	before = b.l;
	add(&b, SD_CAUSE_TRUE_SHARING, SD_STATEMENT_OBSERVATION);
	bounds(&b, SD_CAUSE_TRUE_SHARING);
	assert_memory_equal(&before, &b.l, sizeof before);
	assert_int_equal(sd_verdict_of(&b.l, SD_CAUSE_TRUE_SHARING), SD_VERDICT_NOT_MEASURABLE);
}

/* ---- the stack ------------------------------------------------------------------------------ */

static void what_one_surely_takes_no_other_has(void **state)
{
	struct book b;
	struct sd_statement *s;

	(void)state;
	open_book(&b, 2, .8);
	b.component[SD_COMPONENT_GROWTH] = BETWEEN(.6, .5, .7);
	b.component[SD_COMPONENT_LOCK] = BETWEEN(.2, .15, .25);
	s = add(&b, SD_CAUSE_FALSE_SHARING, SD_STATEMENT_INTERVENTION);
	s->at_least = BETWEEN(.6, .55, .65);
	bounds(&b, SD_CAUSE_DTLB);
	assert_near(b.l.cause[SD_CAUSE_DTLB].upper, .7 - .55, .01);
	assert_near(b.l.cause[SD_CAUSE_ALLOCATOR].upper, .7 - .55 + .25, .01);
	assert_int_equal(sd_verdict_of(&b.l, SD_CAUSE_FALSE_SHARING), SD_VERDICT_CONFIRMED);
	/* what a lock takes can be where nothing else needs the room */
	s = add(&b, SD_CAUSE_LOCK_CONTENTION, SD_STATEMENT_OBSERVATION);
	s->at_least = EXACTLY(.3);
	bounds(&b, SD_CAUSE_DTLB);
	assert_near(b.l.cause[SD_CAUSE_DTLB].upper, .7 + .25 - .55 - .3, .02);
}

/* Two models that each claim all of it. */
static void more_than_there_is_is_a_disagreement(void **state)
{
	struct book b;

	(void)state;
	open_book(&b, 2, .6);
	b.component[SD_COMPONENT_GROWTH] = EXACTLY(.6);
	add(&b, SD_CAUSE_DTLB, SD_STATEMENT_MODEL)->at_least = EXACTLY(.5);
	add(&b, SD_CAUSE_LLC_CAPACITY, SD_STATEMENT_MODEL)->at_least = EXACTLY(.4);
	bounds(&b, SD_CAUSE_DTLB);
	assert_int_equal(b.l.cause[SD_CAUSE_DTLB].disagree, 1);
	assert_near(b.l.cause[SD_CAUSE_DTLB].lower, .2, 1e-9);
	assert_near(b.l.cause[SD_CAUSE_DTLB].upper, .5, 1e-9);
	assert_near(b.l.cause[SD_CAUSE_LLC_CAPACITY].lower, .1, 1e-9);
	assert_int_equal(b.l.cause[SD_CAUSE_FALSE_SHARING].disagree, 0);
	assert_near(b.l.cause[SD_CAUSE_FALSE_SHARING].upper, 0, 1e-9);
}

static void time_not_accounted_for_may_be_any_wait_and_is_no_causes_own(void **state)
{
	struct book b;

	(void)state;
	open_book(&b, 4, 1);
	add_waits(&b, SD_CAUSE_DISK, SD_COMPONENT_DISK, EXACTLY(.1));
	b.component[SD_COMPONENT_GROWTH] = EXACTLY(.1);
	b.component[SD_COMPONENT_SERIAL] = EXACTLY(0);
	b.component[SD_COMPONENT_UNACCOUNTED] = b.facts.unaccounted = EXACTLY(.8);
	bounds(&b, SD_CAUSE_DISK);
	assert_near(b.l.cause[SD_CAUSE_DISK].lower, .1, 1e-9);
	assert_near(b.l.cause[SD_CAUSE_DISK].upper, .9, 1e-9);
	assert_near(b.l.cause[SD_CAUSE_SERIAL_CODE].upper, .8, 1e-9);
	assert_near(b.l.cause[SD_CAUSE_DTLB].upper, .1, 1e-9); /* user code is no wait */
}

static void a_fact_of_the_machine_needs_no_runs(void **state)
{
	struct book b;
	struct sd_statement *s;

	(void)state;
	open_book(&b, 2, .6);
	b.facts.runs = 1;
	s = add(&b, SD_CAUSE_NUMA, SD_STATEMENT_OBSERVATION); /* there is one node */
	s->at_most = EXACTLY(0);
	bounds(&b, SD_CAUSE_NUMA);
	assert_int_equal(sd_verdict_of(&b.l, SD_CAUSE_NUMA), SD_VERDICT_RULED_OUT);
	assert_int_equal(sd_verdict_of(&b.l, SD_CAUSE_DTLB), SD_VERDICT_NOT_MEASURABLE);
	/* all else is a share of a run's time, whatever its source says of that */
	s = add(&b, SD_CAUSE_DTLB, SD_STATEMENT_MODEL);
	s->at_least = EXACTLY(.5);
	s->at_most = EXACTLY(.6);
	bounds(&b, SD_CAUSE_DTLB);
	assert_near(b.l.cause[SD_CAUSE_DTLB].lower, 0, 0);
	assert_near(b.l.cause[SD_CAUSE_DTLB].upper, 2, 0);
	assert_int_equal(sd_verdict_of(&b.l, SD_CAUSE_DTLB), SD_VERDICT_POSSIBLE);
}

/* If CPU times, or the waits among the idle time, are not told apart, none of them is 0. */
static void components_that_are_absent_are_no_zeros(void **state)
{
	struct book b;

	(void)state;
	open_book(&b, 4, 1);
	b.component[SD_COMPONENT_GROWTH] = EXACTLY(.4);
	b.component[SD_COMPONENT_UNACCOUNTED] = EXACTLY(.6);
	bounds(&b, SD_CAUSE_DTLB);
	assert_near(b.l.cause[SD_CAUSE_DTLB].upper, .4, 1e-9);
	assert_near(b.l.cause[SD_CAUSE_DISK].upper, 1, 1e-9);
	open_book(&b, 4, 1); /* no stack at all */
	assert_near(bounds(&b, SD_CAUSE_DTLB)->upper, 4, 1e-9);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_lock_beside_others_is_a_lock_and_comes_first),
		cmocka_unit_test(a_counter_that_is_blind_there_rules_nothing_out),
		cmocka_unit_test(a_law_holds_however_much_else_is_known),
		cmocka_unit_test(one_run_a_point_does_not_scale),
		cmocka_unit_test(waits_in_mpi_rule_no_serial_code_out),
		cmocka_unit_test(next_to_no_lines_are_no_bandwidth),
		cmocka_unit_test(what_is_absent_says_nothing),
		cmocka_unit_test(what_one_surely_takes_no_other_has),
		cmocka_unit_test(more_than_there_is_is_a_disagreement),
		cmocka_unit_test(time_not_accounted_for_may_be_any_wait_and_is_no_causes_own),
		cmocka_unit_test(a_fact_of_the_machine_needs_no_runs),
		cmocka_unit_test(components_that_are_absent_are_no_zeros),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
