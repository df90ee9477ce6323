/*
 * A program that takes too short a time gets no cause: its own start takes as long as its work.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "support/analyse_record.h"
#include "support/make_record.h"
#include "support/make_samples.h"
#include "support/near.h"

static const char loader[] = "/usr/lib/x86_64-linux-gnu/ld-linux-x86-64.so.2",
		  musl[] = "/lib/ld-musl-x86_64.so.1", app[] = "/home/u/app";

/* Runs of so many s on one core and on two, one thread at work for `busy` of each, and `linked` of
 * that seen in the loader. */
static void analyse_busy(
	const double *walls, double busy, double linked, struct sd_record *r, struct sd_analysis *a)
{
	static const unsigned cores[] = {1, 2};
	unsigned start, work;

	record_make(r, cores, 2);
	start = make_call(
		r, make_call(r, 0, "_dl_start", NULL, 0, loader), "do_lookup_x", NULL, 0, loader);
	/* musl's C library, which calls main(), is its loader as well */
	work = make_call(r, make_call(r, 0, "libc_start_main_stage2", NULL, 0, musl), "main",
		"/home/u/app.c", 10, app);
	for (int i = 0; i < 10; i++) {
		const double wall = walls[i % 2];
		const struct sample s = {.wall = wall, .user = wall * busy};
		struct sd_run *const run = record_sample(r, (size_t)i % 2, &s, 1 + .001 * i);

		run->metric[SD_METRIC_POLL_PERIOD] = SD_OK(.002);
		make_idle(run, SD_IDLE_SERIAL, i % 2 ? wall : 0);
		if (linked > 0)
			make_use(run, start, SD_ACTIVITY_USEFUL, wall * busy * linked);
		make_use(run, work, SD_ACTIVITY_USEFUL, wall * busy * (1 - linked));
	}
	assert_int_equal(sd_analyse(r, NULL, NULL, a), 0);
}

static void analyse_two(
	const double *walls, double linked, struct sd_record *r, struct sd_analysis *a)
{
	analyse_busy(walls, 1, linked, r, a);
}

static void analyse(double wall, double linked, struct sd_record *r, struct sd_analysis *a)
{
	analyse_two((const double[]){wall, wall}, linked, r, a);
}

static void done(struct sd_record *r, struct sd_analysis *a)
{
	sd_analysis_free(a);
	sd_record_free(r);
}

static void a_short_program_has_no_cause_and_no_payoff(void **state)
{
	struct sd_record r;
	struct sd_analysis a;

	(void)state;
	analyse(.003, 0, &r, &a);
	assert_near(a.too_short.value, .003, 1e-4);
	assert_false(a.is_start);
	assert_int_equal(a.scales, SD_SCALES_UNKNOWN);
	assert_int_equal(a.runs_wanted, SD_RUNS_ENOUGH);
	assert_int_equal(a.stop, SD_STOP_SHORT);
	for (int i = 0; i < SD_CAUSE_COUNT; i++) {
		assert_int_equal(a.finding[i].verdict, SD_VERDICT_NOT_MEASURABLE);
		assert_int_equal(a.finding[i].worth.status, SD_STATUS_ABSENT);
		assert_null(a.finding[i].next);
	}
	done(&r, &a);
}

static void half_a_second_is_enough(void **state)
{
	struct sd_record r;
	struct sd_analysis a;

	(void)state;
	analyse(.5, 0, &r, &a);
	assert_false(sd_has(a.too_short));
	assert_int_equal(finding_of(&a, SD_CAUSE_SERIAL_CODE)->verdict, SD_VERDICT_LIKELY);
	done(&r, &a);
}

static void what_a_short_program_takes_longer_on_more_cores_is_no_start(void **state)
{
	struct sd_record r;
	struct sd_analysis a;

	(void)state;
	analyse_two((const double[]){.045, .11}, 0, &r, &a);
	assert_false(sd_has(a.too_short));
	assert_int_equal(a.scales, SD_SCALES_NO);
	done(&r, &a);
	analyse_two((const double[]){.02, .04}, 0, &r, &a);
	assert_true(sd_has(a.too_short));
	done(&r, &a);
	analyse_two((const double[]){.045, .11}, .7, &r, &a);
	assert_true(sd_has(a.too_short) && a.is_start);
	done(&r, &a);
}

static void what_mostly_starts_is_short_however_long_that_takes(void **state)
{
	struct sd_record r;
	struct sd_analysis a;

	(void)state;
	analyse(.2, .7, &r, &a);
	assert_true(sd_has(a.too_short) && a.is_start);
	assert_int_equal(finding_of(&a, SD_CAUSE_SERIAL_CODE)->verdict, SD_VERDICT_NOT_MEASURABLE);
	done(&r, &a);
	analyse(.2, .3, &r, &a);
	assert_false(sd_has(a.too_short) || a.is_start);
	done(&r, &a);
	/* one that sleeps is seen in its start, which is no part of the time it takes */
	analyse_busy((const double[]){.4, .4}, .1, .7, &r, &a);
	assert_false(sd_has(a.too_short) || a.is_start);
	done(&r, &a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_short_program_has_no_cause_and_no_payoff),
		cmocka_unit_test(half_a_second_is_enough),
		cmocka_unit_test(what_a_short_program_takes_longer_on_more_cores_is_no_start),
		cmocka_unit_test(what_mostly_starts_is_short_however_long_that_takes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
