#include "diagnose/measure/measured_program.h"
#include "plan/planner.h"

/* The record as it is in the file; its number of runs. */
static size_t runs_in_file(const struct fixture *f)
{
	struct sd_record r;
	size_t n;

	assert_int_equal(sd_record_read(f->path, &r, NULL), 0);
	n = r.n_run;
	sd_record_free(&r);
	return n;
}

static void the_plan_is_carried_out_in_its_order(void **state)
{
	struct fixture *f = *state;
	const struct sd_record *r = &f->record;
	size_t at = 1;

	assert_int_equal(measure(f, "echo {n} $OMP_NUM_THREADS >> $LOG"), 0);
	assert_int_equal(f->said.n, 0);
	assert_int_equal(r->complete, 1);
	assert_int_equal(r->n_run, 1 + 3 * POINTS + 1);
	assert_int_equal(runs_in_file(f), r->n_run);
	assert_int_equal(r->run[0].kind, SD_RUN_WARMUP);
	assert_int_equal(r->run[0].point, 0);
	for (unsigned b = 0; b < 3; b++) {
		size_t order[POINTS];

		sd_planner_order(&r->plan, b, order);
		for (size_t i = 0; i < POINTS; i++, at++) {
			assert_int_equal(r->run[at].kind, SD_RUN_BLOCK);
			assert_int_equal(r->run[at].block, b);
			assert_int_equal(r->run[at].point, order[i]);
			assert_true(r->run[at].metric[SD_METRIC_WALL].value > 0);
		}
	}
	assert_int_equal(r->run[at].kind, SD_RUN_DRIFT);
	assert_int_equal(r->run[at].point, 0);
	assert_true(f->shown >= r->n_run);
	{
		char text[512], want[8];
		const char *line = read_file(f->log, text, sizeof text);

		for (size_t i = 0; i < r->n_run; i++, line += 4) {
			snprintf(want, sizeof want, "%u %u\n", (unsigned)r->run[i].point + 1,
				(unsigned)r->run[i].point + 1);
			assert_memory_equal(line, want, 4);
		}
		assert_string_equal(line, "");
	}
}

static void short_runs_are_made_ten_times_at_least(void **state)
{
	struct fixture *f = *state;

	f->record.plan.min_repeats = 0;
	f->record.plan.max_repeats = 12;
	assert_int_equal(measure(f, ":"), 0);
	for (size_t p = 0; p < POINTS; p++) {
		assert_true(count(&f->record, p, SD_RUN_BLOCK) >= 10);
		assert_true(count(&f->record, p, SD_RUN_BLOCK) <= 12);
	}
}

static void a_failure_at_two_cores_keeps_the_runs_at_one(void **state)
{
	struct fixture *f = *state;
	const struct sd_run *last;

	assert_int_equal(measure(f, "echo went wrong >&2; [ {n} = 1 ] || exit 7"), -ECHILD);
	assert_int_equal(f->record.complete, 0);
	assert_int_equal(runs_in_file(f), f->record.n_run);
	last = &f->record.run[f->record.n_run - 1];
	assert_int_equal(last->point, 1);
	assert_int_equal(last->end, SD_END_EXITED);
	assert_int_equal(last->code, 7);
	assert_true(f->record.n_run >= 2);
	assert_int_equal(f->said.n, 1);
	assert_non_null(strstr(f->said.text, "exited with status 7 at 2 cores"));
	assert_non_null(strstr(f->said.text, "t.scalediag.err"));
	assert_non_null(strstr(f->said.text, "went wrong"));
	assert_null(strstr(f->said.text, "without this count")); /* there would be one */
}

/* The message says how, as others are left to compare. */
static void a_failure_at_one_of_three_counts_says_how_to_leave_it_out(void **state)
{
	struct fixture *f = *state;
	struct sd_plan *const plan = &f->record.plan;

	plan->point = realloc(plan->point, 3 * sizeof *plan->point);
	assert_non_null(plan->point);
	plan->point[2] = (struct sd_plan_point){.cores = 4};
	assert_int_equal(sd_cpulist_copy(&plan->point[1].cpus, &plan->point[2].cpus), 0);
	plan->n_point = 3;
	f->measure.progress = NULL;
	assert_int_equal(measure(f, "[ {n} != 2 ] || exit 7"), -ECHILD);
	assert_non_null(strstr(
		f->said.text, "status 7 at 2 cores; without this count: --cores 1,4; it printed"));
}

static void a_status_that_is_no_failure_counts_when_asked(void **state)
{
	struct fixture *f = *state;

	f->options.ignore_failure = 1;
	assert_int_equal(measure(f, "[ {n} = 1 ] || exit 7"), 0);
	assert_int_equal(f->record.complete, 1);
	for (size_t i = 0; i < f->record.n_run; i++) {
		const struct sd_run *const run = &f->record.run[i];

		assert_int_equal(run->code, run->point == 0 ? 0 : 7);
		assert_int_equal(!!(run->flags & SD_RUN_ANY_STATUS), run->point != 0);
		assert_true(sd_run_ended_well(run));
	}
}

