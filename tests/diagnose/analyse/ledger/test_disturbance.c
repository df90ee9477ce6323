#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>
#include "support/near.h"

#include <math.h>

#include "ledger/disturbance.h"

#define IN(id) d[SD_DISTURBANCE_##id]

/* Two cores, all of whose user time is useful, with ten runs. */
static struct sd_disturbance_facts quiet(void)
{
	return (struct sd_disturbance_facts){
		.n = 2, .efficiency = .5, .runs = 10, .student = 2.262, .user = SD_OK(1)};
}

static void nothing_measured_is_no_amount_and_is_said(void **state)
{
	const struct sd_disturbance_facts f = {
		.n = 4, .efficiency = 1, .runs = 10, .student = 2.262};
	struct sd_disturbance d[SD_DISTURBANCE_COUNT];

	(void)state;
	sd_disturbance_make(&f, d);
	for (int i = 0; i < SD_DISTURBANCE_COUNT; i++) {
		assert_int_equal(d[i].status,
			i == SD_DISTURBANCE_FEW_RUNS ? SD_STATUS_OK : SD_STATUS_ABSENT);
		assert_near(d[i].added, 0, 0);
		assert_near(d[i].removed, 0, 0);
		assert_near(d[i].times, 1, 0);
	}
}

static void others_take_no_more_than_threads_waited_and_they_ran(void **state)
{
	static const struct {
		struct sd_value others, stolen, queue, waited;
		double cpu, times;
	} row[] = {
		{SD_OK(.1), SD_OK(.1), SD_OK(.5), SD_OK(.6), .2, 1 / (.9 * .9)},
		/* on cores that nobody of the program wanted they keep nothing apart */
		{SD_OK(.4), SD_OK(.2), SD_OK(.1), SD_OK(.1), .1, 1 / (.95 * .95)},
		{SD_OK(1), SD_OK(0), SD_OK(0), SD_OK(0), 0, 1},
		/* no more than at the reference, where as much was taken */
		{SD_OK(.4), SD_OK(.2), SD_OK(0), SD_OK(.6), 0, 1 / (.7 * .7)},
		/* how long others ran is not known: as long as threads waited */
		{SD_NOT(ABSENT), SD_OK(.1), SD_OK(.4), SD_OK(.4), .4, 1 / (.8 * .8)},
		/* how long threads waited is not known: as long as others ran */
		{SD_OK(.1), SD_OK(.1), SD_NOT(DENIED), SD_NOT(DENIED), .2, 1 / (.9 * .9)},
		{SD_OK(0), SD_OK(0), SD_OK(.3), SD_OK(.3), 0, 1},
	};
	struct sd_disturbance d[SD_DISTURBANCE_COUNT];

	(void)state;
	for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
		struct sd_disturbance_facts f = quiet();

		f.others = row[i].others;
		f.stolen = row[i].stolen;
		f.queue = row[i].queue;
		f.waited = row[i].waited;
		sd_disturbance_make(&f, d);
		assert_near(IN(OTHERS_CPU).added, row[i].cpu, 1e-12);
		assert_near(IN(OTHERS_PEERS).added, row[i].cpu, 1e-12); /* one peer */
		assert_near(IN(OTHERS_APART).times, row[i].times, 1e-12);
		f.n = 8;
		sd_disturbance_make(&f, d);
		assert_near(IN(OTHERS_PEERS).added, 7 * row[i].cpu, 1e-12);
	}
}

static void others_that_have_all_cpus_hide_everything(void **state)
{
	struct sd_disturbance_facts f = quiet();
	struct sd_disturbance d[SD_DISTURBANCE_COUNT];
	const struct sd_interval zero = {0, 0, 0, SD_STATUS_OK};

	(void)state;
	f.others = SD_OK(2.5);
	sd_disturbance_make(&f, d);
	assert_near(sd_disturbance_widen(zero, zero, SD_DISTURBANCE_BIT(OTHERS_APART), d, 2).upper,
		2, 0);
}

static void shared_cores_slow_user_time_by_their_width_at_most(void **state)
{
	struct sd_disturbance_facts f = quiet();
	struct sd_disturbance d[SD_DISTURBANCE_COUNT];

	(void)state;
	f.user = SD_OK(1.6);
	f.width_ref = SD_OK(3.2);
	f.width = SD_OK(2.4);
	f.width_least = SD_OK(1.8);
	sd_disturbance_make(&f, d);
	/* 1.6 cores on whole ones would be 1.2 */
	assert_near(IN(SHARED_CORES).added, .4, 1e-12);
	assert_near(IN(SHARED_CORES).removed, 0, 0);
	assert_near(IN(UNEVEN_CORES).added, .5, 1e-12);
	f.width_ref = SD_OK(1.6); /* the reference's core was the shared one */
	sd_disturbance_make(&f, d);
	assert_near(IN(SHARED_CORES).added, 0, 0);
	assert_near(IN(SHARED_CORES).removed, .8, 1e-12);
	f.width_ref = SD_NOT(ABSENT);
	sd_disturbance_make(&f, d);
	assert_int_equal(IN(SHARED_CORES).status, SD_STATUS_ABSENT);
	assert_int_equal(IN(UNEVEN_CORES).status, SD_STATUS_OK);
}

