/*
 * Cores that others use unseen: by the width of the CPUs, what they may have cost, and what is no
 * longer said of the program then.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "support/analyse_record.h"
#include "record/disturbed_runs.h"
#include "support/near.h"
#include "runs/shared_cores.h"

#define WHOLE 3.8

static void set_widths(struct sd_run *r, double mean, double least, double most)
{
	r->metric[SD_METRIC_WIDTH] = SD_OK(mean);
	r->metric[SD_METRIC_WIDTH_LEAST] = SD_OK(least);
	r->metric[SD_METRIC_WIDTH_MOST] = SD_OK(most);
}

/* 1 and 2 cores, `runs` each; at 2 the threads wait `imbalance` core-seconds for each other, and
 * take `longer` s more CPU time than at 1. */
static void make_slowed(
	struct sd_record *r, double wall, double user, double imbalance, double longer, size_t runs)
{
	static const unsigned cores[] = {1, 2};
	const struct sample one = {.wall = user - longer + .1, .user = user - longer, .system = .1};
	struct sample two = {.wall = wall, .user = user, .system = .1};

	two.idle[SD_IDLE_IMBALANCE] = imbalance;
	record_make(r, cores, 2);
	record_samples(r, 0, &one, runs, .005, 1);
	record_samples(r, 1, &two, runs, .005, 1);
}

static void make(struct sd_record *r, double wall, double user, double imbalance, size_t runs)
{
	make_slowed(r, wall, user, imbalance, 0, runs);
}

static void widths_at(struct sd_record *r, size_t point, double mean, double least)
{
	for (size_t i = 0; i < r->n_run; i++)
		if (r->run[i].point == point)
			set_widths(&r->run[i], mean, least, WHOLE);
}

static int warned(const struct sd_analysis *a, const char *text)
{
	for (size_t i = 0; i < a->warnings.n; i++)
		if (strstr(a->warnings.text[i], text))
			return 1;
	return 0;
}

static void the_same_waits_are_imbalance_on_whole_cores_alone(void **state)
{
	struct sd_analysis a;
	struct sd_record r;

	(void)state;
	/* one of the two threads has .8 s more to do than the other */
	make(&r, 5.4, 9.9, .8, 8);
	widths_at(&r, 0, WHOLE, WHOLE);
	widths_at(&r, 1, WHOLE, WHOLE);
	assert_int_equal(sd_analyse(&r, NULL, NULL, &a), 0);
	assert_int_equal(a.scales, SD_SCALES_YES); /* with a small cause that is certain */
	assert_int_equal(finding_of(&a, SD_CAUSE_LOAD_IMBALANCE)->verdict, SD_VERDICT_LIKELY);
	assert_false(warned(&a, "used part of these cores"));
	sd_analysis_free(&a);

	/* one of the two CPUs is always a fifth slower when it is looked at, though as much CPU
	 * time as on one core says that no thread was */
	widths_at(&r, 1, .9 * WHOLE, .8 * WHOLE);
	assert_int_equal(sd_analyse(&r, NULL, NULL, &a), 0);
	assert_int_equal(a.scales, SD_SCALES_YES);
	assert_int_equal(finding_of(&a, SD_CAUSE_LOAD_IMBALANCE)->verdict, SD_VERDICT_LIKELY);
	sd_analysis_free(&a);
	sd_record_free(&r);

	/* with a second more of it the machine alone explains the wait */
	make_slowed(&r, 5.4, 9.9, .8, 1, 8);
	widths_at(&r, 0, WHOLE, WHOLE);
	widths_at(&r, 1, .9 * WHOLE, .8 * WHOLE);
	assert_int_equal(sd_analyse(&r, NULL, NULL, &a), 0);
	assert_int_not_equal(a.scales, SD_SCALES_NO);
	assert_int_equal(finding_of(&a, SD_CAUSE_LOAD_IMBALANCE)->verdict, SD_VERDICT_POSSIBLE);
	assert_near(finding_of(&a, SD_CAUSE_LOAD_IMBALANCE)->cores.low, 0, 0);
	assert_true(warned(&a, "used part of these cores"));
	sd_analysis_free(&a);
	sd_record_free(&r);
}

static void more_waits_than_uneven_cores_explain_are_named(void **state)
{
	struct sd_analysis a;
	struct sd_record r;

	(void)state;
	make(&r, 8, 9.9, 6, 8);
	widths_at(&r, 0, WHOLE, WHOLE);
	widths_at(&r, 1, .95 * WHOLE, .9 * WHOLE);
	assert_int_equal(sd_analyse(&r, NULL, NULL, &a), 0);
	assert_int_equal(a.scales, SD_SCALES_NO);
	assert_int_equal(finding_of(&a, SD_CAUSE_LOAD_IMBALANCE)->verdict, SD_VERDICT_LIKELY);
	sd_analysis_free(&a);
	sd_record_free(&r);
}

