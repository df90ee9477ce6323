/*
 * A machine that is modelled whole: the runs are its runs, counted by its family's events, and what
 * Levinthal's paper says of its volatile sum holds.
 */
#include <stdlib.h>
#include <string.h>

#include "support/simulated_lines.h"
#include "support/tries.h"

/* The record that the test made. */
static json_t *record_of(const struct e2e *e)
{
	json_t *const record = json_load_file(e2e_path(e, "m.json"), 0, NULL);

	assert_non_null(record);
	return record;
}

static const json_t *role_of(const json_t *run, const char *role)
{
	const json_t *const roles = json_object_get(run, "roles");

	for (size_t i = 0; i < json_array_size(roles); i++)
		if (strcmp(text_of(json_array_get(roles, i), "role"), role) == 0)
			return json_array_get(roles, i);
	return NULL;
}

/* A role's count in the first plain run of a point. */
static double count_of(const json_t *record, long point, const char *role)
{
	const json_t *const runs = json_object_get(record, "runs"), *found = NULL;

	for (size_t i = 0; !found && i < json_array_size(runs); i++) {
		const json_t *const run = json_array_get(runs, i);

		if (strcmp(text_of(run, "kind"), "block") == 0 &&
			json_integer_value(json_object_get(run, "point")) == point)
			found = role_of(run, role);
	}
	if (!found)
		fail_msg("%s was not counted at point %ld", role, point);
	return json_number_value(json_object_get(found, "value"));
}

static void the_paper_s_sum_counts_as_the_paper_says(void **state)
{
	struct e2e *e = *state;
	struct e2e_result result;
	json_t *r;

	need_emulator(__func__);
	e2e_run(e, &result, "--events", "model", "--machine", "core2-quad", "--cores", "1,4",
		"--multiplex", "--repeats", "1", "-o", e2e_path(e, "m.json"),
		e2e_program(e, "paper"), "sum", "{n}");
	e2e_expect_status(&result, 0);
	assert_non_null(strstr(result.out, "modelled machine (core2-quad)"));
	e2e_result_free(&result);
	r = record_of(e);
	assert_true(count_of(r, 1, "hitm_bus") > 100 * (count_of(r, 0, "hitm_bus") + 1));
	assert_true(count_of(r, 1, "bus_rfo_lines") > .5 * count_of(r, 1, "bus_burst"));
	assert_true(count_of(r, 1, "bus_burst") > 4 * count_of(r, 1, "llc_load_misses"));
	assert_true(count_of(r, 1, "bus_burst") > 3 * count_of(r, 0, "bus_burst"));
	/* a core runs no more than all the time */
	assert_true(count_of(r, 1, "cycles") <= 4 * count_of(r, 1, "total_cycles"));
	json_decref(r);
}

/* The sum's loads get what their own last store wrote; the sort's read words of the line that
 * others took away. */
static void loads_of_the_sort_miss_far_more_often_than_lines_do(void **state)
{
	struct e2e *e = *state;
	struct e2e_result result;
	double missed, lines;
	json_t *r;

	need_emulator(__func__);
	e2e_run(e, &result, "--events", "model", "--machine", "core2-quad", "--cores", "1,4",
		"--multiplex", "-o", e2e_path(e, "m.json"), e2e_program(e, "paper"), "sort", "{n}");
	e2e_expect_status(&result, 0);
	e2e_result_free(&result);
	r = record_of(e);
	missed = count_of(r, 1, "l2_load_misses") - count_of(r, 0, "l2_load_misses");
	lines = count_of(r, 1, "llc_load_misses") - count_of(r, 0, "llc_load_misses");
	assert_true(missed > 10 * count_of(r, 0, "l2_load_misses"));
	assert_true(missed > 10 * lines);
	json_decref(r);
}

static double metric_of(const json_t *record, long point, const char *name)
{
	const json_t *const runs = json_object_get(record, "runs");

	for (size_t i = 0; i < json_array_size(runs); i++) {
		const json_t *const run = json_array_get(runs, i);

		if (strcmp(text_of(run, "kind"), "block") == 0 &&
			json_integer_value(json_object_get(run, "point")) == point)
			return json_number_value(
				json_object_get(json_object_get(run, "metrics"), name));
	}
	fail_msg("no run at point %ld", point);
	return 0;
}

/* Threads that each write a word of one line do nothing more than one thread does, but wait for the
 * line: that is all the time that they take longer, and what the cause costs. */
