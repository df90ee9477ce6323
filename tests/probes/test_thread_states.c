/*
 * The poller on threads it cannot see: what it did not meet is not called idle.
 */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "support/fakeproc.h"
#include "probe/accountant.h"
#include "probes/probes.h"

#define KEEPER 100
#define PROGRAM 101
#define STEP_NS UINT64_C(5000000)

static uint64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static void plant(const char *root, int hidden, long long run_ns, char state)
{
	const struct fake_thread keeper = {.pid = KEEPER,
		.tid = KEEPER,
		.ppid = 1,
		.state = 'S',
		.run_ns = run_ns,
		.slices = 1};
	const struct fake_thread program = {.pid = PROGRAM,
		.tid = PROGRAM,
		.ppid = KEEPER,
		.state = state,
		.syscall = state == 'R' ? "running" : "-1 0x7f00 0x4000",
		.run_ns = run_ns,
		.slices = 1};

	fake_thread(root, &keeper);
	fake_children(root, KEEPER, KEEPER, "101 ");
	if (hidden)
		fake_write(root, "proc/101/stat", "101 (p) R 100 1 1 0 -1 0 0 0 0 0 1 0 0 0\n");
	else
		fake_thread(root, &program);
	fake_write(root, "proc/loadavg", "0.1 0.2 0.3 1/100 %d\n", PROGRAM);
}

/* A run of twenty polls, before the last `stops` of which a signal stops the program. */
static void poll_stopped(struct sd_run *run, int hidden, long long run_ns, unsigned stops)
{
	const struct sd_cpulist cpus = {0};
	struct sd_probe_target target = {.pid = PROGRAM,
		.subreaper = KEEPER,
		.cpus = &cpus,
		.cores = 2,
		.accountant = &sd_accountant_rules};
	char root[64];
	void *p;

	fake_make(root);
	target.root = root;
	plant(root, hidden, run_ns, 'R');
	*run = (struct sd_run){0};
	assert_int_equal(sd_probe_thread_states.open(&p, &target), 0);
	sd_probe_thread_states.start(p);
	for (uint64_t i = 1, start = now_ns(); i <= 20; i++) {
		if (i + stops == 21)
			plant(root, hidden, run_ns, 'T');
		sd_probe_thread_states.tick(p, start + i * STEP_NS);
	}
	sd_probe_thread_states.stop(p, run);
	sd_probe_thread_states.close(p);
	fake_remove(root);
}

static void poll_fake(struct sd_run *run, int hidden, long long run_ns)
{
	poll_stopped(run, hidden, run_ns, 0);
}

/* The keeper, which is none of the program's, is not stopped with it. */
static void a_program_that_a_signal_stopped_is_marked(void **state)
{
	struct sd_run run;

	(void)state;
	poll_stopped(&run, 0, 1000000, 0);
	assert_false(run.flags & SD_RUN_STOPPED);
	sd_run_free(&run);
	poll_stopped(&run, 0, 1000000, 10);
	assert_true(run.flags & SD_RUN_STOPPED);
	sd_run_free(&run);
}

static void threads_that_proc_hides_leave_the_idle_time_unknown(void **state)
{
	struct sd_run run;

	(void)state;
	poll_fake(&run, 1, 1000000);
	for (int i = 0; i < SD_IDLE_COUNT; i++)
		assert_int_equal(run.idle[i].status, SD_STATUS_DENIED);
	assert_int_equal(run.metric[SD_METRIC_RUN_DELAY].status, SD_STATUS_DENIED);
	assert_int_equal(run.metric[SD_METRIC_POLLS].status, SD_STATUS_OK);
	sd_run_free(&run);
}

