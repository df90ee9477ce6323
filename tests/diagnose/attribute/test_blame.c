#include <string.h>
#include <stdlib.h>

#include "diagnose/attribute/blame_timeline.h"
#include "attribute/fill_gaps.h"

/* ---- timelines in milliseconds; threads 0, 1, … are PID, PID + 1, … ------------------------- */

static void pushed(struct sd_timeline *t, double ms, unsigned n)
{
	add(t, ms, SD_MOMENT_PUSHED, n);
}

/* ---- tests ----------------------------------------------------------------------------------- */

static void one_thread_on_two_cores_is_serial_code_and_charged_with_it(void **state)
{
	struct sd_timeline t = begin();
	struct result r;

	(void)state;
	runs(&t, 40, 0, 7, SD_ACTIVITY_USEFUL, 40);
	runs(&t, 100, 0, 8, SD_ACTIVITY_USEFUL, 60);
	account(&r, &t, 100, 2);
	is(r.idle[SD_IDLE_SERIAL], 100);
	is(sum(r.idle, SD_IDLE_COUNT), 100);
	is(row(&r, 7, SD_ACTIVITY_USEFUL)->seconds, 40);
	is(row(&r, 7, SD_ACTIVITY_USEFUL)->solo, 40);
	is(row(&r, 7, SD_ACTIVITY_USEFUL)->blame, 40);
	is(row(&r, 7, SD_ACTIVITY_USEFUL)->blame_serial, 40);
	is(row(&r, 8, SD_ACTIVITY_USEFUL)->blame_serial, 60);
	is(r.s.useful_alone.value, 100);
	assert_int_equal(r.c.division.n_concurrency, 2);
	is(r.c.division.concurrency[1], 100);
	assert_int_equal(r.s.n_bottle, 1);
	is(r.s.bottle[0].height, 100);
	assert_true(r.s.bottle[0].width == 1);
	done(&r, &t);
}

/* Threads 1 and 2 work from 0 to 100 ms on three cores; the third waits at a condition from 0 on,
 * or, of a program that is watched from its start, after it has had a CPU. */
static double late_for_third(int had_cpu)
{
	struct sd_timeline t = begin();
	struct result r;
	double late;

	in(&t, 0, 1);
	in(&t, 0, 2);
	if (had_cpu)
		in(&t, 0, 3);
	waits(&t, had_cpu ? 1 : 0, 3, SD_ACTIVITY_CONDITION, 0x1000, 50);
	waits(&t, had_cpu ? 1 : 0, 0, SD_ACTIVITY_JOIN, 0, 51);
	runs(&t, 100, 1, 7, SD_ACTIVITY_USEFUL, 100);
	runs(&t, 100, 2, 7, SD_ACTIVITY_USEFUL, 100);
	account(&r, &t, 100, 3);
	late = r.idle[SD_IDLE_IMBALANCE];
	done(&r, &t);
	return late;
}

static void nobody_is_late_for_who_waits_all_the_time(void **state)
{
	(void)state;
	assert_true(late_for_third(1) > .09);
	is(late_for_third(0), 0);
}

/* The second asks the third by `way` from 40 to 100 ms, who first does `before` answering, and
 * works from 90 on; the first works all the time. */
static struct sd_timeline question(enum sd_activity way, enum sd_activity before)
{
	struct sd_timeline t = begin();

	in(&t, 0, 1);
	waits(&t, 0, 2, way, 0, 60);
	runs(&t, 20, 0, 7, SD_ACTIVITY_USEFUL, 20);
	waits(&t, 40, 1, way, 0, 50);
	wakes(&t, 40, 0, 2);
	in(&t, 40, 2);
	waits(&t, 40, 2, before, 0, 61);
	in(&t, 90, 2);
	wakes(&t, 100, 2, 1);
	in(&t, 100, 1);
	waits(&t, 100, 2, way, 0, 60);
	runs(&t, 140, 0, 7, SD_ACTIVITY_USEFUL, 120);
	return t;
}

