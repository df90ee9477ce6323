/*
 * Published measurements through `scalediag import`: what their authors found is what it says
 * (METHODS 7).
 */
#include "e2e/e2e.h"

#include <stdio.h>
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

/* Writes a run as perf script prints it: samples of 10 ms of two functions, on threads in turn. */
static void write_profile(
	struct e2e *e, const char *name, unsigned threads, unsigned grows, unsigned steady)
{
	char *text = NULL;
	size_t n = 0;
	FILE *f = open_memstream(&text, &n);

	fputs("# ========\n# cpudesc : Intel(R) Xeon(R) Gold 6148\n# cpuid : GenuineIntel,6,85,4\n",
		f);
	for (unsigned i = 0; i < grows + steady; i++)
		fprintf(f,
			"app %u %u.%06u:   10000000 task-clock:u: \n"
			"\t117f %s+0x26 (/tmp/app)\n  app.c:%u\n\t11ff main+0x8 (/tmp/app)\n  app.c:9\n\n",
			10 + i % threads, 100 + i / threads / 100, i / threads % 100 * 10000,
			i < grows ? "grows" : "steady", i < grows ? 4 : 7);
	fclose(f);
	e2e_write(e2e_path(e, name), text);
	free(text);
}

/* Two core counts of perf script: the function and the line whose time grows. */
static void profiles_of_two_counts_give_the_loss_by_line(void **state)
{
	struct e2e *e = *state;
	struct e2e_result r;
	const json_t *report, *worst;

	write_profile(e, "1a.txt", 1, 100, 100);
	write_profile(e, "1b.txt", 1, 101, 100);
	write_profile(e, "2a.txt", 2, 200, 100);
	write_profile(e, "2b.txt", 2, 201, 100);
	e2e_run(e, &r, "import", "--from", "perf-script", "--json", "-o", "p.json", "1=1a.txt",
		"1=1b.txt", "2=2a.txt", "2=2b.txt");
	e2e_expect_status(&r, 0);
	e2e_expect_error(&r, "counted on Intel Skylake-SP");
	report = e2e_report(e, &r);
	worst = json_array_get(json_object_get(report, "functions"), 0);
	assert_string_equal(json_string_value(json_object_get(worst, "function")), "grows");
	assert_int_equal(json_integer_value(json_object_get(worst, "line")), 4);
	e2e_result_free(&r);
}

/* Contested lines of perf c2c beside a table: scalediag lines shows them, with their code. */
static void lines_of_perf_c2c_are_shown(void **state)
{
	struct e2e *e = *state;
	struct e2e_result r;

	e2e_write(e2e_path(e, "t.csv"), "cores,seconds,user\n1,4,4\n4,3,11\n");
	e2e_write(e2e_path(e, "c2c.txt"),
		"      Shared Cache Line Distribution Pareto\n"
		"#   Num  RmtHitm  LclHitm   L1 Hit      Offset       cnt  Symbol     Source:Line\n"
		"# .....  .......  .......  .......  ..........  ........  .........  ...........\n"
		"      0        0      252     2024  0x55c8f080\n"
		"           0.00%   40.00%   50.00%         0x0         1  [.] one    fs.c:12\n"
		"           0.00%   60.00%   50.00%         0x8         1  [.] other  fs.c:20\n");
	e2e_run(e, &r, "import", "--from", "csv", "--lines", "4=c2c.txt", "-o", "t.json", "t.csv");
	e2e_expect_status(&r, 0);
	e2e_result_free(&r);
	e2e_run(e, &r, "lines", "t.json");
	e2e_expect_status(&r, 0);
	assert_non_null(strstr(r.out, "false sharing"));
	assert_non_null(strstr(r.out, "other() fs.c:20"));
	e2e_result_free(&r);
	/* nobody simulated anything */
	e2e_run(e, &r, "report", "t.json");
	e2e_expect_status(&r, 0);
	assert_non_null(strstr(r.out, "False sharing in samples of loads"));
	assert_null(strstr(r.out, "simulated run"));
	e2e_result_free(&r);
	e2e_run(e, &r, "import", "--from", "csv", "--lines", "2=c2c.txt", "-o", "u.json", "t.csv");
	e2e_expect_status(&r, 4);
	e2e_expect_error(&r, "no run of that core count");
	e2e_result_free(&r);
}

static double metric(const json_t *report, const char *name)
{
	const json_t *const all =
		json_object_get(json_array_get(json_object_get(report, "points"), 0), "metrics");
	const json_t *one;
	size_t i;

	json_array_foreach(
		all, i, one) if (strcmp(json_string_value(json_object_get(one, "name")), name) ==
				 0) return json_number_value(json_object_get(one, "value"));
	fail_msg("no metric %s", name);
	return 0;
}

