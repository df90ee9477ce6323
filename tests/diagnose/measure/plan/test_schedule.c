#include <math.h>
#include <signal.h>

#include "diagnose/measure/plan/scheduled_record.h"

static void short_runs_are_made_more_often(void **state)
{
	struct sd_record r;

	(void)state;
	make_record(&r, one_two_four, 3);
	assert_int_equal(sd_schedule_least(&r, 0), 5); /* not known yet */
	runs(&r, 0, 1, 2.1, 0);
	runs(&r, 1, 1, 1.9, 0);
	runs(&r, 2, 1, .15, 0);
	assert_int_equal(sd_schedule_least(&r, 0), 5);
	assert_int_equal(sd_schedule_least(&r, 1), 7);
	assert_int_equal(sd_schedule_least(&r, 2), 10);
	r.plan.max_repeats = 6;
	assert_int_equal(sd_schedule_least(&r, 1), 6);
	r.plan.min_repeats = 3;
	assert_int_equal(sd_schedule_least(&r, 1), 3);
	sd_record_free(&r);
}

static void simulated_runs_are_never_among_the_times(void **state)
{
	struct sd_record r;
	struct sd_run *run;
	unsigned mask;
	double worst;

	(void)state;
	make_record(&r, one_two_four, 3);
	r.plan.point[2].simulated = 1;
	assert_int_equal(sd_schedule_least(&r, 2), 0);
	assert_int_equal(need(&r, &mask, &worst), 2);
	assert_int_equal(mask, 3);
	runs(&r, 0, 5, 3, 0);
	runs(&r, 1, 5, 2, 0);
	run = make_run(&r, 1, 500, 500, 0);
	run->kind = SD_RUN_SIMULATED;
	assert_true(sd_schedule_wall(&r, 1) == 2);
	assert_int_equal(sd_schedule_runs(&r, 1), 5);
	assert_true(sd_schedule_simulated(&r, 1));
	assert_false(sd_schedule_simulated(&r, 2));
	assert_int_equal(need(&r, &mask, &worst), 0);
	/* one that was stopped is made again by --resume */
	run = &r.run[r.n_run - 1];
	run->end = SD_END_SIGNALLED;
	run->code = SIGTERM;
	assert_false(sd_schedule_simulated(&r, 1));
	run->code = SIGSEGV;
	assert_true(sd_schedule_simulated(&r, 1));
	sd_record_free(&r);
}

static void failed_runs_and_the_warm_up_do_not_count(void **state)
{
	struct sd_record r;

	(void)state;
	make_record(&r, one_two_four, 3);
	make_run(&r, 0, 3, 1, 0)->kind = SD_RUN_WARMUP;
	make_run(&r, 0, 3, 1, 0)->kind = SD_RUN_DRIFT;
	make_run(&r, 0, 3, 1, 0)->code = 1;
	make_run(&r, 0, 3, 1, 0)->end = SD_END_TIMEOUT;
	assert_int_equal(sd_schedule_runs(&r, 0), 0);
	assert_true(sd_schedule_wall(&r, 0) == 3); /* but a warm-up tells how long a run takes */
	assert_true(isnan(sd_schedule_wall(&r, 1)));
	runs(&r, 0, 2, 4, 0);
	assert_int_equal(sd_schedule_runs(&r, 0), 2);
	sd_record_free(&r);
}

/* Five runs of a count are enough to be sure of a loss that large, unless they cost nothing; of
 * what may scale there are more. */
static void a_loss_that_is_clear_needs_fewer_runs(void **state)
{
	static const struct {
		double one, two;
		int enough;
	} row[] = {{.5, .5, 1}, {.5, .255, 0}, {.1, .1, 0}};

	(void)state;
	for (size_t i = 0; i < sizeof row / sizeof *row; i++)
		for (unsigned n = 4; n <= 5; n++) {
			struct sd_record r;
			unsigned mask;
			double worst;

			make_record(&r, one_two_four, 2);
			r.plan.max_repeats = 30;
			runs(&r, 0, n, row[i].one, .01);
			runs(&r, 1, n, row[i].two, .01);
			assert_int_equal(need(&r, &mask, &worst), row[i].enough && n == 5 ? 0 : 2);
			sd_record_free(&r);
		}
}

