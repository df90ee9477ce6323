/*
 * Locks, semaphores and what spins: who is charged with the waits for them.
 */
#include <stdlib.h>
#include <string.h>

#include "diagnose/attribute/blame_timeline.h"
#include "attribute/fill_gaps.h"

/* The first holds it for 30 of 40 ms, the second waits for it meanwhile; then the other
 * way round. */
static void two_threads_and_one_mutex_charge_its_holder(void **state)
{
	struct sd_timeline t = begin();
	struct result r;

	(void)state;
	in(&t, 0, 1);
	waits(&t, 0, 1, SD_ACTIVITY_MUTEX, 0x1000, 50);
	runs(&t, 30, 0, 7, SD_ACTIVITY_USEFUL, 30);
	wakes(&t, 30, 0, 1);
	in(&t, 32, 1);
	runs(&t, 35, 0, 8, SD_ACTIVITY_USEFUL, 5);
	waits(&t, 40, 0, SD_ACTIVITY_MUTEX, 0x1000, 51);
	runs(&t, 60, 1, 9, SD_ACTIVITY_USEFUL, 28);
	wakes(&t, 60, 1, 0);
	in(&t, 60, 0);
	account(&r, &t, 60, 2);
	is(r.idle[SD_IDLE_LOCK], 50);
	is(r.idle[SD_IDLE_RUNNABLE], 2);
	is(sum(r.idle, SD_IDLE_COUNT), 52);
	is(row(&r, 7, SD_ACTIVITY_USEFUL)->blame_lock, 30);
	is(row(&r, 9, SD_ACTIVITY_USEFUL)->blame_lock, 20);
	is(row(&r, 8, SD_ACTIVITY_USEFUL)->blame_lock, 0);
	is(row(&r, 50, SD_ACTIVITY_MUTEX)->seconds, 30);
	is(row(&r, 51, SD_ACTIVITY_MUTEX)->longest, 20);
	is(row(&r, 50, SD_ACTIVITY_RUNNABLE)->seconds, 2);
	assert_int_equal(r.s.n_lock, 1);
	assert_int_equal(r.s.lock[0].address, 0x1000);
	assert_true(r.s.lock[0].waits == 2);
	is(r.s.lock[0].wait_s, 50);
	is(r.s.lock[0].longest_s, 30);
	assert_int_equal(r.s.lock[0].holder[0].node, 7);
	is(r.s.lock[0].holder[0].seconds, 30);
	assert_int_equal(r.s.lock[0].holder[1].node, 9);
	assert_int_equal(r.s.lock[0].waiter[0].node, 50);
	assert_true(fabs(r.s.lock[0].busy.value - 50. / 60) < 1e-9);
	done(&r, &t);
}

static void a_thread_without_peers_waits_for_nobody_in_whatever_loop(void **state)
{
	struct sd_timeline t = begin();
	struct result r;

	(void)state;
	runs(&t, 10, 0, 7, SD_ACTIVITY_SPIN_BARRIER, 10);
	in(&t, 20, 1);
	runs(&t, 30, 0, 7, SD_ACTIVITY_SPIN_BARRIER, 10);
	runs(&t, 31, 1, 8, SD_ACTIVITY_USEFUL, 10);
	account(&r, &t, 40, 2);
	is(row(&r, 7, SD_ACTIVITY_USEFUL)->seconds, 10);
	is(row(&r, 7, SD_ACTIVITY_SPIN_BARRIER)->seconds, 10);
	done(&r, &t);
}

/* The core that a woken thread has not reached yet is idle for the lock all the same. */
static void who_is_on_its_way_from_a_lock_charges_its_holder(void **state)
{
	struct sd_timeline t = begin();
	struct result r;

	(void)state;
	in(&t, 0, 1);
	waits(&t, 0, 1, SD_ACTIVITY_MUTEX, 0x1000, 50);
	runs(&t, 30, 0, 7, SD_ACTIVITY_USEFUL, 30);
	wakes(&t, 30, 0, 1);
	in(&t, 30.5, 1);
	runs(&t, 60, 0, 8, SD_ACTIVITY_USEFUL, 30);
	account(&r, &t, 60, 2);
	is(r.idle[SD_IDLE_LOCK], 30.5);
	is(row(&r, 7, SD_ACTIVITY_USEFUL)->blame_lock + row(&r, 8, SD_ACTIVITY_USEFUL)->blame_lock,
		30.5);
	is(r.s.lock[0].wait_s, 30);
	is(r.s.lock[0].holder[0].seconds, 30);
	done(&r, &t);
}

