/*
 * Machines with two speeds: which runs are compared.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "support/analyse_record.h"
#include "support/near.h"
#include "runs/machine_states.h"

enum { MOST = 16 };

static void states_are_told_apart_by_the_data_alone(void **state)
{
	static const struct {
		const char *what;
		struct sd_state_sample v[MOST];
		size_t n;
		unsigned states;
		double line[2];
	} row[] = {
		{"nothing measured", {{0, 0}}, 0, 0, {0}},
		{"one population", {{50, 1}, {55, 1}, {52, 1}, {60, 1}, {51, 1}}, 5, 1, {52}},
		{"two populations", {{50, 1}, {250, 1}, {55, 1}, {240, 1}, {52, 1}, {245, 1}}, 6, 2,
			{52, 245}},
		{"the same a thousand times slower",
			{{50e3, 1}, {250e3, 1}, {55e3, 1}, {240e3, 1}, {52e3, 1}, {245e3, 1}}, 6, 2,
			{52e3, 245e3}},
		{"one outlier is not a state", {{50, 1}, {55, 1}, {52, 1}, {400, 1}}, 4, 1, {53.5}},
		{"points that bind CPUs further apart", {{50, 1}, {55, 1}, {240, 2}, {250, 2}}, 4,
			1, {147.5}},
		{"too close to tell", {{50, 1}, {52, 1}, {70, 1}, {75, 1}}, 4, 1, {61}},
	};

	(void)state;
	for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
		struct sd_state_sample v[MOST];
		struct sd_machine_states s;

		print_message("%s\n", row[i].what);
		memcpy(v, row[i].v, sizeof v);
		sd_machine_states_split(v, row[i].n, &s);
		assert_int_equal(s.n, row[i].states);
		for (unsigned k = 0; k < s.n; k++)
			assert_near(s.line[k].value, row[i].line[k], 1e-9 * row[i].line[k]);
	}
}

/* Runs at two cores in the near state take 5 s, in the far state 8 s; 1 core does not see it. */
static void add(struct sd_record *r, size_t point, double wall, double before, double after)
{
	const struct sample s = {.wall = wall, .user = wall * (point ? 2 : 1)};
	struct sd_run *run = record_sample(r, point, &s, 1);

	run->metric[SD_METRIC_LINE_BEFORE] = before > 0 ? SD_OK(before) : SD_NOT(UNSUPPORTED);
	run->metric[SD_METRIC_LINE_AFTER] = after > 0 ? SD_OK(after) : SD_NOT(UNSUPPORTED);
}

static int warned(const struct sd_analysis *a, const char *text)
{
	for (size_t i = 0; i < a->warnings.n; i++)
		if (strstr(a->warnings.text[i], text))
			return 1;
	return 0;
}

static void runs_of_the_state_with_most_runs_are_compared(void **state)
{
	static const unsigned cores[] = {1, 2};
	struct sd_analysis a;
	struct sd_record r;

	(void)state;
	record_make(&r, cores, 2);
	for (int i = 0; i < 6; i++) {
		add(&r, 0, 10, 0, 0);
		add(&r, 1, 5, 55e-9, 56e-9);
		if (i < 3)
			add(&r, 1, 8, 250e-9, 255e-9);
	}
	add(&r, 1, 6, 55e-9, 250e-9);
	r.run[r.n_run - 2].flags |= SD_RUN_MIXED; /* a sixth near run, as far as its probes tell */
	assert_int_equal(sd_analyse(&r, NULL, NULL, &a), 0);
	assert_int_equal(a.states, 2);
	assert_near(a.state_line[0].value, 56e-9, 1e-9);
	assert_near(a.state_line[1].value, 252e-9, 3e-9);
	assert_near(a.point[1].wall.value, 5, 1e-12);
	assert_int_equal(a.point[1].runs + a.point[1].runs_other, 10);
	assert_int_equal(a.point[1].runs, 5);
	assert_int_equal(a.point[0].runs, 6);
	assert_true(warned(&a, "between two placements"));
	/* what it is in the other stands beside it */
	assert_near(a.state_speedup[0].value, 2, 1e-9);
	assert_near(a.state_speedup[1].value, 10. / 8, 1e-9);
	assert_int_equal(a.state_runs[0], 5);
	assert_int_equal(a.state_runs[1], 3);
	assert_true(warned(&a, "near 2.00x, far 1.25x"));
	sd_analysis_free(&a);
	sd_record_free(&r);
}

