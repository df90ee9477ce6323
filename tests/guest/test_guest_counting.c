/*
 * The roles of whole runs, counted by the emulated machine's PMU over a tree of threads. QEMU's
 * CPU_CYCLES is the virtual clock at 1 GHz: the cycles of a program that only computes are its CPU
 * time.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "perf_event/counter_read.h"
#include "guest.h"
#include "perf_event/perf_event.h"

#define EMULATED_HZ 1e9
#define CYCLES_EVENT 0x11 /* Arm ARM: CPU_CYCLES */
#define CPUS 8

static const json_t *role_of(const json_t *run, const char *role)
{
	const json_t *roles = json_object_get(run, "roles");

	for (size_t i = 0; i < json_array_size(roles); i++) {
		const json_t *c = json_array_get(roles, i);

		if (strcmp(json_string_value(json_object_get(c, "role")), role) == 0)
			return c;
	}
	return NULL;
}

static json_t *record_of(const struct e2e *e)
{
	json_t *r = json_load_file(e2e_path(e, "r.json"), 0, NULL);

	assert_non_null(r);
	return r;
}

static double real_at(const json_t *object, const char *key)
{
	const json_t *v = json_object_get(object, key);

	return json_is_object(v) ? json_number_value(json_object_get(v, "value"))
				 : json_number_value(v);
}

static void cycles_of_every_run_are_its_cpu_time(void **state)
{
	struct e2e *e = *state;
	struct e2e_result r;
	json_t *record;
	const json_t *runs, *run;
	size_t i;

	guest_need(__func__, "threads");
	e2e_run(e, &r, GUEST_PLAIN, "--events", "hw", "--cores", "1,2,4,8", "--repeats", "2", "-o",
		"r.json", e2e_program(e, "scales"), "0.4");
	e2e_expect_status(&r, 0);
	record = record_of(e);
	runs = json_object_get(record, "runs");
	json_array_foreach(runs, i, run)
	{
		const json_t *cycles = role_of(run, "cycles");
		const double clock = real_at(json_object_get(run, "metrics"), "task_clock");
		const double system = real_at(json_object_get(run, "metrics"), "system");
		const double counted = real_at(cycles, "value") / EMULATED_HZ;

		assert_non_null(cycles);
		assert_true(json_is_number(json_object_get(cycles, "value"))); /* status ok */
		assert_true(real_at(cycles, "running") == 1);
		assert_string_equal(
			json_string_value(json_object_get(cycles, "source")), "neoverse_n1");
		print_message("run %zu: %g s of cycles, %g s of CPU, %g s of the kernel\n", i,
			counted, clock, system);
		/*
		 * User mode only, so at most the CPU time. What is missing is the kernel's, of
		 * which the accounting by ticks sees only a part: an emulator that its host keeps
		 * waiting spends more of its turns in timer interrupts. No share of that is
		 * certain; but of counters that ran for half of the time, or of eight threads of
		 * which not all were counted, less than half would be there.
		 */
		if (counted > clock * 1.02 || counted < (clock - system) * 0.5)
			fail_msg("run %zu: %g s of cycles in %g s of CPU, %g s of the kernel", i,
				counted, clock, system);
	}
	assert_true(i >= 8);
	json_decref(record);
	e2e_result_free(&r);
}

static struct perf_event_attr inherited(uint32_t type, uint64_t config)
{
	return (struct perf_event_attr){.size = sizeof(struct perf_event_attr),
		.type = type,
		.config = config,
		.read_format = SD_COUNTER_READ_FORMAT,
		.disabled = 1,
		.inherit = 1,
		.enable_on_exec = 1};
}

/* A tree of eight threads, by the door that the roles go through: nothing of it is lost. */
static void user_and_kernel_cycles_of_a_tree_are_its_cpu_time(void **state)
{
	struct e2e *e = *state;
	struct perf_event_attr attr[3] = {inherited(PERF_TYPE_RAW, CYCLES_EVENT),
		inherited(PERF_TYPE_RAW, CYCLES_EVENT),
		inherited(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK)};
	double value[3];
	int gate[2], fd[3], status;
	char go = 1;
	pid_t pid;

	guest_need(__func__, "threads");
	attr[0].exclude_kernel = attr[0].exclude_hv = 1;
	attr[1].exclude_user = 1;
	assert_int_equal(pipe(gate), 0);
	pid = fork();
	if (pid == 0) {
		setenv("OMP_NUM_THREADS", "8", 1);
		if (read(gate[0], &go, 1) == 1)
			execl(e2e_program(e, "scales"), "scales", "0.2", (char *)NULL);
		_exit(127);
	}
	for (int i = 0; i < 3; i++) {
		fd[i] = sd_perf_event_open(&attr[i], pid, -1);
		assert_true(fd[i] >= 0);
	}
	assert_int_equal(write(gate[1], &go, 1), 1);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
	for (int i = 0; i < 3; i++) {
		struct sd_counter_read_reading r;

		assert_int_equal(sd_perf_event_read(fd[i], &r), 0);
		assert_true(r.running == r.enabled && r.running > 0);
		value[i] = (double)r.value / EMULATED_HZ;
		sd_perf_event_close(fd[i]);
	}
	close(gate[0]);
	close(gate[1]);
	print_message("%g s of user cycles, %g s of the kernel's, %g s of CPU\n", value[0],
		value[1], value[2]);
	assert_true(fabs((value[0] + value[1]) / value[2] - 1) < 0.05);
}

