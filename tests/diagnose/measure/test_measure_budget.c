/*
 * A budget, a stop and a change of the machine's state act on the runs of a plan.
 */
#include "diagnose/measure/measured_program.h"
#include "plan/planner.h"
#include "plan/schedule.h"

static void stopping_keeps_what_is_finished_and_resuming_goes_on(void **state)
{
	struct fixture *f = *state;
	struct sd_record before;
	unsigned blocks = 0;

	f->stop_after = 4;
	assert_int_equal(measure(f, ":"), -EINTR);
	assert_int_equal(f->record.complete, 0);
	assert_int_equal(f->record.n_run, 4);
	assert_int_equal(f->said.n, 0);
	/* as --resume does */
	assert_int_equal(sd_record_read(f->path, &before, NULL), 0);
	sd_record_free(&f->record);
	f->record = before;
	f->stop = 0;
	f->stop_after = 0;
	assert_int_equal(measure(f, ":"), 0);
	assert_int_equal(f->record.complete, 1);
	for (size_t p = 0; p < POINTS; p++)
		assert_int_equal(count(&f->record, p, SD_RUN_BLOCK), 3);
	/* no block twice: of each there is one run a point */
	for (size_t i = 0; i < f->record.n_run; i++)
		if (f->record.run[i].kind == SD_RUN_BLOCK)
			blocks += 1u << (f->record.run[i].block * POINTS + f->record.run[i].point);
	assert_int_equal(blocks, (1u << 3 * POINTS) - 1);
	/* what is complete stays as it is */
	{
		const size_t n = f->record.n_run;

		assert_int_equal(measure(f, "exit 1"), 0);
		assert_int_equal(f->record.n_run, n);
	}
}

static void a_budget_ends_it_but_each_point_has_a_run(void **state)
{
	struct fixture *f = *state;

	f->record.plan.min_repeats = f->record.plan.max_repeats = 1000;
	f->record.plan.budget_s = 1;
	assert_int_equal(measure(f, "sleep 0.05"), 0);
	assert_int_equal(f->record.complete, 1);
	assert_true(count(&f->record, 0, SD_RUN_BLOCK) >= 1);
	assert_true(count(&f->record, 1, SD_RUN_BLOCK) >= 1);
	assert_true(f->record.n_run <= 20);
	sd_record_free(&f->record);
	teardown(state);
	setup(state);
	f = *state;
	f->record.plan.budget_s = 0.001;
	assert_int_equal(measure(f, "sleep 0.01"), 0);
	assert_int_equal(count(&f->record, 0, SD_RUN_BLOCK), 1);
	assert_int_equal(count(&f->record, 1, SD_RUN_BLOCK), 1);
	assert_int_equal(count(&f->record, 0, SD_RUN_DRIFT), 0);
}

/* When no more runs but an experiment is asked for, and that there is none to do. */
static int no_more(void *ctx, const struct sd_record *record, struct sd_step *step)
{
	(void)record;
	*step = (struct sd_step){.kind = SD_STEP_RUNS, .experiment = SD_STEP_NONE};
	clock_gettime(CLOCK_MONOTONIC, ctx);
	return 0;
}

static double since(const struct timespec *begin, const struct timespec *end)
{
	return (double)(end->tv_sec - begin->tv_sec) +
	       1e-9 * (double)(end->tv_nsec - begin->tv_nsec);
}

static void more_exact_runs_leave_experiments_their_part_of_the_budget(void **state)
{
	static const struct sd_experiments no_experiments;
	struct fixture *f = *state;
	struct sd_plan *plan = &f->record.plan;
	struct timespec begin, asked = {0};

	plan->min_repeats = 0;
	plan->max_repeats = 1000;
	plan->budget_s = 10;
	plan->n_experiment = 1;
	plan->experiment = calloc(1, sizeof *plan->experiment);
	f->measure.choose = no_more;
	f->measure.choose_ctx = &asked;
	f->measure.experiments = &no_experiments;
	clock_gettime(CLOCK_MONOTONIC, &begin);
	/* times that are never known to 2 % */
	assert_int_equal(measure(f, "sleep 0.0$(($$ % 9))"), 0);
	assert_true(asked.tv_sec > 0);
	/* the least runs are made all the same, while the whole budget lasts: on a slow machine it
	 * ends before them; of long runs they are fewer */
	if (count(&f->record, 1, SD_RUN_BLOCK) > sd_schedule_least(&f->record, 1))
		assert_true(since(&begin, &asked) < 0.75 * plan->budget_s);
	else if (count(&f->record, 1, SD_RUN_BLOCK) < sd_schedule_least(&f->record, 1))
		assert_true(since(&begin, &asked) > 0.75 * plan->budget_s);
}

