#include "support/measure_fakes.h"

#include <signal.h>

#include "support/make_record.h"
#include "experiment/experiments.h"
#include "measure/measure.h"
#include "plan/planner.h"
#include "record/record_file.h"

#define POINTS 2

/* A plan of 1 and 2 cores on the CPUs of this process, and a shell script as the program. */
struct fixture {
	char folder[256], path[300], log[300];
	struct said said;
	struct sd_sink sink;
	struct sd_options options;
	struct sd_measure measure;
	struct sd_record record;
	char *argv[4], *env[1], *variable;
	volatile sig_atomic_t stop;
	unsigned shown;
	double left;
	size_t stop_after; /* runs; 0 = never */
};

static void on_progress(void *ctx, const struct sd_progress *p)
{
	struct fixture *f = ctx;

	f->shown++;
	f->left = p->left_s;
	assert_true(p->planned >= p->done);
	assert_true(p->cores == 1 || p->cores == 2);
	assert_non_null(p->why);
	if (f->stop_after && p->done >= f->stop_after)
		f->stop = 1;
}

static int setup(void **state)
{
	static const unsigned cores[POINTS] = {1, 2};
	struct fixture *f = calloc(1, sizeof *f);
	cpu_set_t set;
	unsigned n = 0;

	assert_non_null(f);
	make_folder(f->folder, sizeof f->folder);
	snprintf(f->path, sizeof f->path, "%s/t.scalediag.json", f->folder);
	snprintf(f->log, sizeof f->log, "%s/log", f->folder);
	assert_true(asprintf(&f->variable, "LOG=%s", f->log) > 0);
	f->env[0] = f->variable;
	make_record(&f->record, cores, POINTS);
	sched_getaffinity(0, sizeof set, &set);
	for (size_t p = 0; p < POINTS; p++)
		sd_cpulist_free(&f->record.plan.point[p].cpus);
	for (unsigned c = 0; c < CPU_SETSIZE && n < POINTS; c++)
		if (CPU_ISSET(c, &set)) {
			n++;
			for (size_t p = n - 1; p < POINTS; p++)
				sd_cpulist_add(&f->record.plan.point[p].cpus, c);
		}
	f->record.complete = 0;
	f->record.plan.min_repeats = f->record.plan.max_repeats = 3;
	f->record.plan.seed = 42;
	f->sink = (struct sd_sink){.emit = hear_said, .ctx = &f->said};
	f->argv[0] = strdup("sh");
	f->argv[1] = strdup("-c");
	f->options = (struct sd_options){.argv = f->argv, .argc = 3, .env = f->env, .n_env = 1};
	f->measure = (struct sd_measure){.options = &f->options,
		.record_path = f->path,
		.stop = &f->stop,
		.progress = on_progress,
		.progress_ctx = f};
	fake_lines = fake_line_calls = 0;
	*state = f;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *f = *state;

	assert_no_children();
	sd_record_free(&f->record);
	remove_folder(f->folder);
	for (int i = 0; i < 3; i++)
		free(f->argv[i]);
	free(f->variable);
	free(f);
	return 0;
}

static int measure(struct fixture *f, const char *script)
{
	free(f->argv[2]);
	f->argv[2] = strdup(script);
	return sd_measure(&f->measure, &f->record, &f->sink);
}

static unsigned count(const struct sd_record *r, size_t point, enum sd_run_kind kind)
{
	unsigned n = 0;

	for (size_t i = 0; i < r->n_run; i++)
		n += r->run[i].point == point && r->run[i].kind == kind;
	return n;
}

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
}

