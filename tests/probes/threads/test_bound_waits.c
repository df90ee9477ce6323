/*
 * Threads that are bound to a CPU wait for those of the program that have it, and for nobody else.
 */
#include "threads/bound_waits.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

struct poll {
	int bound, processor;
	double run, delay;
};

/* s that these threads waited so in one poll, of CPUs 1 and 3. */
static double waited(const struct poll *poll, size_t n)
{
	unsigned cpu[] = {1, 3};
	const struct sd_cpulist cpus = {.cpu = cpu, .n = 2};
	struct sd_thread_state thread[4] = {0}, *list[4];
	const struct sd_process_tree tree = {.task = list, .n = n};
	struct sd_bound_waits w;
	double seconds;

	for (size_t i = 0; i < n; i++) {
		thread[i].bound = poll[i].bound;
		thread[i].processor = poll[i].processor;
		thread[i].run_step = poll[i].run;
		thread[i].delay_step = poll[i].delay;
		list[i] = &thread[i];
	}
	assert_int_equal(sd_bound_waits_begin(&w, &cpus), 0);
	sd_bound_waits_add(&w, &tree);
	seconds = w.seconds;
	sd_bound_waits_end(&w);
	return seconds;
}

static int is(double a, double b)
{
	return fabs(a - b) < 1e-9;
}

static void two_on_one_cpu_wait_for_each_other(void **state)
{
	const struct poll fair[] = {{1, 3, .004, .006}, {1, 3, .006, .004}};
	const struct poll beside[] = {{1, 3, .002, .008}, {1, 3, .003, .007}};

	(void)state;
	assert_true(is(waited(fair, 2), .01));
	/* another program had the CPU for half of the time: they waited for that one, too */
	assert_true(is(waited(beside, 2), .003 + .002));
}

/* The poll before took it for running, and it was not. */
static void estimates_that_are_corrected_leave_no_trace(void **state)
{
	const struct poll back[] = {{1, 3, -.004, .006}, {1, 3, .006, -.002}};

	(void)state;
	assert_true(is(waited(back, 2), .006 - .004));
}

static void one_that_may_go_elsewhere_is_not_bound(void **state)
{
	const struct poll free_one[] = {{0, 3, .004, .006}, {0, 3, .006, .004}};
	const struct poll mixed[] = {{1, 3, .004, .006}, {0, 3, .006, .004}};

	(void)state;
	assert_true(is(waited(free_one, 2), 0));
	/* the other one may go, and does where there is a CPU */
	assert_true(is(waited(mixed, 2), 0));
}

static void threads_with_a_cpu_each_wait_for_nobody(void **state)
{
	const struct poll apart[] = {{1, 1, .004, .006}, {1, 3, .006, .004}};

	(void)state;
	assert_true(is(waited(apart, 2), 0));
}

/* A CPU that is none of the program's, or not known. */
static void other_cpus_are_left_out(void **state)
{
	const struct poll away[] = {{1, -1, .004, .006}, {1, 99, .006, .004}, {1, 99, .1, .1}};

	(void)state;
	assert_true(is(waited(away, 3), 0));
	assert_true(is(waited(away, 0), 0));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(two_on_one_cpu_wait_for_each_other),
		cmocka_unit_test(estimates_that_are_corrected_leave_no_trace),
		cmocka_unit_test(one_that_may_go_elsewhere_is_not_bound),
		cmocka_unit_test(threads_with_a_cpu_each_wait_for_nobody),
		cmocka_unit_test(other_cpus_are_left_out),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
