/*
 * scalediag on eight CPUs with a PMU. What holds although the CPUs are emulated: which CPUs the
 * program gets, and that a cycle is 1 ns of CPU time. Where time counts instructions, CPUs take
 * turns, each instruction of any of them is 4 cycles, and no program gains by more CPUs; who gets
 * how long a turn is not known, and a CPU that waits for its turn in the kernel is in the kernel.
 */
#include <fcntl.h>
#include <math.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "guest_record.h"

#define EMULATED_HZ 1e9

struct placed {
	const char *place, *cpus[4], *allowed[4];
};

/* At 1, 2, 4 and 8 cores: as planned, and as the kernel says to the program. */
static void expect_placed(struct e2e *e, const struct placed *row)
{
	struct e2e_result r;
	json_t *rec;

	e2e_run(e, &r, GUEST_PLAIN, "--cores", "1,2,4,8", "--repeats", "1", "--place", row->place,
		"-o", row->place, "--show-output", "--", "/bin/grep", "Cpus_allowed_list",
		"/proc/self/status");
	e2e_expect_status(&r, 0);
	for (size_t i = 0; i < 4; i++) {
		char line[64];

		snprintf(line, sizeof line, "Cpus_allowed_list:\t%s\n", row->allowed[i]);
		if (!strstr(r.out, line) && !strstr(r.err, line))
			fail_msg("no program had the CPUs %s:\n%.2000s%.2000s", row->allowed[i],
				r.out, r.err);
	}
	rec = guest_record_load(e, row->place);
	guest_record_expect_cpus(rec, row->cpus, 4);
	json_decref(rec);
	e2e_result_free(&r);
}

static void the_cpus_of_a_count_are_those_of_the_placement(void **state)
{
	static const struct placed row[] = {
		{"compact", {"0", "0-1", "0-3", "0-7"}, {"0", "0-1", "0-3", "0-7"}},
		{"spread", {"0", "0,4", "0,4,1,5", "0,4,1,5,2,6,3,7"},
			{"0", "0,4", "0-1,4-5", "0-7"}},
	};

	guest_need(__func__, "threads");
	for (size_t i = 0; i < sizeof row / sizeof *row; i++)
		expect_placed(*state, &row[i]);
}

/* This machine has four cores of two hardware threads. */
static void siblings_come_last_or_together(void **state)
{
	static const struct placed row[] = {
		{"compact", {"0", "0,2", "0,2,4,6", "0,2,4,6,1,3,5,7"},
			{"0", "0,2", "0,2,4,6", "0-7"}},
		{"smt", {"0", "0-1", "0-3", "0-7"}, {"0", "0-1", "0-3", "0-7"}},
	};

	guest_need(__func__, "counted");
	for (size_t i = 0; i < sizeof row / sizeof *row; i++)
		expect_placed(*state, &row[i]);
}

/* Expects no more cycles in user mode than the kernel accounted time to all modes. */
static void expect_cycles(const json_t *record)
{
	const json_t *run;
	size_t i;

	json_array_foreach(json_object_get(record, "runs"), i, run)
	{
		const double clock = guest_record_metric(run, "task_clock") * EMULATED_HZ;
		const double cycles = guest_record_metric(run, "cycles");

		/* two clocks, read one after the other, on a busy host */
		if (!(cycles > 0 && cycles < 1.05 * clock))
			fail_msg("%g cycles in %g ns of CPU time", cycles, clock);
	}
}

static void cycles_are_within_cpu_time_at_every_count(void **state)
{
	struct e2e *const e = *state;
	struct e2e_result r;
	json_t *rec;

	guest_need(__func__, NULL);
	e2e_run(e, &r, GUEST_PLAIN, "--cores", "1,2,4,8", "--repeats", "1", "--json", "-o",
		"r.json", e2e_program(e, "scales"), "0.05");
	e2e_expect_status(&r, 0);
	e2e_report(e, &r);
	rec = guest_record_load(e, "r.json");
	assert_string_equal(
		json_string_value(json_object_get(json_object_get(rec, "host"), "pmu")), "ok");
	expect_cycles(rec);
	json_decref(rec);
	e2e_result_free(&r);
}