static void a_crash_and_a_timeout_are_told(void **state)
{
	struct fixture *f = *state;

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

/* When experiments are asked for, and that there is none to do. */
static int no_more(void *ctx, const struct sd_record *record, size_t *index)
{
	(void)record;
	(void)index;
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
	 * ends before them */
	if (count(&f->record, 1, SD_RUN_BLOCK) > 10)
		assert_true(since(&begin, &asked) < 0.75 * plan->budget_s);
	else if (count(&f->record, 1, SD_RUN_BLOCK) < 10)
		assert_true(since(&begin, &asked) > 0.75 * plan->budget_s);
}

static void a_run_across_a_change_of_state_is_repeated(void **state)
{
	/* warm-up; a change in the first run, which is then repeated; steady from then on */
	static const double line[] = {1e-7, 1e-7, 1e-7, 3e-7, 3e-7};
	struct fixture *f = *state;

	fake_line = line;
	fake_lines = sizeof line / sizeof *line;
	f->record.plan.min_repeats = f->record.plan.max_repeats = 1;
	assert_int_equal(measure(f, "echo ran >> $LOG"), 0);
	assert_int_equal(f->record.n_run, 4);
	assert_int_equal(f->record.run[1].repeats, 1);
	assert_int_equal(f->record.run[1].flags & SD_RUN_MIXED, 0);
	assert_true(f->record.run[1].metric[SD_METRIC_LINE_BEFORE].value == 3e-7);
	assert_int_equal(f->record.run[2].repeats, 0);
	{
		char text[128];

		assert_int_equal(strlen(read_file(f->log, text, sizeof text)), 5 * 4);
	}
}

static void a_run_that_stays_mixed_is_kept_and_marked(void **state)
{
	/* warm-up; three tries with a second look each; steady from then on */
	static const double line[] = {1, 1, 1, 3, 3, 1, 3, 3, 1, 3, 3, 1};
	struct fixture *f = *state;

	fake_line = line;
	fake_lines = sizeof line / sizeof *line;
	f->record.plan.min_repeats = f->record.plan.max_repeats = 1;
	assert_int_equal(measure(f, ":"), 0);
	assert_int_equal(f->record.run[1].repeats, 2);
	assert_int_equal(f->record.run[1].flags & SD_RUN_MIXED, SD_RUN_MIXED);
	assert_int_equal(f->record.run[2].flags & SD_RUN_MIXED, 0);
}

static void a_disturbed_look_at_the_state_costs_no_run(void **state)
{
	static const double line[] = {1, 1, 1, 3, 1};
	struct fixture *f = *state;

	fake_line = line;
	fake_lines = sizeof line / sizeof *line;
	f->record.plan.min_repeats = f->record.plan.max_repeats = 1;
	assert_int_equal(measure(f, ":"), 0);
	assert_int_equal(f->record.run[1].repeats, 0);
	assert_int_equal(f->record.run[1].flags & SD_RUN_MIXED, 0);
	assert_true(f->record.run[1].metric[SD_METRIC_LINE_AFTER].value == 1);
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
	assert_non_null(strstr(f->said.text, "t.scalediag.prepare.err"));
	assert_int_equal(f->said.n, 1);
	f->options.prepare = "no-such-program-anywhere";
	assert_int_equal(measure(f, ":"), -ECANCELED);
	f->options.prepare = "a | b";
	assert_int_equal(measure(f, ":"), -EINVAL);
	assert_int_equal(f->record.n_run, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define T(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
		T(the_plan_is_carried_out_in_its_order),
		T(short_runs_are_made_ten_times_at_least),
		T(a_failure_at_two_cores_keeps_the_runs_at_one),
		T(a_crash_and_a_timeout_are_told),
		T(a_rate_is_read_from_the_output),
		T(a_missing_rate_is_a_failure),
		T(a_missing_program_costs_nothing),
		T(a_record_that_cannot_be_written_is_noticed_first),
		T(stopping_keeps_what_is_finished_and_resuming_goes_on),
		T(a_budget_ends_it_but_each_point_has_a_run),
		T(more_exact_runs_leave_experiments_their_part_of_the_budget),
		T(a_run_across_a_change_of_state_is_repeated),
		T(a_run_that_stays_mixed_is_kept_and_marked),
		T(a_disturbed_look_at_the_state_costs_no_run),
		T(prepare_runs_before_each_run),
		T(a_failing_prepare_ends_it),
#undef T
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
