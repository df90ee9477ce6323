/*
 * Published measurements through `scalediag import`: what their authors found is what it says
 * (METHODS 7).
 */
#include "e2e/e2e.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *published(const char *name, char *out, size_t size)
{
	char here[2048];

	assert_non_null(getcwd(here, sizeof here));
	snprintf(out, size, "%s/tests/fixtures/published/%s", here, name);
	return out;
}

static const json_t *finding(const json_t *report, const char *cause)
{
	const json_t *all = json_object_get(report, "findings"), *one;
	size_t i;

	json_array_foreach(all, i, one) if (strcmp(json_string_value(json_object_get(one, "cause")),
						    cause) == 0) return one;
	fail_msg("no finding %s", cause);
	return NULL;
}

static const char *verdict(const json_t *report, const char *cause)
{
	return json_string_value(json_object_get(finding(report, cause), "verdict"));
}

static const char *first(const json_t *report)
{
	return json_string_value(
		json_object_get(json_array_get(json_object_get(report, "findings"), 0), "cause"));
}

static const json_t *imported(
	struct e2e *e, struct e2e_result *r, const char *file, const char *app)
{
	char path[4096];

	published(file, path, sizeof path);
	if (app)
		e2e_run(e, r, "import", "--from", "csv", "--json", "--app", app, path);
	else
		e2e_run(e, r, "import", "--from", "csv", "--json", path);
	e2e_expect_status(r, 0);
	return e2e_report(e, r);
}

static void hpccg_is_memory_bandwidth(void **state)
{
	struct e2e_result r;
	const json_t *report = imported(*state, &r, "proxy_8180M.csv", "HPCCG");

	assert_string_equal(first(report), "memory-bandwidth");
	assert_string_equal(verdict(report, "memory-bandwidth"), "likely");
	assert_string_not_equal(verdict(report, "numa"), "likely");
	e2e_result_free(&r);
}

static void cloverleaf_is_bandwidth_or_numa_undecided(void **state)
{
	struct e2e_result r;
	const json_t *report = imported(*state, &r, "proxy_8180M.csv", "CloverLeaf");
	const json_t *all = json_object_get(report, "findings"), *one;
	size_t i;

	assert_string_equal(verdict(report, "memory-bandwidth"), "possible");
	assert_string_equal(verdict(report, "numa"), "possible");
	json_array_foreach(all, i, one)
	{
		const char *v = json_string_value(json_object_get(one, "verdict"));

		assert_true(strcmp(v, "likely") != 0 && strcmp(v, "confirmed") != 0);
	}
	e2e_result_free(&r);
}

static void epoch_is_frequency_and_cpi_but_not_mpi(void **state)
{
	struct e2e_result r;
	const json_t *report = imported(*state, &r, "epoch_mpi.csv", NULL);

	assert_string_equal(first(report), "frequency");
	assert_string_equal(verdict(report, "mpi"), "ruled-out");
	/* nobody told spinning apart from work, and threads that spin do not idle */
	assert_string_equal(verdict(report, "serial-code"), "not-measurable");
	assert_string_equal(verdict(report, "load-imbalance"), "not-measurable");
	e2e_result_free(&r);
}

static void an_import_is_a_record_like_any_other(void **state)
{
	struct e2e *e = *state;
	struct e2e_result r, again;

	imported(e, &r, "epoch_mpi.csv", NULL);
	e2e_run(e, &again, "report", "--format", "json", "epoch_mpi.csv.scalediag.json");
	e2e_expect_status(&again, 0);
	assert_string_equal(r.out, again.out);
	e2e_result_free(&r);
	e2e_result_free(&again);
}

static void what_cannot_be_imported_is_said_in_one_line(void **state)
{
	struct e2e *e = *state;
	struct e2e_result r;
	char path[4096];

	published("proxy_8180M.csv", path, sizeof path);
	e2e_run(e, &r, "import", "--from", "csv", path);
	e2e_expect_status(&r, 4);
	e2e_expect_error(&r, "choose with --app");
	e2e_result_free(&r);
	e2e_run(e, &r, "import", path);
	e2e_expect_status(&r, 2);
	e2e_expect_error(&r, "--from csv, perf-stat, likwid, hyperfine or google-benchmark");
	e2e_result_free(&r);
	e2e_run(e, &r, "import", "--from", "perf-stat", "perf.csv");
	e2e_expect_status(&r, 2);
	e2e_expect_error(&r, "write 8=perf.csv");
	e2e_result_free(&r);
	e2e_run(e, &r, "import", "--from", "csv", "none.csv");
	e2e_expect_status(&r, 4);
	e2e_expect_error(&r, "none.csv: No such file or directory");
	e2e_result_free(&r);
}

#define E2E(test) cmocka_unit_test_setup_teardown(test, e2e_setup, e2e_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		E2E(hpccg_is_memory_bandwidth),
		E2E(cloverleaf_is_bandwidth_or_numa_undecided),
		E2E(epoch_is_frequency_and_cpi_but_not_mpi),
		E2E(an_import_is_a_record_like_any_other),
		E2E(what_cannot_be_imported_is_said_in_one_line),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
