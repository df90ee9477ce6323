/*
 * The software PMU as a user has it: contested lines with their variables and threads, counts above
 * the CPUs there are, and what cannot be simulated. What a model counts does not depend on how busy
 * the machine is, so nothing here is skipped for that.
 */
#include <math.h>
#include <sys/stat.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/simulated_lines.h"

/* Contested lines that matter; *worst is the first, borrowed. */
static size_t contested(const json_t *lines, const json_t **worst)
{
	const json_t *list = json_object_get(lines, "lines");
	size_t n = 0;

	*worst = json_array_get(list, 0);
	for (size_t i = 0; i < json_array_size(list); i++)
		n += json_is_true(json_object_get(json_array_get(list, i), "matters"));
	return n;
}

static void expect_line(const json_t *lines, const char *name, size_t threads, const char *function)
{
	const json_t *worst, *code;

	assert_true(contested(lines, &worst) >= 1);
	assert_non_null(strstr(text_of(worst, "name"), name));
	assert_string_equal(text_of(worst, "sharing"), "false");
	assert_int_equal(json_array_size(json_object_get(worst, "threads")), threads);
	code = json_object_get(json_array_get(json_object_get(worst, "code"), 0), "where");
	assert_string_equal(text_of(code, "function"), function);
	assert_true(json_integer_value(json_object_get(code, "line")) > 0);
	/* each thread's bytes on a line of their own: next to no move is left */
	assert_true(json_number_value(json_object_get(worst, "hitm_when_separated")) <
		    .01 * (json_number_value(json_object_get(worst, "hitm_load")) +
				  json_number_value(json_object_get(worst, "hitm_store"))));
}

static void the_volatile_sum_is_named_at_counts_that_the_machine_does_not_have(void **state)
{
	struct e2e *e = *state;
	json_t *lines;
	const json_t *worst;

	need_emulator(__func__);
	simulate(e, "1,2,4,8,16", "false_sharing", "400000");
	lines = lines_of(e, "2");
	expect_line(lines, "sums", 2, "add");
	json_decref(lines);
	lines = lines_of(e, "1");
	assert_int_equal(contested(lines, &worst), 0);
	json_decref(lines);
	lines = lines_of(e, "16");
	assert_int_equal(json_array_size(json_object_get(lines, "threads")), 16);
	assert_true(contested(lines, &worst) >= 2); /* 128 bytes of sums */
	json_decref(lines);
}

/* Short runs are repeated as long as the budget lasts: what was asked for by name still comes. */
static void a_budget_leaves_time_for_the_simulation(void **state)
{
	struct e2e *e = *state;
	struct e2e_result r;
	json_t *lines;
	const json_t *worst;

	need_emulator(__func__);
	e2e_run(e, &r, "--cores", "1,2", "--budget", "12", "--experiments", "none", "--events",
		"sim", "-o", e2e_path(e, "r.json"), "--", e2e_program(e, "false_sharing"), "{n}",
		"100000");
	e2e_expect_status(&r, 0);
	assert_null(strstr(r.err, "left out"));
	e2e_result_free(&r);
	lines = lines_of(e, "2");
	assert_true(contested(lines, &worst) >= 1);
	json_decref(lines);
}

static void the_padded_sum_shows_none(void **state)
{
	struct e2e *e = *state;
	json_t *lines;
	const json_t *worst;

	need_emulator(__func__);
	simulate(e, "1,4", "padded", "400000");
	lines = lines_of(e, "4");
	assert_int_equal(contested(lines, &worst), 0);
	json_decref(lines);
}

static void the_sort_with_shared_indices_is_named_and_its_padded_form_is_not(void **state)
{
	struct e2e *e = *state;
	json_t *lines;
	const json_t *worst;

	need_emulator(__func__);
	simulate(e, "1,4", "sort_shared", "40");
	lines = lines_of(e, "4");
	assert_true(contested(lines, &worst) >= 1);
	assert_true(
		strstr(text_of(worst, "name"), "high") || strstr(text_of(worst, "name"), "low"));
	assert_string_equal(text_of(worst, "sharing"), "false");
	assert_int_equal(json_array_size(json_object_get(worst, "threads")), 4);
	json_decref(lines);
	simulate(e, "1,4", "sort_padded", "40");
	lines = lines_of(e, "4");
	assert_int_equal(contested(lines, &worst), 0);
	json_decref(lines);
}

static double moves_of_a_shared_counter(struct e2e *e, const char *helper)
{
	struct e2e_result r;
	const json_t *worst;
	json_t *lines;
	double moves;

	e2e_run(e, &r, "--cores", "1,2", "--repeats", "1", "--experiments", "none", "--events",
		"sim", "-o", e2e_path(e, "r.json"), "--", e2e_program(e, "idle_helper"), "{n}",
		"100000", helper);
	e2e_expect_status(&r, 0);
	e2e_result_free(&r);
	lines = lines_of(e, "2");
	assert_true(contested(lines, &worst) >= 1);
	assert_string_equal(text_of(worst, "sharing"), "true");
	moves = json_number_value(json_object_get(worst, "hitm_load")) +
		json_number_value(json_object_get(worst, "hitm_store"));
	json_decref(lines);
	return moves;
}

