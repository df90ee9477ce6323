/*
 * When to look closer, and when to wait until the machine is in the compared state again.
 */
#include "diagnose/analyse/experiments/experiment_pairs.h"
#include "support/near.h"

#define NEAR 55e-9
#define FAR 250e-9

/* Runs one after the other, `gap` s apart, whose line takes so long before and after. */
static void take(
	struct sd_record *r, double *now, size_t point, double wall, double line, double gap)
{
	const struct sample s = {.wall = wall, .user = wall * (point ? 1.6 : 1)};
	struct sd_run *const run = record_sample(r, point, &s, 1);

	run->start = *now;
	run->metric[SD_METRIC_LINE_BEFORE] = run->metric[SD_METRIC_LINE_AFTER] = SD_OK(line);
	*now += wall + gap;
}

static void block(struct sd_record *r, double *now, double line, double gap)
{
	const size_t n = r->n_run / 2;

	take(r, now, 0, .78 + .01 * (double)(n % 5), line, gap);
	take(r, now, 1, (line == FAR ? 2 : .48) + .01 * (double)(3 * n % 5), line, gap);
}

/* Near fourteen times at an efficiency of .8, far so often, near once, and then what is on now. */
static struct sd_rest rest_after(unsigned far, double gap, double last)
{
	double now = 1000;
	struct sd_rest rest;
	struct sd_analysis a;
	struct sd_record r;

	record_make(&r, counts, 2);
	r.plan.budget_s = 1000;
	for (int i = 0; i < 14; i++)
		block(&r, &now, NEAR, .1);
	for (unsigned i = 0; i < far; i++)
		block(&r, &now, FAR, gap);
	block(&r, &now, NEAR, .1);
	block(&r, &now, last, .1);
	assert_int_equal(sd_analyse(&r, NULL, NULL, &a), 0);
	assert_int_equal(a.states, 2);
	assert_int_equal(a.runs_wanted, SD_RUNS_FIRST);
	rest = a.rest;
	sd_analysis_free(&a);
	sd_record_free(&r);
	return rest;
}

static void a_rest_is_shorter_than_as_many_runs_in_the_other_state(void **state)
{
	struct sd_rest rest;

	(void)state;
	rest = rest_after(2, .1, FAR);
	assert_false(rest.far);
	assert_true(rest.split > NEAR && rest.split < FAR);
	/* far for two blocks of 2.8 s, with pauses, and for another one so far, and it ended once
	 */
	assert_true(rest.seconds > 8.4 && rest.seconds < 10);
	/* nothing to wait for */
	assert_true(rest_after(2, .1, NEAR).seconds == 0);
	/* it was never seen to end */
	assert_true(rest_after(0, .1, FAR).seconds == 0);
	/* it lasts longer than the runs */
	assert_true(rest_after(2, 15, FAR).seconds == 0);
}

/* A line that several threads read, in the runs of two cores that were made until now. */
static void put_line(struct sd_run *run, const struct sd_native_line *line)
{
	struct sd_native_lines *const lines = make_zeroed(1, sizeof *lines);

	lines->line = make_zeroed(1, sizeof *lines->line);
	lines->n_line = 1;
	lines->seconds = 1;
	lines->samples = 100;
	lines->line[0] = *line;
	run->native = lines;
}

static struct sd_run_choice wanted(
	size_t runs, const struct sd_native_line *line, size_t memory, int *burst)
{
	struct sd_run_choice is;
	struct sd_analysis a;
	struct sd_record r;

	record_make(&r, counts, 2);
	record_samples(&r, 0, &one, runs, .001, 1);
	record_samples(&r, 1, &slow, runs, .001, 2);
	put_line(&r.run[r.n_run - 1], line);
	if (memory) {
		struct sd_run *const run = record_sample(&r, 1, &slow, 1);

		run->kind = SD_RUN_MEMORY;
		run->memory = make_zeroed(1, sizeof *run->memory);
	}
	assert_int_equal(sd_analyse(&r, NULL, NULL, &a), 0);
	is = a.runs_wanted == SD_RUNS_FIRST ? a.runs_are : (struct sd_run_choice){.narrows = 0};
	*burst = a.burst_is.narrows > 0;
	sd_analysis_free(&a);
	sd_record_free(&r);
	return is;
}

static const struct sd_native_line read_by_all = {.read = .5},
				   was_watched = {.read = .5, .watched_s = .05};

static void a_line_whose_writer_nobody_saw_is_watched_in_a_run_more(void **state)
{
	/* 60 of 100 samples a second write it: as many as its probe leaves alone, and no fewer */
	const struct sd_native_line known = {.contested = .54,
					    .maybe = .055,
					    .writes = SD_OK(60 / slow.wall)},
				    open = {.contested = .53,
					    .maybe = .065,
					    .writes = SD_OK(60 / slow.wall)};
	struct sd_run_choice is;
	int burst;

	(void)state;
	is = wanted(3, &read_by_all, 0, &burst);
	assert_int_equal(is.look, SD_LOOK_WATCH);
	assert_true(is.narrows > 0);
	assert_near(is.takes, slow.wall, .05); /* of the largest count alone */
	assert_true(is.of == SD_CAUSE_FALSE_SHARING || is.of == SD_CAUSE_TRUE_SHARING);
	/* once, and not for ever */
	assert_int_equal(wanted(3, &was_watched, 0, &burst).look, SD_LOOK_TIMES);
	assert_int_equal(wanted(5, &read_by_all, 0, &burst).look, SD_LOOK_TIMES);
	assert_int_equal(wanted(3, &open, 0, &burst).look, SD_LOOK_WATCH);
	assert_int_equal(wanted(3, &known, 0, &burst).look, SD_LOOK_TIMES);
}

static void loads_and_stores_are_sampled_once(void **state)
{
	int burst;

	(void)state;
	(void)wanted(3, &was_watched, 0, &burst);
	assert_true(burst);
	(void)wanted(3, &was_watched, 1, &burst);
	assert_false(burst);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_rest_is_shorter_than_as_many_runs_in_the_other_state),
		cmocka_unit_test(a_line_whose_writer_nobody_saw_is_watched_in_a_run_more),
		cmocka_unit_test(loads_and_stores_are_sampled_once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
