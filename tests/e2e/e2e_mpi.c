/*
 * MPI programs whose load balance, serialisation and transfer are known by construction
 * (tests/programs/mpi/ranks.c), at one and two ranks, started by each implementation's launcher:
 * the report divides them, and names who waits for whom.
 */
#include "e2e/e2e.h"
#include "support/tries.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Points by which a ratio may differ from the truth. */
#define POINTS .03
#define ANY NAN

static const char *const library[] = {"openmpi", "mpich"};

static int setup(void **state)
{
	/* what Open MPI wants of whoever runs as root */
	setenv("OMPI_ALLOW_RUN_AS_ROOT", "1", 1);
	setenv("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1", 1);
	return e2e_setup(state);
}

/* The report of a pattern at one and two ranks; `option`: one more, of run. */
static const json_t *diagnose_with(struct e2e *e, const char *with, const char *pattern,
	const char *repeats, const char *option)
{
	char launcher[64], program[64], record[64];
	struct e2e_result r;
	const json_t *report;

	snprintf(launcher, sizeof launcher, "mpirun.%s", with);
	snprintf(program, sizeof program, "ranks_%s", with);
	snprintf(record, sizeof record, "%s-%s.json", with, pattern);
	e2e_run(e, &r, "--ranks", "1,2", "--repeats", repeats, "--experiments", "none", "--json",
		"-o", record, option, launcher, "-n", "{ranks}", e2e_program(e, program), pattern);
	e2e_expect_status(&r, 0);
	report = e2e_report(e, &r);
	e2e_result_free(&r);
	return report;
}

static const json_t *diagnose(struct e2e *e, const char *with, const char *pattern)
{
	return diagnose_with(e, with, pattern, "3", "--no-omp-tool");
}

/* Skips the test where an implementation is not installed. */
static void need(struct e2e *e, const char *test, const char *with)
{
	char program[64];

	snprintf(program, sizeof program, "ranks_%s", with);
	if (access(e2e_program(e, program), X_OK) != 0)
		e2e_skip(test, "this implementation of MPI is not installed: make deps-check");
	e2e_need_two_cpus(test);
}

static double ratio(const json_t *report, const char *name)
{
	return json_number_value(json_object_get(json_object_get(report, "ranks"), name));
}

static int near(const json_t *report, const char *name, double truth)
{
	return isnan(truth) || fabs(ratio(report, name) - truth) <= POINTS;
}

/* The largest of imbalance, serial code and MPI. */
static const char *largest(const json_t *report)
{
	static const char *const of[] = {"imbalance", "serial", "mpi"};
	const char *most = of[0];

	for (size_t i = 1; i < 3; i++)
		if (e2e_component(report, 2, of[i]) > e2e_component(report, 2, most))
			most = of[i];
	return most;
}

struct pattern {
	const char *name;
	double balance, serialisation, transfer;
	const char *component; /* NULL: none costs more than 5 % */
	const char *waits;     /* who waits for whom; NULL: not asked */
	int everywhere; /* asked of each implementation: its calls differ, not the arithmetic */
};

static const struct pattern patterns[] = {
	{"balanced", 1, 1, 1, NULL, NULL, 0},
	{"imbalanced", 4. / 6, 1, 1, "imbalance", "rank 1 waits * for rank 0 in MPI_Allreduce()",
		1},
	{"chain", 1, .5, 1, "serial", "rank 1 waits * for rank 0 in MPI_Recv()", 1},
	{"master", .5, 1, 1, "imbalance", "rank 1 waits * for rank 0 in MPI_Bcast()", 0},
	{"alltoall", ANY, ANY, ANY, "mpi", NULL, 1},
	{"halo", 4. / 6, 1, 1, "imbalance", "rank 1 waits * for rank 0 in MPI_Waitall()", 1},
	{"persistent", 4. / 6, 1, 1, "imbalance", "rank 1 waits * for rank 0 in MPI_Waitall()", 0},
	{"sampler", .5, 1, 1, "imbalance", NULL, 0},
};

