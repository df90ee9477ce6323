/*
 * `scalediag attach`: a service that runs is looked at and scaled while it serves, and is left as
 * it was.
 */
#include "e2e/attached_service.h"
#include "support/watchpoints.h"

static double sum_of(const json_t *point)
{
	const json_t *row;
	double sum = 0;
	size_t i;

	json_array_foreach(json_object_get(point, "stack"), i, row) sum +=
		json_number_value(json_object_get(json_object_get(row, "cores"), "value"));
	return sum;
}

static void a_look_tells_where_its_cores_go_and_changes_nothing(void **state)
{
	struct e2e *e = *state;
	struct service s;
	struct e2e_result r;
	const json_t *report, *point, *run;
	json_t *record;
	char label[64];
	size_t i;

	start(e, &s, "0.6", NULL);
	e2e_run(e, &r, "attach", "--window", "2.5", "--json", "-o", "look.json", s.number);
	e2e_expect_status(&r, 0);
	report = e2e_report(e, &r);
	snprintf(label, sizeof label, "process %s", s.number);
	assert_string_equal(
		json_string_value(json_object_get(json_object_get(report, "program"), "attached")),
		label);
	assert_int_equal(json_array_size(json_object_get(report, "points")), 1);
	point = json_array_get(json_object_get(report, "points"), 0);
	assert_true(json_number_value(json_object_get(point, "runs")) == 5);
	/* threads that compute whenever they hold a CPU */
	assert_true(
		e2e_component(report, (unsigned)json_number_value(json_object_get(point, "cores")),
			"useful") > 0);
	assert_true(sum_of(point) > 0);
	assert_int_equal(e2e_runs_in(e2e_path(e, "look.json")), 5);
	e2e_result_free(&r);
	/* whoever it runs as, nothing was lost by an exec: it was executed long ago */
	record = json_load_file(e2e_path(e, "look.json"), 0, NULL);
	assert_non_null(record);
	json_array_foreach(json_object_get(record, "runs"), i, run)
		assert_false(e2e_has_flag(run, "unreadable"));
	json_decref(record);
	/* another one beside it would be another program */
	e2e_run(e, &r, "--resume", "look.json");
	e2e_expect_status(&r, 2);
	e2e_expect_error(&r, "ran already");
	e2e_result_free(&r);
	stop(&s);
}

/* Throughput of every run, and how long its requests took meanwhile; all of the service's threads
 * have their CPUs again. */
static void its_cores_are_changed_and_put_back(void **state)
{
	struct e2e *e = *state;
	struct service s;
	struct e2e_result r;
	const json_t *report, *program;
	json_t *record;
	const json_t *run;
	size_t i;

	e2e_need_two_cpus("its_cores_are_changed_and_put_back");
	start(e, &s, "0", NULL);
	/* a command that tells no amount: nothing was seen, and no record stays */
	e2e_run(e, &r, "attach", s.number, "--cores", "1,2", "--window", ".5", "--repeats", "1",
		"--rate-command", "echo idle", "-o", "none.json");
	e2e_expect_status(&r, 4);
	e2e_expect_error(&r, "printed no number above 0: see none.scalediag.out");
	assert_int_equal(access(e2e_path(e, "none.json"), F_OK), -1);
	assert_int_equal(access(e2e_path(e, "none.scalediag.out"), F_OK), 0);
	e2e_result_free(&r);
	e2e_run(e, &r, "attach", s.number, "--cores", "1,2", "--window", "2.5", "--repeats", "5",
		"--rate-command", s.command, "--latency", "request", "--json", "-o", "scaled.json");
	e2e_expect_status(&r, 0);
	report = e2e_report(e, &r);
	assert_int_equal(json_array_size(json_object_get(report, "points")), 2);
	program = json_object_get(report, "program");
	assert_true(json_number_value(json_object_get(program, "latency_before_s")) > 0);
	assert_true(json_number_value(json_object_get(program, "latency_after_s")) > 0);
	e2e_result_free(&r);
	record = json_load_file(e2e_path(e, "scaled.json"), 0, NULL);
	assert_non_null(record);
	/* five a count, the first one again: what runs is warm */
	assert_int_equal(json_array_size(json_object_get(record, "runs")), 11);
	json_array_foreach(json_object_get(record, "runs"), i, run)
	{
		assert_true(e2e_metric(run, "rate") > 0);
		assert_true(e2e_metric(run, "latency_p50") > 0);
		assert_true(e2e_metric(run, "latency_p99") >= e2e_metric(run, "latency_p50"));
	}
	json_decref(record);
	e2e_run(e, &r, "report", "scaled.json");
	e2e_expect_status(&r, 0);
	assert_non_null(strstr(r.out, "Latency: 99 % of 'request' took at most"));
	/* windows are as long as asked for: what it got done is compared */
	assert_non_null(strstr(r.out, "work/s"));
	assert_null(strstr(r.out, "wall s"));
	e2e_result_free(&r);
	stop(&s);
}