static double at(const json_t *report, unsigned cores, const char *name)
{
	return json_number_value(
		json_object_get(json_object_get(e2e_point(report, cores), name), "value"));
}

static void near(double got, double expected, double tolerance, const char *what)
{
	if (!(fabs(got - expected) <= tolerance * expected))
		fail_msg("%s: %g, not %g within %g %%", what, got, expected, 100 * tolerance);
}

static void cpus_that_take_turns_gain_nothing(void **state)
{
	struct e2e *const e = *state;
	const json_t *report;
	struct e2e_result r;

	guest_need(__func__, "counted");
	e2e_run(e, &r, GUEST_PLAIN, "--cores", "1,2,4,8", "--repeats", "2", "--json",
		e2e_program(e, "scales"), "0.1");
	e2e_expect_status(&r, 0);
	report = e2e_report(e, &r);
	for (unsigned n = 2; n <= 8; n *= 2) {
		near(at(report, n, "speedup"), 1, 0.2, "speedup");
		assert_true(at(report, n, "parallelism") > 1);
		assert_true(at(report, n, "parallelism") < n + 0.1);
	}
	assert_true(!json_is_true(json_object_get(report, "scales")));
	e2e_result_free(&r);
}

/*
 * Half of the instructions, so half of the time: at least (n - 1) / 2 of n CPUs have nothing. What
 * share it is comes from looks at the threads, whose number in runs of .1 s scatters it by a tenth.
 */
static void the_serial_half_of_a_program_is_half_its_time(void **state)
{
	struct e2e *const e = *state;
	const json_t *report;
	struct e2e_result r;

	guest_need(__func__, "counted");
	e2e_run(e, &r, GUEST_PLAIN, "--cores", "1,2,4,8", "--repeats", "2", "--json",
		e2e_program(e, "half_serial"), "0.4");
	e2e_expect_status(&r, 0);
	report = e2e_report(e, &r);
	for (unsigned n = 2; n <= 8; n *= 2) {
		const double serial = e2e_component(report, n, "serial");

		if (!(serial > 0.8 * (n - 1) / 2 && serial <= n - 1))
			fail_msg("%g of %u cores are serial", serial, n);
	}
	assert_string_not_equal(e2e_verdict(report, "serial-code"), "ruled-out");
	assert_string_not_equal(e2e_verdict(report, "serial-code"), "not-measurable");
	e2e_result_free(&r);
}

/* ---- roles of the CPU's event map ------------------------------------------------------------ */

/* A role's count in a run; -1: not a number there. */
static double role(const json_t *run, const char *name)
{
	const json_t *c;
	size_t i;

	json_array_foreach(json_object_get(run, "roles"), i, c)
	{
		if (strcmp(json_string_value(json_object_get(c, "role")), name) != 0)
			continue;
		assert_string_equal(json_string_value(json_object_get(c, "source")), "neoverse_n1");
		if (!json_is_number(json_object_get(c, "value")))
			return -1;
		assert_true(json_number_value(json_object_get(c, "running")) == 1);
		return json_number_value(json_object_get(c, "value"));
	}
	return -1;
}

static void the_map_of_the_cpu_is_counted_at_every_count(void **state)
{
	struct e2e *const e = *state;
	struct e2e_result r;
	const json_t *run;
	json_t *rec;
	size_t i;

	guest_need(__func__, "counted");
	e2e_run(e, &r, GUEST_PLAIN, "--events", "hw", "--cores", "1,2,4,8", "--repeats", "2",
		"--json", "-o", "r.json", e2e_program(e, "scales"), "0.05");
	e2e_expect_status(&r, 0);
	e2e_report(e, &r);
	rec = guest_record_load(e, "r.json");
	/* another counter of the same thing, on for the same program */
	json_array_foreach(json_object_get(rec, "runs"), i, run) near(
		role(run, "cycles"), guest_record_metric(run, "cycles"), 0.05, "cycles by the map");
	json_decref(rec);
	e2e_result_free(&r);
}

