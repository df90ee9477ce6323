/*
 * The benchmark's own arithmetic (doses.c): the dose program does as much as its dial says, the
 * same for every number of threads; and what is read of its log and of a report is what stands
 * there.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <ftw.h>
#include <sched.h>
#include <sys/stat.h>

#include "doses/dose_bench.h"
#include "record/core_time.h"

#define SHARE .25

struct place {
	char program[4096], scalediag[4096], folder[64], log[80], errors[80], record[80];
};

static int make_place(void **state)
{
	struct place *const p = calloc(1, sizeof *p);
	const char *const tool = getenv("SCALEDIAG");
	char self[3000] = "", *end;

	if (!p || readlink("/proc/self/exe", self, sizeof self - 1) < 0)
		return -1;
	end = strrchr(self, '/');
	*end = '\0';
	snprintf(p->program, sizeof p->program, "%s/dose", self);
	snprintf(p->scalediag, sizeof p->scalediag, "%s/../../scalediag", self);
	if (tool && !realpath(tool, p->scalediag))
		return -1;
	strcpy(p->folder, "/tmp/doses-XXXXXX");
	if (!mkdtemp(p->folder))
		return -1;
	snprintf(p->log, sizeof p->log, "%s/log", p->folder);
	snprintf(p->errors, sizeof p->errors, "%s/errors", p->folder);
	snprintf(p->record, sizeof p->record, "%s/r.json", p->folder);
	*state = p;
	return setenv("DOSE_LOG", p->log, 1);
}

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	(void)st;
	(void)type;
	(void)ftw;
	return remove(path);
}

static int remove_place(void **state)
{
	struct place *const p = *state;
	const int rc = nftw(p->folder, remove_one, 8, FTW_DEPTH | FTW_PHYS);

	free(p);
	return rc;
}

/* In a process of its own: ranks of the implementation of MPI that there is, or threads. */
static void start_dose(
	const struct place *p, const char *mpi, const char *threads, const char *dose)
{
	char launcher[64], program[4200];

	if (chdir(p->folder) || setenv("OMPI_ALLOW_RUN_AS_ROOT", "1", 1) ||
		setenv("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1", 1) ||
		setenv("OMPI_MCA_rmaps_base_oversubscribe", "1", 1) ||
		setenv("OMP_NUM_THREADS", threads, 1))
		return;
	if (!mpi)
		execl(p->program, p->program, ".05", dose, (char *)NULL);
	snprintf(launcher, sizeof launcher, "mpirun.%s", mpi ? mpi : "");
	snprintf(program, sizeof program, "%.*s/rank_dose_%s",
		(int)(strrchr(p->program, '/') - p->program), p->program, mpi ? mpi : "");
	execlp(launcher, launcher, "-n", threads, program, ".05", dose, (char *)NULL);
}

