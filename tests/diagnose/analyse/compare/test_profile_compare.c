#include "analysis/profile_comparison.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

/* A row of three calibrations around a median, which differ by a third of `spread`. */
static struct sd_bench_row row(
	const char *kernel, const char *variant, const char *unit, double median, double spread)
{
	struct sd_bench_row r = {.kernel = kernel,
		.cores = 2,
		.unit = unit,
		.parameter_unit = "",
		.n = 15,
		.calibrations = 3,
		.between = spread / 3,
		.median = median,
		.q1 = median * (1 - spread / 2),
		.q3 = median * (1 + spread / 2),
		.low = median * (1 - spread),
		.high = median * (1 + spread),
		.status = SD_STATUS_OK};

	snprintf(r.variant, sizeof r.variant, "%s", variant);
	return r;
}

static struct sd_bench_row row_of(int k)
{
	char variant[32];

	snprintf(variant, sizeof variant, "row=%d", k);
	return row("k", variant, "GB/s", 10 + k, 0.01);
}

static struct sd_profile one(struct sd_bench_row r)
{
	struct sd_profile p = {.states = {.n = 1, .line = {55e-9}, .seen = {9}}, .calibrations = 3};

	assert_int_equal(sd_bench_rows_add(&p.rows, &r), 0);
	return p;
}

static struct sd_bench_comparison compare(struct sd_profile *a, struct sd_profile *b)
{
	struct sd_bench_comparison c;

	assert_int_equal(sd_profile_compare(a, b, &c), 0);
	return c;
}

static void let_go(
	struct sd_bench_comparison *c, struct sd_profile *before, struct sd_profile *after)
{
	sd_bench_comparison_free(c);
	sd_profile_free(before);
	sd_profile_free(after);
}

static void rows_change_only_beyond_what_calibrations_differ(void **state)
{
	static const struct {
		const char *unit;
		double before, after, spread;
		unsigned calibrations;
		enum sd_change change; /* NONE: no change is to be found */
	} rows[] = {
		{"GB/s", 40, 40.1, 0.01, 3, SD_CHANGE_NONE},
		{"GB/s", 40, 41.9, 0.001, 3, SD_CHANGE_NONE}, /* apart, but below 5 % */
		{"GB/s", 40, 44, 0.2, 3, SD_CHANGE_NONE},     /* the quartiles overlap */
		{"GB/s", 40, 46, 0.12, 3, SD_CHANGE_NONE},    /* apart, but by 4.3 deviations */
		{"GB/s", 40, 30, 0.01, 0, SD_CHANGE_NONE},    /* one calibration tells nothing */
		{"GB/s", 40, 30, 0.01, 3, SD_CHANGE_WORSE},
		{"GB/s", 40, 50, 0.01, 3, SD_CHANGE_BETTER},
		{"ns", 40, 50, 0.01, 3, SD_CHANGE_WORSE},
		{"ns", 40, 30, 0.01, 20, SD_CHANGE_BETTER},
		{"ratio", 1, 2, 0.01, 3, SD_CHANGE_OTHER},
		{"1/s", 40, 70, 0.3, 30, SD_CHANGE_BETTER},
	};

	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct sd_bench_row a = row("k", "v", rows[i].unit, rows[i].before, rows[i].spread),
				    b = row("k", "v", rows[i].unit, rows[i].after, rows[i].spread);
		const size_t told = rows[i].calibrations > 1;
		struct sd_profile p, q;
		struct sd_bench_comparison c;

		a.calibrations = b.calibrations = rows[i].calibrations;
		p = one(a);
		q = one(b);
		c = compare(&p, &q);
		assert_int_equal(c.compared, told);
		assert_int_equal(c.few, !told);
		assert_int_equal(c.comparable, told);
		assert_int_equal(c.n, rows[i].change != SD_CHANGE_NONE);
		if (c.n)
			assert_int_equal(c.change[0].change, rows[i].change);
		let_go(&c, &p, &q);
	}
}

