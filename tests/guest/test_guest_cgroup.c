/*
 * Control groups of version 2 as the kernel makes them: a quota that is granted, throttles and is
 * named, a cpuset that limits the plan. Each test makes a cgroup, and runs scalediag in it.
 */
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "guest.h"

#define GROUP "/sys/fs/cgroup/limited"

static int group_setup(void **state)
{
	if (e2e_setup(state))
		return -1;
	/* elsewhere the tests skip, before they touch any of this */
	return getenv("SCALEDIAG_GUEST") && mkdir(GROUP, 0755) ? -1 : 0;
}

static int group_teardown(void **state)
{
	if (getenv("SCALEDIAG_GUEST") && rmdir(GROUP))
		return -1;
	return e2e_teardown(state);
}

/* Between fork and exec: into the group. */
static int enter_group(void *ctx)
{
	const int fd = open(GROUP "/cgroup.procs", O_WRONLY | O_CLOEXEC);

	(void)ctx;
	return fd < 0 || write(fd, "0", 1) != 1;
}

static const json_t *host_of(const json_t *report)
{
	const json_t *const host = json_object_get(report, "host");

	assert_true(json_is_object(host));
	return host;
}

static double of_run(const json_t *run, const char *metric)
{
	const json_t *const v = json_object_get(json_object_get(run, "metrics"), metric);

	if (!json_is_number(v))
		fail_msg("%s is not a number", metric);
	return json_number_value(v);
}

/* The sum over all runs of the record, which goes. */
static double sum(const struct e2e *e, const char *name, const char *metric)
{
	json_t *const record = json_load_file(e2e_path(e, name), 0, NULL);
	const json_t *run;
	double total = 0;
	size_t i;

	assert_non_null(record);
	json_array_foreach(json_object_get(record, "runs"), i, run) total += of_run(run, metric);
	json_decref(record);
	return total;
}

/* Two CPUs of eight are granted; four threads on four CPUs are stopped for a part of
 * each period. */
static void a_quota_is_granted_throttles_and_is_named(void **state)
{
	struct e2e *const e = *state;
	const json_t *report;
	struct e2e_result r;

	guest_need(__func__, "threads");
	guest_write(GROUP "/cpu.max", "200000 100000");
	e2e_run_hooked(e, &r, enter_group, NULL, GUEST_PLAIN, "--cores", "1,4", "--oversubscribe",
		"--repeats", "5", "--json", "-o", "r.json", e2e_program(e, "scales"), "0.3");
	e2e_expect_status(&r, 0);
	report = e2e_report(e, &r);
	assert_int_equal(json_integer_value(json_object_get(host_of(report), "granted_cpus")), 2);
	assert_true(sum(e, "r.json", "quota_periods") > 0);
	assert_true(sum(e, "r.json", "throttled_periods") > 0);
	assert_true(sum(e, "r.json", "throttled") > 0);
	assert_true(e2e_component(report, 4, "throttled") > 0);
	assert_string_not_equal(e2e_verdict(report, "cpu-quota"), "ruled-out");
	assert_string_not_equal(e2e_verdict(report, "cpu-quota"), "not-measurable");
	e2e_result_free(&r);
}

/* Within its quota, a program is not stopped: that is known, and not blamed. */
static void a_quota_that_is_not_used_up_is_ruled_out(void **state)
{
	struct e2e *const e = *state;
	const json_t *report;
	struct e2e_result r;

	guest_need(__func__, "threads");
	guest_write(GROUP "/cpu.max", "800000 100000");
	e2e_run_hooked(e, &r, enter_group, NULL, GUEST_PLAIN, "--cores", "1,2", "--repeats", "5",
		"--json", "-o", "r.json", e2e_program(e, "scales"), "0.3");
	e2e_expect_status(&r, 0);
	report = e2e_report(e, &r);
	assert_true(sum(e, "r.json", "throttled") == 0);
	assert_string_equal(e2e_verdict(report, "cpu-quota"), "ruled-out");
	e2e_result_free(&r);
}

/* The CPUs that the record says the largest point was bound to. */
static void a_cpuset_limits_the_plan(void **state)
{
	struct e2e *const e = *state;
	const json_t *report, *points;
	struct e2e_result r;
	json_t *record;

	guest_need(__func__, "threads");
	guest_write(GROUP "/cpuset.cpus", "2,5-6");
	e2e_run_hooked(e, &r, enter_group, NULL, GUEST_PLAIN, "--cores", "all", "--repeats", "1",
		"--json", "-o", "r.json", e2e_program(e, "scales"), "0.02");
	e2e_expect_status(&r, 0);
	report = e2e_report(e, &r);
	assert_int_equal(json_integer_value(json_object_get(host_of(report), "granted_cpus")), 3);
	record = json_load_file(e2e_path(e, "r.json"), 0, NULL);
	points = json_object_get(json_object_get(record, "plan"), "points");
	assert_string_equal(json_string_value(json_object_get(
				    json_array_get(points, json_array_size(points) - 1), "cpus")),
		"2,5-6");
	json_decref(record);
	e2e_result_free(&r);
}

int main(void)
{
#define TEST(t) cmocka_unit_test_setup_teardown(t, group_setup, group_teardown)
	const struct CMUnitTest tests[] = {
		TEST(a_quota_is_granted_throttles_and_is_named),
		TEST(a_quota_that_is_not_used_up_is_ruled_out),
		TEST(a_cpuset_limits_the_plan),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