/* A run at two cores of which a share of the time is waiting for a lock, or for one thread. */
static void add_waiting(struct sd_record *r, double wall, double lock, double serial, double line)
{
	const double waits = lock + serial;
	struct sample s = {.wall = wall, .user = 2 * wall * (1 - waits)};
	struct sd_run *run;

	s.idle[SD_IDLE_LOCK] = 2 * wall * lock;
	s.idle[SD_IDLE_SERIAL] = 2 * wall * serial;
	run = record_sample(r, 1, &s, 1);
	run->metric[SD_METRIC_LINE_BEFORE] = run->metric[SD_METRIC_LINE_AFTER] = SD_OK(line);
}

/* Ten seconds of work; at two cores near a fourth of the cores waits for a lock, and far, in runs
 * that take longer, more. */
static void record_both(struct sd_record *r, int far_runs, double lock, double serial)
{
	static const unsigned cores[] = {1, 2};

	record_make(r, cores, 2);
	for (int i = 0; i < 6; i++) {
		add(r, 0, 10 + .01 * i, 55e-9, 55e-9);
		add_waiting(r, 6.7 + .01 * i, .25, 0, 55e-9);
	}
	for (int i = 0; i < far_runs; i++) {
		add(r, 0, 10 + .01 * i, 250e-9, 250e-9);
		add_waiting(r, 10 + .01 * i, lock, serial, 250e-9);
	}
}

static void the_other_state_is_judged_by_itself(void **state)
{
	static const struct {
		const char *what, *said;
		int runs;
		double lock, serial;
		enum sd_states_say says;
		enum sd_cause cause;
	} row[] = {
		{"the same cause", "the cause is the same: lock contention", 4, .5, 0,
			SD_STATES_SAY_THE_SAME, SD_CAUSE_LOCK_CONTENTION},
		{"another cause", "the cause is another one: serial code", 4, 0, .5,
			SD_STATES_SAY_OTHERWISE, SD_CAUSE_SERIAL_CODE},
		{"no cause", "no cause is likely there", 4, 0, 0, SD_STATES_SAY_NOTHING,
			SD_CAUSE_COUNT},
		{"too few runs", NULL, 1, .5, 0, SD_STATES_SAY_NOTHING, SD_CAUSE_COUNT},
	};

	(void)state;
	for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
		struct sd_analysis a;
		struct sd_record r;

		print_message("%s\n", row[i].what);
		record_both(&r, row[i].runs, row[i].lock, row[i].serial);
		assert_int_equal(sd_analyse(&r, NULL, NULL, &a), 0);
		assert_int_equal(a.point[1].runs, 6); /* near alone is compared */
		assert_int_equal(a.other.state, row[i].said ? 2 : 0);
		assert_int_equal(a.other.says, row[i].says);
		if (row[i].said) {
			assert_int_equal(a.other.cause, row[i].cause);
			assert_int_equal(a.other.runs, row[i].runs);
			assert_near(a.other.speedup.value, 1, .01);
			assert_true(warned(&a, row[i].said));
		} else {
			assert_false(warned(&a, "in the far placement"));
		}
		sd_analysis_free(&a);
		sd_record_free(&r);
	}
}

/* Near takes longer for no reason that is seen, far for a lock: what is known is compared, though
 * it has fewer runs, if these are enough. */
