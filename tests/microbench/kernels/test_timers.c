/*
 * Cost and resolution of clocks.
 */
#include <time.h>

#include "support/kernel_fixture.h"
#include "kernels/kernels.h"

/* The row of a timer and a quantity, at any clock source. */
static const struct sd_bench_row *of(
	const struct fixture *f, const char *timer, const char *quantity)
{
	for (size_t i = 0; i < f->rows.n; i++)
		if (strstr(f->rows.row[i].variant, timer) &&
			strstr(f->rows.row[i].variant, quantity))
			return &f->rows.row[i];
	fail_msg("no row %s %s", timer, quantity);
	abort();
}

static void clocks_step_no_finer_than_the_kernel_says(void **state)
{
	static const struct {
		const char *clock;
		clockid_t id;
	} clocks[] = {
		{"timer=clock_gettime clock=monotonic ", CLOCK_MONOTONIC},
		{"timer=clock_gettime clock=realtime ", CLOCK_REALTIME},
		{"timer=clock_gettime clock=monotonic-raw ", CLOCK_MONOTONIC_RAW},
	};
	struct fixture f;

	(void)state;
	fixture_init(&f, 1);
	assert_int_equal(sd_kernel_timers.run(&f.env, &f.rows), 0);
	fixture_rows_are_sane(&f, "timers");
	for (size_t i = 0; i < sizeof(clocks) / sizeof(*clocks); i++) {
		const struct sd_bench_row *r = of(&f, clocks[i].clock, "quantity=resolution");
		struct timespec res;

		assert_int_equal(clock_getres(clocks[i].id, &res), 0);
		assert_true(r->low >= (double)res.tv_nsec - 0.5);
	}
	fixture_free(&f);
}

static void a_coarse_clock_is_coarse_and_a_microsecond_clock_shows_microseconds(void **state)
{
	struct fixture f;
	double fine;

	(void)state;
	fixture_init(&f, 1);
	assert_int_equal(sd_kernel_timers.run(&f.env, &f.rows), 0);
	fine = of(&f, "clock=monotonic ", "quantity=resolution")->median;
	assert_true(of(&f, "clock=monotonic-coarse", "quantity=resolution")->median > fine);
	assert_true(of(&f, "timer=gettimeofday", "quantity=resolution")->median >= 999.5);
	fixture_free(&f);
}

static void a_cpu_that_is_not_there_gives_no_number(void **state)
{
	(void)state;
	fixture_bears_a_missing_cpu(&sd_kernel_timers);
}

static void after_its_deadline_it_measures_nothing(void **state)
{
	(void)state;
	fixture_minds_the_deadline(&sd_kernel_timers);
}

static void a_stop_before_the_start_leaves_no_row(void **state)
{
	(void)state;
	fixture_stops(&sd_kernel_timers);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(clocks_step_no_finer_than_the_kernel_says),
		cmocka_unit_test(
			a_coarse_clock_is_coarse_and_a_microsecond_clock_shows_microseconds),
		cmocka_unit_test(a_cpu_that_is_not_there_gives_no_number),
		cmocka_unit_test(after_its_deadline_it_measures_nothing),
		cmocka_unit_test(a_stop_before_the_start_leaves_no_row),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