static void shared_cores_cost_no_more_than_cpu_time_grew_by(void **state)
{
	struct sd_disturbance_facts f = quiet();
	struct sd_disturbance d[SD_DISTURBANCE_COUNT];

	(void)state;
	f.n = 4;
	f.user = SD_OK(1.6);
	f.width_whole = f.width_ref = SD_OK(3.2);
	f.width = SD_OK(2.4);
	f.width_least = SD_OK(1.2);
	f.cpu_differs = SD_OK(.1);
	sd_disturbance_make(&f, d);
	assert_near(IN(SHARED_CORES).added, .1, 1e-12); /* .4 by the widths alone */
	assert_near(IN(UNEVEN_CORES).added, .3, 1e-12); /* three peers wait; 2 by the widths */
	f.cpu_differs = SD_OK(0);
	sd_disturbance_make(&f, d);
	assert_near(IN(SHARED_CORES).added, 0, 0);
	assert_near(IN(UNEVEN_CORES).added, 0, 0);
	f.width_whole = SD_OK(4); /* the reference ran on a shared core as well: .32 of its 1.6 */
	sd_disturbance_make(&f, d);
	assert_near(IN(SHARED_CORES).added, 0, 0);
	assert_near(IN(UNEVEN_CORES).added, .96, 1e-12);
	f.cpu_differs = SD_NOT(ABSENT);
	sd_disturbance_make(&f, d);
	assert_near(IN(SHARED_CORES).added, .4, 1e-12);
	assert_near(IN(UNEVEN_CORES).added, 2, 1e-12);
}

static void times_that_change_change_the_loss_by_as_much_of_the_efficiency(void **state)
{
	struct sd_disturbance_facts f = quiet();
	struct sd_disturbance d[SD_DISTURBANCE_COUNT];

	(void)state;
	f.drift = SD_OK(-.12);
	f.drift_noise = .02;
	f.states = SD_OK(.3);
	sd_disturbance_make(&f, d);
	assert_near(IN(DRIFT).added, .1 * .5 * 2, 1e-12);
	assert_near(IN(DRIFT).removed, .1 * .5 * 2, 1e-12);
	assert_near(IN(TWO_SPEEDS).added, .3, 1e-12);
	f.drift = SD_OK(.015); /* that much the runs differ by anyway */
	sd_disturbance_make(&f, d);
	assert_int_equal(IN(DRIFT).status, SD_STATUS_OK);
	assert_near(IN(DRIFT).added, 0, 0);
}

static void the_others_are_amounts_too(void **state)
{
	struct sd_disturbance_facts f = quiet();
	struct sd_disturbance d[SD_DISTURBANCE_COUNT];

	(void)state;
	f.throttled = SD_OK(.05);
	f.period = SD_OK(.01);
	f.wall = SD_OK(.5);
	f.unaccounted = (struct sd_interval){.1, -.05, .2, SD_STATUS_OK};
	sd_disturbance_make(&f, d);
	assert_near(IN(QUOTA).added, .1, 1e-12);
	assert_near(IN(SHORT_RUNS).added, 2 * 2 * .01 / .5, 1e-12);
	assert_near(IN(SHORT_RUNS).removed, 2 * 2 * .01 / .5, 1e-12);
	assert_near(IN(NOT_ACCOUNTED).added, .05, 1e-12);
	assert_near(IN(NOT_ACCOUNTED).removed, .2, 1e-12);
	f.wall = SD_OK(.005); /* shorter than two looks: nothing was seen */
	sd_disturbance_make(&f, d);
	assert_near(IN(SHORT_RUNS).removed, 2, 1e-12);
}

