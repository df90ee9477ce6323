/* Graphs of tasks whose longest chain is known by hand. */
#include "trace/omp_span.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static struct sd_omp_region_span region;

static int zero(void **state)
{
	(void)state;
	region = (struct sd_omp_region_span){0};
	return 0;
}

/* A task of so much work that makes no other runs from begin to end; its end. */
static uint64_t run_leaf(const struct sd_omp_made *made, uint64_t work)
{
	struct sd_omp_chain c;

	sd_omp_span_begin(&c, made);
	sd_omp_span_work(&c, work);
	sd_omp_span_end(&region, &c, made);
	return c.length;
}

static struct sd_omp_made make(struct sd_omp_chain *by)
{
	const struct sd_omp_made made = sd_omp_span_make(&region, by, false);

	assert_true(made.followed);
	return made;
}

/* 3, then two tasks of 5 and 7 beside 2, then 1: 3 + 7 + 1. */
static void a_wait_goes_on_from_the_longest_task(void **state)
{
	struct sd_omp_chain own = {0};
	struct sd_omp_made a, b;

	(void)state;
	sd_omp_span_work(&own, 3);
	a = make(&own);
	b = make(&own);
	run_leaf(&b, 7);
	sd_omp_span_work(&own, 2);
	run_leaf(&a, 5);
	sd_omp_span_wait(&own);
	sd_omp_span_work(&own, 1);
	sd_omp_span_close(&region, &own);
	assert_int_equal(sd_omp_span_longest(&region), 11);
	assert_int_equal(sd_omp_span_loops(&region), 0);
}

/* The tasks begin at 0 and at 9: the maker's own work between them is the chain. */
static void a_task_begins_where_it_is_made(void **state)
{
	struct sd_omp_chain own = {0};
	struct sd_omp_made a, b;

	(void)state;
	a = make(&own);
	sd_omp_span_work(&own, 9);
	b = make(&own);
	assert_int_equal(run_leaf(&a, 10), 10);
	assert_int_equal(run_leaf(&b, 4), 13);
	sd_omp_span_close(&region, &own);
	assert_int_equal(sd_omp_span_longest(&region), 13);
}

/* A child of 2 that makes one of 20 without a wait: taskwait is for the child alone, a group for
 * both. The grandchild ends after its maker. */
static void a_group_waits_for_grandchildren_and_a_wait_does_not(void **state)
{
	(void)state;
	for (int grouped = 0; grouped < 2; grouped++) {
		struct sd_omp_chain own = {0}, child;
		struct sd_omp_made made, below;

		region = (struct sd_omp_region_span){0};
		if (grouped)
			sd_omp_span_group(&region, &own);
		made = make(&own);
		sd_omp_span_begin(&child, &made);
		sd_omp_span_work(&child, 2);
		below = make(&child);
		sd_omp_span_end(&region, &child, &made);
		if (!grouped) {
			sd_omp_span_wait(&own);
			assert_int_equal(own.length, 2);
		}
		run_leaf(&below, 20);
		if (grouped) {
			sd_omp_span_group_end(&own);
			assert_int_equal(own.length, 22);
			assert_null(own.group);
		}
		sd_omp_span_close(&region, &own);
		assert_int_equal(sd_omp_span_longest(&region), 22);
	}
}

/* fib(4) down to 1, each call 1 before its tasks and 1 after its wait, leaves 1: the chain is
 * 4 -> 3 -> 2 -> a leaf and back: 3 * 2 + 1. */
static void run_fib(const struct sd_omp_made *made, int n)
{
	struct sd_omp_chain c;
	struct sd_omp_made a, b;

	sd_omp_span_begin(&c, made);
	sd_omp_span_work(&c, 1);
	if (n > 1) {
		a = make(&c);
		b = make(&c);
		run_fib(&a, n - 1);
		run_fib(&b, n - 2);
		sd_omp_span_wait(&c);
		sd_omp_span_work(&c, 1);
	}
	sd_omp_span_end(&region, &c, made);
}

static void a_recursion_has_its_depth(void **state)
{
	struct sd_omp_chain own = {0};
	struct sd_omp_made root;

	(void)state;
	root = make(&own);
	run_fib(&root, 4);
	sd_omp_span_wait(&own);
	sd_omp_span_close(&region, &own);
	assert_int_equal(sd_omp_span_longest(&region), 7);
}

/* One of two threads makes a task of 30 and comes to a barrier at 1; both do 4 and 6 of a loop
 * behind it: a loop is no chain, as more threads would divide it. */
static void loops_are_apart_from_chains_and_a_barrier_joins_both(void **state)
{
	struct sd_omp_chain a = {0}, b = {0};
	struct sd_omp_made made;

	(void)state;
	sd_omp_span_work(&a, 1);
	made = make(&a);
	sd_omp_span_arrive(&region, &a);
	sd_omp_span_arrive(&region, &b);
	run_leaf(&made, 30);
	sd_omp_span_leave(&region, &a);
	sd_omp_span_leave(&region, &b);
	assert_int_equal(b.length, 31);
	sd_omp_span_work(&a, 4);
	sd_omp_span_work(&b, 6);
	sd_omp_span_arrive(&region, &a);
	sd_omp_span_arrive(&region, &b);
	sd_omp_span_leave(&region, &a);
	sd_omp_span_leave(&region, &b);
	/* and one thread alone, of a single */
	b.alone = true;
	sd_omp_span_work(&b, 5);
	sd_omp_span_close(&region, &a);
	sd_omp_span_close(&region, &b);
	assert_int_equal(sd_omp_span_longest(&region), 36);
	assert_int_equal(sd_omp_span_loops(&region), 6);
}

/* A final task does what it makes at once: that is final, too. */
static void tasks_of_final_ones_are_final(void **state)
{
	struct sd_omp_chain own = {0}, c;
	const struct sd_omp_made made = sd_omp_span_make(&region, &own, true);
	struct sd_omp_made below;

	(void)state;
	sd_omp_span_begin(&c, &made);
	assert_true(c.final);
	below = make(&c);
	assert_true(below.final);
	run_leaf(&below, 1);
	sd_omp_span_end(&region, &c, &made);
	sd_omp_span_close(&region, &own);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(a_wait_goes_on_from_the_longest_task, zero),
		cmocka_unit_test_setup(a_task_begins_where_it_is_made, zero),
		cmocka_unit_test(a_group_waits_for_grandchildren_and_a_wait_does_not),
		cmocka_unit_test_setup(a_recursion_has_its_depth, zero),
		cmocka_unit_test_setup(loops_are_apart_from_chains_and_a_barrier_joins_both, zero),
		cmocka_unit_test_setup(tasks_of_final_ones_are_final, zero),
	};

	return cmocka_run_group_tests_name("omp_span", tests, NULL, NULL);
}