/* The answer is known from the first time on that anybody asks. */
static int no_more_is_needed(void *ctx, const struct sd_record *record, struct sd_step *step)
{
	unsigned *const first = ctx;

	if (!*first)
		for (size_t p = 0; p < POINTS; p++)
			assert_int_equal(count(record, p, SD_RUN_BLOCK), 2);
	++*first;
	*step = (struct sd_step){.kind = SD_STEP_END, .experiment = SD_STEP_NONE};
	return 0;
}

/* Times that are never known to 2 %: what is not needed for the answer is not made. */
static void an_answer_that_is_known_gets_the_least_runs_and_no_more(void **state)
{
	struct fixture *f = *state;
	unsigned asked = 0;

	f->record.plan.min_repeats = 0;
	f->record.plan.max_repeats = 60;
	f->measure.choose = no_more_is_needed;
	f->measure.choose_ctx = &asked;
	assert_int_equal(measure(f, "sleep 0.0$(($$ % 9))"), 0);
	assert_true(asked > 1);
	/* ten; of long runs, as they are on a slow machine, fewer, or the five of a clear loss */
	for (size_t p = 0; p < POINTS; p++)
		assert_in_range(count(&f->record, p, SD_RUN_BLOCK),
			sd_schedule_wall(&f->record, p) < .2 ? sd_schedule_least(&f->record, p) : 5,
			10);
	assert_int_equal(count(&f->record, 0, SD_RUN_DRIFT), 1);
}

static int no_run_is_due(void *ctx, const struct sd_record *record, struct sd_step *step)
{
	(void)ctx;
	(void)record;
	*step = (struct sd_step){.kind = SD_STEP_ENOUGH, .experiment = SD_STEP_NONE};
	return 0;
}

/* Nor when such a record, finished, is resumed. */
static void an_answer_that_no_run_would_change_gets_none_of_those_due(void **state)
{
	struct fixture *f = *state;
	size_t runs;

	f->record.plan.min_repeats = 0;
	f->record.plan.max_repeats = 60;
	f->measure.choose = no_run_is_due;
	assert_int_equal(measure(f, ":"), 0);
	for (size_t p = 0; p < POINTS; p++)
		assert_int_equal(count(&f->record, p, SD_RUN_BLOCK), 2);
	assert_int_equal(count(&f->record, 0, SD_RUN_DRIFT), 1);
	runs = f->record.n_run;
	assert_int_equal(sd_measure(&f->measure, &f->record, &f->sink), 0);
	assert_int_equal(f->record.n_run, runs);
}

static void a_run_across_a_change_of_state_is_kept_and_marked(void **state)
{
	/* warm-up; a change in the first run, seen twice behind it; steady from then on */
	static const double line[] = {1e-7, 1e-7, 3e-7, 3e-7};
	struct fixture *f = *state;
	char text[128];

	fake_line = line;
	fake_lines = sizeof line / sizeof *line;
	f->record.plan.min_repeats = f->record.plan.max_repeats = 1;
	assert_int_equal(measure(f, "echo ran >> $LOG"), 0);
	assert_int_equal(f->record.n_run, 4);
	assert_int_equal(f->record.run[1].flags & SD_RUN_MIXED, SD_RUN_MIXED);
	assert_true(f->record.run[1].metric[SD_METRIC_LINE_BEFORE].value == 1e-7);
	assert_int_equal(f->record.run[2].flags & SD_RUN_MIXED, 0);
	/* and costs no other */
	assert_int_equal(strlen(read_file(f->log, text, sizeof text)), 4 * 4);
}

static void a_disturbed_look_at_the_state_costs_no_run(void **state)
{
	static const double line[] = {1, 1, 3, 1};
	struct fixture *f = *state;

	fake_line = line;
	fake_lines = sizeof line / sizeof *line;
	f->record.plan.min_repeats = f->record.plan.max_repeats = 1;
	assert_int_equal(measure(f, ":"), 0);
	assert_int_equal(f->record.run[1].flags & SD_RUN_MIXED, 0);
	assert_true(f->record.run[1].metric[SD_METRIC_LINE_AFTER].value == 1);
}