/* System time of 2 cores that scatters from next to nothing, or from a tenth of the cores on; their
 * speed alone may explain what is lost. */
static void where_neighbours_may_explain_the_loss_a_cause_must_be_sure_by_itself(void **state)
{
	static const double least[] = {.02, 1.5};

	(void)state;
	for (size_t k = 0; k < 2; k++) {
		const struct sd_finding *f;
		struct sd_analysis a;
		struct sd_record r;

		make(&r, 6.2, 9.9, 0, 8);
		widths_at(&r, 0, WHOLE, WHOLE);
		widths_at(&r, 1, .8 * WHOLE, .6 * WHOLE);
		for (size_t i = 0, n = 0; i < r.n_run; i++)
			if (r.run[i].point == 1) {
				r.run[i].metric[SD_METRIC_SYSTEM] =
					SD_OK(least[k] + .25 * (double)n++);
				r.run[i].metric[SD_METRIC_USER].value -= 1;
			}
		assert_int_equal(sd_analyse(&r, NULL, NULL, &a), 0);
		assert_int_equal(a.scales, SD_SCALES_UNKNOWN);
		f = finding_of(&a, SD_CAUSE_KERNEL_MEMORY);
		assert_int_equal(f->verdict, SD_VERDICT_POSSIBLE);
		assert_true(f->cores.value >= .05 * 2 && f->cores.low < .05 * 2);
		sd_analysis_free(&a);
		sd_record_free(&r);
	}
}

/* Waits for peers that exceed in the mean what uneven cores explain, though not surely. */
static void where_neighbours_may_explain_the_loss_waits_must_surely_exceed_theirs(void **state)
{
	static const double each[] = {.22, .02};
	const double uneven = 2 * (1 - .8 / .9), waits = 2.05 / 6.4;
	double wide[2];

	(void)state;
	for (size_t k = 0; k < 2; k++) {
		const struct sd_finding *f;
		struct sd_analysis a;
		struct sd_record r;

		make_slowed(&r, 6.4, 9.9, 2.2, 1.6, 8);
		widths_at(&r, 0, WHOLE, WHOLE);
		widths_at(&r, 1, .9 * WHOLE, .8 * WHOLE);
		for (size_t i = 0, n = 0; i < r.n_run; i++)
			if (r.run[i].point == 1)
				r.run[i].idle[SD_IDLE_IMBALANCE] =
					SD_OK(2.05 + each[k] * ((double)n++ - 3.5));
		assert_int_equal(sd_analyse(&r, NULL, NULL, &a), 0);
		assert_int_equal(a.scales, SD_SCALES_UNKNOWN);
		f = finding_of(&a, SD_CAUSE_LOAD_IMBALANCE);
		assert_int_equal(f->verdict, k ? SD_VERDICT_LIKELY : SD_VERDICT_POSSIBLE);
		assert_near(f->cores.value, waits, .05);
		assert_true(f->cores.low <= f->cores.value - uneven);
		wide[k] = f->cores.value - uneven - f->cores.low;
		sd_analysis_free(&a);
		sd_record_free(&r);
	}
	assert_true(wide[0] > wide[1]);
}

/* A reference that others slowed makes the speed-up look better than it is. */
static void a_shared_reference_does_not_make_a_program_scale(void **state)
{
	struct sd_analysis a;
	struct sd_record r;

	(void)state;
	make(&r, 5.05, 9.9, 0, 8);
	widths_at(&r, 0, WHOLE, WHOLE);
	widths_at(&r, 1, WHOLE, WHOLE);
	assert_int_equal(sd_analyse(&r, NULL, NULL, &a), 0);
	assert_int_equal(a.scales, SD_SCALES_YES);
	sd_analysis_free(&a);
	widths_at(&r, 0, .7 * WHOLE, .7 * WHOLE);
	assert_int_equal(sd_analyse(&r, NULL, NULL, &a), 0);
	assert_int_equal(a.scales, SD_SCALES_UNKNOWN);
	sd_analysis_free(&a);
	sd_record_free(&r);
}

/* The first count again at the end takes 20 % longer: its core was shared then, or it was not. */
static void a_shared_core_is_no_drift(void **state)
{
	static const double width[] = {.7 * WHOLE, WHOLE};

	(void)state;
	for (int k = 0; k < 2; k++) {
		struct sd_analysis a;
		struct sd_record r;
		struct sd_run *run;

		make(&r, 8, 9.9, 6, 8);
		widths_at(&r, 0, WHOLE, WHOLE);
		widths_at(&r, 1, WHOLE, WHOLE);
		run = record_sample(&r, 0, &(struct sample){.wall = 12, .user = 11.9}, 1);
		run->kind = SD_RUN_DRIFT;
		set_widths(run, width[k], width[k], WHOLE);
		assert_int_equal(sd_analyse(&r, NULL, NULL, &a), 0);
		assert_near(a.drift.value, .2, .02);
		assert_int_equal(warned(&a, "drifted"), k);
		sd_analysis_free(&a);
		sd_record_free(&r);
	}
}

