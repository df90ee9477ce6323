/* The door to perf_event_open is replaced here: perf.c is not linked. */
#include "perf_event/perf_event.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "perf_event/counter_read.h"
#include "support/fakeproc.h"
#include "probes/probes.h"
#include "trace/running.h"

#define MOST_CALLS 16

/* The kernel of this test. */
static struct kernel {
	int deny_kernel_mode; /* perf_event_paranoid 2 */
	int error;            /* of every call; 0: none */
	int no_hardware;
	struct sd_counter_read_reading reading;
	size_t calls, started;
	struct perf_event_attr attr[MOST_CALLS];
	pid_t pid[MOST_CALLS];
} kernel;

static int file_with(const struct sd_counter_read_reading *r)
{
	FILE *f = tmpfile();
	int fd;

	if (!f || fwrite(r, sizeof *r, 1, f) != 1 || fflush(f))
		abort();
	fd = dup(fileno(f));
	fclose(f);
	lseek(fd, 0, SEEK_SET);
	return fd;
}

int sd_perf_event_open(const struct perf_event_attr *attr, pid_t pid, int cpu)
{
	assert_int_equal(cpu, -1);
	assert_true(kernel.calls < MOST_CALLS);
	kernel.attr[kernel.calls] = *attr;
	kernel.pid[kernel.calls++] = pid;
	if (kernel.error)
		return kernel.error;
	if (kernel.no_hardware && attr->type == PERF_TYPE_HARDWARE)
		return -ENOENT;
	if (kernel.deny_kernel_mode && !attr->exclude_kernel)
		return -EACCES;
	return file_with(&kernel.reading);
}

int sd_perf_event_switch(int fd, int on)
{
	assert_true(fd >= 0 && on);
	kernel.started++;
	return 0;
}

static struct sd_run run_asked(const char *root, int system_calls)
{
	const struct sd_cpulist cpus = {0};
	const struct sd_probe_target target = {.pid = 4711,
		.subreaper = 4710,
		.cpus = &cpus,
		.cores = 2,
		.system_calls = system_calls,
		.root = root};
	struct sd_run run = {0};
	void *state = NULL;

	kernel.calls = 0;
	assert_int_equal(sd_probe_task_counters.open(&state, &target), 0);
	sd_probe_task_counters.stop(state, &run);
	sd_probe_task_counters.close(state);
	return run;
}

static struct sd_run run_with(const char *root)
{
	return run_asked(root, 0);
}

static int fresh_root(void **state)
{
	char *root = malloc(64);

	if (!root)
		return -1;
	fake_make(root);
	kernel = (struct kernel){.reading = {.value = 3000, .enabled = 100, .running = 100}};
	*state = root;
	return 0;
}

static int remove_root(void **state)
{
	fake_remove(*state);
	free(*state);
	return 0;
}

static void give_msr(const char *root, const char *type, const char *event)
{
	fake_write(root, "sys/bus/event_source/devices/msr/type", "%s\n", type);
	fake_write(root, "sys/bus/event_source/devices/msr/events/tsc", "%s\n", event);
}

static void expect(const struct sd_run *run, enum sd_metric m, enum sd_status status, double value)
{
	if (run->metric[m].status != status)
		fail_msg("%s is %s, not %s", sd_metric_info[m].name,
			sd_status_name(run->metric[m].status), sd_status_name(status));
	if (sd_has(run->metric[m]))
		assert_true(run->metric[m].value == value);
}

static void every_counter_starts_at_exec_and_is_inherited(void **state)
{
	struct sd_run run;

	give_msr(*state, "9", "event=0x00");
	run = run_with(*state);
	expect(&run, SD_METRIC_TSC_CYCLES, SD_STATUS_OK, 3000);
	expect(&run, SD_METRIC_TASK_CLOCK, SD_STATUS_OK, 3000 * 1e-9);
	expect(&run, SD_METRIC_MIGRATIONS, SD_STATUS_OK, 3000);
	expect(&run, SD_METRIC_CYCLES, SD_STATUS_OK, 3000);
	expect(&run, SD_METRIC_INSTRUCTIONS, SD_STATUS_OK, 3000);
	assert_int_equal(kernel.calls, 5);
	for (size_t i = 0; i < kernel.calls; i++) {
		const struct perf_event_attr *a = &kernel.attr[i];

		assert_int_equal(kernel.pid[i], 4711);
		assert_true(a->disabled && a->enable_on_exec && a->inherit);
		assert_true(a->read_format == SD_COUNTER_READ_FORMAT);
		assert_int_equal(a->exclude_kernel, a->type == PERF_TYPE_HARDWARE);
	}
	assert_int_equal(kernel.attr[0].type, 9);
	assert_int_equal(kernel.attr[0].config, 0);
}