static void who_spins_is_charged_to_the_one_that_works(void **state)
{
	struct sd_timeline t = begin();
	struct result r;

	(void)state;
	in(&t, 0, 1);
	in(&t, 0, 2);
	runs(&t, 0, 1, 60, SD_ACTIVITY_SPIN_BARRIER, 0);
	runs(&t, 0, 2, 60, SD_ACTIVITY_SPIN_LOCK, 0);
	runs(&t, 20, 0, 7, SD_ACTIVITY_USEFUL, 20);
	runs(&t, 20, 1, 9, SD_ACTIVITY_USEFUL, 20);
	runs(&t, 20, 2, 60, SD_ACTIVITY_SPIN_OTHER, 20);
	runs(&t, 50, 0, 8, SD_ACTIVITY_USEFUL, 30);
	account(&r, &t, 50, 3);
	is(r.s.useful_alone.value, 20);
	is(r.s.spun_serial.value, 20);
	is(r.s.spun_imbalance.value, 30);
	is(row(&r, 7, SD_ACTIVITY_USEFUL)->solo, 20);
	is(row(&r, 7, SD_ACTIVITY_USEFUL)->spun_serial, 20);
	is(row(&r, 8, SD_ACTIVITY_USEFUL)->spun_imbalance, 15);
	done(&r, &t);
}

/* A wait loop that gives up the CPU, and gets it back, is one. */
static void who_yields_is_charged_to_the_one_that_works(void **state)
{
	struct sd_timeline t = begin();
	struct result r;

	(void)state;
	in(&t, 0, 1);
	runs(&t, 0, 1, 60, SD_ACTIVITY_KERNEL_YIELD, 0);
	runs(&t, 20, 0, 7, SD_ACTIVITY_USEFUL, 20);
	runs(&t, 20, 1, 60, SD_ACTIVITY_KERNEL_YIELD, 20);
	account(&r, &t, 20, 2);
	is(r.s.useful_alone.value, 20);
	is(r.s.spun_serial.value, 20);
	is(row(&r, 7, SD_ACTIVITY_USEFUL)->spun_serial, 20);
	done(&r, &t);
}

/* Thread 0 works for 100 ms. Thread 1 sleeps for 9 of every 10, and then works as well, or only
 * looks whether it has still to wait. */
static double serial_beside_sleeps(double runs_for)
{
	struct sd_timeline t = begin();
	struct result r;
	double serial;

	in(&t, 0, 1);
	for (int i = 0; i < 10; i++) {
		waits(&t, 10 * i + runs_for, 1, SD_ACTIVITY_SLEEP, 0, 50);
		wakes(&t, 10 * i + 10, 0, 1);
		in(&t, 10 * i + 10, 1);
	}
	runs(&t, 100, 0, 7, SD_ACTIVITY_USEFUL, 100);
	account(&r, &t, 100, 2);
	is(sum(r.idle, SD_IDLE_COUNT), 10 * (10 - runs_for));
	serial = r.idle[SD_IDLE_SERIAL];
	is(r.idle[SD_IDLE_SLEEP], 1e3 * (sum(r.idle, SD_IDLE_COUNT) - serial));
	done(&r, &t);
	return serial;
}

static void who_sleeps_between_looks_waits_for_the_one_that_works(void **state)
{
	(void)state;
	/* the first sleep may be anything */
	is(serial_beside_sleeps(.01), 9 * 9.99);
	/* short work, if only for a ninth of the sleep */
	is(serial_beside_sleeps(.6), 0);
	is(serial_beside_sleeps(2), 0);
}

static void time_at_atomic_instructions_is_a_part_of_a_stacks_time(void **state)
{
	struct sd_timeline t = begin();
	struct result r;

	(void)state;
	in(&t, 0, 0);
	runs(&t, 10, 0, 7, SD_ACTIVITY_USEFUL, 10);
	runs(&t, 20, 0, 7, SD_ACTIVITY_USEFUL, 10);
	t.moment[t.n - 1].atomic = 1;
	runs(&t, 30, 0, 8, SD_ACTIVITY_USEFUL, 10);
	account(&r, &t, 30, 1);
	is(row(&r, 7, SD_ACTIVITY_USEFUL)->seconds, 20);
	is(row(&r, 7, SD_ACTIVITY_USEFUL)->atomic, 10);
	is(row(&r, 8, SD_ACTIVITY_USEFUL)->atomic, 0);
	done(&r, &t);
}

/* `rounds` turns of two threads at a semaphore, each leaves it to the other. */
static void take_turns(struct sd_timeline *t, int rounds, enum sd_activity a)
{
	double now = 0;

	in(t, 0, 1);
	waits(t, 0, 1, a, 0x3000, 50);
	for (int i = 0; i < rounds; i++) {
		const unsigned holder = i % 2, other = 1 - holder;

		now += 10;
		runs(t, now, holder, 7 + holder, SD_ACTIVITY_USEFUL, 10);
		wakes(t, now, holder, other);
		in(t, now, other);
		now += 1; /* outside of it */
		waits(t, now, holder, a, 0x3000, 50 + holder);
	}
}

