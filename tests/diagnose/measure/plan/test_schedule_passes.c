/*
 * Which pass of counters a run counts, and which points lack one.
 */
#include "diagnose/measure/plan/scheduled_record.h"

static const struct sd_pass_list none = {.n = 0};

/* A run of the point that counts the pass which is its turn; returns that pass. */
static unsigned counted(struct sd_record *r, size_t point, const struct sd_pass_list *first)
{
	struct sd_run next = {.point = point, .kind = SD_RUN_BLOCK};
	const unsigned pass = sd_schedule_pass(r, &next, first);

	runs(r, point, 1, point ? .2 : .4, 0);
	r->run[r->n_run - 1].pass = pass;
	r->run[r->n_run - 1].start = 0; /* nothing was between them */
	return pass;
}

static void make_passes(struct sd_record *r, size_t points, size_t passes, unsigned turn)
{
	make_record(r, one_two_four, points);
	r->plan.pass = make_zeroed(passes, sizeof *r->plan.pass);
	r->plan.n_pass = passes;
	r->plan.pass_turn = turn;
	r->plan.max_repeats = 30;
}

/* 3 of 8 passes in turn: 0 1 2 0 1 2, 3 4 5 3 4 5, 6 7 6 7, and from the start again. */
static void the_passes_that_every_point_gets_come_first(void **state)
{
	static const unsigned order[] = {0, 1, 2, 0, 1, 2, 3, 4, 5, 3, 4, 5, 6, 7, 6, 7, 0, 1, 2};
	struct sd_record r;

	(void)state;
	make_passes(&r, 2, 8, 3);
	assert_int_equal(sd_schedule_least(&r, 1), 6);
	for (unsigned k = 0; k < sizeof order / sizeof *order; k++)
		assert_int_equal(counted(&r, 1, &none), order[k]);
	sd_record_free(&r);
}

/* A formula of passes 5 and 7 has its value after two runs, its scatter after four; no other pass
 * is bought for its own sake. */
static void the_passes_of_a_formula_come_together_and_before_all_others(void **state)
{
	static const struct sd_pass_list first = {{5, 7}, 2};
	static const unsigned order[] = {5, 7, 5, 7};
	struct sd_record r;
	unsigned mask;
	double worst;

	(void)state;
	make_passes(&r, 2, 8, 1);
	r.plan.budget_s = 1000;
	for (unsigned k = 0; k < 10; k++) {
		counted(&r, 0, &none);
		counted(&r, 1, &none);
	}
	assert_int_equal(need(&r, &mask, &worst), 0);
	for (unsigned k = 0; k < sizeof order / sizeof *order; k++) {
		assert_int_equal(need_first(&r, &first, &mask, &worst), 2);
		assert_int_equal(counted(&r, 0, &first), order[k]);
		assert_int_equal(counted(&r, 1, &first), order[k]);
	}
	assert_int_equal(need_first(&r, &first, &mask, &worst), 0);
	assert_int_equal(counted(&r, 1, &first), 6); /* the others go on where they were */
	/* one that failed counted nothing */
	r.run[r.n_run - 2].code = 1;
	assert_int_equal(need_first(&r, &first, &mask, &worst), 1);
	assert_int_equal(mask, 2);
	assert_int_equal(counted(&r, 1, &first), 7);
	/* no more than may be */
	r.run[r.n_run - 1].code = 1;
	r.plan.max_repeats = 12;
	assert_int_equal(need_first(&r, &first, &mask, &worst), 0);
	sd_record_free(&r);
}

static void every_point_takes_the_passes_in_turn_and_each_twice(void **state)
{
	const struct sd_run next = {.point = 1, .kind = SD_RUN_DRIFT};
	struct sd_record r;

	(void)state;
	make_record(&r, one_two_four, 3);
	r.plan.pass = make_zeroed(7, sizeof *r.plan.pass);
	r.plan.n_pass = 7;
	assert_int_equal(sd_schedule_least(&r, 1), 14);
	runs(&r, 0, 3, 4, 0); /* another point's runs do not matter */
	for (unsigned k = 0; k < 14; k++) {
		assert_int_equal(counted(&r, 1, &none), k % 7);
		make_run(&r, 1, 3, 1, 0)->code = 1; /* one that failed counted nothing */
	}
	assert_int_equal(sd_schedule_pass(&r, &next, &none), 0);
	r.plan.min_repeats = 3; /* as asked, whatever the passes are */
	assert_int_equal(sd_schedule_least(&r, 1), 3);
	r.plan.n_pass = 0;
	assert_int_equal(counted(&r, 1, &none), 0);
	sd_record_free(&r);
}

/* Runs of a modelled machine do not vary: once each is enough, and no precision is bought. */
static void a_modelled_machine_takes_each_pass_once(void **state)
{
	struct sd_run next = {.point = 1, .kind = SD_RUN_BLOCK};
	struct sd_record r;
	unsigned mask;
	double worst = 0;

	(void)state;
	make_record(&r, one_two_four, 3);
	r.plan.simulation = make_zeroed(1, sizeof *r.plan.simulation);
	r.plan.simulation->whole = 1;
	assert_int_equal(sd_schedule_least(&r, 1), 1);
	r.plan.pass = make_zeroed(7, sizeof *r.plan.pass);
	r.plan.n_pass = 7;
	r.plan.pass_turn = 5;
	assert_int_equal(sd_schedule_least(&r, 1), 7);
	for (unsigned k = 0; k < 7; k++) {
		assert_int_equal(sd_schedule_pass(&r, &next, &none), k);
		for (size_t p = 0; p < 3; p++)
			runs(&r, p, 1, 4, 0);
	}
	assert_int_equal(need(&r, &mask, &worst), 0);
	sd_record_free(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_passes_that_every_point_gets_come_first),
		cmocka_unit_test(the_passes_of_a_formula_come_together_and_before_all_others),
		cmocka_unit_test(every_point_takes_the_passes_in_turn_and_each_twice),
		cmocka_unit_test(a_modelled_machine_takes_each_pass_once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