static void what_threads_wait_for_is_what_they_take_longer(void **state)
{
	struct e2e *e = *state;
	struct e2e_result result;
	double longer, waited, cores;
	json_t *r, *report;

	need_emulator(__func__);
	e2e_run(e, &result, "--events", "model", "--machine", "skylake-sp", "--cores", "1,8",
		"--multiplex", "-o", e2e_path(e, "m.json"), e2e_program(e, "paper"), "sum", "{n}");
	e2e_expect_status(&result, 0);
	e2e_result_free(&result);
	r = record_of(e);
	longer = metric_of(r, 1, "user") - metric_of(r, 0, "user");
	waited = metric_of(r, 1, "wait_transfer");
	assert_true(metric_of(r, 0, "wait_transfer") == 0); /* one core, and nobody has its lines */
	assert_true(waited <= metric_of(r, 1, "user"));
	assert_true(waited > .95 * longer);
	e2e_run(e, &result, "report", "--json", e2e_path(e, "m.json"));
	e2e_expect_status(&result, 0);
	report = json_loads(result.out, 0, NULL);
	assert_non_null(report);
	cores = json_number_value(json_object_get(
		json_object_get(json_array_get(json_object_get(report, "findings"), 0), "cores"),
		"value"));
	if (cores < .9 * longer / metric_of(r, 1, "wall"))
		fail_msg("sharing costs %.2f cores, and threads took %.2f longer", cores,
			longer / metric_of(r, 1, "wall"));
	json_decref(report);
	json_decref(r);
	e2e_result_free(&result);
}

/* In passes of two counters, as on the machine: cycles and instructions are in each. */
static void passes_are_those_of_its_counters(void **state)
{
	struct e2e *e = *state;
	struct e2e_result result;
	json_t *r;
	const json_t *runs;
	size_t n = 0;

	need_emulator(__func__);
	e2e_run(e, &result, "--events", "model", "--machine", "core2-quad", "--cores", "1",
		"--repeats", "1", "-o", e2e_path(e, "m.json"), e2e_program(e, "paper"), "serial",
		"{n}");
	e2e_expect_status(&result, 0);
	e2e_result_free(&result);
	/* this machine's runs are not to be mixed with them */
	e2e_run(e, &result, "--resume", e2e_path(e, "m.json"));
	e2e_expect_status(&result, 2);
	e2e_expect_error(&result, "modelled machine");
	e2e_result_free(&result);
	r = record_of(e);
	assert_true(json_array_size(json_object_get(json_object_get(r, "plan"), "passes")) > 5);
	runs = json_object_get(r, "runs");
	for (size_t i = 0; i < json_array_size(runs); i++) {
		const json_t *const run = json_array_get(runs, i);
		const size_t roles = json_array_size(json_object_get(run, "roles"));

		if (strcmp(text_of(run, "kind"), "block") != 0)
			continue;
		n++;
		assert_true(roles >= 3 && roles < 10);
		assert_non_null(role_of(run, "cycles"));
		assert_non_null(role_of(run, "instructions"));
	}
	assert_true(n >= 5);
	json_decref(r);
}

struct verdict {
	const char *machine, *cores, *word, *times, *cause;
};

/* Is the first of the findings this cause, and likely? NULL: yes; else what was said. */
static const char *first_missed(const json_t *report, const struct verdict *row, char text[160])
{
	const json_t *const first = json_array_get(json_object_get(report, "findings"), 0);

	if (strcmp(text_of(first, "cause"), row->cause) == 0 &&
		strcmp(text_of(first, "verdict"), "likely") == 0)
		return NULL;
	snprintf(text, 160, "%s on %s: %s is %s, not %s likely", row->word, row->machine,
		text_of(first, "cause"), text_of(first, "verdict"), row->cause);
	return text;
}

/* The host decides which of the modelled threads comes first, and may keep one from running beside
 * the others at all. */
static void expect_first(struct e2e *e, const char *test, const struct verdict *row)
{
	struct tries t = {.test = test};
	char text[160];

	while (tries_next(&t)) {
		struct e2e_result result;
		json_t *report;

		e2e_run(e, &result, "--events", "model", "--machine", row->machine, "--cores",
			row->cores, "--multiplex", "-o", e2e_path(e, "m.json"),
			e2e_program(e, "paper"), row->word, "{n}", row->times);
		e2e_expect_status(&result, 0);
		if (strstr(result.out, "one run)") || strstr(result.out, "--experiments"))
			fail_msg(
				"an interval of chance, or a step on this machine: %s", result.out);
		e2e_result_free(&result);
		e2e_run(e, &result, "report", "--json", e2e_path(e, "m.json"));
		e2e_expect_status(&result, 0);
		report = json_loads(result.out, 0, NULL);
		assert_non_null(report);
		tries_tell(&t, first_missed(report, row, text));
		json_decref(report);
		e2e_result_free(&result);
	}
}