static void a_crash_and_a_timeout_are_told(void **state)
{
	struct fixture *f = *state;

	f->options.ignore_failure = 1; /* of a status: these are failures in any case */
	assert_int_equal(measure(f, "kill -SEGV $$"), -ECHILD);
	assert_non_null(strstr(f->said.text, "signal 11 (Segmentation fault) at 1 core;"));
	f->options.timeout_s = 0.1;
	f->said = (struct said){0};
	assert_int_equal(measure(f, "sleep 100"), -ECHILD);
	assert_non_null(strstr(f->said.text, "did not end within 0.1 s"));
	assert_int_equal(f->record.n_run, 2);
}

static void a_rate_is_read_from_the_output(void **state)
{
	struct fixture *f = *state;

	f->options.rate = "([0-9]+) ops";
	f->record.program.rate = strdup(f->options.rate);
	assert_int_equal(measure(f, "echo {n}0 ops"), 0);
	for (size_t i = 0; i < f->record.n_run; i++) {
		const struct sd_run *run = &f->record.run[i];

		assert_true(run->metric[SD_METRIC_RATE].value == 10.0 * (double)(run->point + 1));
	}
}

static void a_missing_rate_is_a_failure(void **state)
{
	struct fixture *f = *state;

	f->options.rate = "([a-z0-9]+) ops";
	assert_int_equal(measure(f, "echo none"), -ECHILD);
	assert_int_equal(f->record.run[0].end, SD_END_RATE_MISSING);
	assert_non_null(strstr(f->said.text, "nothing that --rate"));
	f->said = (struct said){0};
	assert_int_equal(measure(f, "echo many ops"), -ECHILD);
	assert_non_null(strstr(f->said.text, "'many' where"));
	/* a bad expression costs no run */
	f->options.rate = "(";
	assert_int_equal(measure(f, "echo 1 ops"), -EINVAL);
	assert_int_equal(f->record.n_run, 2);
}

static void a_missing_program_costs_nothing(void **state)
{
	struct fixture *f = *state;

	free(f->argv[0]);
	f->argv[0] = strdup("no-such-program-anywhere");
	assert_int_equal(measure(f, ""), -ENOEXEC);
	assert_int_equal(f->said.n, 1);
	assert_int_equal(f->record.n_run, 0);
}

static void a_record_that_cannot_be_written_is_noticed_first(void **state)
{
	struct fixture *f = *state;

	f->measure.record_path = "/no/such/folder/t.json";
	assert_int_equal(measure(f, "echo ran >> $LOG"), -ENOENT);
	assert_int_equal(f->said.n, 1);
	assert_int_equal(access(f->log, F_OK), -1);
}

static void prepare_runs_before_each_run(void **state)
{
	struct fixture *f = *state;

	f->record.plan.min_repeats = f->record.plan.max_repeats = 1;
	f->options.prepare = "sh -c 'printf p{n} >> $LOG'";
	assert_int_equal(measure(f, "printf r{n} >> $LOG"), 0);
	{
		char text[128], want[64] = "";

		for (size_t i = 0; i < 4; i++)
			snprintf(want + strlen(want), 8, "p%ur%u",
				(unsigned)f->record.run[i].point + 1,
				(unsigned)f->record.run[i].point + 1);
		assert_string_equal(read_file(f->log, text, sizeof text), want);
	}
}

static void a_failing_prepare_ends_it(void **state)
{
	struct fixture *f = *state;

	f->options.prepare = "sh -c 'exit 5'";
	assert_int_equal(measure(f, ":"), -ECANCELED);
	assert_non_null(strstr(f->said.text, "--prepare sh ended with status 5 before 1 core"));
	assert_non_null(strstr(f->said.text, "it printed nothing"));
	assert_int_equal(f->said.n, 1);
	f->options.prepare = "sh -c 'echo ready; echo no disk >&2; exit 5'";
	assert_int_equal(measure(f, ":"), -ECANCELED);
	assert_non_null(strstr(f->said.text, "t.scalediag.prepare.out, errors: "));
	assert_non_null(strstr(f->said.text, "t.scalediag.prepare.err (last line: no disk)"));
	f->options.prepare = "no-such-program-anywhere";
	assert_int_equal(measure(f, ":"), -ECANCELED);
	f->options.prepare = "a | b";
	assert_int_equal(measure(f, ":"), -EINVAL);
	assert_int_equal(f->record.n_run, 0);
}

static char *glance(void *ctx, const struct sd_record *record)
{
	struct fixture *const f = ctx;

	if (!f->glances++)
		f->runs_at_glance = record->n_run;
	return strdup("a suspect\n");
}