static void every_point_first_gets_its_least_runs(void **state)
{
	struct sd_record r;
	unsigned mask;
	double worst;

	(void)state;
	make_record(&r, one_two_four, 3);
	assert_int_equal(need(&r, &mask, &worst), 3);
	runs(&r, 0, 5, 8, 0.5);
	runs(&r, 1, 4, 4, 0.5);
	runs(&r, 2, 5, 2.5, 0.5);
	assert_int_equal(need(&r, &mask, &worst), 1);
	assert_int_equal(mask, 2);
	assert_true(worst == 0);
	sd_record_free(&r);
}

/* Two have an interval; more only as far as what is lost is not clear by then. */
static void the_first_runs_are_two_and_the_least_are_fewer_where_it_is_clear(void **state)
{
	unsigned char list[3];
	struct sd_record r;

	(void)state;
	make_record(&r, one_two_four, 2);
	r.plan.max_repeats = 30;
	for (unsigned n = 0; n < 6; n++) {
		assert_int_equal(sd_schedule_need_first(&r, list), n < 2 ? 2 : 0);
		assert_int_equal(sd_schedule_need_least(&r, list), n < 5 ? 2 : 0);
		runs(&r, 0, 1, .5, 0);
		runs(&r, 1, 1, .5, 0);
	}
	sd_record_free(&r);
	make_record(&r, one_two_four, 2);
	r.plan.min_repeats = r.plan.max_repeats = 1; /* as asked */
	runs(&r, 0, 1, .5, 0);
	assert_int_equal(sd_schedule_need_first(&r, list), 1);
	assert_int_equal(list[1], 1);
	sd_record_free(&r);
}

static void what_is_known_well_gets_no_more(void **state)
{
	struct sd_record r;
	unsigned mask;
	double worst;

	(void)state;
	make_record(&r, one_two_four, 3);
	runs(&r, 0, 5, 8, 0.001);
	runs(&r, 1, 5, 4, 0.001);
	runs(&r, 2, 5, 2.5, 0.2);
	/* the noisy one, and the reference with it */
	assert_int_equal(need(&r, &mask, &worst), 2);
	assert_int_equal(mask, 5);
	assert_true(worst > SD_SCHEDULE_PRECISION && worst < 0.5);
	assert_true(worst == halfwidth(&r, 2));
	assert_true(halfwidth(&r, 1) <= 0.002);
	assert_true(halfwidth(&r, 0) == 0);
	/* not beyond the most */
	r.plan.max_repeats = 5;
	assert_int_equal(need(&r, &mask, &worst), 0);
	/* and not when the number was given */
	r.plan.max_repeats = 30;
	r.plan.min_repeats = 5;
	assert_int_equal(need(&r, &mask, &worst), 0);
	sd_record_free(&r);
}

/* The ends are what is judged: that a count between them scatters changes no answer. */
static void a_count_between_the_ends_is_not_made_more_exact(void **state)
{
	struct sd_record r;
	unsigned mask;
	double worst;

	(void)state;
	make_record(&r, one_two_four, 3);
	runs(&r, 0, 5, 8, 0.001);
	runs(&r, 1, 5, 4, 0.2);
	runs(&r, 2, 5, 2.5, 0.001);
	assert_true(halfwidth(&r, 1) > SD_SCHEDULE_PRECISION);
	assert_int_equal(need(&r, &mask, &worst), 0);
	sd_record_free(&r);
}

/* Near the gate the sign of the distance is worth more than the distance elsewhere. */
static void twice_as_many_runs_tell_whether_it_scales(void **state)
{
	static const double wall[] = {4.2, 5}; /* of two cores: 95 %, and 80 % */

	(void)state;
	for (size_t k = 0; k < 2; k++) {
		struct sd_record r;
		unsigned mask, made;
		double worst;

		make_record(&r, one_two_four, 2);
		r.plan.max_repeats = 20;
		r.plan.budget_s = 1e6;
		runs(&r, 0, 7, 8, 0.001);
		for (made = 0; made < 100 && need(&r, &mask, &worst); made++)
			runs(&r, 1, 1, wall[k] * (made % 2 ? .9 : 1.1), 0);
		assert_int_equal(sd_schedule_runs(&r, 1), k == 0 ? 20 : 10);
		sd_record_free(&r);
	}
}

