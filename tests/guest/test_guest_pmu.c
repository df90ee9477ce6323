/*
 * Hardware counters through the door of the probes, on the kernel's own perf_event_open: here the
 * PMU is QEMU's. What its events are (target/arm/helper.c): CPU_CYCLES is the virtual clock at
 * 1 GHz, so that cycles over CPU time is 1e9/s whatever runs; INST_RETIRED exists where the clock
 * counts instructions, and counts those of all CPUs, so that a loop is exact while the others idle.
 */
#include <math.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "perf_event/counter_read.h"
#include "guest.h"
#include "perf_event/perf_event.h"

#define EMULATED_HZ 1e9
#define CYCLES_EVENT 0x11 /* Arm ARM: CPU_CYCLES */
#define COUNTERS 7        /* of an N1: six, and one for cycles alone */

/* A loop of two instructions. */
static void loop(uint64_t turns)
{
#ifdef __aarch64__
	__asm__ volatile("1: subs %0, %0, #1\n\tb.ne 1b" : "+r"(turns) : : "cc");
#else
	while (turns--)
		__asm__ volatile("");
#endif
}

#define LOOP_INSTRUCTIONS 2.0
#define TURNS 20000000u

static void on_one_cpu(void)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(1, &set);
	assert_int_equal(sched_setaffinity(0, sizeof set, &set), 0);
}

static struct perf_event_attr attr_of(uint32_t type, uint64_t config)
{
	return (struct perf_event_attr){.size = sizeof(struct perf_event_attr),
		.type = type,
		.config = config,
		.read_format = SD_COUNTER_READ_FORMAT,
		.disabled = 1,
		.inherit = 1};
}

static int open_event(const struct perf_event_attr *attr)
{
	const int fd = sd_perf_event_open(attr, 0, -1);

	if (fd < 0)
		fail_msg("event %u/%#llx: %s", attr->type, (unsigned long long)attr->config,
			strerror(-fd));
	return fd;
}

static struct sd_value read_and_close(int fd)
{
	const struct sd_value v = sd_counter_read(fd);

	close(fd);
	return v;
}

static void switch_on(int fd)
{
	assert_int_equal(ioctl(fd, PERF_EVENT_IOC_ENABLE, 0), 0);
}

static void near(double got, double expected, double tolerance, const char *what)
{
	if (got < expected * (1 - tolerance) || got > expected * (1 + tolerance))
		fail_msg("%s: %.6g, not %.6g within %g %%", what, got, expected, 100 * tolerance);
}

/* Runs `turns` in each of n children, one after another. */
static void in_children(unsigned n, uint64_t turns)
{
	for (unsigned i = 0; i < n; i++) {
		const pid_t pid = fork();
		int status;

		assert_true(pid >= 0);
		if (pid == 0) {
			loop(turns);
			_exit(0);
		}
		assert_int_equal(waitpid(pid, &status, 0), pid);
	}
}

static void cycles_are_cpu_time_times_the_clock(void **state)
{
	const struct perf_event_attr time = attr_of(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK);
	const struct perf_event_attr cycles = attr_of(PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES);
	struct sd_value t, c;
	int fd[2];

	(void)state;
	guest_need(__func__, NULL);
	fd[0] = open_event(&time);
	fd[1] = open_event(&cycles);
	switch_on(fd[0]);
	switch_on(fd[1]);
	loop(5 * TURNS);
	in_children(4, TURNS);
	c = read_and_close(fd[1]);
	t = read_and_close(fd[0]);
	assert_int_equal(c.status, SD_STATUS_OK);
	assert_int_equal(t.status, SD_STATUS_OK);
	/* the clocks are read one after the other, and the host may take the CPU between them */
	near(c.value / (t.value * 1e-9), EMULATED_HZ, 0.05, "cycles per second");
}

/* QEMU's counter also has what the other CPUs do meanwhile, which only adds: the least of a few. */
#define TRIES 5