static void instructions_of_a_fixed_work_do_not_grow_with_the_cores(void **state)
{
	struct e2e *e = *state;
	struct e2e_result r;
	json_t *record;
	const json_t *run;
	double first = 0;
	size_t i;

	guest_need(__func__, "counted");
	e2e_run(e, &r, GUEST_PLAIN, "--events", "hw", "--cores", "1,2,8", "--repeats", "1", "-o",
		"r.json", e2e_program(e, "scales"), "0.1");
	e2e_expect_status(&r, 0);
	record = record_of(e);
	json_array_foreach(json_object_get(record, "runs"), i, run)
	{
		const double n = real_at(role_of(run, "instructions"), "value");

		assert_true(n > 0);
		if (i == 0)
			first = n;
		/* QEMU counts the instructions of all CPUs in each counter: one core is exact, and
		 * more cores count each other's */
		if (json_integer_value(json_object_get(run, "point")) == 0)
			assert_true(fabs(n / first - 1) < 0.01);
		else
			assert_true(n > first * 0.9);
	}
	json_decref(record);
	e2e_result_free(&r);
}

/* A cycles event of every process on every CPU, `n` times. The kernel takes turns with
 * the run's. */
static size_t occupy(int *fd, size_t n)
{
	struct perf_event_attr attr = {
		.size = sizeof attr, .type = PERF_TYPE_RAW, .config = CYCLES_EVENT};
	size_t opened = 0;

	for (int cpu = 0; cpu < CPUS; cpu++)
		for (size_t i = 0; i < n; i++) {
			fd[opened] = sd_perf_event_open(&attr, -1, cpu);
			assert_true(fd[opened++] >= 0);
		}
	return opened;
}

/* One pass with everything in it, and what was counted for part of the time says for how much. */
static void a_multiplexed_run_is_one_pass_and_says_how_long_it_counted(void **state)
{
	enum { RIVALS = 6 }; /* leave one counter of seven: those of the run take turns */
	struct e2e *e = *state;
	struct e2e_result r;
	int fd[RIVALS * CPUS];
	size_t n, i, part = 0;
	json_t *record;
	const json_t *run;

	guest_need(__func__, "threads");
	n = occupy(fd, RIVALS);
	e2e_run(e, &r, GUEST_PLAIN, "--events", "hw", "--multiplex", "--cores", "1,2", "--repeats",
		"2", "-o", "r.json", e2e_program(e, "scales"), "0.5");
	while (n > 0)
		sd_perf_event_close(fd[--n]);
	e2e_expect_status(&r, 0);
	record = record_of(e);
	json_array_foreach(json_object_get(record, "runs"), i, run)
	{
		const json_t *cycles = role_of(run, "cycles");
		const double running = real_at(cycles, "running");
		const double clock = real_at(json_object_get(run, "metrics"), "task_clock");
		const double counted = real_at(cycles, "value") / EMULATED_HZ;

		assert_true(json_integer_value(json_object_get(run, "pass")) == 0);
		print_message("run %zu: %g s of cycles in %g of %g s of CPU\n", i, counted, running,
			clock);
		assert_true(running > 0 && running <= 1);
		/* raw in the record: the same work in all of the time, but for the kernel's */
		assert_true(counted <= clock * 1.05);
		assert_true(counted / running > clock * 0.5 && counted / running < clock * 1.2);
		part += running < 0.99;
	}
	assert_true(i >= 4);
	assert_true(part > 0);
	json_decref(record);
	e2e_result_free(&r);
	/* and the report does not take it for a count of all the time */
	e2e_run(e, &r, "report", "--format", "json", "r.json");
	e2e_expect_status(&r, 0);
	assert_non_null(strstr(r.out, "\"multiplexed\""));
	e2e_result_free(&r);
}

/* An event that QEMU's PMU lacks would count 0 for ever. */
static void an_event_that_the_cpu_lacks_is_unsupported_and_not_zero(void **state)
{
	struct e2e *e = *state;
	struct e2e_result r;
	json_t *record;
	const json_t *run, *lacking;

	guest_need(__func__, NULL);
	e2e_run(e, &r, GUEST_PLAIN, "--events", "hw", "--cores", "1", "--repeats", "1", "-o",
		"r.json", e2e_program(e, "scales"), "0.01");
	e2e_expect_status(&r, 0);
	record = record_of(e);
	run = json_array_get(json_object_get(record, "runs"), 0);
	lacking = role_of(run, "llc_load_misses");
	assert_non_null(lacking);
	assert_string_equal(json_string_value(json_object_get(lacking, "value")), "unsupported");
	json_decref(record);
	e2e_result_free(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(
			cycles_of_every_run_are_its_cpu_time, e2e_setup, e2e_teardown),
		cmocka_unit_test_setup_teardown(
			user_and_kernel_cycles_of_a_tree_are_its_cpu_time, e2e_setup, e2e_teardown),
		cmocka_unit_test_setup_teardown(
			instructions_of_a_fixed_work_do_not_grow_with_the_cores, e2e_setup,
			e2e_teardown),
		cmocka_unit_test_setup_teardown(
			a_multiplexed_run_is_one_pass_and_says_how_long_it_counted, e2e_setup,
			e2e_teardown),
		cmocka_unit_test_setup_teardown(
			an_event_that_the_cpu_lacks_is_unsupported_and_not_zero, e2e_setup,
			e2e_teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
