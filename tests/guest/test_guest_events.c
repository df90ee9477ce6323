/*
 * Samples by events on the kernel's own perf_event_open: QEMU's CPU_CYCLES is the clock at 1 GHz,
 * and interrupts when it overflows. It has no precise samples, and no instructions where CPUs are
 * threads of the host.
 */
#include <string.h>

#include "guest_record.h"

static const json_t *run_of(const json_t *record, const char *kind)
{
	const json_t *run;
	size_t i;

	json_array_foreach(json_object_get(record, "runs"), i,
		run) if (strcmp(json_string_value(json_object_get(run, "kind")), kind) ==
			 0) return run;
	fail_msg("no run of kind %s", kind);
	return NULL;
}

static double number(const json_t *o, const char *key)
{
	const json_t *const v = json_object_get(o, key);

	if (!json_is_number(v))
		fail_msg("%s is not a number", key);
	return json_number_value(v);
}

/* A program whose threads do nothing but work(): that is where its cycles are. */
static void the_function_that_takes_the_cycles_is_named(void **state)
{
	struct e2e *const e = *state;
	const json_t *hot, *period, *metric;
	struct e2e_result r;
	json_t *rec;

	guest_need(__func__, "threads");
	e2e_run(e, &r, "--experiments", "none", "--cores", "1,2", "--repeats", "1", "--json", "-o",
		"r.json", e2e_program(e, "scales"), "0.5");
	e2e_expect_status(&r, 0);
	hot = json_object_get(e2e_report(e, &r), "event_hotspots");
	rec = guest_record_load(e, "r.json");
	period = json_array_get(
		json_object_get(json_object_get(run_of(rec, "events"), "events"), "periods"), 0);
	assert_string_equal(json_string_value(json_object_get(period, "role")), "cycles");
	assert_true(json_is_false(json_object_get(period, "precise")));
	/* a sample for each overflow: half a core-second is 250 of 2 ms, on a busy host fewer come
	 * in time */
	assert_true(number(period, "samples") >= 20);
	assert_true(number(period, "samples") * number(period, "period") <=
		    1.05 * number(period, "count"));
	assert_int_equal(number(hot, "cores"), 2);
	hot = json_array_get(json_object_get(hot, "functions"), 0);
	if (!strstr(json_string_value(json_object_get(hot, "function")), "work"))
		fail_msg("%s has most cycles", json_string_value(json_object_get(hot, "function")));
	metric = json_array_get(json_object_get(hot, "metrics"), 0);
	assert_string_equal(json_string_value(json_object_get(metric, "name")), "cpi");
	assert_true(number(metric, "share") > .5);
	json_decref(rec);
	e2e_result_free(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(
			the_function_that_takes_the_cycles_is_named, e2e_setup, e2e_teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