static void expect_first_of_each(
	struct e2e *e, const char *test, const struct verdict *row, size_t n)
{
	need_emulator(test);
	for (size_t i = 0; i < n; i++)
		expect_first(e, test, &row[i]);
}

/* By the model's own prices and ceilings; its runs do not vary, so that one decides. Of few
 * times the program's start is most of what eight cores lose. More of them: make bench-paper. */
static void the_first_causes_are_those_of_the_programs(void **state)
{
	static const struct verdict row[] = {{"core2-quad", "1,4", "sum", "100", "false-sharing"},
		{"core2-quad", "1,4", "sort", "100", "false-sharing"},
		{"core2-quad", "1,4", "triad", "100", "memory-bandwidth"},
		{"core2-quad", "1,4", "blocks", "100", "llc-capacity"},
		{"skylake-sp", "1,8", "sum", "100", "false-sharing"},
		{"skylake-sp", "1,8", "blocks", "100", "llc-capacity"},
		{"epyc-genoa", "1,8", "sum", "1000", "false-sharing"},
		{"epyc-genoa", "1,8", "lock", "1000", "true-sharing"},
		{"sapphire-rapids", "1,8", "sum", "1000", "false-sharing"},
		{"graviton3", "1,8", "sum", "1000", "false-sharing"}};

	expect_first_of_each(*state, __func__, row, sizeof row / sizeof *row);
}

/* It knows when each thread ran, and at which word another waited. Of a short program the start,
 * which is serial code, is as much as what its threads wait for. */
static void waits_of_threads_are_told_as_what_they_wait_for(void **state)
{
	static const struct verdict row[] = {{"core2-quad", "1,4", "held", "1", "lock-contention"},
		{"core2-quad", "1,4", "serial", "1", "serial-code"},
		{"epyc-genoa", "1,4", "uneven", "800", "load-imbalance"},
		{"sapphire-rapids", "1,4", "held", "1", "lock-contention"},
		{"graviton3", "1,4", "uneven", "800", "load-imbalance"}};

	expect_first_of_each(*state, __func__, row, sizeof row / sizeof *row);
}

static void what_has_no_whole_model_or_another_clock_is_refused(void **state)
{
	struct e2e *e = *state;
	struct e2e_result result;

	e2e_run(e, &result, "--events", "model", e2e_program(e, "paper"));
	e2e_expect_status(&result, 2);
	e2e_expect_error(&result, "--machine core2-quad");
	e2e_result_free(&result);
	e2e_run(e, &result, "--events", "model", "--machine", "./caches.conf",
		e2e_program(e, "paper"));
	e2e_expect_status(&result, 2);
	e2e_expect_error(&result, "caches.conf");
	e2e_result_free(&result);
	e2e_run(e, &result, "--events", "model", "--machine", "core2-quad", "--rate", "(x)",
		e2e_program(e, "paper"));
	e2e_expect_status(&result, 2);
	e2e_expect_error(&result, "--rate");
	e2e_result_free(&result);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(
			the_paper_s_sum_counts_as_the_paper_says, e2e_setup, e2e_teardown),
		cmocka_unit_test_setup_teardown(loads_of_the_sort_miss_far_more_often_than_lines_do,
			e2e_setup, e2e_teardown),
		cmocka_unit_test_setup_teardown(
			what_threads_wait_for_is_what_they_take_longer, e2e_setup, e2e_teardown),
		cmocka_unit_test_setup_teardown(
			passes_are_those_of_its_counters, e2e_setup, e2e_teardown),
		cmocka_unit_test_setup_teardown(
			the_first_causes_are_those_of_the_programs, e2e_setup, e2e_teardown),
		cmocka_unit_test_setup_teardown(
			waits_of_threads_are_told_as_what_they_wait_for, e2e_setup, e2e_teardown),
		cmocka_unit_test_setup_teardown(what_has_no_whole_model_or_another_clock_is_refused,
			e2e_setup, e2e_teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
