/* `scalediag events`, as a user runs it. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "e2e/e2e.h"

static const json_t *role_of(const json_t *root, const char *name)
{
	const json_t *const roles = json_object_get(root, "roles");

	for (size_t i = 0; i < json_array_size(roles); i++) {
		const json_t *const r = json_array_get(roles, i);

		if (strcmp(json_string_value(json_object_get(r, "role")), name) == 0)
			return r;
	}
	return NULL;
}

static json_t *json_of(const struct e2e_result *r)
{
	json_error_t error;
	json_t *const root = json_loadb(r->out, r->n_out, JSON_REJECT_DUPLICATES, &error);

	if (!root)
		fail_msg("not JSON: %s", error.text);
	return root;
}

static void this_machine_has_a_map_and_says_whether_its_pmu_is_usable(void **state)
{
	struct e2e *const e = *state;
	struct e2e_result r;
	json_t *root;
	const json_t *role, *machine;

	e2e_run(e, &r, "events", "--format", "json");
	e2e_expect_status(&r, 0);
	root = json_of(&r);
	machine = json_object_get(root, "machine");
	assert_true(json_is_string(json_object_get(machine, "pmu")));
	assert_int_equal(json_array_size(json_object_get(root, "maps")), 1);
	role = role_of(root, "cycles");
	assert_non_null(role);
	assert_int_equal(json_array_size(json_object_get(role, "events")), 1);
	json_decref(root);
	e2e_result_free(&r);
}

static void another_cpu_is_shown_without_this_machine(void **state)
{
	struct e2e *const e = *state;
	struct e2e_result r;
	json_t *root;
	const json_t *role, *event;

	e2e_run(e, &r, "events", "--cpu", "snb_ep", "--format", "json");
	e2e_expect_status(&r, 0);
	root = json_of(&r);
	assert_true(json_is_null(json_object_get(root, "machine")));
	/* a weight, a config1, a PMU of the kernel, and a reason for none */
	event = json_array_get(json_object_get(role_of(root, "td_slots"), "events"), 0);
	assert_true(json_real_value(json_object_get(event, "weight")) == 4);
	assert_string_equal(json_string_value(json_object_get(event, "config")), "0x3c");
	event = json_array_get(json_object_get(role_of(root, "hitm_store"), "events"), 0);
	assert_string_equal(json_string_value(json_object_get(event, "config1")), "0x10003c0002");
	role = role_of(root, "dram_read_lines");
	assert_string_equal(json_string_value(json_object_get(role, "scope")), "socket");
	event = json_array_get(json_object_get(role, "events"), 0);
	assert_string_equal(json_string_value(json_object_get(event, "type")), "uncore_imc");
	assert_string_equal(json_string_value(json_object_get(event, "config")), "0x304");
	role = role_of(root, "total_cycles");
	assert_int_equal(json_array_size(json_object_get(role, "events")), 0);
	assert_true(json_is_string(json_object_get(role, "none")));
	json_decref(root);
	e2e_result_free(&r);
}

static void the_text_lines_up_and_tells_notes_apart(void **state)
{
	struct e2e *const e = *state;
	struct e2e_result r;

	e2e_run(e, &r, "events", "--cpu", "zen4", "--role", "td_slots");
	e2e_expect_status(&r, 0);
	assert_non_null(strstr(r.out, "AMD Zen 4 (configs/events/zen4.conf)\n"));
	assert_non_null(strstr(r.out, "\ntd_slots: issue slots: width times cycles (slots)\n"));
	assert_non_null(strstr(r.out, "\ntd_slots 6 x CYCLES_NOT_IN_HALT "));
	assert_non_null(strstr(r.out, "\n   1  6 wide\n"));
	e2e_result_free(&r);
	e2e_run(e, &r, "events", "--cpu", "zen2", "--role", "total_cycles");
	e2e_expect_status(&r, 0);
	assert_non_null(strstr(r.out, "\ntotal_cycles none "));
	e2e_result_free(&r);
	e2e_run(e, &r, "events", "--cpu", "zen2", "--role", "hitm_bus");
	e2e_expect_status(&r, 0);
	assert_non_null(strstr(r.out, "No map of this CPU has events for: hitm_bus\n"));
	e2e_result_free(&r);
}

/* A line for each role that a metric uses; with --all every role, whatever it is for. */
static void what_matters_comes_first_and_details_are_asked_for(void **state)
{
	struct e2e *const e = *state;
	struct e2e_result r;

	e2e_run(e, &r, "events", "--cpu", "core2");
	e2e_expect_status(&r, 0);
	assert_non_null(strstr(r.out, "\nhitm_bus_self "));
	assert_non_null(strstr(r.out, "BUS_TRANS_BURST:ALL_AGENTS\n"));
	assert_null(strstr(r.out, "0x"));        /* no codes */
	assert_null(strstr(r.out, "\nbus_io ")); /* of no metric */
	assert_non_null(strstr(r.out, "--all"));
	e2e_result_free(&r);
	e2e_run(e, &r, "events", "--cpu", "core2", "--all");
	e2e_expect_status(&r, 0);
	assert_non_null(strstr(r.out, "\nbus_io "));
	assert_non_null(strstr(r.out, "0x606e"));
	e2e_result_free(&r);
}

