/*
 * `scalediag calibrate` as a user runs it: what it writes, what it leaves, and how it ends.
 */
#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "support/calibration_files.h"

static void one_kernel_alone_gives_json_and_saves_nothing(void **state)
{
	struct e2e *e = *state;
	struct e2e_result r;
	json_t *root, *row;
	size_t i, rows = 0;

	e2e_run_hooked(e, &r, own_cache, e->folder, "calibrate", "frequency", "--quick", "--cores",
		"1", "--format", "json");
	e2e_expect_status(&r, 0);
	root = parse(&r);
	assert_string_equal(json_string_value(json_object_get(root, "kind")), "scalediag-profile");
	json_array_foreach(json_object_get(root, "rows"), i, row)
	{
		assert_string_equal(json_string_value(json_object_get(row, "kernel")), "frequency");
		assert_int_equal(json_integer_value(json_object_get(row, "cores")), 1);
		rows++;
	}
	assert_true(rows > 0);
	assert_int_equal(count_files(e->folder), 0);
	json_decref(root);
	e2e_result_free(&r);
}

static void what_was_written_is_read_shown_and_the_same(void **state)
{
	struct e2e *e = *state;
	struct e2e_result r, again;
	const char *path = e2e_path(e, "p.json");

	e2e_run_hooked(e, &r, own_cache, e->folder, "calibrate", "timers", "--quick", "-o", path,
		"--format", "json");
	e2e_expect_status(&r, 0);
	e2e_run(e, &again, "calibrate", "--read", path, "--format", "json");
	e2e_expect_status(&again, 0);
	assert_int_equal(r.n_out, again.n_out);
	assert_memory_equal(r.out, again.out, r.n_out);
	e2e_result_free(&again);
	e2e_run(e, &again, "calibrate", "--read", path, "--format", "csv");
	e2e_expect_status(&again, 0);
	assert_memory_equal(again.out, "kernel,", 7);
	e2e_result_free(&again);
	e2e_run(e, &again, "calibrate", "--read", path, "--html", e2e_path(e, "page.html"));
	e2e_expect_status(&again, 0);
	assert_int_equal(access(e2e_path(e, "page.html"), R_OK), 0);
	e2e_result_free(&again);
	/* never over a file that is none of ours */
	e2e_run(e, &again, "calibrate", "--read", path, "--html", path);
	e2e_expect_status(&again, 2);
	e2e_result_free(&again);
	/* a profile compared with itself has not changed */
	e2e_run(e, &again, "calibrate", "--read", path, "--compare", path);
	e2e_expect_status(&again, 0);
	assert_non_null(strstr(again.out, "nothing changed"));
	e2e_result_free(&again);
	e2e_result_free(&r);
}

/* Libraries that this program uses may bring an OpenMP runtime along, which has read its settings
 * then. */
static void openmp_is_measured_with_either_way_of_waiting(void **state)
{
	const struct others since = others_now();
	struct e2e *e = *state;
	struct e2e_result r;
	json_t *root, *row, *const seen = json_object();
	size_t i, active = 0, passive = 0;

	e2e_run(e, &r, "calibrate", "openmp", "--quick", "--cores", "1", "--format", "json");
	e2e_expect_status(&r, 0);
	root = parse(&r);
	json_array_foreach(json_object_get(root, "rows"), i, row)
	{
		const char *variant = json_string_value(json_object_get(row, "variant"));
		const int number = json_is_number(json_object_get(row, "median"));

		if (strstr(json_string_value(json_object_get(row, "why")), "not installed"))
			continue;
		if (!number) {
			others_skip(&since, __func__);
			fail_msg("%s: %s", variant, json_string_value(json_object_get(row, "why")));
		}
		/* a change of the machine's state gives a construct a second row */
		if (json_object_get(seen, variant))
			continue;
		assert_int_equal(json_object_set_new(seen, variant, json_true()), 0);
		active += (size_t)(strstr(variant, "wait=active") && number);
		passive += (size_t)(strstr(variant, "wait=passive") && number);
	}
	assert_int_equal(active, passive);
	json_decref(seen);
	json_decref(root);
	e2e_result_free(&r);
}

/* The profile with every number times `factor`, as if made of so many calibrations that agree. */
static void scale(const char *from, const char *to, double factor, int calibrations)
{
	static const char *const key[] = {"median", "q1", "q3", "low", "high"};
	json_t *root = json_load_file(from, 0, NULL), *row;
	size_t i;

	assert_non_null(root);
	json_array_foreach(json_object_get(root, "rows"), i, row)
	{
		const double median = json_number_value(json_object_get(row, "median"));

		for (int k = 0; k < 5 && json_is_number(json_object_get(row, "median")); k++)
			json_object_set_new(row, key[k], json_real(median * factor));
		json_object_set_new(row, "calibrations", json_integer(calibrations));
		json_object_set_new(row, "between", json_real(0.001));
	}
	json_object_set_new(root, "calibrations", json_integer(calibrations));
	assert_int_equal(json_dump_file(root, to, 0), 0);
	json_decref(root);
}

