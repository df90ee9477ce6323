/*
 * Waits of threads of real programs: locks, timers, pipes, the disk.
 */
#include <math.h>
#include <string.h>

#include "probes/live_run.h"

static void a_held_mutex_is_a_lock(void **state)
{
	(void)state;
	expect_mostly("mutex_bound", SD_IDLE_LOCK);
}

static void a_timer_is_sleep_and_a_pipe_is_network(void **state)
{
	(void)state;
	expect_mostly("sleeps", SD_IDLE_SLEEP);
	expect_mostly("waits_for_a_pipe", SD_IDLE_NETWORK);
}

/* s that an fsync takes here; 0 where there is no disk, or threads cannot be met in it. */
static double cost_of_fsync(void)
{
	struct statfs fs;
	char path[] = "sd-fsync-XXXXXX";
	const int fd = mkstemp(path);
	double least = 1;
	int is_disk;

	if (fd < 0)
		return 0;
	unlink(path);
	is_disk = fstatfs(fd, &fs) == 0 && fs.f_type != 0x01021994 /* tmpfs */;
	for (int i = 0; i < 5 && is_disk; i++) {
		const double start = now_s(CLOCK_MONOTONIC);

		is_disk = write(fd, "x", 1) == 1 && fsync(fd) == 0;
		least = fmin(least, now_s(CLOCK_MONOTONIC) - start);
	}
	close(fd);
	return is_disk && least > 2e-4 ? least : 0;
}

/* Serial as well: there is no second thread while the one computes. */
static void fsync_is_the_disk(void **state)
{
	unsigned cpu[2];
	const struct sd_cpulist cpus = {.cpu = cpu, .n = 2};
	const double cost = cost_of_fsync();
	const struct others since = others_now();
	struct sd_run run = {0};
	double active, disk, others;

	(void)state;
	if (!two_cpus(cpu) || cost <= 0) {
		fprintf(stderr,
			"SKIP: fsync_is_the_disk: no disk below the current folder, or no two CPUs\n");
		skip();
	}
	run_program("syncs_to_disk", &cpus, &run);
	active = run.thread[0].cpu.value + run.thread[0].run_delay.value;
	disk = run.idle[SD_IDLE_DISK].value;
	others = run.idle[SD_IDLE_NETWORK].value + run.idle[SD_IDLE_SLEEP].value +
		 run.idle[SD_IDLE_LOCK].value + run.idle[SD_IDLE_IMBALANCE].value;
	/* from a wait of less than some milliseconds it may wake up between the reads of its state
	 * and of its call, and from one of less than a millisecond always does: that is said to be
	 * unknown, and nothing else */
	if (cost >= 5e-3)
		others += run.idle[SD_IDLE_UNKNOWN].value;
	else if (cost < 1e-3)
		disk += run.idle[SD_IDLE_UNKNOWN].value;
	print_idle("syncs_to_disk", &run);
	if (active > 0.6 * run.metric[SD_METRIC_WALL].value) {
		fprintf(stderr, "SKIP: fsync_is_the_disk: it waited for a CPU, not for the disk\n");
		sd_run_free(&run);
		skip();
	}
	sd_run_free(&run);
	if (!(disk > 2 * others)) {
		others_skip(&since, __func__);
		fail_msg("not mostly the disk");
	}
}

static void processes_shorter_than_a_poll_are_still_serial(void **state)
{
	(void)state;
	expect_mostly("many_short_processes", SD_IDLE_SERIAL);
}

