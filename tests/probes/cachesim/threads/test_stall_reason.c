/*
 * Cycles that a thread of the core model stood still, by what for: each is counted once, and those
 * for the bus are what a line would have come earlier, had it been free.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "threads/stall_reason.h"

static void each_cycle_is_counted_by_what_it_was_waited_for(void **state)
{
	static const struct {
		struct sim_stall_reason why;
		uint64_t cycles, transfer, memory, bus;
	} row[] = {
		{{.kind = SIM_STALL_TRANSFER}, 110, 110, 0, 0},
		{{.kind = SIM_STALL_LLC}, 70, 0, 0, 0},
		{{SIM_STALL_MEMORY, 0}, 190, 0, 190, 0},
		{{SIM_STALL_MEMORY, 40}, 230, 0, 190, 40},
		/* had the bus been free, the line would have been there before the thread asked */
		{{SIM_STALL_MEMORY, 40}, 30, 0, 0, 30},
		{{SIM_STALL_MEMORY, 40}, 0, 0, 0, 0},
	};

	(void)state;
	for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
		uint64_t modelled[SD_MODELLED_COUNT] = {0};

		sim_stall_reason_count(modelled, row[i].why, row[i].cycles);
		assert_int_equal(modelled[SD_MODELLED_WAIT_TRANSFER], row[i].transfer);
		assert_int_equal(modelled[SD_MODELLED_WAIT_MEMORY], row[i].memory);
		assert_int_equal(modelled[SD_MODELLED_WAIT_BUS], row[i].bus);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_cycle_is_counted_by_what_it_was_waited_for),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