static void who_waits_for_an_answer_waits_for_what_the_answer_waits_for(void **state)
{
	struct sd_timeline t = question(SD_ACTIVITY_PIPE, SD_ACTIVITY_SLEEP);
	struct result r;

	(void)state;
	account(&r, &t, 140, 2);
	is(r.idle[SD_IDLE_SLEEP], 50);
	is(sum(r.idle, SD_IDLE_COUNT), 50);
	is(row(&r, 50, SD_ACTIVITY_PIPE)->seconds, 60);
	done(&r, &t);

	/* of one that waits for a lock of the program's, the program's work is waited for */
	t = question(SD_ACTIVITY_PIPE, SD_ACTIVITY_MUTEX);
	account(&r, &t, 140, 2);
	is(r.idle[SD_IDLE_NETWORK], 0);
	is(sum(r.idle, SD_IDLE_COUNT), 50);
	done(&r, &t);

	/* a socket to a thread of the program is like a pipe */
	t = question(SD_ACTIVITY_SOCKET, SD_ACTIVITY_MUTEX);
	account(&r, &t, 140, 2);
	is(r.idle[SD_IDLE_NETWORK], 0);
	done(&r, &t);
	t = question(SD_ACTIVITY_SOCKET, SD_ACTIVITY_SLEEP);
	account(&r, &t, 140, 2);
	is(r.idle[SD_IDLE_SLEEP], 50);
	done(&r, &t);
}

/* An event loop waits for the first of its pool's threads that is done, and these sleep: a timer
 * holds both cores, and no socket does, until the sleeper works. */
static void a_loop_whose_pool_sleeps_waits_for_the_timer(void **state)
{
	struct sd_timeline t = begin();
	struct result r;

	(void)state;
	in(&t, 0, 1);
	waits(&t, 0, 2, SD_ACTIVITY_SLEEP, 0, 61);
	waits(&t, 0, 3, SD_ACTIVITY_SLEEP, 0, 61);
	waits(&t, 10, 0, SD_ACTIVITY_SOCKET, 0, 50);
	waits(&t, 10, 1, SD_ACTIVITY_SLEEP, 0, 61);
	in(&t, 90, 1);
	runs(&t, 100, 1, 7, SD_ACTIVITY_USEFUL, 10);
	wakes(&t, 100, 1, 0);
	in(&t, 100, 0);
	waits(&t, 100, 1, SD_ACTIVITY_SLEEP, 0, 61);
	runs(&t, 140, 0, 7, SD_ACTIVITY_USEFUL, 40);
	account(&r, &t, 140, 2);
	is(r.idle[SD_IDLE_NETWORK], 0);
	assert_true(r.idle[SD_IDLE_SLEEP] >= .160);
	done(&r, &t);
}

static void who_waits_at_a_socket_for_nobody_known_waits_for_the_network(void **state)
{
	struct sd_timeline t = begin();
	struct result r;

	(void)state;
	in(&t, 0, 1);
	runs(&t, 20, 0, 7, SD_ACTIVITY_USEFUL, 20);
	waits(&t, 40, 1, SD_ACTIVITY_SOCKET, 0, 50);
	in(&t, 100, 1);
	runs(&t, 140, 0, 7, SD_ACTIVITY_USEFUL, 120);
	account(&r, &t, 140, 2);
	is(r.idle[SD_IDLE_NETWORK], 60);
	done(&r, &t);
}

static void waits_at_a_barrier_are_charged_to_the_late_thread(void **state)
{
	struct sd_timeline t = begin();
	struct result r;

	(void)state;
	in(&t, 0, 1);
	in(&t, 0, 2);
	waits(&t, 10, 1, SD_ACTIVITY_BARRIER, 0x2000, 50);
	waits(&t, 20, 2, SD_ACTIVITY_BARRIER, 0x2000, 50);
	runs(&t, 20, 0, 7, SD_ACTIVITY_USEFUL, 20);
	runs(&t, 50, 0, 8, SD_ACTIVITY_USEFUL, 30);
	wakes(&t, 50, 0, 1);
	wakes(&t, 50, 0, 2);
	in(&t, 50, 1);
	in(&t, 50, 2);
	account(&r, &t, 50, 3);
	is(r.idle[SD_IDLE_IMBALANCE], 70);
	is(sum(r.idle, SD_IDLE_COUNT), 70);
	/* half of the first 10 ms is the other one's, which ran too but was never sampled */
	is(row(&r, 7, SD_ACTIVITY_USEFUL)->blame_imbalance, 5);
	is(row(&r, 8, SD_ACTIVITY_USEFUL)->blame_imbalance, 60);
	is(row(&r, 50, SD_ACTIVITY_BARRIER)->seconds, 70);
	assert_true(row(&r, 50, SD_ACTIVITY_BARRIER)->count == 2);
	assert_int_equal(r.s.n_lock, 0);
	done(&r, &t);
}

/* In each 2 ms the second waits for 1 ms in which the first runs 7, and then both run 8; the first
 * is sampled every 10 ms or so. */