static void fewer_runs_have_wider_intervals_and_one_has_none(void **state)
{
	static const double t[] = {
		NAN, NAN, 12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262};
	struct sd_disturbance d[SD_DISTURBANCE_COUNT];
	double before = INFINITY;

	(void)state;
	for (unsigned r = 1; r <= 10; r++) {
		struct sd_disturbance_facts f = quiet();

		f.runs = r;
		f.student = t[r];
		sd_disturbance_make(&f, d);
		assert_true(IN(FEW_RUNS).spread <= before);
		assert_true(r < 2 ? isinf(IN(FEW_RUNS).spread) : isfinite(IN(FEW_RUNS).spread));
		before = IN(FEW_RUNS).spread;
	}
	/* t sqrt(10 / 9) / 1.96 */
	assert_near(before, 1.2165, 1e-3);
}

static void bounds_widen_to_their_sides_and_stay_within_the_cores(void **state)
{
	const unsigned by = SD_DISTURBANCE_BIT(OTHERS_PEERS) | SD_DISTURBANCE_BIT(DRIFT) |
			    SD_DISTURBANCE_BIT(OTHERS_APART);
	struct sd_disturbance d[SD_DISTURBANCE_COUNT];
	const struct sd_interval v = {.8, .7, 1, SD_STATUS_OK}, none = SD_STATEMENT_OPEN;
	struct sd_disturbance_bounds b;

	(void)state;
	for (int i = 0; i < SD_DISTURBANCE_COUNT; i++)
		d[i] = (struct sd_disturbance){SD_STATUS_OK, .1, .05, 1.1, 1};
	IN(FEW_RUNS) = (struct sd_disturbance){SD_STATUS_OK, 0, 0, 1, 2};
	b = sd_disturbance_widen(v, v, 0, d, 2);
	assert_near(b.lower, .7, 1e-12);
	assert_near(b.upper, 1, 1e-12);
	b = sd_disturbance_widen(v, v, by, d, 2);
	assert_near(b.lower, .4, 1e-12);
	assert_near(b.upper, (1 + .15) * 1.331, 1e-12);
	b = sd_disturbance_widen(v, v, SD_DISTURBANCE_BIT(FEW_RUNS), d, 2);
	assert_near(b.lower, .6, 1e-12);
	assert_near(b.upper, 1.2, 1e-12);
	/* less than nothing was seen: of bounds on the wrong side of it few runs make none */
	b = sd_disturbance_widen((struct sd_interval){-.1, 0, 0, SD_STATUS_OK},
		(struct sd_interval){.5, 0, .2, SD_STATUS_OK}, SD_DISTURBANCE_BIT(FEW_RUNS), d, 2);
	assert_near(b.lower, 0, 0);
	assert_near(b.upper, .5, 1e-12);
	b = sd_disturbance_widen(none, none, by, d, 2);
	assert_near(b.lower, 0, 0);
	assert_near(b.upper, 2, 0);
	IN(DRIFT).status = SD_STATUS_ABSENT; /* nobody measured it */
	b = sd_disturbance_widen(v, none, SD_DISTURBANCE_BIT(DRIFT), d, 2);
	assert_near(b.lower, .7, 1e-12);
}

/* A record may hold any number: none of them becomes a bound. */
static void what_is_no_number_bounds_nothing(void **state)
{
	static const struct sd_interval v[] = {{NAN, 1, 2, SD_STATUS_OK},
		{1, NAN, NAN, SD_STATUS_OK}, {1, -INFINITY, INFINITY, SD_STATUS_OK},
		{1, 1, 1, SD_STATUS_NOISY}, {1, 1, 1, SD_STATUS_ABSENT}};
	struct sd_disturbance d[SD_DISTURBANCE_COUNT];

	(void)state;
	for (int i = 0; i < SD_DISTURBANCE_COUNT; i++)
		d[i] = (struct sd_disturbance){SD_STATUS_OK, 0, 0, 1, 1};
	for (size_t i = 0; i < sizeof v / sizeof *v; i++) {
		const struct sd_disturbance_bounds b = sd_disturbance_widen(v[i], v[i], ~0u, d, 4);

		assert_near(b.lower, 0, 0);
		assert_near(b.upper, 4, 0);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nothing_measured_is_no_amount_and_is_said),
		cmocka_unit_test(others_take_no_more_than_threads_waited_and_they_ran),
		cmocka_unit_test(others_that_have_all_cpus_hide_everything),
		cmocka_unit_test(shared_cores_slow_user_time_by_their_width_at_most),
		cmocka_unit_test(shared_cores_cost_no_more_than_cpu_time_grew_by),
		cmocka_unit_test(times_that_change_change_the_loss_by_as_much_of_the_efficiency),
		cmocka_unit_test(the_others_are_amounts_too),
		cmocka_unit_test(fewer_runs_have_wider_intervals_and_one_has_none),
		cmocka_unit_test(bounds_widen_to_their_sides_and_stay_within_the_cores),
		cmocka_unit_test(what_is_no_number_bounds_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