/* The only poll of a program of milliseconds may come after its end. */
static void a_program_that_had_ended_was_not_hidden(void **state)
{
	const struct sd_cpulist cpus = {0};
	struct sd_probe_target target = {.pid = fork(),
		.subreaper = getpid(),
		.cpus = &cpus,
		.cores = 2,
		.accountant = &sd_accountant_rules,
		.root = ""};
	struct sd_run run = {0};
	void *p;

	(void)state;
	if (target.pid == 0)
		for (;;)
			pause();
	assert_true(target.pid > 0);
	assert_int_equal(sd_probe_thread_states.open(&p, &target), 0);
	sd_probe_thread_states.start(p);
	kill(target.pid, SIGKILL);
	assert_int_equal(waitpid(target.pid, NULL, 0), target.pid);
	sd_probe_thread_states.tick(p, now_ns());
	sd_probe_thread_states.stop(p, &run);
	sd_probe_thread_states.close(p);
	assert_true(run.metric[SD_METRIC_POLLS].value == 1);
	assert_false(run.flags & SD_RUN_UNREADABLE);
	for (int i = 0; i < SD_IDLE_COUNT; i++)
		assert_int_not_equal(run.idle[i].status, SD_STATUS_OK);
	sd_run_free(&run);
	poll_fake(&run, 1, 1000000);
	assert_true(run.flags & SD_RUN_UNREADABLE);
	sd_run_free(&run);
}

static void threads_that_are_seen_divide_it(void **state)
{
	struct sd_run run;

	(void)state;
	poll_fake(&run, 0, 1000000);
	for (int i = 0; i < SD_IDLE_COUNT; i++)
		assert_int_equal(run.idle[i].status, SD_STATUS_OK);
	assert_int_equal(run.metric[SD_METRIC_RUN_DELAY].status, SD_STATUS_OK);
	sd_run_free(&run);
}

static void without_schedstat_nobody_knows_who_was_ready(void **state)
{
	struct sd_run run;

	(void)state;
	poll_fake(&run, 0, -1);
	assert_int_equal(run.idle[SD_IDLE_RUNNABLE].status, SD_STATUS_UNSUPPORTED);
	assert_int_equal(run.metric[SD_METRIC_RUN_DELAY].status, SD_STATUS_UNSUPPORTED);
	assert_int_equal(run.idle[SD_IDLE_SERIAL].status, SD_STATUS_OK);
	assert_true(run.idle[SD_IDLE_SERIAL].value > 0);
	sd_run_free(&run);
}

/* Events of perf that this process has open. */
static unsigned events(void)
{
	char path[64], target[64];
	unsigned n = 0;

	for (int fd = 0; fd < 256; fd++) {
		ssize_t size;

		snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
		size = readlink(path, target, sizeof target - 1);
		target[size > 0 ? size : 0] = '\0';
		n += strcmp(target, "anon_inode:[perf_event]") == 0;
	}
	return n;
}

/* One thread's own event makes every switch of its process dear. */
static void no_thread_has_an_event_alone_where_all_switches_are_seen(void **state)
{
	const struct sd_cpulist cpus = {0};
	struct sd_probe_target target = {.pid = getpid(),
		.subreaper = getppid(),
		.cpus = &cpus,
		.cores = 2,
		.accountant = &sd_accountant_rules,
		.root = ""};
	const unsigned before = events();
	void *p;

	(void)state;
	target.no_samples = 1;
	assert_int_equal(sd_probe_thread_states.open(&p, &target), 0);
	assert_int_equal(events(), before);
	sd_probe_thread_states.close(p);
	target.no_samples = 0;
	target.expect_switches = 100000;
	assert_int_equal(sd_probe_thread_states.open(&p, &target), 0);
	assert_int_equal(events(), before);
	sd_probe_thread_states.close(p);
	target.expect_switches = 1000;
	assert_int_equal(sd_probe_thread_states.open(&p, &target), 0);
	if (events() == before) {
		sd_probe_thread_states.close(p);
		print_message("SKIP: %s: no such event is allowed here\n", __func__);
		skip();
	}
	sd_probe_thread_states.ease(p);
	assert_int_equal(events(), before);
	sd_probe_thread_states.close(p);
	assert_int_equal(events(), before);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(threads_that_proc_hides_leave_the_idle_time_unknown),
		cmocka_unit_test(a_program_that_had_ended_was_not_hidden),
		cmocka_unit_test(a_program_that_a_signal_stopped_is_marked),
		cmocka_unit_test(threads_that_are_seen_divide_it),
		cmocka_unit_test(without_schedstat_nobody_knows_who_was_ready),
		cmocka_unit_test(no_thread_has_an_event_alone_where_all_switches_are_seen),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
