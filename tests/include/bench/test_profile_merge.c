/* Several calibrations as one: medians of medians, what they differ by, states by their distance.
 */
#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "bench/profile_merge.h"

static void add(struct sd_profile *p, const char *variant, unsigned state, double median)
{
	struct sd_bench_row r = {.kernel = "k",
		.unit = "ns",
		.parameter_unit = "",
		.cores = 1,
		.state = state,
		.n = 5,
		.median = median,
		.q1 = 0.99 * median,
		.q3 = 1.01 * median,
		.low = 0.98 * median,
		.high = 1.02 * median,
		.status = SD_STATUS_OK};

	snprintf(r.variant, sizeof r.variant, "%s", variant);
	assert_int_equal(sd_bench_rows_add(&p->rows, &r), 0);
}

static const struct sd_bench_row *find(
	const struct sd_profile *p, const char *variant, unsigned state)
{
	for (size_t i = 0; i < p->rows.n; i++)
		if (strcmp(p->rows.row[i].variant, variant) == 0 && p->rows.row[i].state == state)
			return &p->rows.row[i];
	return NULL;
}

static int near(double a, double b)
{
	return fabs(a - b) <= 1e-9 * fabs(b);
}

static void numbers_are_the_middle_of_all_and_reach_over_them(void **state)
{
	struct sd_profile one[3] = {{.seconds = 2}, {.seconds = 3}, {.seconds = 4}}, all = {0};
	const struct sd_bench_row *r;

	(void)state;
	for (int k = 0; k < 3; k++)
		one[k].states = (struct sd_machine_states){.n = 1, .line = {55e-9}, .seen = {7}};
	add(&one[0], "v=1", 0, 100);
	add(&one[1], "v=1", 0, 130);
	add(&one[2], "v=1", 0, 110);
	add(&one[1], "v=2", 0, 5); /* two could measure it */
	add(&one[2], "v=2", 0, 7);
	assert_int_equal(sd_profile_merge(one, 3, &all), 0);
	assert_int_equal(all.calibrations, 3);
	assert_true(near(all.seconds, 9));
	assert_int_equal(all.states.n, 1);
	assert_int_equal(all.states.seen[0], 21);
	assert_int_equal(all.rows.n, 2);
	r = find(&all, "v=1", 0);
	assert_non_null(r);
	assert_true(near(r->median, 110) && near(r->q1, 99) && near(r->q3, 131.3));
	assert_true(near(r->low, 98) && near(r->high, 132.6));
	assert_int_equal(r->calibrations, 3);
	assert_int_equal(r->n, 15);
	/* ln 100, 110, 130: mean 4.7245, deviations -.1193, -.0240, .1431 */
	assert_true(fabs(r->between - 0.1329) < 1e-3);
	r = find(&all, "v=2", 0);
	assert_non_null(r);
	assert_true(near(r->median, 6));
	assert_int_equal(r->calibrations, 2);
	sd_profile_free(&all);
	for (int k = 0; k < 3; k++)
		sd_profile_free(&one[k]);
}

/* One saw the far state first, one saw it alone: its numbers never meet the near one's. */
static void states_are_joined_by_their_distance(void **state)
{
	struct sd_profile one[2] = {{.states = {.n = 1, .line = {300e-9}, .seen = {4}}},
		{.states = {.n = 2, .line = {60e-9, 280e-9}, .seen = {5, 6}}}};
	struct sd_profile all = {0};

	(void)state;
	add(&one[0], "v=1", 0, 50);
	add(&one[1], "v=1", 0, 10);
	add(&one[1], "v=1", 1, 52);
	assert_int_equal(sd_profile_merge(one, 2, &all), 0);
	assert_int_equal(all.states.n, 2);
	assert_true(all.states.line[0] < all.states.line[1]);
	assert_int_equal(all.rows.n, 2);
	assert_true(near(find(&all, "v=1", 0)->median, 10));
	assert_int_equal(find(&all, "v=1", 0)->calibrations, 1);
	assert_true(near(find(&all, "v=1", 1)->median, 51));
	assert_int_equal(find(&all, "v=1", 1)->calibrations, 2);
	sd_profile_free(&all);
	sd_profile_free(&one[0]);
	sd_profile_free(&one[1]);
}

/* Why there is no number stays said; a number that one could measure replaces it. */
static void a_missing_number_keeps_its_reason(void **state)
{
	struct sd_profile one[2] = {{.quick = 1}, {.quick = 1}}, all = {0};
	struct sd_bench_row gone = {.kernel = "k",
		.variant = "v=1",
		.unit = "ns",
		.parameter_unit = "",
		.cores = 1,
		.status = SD_STATUS_UNSUPPORTED,
		.why = "not here"};

	(void)state;
	assert_int_equal(sd_bench_rows_add(&one[0].rows, &gone), 0);
	assert_int_equal(sd_bench_rows_add(&one[1].rows, &gone), 0);
	snprintf(gone.variant, sizeof gone.variant, "v=2");
	assert_int_equal(sd_bench_rows_add(&one[0].rows, &gone), 0);
	add(&one[1], "v=2", 0, 3);
	assert_int_equal(sd_profile_merge(one, 2, &all), 0);
	assert_int_equal(all.rows.n, 2);
	assert_string_equal(find(&all, "v=1", 0)->why, "not here");
	assert_int_equal(find(&all, "v=1", 0)->calibrations, 0);
	assert_true(near(find(&all, "v=2", 0)->median, 3));
	assert_string_equal(find(&all, "v=2", 0)->why, "");
	sd_profile_free(&all);
	sd_profile_free(&one[0]);
	sd_profile_free(&one[1]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(numbers_are_the_middle_of_all_and_reach_over_them),
		cmocka_unit_test(states_are_joined_by_their_distance),
		cmocka_unit_test(a_missing_number_keeps_its_reason),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