/* The state seen after a run is the state before the next one. */
static void the_state_is_looked_at_once_a_run(void **state)
{
	static const double line[] = {1};
	struct fixture *f = *state;

	fake_line = line;
	fake_lines = 1;
	f->record.plan.min_repeats = f->record.plan.max_repeats = 3;
	assert_int_equal(measure(f, ":"), 0);
	assert_true(f->record.n_run > 3);
	assert_true(fake_line_calls > f->record.n_run);
	assert_true(fake_line_calls < 2 * f->record.n_run);
}

/* One more run of each count after a rest, then nothing. */
struct resting {
	struct sd_rest rest;
	unsigned asked;
};

static int rest_once(void *ctx, const struct sd_record *record, struct sd_step *step)
{
	struct resting *const r = ctx;

	(void)record;
	*step = (struct sd_step){.kind = r->asked++ ? SD_STEP_ENOUGH : SD_STEP_RUNS,
		.experiment = SD_STEP_NONE,
		.expects = {.narrows = .1, .takes = 1, .of = SD_CAUSE_COUNT},
		.rest = r->rest};
	return 0;
}

static const struct sd_run *rested_run(const struct sd_record *r)
{
	for (size_t i = 0; i < r->n_run; i++)
		if (r->run[i].choice)
			return &r->run[i];
	fail_msg("no run was chosen");
	return NULL;
}

/* The machine is far until the twelfth look, six of which are those around the first runs. */
static void a_rest_ends_with_the_state_that_is_not_compared(void **state)
{
	static const double line[] = {
		3e-7, 3e-7, 3e-7, 3e-7, 3e-7, 3e-7, 3e-7, 3e-7, 3e-7, 3e-7, 3e-7, 3e-7, 1e-7};
	struct resting resting = {.rest = {.seconds = 60, .split = 2e-7}};
	struct fixture *f = *state;
	const struct sd_run *run;

	fake_line = line;
	fake_lines = sizeof line / sizeof *line;
	f->record.plan.min_repeats = 0;
	f->record.plan.max_repeats = 60;
	f->measure.choose = rest_once;
	f->measure.choose_ctx = &resting;
	assert_int_equal(measure(f, ":"), 0);
	run = rested_run(&f->record);
	assert_true(run->choice->rested > 0 && run->choice->rested < 60);
	assert_true(run->metric[SD_METRIC_LINE_BEFORE].value == 1e-7);
}

/* And where that does not end, after twice the time that it takes on average. */
static void a_rest_does_not_last_for_ever(void **state)
{
	static const double line[] = {3e-7};
	struct resting resting = {.rest = {.seconds = .15, .split = 2e-7}};
	struct fixture *f = *state;

	fake_line = line;
	fake_lines = 1;
	f->record.plan.min_repeats = 0;
	f->record.plan.max_repeats = 60;
	f->measure.choose = rest_once;
	f->measure.choose_ctx = &resting;
	assert_int_equal(measure(f, ":"), 0);
	assert_true(rested_run(&f->record)->choice->rested >= 2 * .15);
	assert_int_equal(count(&f->record, 1, SD_RUN_BLOCK), 3);
}

/* A burst that this machine cannot make is no end: what else there is to do is done. */
static int burst_and_runs(void *ctx, const struct sd_record *record, struct sd_step *step)
{
	unsigned *const asked = ctx;

	(void)record;
	*step = (struct sd_step){
		.kind = (*asked)++ ? SD_STEP_ENOUGH : SD_STEP_BURST, .experiment = SD_STEP_NONE};
	return 0;
}

static void a_burst_that_cannot_be_made_is_no_end(void **state)
{
	struct fixture *f = *state;
	unsigned asked = 0;

	f->record.plan.min_repeats = 0;
	f->record.plan.max_repeats = 60;
	f->measure.choose = burst_and_runs;
	f->measure.choose_ctx = &asked;
	assert_int_equal(measure(f, ":"), 0);
	assert_true(asked > 1);
	assert_int_equal(count(&f->record, 1, SD_RUN_BLOCK), 3);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define T(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
		T(stopping_keeps_what_is_finished_and_resuming_goes_on),
		T(a_budget_ends_it_but_each_point_has_a_run),
		T(more_exact_runs_leave_experiments_their_part_of_the_budget),
		T(an_answer_that_is_known_gets_the_least_runs_and_no_more),
		T(an_answer_that_no_run_would_change_gets_none_of_those_due),
		T(a_run_across_a_change_of_state_is_kept_and_marked),
		T(a_disturbed_look_at_the_state_costs_no_run),
		T(the_state_is_looked_at_once_a_run),
		T(a_rest_ends_with_the_state_that_is_not_compared),
		T(a_rest_does_not_last_for_ever),
		T(a_burst_that_cannot_be_made_is_no_end),
#undef T
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
