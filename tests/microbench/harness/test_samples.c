#include <stdio.h>
#include <errno.h>
#include <math.h>
#include <string.h>

#include "microbench/harness/sample_script.h"
#include "harness/core_sets.h"
#include "support/others.h"
#include "harness/state_split.h"

/* Yields the script's values one after another; negative ones are -errno. */
struct script {
	const double *value;
	const double *delay;
	size_t n, at;
	const double *width; /* or NULL */
};

static int play(void *ctx, struct sd_sample *s)
{
	struct script *p = ctx;
	const size_t i = p->at < p->n ? p->at : p->n - 1;

	p->at++;
	if (p->value[i] < 0)
		return (int)p->value[i];
	s->value[0] = p->value[i];
	s->delay = p->delay ? p->delay[i] : 0;
	s->width = p->width ? p->width[i] : 0;
	return 0;
}

static struct sd_bench_row run(struct script *script, unsigned wanted, int expected)
{
	const struct sd_kernel_env env = {.topology = &one};
	const struct sd_sample_plan plan = {.env = &env, .wanted = wanted};
	const struct sd_bench_row like = {.kernel = "test", .unit = "ns", .cores = 1};
	struct others since = others_now();
	struct sd_bench_rows rows = {0};
	struct sd_bench_row row;
	struct sd_samples s;
	int tries = 0;

	do {
		script->at = 0;
		assert_int_equal(sd_samples_take(&s, &plan, play, script), expected);
		assert_int_equal(sd_samples_rows(&s, 0, &like, &rows), 0);
		assert_int_equal(rows.n, 1);
		row = rows.row[0];
		sd_samples_free(&s);
		sd_bench_rows_free(&rows);
	} while (others_stole(&since, &tries));
	return row;
}

static void quartiles_interpolate(void **state)
{
	const double four[] = {4, 1, 3, 2}, nine = 9;
	struct sd_samples_quartiles q = sd_samples_quartiles(four, 4);

	(void)state;
	assert_true(q.min == 1 && q.q1 == 1.75 && q.median == 2.5 && q.q3 == 3.25 && q.max == 4);
	q = sd_samples_quartiles(&nine, 1);
	assert_true(q.min == 9 && q.q1 == 9 && q.median == 9 && q.q3 == 9 && q.max == 9);
	assert_true(isnan(sd_samples_quartiles(four, 0).median));
}

static void the_row_holds_the_quartiles_of_the_samples(void **state)
{
	const double value[] = {5, 1, 3};
	struct script script = {value, NULL, 3, 0, NULL};
	const struct sd_bench_row row = run(&script, 3, 0);

	(void)state;
	assert_int_equal(row.n, 3);
	assert_int_equal(row.dropped, 0);
	assert_true(row.median == 3 && row.q1 == 2 && row.q3 == 4 && row.low == 1 && row.high == 5);
	assert_string_equal(row.kernel, "test");
}

static void preempted_samples_are_dropped_counted_and_repeated(void **state)
{
	const double value[] = {10, 99, 11, 12}, delay[] = {0, 0.5, 0, 0};
	struct script script = {value, delay, 4, 0, NULL};
	const struct sd_bench_row row = run(&script, 3, 0);

	(void)state;
	assert_int_equal(row.n, 3);
	assert_int_equal(row.dropped, 1);
	assert_true(row.high <= 12);
}

/* On half a core it takes longer, whatever the clock; where all are alike nobody knows better. */
static void samples_on_shared_cores_are_dropped_where_whole_ones_are(void **state)
{
	const double value[] = {17, 10, 18, 11, 12}, width[] = {2, 3.8, 2.1, 3.8, 3.75},
		     narrow[] = {2, 2.1, 2, 2, 2.05}, unknown[] = {2, 0, 3.8, 3.8, 3.8};
	struct script script = {value, NULL, 5, 0, width};
	struct sd_bench_row row = run(&script, 3, 0);

	(void)state;
	assert_int_equal(row.n, 3);
	assert_int_equal(row.dropped, 2);
	assert_int_equal(row.status, SD_STATUS_OK);
	assert_true(row.high <= 12);
	script.width = narrow;
	row = run(&script, 3, 0);
	assert_int_equal(row.n, 3);
	assert_int_equal(row.status, SD_STATUS_OK);
	assert_true(row.high == 18);
	/* a look that was interrupted says nothing */
	script.width = unknown;
	row = run(&script, 3, 0);
	assert_int_equal(row.n, 3);
	assert_int_equal(row.dropped, 1);
	assert_true(row.low == 10 && row.high == 18);
}

