/* Cost of a sample, and how many that allows. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>

#include "trace/sample_cost.h"
#include "trace/switch_windows.h"

static void fewer_are_taken_where_they_cost_more(void **state)
{
	static const struct {
		double cost_us, switches, hz;
	} row[] = {{0, 0, 401}, {10, 0, 401}, {14.9, 0, 401}, {15.1, 0, 397}, {22.6, 0, 263},
		{45, 0, 131}, {52.5, 0, 113}, {90, 0, 97}, {1000, 0, 97}, {1e300, 0, 97},
		/* beside many switches half of the time is for samples */
		{5, 25000, 401}, {10, 25000, 293}, {10, 9000, 401}, {15.1, 25000, 197},
		{45, 25000, 97}};

	(void)state;
	for (size_t i = 0; i < sizeof row / sizeof *row; i++)
		assert_float_equal(
			sd_sample_cost_rate(SD_OK(row[i].cost_us * 1e-6), row[i].switches),
			row[i].hz, 1e-9);
	assert_float_equal(sd_sample_cost_rate(SD_NOT(DENIED), 0), 401, 1e-9);
}

static void a_cost_is_the_median_of_gaps(void **state)
{
	double few[] = {1, 2, 3, 4, 5, 6, 7},
	       gap[] = {5e4, 9e5, 2e3, 5e4, 5.1e4, 4.9e4, 5e4, 3e3, 5e4};

	(void)state;
	assert_true(sd_sample_cost_gap(few, 7) == 0);
	assert_true(sd_sample_cost_gap(gap, 9) == 5e4);
	assert_true(sd_sample_cost_gap(NULL, 0) == 0);
}

static void count_call(void *ctx)
{
	++*(unsigned *)ctx;
}

/* A sample is an interrupt and a copy of 8 KiB: more than a load from memory, less than a tick. */
static void one_takes_time_on_this_machine(void **state)
{
	unsigned called = 0;
	const struct sd_value cost = sd_sample_cost_measure(count_call, &called);

	(void)state;
	assert_int_equal(called, 1);
	if (!sd_has(cost)) {
		print_message("SKIP: %s: %s\n", __func__, sd_status_name(cost.status));
		skip();
	}
	assert_true(cost.value > 1e-6 && cost.value < 1e-3);
}

/* Few switches; one part of five of the time is recorded, so that four windows are left out on
 * average, and never more than some 15. */
static void a_thinned_recording_leaves_windows_out_at_any_rate(void **state)
{
	struct sd_switch_windows w = {0};
	double sum = 0;

	(void)state;
	assert_true(sd_switch_windows_gap(&w, 100, 1, 1) == 0);
	assert_true(sd_switch_windows_gap(&w, 100, 1, 0) == 0);
	for (int i = 0; i < 4000; i++)
		sum += (double)sd_switch_windows_gap(&w, 100, 1, 5);
	assert_float_equal(sum / 4000 / (double)SD_SWITCH_WINDOWS_NS, 4, .1);
	assert_true(sd_switch_windows_gap(&w, 100, 1, 1e9) <= 23 * SD_SWITCH_WINDOWS_NS);
	/* the one that leaves out more decides */
	sum = 0;
	for (int i = 0; i < 4000; i++)
		sum += (double)sd_switch_windows_gap(&w, 22000, 1, 2);
	assert_float_equal(sum / 4000 / (double)SD_SWITCH_WINDOWS_NS, 9, .2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(fewer_are_taken_where_they_cost_more),
		cmocka_unit_test(a_cost_is_the_median_of_gaps),
		cmocka_unit_test(one_takes_time_on_this_machine),
		cmocka_unit_test(a_thinned_recording_leaves_windows_out_at_any_rate),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