static void without_widths_nothing_is_said_of_neighbours(void **state)
{
	struct sd_run run = {0};
	const struct sd_run *one[] = {&run};
	const struct sd_chosen p = {.n_run = 1, .n = 1, .cores = 1, .run = one};
	const struct sd_record record = {0};
	struct sd_shared_cores n;
	int known = 0;

	(void)state;
	n = sd_shared_cores_make(&record, &p, &p);
	assert_false(n.known);
	assert_near(n.more, 1, 0);
	assert_near(n.less, 1, 0);
	assert_near(n.uneven, 0, 0);
	assert_near(sd_disturbed_runs_sharers(&run, WHOLE, &known), 0, 0);
	assert_false(known);
}

/* Short runs now and then have too few moments: half of them must know their width, not all. */
static void runs_without_a_width_do_not_hide_the_neighbours(void **state)
{
	struct sd_analysis a;
	struct sd_record r;

	(void)state;
	make_slowed(&r, 5.4, 9.9, .8, 1, 8);
	for (size_t unknown = 0; unknown < 8; unknown++) {
		size_t left = unknown;

		widths_at(&r, 0, WHOLE, WHOLE);
		widths_at(&r, 1, .9 * WHOLE, .8 * WHOLE);
		for (size_t i = 0; i < r.n_run && left > 0; i++) {
			if (r.run[i].point != 1)
				continue;
			r.run[i].metric[SD_METRIC_WIDTH] = r.run[i].metric[SD_METRIC_WIDTH_LEAST] =
				r.run[i].metric[SD_METRIC_WIDTH_MOST] = SD_NOT(ABSENT);
			left--;
		}
		assert_int_equal(sd_analyse(&r, NULL, NULL, &a), 0);
		assert_int_equal(finding_of(&a, SD_CAUSE_LOAD_IMBALANCE)->verdict,
			2 * unknown <= 8 ? SD_VERDICT_POSSIBLE : SD_VERDICT_LIKELY);
		sd_analysis_free(&a);
	}
	sd_record_free(&r);
}

/* Half of them stay, the least shared ones, and never fewer than five. */
static void runs_on_shared_cores_are_left_out_by_their_widths(void **state)
{
	static const struct {
		size_t runs, left;
	} row[] = {{4, 4}, {5, 5}, {8, 5}, {20, 10}};

	(void)state;
	for (size_t k = 0; k < sizeof row / sizeof *row; k++) {
		struct sd_run run[20];
		const struct sd_run *p[20];
		size_t left;

		memset(run, 0, sizeof run);
		for (size_t i = 0; i < row[k].runs; i++) {
			run[i].metric[SD_METRIC_WALL] = SD_OK(1);
			set_widths(&run[i], WHOLE * (.9 - .03 * (double)(i + 1)), WHOLE / 2, WHOLE);
			p[i] = &run[i];
		}
		left = sd_disturbed_runs_leave_out(p, row[k].runs, 2);
		assert_int_equal(left, row[k].left);
		for (size_t i = 0; i < left; i++)
			assert_true(p[i] - run < (ptrdiff_t)left);
		/* whole cores: all of them stay */
		for (size_t i = 0; i < row[k].runs; i++) {
			set_widths(&run[i], WHOLE * .91, WHOLE * .9, WHOLE);
			p[i] = &run[i];
		}
		assert_int_equal(sd_disturbed_runs_leave_out(p, row[k].runs, 2), row[k].runs);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_same_waits_are_imbalance_on_whole_cores_alone),
		cmocka_unit_test(more_waits_than_uneven_cores_explain_are_named),
		cmocka_unit_test(
			where_neighbours_may_explain_the_loss_waits_must_surely_exceed_theirs),
		cmocka_unit_test(
			where_neighbours_may_explain_the_loss_a_cause_must_be_sure_by_itself),
		cmocka_unit_test(a_shared_reference_does_not_make_a_program_scale),
		cmocka_unit_test(a_shared_core_is_no_drift),
		cmocka_unit_test(runs_without_a_width_do_not_hide_the_neighbours),
		cmocka_unit_test(without_widths_nothing_is_said_of_neighbours),
		cmocka_unit_test(runs_on_shared_cores_are_left_out_by_their_widths),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
