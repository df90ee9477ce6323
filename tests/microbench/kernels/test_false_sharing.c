/*
 * False sharing: what sharing a line must and must not cost.
 */
#include "support/kernel_fixture.h"
#include "kernels/kernels.h"

static int layout_is_nothing_to_one(const struct fixture *f)
{
	const double ratio = fixture_median(f, "op=atomic-add layout=one-line/padded", 1);

	return ratio > 0.5 && ratio < 2;
}

static void one_thread_does_not_mind_the_layout(void **state)
{
	(void)state;
	fixture_must_hold(&sd_kernel_false_sharing, 1, 1, layout_is_nothing_to_one, __func__);
}

/*
 * Not slower beyond noise. Not always faster: the two CPUs may be one core's threads, and plain
 * increments may hide in the store buffer. A locked instruction waits for the line each time, of a
 * plain one several may leave the store buffer at one transfer: on one line it is no faster. On
 * lines of their own nothing is said of the two: a plain increment waits for its own last store
 * to be forwarded, which takes as long as a locked one on Zen 4.
 */
static int sharing_is_no_gain(const struct fixture *f)
{
	fixture_rows_are_sane(f, "sharing");
	return fixture_median(f, "op=atomic-add layout=one-line/padded", 2) > 0.8 &&
	       fixture_median(f, "op=increment layout=one-line/padded", 2) > 0.7 &&
	       fixture_median(f, "op=atomic-add layout=one-line", 2) >
		       0.8 * fixture_median(f, "op=increment layout=one-line", 2);
}

static void two_threads_on_one_line_are_no_faster_than_padded_ones(void **state)
{
	struct fixture f;

	(void)state;
	FIXTURE_NEEDS_TIMES(__func__);
	fixture_init(&f, 2);
	FIXTURE_NEEDS_TWO(&f, __func__);
	fixture_must_hold(&sd_kernel_false_sharing, 2, 1, sharing_is_no_gain, __func__);
}

static void a_cpu_that_is_not_there_gives_no_number(void **state)
{
	(void)state;
	fixture_bears_a_missing_cpu(&sd_kernel_false_sharing);
}

static void after_its_deadline_it_measures_nothing(void **state)
{
	(void)state;
	fixture_minds_the_deadline(&sd_kernel_false_sharing);
}

static void a_stop_before_the_start_leaves_no_row(void **state)
{
	(void)state;
	fixture_stops(&sd_kernel_false_sharing);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_thread_does_not_mind_the_layout),
		cmocka_unit_test(two_threads_on_one_line_are_no_faster_than_padded_ones),
		cmocka_unit_test(a_cpu_that_is_not_there_gives_no_number),
		cmocka_unit_test(after_its_deadline_it_measures_nothing),
		cmocka_unit_test(a_stop_before_the_start_leaves_no_row),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