/* Instructions of the first run that has them, in a record of runs at one core. */
static void first_instructions(struct e2e *e, const char *amount, double *instructions)
{
	struct e2e_result r;
	const json_t *run;
	char name[32];
	json_t *rec;
	size_t i;

	*instructions = -1;
	snprintf(name, sizeof name, "%s.json", amount);
	e2e_run(e, &r, GUEST_PLAIN, "--events", "hw", "--cores", "1", "--repeats", "3", "-o", name,
		e2e_program(e, "scales"), amount);
	e2e_expect_status(&r, 0);
	rec = guest_record_load(e, name);
	json_array_foreach(json_object_get(rec, "runs"), i, run)
	{
		const double count = role(run, "instructions");

		if (count < 0)
			continue;
		*instructions = count;
		near(role(run, "cycles") / count, 4, 0.01, "cycles per instruction");
		near(guest_record_metric(run, "instructions"), count, 0.01,
			"instructions by the map");
	}
	json_decref(rec);
	e2e_result_free(&r);
	assert_true(*instructions > 0);
}

static void twice_the_work_is_twice_the_instructions(void **state)
{
	double once, twice;

	guest_need(__func__, "counted");
	first_instructions(*state, "0.05", &once);
	first_instructions(*state, "0.1", &twice);
	near(twice / once, 2, 0.01, "instructions");
}

/* ---- an ordinary user ----------------------------------------------------------------------- */

#define USER 1000

static int become_user(void *ctx)
{
	(void)ctx;
	return setgid(USER) < 0 || setuid(USER) < 0;
}

static json_t *run_as_user(struct e2e *e, const char *paranoid)
{
	struct e2e_result r;

	guest_write("/proc/sys/kernel/perf_event_paranoid", paranoid);
	assert_int_equal(chown(e->folder, USER, USER), 0);
	e2e_run_hooked(e, &r, become_user, NULL, GUEST_PLAIN, "--cores", "1,2", "--repeats", "1",
		"--json", "-o", paranoid, e2e_program(e, "scales"), "0.05");
	e2e_expect_status(&r, 0);
	e2e_report(e, &r);
	e2e_result_free(&r);
	return guest_record_load(e, paranoid);
}

static const json_t *last_run(const json_t *record)
{
	const json_t *const runs = json_object_get(record, "runs");

	assert_true(json_array_size(runs) > 0);
	return json_array_get(runs, json_array_size(runs) - 1);
}

static void an_ordinary_user_counts_in_user_mode_at_paranoid_2(void **state)
{
	json_t *rec;

	guest_need(__func__, "threads");
	rec = run_as_user(*state, "2");
	assert_string_equal(
		json_string_value(json_object_get(json_object_get(rec, "host"), "pmu")), "ok");
	expect_cycles(rec);
	json_decref(rec);
}

/* Debian's kernel has a level more: no perf_event_open at all. */
static void an_ordinary_user_is_denied_and_not_given_zero_at_paranoid_3(void **state)
{
	const json_t *run;
	json_t *rec;

	guest_need(__func__, "threads");
	rec = run_as_user(*state, "3");
	assert_string_equal(
		json_string_value(json_object_get(json_object_get(rec, "host"), "pmu")), "denied");
	run = last_run(rec);
	assert_string_equal(guest_record_status(run, "cycles"), "denied");
	assert_string_equal(guest_record_status(run, "instructions"), "denied");
	assert_true(guest_record_metric(run, "user") > 0);
	json_decref(rec);
}

int main(void)
{
#define TEST(t) cmocka_unit_test_setup_teardown(t, e2e_setup, e2e_teardown)
	const struct CMUnitTest tests[] = {
		TEST(the_cpus_of_a_count_are_those_of_the_placement),
		TEST(siblings_come_last_or_together),
		TEST(cycles_are_within_cpu_time_at_every_count),
		TEST(cpus_that_take_turns_gain_nothing),
		TEST(the_serial_half_of_a_program_is_half_its_time),
		TEST(the_map_of_the_cpu_is_counted_at_every_count),
		TEST(twice_the_work_is_twice_the_instructions),
		TEST(an_ordinary_user_counts_in_user_mode_at_paranoid_2),
		TEST(an_ordinary_user_is_denied_and_not_given_zero_at_paranoid_3),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