/* As 77 CPUs of that machine. */
static void grant(const char *from, const char *to)
{
	json_t *const root = json_load_file(from, 0, NULL);
	json_t *const host = json_object_get(root, "host");

	assert_non_null(host);
	json_object_set_new(host, "topology", json_string("0123456789abcdef"));
	json_object_set_new(host, "granted_cpus", json_integer(77));
	assert_int_equal(json_dump_file(root, to, 0), 0);
	json_decref(root);
}

static void a_node_that_changed_is_exit_status_1(void **state)
{
	struct e2e *e = *state;
	struct e2e_result r;

	e2e_run_hooked(e, &r, own_cache, e->folder, "calibrate", "timers", "--quick", "-o",
		e2e_path(e, "p.json"), "--format", "csv");
	e2e_expect_status(&r, 0);
	e2e_result_free(&r);
	scale(e2e_path(e, "p.json"), e2e_path(e, "new.json"), 1, 3);
	scale(e2e_path(e, "p.json"), e2e_path(e, "old.json"), 0.5, 3);
	e2e_run(e, &r, "calibrate", "--read", e2e_path(e, "new.json"), "--compare",
		e2e_path(e, "old.json"), "--format", "json");
	e2e_expect_status(&r, 1);
	assert_non_null(strstr(r.out, "\"worse\""));
	e2e_result_free(&r);
	/* one calibration does not tell what the next would be */
	scale(e2e_path(e, "p.json"), e2e_path(e, "single.json"), 0.5, 1);
	e2e_run(e, &r, "calibrate", "--read", e2e_path(e, "new.json"), "--compare",
		e2e_path(e, "single.json"));
	e2e_expect_status(&r, 4);
	assert_non_null(strstr(r.out, "--repeat 3"));
	e2e_result_free(&r);
	e2e_run(e, &r, "calibrate", "--read", e2e_path(e, "new.json"), "--compare",
		e2e_path(e, "new.json"));
	e2e_expect_status(&r, 0);
	e2e_result_free(&r);
	/* the same numbers, by more CPUs then */
	grant(e2e_path(e, "new.json"), e2e_path(e, "more.json"));
	e2e_run(e, &r, "calibrate", "--read", e2e_path(e, "new.json"), "--compare",
		e2e_path(e, "more.json"));
	e2e_expect_status(&r, 1);
	assert_non_null(strstr(r.out, "Changed: 77 CPUs granted before, "));
	assert_null(strstr(r.out, "nothing changed"));
	e2e_result_free(&r);
}

/* Limits hold for a profile that is shown as for one that is measured. */
static void a_limit_that_is_broken_is_exit_status_1(void **state)
{
	static const struct {
		const char *limit;
		int status;
		const char *says;
	} rows[] = {
		{"clock>=0.000001", 0, "holds"},
		{"clock>=1000000", 1, "is broken"},
		{"latency.dram<=100", 4, "cannot be told"},
	};
	struct e2e *e = *state;
	struct e2e_result r;

	e2e_run_hooked(e, &r, own_cache, e->folder, "calibrate", "frequency", "--quick", "-o",
		e2e_path(e, "p.json"));
	e2e_expect_status(&r, 0);
	e2e_result_free(&r);
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		e2e_run(e, &r, "calibrate", "--read", e2e_path(e, "p.json"), "--require",
			rows[i].limit);
		e2e_expect_status(&r, rows[i].status);
		assert_non_null(strstr(r.err, rows[i].says));
		e2e_result_free(&r);
	}
	/* one that is broken outweighs one that is not known */
	e2e_run(e, &r, "calibrate", "--read", e2e_path(e, "p.json"), "--require", rows[2].limit,
		"--require", rows[1].limit, "--require", rows[0].limit);
	e2e_expect_status(&r, 1);
	e2e_result_free(&r);
}

static void repeated_calibrations_are_one_profile(void **state)
{
	struct e2e *e = *state;
	struct e2e_result r;
	json_t *root, *row;
	size_t i, several = 0;

	e2e_run_hooked(e, &r, own_cache, e->folder, "calibrate", "timers", "--quick", "--repeat",
		"3", "-o", e2e_path(e, "p.json"));
	e2e_expect_status(&r, 0);
	assert_non_null(strstr(r.err, "calibration 3 of 3"));
	e2e_result_free(&r);
	root = json_load_file(e2e_path(e, "p.json"), 0, NULL);
	assert_non_null(root);
	assert_int_equal(json_integer_value(json_object_get(root, "calibrations")), 3);
	json_array_foreach(json_object_get(root, "rows"), i, row)
	{
		const double low = json_number_value(json_object_get(row, "q1")),
			     high = json_number_value(json_object_get(row, "q3")),
			     median = json_number_value(json_object_get(row, "median"));

		assert_true(low <= median && median <= high);
		several += json_integer_value(json_object_get(row, "calibrations")) > 1;
	}
	assert_true(several > 0);
	json_decref(root);
	e2e_run(e, &r, "calibrate", "--repeat", "0");
	e2e_expect_status(&r, 2);
	assert_non_null(strstr(r.err, "--repeat '0'"));
	e2e_result_free(&r);
}