/* The threads of both processes, each with all counters, started together and added up. */
static void the_threads_of_a_program_that_runs_are_added_up(void **state)
{
	const pid_t pid[] = {50, 60};
	const struct sd_running running = {pid, 2};
	const struct sd_cpulist cpus = {0};
	const struct sd_probe_target target = {.pid = 50,
		.running = &running,
		.cpus = &cpus,
		.cores = 2,
		.os_only = 1,
		.root = *state};
	struct sd_run run = {0};
	void *probe = NULL;

	fake_write(*state, "proc/50/task/50/stat", "\n");
	fake_write(*state, "proc/50/task/51/stat", "\n");
	fake_write(*state, "proc/60/task/60/stat", "\n");
	assert_int_equal(sd_probe_task_counters.open(&probe, &target), 0);
	assert_int_equal(kernel.calls, 6); /* time and migrations; no TSC, no hardware */
	assert_int_equal(kernel.pid[0], 50);
	assert_int_equal(kernel.pid[2], 51);
	assert_int_equal(kernel.pid[4], 60);
	for (size_t i = 0; i < kernel.calls; i++)
		assert_true(kernel.attr[i].disabled && !kernel.attr[i].enable_on_exec &&
			    kernel.attr[i].inherit);
	assert_int_equal(kernel.started, 0);
	sd_probe_task_counters.start(probe);
	assert_int_equal(kernel.started, 6);
	sd_probe_task_counters.stop(probe, &run);
	sd_probe_task_counters.close(probe);
	expect(&run, SD_METRIC_TASK_CLOCK, SD_STATUS_OK, 9000 * 1e-9);
	expect(&run, SD_METRIC_MIGRATIONS, SD_STATUS_OK, 9000);
}

static void a_machine_without_a_pmu_has_no_cycles(void **state)
{
	struct sd_run run;

	kernel.no_hardware = 1;
	run = run_with(*state);
	expect(&run, SD_METRIC_CYCLES, SD_STATUS_UNSUPPORTED, 0);
	expect(&run, SD_METRIC_INSTRUCTIONS, SD_STATUS_UNSUPPORTED, 0);
	expect(&run, SD_METRIC_TSC_CYCLES, SD_STATUS_UNSUPPORTED, 0);
	expect(&run, SD_METRIC_TASK_CLOCK, SD_STATUS_OK, 3000 * 1e-9);
}

static void an_ordinary_user_still_gets_the_clock(void **state)
{
	struct sd_run run;

	kernel.deny_kernel_mode = 1;
	give_msr(*state, "9", "event=0x00");
	run = run_with(*state);
	expect(&run, SD_METRIC_TSC_CYCLES, SD_STATUS_DENIED, 0);
	expect(&run, SD_METRIC_TASK_CLOCK, SD_STATUS_OK, 3000 * 1e-9);
	expect(&run, SD_METRIC_MIGRATIONS, SD_STATUS_DENIED, 0);
	expect(&run, SD_METRIC_CYCLES, SD_STATUS_OK, 3000);
}

/* Each call costs, so that they are counted on demand only, by the tracepoint that tracefs names.
 */