/* Two threads that run are on two cores, whoever sleeps between them. */
static void a_thread_that_sleeps_changes_no_count(void **state)
{
	double without, with;

	need_emulator(__func__);
	without = moves_of_a_shared_counter(*state, "none");
	with = moves_of_a_shared_counter(*state, "helper");
	assert_true(with > .9 * without && with < 1.1 * without);
}

/* heap_sharing at four cores, its counters given so; of its worst line. */
static json_t *heap_lines(struct e2e *e, const char *program, const char *how, const json_t **worst)
{
	struct e2e_result r;
	json_t *lines;

	e2e_run(e, &r, "--cores", "1,4", "--repeats", "1", "--experiments", "none", "--events",
		"sim", "-o", e2e_path(e, "r.json"), "--", program, "{n}", "100000", how);
	e2e_expect_status(&r, 0);
	e2e_result_free(&r);
	lines = lines_of(e, "4");
	*worst = json_array_get(json_object_get(lines, "lines"), 0);
	return lines;
}

/* The functions of a list of places, innermost first: "make() main() ". */
static const char *functions(const json_t *stack, char *out, size_t size)
{
	out[0] = '\0';
	for (size_t i = 0; i < json_array_size(stack) && i < 3; i++) {
		strncat(out, text_of(json_array_get(stack, i), "function"), size - strlen(out) - 1);
		strncat(out, " ", size - strlen(out) - 1);
	}
	return out;
}

static void memory_of_the_heap_is_named_by_who_allocated_it(void **state)
{
	struct e2e *e = *state;
	const char *const program = e2e_program(e, "heap_sharing");
	const json_t *worst, *stack;
	char names[256];
	json_t *lines;

	need_emulator(__func__);
	lines = heap_lines(e, program, "one", &worst);
	assert_string_equal(text_of(worst, "name"), "heap block of 32 bytes at +0");
	assert_string_equal(text_of(worst, "sharing"), "false");
	stack = json_object_get(worst, "allocation_stack");
	assert_string_equal(functions(stack, names, sizeof names),
		"make_counters main __libc_start_call_main ");
	assert_true(json_integer_value(json_object_get(json_array_get(stack, 0), "line")) > 0);
	assert_true(json_is_null(json_object_get(lines, "allocations_unknown_why")));
	json_decref(lines);
	/* two blocks of 8 bytes share a line: each is one of two */
	lines = heap_lines(e, program, "each", &worst);
	assert_string_equal(
		text_of(worst, "name"), "heap block of 8 bytes at +0, heap block of 8 bytes at +0");
	assert_string_equal(
		functions(json_object_get(worst, "allocation_stack"), names, sizeof names),
		"make_counters make_one main ");
	json_decref(lines);
	lines = heap_lines(e, program, "apart", &worst);
	assert_int_equal(contested(lines, &worst), 0);
	json_decref(lines);
}

static void memory_of_a_stack_is_named_by_its_function(void **state)
{
	struct e2e *e = *state;
	const json_t *worst;
	json_t *lines;

	need_emulator(__func__);
	simulate(e, "2", "stack_sharing", NULL);
	lines = lines_of(e, "2");
	assert_true(contested(lines, &worst) >= 1);
	assert_string_equal(text_of(worst, "name"), "stack of thread 0, frame of serve()");
	json_decref(lines);
}

static void without_symbols_the_allocation_is_a_place_in_its_file(void **state)
{
	struct e2e *e = *state;
	char command[8192];
	const json_t *worst, *place;
	json_t *lines;

	need_emulator(__func__);
	snprintf(command, sizeof command, "strip -s -o '%s/stripped' '%s'", e->folder,
		e2e_program(e, "heap_sharing"));
	if (system(command) != 0)
		e2e_skip(__func__, "there is no strip");
	lines = heap_lines(e, e2e_path(e, "stripped"), "one", &worst);
	assert_string_equal(text_of(worst, "name"), "heap block of 32 bytes at +0");
	place = json_array_get(json_object_get(worst, "allocation_stack"), 0);
	assert_true(json_is_null(json_object_get(place, "function")));
	assert_non_null(strstr(text_of(place, "module"), "stripped"));
	json_decref(lines);
}

static void a_static_program_says_that_its_allocations_are_unknown(void **state)
{
	struct e2e *e = *state;
	char command[8192];
	const json_t *worst;
	json_t *lines;

	need_emulator(__func__);
	snprintf(command, sizeof command,
		"cc -O1 -static -pthread -o '%s/static' tests/programs/heap_sharing.c 2>/dev/null",
		e->folder);
	if (system(command) != 0)
		e2e_skip(__func__, "there is no static C library");
	lines = heap_lines(e, e2e_path(e, "static"), "one", &worst);
	assert_string_equal(text_of(worst, "name"), "heap");
	assert_true(json_is_null(json_object_get(worst, "allocation_stack")));
	assert_string_equal(text_of(lines, "allocations_unknown_why"), "the program is static");
	json_decref(lines);
}

