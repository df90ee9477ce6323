/*
 * Threads of a modelled machine that are woken: by which call, at what time, and whom the window
 * waits for.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "threads/thread_waits.h"

#define HERE 0x1000u
#define THERE 0x2000u

static uint64_t came(struct sim_waits *w, uint64_t address)
{
	uint64_t clock = 0;

	return sim_waits_came(w, address, &clock) ? clock : UINT64_MAX;
}

static void a_woken_thread_comes_at_the_time_of_its_call(void **state)
{
	struct sim_waits w = {0};

	(void)state;
	sim_waits_wake(&w, 1, HERE, 500);
	sim_waits_wake(&w, 2, THERE, 400);
	assert_int_equal(w.coming, 0); /* whether they wake anybody is not known */
	sim_waits_woke(&w, 1, 2);
	sim_waits_woke(&w, 2, 1);
	assert_int_equal(w.coming, 3);
	sim_waits_wake(&w, 1, HERE, 900);
	sim_waits_woke(&w, 1, 1);
	assert_int_equal(came(&w, HERE), 500);
	assert_int_equal(came(&w, THERE), 400);
	assert_int_equal(came(&w, HERE), 500);
	assert_int_equal(came(&w, HERE), 900);
	assert_true(came(&w, HERE) == UINT64_MAX && came(&w, THERE) == UINT64_MAX);
	assert_true(w.coming == 0 && w.n_call == 0);
	sim_waits_close(&w);
}

/* The kernel may let it go before the call that woke it is seen to return. */
static void one_that_comes_early_is_not_waited_for(void **state)
{
	struct sim_waits w = {0};

	(void)state;
	sim_waits_wake(&w, 1, HERE, 500);
	assert_int_equal(came(&w, HERE), 500);
	sim_waits_woke(&w, 1, 1);
	assert_true(w.coming == 0 && w.n_call == 0);
	sim_waits_wake(&w, 1, HERE, 600);
	sim_waits_woke(&w, 1, 0); /* nobody was there */
	assert_true(w.coming == 0 && w.n_call == 0);
	sim_waits_close(&w);
}

static void one_that_never_comes_is_forgotten(void **state)
{
	struct sim_waits w = {0};

	(void)state;
	sim_waits_wake(&w, 1, HERE, 500);
	sim_waits_woke(&w, 1, 1);
	sim_waits_wake(&w, 2, THERE, 700);
	sim_waits_forget(&w);
	assert_int_equal(w.coming, 0);
	assert_true(came(&w, HERE) == UINT64_MAX);
	assert_int_equal(came(&w, THERE), 700); /* that call is not over */
	sim_waits_close(&w);
}

static void the_end_of_a_thread_wakes_who_joins_it(void **state)
{
	struct sim_thread *const joins = calloc(1, sizeof *joins), *const locks =
									   calloc(1, sizeof *locks);
	struct sim_thread *const all[] = {joins, locks};
	struct sim_waits w = {0};

	(void)state;
	assert_true(joins && locks);
	joins->state = locks->state = SIM_AWAY;
	joins->futex = (struct sim_futex){HERE, 265, 77, 0};
	locks->futex =
		(struct sim_futex){THERE, 128, 77, 0}; /* private: that is no thread's number */
	assert_false(sim_waits_ended(&w, all, 2, 78, 300));
	assert_true(sim_waits_ended(&w, all, 2, 77, 300));
	assert_int_equal(w.coming, 1);
	assert_true(came(&w, THERE) == UINT64_MAX);
	assert_int_equal(came(&w, HERE), 300);
	assert_int_equal(w.coming, 0);
	sim_waits_close(&w);
	free(joins);
	free(locks);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_woken_thread_comes_at_the_time_of_its_call),
		cmocka_unit_test(one_that_comes_early_is_not_waited_for),
		cmocka_unit_test(one_that_never_comes_is_forgotten),
		cmocka_unit_test(the_end_of_a_thread_wakes_who_joins_it),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