static void states_are_paired_by_their_distance(void **state)
{
	struct sd_profile p = one(row("k", "v", "GB/s", 46, 0.01)),
			  q = one(row("k", "v", "GB/s", 78, 0.01));
	struct sd_bench_comparison c;

	(void)state;
	/* the machine was near then and far now: not one number can be compared */
	q.states.line[0] = 250e-9;
	c = compare(&p, &q);
	assert_int_equal(c.compared, 0);
	assert_int_equal(c.n, 0);
	assert_int_equal(c.lost, 1);
	assert_int_equal(c.gained, 1);
	assert_false(c.comparable);
	let_go(&c, &p, &q);
}

static void the_ceiling_is_compared_whatever_reached_it(void **state)
{
	struct sd_profile p = one(row("ceiling", "op=copy isa=avx2", "GB/s", 46, 0.01)),
			  q = one(row("ceiling", "op=triad isa=avx512", "GB/s", 23, 0.01));
	struct sd_bench_comparison c = compare(&p, &q);

	(void)state;
	assert_int_equal(c.n, 1);
	assert_true(c.change[0].ratio > 0.49 && c.change[0].ratio < 0.51);
	let_go(&c, &p, &q);
}

static void a_sweep_is_paired_point_by_point_and_the_largest_change_leads(void **state)
{
	struct sd_profile p = one(row("pages", "pages=4KiB", "ns", 1, 0.01)),
			  q = one(row("pages", "pages=4KiB", "ns", 1.2, 0.01));
	struct sd_bench_row a = row("pages", "pages=4KiB", "ns", 100, 0.01),
			    b = row("pages", "pages=4KiB", "ns", 200, 0.01);
	struct sd_bench_comparison c;

	(void)state;
	assert_int_equal(sd_bench_rows_add(&p.rows, &a), 0);
	assert_int_equal(sd_bench_rows_add(&q.rows, &b), 0);
	c = compare(&p, &q);
	assert_int_equal(c.n, 2);
	assert_true(c.change[0].ratio > 1.9);
	assert_true(c.change[1].ratio < 1.3);
	let_go(&c, &p, &q);
}

static void add_point(struct sd_profile *p, double asked, unsigned in, double median)
{
	struct sd_bench_row r = row("loaded", "mix=1:1", "GB/s", median, 0.01);

	r.parameter = asked;
	r.state = in;
	assert_int_equal(sd_bench_rows_add(&p->rows, &r), 0);
}

/* 1, 2 and 4 GB/s, the first of them in the near state only the second time. */
static void a_point_that_a_state_lacks_does_not_shift_the_others(void **state)
{
	struct sd_profile p = {.states = {.n = 2, .line = {50e-9, 250e-9}, .seen = {9, 9}}}, q = p;
	struct sd_bench_comparison c;

	(void)state;
	add_point(&p, 1, 1, 1);
	add_point(&p, 2, 0, 2);
	add_point(&p, 2, 1, 2);
	add_point(&p, 4, 0, 4);
	add_point(&p, 4, 1, 4);
	add_point(&q, 1.01, 0, 1.01);
	add_point(&q, 1.01, 1, 1.01);
	add_point(&q, 2.02, 1, 2.02);
	add_point(&q, 4.04, 0, 4.04);
	add_point(&q, 4.04, 1, 2);
	c = compare(&p, &q);
	assert_int_equal(c.compared, 4);
	assert_int_equal(c.n, 1);
	assert_true(c.change[0].ratio == .5);
	let_go(&c, &p, &q);
}

/* Number of changes in sixty rows of a kernel, whose calibrations differ by `between` on each side,
 * when row i is factor(i) of what it was. */