static struct dose_line run_as_told(
	const struct place *p, const char *mpi, const char *threads, const char *dose)
{
	struct dose_line line[DOSE_RUNS];
	const pid_t child = fork();
	int status;

	assert_true(child >= 0);
	if (child == 0) {
		start_dose(p, mpi, threads, dose);
		_exit(127);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
	assert_int_equal(dose_read_log(p->log, line), 1);
	assert_int_equal(remove(p->log), 0);
	return line[0];
}

static struct dose_line run_dose(const struct place *p, const char *threads, const char *dose)
{
	return run_as_told(p, NULL, threads, dose);
}

/* The program says of itself what its dial asks for. */
static void expect_as_told(
	const struct place *p, const char *mpi, const struct dose_row *row, unsigned n)
{
	const char *const threads = n == 1 ? "1" : "2";
	struct dose_line l;
	char dose[32];

	snprintf(dose, sizeof dose, "%s=%g", row->name, SHARE);
	l = run_as_told(p, mpi, threads, dose);
	assert_int_equal(l.threads, n);
	assert_string_equal(l.cause[0].name, row->name);
	if (fabs(l.cause[0].met - SHARE) > .01)
		fail_msg("%s with %u threads: %g of the work met it", dose, n, l.cause[0].met);
	/* no thread is in its steps for longer than the run takes */
	assert_true(l.cause[0].cost >= 0 && l.cause[0].cost <= n * l.wall);
}

static void as_much_of_the_work_meets_a_cause_as_the_dial_says(void **state)
{
	for (size_t i = 0; i < DOSE_ROWS; i++)
		for (unsigned n = 1; n <= 2 && dose_row[i].start != DOSE_RANKS; n++)
			expect_as_told(*state, NULL, &dose_row[i], n);
}

static void ranks_of(void **state, const char *mpi)
{
	const struct place *const p = *state;
	char program[4200];

	snprintf(program, sizeof program, "%.*s/rank_dose_%s",
		(int)(strrchr(p->program, '/') - p->program), p->program, mpi);
	if (access(program, X_OK)) {
		fprintf(stderr, "SKIP: %s: this implementation of MPI is not installed\n", mpi);
		skip();
	}
	for (size_t i = 0; i < DOSE_ROWS; i++)
		if (dose_row[i].start == DOSE_RANKS)
			expect_as_told(p, mpi, &dose_row[i], 2);
}

static void ranks_of_open_mpi_do_as_their_dial_says(void **state)
{
	ranks_of(state, "openmpi");
}

static void ranks_of_mpich_do_as_their_dial_says(void **state)
{
	ranks_of(state, "mpich");
}

static void a_quota_never_holds_one_thread_back(void **state)
{
	(void)state;
	assert_true(bench_quota(.25, 2) == 1.5 && bench_quota(.5, 8) == 4);
	assert_true(bench_quota(.5, 2) == 1.1 && bench_quota(.9, 2) == 1.1);
}

static void no_wait_is_seen_where_one_thread_is_alone(void **state)
{
	static const char *const dose[] = {"serial=.25", "late=.25"};

	for (size_t i = 0; i < 2; i++)
		assert_true(run_dose(*state, "1", dose[i]).cause[0].cost == 0);
}

static void what_is_no_line_of_a_log_is_refused(void **state)
{
	static const char *const text[] = {"", "2\n", "2 .5 .9 0\n", "2 .5 .9 0 lock\n",
		"2 .5 .9 0 lock .25 .1", "0 .5 .9 0 lock .25 .1\n", "2 0 .9 0 lock .25 .1\n",
		"2 .5 .9 0 lock .25 .1 x\n", "2 .5 .9 lock .25 .1\n"};
	struct dose_line l;

	(void)state;
	for (size_t i = 0; i < sizeof text / sizeof *text; i++)
		assert_int_equal(dose_read(text[i], &l), -1);
	assert_int_equal(dose_read("2 .5 .9 .3 lock .25 .1 serial .5 .2\n", &l), 0);
	assert_true(l.n == 2 && l.ready == .3 && l.cause[1].cost == .2 && l.cause[0].met == .25);
}

static void an_amount_is_cores_and_growth_is_without_what_one_core_takes(void **state)
{
	static const struct dose_line line[] = {
		{.threads = 1, .wall = 1, .n = 1, .cause = {{.cost = .2}}},
		{.threads = 2, .wall = .5, .n = 1, .cause = {{.cost = .3}}},
		{.threads = 2, .wall = .5, .n = 1, .cause = {{.cost = .4}}},
		{.threads = 2, .wall = .5, .n = 1, .cause = {{.cost = .9}}},
	};

	(void)state;
	assert_true(fabs(dose_amount(line, 4, 2, 0, 0) - .8) < 1e-12);
	assert_true(fabs(dose_amount(line, 4, 2, 0, 1) - .4) < 1e-12);
	assert_true(isnan(dose_amount(line, 1, 2, 0, 0)));
	assert_true(isnan(dose_amount(line + 1, 3, 2, 0, 1)));
}

static void a_finding_is_the_one_of_these_with_most_cores(void **state)
{
	json_t *const root = json_loads(
		"{\"points\": [{\"stack\": []}, {\"stack\": ["
		"{\"component\": \"lock\", \"cores\": {\"value\": 0.5}},"
		"{\"component\": \"system\", \"cores\": {\"value\": 0.25}},"
		"{\"component\": \"useful\", \"cores\": {\"value\": 1.25}}]}], \"findings\": ["
		"{\"cause\": \"spinning\", \"cores\": {\"value\": null, \"low\": 0, \"high\": 0.1}},"
		"{\"cause\": \"lock-contention\", \"cores\": {\"value\": 0.5, \"low\": 0.4, \"high\": 0.6}}]}",
		0, NULL);
	const json_t *const f = dose_finding(root, "spinning lock-contention");

	(void)state;
	assert_non_null(root);
	assert_true(dose_components(root, "lock system").value == .75);
	assert_true(dose_components(root, "sys").value == 0);
	assert_true(dose_interval(f, "cores").high == .6);
	assert_int_equal(dose_interval(f, "worth").status, SD_STATUS_ABSENT);
	assert_int_equal(
		dose_interval(dose_finding(root, "spinning"), "cores").status, SD_STATUS_ABSENT);
	assert_null(dose_finding(root, ""));
	json_decref(root);
}

/* Names that the table has and no report do not count as zero cores. */
static void every_component_and_cause_of_the_table_exists(void **state)
{
#define X(id, name, ...) name " "
	static const char components[] = SD_COMPONENTS(X), causes[] = SD_CAUSES(X);
#undef X
	char words[128], *save, *w;

	(void)state;
	for (size_t i = 0; i < 2 * DOSE_ROWS; i++) {
		snprintf(words, sizeof words, "%s",
			i % 2 ? dose_row[i / 2].causes : dose_row[i / 2].components);
		for (w = strtok_r(words, " ", &save); w; w = strtok_r(NULL, " ", &save))
			assert_true(listed(i % 2 ? causes : components, w));
	}
}

/* A diagnosis logs a line a run, and its stack has all cores. */
static void a_report_of_a_dose_is_read(void **state)
{
#define X(id, name, ...) name " "
	static const char components[] = SD_COMPONENTS(X);
#undef X
	const struct place *const p = *state;
	struct dose_line line[DOSE_RUNS];
	struct command c = {0};
	json_t *root;

	cpu_set_t set;

	if (sched_getaffinity(0, sizeof set, &set) == 0 && CPU_COUNT(&set) < 2) {
		fprintf(stderr, "SKIP: %s: this process may use one CPU only\n", __func__);
		skip();
	}
	add(&c, p->scalediag);
	add_words(&c, "--cores 1,2 --repeats 2 --experiments none --json --cwd");
	add(&c, p->folder);
	add(&c, "-o");
	add(&c, p->record);
	add(&c, "--");
	add(&c, p->program);
	add(&c, ".05");
	add(&c, "serial=.5");
	root = run(c.argv, p->errors);
	assert_non_null(root);
	assert_true(fabs(dose_components(root, components).value - 2) < 1e-6);
	assert_true(dose_read_log(p->log, line) >= 4);
	assert_false(isnan(dose_amount(line, 4, 2, 0, 0)));
	json_decref(root);
}

int main(void)
{
#define PLACED(t) cmocka_unit_test_setup_teardown(t, make_place, remove_place)
	const struct CMUnitTest tests[] = {
		PLACED(as_much_of_the_work_meets_a_cause_as_the_dial_says),
		PLACED(ranks_of_open_mpi_do_as_their_dial_says),
		PLACED(ranks_of_mpich_do_as_their_dial_says),
		cmocka_unit_test(a_quota_never_holds_one_thread_back),
		PLACED(no_wait_is_seen_where_one_thread_is_alone),
		cmocka_unit_test(what_is_no_line_of_a_log_is_refused),
		cmocka_unit_test(an_amount_is_cores_and_growth_is_without_what_one_core_takes),
		cmocka_unit_test(a_finding_is_the_one_of_these_with_most_cores),
		cmocka_unit_test(every_component_and_cause_of_the_table_exists),
		PLACED(a_report_of_a_dose_is_read),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