static void system_calls_are_counted_if_they_are_asked_for(void **state)
{
	const struct perf_event_attr *a = NULL;
	struct sd_run run;

	run = run_asked(*state, 1); /* no tracefs */
	expect(&run, SD_METRIC_SYSTEM_CALLS, SD_STATUS_UNSUPPORTED, 0);
	fake_write(*state, "sys/kernel/debug/tracing/events/raw_syscalls/sys_enter/id", "361\n");
	fake_write(*state, "sys/kernel/debug/tracing/events/raw_syscalls/sys_enter/format", "\n");
	(void)run_with(*state);
	for (size_t i = 0; i < kernel.calls; i++)
		assert_int_not_equal(kernel.attr[i].type, PERF_TYPE_TRACEPOINT);
	run = run_asked(*state, 1);
	expect(&run, SD_METRIC_SYSTEM_CALLS, SD_STATUS_OK, 3000);
	for (size_t i = 0; i < kernel.calls; i++)
		if (kernel.attr[i].type == PERF_TYPE_TRACEPOINT)
			a = &kernel.attr[i];
	assert_non_null(a);
	assert_int_equal(a->config, 361);
	assert_true(a->inherit && a->enable_on_exec && !a->exclude_kernel);
	kernel.deny_kernel_mode = 1;
	run = run_asked(*state, 1);
	expect(&run, SD_METRIC_SYSTEM_CALLS, SD_STATUS_DENIED, 0);
}

static void an_error_says_why_there_is_no_number(void **state)
{
	static const struct {
		int error;
		enum sd_status status;
	} rows[] = {{-EACCES, SD_STATUS_DENIED}, {-EPERM, SD_STATUS_DENIED},
		{-ENOENT, SD_STATUS_UNSUPPORTED}, {-ENODEV, SD_STATUS_UNSUPPORTED},
		{-EOPNOTSUPP, SD_STATUS_UNSUPPORTED}, {-EINVAL, SD_STATUS_UNSUPPORTED},
		{-ENOSYS, SD_STATUS_UNSUPPORTED}, {-EMFILE, SD_STATUS_ABSENT},
		{-ESRCH, SD_STATUS_ABSENT}};

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct sd_run run;

		kernel.error = rows[i].error;
		run = run_with(*state);
		expect(&run, SD_METRIC_TASK_CLOCK, rows[i].status, 0);
		expect(&run, SD_METRIC_CYCLES, rows[i].status, 0);
	}
}

static void a_multiplexed_counter_is_scaled_once_and_marked(void **state)
{
	struct sd_run run;

	kernel.reading.running = 25;
	run = run_with(*state);
	expect(&run, SD_METRIC_INSTRUCTIONS, SD_STATUS_MULTIPLEXED, 12000);
	kernel.reading.running = 0;
	run = run_with(*state);
	expect(&run, SD_METRIC_INSTRUCTIONS, SD_STATUS_ABSENT, 0);
}

static void a_damaged_pmu_folder_is_no_pmu(void **state)
{
	static const char *const rows[][2] = {{"x", "event=0x00"}, {"4294967296", "event=0x00"},
		{"9", "event=0xg"}, {"9", "event=0x"}, {"9", "umask=0x1"}, {"9", ""},
		{"9", "event=0x123456789"}, {"", "event=0x00"}};

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct sd_run run;

		give_msr(*state, rows[i][0], rows[i][1]);
		run = run_with(*state);
		expect(&run, SD_METRIC_TSC_CYCLES, SD_STATUS_UNSUPPORTED, 0);
	}
}

static void a_failed_probe_leaves_a_status_for_every_metric(void **state)
{
	struct sd_run run = {0};

	(void)state;
	(sd_probe_task_counters.fail)(-EPERM, &run); /* cmocka has a macro of that name */
	expect(&run, SD_METRIC_TSC_CYCLES, SD_STATUS_DENIED, 0);
	expect(&run, SD_METRIC_INSTRUCTIONS, SD_STATUS_DENIED, 0);
}

int main(void)
{
#define TEST(t) cmocka_unit_test_setup_teardown(t, fresh_root, remove_root)
	const struct CMUnitTest tests[] = {
		TEST(every_counter_starts_at_exec_and_is_inherited),
		TEST(the_threads_of_a_program_that_runs_are_added_up),
		TEST(a_machine_without_a_pmu_has_no_cycles),
		TEST(an_ordinary_user_still_gets_the_clock),
		TEST(system_calls_are_counted_if_they_are_asked_for),
		TEST(an_error_says_why_there_is_no_number),
		TEST(a_multiplexed_counter_is_scaled_once_and_marked),
		TEST(a_damaged_pmu_folder_is_no_pmu),
		TEST(a_failed_probe_leaves_a_status_for_every_metric),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
