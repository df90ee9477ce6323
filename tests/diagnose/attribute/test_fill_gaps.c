/* Threads after a gap in which their switches were not recorded: what they do, how long such gaps
 * are, and what stands for them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka needs the four above */
#include <cmocka.h>

#include "attribute/fill_gaps.h"
#include "attribute/gap_weights.h"
#include "trace/switch_windows.h"

#define MS UINT64_C(1000000)
#define PID 100

static struct sd_moment *add(struct sd_timeline *t, double ms, enum sd_moment_kind kind, int thread)
{
	struct sd_moment m = {.time = (uint64_t)(ms * (double)MS), .kind = kind};

	assert_int_equal(sd_timeline_thread(t, PID, PID + thread, &m.thread), 0);
	assert_int_equal(sd_timeline_add(t, &m), 0);
	return &t->moment[t->n - 1];
}

static void waits(struct sd_timeline *t, double ms, int thread, enum sd_activity a)
{
	struct sd_moment *const m = add(t, ms, SD_MOMENT_OUT, thread);

	m->activity = a;
	m->node = (unsigned)a;
}

static void ran(struct sd_timeline *t, double ms, int thread, double period)
{
	add(t, ms, SD_MOMENT_SAMPLE, thread)->weight = (uint64_t)(period * (double)MS);
}

/* Four waits of 1 ms for a mutex, up to 9 ms, of the first two threads. */
static void work(struct sd_timeline *t)
{
	for (int i = 0; i < 4; i++) {
		waits(t, 2 * i + 1, 0, SD_ACTIVITY_MUTEX);
		waits(t, 2 * i + 1, 1, SD_ACTIVITY_MUTEX);
		add(t, 2 * i + 2, SD_MOMENT_IN, 0);
		add(t, 2 * i + 2, SD_MOMENT_IN, 1);
	}
}

static void gap(struct sd_timeline *t, double from, double to)
{
	assert_int_equal(sd_timeline_shut(t, (uint64_t)(from * (double)MS)), 0);
	sd_timeline_open(t, (uint64_t)(to * (double)MS));
}

static void regain(struct sd_timeline *t, double end)
{
	t->end = (uint64_t)(end * (double)MS);
	sd_timeline_bound(t);
	assert_int_equal(sd_fill_gaps(t), 0);
	for (size_t i = 1; i < t->n; i++)
		assert_true(t->moment[i].time >= t->moment[i - 1].time);
}

/* The moment of a thread at the end of the gap, NULL none. */
static const struct sd_moment *at(const struct sd_timeline *t, double ms, int thread)
{
	for (size_t i = 0; i < t->n; i++)
		if (t->moment[i].time == (uint64_t)(ms * (double)MS) &&
			t->thread[t->moment[i].thread].tid == PID + thread)
			return &t->moment[i];
	return NULL;
}

static void who_is_met_is_known(void **state)
{
	struct sd_timeline t = {0};

	(void)state;
	for (int i = 0; i < 3; i++)
		add(&t, 0, SD_MOMENT_IN, i);
	waits(&t, 4, 0, SD_ACTIVITY_MUTEX);
	waits(&t, 5, 2, SD_ACTIVITY_MUTEX);
	add(&t, 6, SD_MOMENT_IN, 2);
	gap(&t, 10, 40);
	ran(&t, 41, 1, 2.5);
	waits(&t, 42, 0, SD_ACTIVITY_BARRIER);
	add(&t, 43, SD_MOMENT_IN, 2);
	regain(&t, 50);
	assert_int_equal(at(&t, 40, 0)->kind, SD_MOMENT_IN);
	assert_null(at(&t, 40, 1)); /* it ran and runs */
	assert_int_equal(at(&t, 40, 2)->kind, SD_MOMENT_OUT);
	assert_int_equal(at(&t, 40, 2)->activity, SD_ACTIVITY_MUTEX);
	sd_timeline_free(&t);
}

static void who_is_not_met_waits_for_what_lasts_so_long(void **state)
{
	struct sd_timeline t = {0};

	(void)state;
	for (int i = 0; i < 4; i++)
		add(&t, 0, SD_MOMENT_IN, i);
	work(&t);
	waits(&t, 10, 0, SD_ACTIVITY_BARRIER);
	add(&t, 30, SD_MOMENT_IN, 0);
	waits(&t, 39, 1, SD_ACTIVITY_MUTEX);
	waits(&t, 39, 2, SD_ACTIVITY_JOIN);
	ran(&t, 39, 3, 2.5);
	gap(&t, 40, 70);
	ran(&t, 71, 3, 2.5);
	regain(&t, 80);
	assert_int_equal(at(&t, 70, 0)->kind, SD_MOMENT_OUT);
	assert_int_equal(at(&t, 70, 0)->activity, SD_ACTIVITY_BARRIER);
	/* its waits for the mutex are shorter, and no other is known */
	assert_int_equal(at(&t, 70, 1)->kind, SD_MOMENT_OUT);
	assert_int_equal(at(&t, 70, 1)->activity, SD_ACTIVITY_UNKNOWN);
	assert_int_equal(at(&t, 70, 1)->node, 0);
	assert_null(at(&t, 70, 2)); /* it waited and waits */
	assert_null(at(&t, 70, 3));
	sd_timeline_free(&t);
}

