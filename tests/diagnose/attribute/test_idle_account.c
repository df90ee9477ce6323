#include <errno.h>

#include "diagnose/attribute/idle_stage.h"

#define MUTEX "202 0x1000 0x80 0x2 0x0 0x0 0x0 0x7ffc 0x7f12"
#define NOBODY_HERE "202 0x3004 0x80 0x10 0x0 0x0 0x0 0x7ffc 0x7f12"

static void one_thread_of_two_cores_is_serial(void **state)
{
	struct stage *s = *state;

	play(s, 200, 'R', "running", 100, 0, 1);
	begin(s);
	for (int i = 1; i <= 3; i++) {
		play(s, 200, 'R', "running", 100 + 10 * i, 0, 1);
		step(s);
	}
	expect(s, SD_IDLE_SERIAL, 30, SD_IDLE_SERIAL, 0);
	assert_int_equal(s->division.n_concurrency, 2);
	assert_true(fabs(s->division.concurrency[1] - 0.03) < 1e-9);
}

static void a_counter_that_lags_behind_a_running_thread_is_not_idle_time(void **state)
{
	/* the tick updates run_ns every 4 ms of 10: 8, 20, 28, 40 */
	static const double run[] = {8, 20, 28, 40};
	struct stage *s = *state;

	play(s, 200, 'R', "running", 0, 0, 1);
	play(s, 201, 'R', "running", 0, 0, 1);
	begin(s);
	for (int i = 0; i < 4; i++) {
		play(s, 200, 'R', "running", run[i], 0, 1);
		play(s, 201, 'R', "running", run[i], 0, 1);
		step(s);
	}
	expect(s, SD_IDLE_SERIAL, 0, SD_IDLE_SERIAL, 0);
}

static void waiting_for_a_cpu_is_as_long_as_the_kernel_counted(void **state)
{
	struct stage *s = *state;

	play(s, 200, 'R', "running", 0, 0, 1);
	play(s, 201, 'R', "running", 0, 0, 1);
	begin(s);
	/* each had 6 ms and waited 4, somebody else had the CPU meanwhile */
	play(s, 200, 'R', "running", 6, 4, 2);
	play(s, 201, 'R', "running", 6, 4, 2);
	step(s);
	expect(s, SD_IDLE_RUNNABLE, 8, SD_IDLE_SERIAL, 0);
}

static void a_mutex_has_what_its_waiter_did_not_run(void **state)
{
	struct stage *s = *state;

	if (!HAVE_FUTEX_202)
		skip();
	play(s, 200, 'R', "running", 0, 0, 1);
	play(s, 201, 'S', MUTEX, 0, 0, 1);
	begin(s);
	play(s, 200, 'R', "running", 10, 0, 1);
	play(s, 201, 'S', MUTEX, 3, 0, 4);
	step(s);
	expect(s, SD_IDLE_LOCK, 7, SD_IDLE_SERIAL, 0);
}

static void waits_too_short_to_be_met_are_like_those_that_were(void **state)
{
	struct stage *s = *state;

	if (!HAVE_FUTEX_202)
		skip();
	play(s, 200, 'R', "running", 0, 0, 1);
	play(s, 201, 'S', MUTEX, 0, 0, 1);
	begin(s);
	play(s, 200, 'R', "running", 10, 0, 1);
	step(s);
	/* both run at this moment, though not all of the time before it: they were put on a CPU so
	 * often that the counters cannot lag */
	play(s, 200, 'R', "running", 17, 0, 9000000000);
	play(s, 201, 'R', "running", 7, 0, 9000000000);
	step(s);
	expect(s, SD_IDLE_LOCK, 10 + 6, SD_IDLE_SERIAL, 0);
}

static void a_late_worker_is_imbalance(void **state)
{
	struct stage *s = *state;

	if (!HAVE_FUTEX_202)
		skip();
	play(s, 200, 'R', "running", 0, 0, 1);
	play(s, 201, 'R', "running", 0, 0, 1);
	begin(s);
	play(s, 200, 'R', "running", 10, 0, 1);
	play(s, 201, 'R', "running", 10, 0, 1);
	step(s);
	play(s, 200, 'S', BARRIER, 10, 0, 1);
	play(s, 201, 'R', "running", 20, 0, 1);
	step(s);
	expect(s, SD_IDLE_IMBALANCE, 10, SD_IDLE_SERIAL, 0);
}

static void a_first_thread_beside_a_dock_is_serial(void **state)
{
	struct stage *s = *state;

	if (!HAVE_FUTEX_202)
		skip();
	play(s, 200, 'R', "running", 0, 0, 1);
	play(s, 201, 'R', "running", 0, 0, 1);
	begin(s);
	play(s, 200, 'R', "running", 10, 0, 1);
	play(s, 201, 'R', "running", 10, 0, 1);
	step(s);
	play(s, 200, 'R', "running", 20, 0, 1);
	play(s, 201, 'S', NOBODY_HERE, 10, 0, 1);
	step(s);
	expect(s, SD_IDLE_SERIAL, 10, SD_IDLE_SERIAL, 0);
}