/* Time that is used up leaves a median alone, unless quartiles were asked for; late is late. */
static void quartiles_cost_more_than_the_budget_and_not_the_deadline(void **state)
{
	static const struct {
		unsigned least;
		double deadline;
		size_t n;
	} row[] = {{0, 0, 1}, {1, 0, 1}, {SD_SAMPLES_QUARTILES, 0, SD_SAMPLES_QUARTILES},
		{SD_SAMPLES_QUARTILES, 1e-9, 0}};
	const double value[] = {10};

	(void)state;
	for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
		const struct sd_kernel_env env = {.topology = &one, .deadline_s = row[i].deadline};
		const struct sd_sample_plan plan = {
			.env = &env, .wanted = 7, .budget_s = 1e-9, .least = row[i].least};
		struct script script = {value, NULL, 1, 0, NULL};
		struct sd_samples s;

		assert_int_equal(sd_samples_take(&s, &plan, play, &script), 0);
		assert_int_equal(s.n, row[i].n);
		sd_samples_free(&s);
	}
}

static void when_all_samples_are_disturbed_the_row_is_noisy(void **state)
{
	const double value[] = {10}, delay[] = {0.5};
	struct script script = {value, delay, 1, 0, NULL};
	const struct sd_bench_row row = run(&script, 3, 0);

	(void)state;
	assert_int_equal(row.status, SD_STATUS_NOISY);
	assert_int_equal(row.n, 12); /* 3 x 3 + 3 attempts */
	assert_true(row.median == 10);
	assert_non_null(strstr(row.why, "preempted"));
}

/* How many of the samples that this plan yields are kept. */
static size_t taken(const struct sd_sample_plan *plan, const double *value, size_t n)
{
	struct others since = others_now();
	struct sd_samples s;
	int tries = 0;
	size_t kept;

	do {
		struct script script = {value, NULL, n, 0, NULL};

		assert_int_equal(sd_samples_take(&s, plan, play, &script), 0);
		kept = s.n;
		sd_samples_free(&s);
	} while (others_stole(&since, &tries));
	return kept;
}

static void samples_that_spread_are_doubled_within_the_time(void **state)
{
	static const double even[] = {10, 10, 10, 10, 10, 10, 10, 10},
			    uneven[] = {10, 12, 10, 12, 10, 12, 10, 12};
	const struct sd_kernel_env env = {.topology = &one};
	const struct sd_sample_plan plan = {.env = &env, .wanted = 4, .budget_s = 3600};
	const struct sd_sample_plan no_time = {.env = &env, .wanted = 4, .budget_s = 1e-9};

	(void)state;
	assert_int_equal(taken(&plan, even, 8), 4);
	assert_int_equal(taken(&plan, uneven, 8), 8);
	assert_int_equal(taken(&no_time, uneven, 8), 1);
}

static void nothing_measured_is_absent_and_not_zero(void **state)
{
	const double value[] = {-EAGAIN};
	struct script script = {value, NULL, 1, 0, NULL};
	const struct sd_bench_row row = run(&script, 2, 0);

	(void)state;
	assert_int_equal(row.status, SD_STATUS_ABSENT);
	assert_int_equal(row.n, 0);
	assert_non_null(strstr(row.why, "9 with a thread off"));
}

static void after_the_deadline_nothing_is_begun_and_the_row_says_so(void **state)
{
	const double value[] = {1};
	struct script script = {value, NULL, 1, 0, NULL};
	const struct sd_kernel_env env = {.topology = &one, .deadline_s = 1e-9};
	const struct sd_sample_plan plan = {.env = &env, .wanted = 3};
	const struct sd_bench_row like = {.kernel = "test"};
	struct sd_bench_rows rows = {0};
	struct sd_samples s;

	(void)state;
	assert_int_equal(sd_samples_take(&s, &plan, play, &script), 0);
	assert_int_equal(script.at, 0);
	assert_int_equal(sd_samples_rows(&s, 0, &like, &rows), 0);
	assert_int_equal(rows.row[0].status, SD_STATUS_ABSENT);
	assert_string_equal(rows.row[0].why, SD_LATE_WHY);
	sd_samples_free(&s);
	sd_bench_rows_free(&rows);
}

static void an_error_ends_the_measurement(void **state)
{
	const double value[] = {1, -EDOM};
	struct script script = {value, NULL, 2, 0, NULL};

	(void)state;
	assert_int_equal(run(&script, 5, -EDOM).n, 1);
}

