/* Which places are locks, by who wakes whom and who waits next. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka needs the four above */
#include <cmocka.h>

#include "attribute/lock_owners.h"

#define MS UINT64_C(1000000)
#define PID 100
#define ADDRESS 0x1000

static void add(struct sd_timeline *t, double ms, enum sd_moment_kind kind, int thread, int other,
	enum sd_activity activity)
{
	struct sd_moment m = {
		.time = (uint64_t)(ms * (double)MS), .kind = kind, .activity = activity};
	unsigned place;
	int fresh;

	assert_int_equal(sd_timeline_thread(t, PID, PID + thread, &m.thread), 0);
	if (kind == SD_MOMENT_WAKE)
		assert_int_equal(sd_timeline_thread(t, PID, PID + other, &m.other), 0);
	if (kind == SD_MOMENT_OUT) {
		assert_int_equal(
			sd_timeline_place(t, PID, ADDRESS, 0, activity, &place, &fresh), 0);
		m.lock = place + 1;
	}
	assert_int_equal(sd_timeline_add(t, &m), 0);
}

/* Two threads hand a semaphore to each other, `rounds` times: of the two the one that let the other
 * in is the next to wait. With `gaps`, a gap is between its letting in and its waiting. */
static struct sd_timeline hand_over(int rounds, int gaps)
{
	struct sd_timeline t = {.first = PID};
	int in = 0;

	add(&t, 0, SD_MOMENT_IN, 0, 0, 0);
	add(&t, 0, SD_MOMENT_IN, 1, 0, 0);
	add(&t, 1, SD_MOMENT_OUT, 1, 0, SD_ACTIVITY_SEMAPHORE);
	for (int i = 0; i < rounds; i++, in = !in) {
		const double at = 10 * i + 2;

		add(&t, at, SD_MOMENT_WAKE, in, !in, 0);
		add(&t, at + .1, SD_MOMENT_IN, !in, 0, 0);
		if (gaps) {
			assert_int_equal(sd_timeline_shut(&t, (uint64_t)((at + 1) * MS)), 0);
			sd_timeline_open(&t, (uint64_t)((at + 4) * MS));
		}
		add(&t, at + 5, SD_MOMENT_OUT, in, 0, SD_ACTIVITY_SEMAPHORE);
	}
	t.end = (uint64_t)(10 * rounds + 20) * MS;
	return t;
}

/* Processes that meet at one place: without wake-ups reported, who let the other in is guessed from
 * who runs, of whatever process; at a place of one process it would be nobody. */
static void processes_hold_locks_that_they_share(void **state)
{
	for (int shared = 0; shared < 2; shared++) {
		struct sd_timeline t = {.first = PID};
		struct sd_lock_owners *found;
		unsigned place, thread[2];
		int fresh;

		(void)state;
		for (int i = 0; i < 2; i++)
			assert_int_equal(sd_timeline_thread(&t, PID + i, PID + i, &thread[i]), 0);
		assert_int_equal(sd_timeline_place(&t, shared ? 0 : PID + 1, 0, 3,
					 SD_ACTIVITY_FILE_LOCK, &place, &fresh),
			0);
		for (unsigned i = 0; i < 4; i++) {
			const struct sd_moment m[] = {
				{.time = (10 * i + 1) * MS,
					.kind = SD_MOMENT_IN,
					.thread = thread[0]},
				{.time = (10 * i + 2) * MS,
					.kind = SD_MOMENT_OUT,
					.thread = thread[1],
					.activity = SD_ACTIVITY_FILE_LOCK,
					.lock = place + 1},
				{.time = (10 * i + 8) * MS,
					.kind = SD_MOMENT_IN,
					.thread = thread[1]},
			};

			for (size_t k = 0; k < 3; k++)
				assert_int_equal(sd_timeline_add(&t, &m[k]), 0);
		}
		assert_int_equal(sd_lock_owners_find(&t, &found), 0);
		assert_true(found[place].lock);
		assert_int_equal(found[place].n_end, shared ? 4 : 0);
		for (size_t i = 0; i < found[place].n_end; i++)
			assert_int_equal(found[place].end[i].waker, thread[0]);
		sd_lock_owners_free(found, t.n_place);
		sd_timeline_free(&t);
	}
}

static void a_semaphore_handed_over_is_a_lock(void **state)
{
	struct sd_timeline t = hand_over(40, 0);
	struct sd_lock_owners *c;

	(void)state;
	assert_int_equal(sd_lock_owners_find(&t, &c), 0);
	assert_true(c[0].lock);
	assert_int_equal(c[0].decided, 40);
	assert_int_equal(c[0].n_end, 40);
	assert_int_equal(c[0].end[0].waker, 0);
	assert_int_equal(c[0].end[1].waker, 1);
	sd_lock_owners_free(c, t.n_place);
	sd_timeline_free(&t);
}

static void a_few_hand_overs_decide_nothing(void **state)
{
	struct sd_timeline t = hand_over(8, 0);
	struct sd_lock_owners *c;

	(void)state;
	assert_int_equal(sd_lock_owners_find(&t, &c), 0);
	assert_false(c[0].lock);
	assert_int_equal(c[0].decided, 8);
	sd_lock_owners_free(c, t.n_place);
	sd_timeline_free(&t);
}

/* Somebody may have come and gone in the gap: who waits after it was not let in before it. */
static void over_a_gap_it_is_not_known_who_waits_next(void **state)
{
	struct sd_timeline t = hand_over(40, 1);
	struct sd_lock_owners *c;

	(void)state;
	assert_int_equal(sd_lock_owners_find(&t, &c), 0);
	assert_false(c[0].lock);
	assert_int_equal(c[0].decided, 0);
	assert_int_equal(c[0].n_end, 40); /* who ended each is known all the same */
	sd_lock_owners_free(c, t.n_place);
	sd_timeline_free(&t);
}

/* All that wait are woken at once. */
static void a_barrier_is_no_lock(void **state)
{
	struct sd_timeline t = {.first = PID};
	struct sd_lock_owners *c;

	(void)state;
	for (int k = 0; k < 3; k++)
		add(&t, 0, SD_MOMENT_IN, k, 0, 0);
	for (int i = 0; i < 40; i++) {
		const int last = i % 3;
		const double at = 10 * i + 1;

		for (int k = 0; k < 3; k++)
			if (k != last)
				add(&t, at, SD_MOMENT_OUT, k, 0, SD_ACTIVITY_CONDITION);
		for (int k = 0; k < 3; k++)
			if (k != last)
				add(&t, at + 2, SD_MOMENT_WAKE, last, k, 0);
		for (int k = 0; k < 3; k++)
			if (k != last)
				add(&t, at + 2.1, SD_MOMENT_IN, k, 0, 0);
	}
	t.end = 500 * MS;
	assert_int_equal(sd_lock_owners_find(&t, &c), 0);
	assert_false(c[0].lock);
	assert_true(c[0].decided > 12);
	sd_lock_owners_free(c, t.n_place);
	sd_timeline_free(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(processes_hold_locks_that_they_share),
		cmocka_unit_test(a_semaphore_handed_over_is_a_lock),
		cmocka_unit_test(a_few_hand_overs_decide_nothing),
		cmocka_unit_test(over_a_gap_it_is_not_known_who_waits_next),
		cmocka_unit_test(a_barrier_is_no_lock),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
