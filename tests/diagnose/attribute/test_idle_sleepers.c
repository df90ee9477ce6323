/*
 * Threads that only sleep, and those that come and go.
 */
#include <errno.h>

#include "diagnose/attribute/idle_stage.h"

#define TIMER "230 0x0 0x0 0x7ffc 0x7ffc 0x0 0x0 0x7ffc 0x7f12"

static void a_thread_that_only_ever_sleeps_wants_no_core(void **state)
{
	struct stage *s = *state;

	if (!HAVE_FUTEX_202)
		skip();
	play(s, 200, 'R', "running", 100, 0, 1);
	play(s, 201, 'S', TIMER, 1, 0, 1);
	begin(s);
	play(s, 200, 'R', "running", 110, 0, 1);
	step(s);
	expect(s, SD_IDLE_SERIAL, 10, SD_IDLE_SERIAL, 0);
}

static void a_thread_that_works_and_sleeps_is_missed(void **state)
{
	struct stage *s = *state;

	if (!HAVE_FUTEX_202)
		skip();
	play(s, 200, 'R', "running", 100, 0, 1);
	play(s, 201, 'S', TIMER, 50, 0, 1);
	begin(s);
	play(s, 200, 'R', "running", 110, 0, 1);
	step(s);
	expect(s, SD_IDLE_SLEEP, 10, SD_IDLE_SERIAL, 0);
}

static void when_nothing_runs_the_sleeper_has_it_all(void **state)
{
	struct stage *s = *state;

	if (!HAVE_FUTEX_202)
		skip();
	play(s, 200, 'S', BARRIER, 100, 0, 1);
	play(s, 201, 'S', TIMER, 1, 0, 1);
	begin(s);
	step(s);
	expect(s, SD_IDLE_SLEEP, 20, SD_IDLE_SERIAL, 0);
}

static void what_threads_ran_that_came_or_went_is_not_taken_for_a_stall(void **state)
{
	struct stage *s = *state;

	play(s, 200, 'S', NULL, 100, 0, 1);
	begin(s);
	/* a child has come; it waits at this moment, and the parent is ready */
	play(s, 200, 'R', "running", 100, 0, 2);
	play(s, 201, 'S', NULL, 2, 0, 1);
	step(s);
	expect(s, SD_IDLE_UNKNOWN, 18, SD_IDLE_SERIAL, 0);
}

static void all_that_is_booked_is_what_the_cores_did_not_run(void **state)
{
	struct stage *s = *state;
	double idle[SD_IDLE_COUNT], sum = 0, run[2] = {0, 0};
	uint32_t random = 1;

	play(s, 200, 'R', "running", 0, 0, 1);
	play(s, 201, 'R', "running", 0, 0, 1);
	begin(s);
	for (int i = 0; i < 50; i++) {
		for (int k = 0; k < 2; k++) {
			random = random * 1664525 + 1013904223;
			run[k] += random / 4294967296.0 * 10;
			play(s, 200 + k, random & 0x10000 ? 'S' : 'R', NULL, run[k], 0, 2 * i + 2);
		}
		step(s);
	}
	sd_idle_account_total(&s->division, idle);
	for (int i = 0; i < SD_IDLE_COUNT; i++) {
		assert_true(idle[i] >= 0);
		sum += idle[i];
	}
	/* a thread that runs on is carried forward by at most 15 ms */
	assert_true(fabs(sum - (1 - (run[0] + run[1]) * 1e-3)) < 0.0301);
}

int main(void)
{
#define TEST(t) cmocka_unit_test_setup_teardown(t, open_stage, close_stage)
	const struct CMUnitTest tests[] = {
		TEST(a_thread_that_only_ever_sleeps_wants_no_core),
		TEST(a_thread_that_works_and_sleeps_is_missed),
		TEST(when_nothing_runs_the_sleeper_has_it_all),
		TEST(what_threads_ran_that_came_or_went_is_not_taken_for_a_stall),
		TEST(all_that_is_booked_is_what_the_cores_did_not_run),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
