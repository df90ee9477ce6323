/*
 * Waits that a program chose: told as most of the loss where they are, with the function that
 * sleeps, and not where the loss is the program's work or a small part of it sleeps.
 */
#include <stdio.h>

#include "diagnose/analyse/hotspots/sampled_mixture.h"

/* 1.5 s sleep at one core and `slept` core-s on two, of which the run takes `wall` s. */
static void make_runs(struct sd_record *r, double wall, double slept, double serial, unsigned at)
{
	const struct sample one = {.wall = 1.8, .user = .3, .idle = {[SD_IDLE_SLEEP] = 1.5}};
	const struct sample many = {.wall = wall,
		.user = .3,
		.idle = {[SD_IDLE_SLEEP] = slept, [SD_IDLE_SERIAL] = serial}};

	for (int i = 0; i < RUNS; i++) {
		const double f = 1 + .001 * i;
		struct sd_run *run = record_sample(r, 0, &one, f);

		make_use(run, at, SD_ACTIVITY_USEFUL, .3 * f);
		make_use(run, at, SD_ACTIVITY_SLEEP, 6 * f);
		run = record_sample(r, 1, &many, f);
		make_use(run, at, SD_ACTIVITY_USEFUL, .3 * f);
		make_use(run, at, SD_ACTIVITY_SLEEP, 6 * f);
	}
}

static void analysed(
	struct sd_record *r, struct sd_analysis *a, double wall, double slept, double serial)
{
	static const unsigned cores[] = {1, 2};
	unsigned at;

	record_make(r, cores, 2);
	at = make_call(r, 0, "fetch", "/home/u/app.c", 4, "/home/u/app");
	make_runs(r, wall, slept, serial, at);
	assert_int_equal(sd_analyse(r, NULL, NULL, a), 0);
}

static void a_pool_that_sleeps_loses_its_cores_to_the_timer(void **state)
{
	struct sd_record r;
	struct sd_analysis a;

	(void)state;
	analysed(&r, &a, 1.8, 3.3, 0);
	assert_true(sd_status_measured(a.own_wait));
	assert_int_equal(a.own_wait_of, SD_COMPONENT_SLEEP);
	assert_near(a.own_wait.value, 1, .05); /* 3.3 - 1.5 core-s of 1.8 s */
	assert_string_equal(a.own_wait_at.function, "fetch");
	sd_analysis_free(&a);
	sd_record_free(&r);
}

static void a_loss_to_serial_code_is_not_told_as_sleep(void **state)
{
	struct sd_record r;
	struct sd_analysis a;

	(void)state;
	analysed(&r, &a, 1.8, 1.6, 1.7);
	assert_false(sd_status_measured(a.own_wait));
	assert_null(a.own_wait_at.function);
	sd_analysis_free(&a);
	sd_record_free(&r);
}

static void what_sleeps_half_as_long_on_two_loses_nothing(void **state)
{
	struct sd_record r;
	struct sd_analysis a;

	(void)state;
	analysed(&r, &a, .9, 1.5, 0);
	assert_false(sd_status_measured(a.own_wait));
	sd_analysis_free(&a);
	sd_record_free(&r);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_pool_that_sleeps_loses_its_cores_to_the_timer),
		cmocka_unit_test(a_loss_to_serial_code_is_not_told_as_sleep),
		cmocka_unit_test(what_sleeps_half_as_long_on_two_loses_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