static size_t changes_of(double (*factor)(int i), double between, int *blind)
{
	struct sd_profile p = {.states = {.n = 1, .line = {55e-9}, .seen = {9}}, .calibrations = 3},
			  q = p;
	struct sd_bench_comparison c;
	size_t n;

	for (int i = 0; i < 60; i++) {
		struct sd_bench_row r = row_of(i);

		r.between = between;
		assert_int_equal(sd_bench_rows_add(&p.rows, &r), 0);
		r.median *= factor(i);
		r.q1 *= factor(i);
		r.q3 *= factor(i);
		assert_int_equal(sd_bench_rows_add(&q.rows, &r), 0);
	}
	c = compare(&p, &q);
	n = c.n;
	*blind = c.blind;
	assert_int_equal(c.compared, 60);
	let_go(&c, &p, &q);
	return n;
}

/* Between -15 and +15 %, another value for every row. */
static double wobble(int i)
{
	return 1 + 0.15 * ((i * 37 % 61) / 30.0 - 1);
}

static double halved(int i)
{
	return 0.5 + 0.0001 * (i % 7);
}

static double some_halved(int i)
{
	return i % 3 == 0 ? 0.5 : 1 + 0.0005 * (i % 5);
}

/* The same ratios are change on a machine that repeats itself and none on one that does not. */
static void what_calibrations_differ_by_is_no_change(void **state)
{
	int blind;

	(void)state;
	assert_int_equal(changes_of(wobble, 0.06, &blind), 0);
	/* 1 - 4e-5 of Student's t with 6 degrees of freedom: 9.4 x .049 is less than ln 2, and
	 * twice as much is more */
	assert_false(blind);
	assert_int_equal(changes_of(wobble, 0.12, &blind), 0);
	assert_true(blind);
	assert_true(changes_of(wobble, 0.001, &blind) > 20);
	assert_false(blind);
	assert_int_equal(changes_of(halved, 0.01, &blind), 60);
	assert_int_equal(changes_of(some_halved, 0.01, &blind), 20);
}

/* Three that agree by luck do not make a row quieter than the others of its kernel. */
static void a_row_is_no_quieter_than_its_kernel(void **state)
{
	struct sd_profile p = {.states = {.n = 1, .line = {55e-9}, .seen = {9}}, .calibrations = 3},
			  q = p;
	struct sd_bench_comparison c;

	(void)state;
	for (int i = 0; i < 10; i++) {
		struct sd_bench_row r = row_of(i);

		r.between = i ? 0.1 : 0;
		assert_int_equal(sd_bench_rows_add(&p.rows, &r), 0);
		if (i == 0) {
			r.median *= 1.2;
			r.q1 *= 1.2;
			r.q3 *= 1.2;
		}
		r.low *= 0.999;
		assert_int_equal(sd_bench_rows_add(&q.rows, &r), 0);
	}
	c = compare(&p, &q);
	assert_int_equal(c.compared, 10);
	assert_int_equal(c.n, 0);
	let_go(&c, &p, &q);
}

/* A quota leaves each number as it was, and takes CPUs; another machine has its own. */
static void fewer_cpus_are_a_change(void **state)
{
	(void)state;
	for (unsigned now = 0; now < 3; now++) {
		struct sd_profile p = one(row("k", "v", "ns", 80, 0.01)), q = p;
		struct sd_bench_comparison c;

		memcpy(p.key.machine, "whole", 6);
		memcpy(q.key.machine, "whole", 6);
		memcpy(q.key.topology, "part", 5);
		memcpy(q.key.host, "n2", now ? 0 : 3);
		p.granted = 2;
		q.granted = now;
		c = compare(&p, &q);
		assert_int_equal(c.granted_before - c.granted_after, now == 1);
		sd_bench_comparison_free(&c);
		sd_profile_free(&p); /* the rows are both's */
	}
}

/* Neither a point of a curve nor what neighbours leave of a cache tells of the node. */
static void what_others_decide_is_not_compared(void **state)
{
	static const char *const variant[] = {"pages=2MiB", "effective=LLC", "level=LLC"};

	(void)state;
	for (size_t i = 0; i < 3; i++) {
		struct sd_profile p = one(row("latency", variant[i], "B", 80, 0.01)),
				  q = one(row("latency", variant[i], "B", 19, 0.01));
		struct sd_bench_comparison c = compare(&p, &q);

		assert_int_equal(c.compared + c.n, i == 2 ? 2 : 0);
		assert_int_equal(c.lost + c.gained, 0);
		let_go(&c, &p, &q);
	}
}

