/* Time of waits without a stack goes to waits like them, and none is lost. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "bpf/lock_shares.h"

#define MUTEX SD_LOCK_CODE_MUTEX
#define SPIN SD_LOCK_CODE_SPIN

struct expected {
	uint64_t waits, ns, longest, timed;
};

static void check(const struct sd_lock_keyed *got, const struct expected *want, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		assert_int_equal(got[i].sum.waits, want[i].waits);
		assert_int_equal(got[i].sum.ns, want[i].ns);
		assert_int_equal(got[i].sum.longest, want[i].longest);
		assert_int_equal(got[i].sum.timed, want[i].timed);
		assert_int_equal(got[i].given.ns, 0);
	}
}

/* keys: flags, call, held, lock, waiter, holder; sums: waits, ns, longest, timed */
static void time_goes_to_the_same_lock_call_and_holder_in_proportion(void **state)
{
	struct sd_lock_keyed k[] = {
		{{MUTEX, 5, 7, 3, -1, -1}, {100, 1000, 90, 10}, {0}},
		{{MUTEX, 5, 7, 3, 1, 2}, {1, 30, 30, 1}, {0}},
		{{MUTEX, 5, 7, 3, 4, 2}, {1, 10, 10, 1}, {0}},
		{{MUTEX, 5, 8, 3, 4, 6}, {1, 900, 900, 1}, {0}}, /* another holder */
		{{MUTEX, 5, 7, 9, 4, 2}, {1, 800, 800, 1}, {0}}, /* another lock */
	};
	const struct expected want[] = {{0, 0, 0, 0}, {76, 780, 90, 8}, {26, 260, 10, 4},
		{1, 900, 900, 1}, {1, 800, 800, 1}};

	(void)state;
	sd_lock_shares_give(k, 5);
	check(k, want, 5);
}

static void what_is_less_alike_is_second_best(void **state)
{
	struct sd_lock_keyed k[] = {
		{{MUTEX, 5, 0, 3, -1, -1}, {1, 8, 8, 1}, {0}},   /* the same lock, another call */
		{{SPIN, 6, 0, 3, -1, -1}, {1, 16, 16, 1}, {0}},  /* another kind of lock */
		{{SPIN, 5, 0, 99, -1, -1}, {1, 32, 32, 1}, {0}}, /* the same kind and call */
		{{MUTEX, 6, 0, 3, 1, -1}, {1, 1, 1, 1}, {0}},
		{{SPIN, 5, 0, 4, 2, -1}, {1, 2, 2, 1}, {0}},
	};
	const struct expected want[] = {
		{0, 0, 0, 0}, {1, 16, 16, 1}, {0, 0, 0, 0}, {2, 9, 8, 2}, {2, 34, 32, 2}};

	(void)state;
	sd_lock_shares_give(k, 5);
	check(k, want, 5);
}

/* Shares are rounded so that they sum to what was given: 10 to 3 alike. */
static void totals_stay_the_same(void **state)
{
	struct sd_lock_keyed k[] = {
		{{SPIN, 1, 0, 1, -1, -1}, {10, 10, 2, 10}, {0}},
		{{SPIN, 1, 0, 1, 1, -1}, {0, 0, 0, 0}, {0}},
		{{SPIN, 1, 0, 1, 2, -1}, {0, 0, 0, 0}, {0}},
		{{SPIN, 1, 0, 1, 3, -1}, {0, 0, 0, 0}, {0}},
	};
	const struct expected want[] = {{0, 0, 0, 0}, {3, 3, 2, 3}, {3, 3, 0, 3}, {4, 4, 0, 4}};

	(void)state;
	sd_lock_shares_give(k, 4);
	check(k, want, 4);
	sd_lock_shares_give(NULL, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(time_goes_to_the_same_lock_call_and_holder_in_proportion),
		cmocka_unit_test(what_is_less_alike_is_second_best),
		cmocka_unit_test(totals_stay_the_same),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
