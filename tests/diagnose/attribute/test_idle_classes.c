#include "attribute/idle_classes.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

struct row {
	const char *what;
	struct sd_idle_classes_sample s;
	double out[SD_IDLE_COUNT];
};

#define S(n, r, q) .cores = (n), .running = (r), .runnable = (q)

static const struct row rows[] = {
	{"all cores run", {S(2, 2, 0)}, {0}},
	{"more threads than cores", {S(2, 3, 1)}, {0}},
	{"a ready thread without a CPU comes before all others",
		{S(4, 2, 1), .waiting[SD_WAIT_LOCK] = 3},
		{[SD_IDLE_RUNNABLE] = 1, [SD_IDLE_LOCK] = 1}},
	{"throttled threads are ready threads",
		{S(4, 1, 2), .throttled = 1.5, .waiting[SD_WAIT_SYNC] = 1},
		{[SD_IDLE_THROTTLED] = 1.5, [SD_IDLE_RUNNABLE] = 0.5, [SD_IDLE_IMBALANCE] = 1}},
	{"not more throttled than ready",
		{S(2, 1, 0.5), .throttled = 9, .waiting[SD_WAIT_LOCK] = 1},
		{[SD_IDLE_THROTTLED] = 0.5, [SD_IDLE_LOCK] = 0.5}},
	{"one thread alone is serial", {S(4, 1, 0)}, {[SD_IDLE_SERIAL] = 3}},
	{"workers wait for the one", {S(4, 1, 0), .waiting[SD_WAIT_SYNC] = 3},
		{[SD_IDLE_SERIAL] = 3}},
	{"workers wait for two", {S(4, 2, 0), .waiting[SD_WAIT_SYNC] = 2},
		{[SD_IDLE_IMBALANCE] = 2}},
	{"a joining thread could not use a core",
		{S(2, 1, 0), .waiting[SD_WAIT_JOIN] = 1, .waiting[SD_WAIT_LOCK] = 1},
		{[SD_IDLE_LOCK] = 1}},
	{"two run, peers have ended", {S(4, 2, 0), .peak = 4, .waiting[SD_WAIT_JOIN] = 1},
		{[SD_IDLE_IMBALANCE] = 2}},
	{"two run, one has ended, there never were four", {S(4, 2, 0), .peak = 3},
		{[SD_IDLE_IMBALANCE] = 1, [SD_IDLE_SERIAL] = 1}},
	{"two run, there never were more", {S(8, 2, 0), .peak = 2}, {[SD_IDLE_SERIAL] = 6}},
	{"more waiting threads than idle cores share them",
		{S(4, 2, 0), .waiting[SD_WAIT_LOCK] = 3, .waiting[SD_WAIT_DISK] = 1},
		{[SD_IDLE_LOCK] = 1.5, [SD_IDLE_DISK] = 0.5}},
	{"the thread that waits for the others' end does not share a lock's cores",
		{S(2, 1, 0), .waiting[SD_WAIT_LOCK] = 1, .waiting[SD_WAIT_SYNC] = 1},
		{[SD_IDLE_LOCK] = 1}},
	{"service threads explain nothing while peers wait",
		{S(2, 1, 0), .waiting[SD_WAIT_LOCK] = 1, .waiting[SD_WAIT_SLEEP] = 5,
			.waiting[SD_WAIT_NETWORK] = 5},
		{[SD_IDLE_LOCK] = 1}},
	{"a socket is waited for", {S(2, 1, 0), .waiting[SD_WAIT_NETWORK] = 1},
		{[SD_IDLE_NETWORK] = 1}},
	{"a thread without a task says nothing of why", {S(2, 1, 0), .waiting[SD_WAIT_TASK] = 1},
		{[SD_IDLE_TASKLESS] = 1}},
	{"a lock is known beside threads without a task",
		{S(2, 1, 0), .waiting[SD_WAIT_TASK] = 3, .waiting[SD_WAIT_LOCK] = 1},
		{[SD_IDLE_LOCK] = 1}},
	{"nothing runs: no task", {S(2, 0, 0), .waiting[SD_WAIT_TASK] = 2},
		{[SD_IDLE_TASKLESS] = 2}},
	{"a pipe from the one that runs", {S(2, 1, 0), .waiting[SD_WAIT_PIPE] = 1},
		{[SD_IDLE_SERIAL] = 1}},
	{"pipes from two that run", {S(4, 2, 0), .waiting[SD_WAIT_PIPE] = 2},
		{[SD_IDLE_IMBALANCE] = 2}},
	{"nothing runs: all wait at pipes", {S(2, 0, 0), .waiting[SD_WAIT_PIPE] = 2},
		{[SD_IDLE_NETWORK] = 2}},
	{"the address space is locked by the one that runs",
		{S(2, 1, 0), .waiting[SD_WAIT_KERNEL] = 1}, {[SD_IDLE_KERNEL] = 1}},
	{"nothing runs: the disk has it",
		{S(4, 0, 0), .waiting[SD_WAIT_DISK] = 1, .waiting[SD_WAIT_SYNC] = 3},
		{[SD_IDLE_DISK] = 4}},
	{"nothing runs: a lock has it",
		{S(4, 0, 0), .waiting[SD_WAIT_LOCK] = 1, .waiting[SD_WAIT_SLEEP] = 3},
		{[SD_IDLE_LOCK] = 4}},
	{"nothing runs: all sleep", {S(4, 0, 0), .waiting[SD_WAIT_SLEEP] = 2},
		{[SD_IDLE_SLEEP] = 4}},
	{"nothing runs: a message, and a timer beside it",
		{S(4, 0, 0), .waiting[SD_WAIT_SLEEP] = 1, .waiting[SD_WAIT_NETWORK] = 1},
		{[SD_IDLE_NETWORK] = 4}},
	{"nothing runs for as long as a wake-up takes",
		{S(2, 0, 0), .lasted = 5e-5, .waiting[SD_WAIT_SYNC] = 2,
			.waiting[SD_WAIT_SLEEP] = 1},
		{[SD_IDLE_IMBALANCE] = 2}},
	{"nothing runs for longer than any wake-up",
		{S(2, 0, 0), .lasted = 5e-3, .waiting[SD_WAIT_SYNC] = 2}, {[SD_IDLE_SLEEP] = 2}},
	{"nothing runs: a socket",
		{S(4, 0, 0), .waiting[SD_WAIT_JOIN] = 1, .waiting[SD_WAIT_NETWORK] = 1},
		{[SD_IDLE_NETWORK] = 4}},
	{"nothing runs, for no reason that is known", {S(4, 0, 0), .waiting[SD_WAIT_SYNC] = 2},
		{[SD_IDLE_UNKNOWN] = 4}},
	{"no thread at all", {S(4, 0, 0)}, {[SD_IDLE_UNKNOWN] = 4}},
	{"only a ready thread: it is the runner", {S(2, 0, 1), .waiting[SD_WAIT_SYNC] = 1},
		{[SD_IDLE_RUNNABLE] = 1, [SD_IDLE_SERIAL] = 1}},
	{"a dead thread waits for nothing", {S(2, 1, 0), .waiting[SD_WAIT_GONE] = 3},
		{[SD_IDLE_SERIAL] = 1}},
};

