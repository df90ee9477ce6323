/*
 * When passes of counters take turns in every run, instead of a run each.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "run/counter_choice.h"

/* Two runs of each pass are more than the five, or seven below 2 s, that a count gets in any case,
 * and each pass has 1.6 s of CPU time of one run. */
static void passes_take_turns_where_a_run_is_long_and_they_are_many(void **state)
{
	static const struct {
		size_t passes;
		double cpu_s, wall_s;
		int turns;
	} row[] = {
		{1, 100, 100, 0}, {2, 100, 100, 0}, /* four runs fit */
		{3, 100, 100, 1}, {3, 4.7, 4.7, 0}, /* 1.57 s each */
		{3, 4.9, 4.9, 1}, {15, 20, 5, 0}, {15, 25, 5, 1},
		{3, 4.9, 1.9, 0}, /* six of the seven runs that short ones get */
	};

	(void)state;
	for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
		const struct sd_plan plan = {.n_pass = row[i].passes};

		assert_int_equal(sd_counter_choice_is_long(&plan, row[i].cpu_s, row[i].wall_s),
			row[i].turns);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(passes_take_turns_where_a_run_is_long_and_they_are_many),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