/* That no sample met it says nothing when samples are as rare. */
static void a_window_without_samples_says_nothing_of_who_runs(void **state)
{
	struct sd_timeline t = {0};
	size_t n;

	(void)state;
	add(&t, 0, SD_MOMENT_IN, 0);
	waits(&t, 1, 0, SD_ACTIVITY_MUTEX);
	add(&t, 2, SD_MOMENT_IN, 0);
	ran(&t, 5, 0, 10);
	gap(&t, 10, 40);
	add(&t, 41, SD_MOMENT_IN, 1);
	n = t.n;
	regain(&t, 50);
	assert_int_equal(t.n, n);
	sd_timeline_free(&t);
}

/* Whatever the gaps, what is counted is the run, none of it twice. */
static void what_stands_for_all_is_as_long_as_all(void **state)
{
	struct sd_timeline t = {.start = 5 * MS, .end = 300 * MS};
	struct sd_gap_weights s = {.timeline = &t};
	uint64_t last = t.start;

	(void)state;
	assert_int_equal(sd_gap_weights_clock(&s, 17 * MS), 17 * MS);
	assert_true(sd_gap_weights_for(&s, 17 * MS) == 1);
	gap(&t, 20, 50);
	gap(&t, 60, 63);
	gap(&t, 100, 170);
	assert_int_equal(sd_timeline_shut(&t, 290 * MS), 0);
	sd_timeline_bound(&t);
	assert_int_equal(t.n_gap, 4);
	assert_int_equal(t.gap[3].to, t.end);
	s = (struct sd_gap_weights){.timeline = &t};
	for (uint64_t now = t.start; now <= t.end; now += MS / 4) {
		const uint64_t clock = sd_gap_weights_clock(&s, now);
		const double times = sd_gap_weights_for(&s, now);

		assert_true(clock >= last);
		if (now > 20 * MS && now <= 50 * MS) {
			assert_int_equal(clock, 20 * MS);
			assert_true(times == 0);
		}
		if (now > 50 * MS && now <= 60 * MS)
			assert_true(times == 4); /* 10 ms and 30 */
		if (now == 60 * MS || now == 100 * MS || now == 280 * MS)
			assert_int_equal(clock, now);
		last = clock;
	}
	assert_int_equal(last, t.end);
	assert_int_equal(sd_gap_weights_piece(&s, 10 * MS, 300 * MS), 120 * MS);
	sd_timeline_free(&t);
}

static void the_more_switches_the_longer_the_gaps(void **state)
{
	struct sd_switch_windows w = {0};
	double sum = 0;
	uint64_t first;

	(void)state;
	assert_int_equal(sd_switch_windows_gap(&w, 0, 0, 1), 0);
	assert_int_equal(sd_switch_windows_gap(&w, SD_SWITCH_WINDOWS_ALL_HZ, 0, 1), 0);
	first = sd_switch_windows_gap(&w, 4 * SD_SWITCH_WINDOWS_HZ, 0, 1);
	for (int i = 0; i < 1000; i++) {
		const uint64_t gap = sd_switch_windows_gap(&w, 4 * SD_SWITCH_WINDOWS_HZ, 0, 1);

		assert_true(gap >= 15 * MS && gap <= 45 * MS);
		sum += (double)gap;
	}
	assert_int_not_equal(first, sd_switch_windows_gap(&w, 4 * SD_SWITCH_WINDOWS_HZ, 0, 1));
	/* a standard error of the mean is 0.9 % of it */
	assert_true(sum / 1000 > 28.5 * (double)MS && sum / 1000 < 31.5 * (double)MS);
	assert_true(sd_switch_windows_gap(&w, 1e9, 0, 1) < 250 * MS);
	/* wake-ups cost, too */
	sum = 0;
	for (int i = 0; i < 1000; i++)
		sum += (double)sd_switch_windows_gap(&w, 5 * SD_SWITCH_WINDOWS_WOKEN_HZ, 1, 1);
	assert_true(sum / 1000 > 38 * (double)MS && sum / 1000 < 42 * (double)MS);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(who_is_met_is_known),
		cmocka_unit_test(who_is_not_met_waits_for_what_lasts_so_long),
		cmocka_unit_test(a_window_without_samples_says_nothing_of_who_runs),
		cmocka_unit_test(what_stands_for_all_is_as_long_as_all),
		cmocka_unit_test(the_more_switches_the_longer_the_gaps),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