/* An example of `perf stat -a -M topdownl1 -x, -I 1000` that perf's developers posted (I. Rogers,
 * linux-perf-users, 2024-11): its counts give the shares that perf printed beside them. */
static void shares_of_slots_are_those_that_perf_computed(void **state)
{
	static const struct {
		const char *name;
		double printed; /* to a tenth of a percent */
	} rows[] = {{"backend-bound", .311}, {"frontend-bound", .510}, {"bad-speculation", .076},
		{"retiring", .102}};
	struct e2e *e = *state;
	struct e2e_result r;
	const json_t *report;

	e2e_write(e2e_path(e, "t.csv"),
		"1.000103288,4677067630,,TOPDOWN.SLOTS,16029302700,100.00,31.1,%  "
		"tma_backend_bound,bad\n"
		"1.000103288,,,,,,51.0,%  tma_frontend_bound,bad\n"
		"1.000103288,,,,,,7.6,%  tma_bad_speculation,good\n"
		"1.000103288,,,,,,10.2,%  tma_retiring,good\n"
		"1.000103288,476781750,,topdown-retiring,16029302700,100.00,,\n"
		"1.000103288,2389693619,,topdown-fe-bound,16029302700,100.00,,\n"
		"1.000103288,1431602465,,topdown-be-bound,16029302700,100.00,,\n"
		"1.000103288,378991388,,topdown-bad-spec,16029302700,100.00,,\n"
		"1.000103288,4934535,,INT_MISC.CLEARS_COUNT,16029339890,100.00,,\n"
		"1.000103288,56474476,,IDQ.MS_UOPS,16029292873,100.00,,\n"
		"1.000103288,3188888,,INT_MISC.UOP_DROPPING,16029239908,100.00,,\n");
	e2e_run(e, &r, "import", "--from", "perf-stat", "--cpu", "icl", "--json", "8=t.csv");
	e2e_expect_status(&r, 0);
	report = e2e_report(e, &r);
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		const double v = metric(report, rows[i].name);

		if (!(v >= rows[i].printed - .0005 && v < rows[i].printed + .0005))
			fail_msg("%s is %.4f, not %.3f", rows[i].name, v, rows[i].printed);
	}
	e2e_result_free(&r);
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
	e2e_expect_error(&r,
		"--from csv, perf-stat, perf-script, likwid, papi, hyperfine or google-benchmark");
	e2e_result_free(&r);
	e2e_run(e, &r, "import", "--from", "perf-stat", "perf.csv");
	e2e_expect_status(&r, 2);
	e2e_expect_error(&r, "write 8=perf.csv");
	e2e_result_free(&r);
	e2e_run(e, &r, "import", "--from", "csv", "none.csv");
	e2e_expect_status(&r, 4);
	e2e_expect_error(&r, "none.csv: No such file or directory");
	e2e_result_free(&r);
	/* an older record is spoken of when it is replaced, not before what is bad */
	e2e_write(e2e_path(e, "t.csv"), "cores,seconds\n1,2\n2,1.5\n");
	e2e_run(e, &r, "import", "--from", "csv", "t.csv");
	e2e_expect_status(&r, 0);
	assert_int_equal(r.n_err, 0);
	e2e_result_free(&r);
	e2e_run(e, &r, "import", "--from", "csv", "t.csv", "none.csv", "-o",
		"t.csv.scalediag.json");
	e2e_expect_status(&r, 4);
	e2e_expect_error(&r, "none.csv: No such file or directory");
	e2e_result_free(&r);
	assert_int_equal(e2e_runs_in(e2e_path(e, "t.csv.scalediag.json")), 2);
	e2e_run(e, &r, "import", "--from", "csv", "t.csv");
	e2e_expect_status(&r, 0);
	e2e_expect_error(&r, "replaced; the older record had 2 runs");
	e2e_result_free(&r);
}

#define E2E(test) cmocka_unit_test_setup_teardown(test, e2e_setup, e2e_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		E2E(hpccg_is_memory_bandwidth),
		E2E(cloverleaf_is_bandwidth_or_numa_undecided),
		E2E(epoch_is_frequency_and_cpi_but_not_mpi),
		E2E(profiles_of_two_counts_give_the_loss_by_line),
		E2E(lines_of_perf_c2c_are_shown),
		E2E(shares_of_slots_are_those_that_perf_computed),
		E2E(an_import_is_a_record_like_any_other),
		E2E(what_cannot_be_imported_is_said_in_one_line),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