static void what_is_idle_is_what_did_not_run(void **state)
{
	unsigned cpu[2];
	const struct sd_cpulist cpus = {.cpu = cpu, .n = 2};
	const struct others since = others_now();
	struct sd_run run = {0};
	double idle = 0, polled, cpu_s = 0;

	(void)state;
	if (!two_cpus(cpu))
		skip();
	run_program("late_worker", &cpus, &run);
	for (int i = 0; i < SD_IDLE_COUNT; i++)
		idle += run.idle[i].value;
	for (size_t i = 0; i < run.n_thread; i++)
		cpu_s += run.thread[i].cpu.value;
	/* over the time between the first and the last poll; the threads were seen until then */
	polled = run.metric[SD_METRIC_POLLS].value * run.metric[SD_METRIC_POLL_PERIOD].value;
	assert_true(polled <= run.metric[SD_METRIC_WALL].value + 1e-3);
	sd_run_free(&run);
	/* a counter lags by a tick of at most 10 ms for each of two runners */
	if (!(idle > 2 * polled - cpu_s - 0.05 && idle < 2 * polled - cpu_s + 0.05)) {
		others_skip(&since, __func__);
		fail_msg("%g s idle of %g s, %g s of which it ran", idle, 2 * polled, cpu_s);
	}
}

static void counters_count_the_whole_tree(void **state)
{
	unsigned cpu[2];
	const struct sd_cpulist cpus = {.cpu = cpu, .n = 2};
	struct sd_run run = {0};
	const struct sd_value *const clock = &run.metric[SD_METRIC_TASK_CLOCK];
	const struct sd_value *const tsc = &run.metric[SD_METRIC_TSC_CYCLES];
	const struct sd_value *const hz = &run.metric[SD_METRIC_TSC_HZ];

	(void)state;
	if (!two_cpus(cpu))
		skip();
	run_program("late_process", &cpus, &run);
	if (sd_has(*clock)) /* two children work 0.25 s of CPU time */
		assert_true(clock->value > 0.25 - 1e-3 &&
			    clock->value < 2 * run.metric[SD_METRIC_WALL].value + 0.01);
	if (sd_has(*clock) && sd_has(*tsc) && sd_has(*hz)) {
		const double ratio = tsc->value / (clock->value * hz->value);

		assert_true(ratio > 0.9 && ratio < 1.1);
	} else {
		fprintf(stderr, "SKIP: TSC cycles against the clock: %s\n",
			sd_status_name(tsc->status));
	}
	sd_run_free(&run);
}

static void a_thread_outside_its_cpus_is_seen(void **state)
{
	unsigned cpu[2];
	struct sd_cpulist cpus = {.cpu = cpu, .n = 1};
	struct sd_run run = {0};

	(void)state;
	if (!two_cpus(cpu))
		skip();
	/* the program is bound to nothing here, so that one CPU is all it should have had */
	run_program("leaves_its_cpus", &cpus, &run);
	assert_true(run.flags & SD_RUN_REBOUND);
	sd_run_free(&run);
}

static void a_thread_that_keeps_to_fewer_cpus_is_seen(void **state)
{
	static const struct {
		const char *program;
		double usable;
	} row[] = {{"serial", 2}, {"keeps_to_one_cpu", 1}};
	unsigned cpu[2];
	struct sd_cpulist cpus = {.cpu = cpu, .n = 2};

	(void)state;
	if (!two_cpus(cpu))
		skip();
	for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
		const struct others since = others_now();
		struct sd_run run = {0};
		struct sd_value usable;
		int counts; /* the kernel counts run times */

		run_program(row[i].program, &cpus, &run);
		usable = run.metric[SD_METRIC_USABLE];
		counts = sd_has(run.metric[SD_METRIC_RUN_DELAY]);
		sd_run_free(&run);
		if (!counts)
			continue;
		assert_true(sd_has(usable));
		assert_true(usable.value >= row[i].usable);
		if (i == 1 && usable.value >= 2) {
			others_skip(&since, __func__); /* it was seen before it did so only */
			fail_msg("%g CPUs usable of one", usable.value);
		}
	}
}

