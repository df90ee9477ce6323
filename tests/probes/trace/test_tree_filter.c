/* Which threads are of the tree, when what the CPUs say is met in any order. */
#include "trace/tree_filter.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>

#define FIRST 100

static struct sd_event at(enum sd_event_kind kind, int tid, uint64_t time)
{
	return (struct sd_event){.kind = kind, .pid = tid, .tid = tid, .time = time};
}

static void begin(struct sd_tree_filter *f)
{
	const struct sd_event e = at(SD_EVENT_NAME, FIRST, 10);

	assert_int_equal(sd_tree_filter_init(f, FIRST), 0);
	sd_tree_filter_meet(f, &e, 1);
}

static void born(struct sd_tree_filter *f, int parent, int tid)
{
	struct sd_event e = at(SD_EVENT_FORK, tid, 20);

	e.other = parent;
	sd_tree_filter_meet(f, &e, 0);
}

static int owns(const struct sd_tree_filter *f, int tid)
{
	const struct sd_event e = at(SD_EVENT_SAMPLE, tid, 30);

	return sd_tree_filter_own(f, &e);
}

static void nobody_is_before_the_exec_of_the_first(void **state)
{
	const struct sd_event another = at(SD_EVENT_NAME, 7, 5),
			      before = at(SD_EVENT_SAMPLE, FIRST, 9);
	struct sd_tree_filter f;

	(void)state;
	assert_int_equal(sd_tree_filter_init(&f, FIRST), 0);
	sd_tree_filter_meet(&f, &another, 1);
	assert_false(owns(&f, 7));
	assert_false(owns(&f, FIRST));
	sd_tree_filter_free(&f);
	begin(&f);
	assert_true(owns(&f, FIRST));
	assert_false(sd_tree_filter_own(&f, &before));
	sd_tree_filter_free(&f);
}

/* The first on one CPU, the second on another. */
static void it_begins_with_the_earlier_of_two_execs_in_whatever_order(void **state)
{
	const struct sd_event first = at(SD_EVENT_NAME, FIRST, 10),
			      between = at(SD_EVENT_SAMPLE, FIRST, 15),
			      second = at(SD_EVENT_NAME, FIRST, 20);

	(void)state;
	for (int later_first = 0; later_first < 2; later_first++) {
		struct sd_tree_filter f;

		assert_int_equal(sd_tree_filter_init(&f, FIRST), 0);
		sd_tree_filter_meet(&f, later_first ? &second : &first, 1);
		sd_tree_filter_meet(&f, later_first ? &first : &second, 1);
		assert_true(sd_tree_filter_own(&f, &first));
		assert_true(sd_tree_filter_own(&f, &between));
		assert_true(sd_tree_filter_own(&f, &second));
		sd_tree_filter_free(&f);
	}
}

static void grandchildren_met_before_their_parents_are_adopted(void **state)
{
	struct sd_tree_filter f;

	(void)state;
	begin(&f);
	born(&f, 103, 104);
	born(&f, 102, 103);
	born(&f, 8, 9);
	born(&f, FIRST, 102);
	assert_false(owns(&f, 104));
	sd_tree_filter_adopt(&f);
	assert_true(owns(&f, 102) && owns(&f, 103) && owns(&f, 104));
	assert_false(owns(&f, 9));
	sd_tree_filter_free(&f);
}

static void a_number_given_to_another_is_no_member(void **state)
{
	struct sd_tree_filter f;

	(void)state;
	begin(&f);
	born(&f, FIRST, 102);
	sd_tree_filter_adopt(&f);
	assert_true(owns(&f, 102));
	born(&f, 8, 102);
	sd_tree_filter_adopt(&f);
	assert_false(owns(&f, 102));
	sd_tree_filter_free(&f);
}

static void wake_ups_are_of_the_woken_whoever_wakes(void **state)
{
	struct sd_event by_one = at(SD_EVENT_WAKE, FIRST, 40), by_other = at(SD_EVENT_WAKE, 8, 40),
			by_interrupt = at(SD_EVENT_WAKE, 0, 40);
	struct sd_tree_filter f;

	(void)state;
	begin(&f);
	by_one.other = by_other.other = by_interrupt.other = FIRST;
	assert_true(sd_tree_filter_own(&f, &by_one));
	assert_true(sd_tree_filter_own(&f, &by_interrupt));
	assert_true(sd_tree_filter_own(&f, &by_other));
	sd_tree_filter_hide(&f, &by_one);
	sd_tree_filter_hide(&f, &by_interrupt);
	sd_tree_filter_hide(&f, &by_other);
	assert_true(by_one.tid == FIRST && by_interrupt.tid == 0);
	/* by none of the tree but the thread itself */
	assert_true(by_other.tid == FIRST && by_other.pid == FIRST);
	by_interrupt.other = 8;
	assert_false(sd_tree_filter_own(&f, &by_interrupt));
	sd_tree_filter_free(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nobody_is_before_the_exec_of_the_first),
		cmocka_unit_test(it_begins_with_the_earlier_of_two_execs_in_whatever_order),
		cmocka_unit_test(grandchildren_met_before_their_parents_are_adopted),
		cmocka_unit_test(a_number_given_to_another_is_no_member),
		cmocka_unit_test(wake_ups_are_of_the_woken_whoever_wakes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
