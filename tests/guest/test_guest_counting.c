/*
 * The roles of whole runs, counted by the emulated machine's PMU over a tree of threads. QEMU's
 * CPU_CYCLES is the virtual clock at 1 GHz: the cycles of a program that only computes are its CPU
 * time.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "guest.h"

#define EMULATED_HZ 1e9

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
	double alone = 0;
	size_t i;

	guest_need(__func__);
	e2e_run(e, &r, "--events", "hw", "--cores", "1,2,4,8", "--repeats", "2", "-o", "r.json",
		e2e_program(e, "scales"), "0.4");
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
		 * User mode only. One core: the CPU time less the kernel's. More cores: the
		 * emulator's threads or turns also pass time in the timer interrupts, which the
		 * kernel's accounting by ticks does not see; but the same work by eight threads
		 * cannot take half the cycles, as it would if not all of them were counted.
		 */
		if (json_integer_value(json_object_get(run, "point")) == 0)
			alone = alone == 0 ? counted : alone;
		if (counted > clock * 1.02 || counted < alone * 0.5 ||
			(json_integer_value(json_object_get(run, "point")) == 0 &&
				counted < (clock - system) * 0.8))
			fail_msg("run %zu: %g s of cycles in %g s of CPU, %g s of the kernel", i,
				counted, clock, system);
	}
	assert_true(i >= 8);
	json_decref(record);
	e2e_result_free(&r);
}

static void instructions_of_a_fixed_work_do_not_grow_with_the_cores(void **state)
{
	struct e2e *e = *state;
	struct e2e_result r;
	json_t *record;
	const json_t *run;
	double first = 0;
	size_t i;

	guest_need_counted(__func__);
	e2e_run(e, &r, "--events", "hw", "--cores", "1,2,8", "--repeats", "1", "-o", "r.json",
		e2e_program(e, "scales"), "0.1");
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

/* What QEMU's PMU does not have would count 0 for ever. */
static void an_event_that_the_cpu_lacks_is_unsupported_and_not_zero(void **state)
{
	struct e2e *e = *state;
	struct e2e_result r;
	json_t *record;
	const json_t *run, *lacking;

	guest_need(__func__);
	e2e_run(e, &r, "--events", "hw", "--cores", "1", "--repeats", "1", "-o", "r.json",
		e2e_program(e, "scales"), "0.01");
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
			instructions_of_a_fixed_work_do_not_grow_with_the_cores, e2e_setup,
			e2e_teardown),
		cmocka_unit_test_setup_teardown(
			an_event_that_the_cpu_lacks_is_unsupported_and_not_zero, e2e_setup,
			e2e_teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