static void a_semaphore_that_its_last_holder_hands_on_is_a_lock(void **state)
{
	struct sd_timeline t = begin();
	struct result r;

	(void)state;
	take_turns(&t, 40, SD_ACTIVITY_SEMAPHORE);
	account(&r, &t, 440, 2);
	is(r.idle[SD_IDLE_SERIAL], 0);
	is(r.idle[SD_IDLE_IMBALANCE], 0);
	is(r.idle[SD_IDLE_LOCK], 10 + 39 * 10);
	assert_int_equal(r.s.n_lock, 1);
	assert_int_equal(r.s.lock[0].kind, SD_ACTIVITY_SEMAPHORE);
	done(&r, &t);
}

/* A producer and a consumer: who posts never waits there. */
static void a_semaphore_that_a_producer_posts_is_no_lock(void **state)
{
	struct sd_timeline t = begin();
	struct result r;

	(void)state;
	in(&t, 0, 1);
	for (int i = 0; i < 40; i++) {
		waits(&t, 10 * i, 1, SD_ACTIVITY_SEMAPHORE, 0x3000, 50);
		runs(&t, 10 * i + 9, 0, 7, SD_ACTIVITY_USEFUL, 10);
		wakes(&t, 10 * i + 9, 0, 1);
		in(&t, 10 * i + 9, 1);
	}
	account(&r, &t, 400, 2);
	is(r.idle[SD_IDLE_LOCK], 0);
	is(r.idle[SD_IDLE_SERIAL], 40 * 9);
	is(row(&r, 7, SD_ACTIVITY_USEFUL)->blame_serial, 40 * 9);
	assert_int_equal(r.s.n_lock, 0);
	done(&r, &t);
}

/* A barrier made of a condition: now this thread is late, now that one, two and two. */
static void a_condition_of_a_barrier_is_no_lock(void **state)
{
	struct sd_timeline t = begin();
	struct result r;

	(void)state;
	in(&t, 0, 1);
	for (int i = 0; i < 40; i++) {
		const unsigned late = i / 2 % 2, early = 1 - late;

		waits(&t, 20 * i + 10, early, SD_ACTIVITY_CONDITION, 0x3000, 50);
		wakes(&t, 20 * i + 20, late, early);
		in(&t, 20 * i + 20, early);
	}
	account(&r, &t, 800, 2);
	is(r.idle[SD_IDLE_LOCK], 0);
	is(r.idle[SD_IDLE_IMBALANCE] + r.idle[SD_IDLE_SERIAL], 400);
	done(&r, &t);
}

/* The kernel of many machines does not tell who woke whom. */
static void without_wakers_the_holder_is_who_runs_when_the_wait_ends(void **state)
{
	struct sd_timeline t = begin();
	struct result r;
	size_t kept = 0;

	(void)state;
	take_turns(&t, 40, SD_ACTIVITY_SEMAPHORE);
	for (size_t i = 0; i < t.n; i++)
		if (t.moment[i].kind != SD_MOMENT_WAKE)
			t.moment[kept++] = t.moment[i];
	t.n = kept;
	account(&r, &t, 440, 2);
	is(r.idle[SD_IDLE_LOCK], 10 + 39 * 10);
	assert_int_equal(r.s.lock[0].holder[0].node, 7);
	assert_int_equal(r.s.lock[0].holder[1].node, 8);
	done(&r, &t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(two_threads_and_one_mutex_charge_its_holder),
		cmocka_unit_test(a_thread_without_peers_waits_for_nobody_in_whatever_loop),
		cmocka_unit_test(who_is_on_its_way_from_a_lock_charges_its_holder),
		cmocka_unit_test(who_spins_is_charged_to_the_one_that_works),
		cmocka_unit_test(who_yields_is_charged_to_the_one_that_works),
		cmocka_unit_test(who_sleeps_between_looks_waits_for_the_one_that_works),
		cmocka_unit_test(time_at_atomic_instructions_is_a_part_of_a_stacks_time),
		cmocka_unit_test(a_semaphore_that_its_last_holder_hands_on_is_a_lock),
		cmocka_unit_test(a_semaphore_that_a_producer_posts_is_no_lock),
		cmocka_unit_test(a_condition_of_a_barrier_is_no_lock),
		cmocka_unit_test(without_wakers_the_holder_is_who_runs_when_the_wait_ends),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