static void idle_cores_are_charged_to_what_runs_while_they_idle(void **state)
{
	struct sd_timeline t = begin();
	struct result r;

	(void)state;
	in(&t, 0, 1);
	for (int ms = 0; ms < 200; ms += 2) {
		waits(&t, ms, 1, SD_ACTIVITY_BARRIER, 0x1000, 50);
		if (ms % 20 == 18)
			runs(&t, ms + .5, 0, 7, SD_ACTIVITY_USEFUL, 10);
		in(&t, ms + 1, 1);
		if (ms % 20 == 8)
			runs(&t, ms + 1.5, 0, 8, SD_ACTIVITY_USEFUL, 10);
	}
	account(&r, &t, 200, 2);
	is(sum(r.idle, SD_IDLE_COUNT), 100);
	is(row(&r, 7, SD_ACTIVITY_USEFUL)->seconds, 100);
	is(row(&r, 7, SD_ACTIVITY_USEFUL)->blame, 100);
	is(row(&r, 7, SD_ACTIVITY_USEFUL)->solo, 100);
	is(row(&r, 8, SD_ACTIVITY_USEFUL)->seconds, 100);
	is(row(&r, 8, SD_ACTIVITY_USEFUL)->blame, 0);
	is(row(&r, 8, SD_ACTIVITY_USEFUL)->solo, 0);
	done(&r, &t);
}

/* The only one on a CPU is alone in the kernel too, but not in what it does there to wait. */
static void work_in_the_kernel_is_done_alone_as_well(void **state)
{
	struct sd_timeline t = begin();
	struct result r;

	(void)state;
	in(&t, 0, 1);
	waits(&t, 0, 1, SD_ACTIVITY_BARRIER, 0x1000, 50);
	runs(&t, 10, 0, 7, SD_ACTIVITY_KERNEL_FILE, 10);
	runs(&t, 12, 0, 7, SD_ACTIVITY_KERNEL_FUTEX, 2);
	in(&t, 12, 1);
	runs(&t, 20, 0, 8, SD_ACTIVITY_KERNEL_FILE, 8);
	account(&r, &t, 20, 2);
	is(row(&r, 7, SD_ACTIVITY_KERNEL_FILE)->solo, 10);
	is(row(&r, 7, SD_ACTIVITY_KERNEL_FUTEX)->solo, 0);
	is(row(&r, 8, SD_ACTIVITY_KERNEL_FILE)->solo, 0);
	done(&r, &t);
}

static void a_preempted_thread_waits_for_a_cpu_and_charges_nobody_with_serial_code(void **state)
{
	struct sd_timeline t = begin();
	struct result r;

	(void)state;
	in(&t, 0, 1);
	pushed(&t, 10, 1);
	in(&t, 40, 1);
	account(&r, &t, 50, 2);
	is(r.idle[SD_IDLE_RUNNABLE], 30);
	is(sum(r.idle, SD_IDLE_COUNT), 30);
	is(r.c.division.concurrency[2], 50);
	done(&r, &t);
}

/* From 10 to 20 ms another has the CPU of the second: had it not, both would have worked. */
static void who_works_while_others_took_a_peers_cpu_is_not_alone(void **state)
{
	static const struct {
		enum sd_activity of_second;
		double alone;
	} row_of[] = {{SD_ACTIVITY_USEFUL, 0}, {SD_ACTIVITY_SPIN_BARRIER, 20}};

	(void)state;
	for (size_t i = 0; i < sizeof row_of / sizeof *row_of; i++)
		for (int together = 0; together < 2; together++) {
			struct sd_timeline t = begin();
			struct result r;

			t.together = together;
			in(&t, 0, 1);
			runs(&t, 10, 0, 7, SD_ACTIVITY_USEFUL, 10);
			runs(&t, 10, 1, 8, row_of[i].of_second, 10);
			pushed(&t, 10.5, 1);
			runs(&t, 20, 0, 7, SD_ACTIVITY_USEFUL, 10);
			in(&t, 20.5, 1);
			runs(&t, 30, 0, 7, SD_ACTIVITY_USEFUL, 10);
			runs(&t, 30, 1, 8, SD_ACTIVITY_USEFUL, 10);
			account(&r, &t, 30, 2);
			is(row(&r, 7, SD_ACTIVITY_USEFUL)->solo, row_of[i].alone);
			done(&r, &t);
		}
}