/* The same noise matters to a small loss and not to a large one. */
static void a_large_loss_need_not_be_known_as_well(void **state)
{
	static const double wall[] = {4.4, 7.6}; /* of two cores: 91 %, and 53 % */

	(void)state;
	for (size_t k = 0; k < 2; k++) {
		struct sd_record r;
		unsigned mask;
		double worst;

		make_record(&r, one_two_four, 2);
		r.plan.max_repeats = 1000;
		r.plan.budget_s = 1e6;
		runs(&r, 0, 10, 8, .001);
		runs(&r, 1, 10, wall[k], .09);
		assert_true(halfwidth(&r, 1) > SD_SCHEDULE_PRECISION);
		assert_int_equal(need(&r, &mask, &worst) > 0, k == 0);
		sd_record_free(&r);
	}
}

/* No test by ranks says that they differ, whatever the interval. */
static void a_loss_of_few_undisturbed_runs_gets_more(void **state)
{
	(void)state;
	for (unsigned kept = 6; kept <= 7; kept++) {
		struct sd_record r;
		unsigned mask, made;
		double worst;

		make_record(&r, one_two_four, 2);
		r.plan.max_repeats = 40;
		r.plan.budget_s = 1e6;
		runs(&r, 0, 7, 8, .001);
		for (unsigned i = 0; i < kept; i++)
			make_run(&r, 1, 7 * (i % 2 ? .7 : 1.3), 1, 0);
		for (made = kept; made < 100 && need(&r, &mask, &worst); made++)
			make_run(&r, 1, 7, 1, 0)->metric[SD_METRIC_FOREIGN] = SD_OK(7 * 2 * .03);
		assert_int_equal(sd_schedule_runs(&r, 1), kept == 6 ? 40 : 20);
		sd_record_free(&r);
	}
}

/* The chooser says when it is enough of a program that is only looked at; a started one with a
 * single count has its least runs. */
static void windows_of_a_look_go_on_up_to_the_most(void **state)
{
	static const unsigned two[] = {2};
	unsigned mask;
	double worst;

	(void)state;
	for (int attached = 0; attached < 2; attached++) {
		struct sd_record r;

		make_record(&r, two, 1);
		r.program.attached = attached ? strdup("process 1") : NULL;
		r.plan.max_repeats = 9;
		runs(&r, 0, 5, 2.1, 0);
		assert_int_equal(need(&r, &mask, &worst), attached);
		runs(&r, 0, 4, 2.1, 0);
		assert_int_equal(need(&r, &mask, &worst), 0);
		sd_record_free(&r);
	}
}

static void the_width_is_that_of_the_efficiency(void **state)
{
	struct sd_record r;
	double strong, weak, rate;

	(void)state;
	make_record(&r, one_two_four, 3);
	runs(&r, 0, 5, 8, 0.05);
	runs(&r, 2, 5, 8, 0.05);
	/* four cores do not help: E is 1/4 for fixed work, 1 for work that grows */
	strong = halfwidth(&r, 2);
	r.program.scaling = SD_SCALING_WEAK;
	weak = halfwidth(&r, 2);
	assert_true(strong > 0 && fabs(weak / strong - 4) < 1e-9);
	/* a rate that stays is as bad as a time that stays */
	r.program.scaling = SD_SCALING_STRONG;
	r.program.rate = strdup("x");
	assert_true(isinf(halfwidth(&r, 2)));
	for (size_t i = 0; i < r.n_run; i++)
		r.run[i].metric[SD_METRIC_RATE] = SD_OK(1 / r.run[i].metric[SD_METRIC_WALL].value);
	rate = halfwidth(&r, 2);
	assert_true(rate > strong / 2 && rate < strong * 2);
	sd_record_free(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(short_runs_are_made_more_often),
		cmocka_unit_test(simulated_runs_are_never_among_the_times),
		cmocka_unit_test(failed_runs_and_the_warm_up_do_not_count),
		cmocka_unit_test(a_loss_that_is_clear_needs_fewer_runs),
		cmocka_unit_test(every_point_first_gets_its_least_runs),
		cmocka_unit_test(a_large_loss_need_not_be_known_as_well),
		cmocka_unit_test(the_first_runs_are_two_and_the_least_are_fewer_where_it_is_clear),
		cmocka_unit_test(what_is_known_well_gets_no_more),
		cmocka_unit_test(a_count_between_the_ends_is_not_made_more_exact),
		cmocka_unit_test(twice_as_many_runs_tell_whether_it_scales),
		cmocka_unit_test(a_loss_of_few_undisturbed_runs_gets_more),
		cmocka_unit_test(windows_of_a_look_go_on_up_to_the_most),
		cmocka_unit_test(the_width_is_that_of_the_efficiency),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
