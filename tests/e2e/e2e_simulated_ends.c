/*
 * Programs that crash, become others or cannot be emulated: what was counted until then.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "support/simulated_lines.h"

/* Keeps what the diagnosis asked for by itself, and what was counted until it crashed. */
static void what_a_crash_under_the_emulator_leaves_is_kept_and_partial(void **state)
{
	struct e2e *e = *state;
	struct e2e_result r;

	need_emulator(__func__);
	if (sysconf(_SC_NPROCESSORS_ONLN) < 2)
		e2e_skip(__func__, "needs two CPUs");
	e2e_run(e, &r, "--cores", "1,2", "--repeats", "2", "--experiments", "software-pmu",
		"--events", "os", "-o", e2e_path(e, "r.json"), "--", e2e_program(e, "faults"),
		"emulated");
	e2e_expect_status(&r, 0);
	e2e_result_free(&r);
	e2e_run(e, &r, "lines", e2e_path(e, "r.json"));
	e2e_expect_status(&r, 0);
	assert_non_null(strstr(r.out, "partial: the program was killed by signal 11"));
	assert_non_null(strstr(r.out, "1  words"));
	e2e_result_free(&r);
}

static void what_was_simulated_has_no_times_in_the_report(void **state)
{
	struct e2e *e = *state;
	struct e2e_result r;
	const json_t *report;

	need_emulator(__func__);
	simulate(e, "1,64", "padded", "400000");
	e2e_run(e, &r, "report", "--format", "json", e2e_path(e, "r.json"));
	e2e_expect_status(&r, 0);
	report = e2e_report(e, &r);
	assert_int_equal(json_array_size(json_object_get(report, "points")), 1);
	e2e_result_free(&r);
}

static void a_program_that_becomes_another_is_partial(void **state)
{
	struct e2e *e = *state;
	json_t *lines;

	need_emulator(__func__);
	simulate(e, "1", "execs", NULL);
	lines = lines_of(e, "1");
	assert_true(json_is_true(json_object_get(lines, "partial")));
	assert_non_null(strstr(text_of(lines, "partial_why"), "not simulated"));
	json_decref(lines);
	simulate(e, "1", "execs", "child");
	lines = lines_of(e, "1");
	assert_true(json_is_true(json_object_get(lines, "partial")));
	assert_non_null(strstr(text_of(lines, "partial_why"), "of 2 emulated processes"));
	assert_non_null(strstr(text_of(lines, "partial_why"), "that processes share"));
	json_decref(lines);
}

static void a_script_is_simulated_with_its_interpreter(void **state)
{
	struct e2e *e = *state;
	struct e2e_result r;
	json_t *lines;

	need_emulator(__func__);
	e2e_write(e2e_path(e, "script"),
		"#!/bin/sh\ni=0\nwhile [ $i -lt 200 ]; do i=$((i + 1)); done\n");
	assert_int_equal(chmod(e2e_path(e, "script"), 0755), 0);
	e2e_run(e, &r, "--cores", "1", "--repeats", "1", "--experiments", "none", "--events", "sim",
		"-o", e2e_path(e, "r.json"), "--", e2e_path(e, "script"));
	e2e_expect_status(&r, 0);
	e2e_result_free(&r);
	lines = lines_of(e, "1");
	assert_int_equal(json_array_size(json_object_get(lines, "threads")), 1);
	json_decref(lines);
}

static void an_instruction_that_the_emulator_lacks_is_named_and_the_times_are_kept(void **state)
{
	struct e2e *e = *state;
	struct e2e_result r;

	need_emulator(__func__);
#if defined(__x86_64__)
	if (!__builtin_cpu_supports("avx512f"))
		e2e_skip(__func__, "this CPU has no AVX-512 either");
#endif
	e2e_run(e, &r, "--cores", "1", "--repeats", "2", "--experiments", "none", "--events", "sim",
		"-o", e2e_path(e, "r.json"), "--", e2e_program(e, "avx512"), "x");
	e2e_expect_status(&r, 0);
	assert_non_null(strstr(r.err, "-march=x86-64-v3"));
	assert_non_null(strstr(r.out, "-march=x86-64-v3"));
	e2e_result_free(&r);
}

static int without_path(void *ctx)
{
	return setenv("PATH", ctx, 1);
}

static int another_plugin(void *ctx)
{
	return setenv("SCALEDIAG_SIM_PLUGIN", ctx, 1);
}

static void what_is_missing_is_said_before_the_first_run(void **state)
{
	struct e2e *e = *state;
	struct e2e_result r;
	char nowhere[] = "/nowhere";

	need_emulator(__func__);
	e2e_run_hooked(e, &r, without_path, e->folder, "--events", "sim", e2e_program(e, "padded"));
	e2e_expect_status(&r, 4);
	e2e_expect_error(&r, "apt-get install qemu-user");
	e2e_result_free(&r);
	e2e_run_hooked(e, &r, another_plugin, nowhere, "--events", "sim", e2e_program(e, "padded"));
	e2e_expect_status(&r, 4);
	e2e_expect_error(&r, "SCALEDIAG_SIM_PLUGIN: /nowhere");
	e2e_result_free(&r);
}