static int has_wait(const json_t *report, const char *waits)
{
	const json_t *const list = json_object_get(json_object_get(report, "ranks"), "waits");
	const char *const gap = strchr(waits, '*');
	const json_t *item;
	size_t i;

	json_array_foreach(list, i, item)
	{
		const char *const text = json_string_value(item);

		if (strncmp(text, waits, (size_t)(gap - waits)) == 0 && strstr(text, gap + 2) &&
			strstr(text, "ranks.c:"))
			return 1;
	}
	return 0;
}

static int is_right(const json_t *report, const struct pattern *p)
{
	const double most = fmax(e2e_component(report, 2, "imbalance"),
		fmax(e2e_component(report, 2, "serial"), e2e_component(report, 2, "mpi")));

	return near(report, "load_balance", p->balance) &&
	       near(report, "serialisation", p->serialisation) &&
	       near(report, "transfer", p->transfer) &&
	       (p->component ? strcmp(largest(report), p->component) == 0 : most < .1);
}

static const char *unlike(
	const json_t *report, const char *with, const struct pattern *p, char text[160])
{
	if (is_right(report, p))
		return NULL;
	e2e_show(report);
	snprintf(text, 160, "%s %s: load balance %.3f, serialisation %.3f, transfer %.3f, most %s",
		with, p->name, ratio(report, "load_balance"), ratio(report, "serialisation"),
		ratio(report, "transfer"), largest(report));
	return text;
}

/* A rank without a CPU in MPI is taken for a message under way. */
static void try_pattern(struct e2e *e, const char *test, const char *with, const struct pattern *p)
{
	struct tries t = {.test = test};
	const json_t *report;
	char text[160];

	while (tries_next(&t)) {
		report = diagnose(e, with, p->name);
		assert_true(
			json_is_true(json_object_get(json_object_get(report, "ranks"), "divided")));
		if (p->waits && !has_wait(report, p->waits)) {
			e2e_show(report);
			fail_msg("%s %s: no '%s'", with, p->name, p->waits);
		}
		tries_tell(&t, unlike(report, with, p, text));
	}
}

static void patterns_are_divided(void **state, const char *test, const char *with, int all)
{
	struct e2e *const e = *state;

	need(e, test, with);
	for (size_t i = 0; i < sizeof patterns / sizeof *patterns; i++)
		if (all || patterns[i].everywhere)
			try_pattern(e, test, with, &patterns[i]);
}

static void ranks_of_open_mpi_are_divided(void **state)
{
	patterns_are_divided(state, __func__, library[0], 1);
}

static void ranks_of_mpich_are_divided(void **state)
{
	patterns_are_divided(state, __func__, library[1], 0);
}

/* Every kind of call that the log knows, in one run each, and nothing is left behind. */
static void calls_of_every_kind_are_logged(void **state)
{
	static const char *const kind[] = {"halves", "hybrid", "window", "file"};
	struct e2e *const e = *state;
	const json_t *report;

	for (size_t l = 0; l < 2; l++) {
		need(e, __func__, library[l]);
		for (size_t i = 0; i < sizeof kind / sizeof *kind; i++) {
			report = diagnose_with(e, library[l], kind[i], "1", "--no-omp-tool");
			assert_true(json_is_true(
				json_object_get(json_object_get(report, "ranks"), "divided")));
			/* judged from MPI_Init to MPI_Finalize, and said */
			assert_true(e2e_component(report, 2, "launch") < 1e-9);
			assert_non_null(
				strstr(json_string_value(json_object_get(
					       json_object_get(report, "regions"), "judged")),
					"MPI_Init to MPI_Finalize"));
		}
		report = diagnose_with(e, library[l], kind[0], "1", "--with-launch");
		assert_true(e2e_component(report, 2, "launch") > 0);
		assert_false(json_is_string(
			json_object_get(json_object_get(report, "regions"), "judged")));
	}
	assert_int_not_equal(access(e2e_path(e, "openmpi-halves.ranks"), F_OK), 0);
}

