/* Change points: steps are found where they are, constant series, outliers and drifts have none. */
#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/random.h"
#include "compare/change_points.h"

#define N 40
#define SERIES 60 /* of each kind */
#define NEAR 1    /* records that a change point may be off: one of them lies between both levels */

static double uniform(struct sd_random *random)
{
	return ((double)sd_random_below(random, 1000000) + .5) / 1e6;
}

/* Box and Muller 1958. */
static double normal(struct sd_random *random)
{
	const double u = uniform(random);

	return sqrt(-2 * log(u)) * cos(6.283185307179586 * uniform(random));
}

enum kind { CONSTANT, STEP, TWO_STEPS, DRIFT, OUTLIERS, KINDS };

/* Times about 1 s with 1 % of noise. A step is 5 %, a drift 10 % over all, one record in eight of
 * the outliers takes half as long again. Returns how many steps, at least five records from the
 * ends. */
static size_t make(enum kind kind, struct sd_random *random, double *v, size_t at[2])
{
	const size_t first = 6 + sd_random_below(random, kind == TWO_STEPS ? 8 : N - 12);

	at[0] = first;
	at[1] = first + 12;
	for (size_t i = 0; i < N; i++) {
		v[i] = 1 + .01 * normal(random);
		if (kind == STEP || kind == TWO_STEPS)
			v[i] += i >= at[0] ? .05 : 0;
		if (kind == TWO_STEPS)
			v[i] += i >= at[1] ? .05 : 0;
		if (kind == DRIFT)
			v[i] += .1 * (double)i / N;
		if (kind == OUTLIERS && sd_random_below(random, 8) == 0)
			v[i] *= 1.5;
	}
	return kind == STEP ? 1 : kind == TWO_STEPS ? 2 : 0;
}

struct score {
	size_t right, wrong, missed;
};

static void judge(const double *v, const size_t *at, size_t n_at, struct score *s)
{
	struct sd_change_point *found;
	size_t n, hit = 0;

	assert_int_equal(sd_change_points_find(v, N, &found, &n), 0);
	for (size_t i = 0; i < n_at; i++)
		for (size_t k = 0; k < n; k++)
			if (found[k].at + NEAR >= at[i] && found[k].at <= at[i] + NEAR) {
				hit++;
				break;
			}
	for (size_t k = 1; k < n; k++)
		assert_true(found[k].at > found[k - 1].at);
	for (size_t k = 0; k < n; k++)
		assert_true(found[k].p > 0 && found[k].p <= SD_CHANGE_POINTS_P);
	free(found);
	s->right += hit;
	s->missed += n_at - hit;
	s->wrong += n - hit;
}

static void steps_are_found_and_nothing_else_is(void **state)
{
	struct score all = {0};

	(void)state;
	for (int kind = 0; kind < KINDS; kind++) {
		struct score s = {0};
		double v[N];

		for (unsigned i = 0; i < SERIES; i++) {
			struct sd_random random;
			size_t at[2];

			sd_random_seed(&random, 7, (uint64_t)kind * SERIES + i);
			judge(v, at, make((enum kind)kind, &random, v, at), &s);
		}
		print_message("kind %d: %zu right, %zu wrong, %zu missed\n", kind, s.right, s.wrong,
			s.missed);
		if (kind == CONSTANT)
			assert_int_equal(s.wrong, 0);
		all.right += s.right;
		all.wrong += s.wrong;
		all.missed += s.missed;
	}
	/* F1 = 2 right / (2 right + wrong + missed) */
	assert_true(
		2. * (double)all.right >= .9 * (double)(2 * all.right + all.wrong + all.missed));
}

static void equal_few_and_impossible_values_have_no_change_point(void **state)
{
	double v[SD_CHANGE_POINTS_MOST + 1];
	struct sd_change_point *found;
	size_t n;

	(void)state;
	for (size_t i = 0; i <= SD_CHANGE_POINTS_MOST; i++)
		v[i] = 1;
	assert_int_equal(sd_change_points_find(v, 0, &found, &n), 0);
	assert_int_equal(n, 0);
	assert_int_equal(sd_change_points_find(v, 50, &found, &n), 0);
	assert_int_equal(n, 0);
	v[3] = v[4] = v[5] = 2; /* six values have too few orders to be sure */
	assert_int_equal(sd_change_points_find(v, 6, &found, &n), 0);
	assert_int_equal(n, 0);
	assert_int_equal(sd_change_points_find(v, SD_CHANGE_POINTS_MOST + 1, &found, &n), -EINVAL);
	v[2] = NAN;
	assert_int_equal(sd_change_points_find(v, 6, &found, &n), -EINVAL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(steps_are_found_and_nothing_else_is),
		cmocka_unit_test(equal_few_and_impossible_values_have_no_change_point),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
