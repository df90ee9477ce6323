/*
 * CPUs that come and go, and an ordinary user.
 */
#include "guest/guest_record.h"

/* ---- CPUs that come and go --------------------------------------------------------------------*/

static void an_offline_cpu_is_not_in_the_plan(void **state)
{
	static const char *const cpus[] = {"0-2,4-7"};
	struct e2e *const e = *state;
	struct e2e_result r;
	json_t *rec;

	guest_need(__func__, "threads");
	online(3, 0);
	e2e_run(e, &r, GUEST_PLAIN, "--cores", "7", "--repeats", "1", "-o", "r.json",
		e2e_program(e, "scales"), "0.02");
	e2e_expect_status(&r, 0);
	rec = record(e, "r.json");
	expect_cpus(rec, cpus, 1);
	json_decref(rec);
	e2e_result_free(&r);
}

static void a_cpu_that_goes_away_ends_the_runs_with_a_word(void **state)
{
	struct e2e *const e = *state;
	struct e2e_job job;
	struct e2e_result r;
	json_t *rec;
	size_t n = 0;
	char *text = NULL;

	guest_need(__func__, "threads");
	e2e_start(e, &job, NULL, NULL,
		(const char *const[]){"--cores", "1,8", "--repeats", "100", "-o", "r.json",
			e2e_program(e, "scales"), "0.05", NULL});
	/* once a run is in the record, there is something to lose */
	for (int i = 0; i < 600 && !(text && strstr(text, "\"metrics\"")); i++) {
		free(text);
		usleep(100000);
		text = e2e_read(e2e_path(e, "r.json"), &n);
	}
	assert_true(text && strstr(text, "\"metrics\""));
	free(text);
	online(7, 0);
	e2e_wait(&job, &r, 300);
	e2e_expect_status(&r, 4);
	assert_non_null(strstr(r.err, "CPU 7"));
	rec = record(e, "r.json");
	assert_true(json_array_size(json_object_get(rec, "runs")) > 0);
	assert_true(json_is_false(json_object_get(rec, "complete")));
	json_decref(rec);
	e2e_result_free(&r);
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
	return record(e, paranoid);
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
	assert_string_equal(status(run, "cycles"), "denied");
	assert_string_equal(status(run, "instructions"), "denied");
	assert_true(metric(run, "user") > 0);
	json_decref(rec);
}

int main(void)
{
#define TEST(t) cmocka_unit_test_setup_teardown(t, e2e_setup, e2e_teardown)
#define TEST_ONLINE(t) cmocka_unit_test_setup_teardown(t, e2e_setup, both_online)
	const struct CMUnitTest tests[] = {
		TEST_ONLINE(an_offline_cpu_is_not_in_the_plan),
		TEST_ONLINE(a_cpu_that_goes_away_ends_the_runs_with_a_word),
		TEST(an_ordinary_user_counts_in_user_mode_at_paranoid_2),
		TEST(an_ordinary_user_is_denied_and_not_given_zero_at_paranoid_3),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