/* The library's wrapper for Fortran calls MPI; the line is the program's. */
static void calls_of_fortran_have_their_own_line(void **state)
{
	struct e2e *const e = *state;

	for (size_t l = 0; l < 2; l++) {
		char launcher[64], program[64], *page;
		struct e2e_result r;
		size_t size;

		snprintf(launcher, sizeof launcher, "mpirun.%s", library[l]);
		snprintf(program, sizeof program, "fortran_%s", library[l]);
		if (access(e2e_program(e, program), X_OK) != 0)
			e2e_skip(__func__, "no Fortran compiler");
		e2e_need_two_cpus(__func__);
		e2e_run(e, &r, "--ranks", "1,2", "--repeats", "2", "--experiments", "none", "-o",
			"f.json", launcher, "-n", "{ranks}", e2e_program(e, program));
		e2e_expect_status(&r, 0);
		e2e_result_free(&r);
		e2e_run(e, &r, "report", "--long", "f.json");
		e2e_expect_status(&r, 0);
		assert_non_null(strstr(r.out, "for rank 0 in MPI_Allreduce(), "));
		assert_non_null(strstr(r.out, "fortran.f90:17"));
		e2e_result_free(&r);
		/* and the page has the map of its nodes */
		e2e_run(e, &r, "report", "--html", "f.html", "f.json");
		e2e_expect_status(&r, 0);
		e2e_result_free(&r);
		page = e2e_read(e2e_path(e, "f.html"), &size);
		assert_non_null(strstr(page, "<h2 id=\"ranks\">"));
		assert_non_null(strstr(page, "its ranks, darker computes more"));
		free(page);
	}
}

/* Ranks that are not below this scalediag, as those on other nodes and below srun, get an agent: it
 * is told that its parent is elsewhere. */
static void ranks_elsewhere_are_measured_by_agents(void **state)
{
	struct e2e *const e = *state;
	char program[64];

	for (size_t l = 0; l < 2; l++) {
		char launcher[64];
		const json_t *report, *node;
		struct e2e_result r;

		if (E2E_SANITIZED)
			e2e_skip(__func__, "a sanitizer's runtime is to be loaded first of all");
		need(e, __func__, library[l]);
		snprintf(launcher, sizeof launcher, "mpirun.%s", library[l]);
		snprintf(program, sizeof program, "ranks_%s", library[l]);
		e2e_run(e, &r, "--ranks", "1,2", "--repeats", "2", "--experiments", "none",
			"--json", "-o", "far.json", "env", "SCALEDIAG_RANK_PARENT=elsewhere 1",
			launcher, "-n", "{ranks}", e2e_program(e, program), "imbalanced", "10");
		e2e_expect_status(&r, 0);
		report = e2e_report(e, &r);
		e2e_result_free(&r);
		node = json_array_get(
			json_object_get(json_object_get(report, "ranks"), "nodes"), 0);
		assert_int_equal(json_integer_value(json_object_get(node, "agents")), 2);
		assert_true(json_number_value(json_object_get(node, "cpu_s")) > 0);
		assert_true(json_number_value(json_object_get(node, "max_rss_bytes")) > 1e6);
		assert_true(
			json_is_true(json_object_get(json_object_get(report, "ranks"), "divided")));
		assert_int_not_equal(access(e2e_path(e, "far.ranks"), F_OK), 0);
	}
}

/* The agent ends as its program does, and hands on its streams; without a scalediag it measures
 * nothing. */
static void an_agent_is_seen_by_nobody(void **state)
{
	struct e2e *const e = *state;
	struct e2e_result r;

	e2e_run(e, &r, "rank-agent", "--", "sh", "-c", "echo out; exit 7");
	e2e_expect_status(&r, 7);
	assert_string_equal(r.out, "out\n");
	e2e_result_free(&r);
	mkdir(e2e_path(e, "logs"), 0700);
	setenv("SCALEDIAG_MPI_FOLDER", e2e_path(e, "logs"), 1);
	e2e_run(e, &r, "rank-agent", "--", "sh", "-c", "echo out; exit 7");
	unsetenv("SCALEDIAG_MPI_FOLDER");
	e2e_expect_status(&r, 7);
	assert_string_equal(r.out, "out\n");
	e2e_result_free(&r);
	assert_int_not_equal(rmdir(e2e_path(e, "logs")), 0); /* what it measured */
	e2e_run(e, &r, "rank-agent");
	e2e_expect_status(&r, 2);
	e2e_result_free(&r);
}

