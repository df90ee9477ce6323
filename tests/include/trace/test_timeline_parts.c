/* Only the parts of a timeline of parts take time. */
#include "trace/timeline_parts.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

/* A run from 1000 to 2000 of one thread, which something happens to every 50 ns: a sample, and in
 * between it leaves its CPU and is back. */
static void make(struct sd_timeline *t)
{
	unsigned thread;

	*t = (struct sd_timeline){.start = 1000, .end = 2000};
	assert_int_equal(sd_timeline_thread(t, 1, 1, &thread), 0);
	for (uint64_t time = 1000; time < 2000; time += 50) {
		const enum sd_moment_kind kind[] = {SD_MOMENT_SAMPLE, SD_MOMENT_OUT, SD_MOMENT_IN};
		const struct sd_moment m = {
			.time = time, .kind = kind[time / 50 % 3], .weight = 50, .thread = thread};

		assert_int_equal(sd_timeline_add(t, &m), 0);
	}
}

static size_t samples_of(const struct sd_timeline *t)
{
	size_t n = 0;

	for (size_t i = 0; i < t->n; i++)
		n += t->moment[i].kind == SD_MOMENT_SAMPLE;
	return n;
}

static void without_parts_nothing_changes(void **state)
{
	struct sd_timeline t;

	(void)state;
	make(&t);
	sd_timeline_parts_keep(&t);
	assert_true(t.start == 1000 && t.end == 2000);
	assert_int_equal(t.n, 20);
	assert_true(t.moment[19].time == 1950);
	sd_timeline_free(&t);
}

static void what_is_outside_takes_no_time(void **state)
{
	struct sd_timeline t;
	size_t samples, turns = 0;

	(void)state;
	make(&t);
	samples = samples_of(&t);
	assert_int_equal(sd_timeline_shut(&t, 1100), 0);
	sd_timeline_open(&t, 1325);
	assert_int_equal(sd_timeline_parts_add(&t, 1200, 1350), 0);
	assert_int_equal(sd_timeline_parts_add(&t, 1600, 1700), 0);
	assert_int_equal(sd_timeline_parts_add(&t, 1650, 1800), 0); /* overlaps: none */
	assert_int_equal(t.n_part, 2);
	sd_timeline_parts_keep(&t);
	assert_true(t.start == 1000 && t.end == 1250);
	assert_true(samples_of(&t) < samples && samples_of(&t) > 0);
	for (size_t i = 0; i < t.n; i++) {
		assert_true(!i || t.moment[i - 1].time <= t.moment[i].time);
		assert_true(t.moment[i].time >= t.start && t.moment[i].time <= t.end);
		turns += t.moment[i].kind != SD_MOMENT_SAMPLE;
	}
	/* who waits when a part begins has left its CPU before */
	assert_int_equal(turns + samples, 20);
	/* of the gap, what lies in the first part */
	assert_int_equal(t.n_gap, 1);
	assert_true(t.gap[0].from == 1000 && t.gap[0].to == 1125);
	sd_timeline_bound(&t);
	assert_true(t.unwatched > .4999 && t.unwatched < .5001);
	sd_timeline_free(&t);
}

static void a_part_that_goes_beyond_the_run_ends_with_it(void **state)
{
	struct sd_timeline t;

	(void)state;
	make(&t);
	assert_int_equal(sd_timeline_parts_add(&t, 1900, 5000), 0);
	sd_timeline_parts_keep(&t);
	assert_true(t.end == 1100);
	assert_true(t.moment[t.n - 1].time == 1050);
	sd_timeline_free(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(without_parts_nothing_changes),
		cmocka_unit_test(what_is_outside_takes_no_time),
		cmocka_unit_test(a_part_that_goes_beyond_the_run_ends_with_it),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