/* So many of ten numbers on either side have a counterpart; and a part against the whole. */
static void too_little_in_common_is_not_comparable(void **state)
{
	static const struct {
		int common, before, after, comparable;
	} row[] = {{0, 10, 10, 0}, {4, 6, 6, 0}, {5, 5, 5, 1}, {3, 0, 90, 1}, {3, 90, 0, 1},
		{1, 2, 9, 0}};

	(void)state;
	for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
		struct sd_profile p = {.states = {.n = 1, .line = {55e-9}, .seen = {9}}}, q = p;
		struct sd_bench_comparison c;

		for (int k = 0; k < row[i].common + row[i].before + row[i].after; k++) {
			struct sd_bench_row r = row_of(k);

			if (k < row[i].common + row[i].before)
				assert_int_equal(sd_bench_rows_add(&p.rows, &r), 0);
			if (k < row[i].common || k >= row[i].common + row[i].before)
				assert_int_equal(sd_bench_rows_add(&q.rows, &r), 0);
		}
		c = compare(&p, &q);
		assert_int_equal(c.compared, row[i].common);
		assert_int_equal(c.comparable, row[i].comparable);
		let_go(&c, &p, &q);
	}
}

/* Single calibrations that differ tell nothing; the very same ones are no change. */
static void one_calibration_tells_no_change(void **state)
{
	(void)state;
	for (int other = 0; other < 2; other++) {
		struct sd_bench_row a = row("k", "v", "ns", 10, 0),
				    b = row("k", "v", "ns", 10 + other, 0);
		struct sd_profile p, q;
		struct sd_bench_comparison c;

		a.n = b.n = 1;
		a.calibrations = b.calibrations = 0;
		p = one(a);
		q = one(b);
		c = compare(&p, &q);
		assert_int_equal(c.n, 0);
		assert_int_equal(c.compared, !other);
		assert_int_equal(c.comparable, !other);
		let_go(&c, &p, &q);
	}
}

static void a_number_that_is_missing_is_counted_and_not_compared(void **state)
{
	struct sd_bench_row gone = row("k", "v", "ns", 0, 0);
	struct sd_profile p = one(row("k", "v", "ns", 10, 0.01)), q;
	struct sd_bench_comparison c;

	(void)state;
	gone.status = SD_STATUS_UNSUPPORTED;
	gone.n = 0;
	q = one(gone);
	c = compare(&p, &q);
	assert_int_equal(c.compared, 0);
	assert_int_equal(c.lost, 1);
	assert_int_equal(c.gained, 0);
	let_go(&c, &p, &q);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rows_change_only_beyond_what_calibrations_differ),
		cmocka_unit_test(states_are_paired_by_their_distance),
		cmocka_unit_test(the_ceiling_is_compared_whatever_reached_it),
		cmocka_unit_test(a_sweep_is_paired_point_by_point_and_the_largest_change_leads),
		cmocka_unit_test(a_point_that_a_state_lacks_does_not_shift_the_others),
		cmocka_unit_test(what_calibrations_differ_by_is_no_change),
		cmocka_unit_test(a_row_is_no_quieter_than_its_kernel),
		cmocka_unit_test(fewer_cpus_are_a_change),
		cmocka_unit_test(what_others_decide_is_not_compared),
		cmocka_unit_test(too_little_in_common_is_not_comparable),
		cmocka_unit_test(one_calibration_tells_no_change),
		cmocka_unit_test(a_number_that_is_missing_is_counted_and_not_compared),
	};

	return cmocka_run_group_tests_name("analyse_bench_compare", tests, NULL, NULL);
}
