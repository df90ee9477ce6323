/*
 * CPUs that come and go: what is offline is not in the plan, and one that goes away while its runs
 * are made ends them with a word.
 */
#include <unistd.h>

#include "guest_record.h"

#define CPU_FILE "/sys/devices/system/cpu/cpu%u/online"

static void online(unsigned cpu, int on)
{
	char path[64];

	snprintf(path, sizeof path, CPU_FILE, cpu);
	guest_write(path, on ? "1" : "0");
}

static int both_online(void **state)
{
	if (getenv("SCALEDIAG_GUEST")) {
		online(3, 1);
		online(7, 1);
	}
	return e2e_teardown(state);
}

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
	rec = guest_record_load(e, "r.json");
	guest_record_expect_cpus(rec, cpus, 1);
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
	rec = guest_record_load(e, "r.json");
	assert_true(json_array_size(json_object_get(rec, "runs")) > 0);
	assert_true(json_is_false(json_object_get(rec, "complete")));
	json_decref(rec);
	e2e_result_free(&r);
}

int main(void)
{
#define TEST_ONLINE(t) cmocka_unit_test_setup_teardown(t, e2e_setup, both_online)
	const struct CMUnitTest tests[] = {
		TEST_ONLINE(an_offline_cpu_is_not_in_the_plan),
		TEST_ONLINE(a_cpu_that_goes_away_ends_the_runs_with_a_word),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