static void rows_beyond_the_limit_are_added_up_and_nothing_is_lost(void **state)
{
	struct sd_stack_times u = {0};
	struct sd_use *out;
	double seconds = 0, rest = 0;
	size_t n;

	(void)state;
	for (unsigned i = 0; i < 3 * SD_SAMPLED_ROWS; i++) {
		struct sd_use *const row =
			sd_stack_times_row(&u, i, i % 2 ? SD_ACTIVITY_USEFUL : SD_ACTIVITY_MUTEX);

		assert_non_null(row);
		row->seconds += i + 1;
	}
	assert_int_equal(sd_stack_times_take(&u, NULL, &out, &n), 0);
	assert_in_range(n, SD_SAMPLED_ROWS / 4, SD_SAMPLED_ROWS);
	for (size_t i = 0; i < n; i++) {
		seconds += out[i].seconds;
		rest += out[i].node == 0 ? out[i].seconds : 0;
		if (i > 0)
			assert_true(out[i].seconds <= out[i - 1].seconds);
	}
	assert_true(seconds == 3. * SD_SAMPLED_ROWS * (3. * SD_SAMPLED_ROWS + 1) / 2);
	assert_true(rest > 0);
	free(out);
	sd_stack_times_free(&u);
}

/* One stack a sample, as of a compiler: 40 callers of each line of 10 functions. */
static void too_many_stacks_keep_the_time_of_every_function(void **state)
{
	enum { FUNCTIONS = 10, LINES = 40, CALLERS = 40, EACH = FUNCTIONS * LINES * CALLERS };
	struct sd_stacks stacks = {0};
	struct sd_stack_times u = {0};
	struct sd_use *out;
	double of[FUNCTIONS + 1] = {0};
	size_t n;

	(void)state;
	for (unsigned i = 0; i < EACH; i++) {
		const struct sd_frame leaf = {
			.function = 1 + i % FUNCTIONS, .line = 1 + i / FUNCTIONS % LINES};
		unsigned node = 0, frame;

		for (unsigned k = 0; k < 6; k++) {
			const struct sd_frame caller = {
				.function = 100 + k, .line = i / FUNCTIONS / LINES};

			assert_int_equal(sd_stacks_frame(&stacks, &caller, &frame), 0);
			assert_int_equal(sd_stacks_node(&stacks, node, frame, &node), 0);
		}
		assert_int_equal(sd_stacks_frame(&stacks, &leaf, &frame), 0);
		assert_int_equal(sd_stacks_node(&stacks, node, frame, &node), 0);
		sd_stack_times_row(&u, node, SD_ACTIVITY_USEFUL)->seconds += 1;
	}
	assert_int_equal(sd_stack_times_take(&u, &stacks, &out, &n), 0);
	assert_true(n <= SD_SAMPLED_ROWS);
	for (size_t i = 0; i < n; i++) {
		assert_true(out[i].node > 0);
		of[stacks.frame[stacks.node[out[i].node].frame].function] += out[i].seconds;
	}
	for (unsigned f = 1; f <= FUNCTIONS; f++)
		assert_true(of[f] == (double)EACH / FUNCTIONS);
	free(out);
	sd_stack_times_free(&u);
	sd_stacks_free(&stacks);
}

/* From the end of the thread it joins on: nothing runs, and nothing else is waited for. */
static void who_joins_on_the_last_thread_is_ready_when_that_ends(void **state)
{
	struct sd_timeline t = begin();
	struct result r;

	(void)state;
	in(&t, 0, 0);
	in(&t, 1, 1);
	waits(&t, 2, 0, SD_ACTIVITY_JOIN, 0, 5);
	add(&t, 4, SD_MOMENT_EXIT, 1);
	in(&t, 7, 0);
	account(&r, &t, 8, 1);
	is(r.idle[SD_IDLE_RUNNABLE], 3);
	is(r.idle[SD_IDLE_UNKNOWN], 0);
	done(&r, &t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nobody_is_late_for_who_waits_all_the_time),
		cmocka_unit_test(one_thread_on_two_cores_is_serial_code_and_charged_with_it),
		cmocka_unit_test(who_waits_at_a_socket_for_nobody_known_waits_for_the_network),
		cmocka_unit_test(a_loop_whose_pool_sleeps_waits_for_the_timer),
		cmocka_unit_test(who_waits_for_an_answer_waits_for_what_the_answer_waits_for),
		cmocka_unit_test(waits_at_a_barrier_are_charged_to_the_late_thread),
		cmocka_unit_test(idle_cores_are_charged_to_what_runs_while_they_idle),
		cmocka_unit_test(work_in_the_kernel_is_done_alone_as_well),
		cmocka_unit_test(
			a_preempted_thread_waits_for_a_cpu_and_charges_nobody_with_serial_code),
		cmocka_unit_test(too_many_stacks_keep_the_time_of_every_function),
		cmocka_unit_test(who_works_while_others_took_a_peers_cpu_is_not_alone),
		cmocka_unit_test(rows_beyond_the_limit_are_added_up_and_nothing_is_lost),
		cmocka_unit_test(who_joins_on_the_last_thread_is_ready_when_that_ends),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
