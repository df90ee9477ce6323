/*
 * Phases that take the same at every count are no loss: set-up of a program whose work grows, and
 * the sleep of a benchmark that prints a rate.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "support/analyse_record.h"
#include "support/make_samples.h"

#define RUNS 6

static const unsigned cores[] = {1, 2};

static double component(const struct sd_analysis *a, enum sd_component k)
{
	const struct sd_interval v = a->point[a->n_point - 1].stack[k];

	return v.status == SD_STATUS_OK ? v.value : 0;
}

/* 3 s of set-up in one thread, then 7 s of work, on each core; `more`: the work takes so much
 * longer on two. */
static void weak(struct sd_record *r, double more, double setup)
{
	const double wall = setup + 7 * more;
	const struct sample one = {.wall = 10, .user = 10},
			    two = {.wall = wall,
				    .user = setup + 14 * more,
				    .idle = {[SD_IDLE_SERIAL] = setup}};
	unsigned prepare, work;

	record_make(r, cores, 2);
	r->program.scaling = SD_SCALING_WEAK;
	prepare = make_call(r, make_call(r, 0, "main", "a.c", 1, "/home/u/app"), "prepare", "a.c",
		7, "/home/u/app");
	work = make_call(r, 0, "work", "a.c", 17, "/home/u/app");
	for (int i = 0; i < RUNS; i++) {
		const double f = 1 + .001 * i;
		struct sd_run *run = record_sample(r, 0, &one, f);
		struct sd_use *u;

		make_use(run, prepare, SD_ACTIVITY_USEFUL, 3 * f);
		make_use(run, work, SD_ACTIVITY_USEFUL, 7 * f);
		run = record_sample(r, 1, &two, f);
		u = make_use(run, prepare, SD_ACTIVITY_USEFUL, setup * f);
		u->blame = u->blame_serial = setup * f;
		make_use(run, work, SD_ACTIVITY_USEFUL, 14 * more * f);
	}
}

static void set_up_that_is_constant_is_no_serial_code(void **state)
{
	struct sd_record r;
	struct sd_analysis a;

	(void)state;
	weak(&r, 1, 3);
	assert_int_equal(sd_analyse(&r, NULL, NULL, &a), 0);
	assert_true(fabs(stack_sum(&a.point[1]) - 2) < 1e-9);
	assert_true(fabs(component(&a, SD_COMPONENT_USEFUL) - 2) < .01);
	assert_true(fabs(component(&a, SD_COMPONENT_SERIAL)) < .01);
	assert_true(fabs(component(&a, SD_COMPONENT_GROWTH)) < .01);
	assert_int_equal(finding_of(&a, SD_CAUSE_SERIAL_CODE)->verdict, SD_VERDICT_RULED_OUT);
	assert_int_equal(a.scales, SD_SCALES_YES);
	sd_analysis_free(&a);
	sd_record_free(&r);
}

/* It hid the growth of the rest: 2.8 core-s of 18.6. */
static void growth_beside_constant_set_up_is_seen(void **state)
{
	struct sd_record r;
	struct sd_analysis a;

	(void)state;
	weak(&r, 1.2, 3);
	assert_int_equal(sd_analyse(&r, NULL, NULL, &a), 0);
	assert_true(fabs(component(&a, SD_COMPONENT_GROWTH) - 2.8 / 11.4) < .02);
	assert_true(fabs(component(&a, SD_COMPONENT_SERIAL)) < .01);
	sd_analysis_free(&a);
	sd_record_free(&r);
}

/* Set-up for all the work: it takes twice as long at two cores, and that is a loss. */
static void set_up_that_grows_with_the_work_is_serial_code(void **state)
{
	struct sd_record r;
	struct sd_analysis a;

	(void)state;
	weak(&r, 1, 6);
	assert_int_equal(sd_analyse(&r, NULL, NULL, &a), 0);
	assert_true(component(&a, SD_COMPONENT_SERIAL) > .4);
	assert_int_equal(finding_of(&a, SD_CAUSE_SERIAL_CODE)->verdict, SD_VERDICT_LIKELY);
	sd_analysis_free(&a);
	sd_record_free(&r);
}

/* 2 s of sleep, then 1 s in which work is counted: what slows that down takes most of two cores. */
static void a_rate_says_nothing_of_the_sleep_beside_it(void **state)
{
	static const struct sample one = {.wall = 3, .user = 1, .idle = {[SD_IDLE_SLEEP] = 2}},
				   two = {.wall = 3,
					   .user = .6,
					   .idle = {[SD_IDLE_SLEEP] = 4, [SD_IDLE_LOCK] = 1.4}};
	char pattern[] = "rate ([0-9]+)";
	struct sd_record r;
	struct sd_analysis a;

	(void)state;
	record_make(&r, cores, 2);
	r.program.rate = pattern;
	for (int i = 0; i < RUNS; i++) {
		record_sample(&r, 0, &one, 1)->metric[SD_METRIC_RATE] = SD_OK(100 + .1 * i);
		record_sample(&r, 1, &two, 1)->metric[SD_METRIC_RATE] = SD_OK(60 + .1 * i);
	}
	assert_int_equal(sd_analyse(&r, NULL, NULL, &a), 0);
	assert_true(fabs(stack_sum(&a.point[1]) - 2) < 1e-9);
	assert_true(fabs(component(&a, SD_COMPONENT_SLEEP)) < .01);
	assert_true(fabs(component(&a, SD_COMPONENT_LOCK) - 1.4) < .02);
	assert_int_equal(a.finding[0].cause, SD_CAUSE_LOCK_CONTENTION);
	sd_analysis_free(&a);
	r.program.rate = NULL;
	sd_record_free(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(set_up_that_is_constant_is_no_serial_code),
		cmocka_unit_test(growth_beside_constant_set_up_is_seen),
		cmocka_unit_test(set_up_that_grows_with_the_work_is_serial_code),
		cmocka_unit_test(a_rate_says_nothing_of_the_sleep_beside_it),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