/* The progress that it reports is its throughput: as much as what is read from outside. */
static void progress_that_it_reports_is_its_throughput(void **state)
{
	struct e2e *e = *state;
	struct service s;
	struct e2e_result r;
	json_t *record;
	const json_t *run;
	size_t i;

	start(e, &s, "0", NULL);
	e2e_run(e, &r, "attach", s.number, "--cores", "1", "--window", "1", "--repeats", "1",
		"--progress", "nothing");
	e2e_expect_status(&r, 2);
	e2e_expect_error(&r, "has not reported 'nothing'");
	e2e_result_free(&r);
	e2e_run(e, &r, "attach", s.number, "--window", "1", "--latency", "nothing");
	e2e_expect_status(&r, 2);
	e2e_expect_error(&r, "has no region 'nothing'");
	e2e_result_free(&r);
	e2e_run(e, &r, "attach", s.number, "--cores", "1", "--window", "1", "--repeats", "2",
		"--progress", "requests", "--json", "-o", "progress.json");
	e2e_expect_status(&r, 0);
	e2e_result_free(&r);
	record = json_load_file(e2e_path(e, "progress.json"), 0, NULL);
	assert_non_null(record);
	assert_true(json_array_size(json_object_get(record, "runs")) >= 2);
	json_array_foreach(json_object_get(record, "runs"), i, run)
		assert_true(e2e_metric(run, "rate") > 0);
	json_decref(record);
	stop(&s);
}

/* A cgroup as systemd makes one for a unit, in whatever hierarchy may be written here. */
static int make_unit(char *folder, size_t size)
{
	static const char *const root[] = {"/sys/fs/cgroup", "/sys/fs/cgroup/unified",
		"/sys/fs/cgroup/systemd", "/sys/fs/cgroup/cpuacct"};
	char procs[400];

	for (size_t i = 0; i < sizeof root / sizeof *root; i++) {
		snprintf(procs, sizeof procs, "%s/cgroup.procs", root[i]);
		snprintf(folder, size, "%s/sd-attach-%d.service", root[i], (int)getpid());
		if (access(procs, W_OK) == 0 && mkdir(folder, 0755) == 0)
			return 1;
	}
	return 0;
}

static void enter(const char *folder, pid_t pid)
{
	char path[400];
	FILE *f;

	snprintf(path, sizeof path, "%s/cgroup.procs", folder);
	f = fopen(path, "we");
	assert_non_null(f);
	fprintf(f, "%d\n", (int)pid);
	assert_int_equal(fclose(f), 0);
}

static void look_by(struct e2e *e, const char *option, const char *name)
{
	struct e2e_result r;

	e2e_run(e, &r, "attach", "--window", "0.5", "--samples", "none", "--json", option, name);
	e2e_expect_status(&r, 0);
	assert_non_null(strstr(r.out, "sd-attach-"));
	e2e_result_free(&r);
}

static void a_unit_and_a_cgroup_are_found_by_name(void **state)
{
	struct e2e *e = *state;
	struct service s;
	char folder[300], unit[64];

	if (!make_unit(folder, sizeof folder))
		e2e_skip("a_unit_and_a_cgroup_are_found_by_name", "no cgroup may be made here");
	start(e, &s, "0", NULL);
	enter(folder, s.pid);
	look_by(e, "--cgroup", folder);
	snprintf(unit, sizeof unit, "sd-attach-%d", (int)getpid());
	look_by(e, "--systemd-unit", unit);
	stop(&s);
	for (int i = 0; i < 100 && rmdir(folder); i++)
		e2e_nap(20);
	assert_int_equal(access(folder, F_OK), -1);
}