static void an_absurd_machine_is_refused_with_file_and_line(void **state)
{
	struct e2e *e = *state;
	struct e2e_result r;

	e2e_write(e2e_path(e, "m.conf"),
		"name = \"m\"; title = \"t\"; source = \"s\";\nl1 = { kib = 32; ways = 0; };\n");
	e2e_run(e, &r, "--events", "sim", "--machine", e2e_path(e, "m.conf"),
		e2e_program(e, "padded"));
	e2e_expect_status(&r, 2);
	e2e_expect_error(&r, "m.conf:2: ways");
	e2e_result_free(&r);
	e2e_run(e, &r, "--events", "sim", "--machine", "i486", e2e_program(e, "padded"));
	e2e_expect_status(&r, 2);
	e2e_expect_error(&r, "skylake-sp");
	e2e_result_free(&r);
}

static void a_record_without_simulation_has_no_lines(void **state)
{
	struct e2e *e = *state;
	struct e2e_result r;

	e2e_run(e, &r, "--cores", "1", "--repeats", "1", "--experiments", "none", "-o",
		e2e_path(e, "r.json"), e2e_program(e, "padded"), "1", "100000");
	e2e_expect_status(&r, 0);
	e2e_result_free(&r);
	/* its own samples tell of lines, where they may be taken */
	e2e_run(e, &r, "lines", e2e_path(e, "r.json"));
	if (r.status == 0) {
		assert_null(strstr(r.out, "simulated run"));
		assert_non_null(strstr(r.out, "No line that several threads used in turns"));
	} else {
		e2e_expect_status(&r, 4);
		e2e_expect_error(&r, "--events sim");
	}
	e2e_result_free(&r);
	e2e_write(e2e_path(e, "t.csv"), "cores,seconds\n1,4\n2,3\n");
	e2e_run(e, &r, "import", "--from", "csv", "-o", e2e_path(e, "i.json"),
		e2e_path(e, "t.csv"));
	e2e_expect_status(&r, 0);
	e2e_result_free(&r);
	e2e_run(e, &r, "lines", e2e_path(e, "i.json"));
	e2e_expect_status(&r, 4);
	e2e_expect_error(&r, "--events sim");
	e2e_result_free(&r);
	e2e_run(e, &r, "lines");
	e2e_expect_status(&r, 2);
	e2e_expect_error(&r, "no record given");
	e2e_result_free(&r);
}

static void a_share_is_simulated_all_over_and_the_record_says_how_precisely(void **state)
{
	struct e2e *e = *state;
	struct e2e_result r;

	e2e_run(e, &r, "--events", "sim", "--sim", "for=60%", e2e_program(e, "ten"));
	e2e_expect_status(&r, 2);
	e2e_expect_error(&r, "from 1% to 50%");
	e2e_result_free(&r);
	e2e_run(e, &r, "--sim", "for=10%,from=1", e2e_program(e, "ten"));
	e2e_expect_status(&r, 2);
	e2e_expect_error(&r, "leave from= out");
	e2e_result_free(&r);
	need_emulator(__func__);
	e2e_run(e, &r, "--cores", "1", "--repeats", "1", "--experiments", "none", "--events", "sim",
		"--sim", "for=20%", "-o", e2e_path(e, "r.json"), e2e_program(e, "ten"), "naive",
		"50");
	e2e_expect_status(&r, 0);
	e2e_result_free(&r);
	e2e_run(e, &r, "lines", e2e_path(e, "r.json"));
	e2e_expect_status(&r, 0);
	assert_non_null(strstr(r.out, "modelled: "));
	assert_non_null(strstr(r.out, "L1 misses"));
	assert_null(strstr(r.out, "partial: "));
	e2e_result_free(&r);
}

/* Without being asked for, where the program is long enough, and never with `all`. */
static void parts_are_modelled_once_the_counts_are_known(void **state)
{
	static const char *const lengths[] = {"", "--sim=for=all"};
	struct e2e *e = *state;
	struct e2e_result r;

	need_emulator(__func__);
	for (size_t i = 0; i < 2; i++) {
		json_t *lines;

		e2e_run(e, &r, "--cores", "1", "--repeats", "1", "--experiments=none", "-o",
			e2e_path(e, "r.json"), "--events", "sim",
			*lengths[i] ? lengths[i] : "--no-shield", "--", e2e_program(e, "ten"),
			"naive", "30");
		e2e_expect_status(&r, 0);
		e2e_result_free(&r);
		lines = lines_of(e, "1");
		assert_int_equal(json_is_null(json_object_get(lines, "modelled")), i == 1);
		assert_true(json_is_false(json_object_get(lines, "partial")));
		json_decref(lines);
	}
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, e2e_setup, e2e_teardown)
	const struct CMUnitTest tests[] = {
		TEST(what_a_crash_under_the_emulator_leaves_is_kept_and_partial),
		TEST(what_was_simulated_has_no_times_in_the_report),
		TEST(a_program_that_becomes_another_is_partial),
		TEST(a_script_is_simulated_with_its_interpreter),
		TEST(an_instruction_that_the_emulator_lacks_is_named_and_the_times_are_kept),
		TEST(what_is_missing_is_said_before_the_first_run),
		TEST(an_absurd_machine_is_refused_with_file_and_line),
		TEST(a_record_without_simulation_has_no_lines),
		TEST(a_share_is_simulated_all_over_and_the_record_says_how_precisely),
		TEST(parts_are_modelled_once_the_counts_are_known),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
