/*
 * Raw samples that were kept: read again, they come to what the run came to, whatever the record
 * says of it; and samples that are not the record's are refused.
 */
#include "e2e/e2e.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Two counts, one run each, with its samples in `folder`. Skips where nothing was sampled. */
static void keep(struct e2e *e, const char *test, const char *program, const char *record,
	const char *folder)
{
	struct e2e_result r;
	json_t *kept;
	const char *status;
	char option[64];

	snprintf(option, sizeof option, "--keep-samples=%s", folder);
	e2e_run(e, &r, option, "--cores", "1,2", "--repeats", "1", "--experiments", "none", "-o",
		record, "--", e2e_program(e, program), "0.05");
	e2e_expect_status(&r, 0);
	e2e_result_free(&r);
	kept = json_load_file(e2e_path(e, record), 0, NULL);
	assert_non_null(kept);
	status = json_string_value(json_object_get(
		json_object_get(json_array_get(json_object_get(kept, "runs"), 0), "sampled"),
		"status"));
	if (!status || strcmp(status, "ok") != 0) {
		print_message("SKIP: %s: no samples here (%s)\n", test, status ? status : "none");
		json_decref(kept);
		skip();
	}
	json_decref(kept);
}

static char *report(struct e2e *e, const char *record, const char *samples)
{
	struct e2e_result r;
	char *text;

	if (samples)
		e2e_run(e, &r, "report", "--format", "json", "--from-samples", samples, record);
	else
		e2e_run(e, &r, "report", "--format", "json", record);
	e2e_expect_status(&r, 0);
	text = strdup(r.out);
	assert_non_null(text);
	e2e_result_free(&r);
	return text;
}

/* The record loses every row that its samples came to. */
static void empty(const struct e2e *e, const char *record)
{
	json_t *const all = json_load_file(e2e_path(e, record), 0, NULL), *run;
	size_t i;

	assert_non_null(all);
	json_array_foreach(json_object_get(all, "runs"), i, run)
	{
		json_t *const sampled = json_object_get(run, "sampled");

		assert_true(json_array_size(json_object_get(sampled, "uses")) > 0);
		json_array_clear(json_object_get(sampled, "uses"));
	}
	assert_int_equal(json_dump_file(all, e2e_path(e, record), JSON_INDENT(1)), 0);
	json_decref(all);
}

static void come_to_the_same(struct e2e *e, const char *test, const char *program)
{
	char *before, *emptied, *again;

	keep(e, test, program, "r.json", "kept");
	before = report(e, "r.json", NULL);
	empty(e, "r.json");
	emptied = report(e, "r.json", NULL);
	again = report(e, "r.json", "kept");
	assert_string_not_equal(before, emptied);
	assert_string_equal(before, again);
	free(before);
	free(emptied);
	free(again);
}

static void a_mutexs_samples_come_to_the_same_again(void **state)
{
	come_to_the_same(*state, __func__, "mutex_bound");
}

static void the_samples_of_openmp_regions_come_to_the_same_again(void **state)
{
	come_to_the_same(*state, __func__, "half_serial_omp");
}

static void refused(struct e2e *e, const char *samples, int status, const char *why)
{
	struct e2e_result r;

	e2e_run(e, &r, "report", "--from-samples", samples, "r.json");
	e2e_expect_status(&r, status);
	e2e_expect_error(&r, why);
	assert_int_equal(r.n_out, 0);
	e2e_result_free(&r);
}

static void samples_that_are_not_the_records_are_refused(void **state)
{
	struct e2e *const e = *state;

	keep(e, __func__, "half_serial", "r.json", "kept");
	keep(e, __func__, "half_serial", "other.json", "others");
	/* the counts of one short run may be those of the other by chance, not those of all */
	refused(e, "others", 4, "samples of another run than run");
	refused(e, "nowhere", 4, "nowhere/run-0001.perf: is not there");
	refused(e, "", 2, "must be the name of a folder");
	assert_int_equal(truncate(e2e_path(e, "kept/run-0001.perf"), 1000), 0);
	refused(e, "kept", 4, "kept/run-0001.perf: is no file of raw samples");
}

static void a_record_without_samples_has_nothing_to_attribute(void **state)
{
	struct e2e *const e = *state;
	struct e2e_result r;

	e2e_run(e, &r, "--samples", "none", "--cores", "1", "--repeats", "1", "-o", "r.json", "--",
		e2e_program(e, "scales"), "0.05");
	e2e_expect_status(&r, 0);
	e2e_result_free(&r);
	refused(e, ".", 4, "no run of the record was sampled");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, e2e_setup, e2e_teardown)

/* How many of a format's objects say this of themselves. */
static size_t count(struct e2e *e, const char *format, const char *samples, const char *what)
{
	struct e2e_result r;
	json_t *root;
	size_t n = 0;

	if (samples)
		e2e_run(e, &r, "report", "--format", format, "--from-samples", samples, "r.json");
	else
		e2e_run(e, &r, "report", "--format", format, "r.json");
	e2e_expect_status(&r, 0);
	root = json_loads(r.out, JSON_REJECT_DUPLICATES, NULL);
	assert_non_null(root);
	json_decref(root);
	for (const char *at = r.out; (at = strstr(at, what)); at++)
		n++;
	e2e_result_free(&r);
	return n;
}

/* Only the raw samples hold what threads did over time. */
static void viewers_get_a_lane_a_thread(void **state)
{
	struct e2e *const e = *state;

	keep(e, __func__, "mutex_bound", "r.json", "kept");
	assert_int_equal(count(e, "perfetto", NULL, "\"cat\":\"waiting\""), 0);
	assert_true(count(e, "perfetto", NULL, "\"cat\":\"run\"") >= 2);
	assert_true(count(e, "perfetto", "kept", "\"cat\":\"waiting\"") > 0);
	assert_true(count(e, "perfetto", "kept", "\"cat\":\"run\"") >= 2);
	assert_true(count(e, "firefox-profiler", "kept", "\"type\":\"Wait\"") > 0);
	/* a profile of what ran and one of what waited for each count, and at least three threads
	 */
	assert_int_equal(count(e, "speedscope", NULL, "\"type\":\"sampled\""), 4);
	assert_true(count(e, "speedscope", "kept", "\"type\":\"sampled\"") >= 4 + 3);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_mutexs_samples_come_to_the_same_again),
		TEST(the_samples_of_openmp_regions_come_to_the_same_again),
		TEST(viewers_get_a_lane_a_thread),
		TEST(samples_that_are_not_the_records_are_refused),
		TEST(a_record_without_samples_has_nothing_to_attribute),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
