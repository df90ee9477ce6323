/* Programs of which the software PMU models parts. Skipped without qemu-user. */
#include <math.h>

#include "probes/simulated_run.h"

/* Counts of the only thread, by a run with these options. */
static struct sd_sim_thread counts(
	void **state, const char *options, const char *program, const char *n)
{
	struct live *l;

	tear_down(state);
	set_up(state);
	l = *state;
	assert_int_equal(run_with(l, options, "ten", program, n), 0);
	assert_int_equal(results(l), 1);
	assert_false(l->file.partial);
	assert_int_equal(l->file.n_thread, 1);
	return l->file.thread[0];
}

/* Relative, of what is said of `name`; below 0: nothing is. */
static double precision(const struct live *l, const char *name)
{
	const char *const said = strstr(l->file.precision, name);
	double half;

	return said && sscanf(said + strlen(name), " \xc2\xb1%lf", &half) == 1 ? half / 100 : -1;
}

static void expect_within(const struct live *l, const char *name, double sampled, double whole)
{
	const double half = precision(l, name);

	/* the program's end is in no part: what it alone does is some hundreds of misses */
	if (half < 0 || fabs(sampled - whole) > 1.5 * half * whole + 500)
		fail_msg("%s: %.0f of %.0f, %s", name, sampled, whole, l->file.precision);
}

static void expect_like_the_whole(const struct live *l, const struct sd_sim_thread *sampled,
	const struct sd_sim_thread *whole)
{
	/* but for what it allocates at addresses of its own */
	assert_true(fabs(sampled->instructions / whole->instructions - 1) < 1e-4);
	assert_true(fabs(sampled->loads / whole->loads - 1) < 1e-4);
	assert_true(fabs(sampled->stores / whole->stores - 1) < 1e-3);
	assert_true(sd_has(l->file.sampled));
	expect_within(l, "L1 misses", sampled->l1_misses, whole->l1_misses);
	expect_within(l, "last-level misses", sampled->llc_misses, whole->llc_misses);
}

static void a_sample_has_the_counts_of_the_whole_and_says_how_precisely(void **state)
{
	const struct sd_sim_thread whole = counts(state, "cores=1", "naive", "40"),
				   sampled = counts(state, "cores=1,share=20", "naive", "40");
	const struct live *const l = *state;

	expect_like_the_whole(l, &sampled, &whole);
	assert_true(l->file.sampled.value < .3);
}

/* Two programs: of the same all along, and of passes that differ within. */
static void once_counts_are_known_parts_are_modelled_and_the_rest_is_counted(void **state)
{
	static const char *const programs[][2] = {{"naive", "40"}, {"triad", "300"}};

	for (size_t i = 0; i < 2; i++) {
		const struct sd_sim_thread whole = counts(state, "cores=1", programs[i][0],
						   programs[i][1]),
					   sampled = counts(state, "cores=1,settle=5",
						   programs[i][0], programs[i][1]);
		const struct live *const l = *state;

		expect_like_the_whole(l, &sampled, &whole);
		assert_true(l->file.sampled.value < .95);
	}
}

static void a_short_program_is_modelled_whole(void **state)
{
	const struct sd_sim_thread whole = counts(state, "cores=1", "naive", "2"),
				   settled = counts(state, "cores=1,settle=5", "naive", "2");
	const struct live *const l = *state;

	assert_false(sd_has(l->file.sampled));
	assert_string_equal(l->file.precision, "");
	assert_true(fabs(settled.l1_misses / whole.l1_misses - 1) < .01);
}

/* Many parts, so that what QEMU drops and translates anew is used: no thread or child of it, and no
 * count is lost. */
static void threads_and_children_go_on_between_parts(void **state)
{
	struct live *l = *state;

	for (unsigned i = 0; i < 3; i++) {
		assert_int_equal(run(l, "cores=4,share=20", "volatile_sum", NULL), 0);
		assert_int_equal(results(l), 1);
		assert_false(l->file.partial);
		assert_int_equal(l->file.n_thread, 5);
		tear_down(state);
		set_up(state);
		l = *state;
	}
}

int main(void)
{
#define T(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)
	const struct CMUnitTest tests[] = {
		T(a_sample_has_the_counts_of_the_whole_and_says_how_precisely),
		T(once_counts_are_known_parts_are_modelled_and_the_rest_is_counted),
		T(a_short_program_is_modelled_whole),
		T(threads_and_children_go_on_between_parts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