/* Three passes become one when the warm-up has told how long a run takes. */
static int take_turns(void *ctx, struct sd_record *r)
{
	struct fixture *const f = ctx;

	f->glances++;
	assert_int_equal(r->n_run, 1);
	assert_int_equal(r->run[0].kind, SD_RUN_WARMUP);
	r->plan.n_pass = 1;
	return 0;
}

static void passes_may_take_turns_once_the_warm_up_is_over(void **state)
{
	struct fixture *f = *state;
	struct sd_record there;

	f->record.plan.pass = calloc(3, sizeof *f->record.plan.pass);
	f->record.plan.n_pass = 3;
	for (size_t i = 0; i < 3; i++) {
		f->record.plan.pass[i].role = calloc(1, sizeof(enum sd_role));
		f->record.plan.pass[i].n_role = 1;
	}
	f->measure.first = (struct sd_pass_list){.pass = {2}, .n = 1};
	f->measure.warmed = take_turns;
	f->measure.warmed_ctx = f;
	assert_int_equal(measure(f, ":"), 0);
	assert_int_equal(f->glances, 1);
	for (size_t i = 1; i < f->record.n_run; i++)
		assert_int_equal(f->record.run[i].pass, 0);
	assert_int_equal(sd_record_read(f->path, &there, NULL), 0);
	assert_int_equal(there.plan.n_pass, 1);
	sd_record_free(&there);
	for (size_t i = 1; i < 3; i++) /* the record owns the first alone by now */
		free(f->record.plan.pass[i].role);
}

/* A probe that tells which pass it was asked to count. */
static unsigned asked_pass;

static int open_pass(void **state, const struct sd_probe_target *target)
{
	*state = NULL;
	asked_pass = target->pass;
	return 0;
}

static void start_pass(void *state)
{
	(void)state;
}

static void stop_pass(void *state, struct sd_run *run)
{
	(void)state;
	run->pass = asked_pass;
}

/* The run's pass reaches the counters: a record of several passes has runs of each. */
static void each_run_counts_the_pass_that_was_chosen_for_it(void **state)
{
	static const struct sd_probe probe = {.name = "pass",
		.open = open_pass,
		.start = start_pass,
		.stop = stop_pass,
		.close = start_pass};
	static const struct sd_probe *const probes[] = {&probe, NULL};
	struct fixture *f = *state;
	unsigned seen[POINTS][3] = {{0}};

	f->record.plan.pass = calloc(3, sizeof *f->record.plan.pass);
	assert_non_null(f->record.plan.pass);
	f->record.plan.n_pass = 3;
	for (size_t i = 0; i < 3; i++) {
		f->record.plan.pass[i].role = calloc(1, sizeof(enum sd_role));
		f->record.plan.pass[i].n_role = 1;
	}
	f->measure.probes = probes;
	f->measure.first = (struct sd_pass_list){.pass = {2}, .n = 1};
	assert_int_equal(measure(f, ":"), 0);
	for (size_t i = 0; i < f->record.n_run; i++)
		if (f->record.run[i].kind == SD_RUN_BLOCK)
			seen[f->record.run[i].point][f->record.run[i].pass]++;
	for (size_t p = 0; p < POINTS; p++) {
		assert_int_equal(seen[p][2], 2);
		assert_int_equal(seen[p][0], 1);
	}
}

/* As soon as every count has a run, and not after each of them; what is left is known from the
 * first run that ended on. */
static void after_the_first_block_a_suspect_is_shown(void **state)
{
	struct fixture *f = *state;

	f->measure.glance = glance;
	f->measure.glance_ctx = f;
	assert_int_equal(measure(f, ":"), 0);
	assert_int_equal(f->runs_at_glance, 1 + POINTS);
	assert_true(f->glances >= 1 && f->glances <= 3);
	assert_non_null(f->glance);
	assert_int_equal(f->guessed, 0);
	assert_true(f->known > 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define T(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
		T(the_plan_is_carried_out_in_its_order),
		T(short_runs_are_made_ten_times_at_least),
		T(a_failure_at_two_cores_keeps_the_runs_at_one),
		T(a_failure_at_one_of_three_counts_says_how_to_leave_it_out),
		T(a_status_that_is_no_failure_counts_when_asked),
		T(a_crash_and_a_timeout_are_told),
		T(a_rate_is_read_from_the_output),
		T(a_missing_rate_is_a_failure),
		T(a_missing_program_costs_nothing),
		T(a_record_that_cannot_be_written_is_noticed_first),
		T(after_the_first_block_a_suspect_is_shown),
		T(passes_may_take_turns_once_the_warm_up_is_over),
		T(each_run_counts_the_pass_that_was_chosen_for_it),
		T(prepare_runs_before_each_run),
		T(a_failing_prepare_ends_it),
#undef T
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