static void a_role_is_shown_on_every_cpu(void **state)
{
	struct e2e *const e = *state;
	struct e2e_result r;
	json_t *root;

	e2e_run(e, &r, "events", "--list", "--role", "cycles", "--format", "json");
	e2e_expect_status(&r, 0);
	root = json_of(&r);
	assert_true(json_array_size(json_object_get(root, "maps")) >= 30);
	assert_int_equal(json_array_size(json_object_get(root, "maps")),
		json_array_size(json_object_get(root, "roles")));
	json_decref(root);
	e2e_result_free(&r);
	e2e_run(e, &r, "events", "--list");
	e2e_expect_status(&r, 0);
	assert_non_null(strstr(r.out, "\nneoverse_v2 "));
	assert_non_null(strstr(r.out, "\ncore2 "));
	e2e_result_free(&r);
}

static void bad_options_are_said_in_one_line(void **state)
{
	static const struct {
		const char *args[5], *said;
	} rows[] = {
		{{"events", "--cpu", "pentium"},
			"--cpu 'pentium': no such map; scalediag events --list"},
		{{"events", "--role", "love"}, "--role 'love': no such role"},
		{{"events", "--format", "csv"}, "--format 'csv': must be text or json"},
		{{"events", "--list", "--cpu", "skx"}, "--list shows every CPU: leave out --cpu"},
		{{"events", "skx"}, "'skx': events takes options only"},
		{{"events", "--nothing"}, "--nothing: scalediag events has no such option"},
	};
	struct e2e *const e = *state;
	struct e2e_result r;

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		e2e_run_args(e, &r, NULL, NULL, rows[i].args);
		e2e_expect_status(&r, 2);
		e2e_expect_error(&r, rows[i].said);
		assert_int_equal(r.n_out, 0);
		e2e_result_free(&r);
	}
}

static void write_map(struct e2e *e, const char *text)
{
	FILE *f;

	mkdir(e2e_path(e, "maps"), 0700);
	mkdir(e2e_path(e, "maps/events"), 0700);
	f = fopen(e2e_path(e, "maps/events/mine.conf"), "w");
	assert_non_null(f);
	fputs(text, f);
	fclose(f);
}

#define MINE(event)                                                                    \
	"family = \"mine\"; title = \"My CPU\"; source = \"me\"; encode = \"perf\";\n" \
	"roles = { cycles = { events = ( " event                                       \
	" ); quality = \"exact\"; scope = \"thread\"; }; };\n"

static void other_maps_can_be_given_and_broken_ones_are_refused(void **state)
{
	struct e2e *const e = *state;
	struct e2e_result r;

	write_map(e, MINE("{ name = \"MY_CYCLES\"; code = 0x3c; }"));
	e2e_run(e, &r, "events", "--configs", e2e_path(e, "maps"), "--cpu", "mine");
	e2e_expect_status(&r, 0);
	assert_non_null(strstr(r.out, "MY_CYCLES"));
	e2e_result_free(&r);
	setenv("SCALEDIAG_CONFIGS", e2e_path(e, "maps"), 1);
	e2e_run(e, &r, "events", "--list");
	e2e_expect_status(&r, 0);
	assert_non_null(strstr(r.out, "My CPU"));
	assert_null(strstr(r.out, "Skylake"));
	e2e_result_free(&r);
	unsetenv("SCALEDIAG_CONFIGS");
	write_map(e, MINE("{ event = \"PERF_COUNT_HW_CPU_CYCLES\"; code = 0x1; }"));
	e2e_run(e, &r, "events", "--configs", e2e_path(e, "maps"), "--cpu", "mine");
	e2e_expect_status(&r, 4);
	e2e_expect_error(&r, "maps/events/mine.conf:2: 'PERF_COUNT_HW_CPU_CYCLES' encodes to 0x0");
	e2e_result_free(&r);
	write_map(e, MINE("{ event = \"PERF_COUNT_HW_CPU_CYCLES\"; }"));
	e2e_run(e, &r, "events", "--configs", e2e_path(e, "maps"), "--cpu", "mine");
	e2e_expect_status(&r, 4);
	e2e_expect_error(&r, "maps/events/mine.conf:2: the event has no code");
	e2e_result_free(&r);
	e2e_run(e, &r, "events", "--configs", "/nowhere");
	e2e_expect_status(&r, 4);
	e2e_expect_error(&r, "/nowhere/events: No such file or directory");
	e2e_result_free(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define T(f) cmocka_unit_test_setup_teardown(f, e2e_setup, e2e_teardown)
		T(this_machine_has_a_map_and_says_whether_its_pmu_is_usable),
		T(another_cpu_is_shown_without_this_machine),
		T(the_text_lines_up_and_tells_notes_apart),
		T(what_matters_comes_first_and_details_are_asked_for),
		T(a_role_is_shown_on_every_cpu),
		T(bad_options_are_said_in_one_line),
		T(other_maps_can_be_given_and_broken_ones_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