static void states_are_told_apart_and_renamed_nearest_first(void **state)
{
	struct sd_machine_states s = {0};
	struct sd_bench_row far = {.kernel = "far"}, near = {.kernel = "near"};
	struct sd_bench_rows rows = {0};

	(void)state;
	assert_true(sd_kernel_states_same(55e-9, 60e-9));
	assert_false(sd_kernel_states_same(55e-9, 250e-9));
	far.state = (unsigned)sd_state_split_find(&s, 250e-9);
	near.state = (unsigned)sd_state_split_find(&s, 55e-9);
	assert_int_not_equal(far.state, near.state);
	assert_int_equal(sd_state_split_find(&s, 245e-9), (int)far.state);
	assert_int_equal(sd_state_split_find(&s, 58e-9), (int)near.state);
	assert_int_equal(sd_bench_rows_add(&rows, &far), 0);
	assert_int_equal(sd_bench_rows_add(&rows, &near), 0);
	sd_bench_rows_by_state(&rows, &s);
	assert_int_equal(rows.row[0].state, 1);
	assert_int_equal(rows.row[1].state, 0);
	assert_true(s.line[0] < 60e-9 && s.line[1] > 240e-9);
	assert_int_equal(s.n, 2);
	sd_bench_rows_free(&rows);
}

static void two_states_too_near_to_tell_apart_are_owned_up_to(void **state)
{
	struct sd_machine_states s = {0}, noise = {0};

	(void)state;
	for (int i = 0; i < 20; i++) {
		assert_int_equal(sd_state_split_find(&s, (i % 2 ? 120e-9 : 185e-9) + i * 1e-10), 0);
		assert_int_equal(sd_state_split_find(&noise, 120e-9 + 3e-9 * i), 0);
	}
	/* a single one far off is no group */
	assert_int_equal(sd_state_split_find(&noise, 250e-9), 0);
	sd_kernel_states_splits(&s);
	sd_kernel_states_splits(&noise);
	assert_true(s.split[0][0] > 112e-9 && s.split[0][0] < 130e-9);
	assert_true(s.split[0][1] > 175e-9 && s.split[0][1] < 200e-9);
	assert_true(noise.split[0][0] <= 0);
}

static void a_fifth_state_is_refused(void **state)
{
	struct sd_machine_states s = {0};

	(void)state;
	for (int i = 0; i < SD_STATES_MAX; i++)
		assert_int_equal(sd_state_split_find(&s, 1e-9 * (double)(1 << (2 * i))), i);
	assert_int_equal(sd_state_split_find(&s, 1e-6), -1);
}

static void errors_of_the_harness_become_rows_with_a_reason(void **state)
{
	const struct sd_bench_row like = {.kernel = "test"};
	struct sd_bench_rows rows = {0};

	(void)state;
	assert_int_equal(sd_rows_error(&rows, &like, -EINTR), -EINTR);
	assert_int_equal(sd_rows_error(&rows, &like, -ENOMEM), -ENOMEM);
	assert_int_equal(rows.n, 0);
	assert_int_equal(sd_rows_error(&rows, &like, -EPERM), 0);
	assert_int_equal(sd_rows_error(&rows, &like, -ENOTSUP), 0);
	assert_int_equal(sd_rows_error(&rows, &like, -EINVAL), 0);
	assert_int_equal(rows.row[0].status, SD_STATUS_DENIED);
	assert_int_equal(rows.row[1].status, SD_STATUS_UNSUPPORTED);
	assert_non_null(strstr(rows.row[2].why, "offline"));
	sd_bench_rows_free(&rows);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(quartiles_interpolate),
		cmocka_unit_test(the_row_holds_the_quartiles_of_the_samples),
		cmocka_unit_test(preempted_samples_are_dropped_counted_and_repeated),
		cmocka_unit_test(samples_on_shared_cores_are_dropped_where_whole_ones_are),
		cmocka_unit_test(quartiles_cost_more_than_the_budget_and_not_the_deadline),
		cmocka_unit_test(when_all_samples_are_disturbed_the_row_is_noisy),
		cmocka_unit_test(samples_that_spread_are_doubled_within_the_time),
		cmocka_unit_test(nothing_measured_is_absent_and_not_zero),
		cmocka_unit_test(after_the_deadline_nothing_is_begun_and_the_row_says_so),
		cmocka_unit_test(an_error_ends_the_measurement),
		cmocka_unit_test(states_are_told_apart_and_renamed_nearest_first),
		cmocka_unit_test(two_states_too_near_to_tell_apart_are_owned_up_to),
		cmocka_unit_test(a_fifth_state_is_refused),
		cmocka_unit_test(errors_of_the_harness_become_rows_with_a_reason),
	};

	return cmocka_run_group_tests_name("microbench_samples", tests, NULL, NULL);
}