static void instructions_of_a_counted_loop_are_exact(void **state)
{
	struct perf_event_attr attr = attr_of(PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS);
	double least = INFINITY;

	(void)state;
	guest_need(__func__, "counted");
	on_one_cpu();
	attr.exclude_kernel = attr.exclude_hv = 1;
	for (int i = 0; i < TRIES; i++) {
		const int fd = open_event(&attr);
		struct sd_value v;

		switch_on(fd);
		loop(TURNS);
		v = read_and_close(fd);
		assert_int_equal(v.status, SD_STATUS_OK);
		least = fmin(least, v.value);
	}
	near(least, LOOP_INSTRUCTIONS * TURNS, 0.01, "instructions");
}

static void a_counter_is_inherited_by_all_children(void **state)
{
	struct perf_event_attr attr = attr_of(PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS);
	double least = INFINITY;

	(void)state;
	guest_need(__func__, "counted");
	on_one_cpu();
	attr.exclude_kernel = attr.exclude_hv = 1;
	for (int i = 0; i < TRIES; i++) {
		const int fd = open_event(&attr);

		switch_on(fd);
		in_children(5, TURNS);
		least = fmin(least, read_and_close(fd).value);
	}
	near(least, 5 * LOOP_INSTRUCTIONS * TURNS, 0.01, "instructions of five children");
}

/* More events than counters: the kernel lets them take turns, and says so. */
static void more_events_than_counters_are_multiplexed(void **state)
{
	enum { N = 2 * COUNTERS };
	const struct perf_event_attr attr = attr_of(PERF_TYPE_RAW, CYCLES_EVENT);
	struct sd_counter_read_reading r[N];
	double running = 0;
	int fd[N];

	(void)state;
	guest_need(__func__, NULL);
	for (int i = 0; i < N; i++)
		fd[i] = open_event(&attr);
	for (int i = 0; i < N; i++)
		switch_on(fd[i]);
	loop(20 * TURNS);
	for (int i = 0; i < N; i++)
		assert_int_equal(read(fd[i], &r[i], sizeof r[i]), sizeof r[i]);
	for (int i = 0; i < N; i++) {
		const struct sd_value v = sd_counter_read_value(&r[i]);

		close(fd[i]);
		assert_true(r[i].running > 0 && r[i].running < r[i].enabled);
		assert_int_equal(v.status, SD_STATUS_MULTIPLEXED);
		/* the loop is the same all the time: what was not counted is like what was */
		near(v.value, (double)r[i].enabled * 1e-9 * EMULATED_HZ, 0.1, "scaled cycles");
		running += (double)r[i].running / (double)r[i].enabled;
	}
	/* no more at once than there are counters, and those not idle */
	assert_true(running < COUNTERS + 0.5);
	assert_true(running > COUNTERS - 2);
}

static void an_event_this_cpu_has_not_is_unsupported(void **state)
{
	/* Arm ARM: LL_CACHE_MISS_RD; this PMU says in PMCEID that it has it not */
	const struct perf_event_attr attr = attr_of(
		PERF_TYPE_HW_CACHE, PERF_COUNT_HW_CACHE_LL | PERF_COUNT_HW_CACHE_RESULT_MISS << 16);
	int fd;

	(void)state;
	guest_need(__func__, NULL);
	fd = sd_perf_event_open(&attr, 0, -1);
	assert_true(fd < 0);
	assert_int_equal(sd_counter_read_error(fd), SD_STATUS_UNSUPPORTED);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(cycles_are_cpu_time_times_the_clock),
		cmocka_unit_test(instructions_of_a_counted_loop_are_exact),
		cmocka_unit_test(a_counter_is_inherited_by_all_children),
		cmocka_unit_test(more_events_than_counters_are_multiplexed),
		cmocka_unit_test(an_event_this_cpu_has_not_is_unsupported),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