/* Two profiles of different kernels: nothing changed, and nothing was compared. */
static void nothing_in_common_is_no_success(void **state)
{
	struct e2e *e = *state;
	struct e2e_result r;

	e2e_run_hooked(e, &r, own_cache, e->folder, "calibrate", "timers", "--quick", "-o",
		e2e_path(e, "a.json"), "--format", "csv");
	e2e_expect_status(&r, 0);
	e2e_result_free(&r);
	e2e_run_hooked(e, &r, own_cache, e->folder, "calibrate", "frequency", "--quick", "--cores",
		"1", "-o", e2e_path(e, "b.json"), "--format", "csv");
	e2e_expect_status(&r, 0);
	e2e_result_free(&r);
	e2e_run(e, &r, "calibrate", "--read", e2e_path(e, "b.json"), "--compare",
		e2e_path(e, "a.json"));
	e2e_expect_status(&r, 4);
	assert_non_null(strstr(r.out, "Not comparable"));
	assert_null(strstr(r.out, "nothing changed"));
	e2e_result_free(&r);
}

static void wrong_words_are_usage_errors_that_name_them(void **state)
{
	static const struct {
		const char *args[6];
		const char *says;
	} rows[] = {
		{{"calibrate", "tirad"}, "tirad"},
		{{"calibrate", "--cores", "0"}, "--cores"},
		{{"calibrate", "timers", "--cores", "60000"}, "--cores"},
		{{"calibrate", "--format", "xml"}, "xml"},
		{{"calibrate", "--format", "csv", "--compare", "x"}, "--compare"},
		{{"calibrate", "--read", "x", "timers"}, "--read"},
		{{"calibrate", "--sloppy"}, "sloppy"},
		{{"calibrate", "--require", "tirad>=1"}, "--require 'tirad>=1'"},
		{{"calibrate", "timers", "-o", ""}, "--output"},
		{{"calibrate", "disk"}, "--directory"},
		{{"calibrate", "timers", "--directory", "/tmp"}, "--directory '/tmp'"},
		{{"calibrate", "--directory", "/dev/null"}, "--directory '/dev/null'"},
		{{"calibrate", "disk", "--directory", "/no/such"}, "--directory '/no/such'"},
	};
	struct e2e *e = *state;

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct e2e_result r;

		e2e_run_args(e, &r, own_cache, e->folder, rows[i].args);
		e2e_expect_status(&r, 2);
		e2e_expect_error(&r, rows[i].says);
		e2e_result_free(&r);
	}
	assert_int_equal(count_files(e->folder), 0);
}

static void a_whole_quick_calibration_is_kept_for_this_machine(void **state)
{
	struct e2e *e = *state;
	struct e2e_result r;
	json_t *root, *row;
	size_t i, ceilings = 0, missing = 0;

	e2e_run_hooked(e, &r, own_cache, e->folder, "calibrate", "--quick", "--format", "json");
	/* beside others it may not get to what matters most, and says so */
	e2e_expect_status(&r, strstr(r.err, "has no number for: ") ? 4 : 0);
	assert_non_null(strstr(r.err, "profile "));
	assert_int_equal(count_files(e->folder), 1);
	root = parse(&r);
	json_array_foreach(json_object_get(root, "rows"), i, row)
	{
		const int null = json_is_null(json_object_get(row, "median"));

		/* a number, or the reason why there is none; never both, never neither */
		assert_int_equal(null, json_integer_value(json_object_get(row, "n")) == 0);
		if (null)
			assert_true(json_string_length(json_object_get(row, "why")) > 0);
		missing += (size_t)null;
		if (strcmp(json_string_value(json_object_get(row, "kernel")), "ceiling") == 0) {
			const char *variant = json_string_value(json_object_get(row, "variant"));

			/* the last key is whole */
			assert_non_null(strstr(variant, " place="));
			assert_null(strstr(variant, "bytes="));
			ceilings++;
		}
	}
	if (ceilings == 0)
		assert_true(missing > 0);
	json_decref(root);
	e2e_result_free(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define T(f) cmocka_unit_test_setup_teardown(f, e2e_setup, e2e_teardown)
		T(one_kernel_alone_gives_json_and_saves_nothing),
		T(what_was_written_is_read_shown_and_the_same),
		T(openmp_is_measured_with_either_way_of_waiting),
		T(a_node_that_changed_is_exit_status_1),
		T(repeated_calibrations_are_one_profile),
		T(a_limit_that_is_broken_is_exit_status_1),
		T(nothing_in_common_is_no_success),
		T(wrong_words_are_usage_errors_that_name_them),
		T(a_whole_quick_calibration_is_kept_for_this_machine),
	};

	return cmocka_run_group_tests_name("e2e_calibrate", tests, NULL, NULL);
}