static void a_first_thread_that_waits_there_too_is_a_late_peer(void **state)
{
	struct stage *s = *state;

	if (!HAVE_FUTEX_202)
		skip();
	a_first_thread_beside_a_dock_is_serial(state);
	play(s, 200, 'S', NOBODY_HERE, 20, 0, 1);
	play(s, 201, 'R', "running", 20, 0, 2);
	step(s);
	expect(s, SD_IDLE_IMBALANCE, 20, SD_IDLE_SERIAL, 0);
}

/* A child process of the program, at its pipe since it ran `run` ms. */
static void play_child(struct stage *s, int pid, const char *what, double run)
{
	char path[128];

	fake_thread(s->root, &(struct fake_thread){.pid = pid,
				     .tid = pid,
				     .ppid = 200,
				     .state = *what == 'r' ? 'R' : 'S',
				     .syscall = what,
				     .run_ns = (long long)(run * MS),
				     .slices = 1});
	snprintf(path, sizeof path, "%s/proc/%d/task/%d/fd", s->root, pid, pid);
	mkdir(path, 0777);
	snprintf(path, sizeof path, "%s/proc/%d/task/%d/fd/5", s->root, pid, pid);
	if (symlink("pipe:[77]", path) && errno != EEXIST)
		fail();
}

static void a_parent_that_its_children_wait_for_is_serial(void **state)
{
	struct stage *s = *state;

	if (!HAVE_FUTEX_202)
		skip();
	fake_children(s->root, 200, 200, "300 ");
	play(s, 200, 'R', "running", 0, 0, 1);
	play_child(s, 300, "running", 0);
	begin(s);
	play(s, 200, 'R', "running", 10, 0, 1);
	play_child(s, 300, "running", 10);
	step(s);
	play(s, 200, 'R', "running", 20, 0, 1);
	play_child(s, 300, "0 0x5 0x7ffc 0x1 0x0 0x0 0x0 0x7ffc 0x7f12", 10);
	step(s);
	expect(s, SD_IDLE_SERIAL, 10, SD_IDLE_SERIAL, 0);
}

static void workers_that_take_turns_wait_for_a_lock(void **state)
{
	struct stage *s = *state;
	double run[2] = {100, 100};

	if (!HAVE_FUTEX_202)
		skip();
	play(s, 200, 'S', NOBODY_HERE, 0, 0, 1);
	play(s, 201, 'R', "running", 100, 0, 1);
	play(s, 202, 'R', "running", 100, 0, 1);
	begin(s);
	for (int i = 0; i < 8; i++) {
		run[i % 2] += 10;
		play(s, 201 + i % 2, 'R', "running", run[i % 2], 0, i + 2);
		play(s, 202 - i % 2, 'S', BARRIER, run[1 - i % 2], 0, i + 2);
		step(s);
	}
	expect(s, SD_IDLE_LOCK, 80, SD_IDLE_SERIAL, 0);
}

static void without_schedstat_the_states_are_counted(void **state)
{
	struct stage *s = *state;

	if (!HAVE_FUTEX_202)
		skip();
	s->tree.env.has_sched = 0;
	play(s, 200, 'R', "running", -1, 0, 0);
	play(s, 201, 'S', MUTEX, -1, 0, 0);
	begin(s);
	for (int i = 0; i < 3; i++)
		step(s);
	expect(s, SD_IDLE_LOCK, 30, SD_IDLE_SERIAL, 0);
}

static void what_may_not_be_read_is_unknown(void **state)
{
	struct stage *s = *state;

	play(s, 200, 'R', NULL, 0, 0, 1);
	play(s, 201, 'S', NULL, 0, 0, 1);
	begin(s);
	play(s, 200, 'R', NULL, 10, 0, 1);
	step(s);
	expect(s, SD_IDLE_UNKNOWN, 10, SD_IDLE_SERIAL, 0);
}

static void an_uninterruptible_wait_is_the_disk_even_then(void **state)
{
	struct stage *s = *state;

	play(s, 200, 'R', NULL, 0, 0, 1);
	play(s, 201, 'D', NULL, 0, 0, 1);
	begin(s);
	play(s, 200, 'R', NULL, 10, 0, 1);
	step(s);
	expect(s, SD_IDLE_DISK, 10, SD_IDLE_SERIAL, 0);
}

int main(void)
{
#define TEST(t) cmocka_unit_test_setup_teardown(t, open_stage, close_stage)
	const struct CMUnitTest tests[] = {
		TEST(one_thread_of_two_cores_is_serial),
		TEST(a_counter_that_lags_behind_a_running_thread_is_not_idle_time),
		TEST(waiting_for_a_cpu_is_as_long_as_the_kernel_counted),
		TEST(a_mutex_has_what_its_waiter_did_not_run),
		TEST(waits_too_short_to_be_met_are_like_those_that_were),
		TEST(a_late_worker_is_imbalance),
		TEST(a_first_thread_beside_a_dock_is_serial),
		TEST(a_first_thread_that_waits_there_too_is_a_late_peer),
		TEST(a_parent_that_its_children_wait_for_is_serial),
		TEST(workers_that_take_turns_wait_for_a_lock),
		TEST(without_schedstat_the_states_are_counted),
		TEST(what_may_not_be_read_is_unknown),
		TEST(an_uninterruptible_wait_is_the_disk_even_then),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
