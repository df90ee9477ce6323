/*
 * The search for a reach, on TLBs whose size is known and whose core others use now and then.
 */
#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "curves/reach.h"

struct fake {
	unsigned entries, sets;
	unsigned busy; /* of 16 samples so many are disturbed */
	uint32_t random;
	unsigned calls, last_calls; /* no time is left after so many */
	unsigned most;              /* the largest count that was asked for */
};

static unsigned draw(struct fake *f, unsigned below)
{
	f->random = f->random * 1664525u + 1013904223u;
	return (f->random >> 16) % below;
}

static int sample(void *ctx, unsigned pages, struct sd_fastest *best)
{
	struct fake *f = ctx;
	const unsigned ways = f->entries / f->sets;
	double misses = 0, sparse, dense = 1, hit = 1;

	f->calls++;
	f->most = pages > f->most ? pages : f->most;
	for (unsigned s = 0; s < f->sets; s++) {
		const unsigned n = pages / f->sets + (s < pages % f->sets);

		misses += n > ways ? n : 0;
	}
	sparse = 1 + 2 * misses / pages;
	/* somebody takes entries of a table that is nearly full, or the time of a packed walk */
	if (draw(f, 16) < f->busy)
		sparse += 0.1 * draw(f, 10) * (pages > f->entries / 2);
	if (draw(f, 16) < f->busy)
		dense += 0.1 * draw(f, 10);
	best->sparse = fmin(best->sparse, sparse);
	best->dense = fmin(best->dense, dense);
	best->hit = fmin(best->hit, hit);
	return 0;
}

static int late(void *ctx)
{
	const struct fake *f = ctx;

	return f->last_calls && f->calls >= f->last_calls;
}

static const struct sd_reach_search like = {.measure = sample, .late = late, .climb = 2};

static void the_size_is_found_also_where_half_of_the_samples_are_disturbed(void **state)
{
	static const struct {
		unsigned entries, sets;
		double low, high;
	} row[] = {{64, 16, 54, 76}, {64, 16, 32, 91}, {96, 1, 90, 108}, {96, 16, 90, 108},
		{1536, 128, 1448, 1722}, {1536, 128, 1024, 2048}, {2048, 256, 1722, 2435},
		{48, 1, 38, 54}, {16, 4, 13, 19}};

	(void)state;
	for (size_t i = 0; i < sizeof(row) / sizeof(*row); i++)
		for (unsigned busy = 0; busy <= 8; busy += 8) {
			struct fake f = {row[i].entries, row[i].sets, busy, 1, 0, 0, 0};
			struct sd_reach_search s = like;
			double reach = 0;
			int settled = 0;

			s.ctx = &f;
			assert_int_equal(
				sd_reach(&s, row[i].low, row[i].high, &reach, &settled), 0);
			assert_float_equal(reach, row[i].entries, 0);
			assert_true(settled);
			assert_in_range(f.most, 1, (unsigned)row[i].high + 3);
		}
}

static void without_time_the_first_round_counts_and_is_not_settled(void **state)
{
	struct fake f = {.entries = 64, .sets = 16, .last_calls = 1};
	struct sd_reach_search s = like;
	double reach = 0;
	int settled = 1;

	(void)state;
	s.ctx = &f;
	assert_int_equal(sd_reach(&s, 59, 76, &reach, &settled), 0);
	assert_float_equal(reach, 64, 0);
	assert_false(settled);
	assert_in_range(f.calls, 1, 49);
}

static void a_table_that_holds_all_has_no_knee(void **state)
{
	struct fake f = {.entries = 4096, .sets = 1};
	struct sd_reach_search s = like;
	double reach;
	int settled;

	(void)state;
	s.ctx = &f;
	assert_int_equal(sd_reach(&s, 59, 76, &reach, &settled), -ENODATA);
}

static int broken(void *ctx, unsigned pages, struct sd_fastest *f)
{
	(void)ctx, (void)pages, (void)f;
	return -EINTR;
}

static void a_failure_ends_the_search(void **state)
{
	struct fake f = {.entries = 64, .sets = 16};
	const struct sd_reach_search s = {broken, late, &f, 2};
	double reach;
	int settled;

	(void)state;
	assert_int_equal(sd_reach(&s, 59, 76, &reach, &settled), -EINTR);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_size_is_found_also_where_half_of_the_samples_are_disturbed),
		cmocka_unit_test(without_time_the_first_round_counts_and_is_not_settled),
		cmocka_unit_test(a_table_that_holds_all_has_no_knee),
		cmocka_unit_test(a_failure_ends_the_search),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
