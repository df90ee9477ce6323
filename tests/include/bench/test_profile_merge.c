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
#include "bench/profile_pairs.h"

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
	struct sd_interval v;

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
	/* one more: 4.303 of them times sqrt(4/3), either way; of one calibration the quartiles */
	v = sd_bench_row_value(r);
	assert_true(near(v.value, 110) && near(v.low * v.high, 110 * 110));
	assert_true(fabs(log(v.high / v.value) - 4.303 * r->between * sqrt(4. / 3)) < 1e-9);
	v = sd_bench_row_value(find(&one[0], "v=1", 0));
	assert_true(near(v.low, 99) && near(v.high, 101));
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

/* Blocks of one calibration: where one was not disturbed, the others do not count; nothing says how
 * calibrations differ; the best of a block is not the best of all. */
static void blocks_are_one_calibration(void **state)
{
	struct sd_profile block[2] = {{.states = {.n = 2, .line = {60e-9, 100e-9}}},
		{.states = {.n = 2, .line = {60e-9, 100e-9}}}};
	static const struct {
		unsigned block;
		const char *kernel;
		double rate;
	} rate[] = {{0, "triad", 40}, {0, "copy", 50}, {1, "triad", 44}, {1, "copy", 30}};
	struct sd_profile all = {.states = block[0].states};
	struct sd_bench_rows rows[2];
	const struct sd_bench_row *r;

	(void)state;
	add(&block[0], "v=1", 1, 10);
	add(&block[1], "v=1", 1, 20);
	add(&block[0], "v=2", 0, 10);
	add(&block[1], "v=2", 0, 90);
	block[1].rows.row[1].status = SD_STATUS_NOISY;
	for (size_t i = 0; i < sizeof rate / sizeof *rate; i++)
		for (int best = 0; best < 1 + (i == 1 || i == 2); best++) {
			struct sd_profile *const p = &block[rate[i].block];

			add(p, "stores=nt isa=avx2 width=256 pages=thp bytes=counted", 0,
				rate[i].rate);
			p->rows.row[p->rows.n - 1].unit = "GB/s";
			p->rows.row[p->rows.n - 1].kernel = best ? "ceiling" : rate[i].kernel;
		}
	for (int k = 0; k < 2; k++)
		rows[k] = block[k].rows;
	assert_int_equal(sd_profile_merge_blocks(rows, 2, &all.states, &all.rows), 0);
	/* states that could be one are kept apart: both blocks call them alike */
	r = find(&all, "v=1", 1);
	assert_non_null(r);
	assert_true(near(r->median, 15) && near(r->q1, 9.9) && near(r->q3, 20.2));
	assert_int_equal(r->calibrations, 0);
	assert_true(near(r->between, 0));
	r = find(&all, "v=2", 0);
	assert_true(near(r->median, 10) && near(r->q3, 10.1));
	assert_int_equal(r->status, SD_STATUS_OK);
	assert_int_equal(r->n, 5);
	assert_int_equal(r->dropped, 5);
	r = find(&all, "op=triad stores=nt isa=avx2 width=256 pages=thp", 0);
	assert_non_null(r);
	assert_true(near(r->median, 42) && r->q1 < 40 && r->q3 > 44);
	assert_null(find(&all, "op=copy stores=nt isa=avx2 width=256 pages=thp", 0));
	sd_profile_free(&all);
	for (int k = 0; k < 2; k++)
		sd_profile_free(&block[k]);
}

/* The fastest vector unit is another one today: it is the same loop, where only one was measured.
 */
static void another_vector_unit_is_no_other_number(void **state)
{
	struct sd_profile one[2] = {{.quick = 1}, {.quick = 1}};

	(void)state;
	add(&one[0], "stores=nt isa=avx2 width=256 pages=thp", 0, 40);
	add(&one[1], "stores=nt isa=avx512 width=512 pages=thp", 0, 42);
	add(&one[1], "stores=nt isa=avx512 width=512 pages=base", 0, 42);
	assert_ptr_equal(sd_profile_counterpart(&one[0], 0, &one[1]), &one[1].rows.row[0]);
	add(&one[1], "stores=nt isa=sse2 width=128 pages=thp", 0, 42);
	assert_null(sd_profile_counterpart(&one[0], 0, &one[1]));
	assert_null(sd_profile_counterpart(&one[1], 0, &one[0]));
	for (int k = 0; k < 2; k++)
		sd_profile_free(&one[k]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(numbers_are_the_middle_of_all_and_reach_over_them),
		cmocka_unit_test(states_are_joined_by_their_distance),
		cmocka_unit_test(a_missing_number_keeps_its_reason),
		cmocka_unit_test(blocks_are_one_calibration),
		cmocka_unit_test(another_vector_unit_is_no_other_number),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