/* Nothing is divided, and the report says why. */
static void a_program_without_mpi_is_said_to_have_none(void **state)
{
	struct e2e *const e = *state;
	struct e2e_result r;

	need(e, __func__, library[1]);
	e2e_run(e, &r, "--ranks", "1,2", "--repeats", "2", "--experiments", "none", "mpirun.mpich",
		"-n", "{ranks}", e2e_program(e, "scales"), "0.05");
	e2e_expect_status(&r, 0);
	e2e_result_free(&r);
	e2e_run(e, &r, "report", "--long", "scales.scalediag.json");
	e2e_expect_status(&r, 0);
	assert_non_null(strstr(r.out, "MPI calls of the ranks were not logged"));
	e2e_result_free(&r);
}

/* Input of sbatch: the job's size, and this command without --submit, whatever is in its words. */
static void a_job_is_submitted_as_large_as_the_largest_point(void **state)
{
	struct e2e *const e = *state;
	struct e2e_result r;
	char path[8192], *script;
	size_t size;

	e2e_write(e2e_path(e, "sbatch"), "#!/bin/sh\ncat >script\n");
	assert_int_equal(chmod(e2e_path(e, "sbatch"), 0755), 0);
	snprintf(path, sizeof path, "%s:%s", e->folder, getenv("PATH"));
	setenv("PATH", path, 1);
	e2e_run(e, &r, "--submit", "--points", "1x2,4x2@2", "srun", "-n", "{ranks}", "./a 'b'",
		"--submit");
	e2e_expect_status(&r, 0);
	e2e_result_free(&r);
	script = e2e_read(e2e_path(e, "script"), &size);
	assert_non_null(strstr(
		script, "#SBATCH --nodes=2\n#SBATCH --ntasks=4\n#SBATCH --cpus-per-task=2\n"));
	assert_non_null(strstr(script,
		" run '--points' '1x2,4x2@2' 'srun' '-n' '{ranks}' './a '\\''b'\\''' '--submit'\n"));
	free(script);
	e2e_run(e, &r, "--submit", "srun", "./a");
	e2e_expect_status(&r, 2);
	e2e_expect_error(&r, "--ranks or --points");
	e2e_result_free(&r);
}

static void ranks_and_points_are_refused_by_name(void **state)
{
	struct e2e *const e = *state;
	struct e2e_result r;

	e2e_run(e, &r, "--points", "2x2,4x1", "mpirun", "true");
	e2e_expect_status(&r, 2);
	e2e_expect_error(&r, "--points");
	e2e_result_free(&r);
	e2e_run(e, &r, "--ranks", "powers", "mpirun", "true");
	e2e_expect_status(&r, 2);
	e2e_expect_error(&r, "--ranks");
	e2e_result_free(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(ranks_of_open_mpi_are_divided, setup, e2e_teardown),
		cmocka_unit_test_setup_teardown(ranks_of_mpich_are_divided, setup, e2e_teardown),
		cmocka_unit_test_setup_teardown(
			calls_of_every_kind_are_logged, setup, e2e_teardown),
		cmocka_unit_test_setup_teardown(
			calls_of_fortran_have_their_own_line, setup, e2e_teardown),
		cmocka_unit_test_setup_teardown(
			ranks_elsewhere_are_measured_by_agents, setup, e2e_teardown),
		cmocka_unit_test_setup_teardown(an_agent_is_seen_by_nobody, setup, e2e_teardown),
		cmocka_unit_test_setup_teardown(
			a_program_without_mpi_is_said_to_have_none, setup, e2e_teardown),
		cmocka_unit_test_setup_teardown(
			a_job_is_submitted_as_large_as_the_largest_point, setup, e2e_teardown),
		cmocka_unit_test_setup_teardown(
			ranks_and_points_are_refused_by_name, setup, e2e_teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