/* A process beside the program, which stops it for a while. */
static pid_t start_stopper(int program[2])
{
	const struct timespec soon = {.tv_nsec = 50000000}, later = {.tv_nsec = 200000000};
	pid_t stopper, pid;

	assert_int_equal(pipe(program), 0);
	fflush(NULL);
	stopper = fork();
	if (stopper != 0)
		return stopper;
	close(program[1]);
	if (read(program[0], &pid, sizeof pid) != (ssize_t)sizeof pid)
		_exit(1);
	nanosleep(&soon, NULL);
	kill(pid, SIGSTOP);
	nanosleep(&later, NULL);
	_exit(kill(pid, SIGCONT) != 0);
}

static void a_program_that_is_stopped_while_it_runs_is_marked(void **state)
{
	unsigned cpu[2];
	struct sd_cpulist cpus = {.cpu = cpu, .n = 2};
	struct sd_run run = {0};
	int program[2], status;
	char fd[16];
	pid_t stopper;

	(void)state;
	if (!two_cpus(cpu))
		skip();
	stopper = start_stopper(program);
	close(program[0]);
	snprintf(fd, sizeof fd, "%d", program[1]);
	assert_int_equal(setenv(STOPPER, fd, 1), 0);
	run_program("is_stopped", &cpus, &run);
	close(program[1]);
	assert_int_equal(waitpid(stopper, &status, 0), stopper);
	assert_int_equal(status, 0);
	assert_true(run.flags & SD_RUN_STOPPED);
	assert_true(run.metric[SD_METRIC_WALL].value > .2);
	sd_run_free(&run);
	run_program("serial", &cpus, &run);
	assert_false(run.flags & SD_RUN_STOPPED);
	sd_run_free(&run);
}

/* Two that are always ready on one CPU wait for each other at any time; no other program's load
 * makes threads that are apart do so. */
static void threads_wait_for_the_cpu_that_they_are_bound_to(void **state)
{
	static const char *const program[] = {"bound_to_one", "bound_apart"};
	unsigned cpu[2];
	struct sd_cpulist cpus = {.cpu = cpu, .n = 2};

	(void)state;
	if (!two_cpus(cpu))
		skip();
	for (int apart = 0; apart < 2; apart++) {
		struct sd_run run = {0};
		struct sd_value waited;
		double ready = 0;

		run_program(program[apart], &cpus, &run);
		waited = run.metric[SD_METRIC_BOUND_WAIT];
		for (size_t i = 0; i < run.n_thread; i++)
			ready += run.thread[i].run_delay.value;
		sd_run_free(&run);
		if (!sd_has(waited))
			continue; /* the kernel does not count run times */
		fprintf(stderr, "%s: %g of %g s\n", program[apart], waited.value, ready);
		assert_true(apart ? waited.value < .01 : waited.value > .05);
		/* neither waited for longer than the other ran, and the account lags by a tick */
		assert_true(waited.value <= fmin(ready, 2 * BOUND_WORK) + .05);
	}
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_held_mutex_is_a_lock),
		cmocka_unit_test(a_timer_is_sleep_and_a_pipe_is_network),
		cmocka_unit_test(fsync_is_the_disk),
		cmocka_unit_test(processes_shorter_than_a_poll_are_still_serial),
		cmocka_unit_test(what_is_idle_is_what_did_not_run),
		cmocka_unit_test(counters_count_the_whole_tree),
		cmocka_unit_test(a_thread_outside_its_cpus_is_seen),
		cmocka_unit_test(a_thread_that_keeps_to_fewer_cpus_is_seen),
		cmocka_unit_test(a_program_that_is_stopped_while_it_runs_is_marked),
		cmocka_unit_test(threads_wait_for_the_cpu_that_they_are_bound_to),
	};

	if (argc == 2 && strcmp(argv[0], "program") == 0) {
		for (size_t i = 0; i < sizeof programs / sizeof *programs; i++)
			if (strcmp(argv[1], programs[i].name) == 0) {
				programs[i].run();
				return 0;
			}
		return 2;
	}
	return cmocka_run_group_tests(tests, NULL, NULL);
}