/* The name of line i of a run, if its threads use different bytes of it. */
static const char *false_name(const json_t *record, const json_t *line)
{
	const json_t *const texts = json_object_get(json_object_get(record, "stacks"), "texts");

	return strcmp(json_string_value(json_object_get(line, "sharing")), "false") == 0
		       ? json_string_value(json_array_get(
				 texts, (size_t)json_integer_value(json_object_get(line, "name"))))
		       : NULL;
}

/* The record of an attach to a program of two threads that goes on until then. */
static json_t *attached(struct e2e *e, const char *test, const char *program, const char *steps)
{
	struct e2e_result r;
	json_t *record;
	char pid[16];
	pid_t child;

	e2e_need_two_cpus(test);
	child = fork();
	assert_true(child >= 0);
	if (child == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		execl(e2e_program(e, program), program, "2", steps, NULL);
		_exit(1);
	}
	snprintf(pid, sizeof pid, "%d", (int)child);
	e2e_run(e, &r, "attach", "--window", "5", "-o", "r.json", pid);
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	e2e_expect_status(&r, 0);
	e2e_result_free(&r);
	record = json_load_file(e2e_path(e, "r.json"), 0, NULL);
	assert_non_null(record);
	return record;
}

/* Beside other work its threads seldom run at the same time, so that no share is asked for. */
static void attach_names_the_line_of_a_program_that_runs(void **state)
{
	struct e2e *const e = *state;
	const json_t *run, *line;
	double samples = 0;
	int named = 0;
	size_t i, k;
	json_t *const record = attached(e, __func__, "false_sharing", "90000000000");

	json_array_foreach(json_object_get(record, "runs"), i, run)
	{
		const json_t *const n = json_object_get(run, "native");

		samples += json_number_value(json_object_get(n, "samples"));
		json_array_foreach(json_object_get(n, "lines"), k, line)
		{
			const char *const name = false_name(record, line);

			named += name && strstr(name, "sums");
		}
	}
	json_decref(record);
	if (samples < 100)
		e2e_skip(__func__, "fewer than 100 samples of user code");
	assert_true(named);
}

/* The parts after the first watch the line that the first left open: each is counted, or says why
 * not; nothing is left in the program, which goes on. */
static void attach_watches_a_line_that_no_sample_sees_written(void **state)
{
	struct e2e *const e = *state;
	const json_t *run, *line;
	double samples = 0, windows = 0, writers = 0;
	size_t i, k;
	json_t *const record = attached(e, __func__, "hidden_writer", "90000000000");

	json_array_foreach(json_object_get(record, "runs"), i, run)
	{
		const json_t *const n = json_object_get(run, "native");

		samples += json_number_value(json_object_get(n, "samples"));
		json_array_foreach(json_object_get(n, "lines"), k, line)
		{
			const json_t *const times = json_object_get(line, "times");

			windows += json_number_value(json_object_get(times, "watched_s"));
			writers += json_number_value(json_object_get(times, "writers"));
		}
	}
	json_decref(record);
	if (samples < 100)
		e2e_skip(__func__, "fewer than 100 samples of user code");
	if (!watchpoints_count()) {
		assert_true(windows == 0);
		e2e_skip(__func__, "this kernel or machine counts no watchpoints");
	}
	assert_true(writers > 0);
}

int main(void)
{
#define TEST(t) cmocka_unit_test_setup_teardown(t, e2e_setup, e2e_teardown)
	const struct CMUnitTest tests[] = {
		TEST(a_look_tells_where_its_cores_go_and_changes_nothing),
		TEST(its_cores_are_changed_and_put_back),
		TEST(progress_that_it_reports_is_its_throughput),
		TEST(a_unit_and_a_cgroup_are_found_by_name),
		TEST(attach_names_the_line_of_a_program_that_runs),
		TEST(attach_watches_a_line_that_no_sample_sees_written),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