static void the_state_whose_cause_is_known_is_compared(void **state)
{
	(void)state;
	for (int far = 2; far < 5; far++) {
		struct sd_analysis a;
		struct sd_record r;

		record_both(&r, far, .5, 0);
		for (size_t i = 0; i < r.n_run; i++)
			if (r.run[i].point == 1 &&
				r.run[i].metric[SD_METRIC_LINE_AFTER].value < 1e-7) {
				const double wall = r.run[i].metric[SD_METRIC_WALL].value;

				r.run[i].metric[SD_METRIC_USER] = SD_OK(2 * wall);
				r.run[i].idle[SD_IDLE_LOCK] = SD_OK(0);
			}
		assert_int_equal(sd_analyse(&r, NULL, NULL, &a), 0);
		assert_int_equal(a.other.state, far < 3 ? 2 : 1);
		assert_int_equal(a.point[1].runs, far < 3 ? 6 : far);
		if (far >= 3) {
			assert_int_equal(a.finding[0].cause, SD_CAUSE_LOCK_CONTENTION);
			assert_int_equal(a.finding[0].verdict, SD_VERDICT_LIKELY);
			assert_int_equal(a.other.runs, 6);
			assert_near(a.other.speedup.value, 1.5, .02);
			assert_true(warned(&a, "in the near placement, by 6 runs"));
			assert_true(warned(&a, "only runs in the far placement are compared"));
		}
		sd_analysis_free(&a);
		sd_record_free(&r);
	}
}

/* A count between the two ends that the other state never had is none of its counts. */
static void the_other_state_may_lack_a_count_between(void **state)
{
	static const unsigned cores[] = {1, 2, 4};
	struct sd_analysis a;
	struct sd_record r;

	(void)state;
	record_make(&r, cores, 3);
	for (int i = 0; i < 9; i++) {
		const int far = i >= 6;
		const double line = far ? 250e-9 : 55e-9;

		add(&r, 0, 10, line, line);
		if (!far)
			add(&r, 1, 5, line, line);
		add(&r, 2, far ? 8 : 4, line, line);
	}
	assert_int_equal(sd_analyse(&r, NULL, NULL, &a), 0);
	assert_int_equal(a.n_point, 3);
	assert_int_equal(a.other.runs, 3);
	assert_near(a.other.speedup.value, 10. / 8, 1e-9);
	sd_analysis_free(&a);
	sd_record_free(&r);
}

/* Nothing follows from one run: it is no reason to leave ten out. */
static void a_single_run_does_not_stand_for_a_count(void **state)
{
	static const unsigned cores[] = {2, 4};
	struct sd_analysis a;
	struct sd_record r;

	(void)state;
	record_make(&r, cores, 2);
	for (int i = 0; i < 4; i++) {
		add(&r, 0, 10, 55e-9, 55e-9);
		add(&r, 1, 5, 55e-9, 55e-9);
	}
	add(&r, 0, 16, 250e-9, 250e-9);
	for (int i = 0; i < 12; i++) /* more in all, but not at every count */
		add(&r, 1, 8, 250e-9, 250e-9);
	assert_int_equal(sd_analyse(&r, NULL, NULL, &a), 0);
	assert_int_equal(a.point[0].runs, 4);
	assert_int_equal(a.point[1].runs, 4);
	assert_near(a.point[1].wall.value, 5, 1e-12);
	sd_analysis_free(&a);
	sd_record_free(&r);
}

/* A program whose runs take as long wherever its CPUs are loses none of them. */
static void runs_that_take_as_long_in_both_states_are_all_compared(void **state)
{
	static const unsigned cores[] = {1, 2};
	struct sd_analysis a;
	struct sd_record r;

	(void)state;
	record_make(&r, cores, 2);
	for (int i = 0; i < 6; i++) {
		const double line = i % 2 ? 55e-9 : 250e-9, after = i == 5 ? 250e-9 : line;

		add(&r, 0, 10 + .01 * i, line, line);
		add(&r, 1, 5 + .01 * i, line, after); /* one of them across a change */
	}
	assert_int_equal(sd_analyse(&r, NULL, NULL, &a), 0);
	assert_int_equal(a.states, 2);
	assert_int_equal(a.point[0].runs, 6);
	assert_int_equal(a.point[1].runs, 6);
	assert_int_equal(a.scales, SD_SCALES_YES); /* and nothing is added for it */
	assert_true(warned(&a, "runs take as long in both"));
	assert_false(sd_has(a.state_speedup[0]));
	sd_analysis_free(&a);
	sd_record_free(&r);
}