static void idle_cores_go_to_what_they_wait_for(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		double out[SD_IDLE_COUNT];

		sd_idle_classes_allocate(&rows[i].s, out);
		for (int k = 0; k < SD_IDLE_COUNT; k++)
			if (fabs(out[k] - rows[i].out[k]) > 1e-12)
				fail_msg("%s: %s is %g, not %g", rows[i].what, sd_idle_name[k],
					out[k], rows[i].out[k]);
	}
}

/* Every combination of small counts, and fractions of them. */
static void idle_cores_sum_to_n_minus_running(void **state)
{
	static const double count[] = {0, 0.3, 1, 2.7, 5};
	static const double cores[] = {1, 2, 3, 64, 0.5};

	(void)state;
	for (unsigned k = 0; k < 5 * 5 * 5 * 5 * 5 * 5 * 5; k++) {
		double out[SD_IDLE_COUNT], sum = 0;
		unsigned rest = k;
		struct sd_idle_classes_sample s = {.cores = cores[rest % 5], .peak = k % 7};

		s.running = count[(rest /= 5) % 5];
		s.runnable = s.throttled = count[(rest /= 5) % 5];
		s.waiting[SD_WAIT_LOCK] = count[(rest /= 5) % 5];
		s.waiting[SD_WAIT_SYNC] = s.waiting[SD_WAIT_SLEEP] = count[(rest /= 5) % 5];
		s.waiting[SD_WAIT_DISK] = s.waiting[SD_WAIT_UNKNOWN] = count[(rest /= 5) % 5];
		s.waiting[SD_WAIT_NETWORK] = s.waiting[SD_WAIT_JOIN] = count[(rest / 5) % 5];
		sd_idle_classes_allocate(&s, out);
		for (int i = 0; i < SD_IDLE_COUNT; i++) {
			assert_true(out[i] >= 0);
			sum += out[i];
		}
		assert_true(fabs(sum - fmax(0, s.cores - s.running)) < 1e-12 * (1 + s.cores));
	}
}

static void throttled_time_is_taken_from_runnable_time(void **state)
{
	double idle[SD_IDLE_COUNT] = {[SD_IDLE_RUNNABLE] = 3, [SD_IDLE_LOCK] = 1};

	(void)state;
	sd_idle_classes_throttle(idle, 2);
	assert_true(idle[SD_IDLE_THROTTLED] == 2 && idle[SD_IDLE_RUNNABLE] == 1);
	sd_idle_classes_throttle(idle, 5);
	assert_true(idle[SD_IDLE_THROTTLED] == 3 && idle[SD_IDLE_RUNNABLE] == 0);
	assert_true(idle[SD_IDLE_LOCK] == 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(idle_cores_go_to_what_they_wait_for),
		cmocka_unit_test(idle_cores_sum_to_n_minus_running),
		cmocka_unit_test(throttled_time_is_taken_from_runnable_time),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
