/* `scalediag doctor`, as a user runs it: what it says of this machine agrees with itself. */
#include "e2e/e2e.h"

#include <string.h>

#include "record/cause.h"

static void both_formats_say_the_same(void **state)
{
	struct e2e *e = *state;
	struct e2e_result r;
	json_t *root;
	const json_t *fact, *cause;
	const char *key;
	size_t i, causes = 0;

	e2e_run(e, &r, "doctor", "--format", "json");
	e2e_expect_status(&r, 0);
	assert_int_equal(r.n_err, 0);
	root = json_loads(r.out, 0, NULL);
	assert_non_null(root);
	e2e_result_free(&r);
	e2e_run(e, &r, "doctor", "--long");
	e2e_expect_status(&r, 0);
	assert_int_equal(r.n_err, 0);
	assert_non_null(strstr(r.out, "hardware counters"));
	json_object_foreach(json_object_get(root, "facts"), key, fact)
	{
		const char *status = json_string_value(json_object_get(fact, "status"));

		assert_non_null(status);
		assert_true(json_string_length(json_object_get(fact, "found")) > 0);
	}
	json_array_foreach(json_object_get(root, "causes"), i, cause)
	{
		const json_t *event;
		size_t j;

		causes++;
		/* without a PMU no event can be counted */
		json_array_foreach(json_object_get(cause, "events"), j,
			event) if (json_is_null(json_object_get(root, "map")))
			assert_string_not_equal(
				json_string_value(json_object_get(event, "status")), "ok");
	}
	assert_int_equal(causes, SD_CAUSE_COUNT);
	/* what is to be mended says how, in both */
	json_object_foreach(json_object_get(root, "readiness"), key, fact)
	{
		const char *const enable = json_string_value(json_object_get(fact, "enable"));

		assert_true(json_string_length(json_object_get(fact, "found")) > 0);
		if (enable)
			assert_non_null(strstr(r.out, "fix  "));
		assert_true(!enable ||
			    strcmp(json_string_value(json_object_get(fact, "status")), "ok") != 0);
	}
	assert_true(json_object_size(json_object_get(root, "readiness")) > 5);
	json_decref(root);
	e2e_result_free(&r);
}

/* --events hw works exactly where the doctor finds counters. */
static void hardware_events_are_refused_where_the_doctor_finds_none(void **state)
{
	struct e2e *e = *state;
	struct e2e_result r;
	json_t *root;
	const char *pmu;
	int works;

	e2e_run(e, &r, "doctor", "--format", "json");
	root = json_loads(r.out, 0, NULL);
	pmu = json_string_value(
		json_object_get(json_object_get(json_object_get(root, "facts"), "pmu"), "status"));
	assert_non_null(pmu);
	works = strcmp(pmu, "ok") == 0;
	json_decref(root);
	e2e_result_free(&r);
	e2e_run(e, &r, "--events", "hw", "--dry-run", "true");
	e2e_expect_status(&r, works ? 0 : 4);
	if (works)
		assert_non_null(strstr(r.out, "over the hardware events"));
	else
		e2e_expect_error(&r, "scalediag doctor");
	e2e_result_free(&r);
}

/* Programs in the kernel record a run's switches exactly where the doctor could load them. */
static void switches_are_recorded_as_the_doctor_says(void **state)
{
	struct e2e *e = *state;
	struct e2e_result r;
	const json_t *facts, *run;
	const char *bpf, *wide;
	json_t *doctor, *record;
	size_t i, n = 0;
	int works;

	e2e_run(e, &r, "doctor", "--format", "json");
	doctor = json_loads(r.out, 0, NULL);
	e2e_result_free(&r);
	facts = json_object_get(doctor, "facts");
	bpf = json_string_value(json_object_get(json_object_get(facts, "switches"), "status"));
	wide = json_string_value(json_object_get(json_object_get(facts, "system-wide"), "status"));
	assert_non_null(bpf);
	assert_non_null(wide);
	works = strcmp(bpf, "ok") == 0 && strcmp(wide, "ok") == 0;
	json_decref(doctor);
	e2e_run(e, &r, "--cores", "1", "--repeats", "2", "--experiments", "none", "-o", "r.json",
		"--", "sleep", "0.05");
	e2e_expect_status(&r, 0);
	e2e_result_free(&r);
	record = json_load_file(e2e_path(e, "r.json"), 0, NULL);
	json_array_foreach(json_object_get(record, "runs"), i, run)
	{
		const json_t *const sampled = json_object_get(run, "sampled");
		const char *const status = json_string_value(json_object_get(sampled, "status"));
		const char *const by =
			json_string_value(json_object_get(sampled, "kernel_programs"));

		if (!status || strcmp(status, "ok") != 0)
			continue;
		n++;
		assert_non_null(by);
		assert_int_equal(strcmp(by, "ok") == 0, works);
	}
	json_decref(record);
	if (!n) {
		print_message("SKIP: %s: no samples here\n", __func__);
		skip();
	}
}

static void bad_words_are_refused(void **state)
{
	struct e2e *e = *state;
	struct e2e_result r;

	e2e_run(e, &r, "doctor", "--format", "csv");
	e2e_expect_status(&r, 2);
	e2e_expect_error(&r, "--format 'csv': must be text or json");
	e2e_result_free(&r);
	e2e_run(e, &r, "doctor", "now");
	e2e_expect_status(&r, 2);
	e2e_expect_error(&r, "'now': doctor takes options only");
	e2e_result_free(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(both_formats_say_the_same, e2e_setup, e2e_teardown),
		cmocka_unit_test_setup_teardown(
			hardware_events_are_refused_where_the_doctor_finds_none, e2e_setup,
			e2e_teardown),
		cmocka_unit_test_setup_teardown(
			switches_are_recorded_as_the_doctor_says, e2e_setup, e2e_teardown),
		cmocka_unit_test_setup_teardown(bad_words_are_refused, e2e_setup, e2e_teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