static void a_state_that_every_point_seldom_saw_is_not_the_only_one(void **state)
{
	static const unsigned cores[] = {2, 4};
	struct sd_analysis a;
	struct sd_record r;

	(void)state;
	record_make(&r, cores, 2);
	for (int i = 0; i < 5; i++) {
		add(&r, 0, 10, 55e-9, 55e-9);
		add(&r, 1, 5, 250e-9, 250e-9);
		add(&r, 1, 6, 250e-9, 250e-9);
	}
	add(&r, 1, 4, 55e-9, 56e-9);
	assert_int_equal(sd_analyse(&r, NULL, NULL, &a), 0);
	assert_int_equal(a.point[1].runs, 11);
	assert_int_equal(a.point[1].runs_other, 0);
	assert_true(sd_status_bounded(a.point[1].efficiency));
	assert_true(warned(&a, "neither was seen often enough"));
	sd_analysis_free(&a);
	sd_record_free(&r);
}

static void without_a_common_state_all_runs_are_pooled_and_that_is_said(void **state)
{
	static const unsigned cores[] = {2, 4, 8};
	struct sd_analysis a;
	struct sd_record r;

	(void)state;
	record_make(&r, cores, 3);
	for (int i = 0; i < 5; i++) {
		add(&r, 0, 10, 55e-9, 55e-9);
		add(&r, 1, 5, 250e-9, 250e-9);
		add(&r, 2, 5, i % 2 ? 55e-9 : 250e-9, i % 2 ? 55e-9 : 250e-9);
	}
	assert_int_equal(sd_analyse(&r, NULL, NULL, &a), 0);
	assert_int_equal(a.states, 2);
	for (size_t i = 0; i < 3; i++)
		assert_int_equal(a.point[i].runs, 5);
	assert_true(warned(&a, "neither was seen at every core count"));
	for (int i = 0; i < SD_CAUSE_COUNT; i++)
		assert_true(a.finding[i].verdict >= SD_VERDICT_POSSIBLE);
	sd_analysis_free(&a);
	sd_record_free(&r);
}

static void drift_runs_of_another_state_do_not_count(void **state)
{
	static const unsigned cores[] = {2, 4};
	struct sd_analysis a;
	struct sd_record r;

	(void)state;
	record_make(&r, cores, 2);
	for (int i = 0; i < 6; i++) {
		add(&r, 0, i < 2 ? 16 : 10, i < 2 ? 250e-9 : 55e-9, i < 2 ? 250e-9 : 55e-9);
		add(&r, 1, 5, 55e-9, 55e-9);
	}
	add(&r, 0, 16, 250e-9, 250e-9);
	r.run[r.n_run - 1].kind = SD_RUN_DRIFT;
	assert_int_equal(sd_analyse(&r, NULL, NULL, &a), 0);
	assert_int_equal(a.drift.status, SD_STATUS_ABSENT);
	assert_false(warned(&a, "drifted"));
	sd_analysis_free(&a);
	sd_record_free(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(states_are_told_apart_by_the_data_alone),
		cmocka_unit_test(runs_of_the_state_with_most_runs_are_compared),
		cmocka_unit_test(a_state_that_every_point_seldom_saw_is_not_the_only_one),
		cmocka_unit_test(the_other_state_is_judged_by_itself),
		cmocka_unit_test(the_state_whose_cause_is_known_is_compared),
		cmocka_unit_test(the_other_state_may_lack_a_count_between),
		cmocka_unit_test(a_single_run_does_not_stand_for_a_count),
		cmocka_unit_test(runs_that_take_as_long_in_both_states_are_all_compared),
		cmocka_unit_test(without_a_common_state_all_runs_are_pooled_and_that_is_said),
		cmocka_unit_test(drift_runs_of_another_state_do_not_count),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
