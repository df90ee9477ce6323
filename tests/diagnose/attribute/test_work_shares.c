/* Code that one thread alone runs, by the totals of a run. */
#include "attribute/work_shares.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>
#include <math.h>

#define PID 100
#define MS UINT64_C(1000000)

enum { OWN = 1, SHARED, OTHER, NODES }; /* of a function each */

struct run {
	struct sd_timeline timeline;
	struct sd_concurrent_code twins;
	uint64_t time;
};

static void begin(struct run *r)
{
	static struct sd_frame frame[NODES] = {
		{0}, {.function = 1}, {.function = 2}, {.function = 3}};
	static struct sd_node node[NODES] = {{0}, {.frame = 1}, {.frame = 2}, {.frame = 3}};
	const struct sd_stacks stacks = {
		.frame = frame, .n_frame = NODES, .node = node, .n_node = NODES};

	*r = (struct run){.timeline = {.first = PID}};
	assert_int_equal(sd_concurrent_code_open(&r->twins, &stacks), 0);
}

/* Samples of 2 ms. */
static void add(struct run *r, int thread, unsigned node, enum sd_activity activity, int n)
{
	unsigned number;

	assert_int_equal(sd_timeline_thread(&r->timeline, PID, PID + thread, &number), 0);
	for (int i = 0; i < n; i++) {
		const struct sd_moment m = {.time = r->time += MS,
			.kind = SD_MOMENT_SAMPLE,
			.thread = number,
			.node = node,
			.activity = activity,
			.weight = 2 * MS};

		assert_int_equal(sd_timeline_add(&r->timeline, &m), 0);
	}
}

static struct sd_work_shares find(struct run *r)
{
	struct sd_work_shares x;

	assert_int_equal(sd_work_shares_find(&x, &r->timeline, &r->twins), 0);
	sd_timeline_free(&r->timeline);
	sd_concurrent_code_free(&r->twins);
	return x;
}

static void is(double value, double ms)
{
	if (!(fabs(value - ms * 1e-3) < 1e-9))
		fail_msg("%.9g ms, not %.9g", value * 1e3, ms);
}

static void all_wait_for_what_one_runs_beyond_the_work_of_all(void **state)
{
	struct sd_work_shares x;
	struct run r;

	(void)state;
	begin(&r);
	add(&r, 0, OWN, SD_ACTIVITY_USEFUL, 100);
	add(&r, 0, SHARED, SD_ACTIVITY_USEFUL, 100);
	for (int t = 1; t < 3; t++) {
		add(&r, t, SHARED, SD_ACTIVITY_USEFUL, 105);
		add(&r, t, 0, SD_ACTIVITY_SPIN_BARRIER, 95);
	}
	x = find(&r);
	is(x.own, 200);
	is(x.serial, 2 * 190);
	is(x.late, 0); /* the other way round, and by chance */
	assert_true(sd_work_shares_own(&x, OWN));
	assert_false(sd_work_shares_own(&x, SHARED));
	assert_false(sd_work_shares_own(&x, NODES));
	sd_work_shares_free(&x);
}

/* Two threads, of the second also what it works at; samples. */
static struct sd_work_shares two(int own, int shared, unsigned node, int works, int spins)
{
	struct run r;

	begin(&r);
	add(&r, 0, OWN, SD_ACTIVITY_USEFUL, own);
	add(&r, 0, SHARED, SD_ACTIVITY_USEFUL, shared);
	add(&r, 1, node, SD_ACTIVITY_USEFUL, works);
	add(&r, 1, 0, SD_ACTIVITY_SPIN_BARRIER, spins);
	return find(&r);
}

/* And what is of its own besides explains no more than itself. */
static void a_late_peer_runs_more_of_what_all_run(void **state)
{
	struct sd_work_shares x = two(20, 180, SHARED, 100, 100);

	(void)state;
	is(x.serial, 40);
	is(x.late, 160);
	sd_work_shares_free(&x);
}

static void who_did_more_of_the_shared_work_waited_for_nothing_of_it(void **state)
{
	struct sd_work_shares x = two(100, 100, SHARED, 180, 20);

	(void)state;
	is(x.serial, 0);
	assert_false(sd_work_shares_own(&x, OWN));
	sd_work_shares_free(&x);
}

static void threads_of_different_work_wait_for_the_longer_one(void **state)
{
	struct sd_work_shares x = two(200, 0, OTHER, 100, 100);

	(void)state;
	is(x.serial, 0);
	is(x.late, 0);
	sd_work_shares_free(&x);
}

static void a_difference_by_chance_is_nobodys_being_late(void **state)
{
	struct sd_work_shares x;
	struct run r;

	(void)state;
	begin(&r);
	add(&r, 0, SHARED, SD_ACTIVITY_USEFUL, 100);
	add(&r, 1, SHARED, SD_ACTIVITY_USEFUL, 64); /* 36 of 164, and 3 * 12.8 are by chance */
	add(&r, 1, 0, SD_ACTIVITY_SPIN_BARRIER, 36);
	add(&r, 2, 0, SD_ACTIVITY_SPIN_OTHER, 100); /* does none of it */
	x = find(&r);
	is(x.late, 0);
	sd_work_shares_free(&x);
}

static void a_few_samples_are_not_known_to_be_one_threads(void **state)
{
	struct sd_work_shares x = two(9, 0, SHARED, 0, 9);

	(void)state;
	is(x.serial, 0);
	sd_work_shares_free(&x);
}

static void nothing_sampled_explains_nothing(void **state)
{
	struct sd_work_shares x;
	struct run r;

	(void)state;
	begin(&r);
	x = find(&r);
	is(x.serial, 0);
	sd_work_shares_free(&x);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_wait_for_what_one_runs_beyond_the_work_of_all),
		cmocka_unit_test(a_late_peer_runs_more_of_what_all_run),
		cmocka_unit_test(who_did_more_of_the_shared_work_waited_for_nothing_of_it),
		cmocka_unit_test(threads_of_different_work_wait_for_the_longer_one),
		cmocka_unit_test(a_difference_by_chance_is_nobodys_being_late),
		cmocka_unit_test(a_few_samples_are_not_known_to_be_one_threads),
		cmocka_unit_test(nothing_sampled_explains_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