static void the_line_is_named_where_its_cost_is_not_measurable(void **state)
{
	struct e2e *e = *state;
	struct e2e_result r;
	const json_t *report, *list;
	int found = 0;

	need_emulator(__func__);
	if (sysconf(_SC_NPROCESSORS_ONLN) >= 64)
		e2e_skip(__func__, "this machine can time 64 cores");
	e2e_run(e, &r, "--cores", "1,64", "--repeats", "1", "--experiments", "none", "--events",
		"sim", "-o", e2e_path(e, "r.json"), "--", e2e_program(e, "heap_sharing"), "{n}",
		"20000");
	e2e_expect_status(&r, 0);
	assert_non_null(strstr(r.out, "alse sharing in a simulated run"));
	e2e_result_free(&r);
	e2e_run(e, &r, "report", "--long", "--width", "400", e2e_path(e, "r.json"));
	e2e_expect_status(&r, 0);
	assert_non_null(strstr(r.out, "that memory is allocated in make_counters()"));
	e2e_result_free(&r);
	e2e_run(e, &r, "report", "--format", "json", e2e_path(e, "r.json"));
	report = e2e_report(e, &r);
	list = json_object_get(report, "findings");
	for (size_t i = 0; i < json_array_size(list); i++) {
		const json_t *f = json_array_get(list, i);

		if (strcmp(text_of(f, "cause"), "false-sharing") != 0)
			continue;
		found = 1;
		assert_string_equal(text_of(f, "verdict"), "not-measurable");
		assert_string_equal(
			text_of(json_array_get(json_object_get(f, "where"), 0), "function"),
			"count");
	}
	assert_true(found);
	e2e_result_free(&r);
}

/* The sum over the threads of a simulation of the volatile sum on one core. */
static double counted(struct e2e *e, const char *rounds, const char *count)
{
	json_t *record;
	double sum = 0;

	simulate(e, "1", "false_sharing", rounds);
	record = json_load_file(e2e_path(e, "r.json"), 0, NULL);
	assert_non_null(record);
	for (size_t i = 0; i < json_array_size(json_object_get(record, "runs")); i++) {
		const json_t *const run = json_array_get(json_object_get(record, "runs"), i);
		const json_t *const threads =
			json_object_get(json_object_get(run, "simulated"), "threads");

		for (size_t k = 0; k < json_array_size(threads); k++)
			sum += json_number_value(
				json_object_get(json_array_get(threads, k), count));
	}
	json_decref(record);
	return sum;
}

static int has_avx2(void)
{
#ifdef __x86_64__
	return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi2");
#else
	return 0;
#endif
}

/* A loop of one block is not looked at in every round, and the plugin has a build for hosts with
 * AVX2: a round has one load and one store in either. */
static void rounds_of_a_loop_are_counted_one_and_all(void **state)
{
	static const char *const builds[] = {"scalediag-sim.so", "scalediag-sim-avx2.so"};
	struct e2e *e = *state;
	const char *const given = getenv("SCALEDIAG");
	char *const scalediag = realpath(given ? given : "build/scalediag", NULL);
	const char *slash;

	need_emulator(__func__);
	assert_non_null(scalediag);
	slash = strrchr(scalediag, '/');
	assert_non_null(slash);
	for (size_t i = 0; i < sizeof builds / sizeof *builds; i++) {
		char plugin[4200];

		snprintf(plugin, sizeof plugin, "%.*s/%s", (int)(slash - scalediag), scalediag,
			builds[i]);
		if (i && !has_avx2())
			break;
		assert_int_equal(setenv("SCALEDIAG_SIM_PLUGIN", plugin, 1), 0);
		for (size_t k = 0; k < 2; k++) {
			const char *const count = k ? "stores" : "loads";
			const double rounds =
				counted(e, "3000000", count) - counted(e, "1000000", count);

			if (fabs(rounds - 2e6) > 2e3)
				fail_msg("%s: %.0f %s of 2000000 rounds", builds[i], rounds, count);
		}
		unsetenv("SCALEDIAG_SIM_PLUGIN");
	}
	free(scalediag);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, e2e_setup, e2e_teardown)
	const struct CMUnitTest tests[] = {
		TEST(the_volatile_sum_is_named_at_counts_that_the_machine_does_not_have),
		TEST(a_budget_leaves_time_for_the_simulation),
		TEST(the_padded_sum_shows_none),
		TEST(the_sort_with_shared_indices_is_named_and_its_padded_form_is_not),
		TEST(a_thread_that_sleeps_changes_no_count),
		TEST(memory_of_the_heap_is_named_by_who_allocated_it),
		TEST(memory_of_a_stack_is_named_by_its_function),
		TEST(without_symbols_the_allocation_is_a_place_in_its_file),
		TEST(a_static_program_says_that_its_allocations_are_unknown),
		TEST(rounds_of_a_loop_are_counted_one_and_all),
		TEST(the_line_is_named_where_its_cost_is_not_measurable),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
