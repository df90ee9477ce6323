/* The time of day is set while a process runs: what it says passed is what passed. */
#include "base/clock.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <unistd.h>

#include <cmocka.h>

#define YEAR 31536000

static struct {
	double day, up, monotonic;
} is;

/* In place of the C library's. */
int clock_gettime(clockid_t id, struct timespec *t)
{
	const double at = id == CLOCK_REALTIME   ? is.day
			  : id == CLOCK_BOOTTIME ? is.up
						 : is.monotonic;

	t->tv_sec = (time_t)at;
	t->tv_nsec = (long)((at - (double)t->tv_sec) * 1e9);
	return 0;
}

static void pass(double seconds)
{
	is.day += seconds;
	is.up += seconds;
	is.monotonic += seconds;
}

static void a_day_that_is_set_is_no_time_that_passed(void **state)
{
	(void)state;
	is.day = 1.8e9;
	is.up = 500;
	assert_true(fabs(sd_clock_day() - 1.8e9) < 1e-3);
	pass(2);
	assert_true(fabs(sd_clock_day() - (1.8e9 + 2)) < 1e-3);
	is.day += YEAR;
	assert_true(fabs(sd_clock_day() - (1.8e9 + 2)) < 1e-3);
	is.day -= 2. * YEAR;
	pass(3);
	assert_true(fabs(sd_clock_day() - (1.8e9 + 5)) < 1e-3);
}

static void a_machine_that_slept_was_away_so_long(void **state)
{
	const double before = sd_clock_day();

	(void)state;
	is.up += 3600; /* CLOCK_MONOTONIC stood still */
	assert_true(fabs(sd_clock_day() - before - 3600) < 1e-3);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_day_that_is_set_is_no_time_that_passed),
		cmocka_unit_test(a_machine_that_slept_was_away_so_long),
	};

	is.monotonic = 400;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
