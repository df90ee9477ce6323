/*
 * Samples, windows and totals tell of what ran meanwhile.
 */
#include <stdlib.h>
#include <string.h>

#include "diagnose/attribute/blame_timeline.h"
#include "attribute/fill_gaps.h"

/* From even to odd ms the second waits for a mutex, and from odd to even ones it runs, as does the
 * first all the time; recorded up to 10 ms, from 41 to 51, from 80 to 90. */
static struct sd_timeline windows(void)
{
	static const double window[][2] = {{-1, 10}, {41, 51}, {80, 90}};
	struct sd_timeline t = begin();

	for (int i = 0; i < 3; i++) {
		sd_timeline_open(&t, (uint64_t)fmax(0, window[i][0]) * MS);
		for (int ms = 0; ms < 100; ms++) {
			if (ms <= window[i][0] || ms > window[i][1])
				continue;
			if (ms % 2)
				in(&t, ms, 1);
			else
				waits(&t, ms, 1, SD_ACTIVITY_MUTEX, 0x1000, 50);
			if (ms % 5 == 4)
				runs(&t, ms, 0, 7, SD_ACTIVITY_USEFUL, 5);
		}
		assert_int_equal(sd_timeline_shut(&t, (uint64_t)window[i][1] * MS), 0);
		runs(&t, window[i][1] + 4, 0, 7, SD_ACTIVITY_USEFUL, 5);
		runs(&t, window[i][1] + 5, 1, 8, SD_ACTIVITY_USEFUL, 5);
	}
	t.end = 100 * MS;
	sd_timeline_bound(&t);
	return t;
}

static void windows_stand_for_the_times_between_them(void **state)
{
	struct sd_timeline t = windows();
	struct result r;

	(void)state;
	assert_true(fabs(t.unwatched - .7) < 1e-12);
	assert_int_equal(sd_fill_gaps(&t), 0);
	account(&r, &t, 100, 2);
	is(sum(r.idle, SD_IDLE_COUNT), 50);
	is(r.idle[SD_IDLE_LOCK], 50);
	is(row(&r, 50, SD_ACTIVITY_MUTEX)->seconds, 50);
	assert_true(fabs(row(&r, 50, SD_ACTIVITY_MUTEX)->count - 50) < 1e-9);
	is(row(&r, 50, SD_ACTIVITY_MUTEX)->longest, 1);
	assert_int_equal(r.s.n_lock, 1);
	assert_true(fabs(r.s.lock[0].waits - 50) < 1e-9);
	is(r.s.lock[0].wait_s, 50);
	is(r.s.lock[0].longest_s, 1);
	assert_true(fabs(r.s.lock[0].busy.value - .5) < 1e-9);
	is(r.c.division.concurrency[1], 50);
	is(r.c.division.concurrency[2], 50);
	is(r.s.bottle[0].height + r.s.bottle[1].height, 100);
	/* samples are of all the time */
	is(row(&r, 8, SD_ACTIVITY_USEFUL)->seconds, 15);
	done(&r, &t);
}

/* The second waits for the disk to 40 ms, and is on its CPU `late` ms after it was woken. */
static void disk(double late, double disk_ms, double ready_ms)
{
	struct sd_timeline t = begin();
	struct result r;

	in(&t, 0, 1);
	runs(&t, 10, 0, 7, SD_ACTIVITY_USEFUL, 10);
	runs(&t, 20, 1, 8, SD_ACTIVITY_USEFUL, 20);
	waits(&t, 20, 1, SD_ACTIVITY_DISK, 0, 50);
	wakes(&t, 40, 0, 1);
	in(&t, 40 + late, 1);
	runs(&t, 100, 0, 7, SD_ACTIVITY_USEFUL, 90);
	account(&r, &t, 100, 2);
	is(r.idle[SD_IDLE_DISK], disk_ms);
	is(r.idle[SD_IDLE_RUNNABLE], ready_ms);
	is(row(&r, 50, SD_ACTIVITY_DISK)->seconds, 20);
	done(&r, &t);
}

static void a_wake_up_is_a_part_of_the_wait_where_a_core_is_free(void **state)
{
	(void)state;
	disk(.5, 20.5, 0);
	/* somebody has taken it */
	disk(5, 20, 5);
}

/* Four rounds: the first thread is alone for 10 ms, wakes the second, which takes .5 ms, and works
 * beside it for 9.5 ms. No sample is taken while it is alone in the second and the last round. */
static void what_no_sample_met_is_charged_as_what_samples_met(void **state)
{
	struct sd_timeline t = begin();
	struct result r;

	(void)state;
	in(&t, 0, 1);
	waits(&t, 0, 1, SD_ACTIVITY_BARRIER, 0x1000, 50);
	for (int round = 0; round < 4; round++) {
		const double from = 20. * round;

		if (round % 2 == 0)
			runs(&t, from + 5, 0, 7, SD_ACTIVITY_USEFUL, 10);
		wakes(&t, from + 10, 0, 1);
		/* its own part, while the other is on its way */
		if (round == 1)
			runs(&t, from + 10.2, 0, 8, SD_ACTIVITY_USEFUL, 10);
		in(&t, from + 10.5, 1);
		runs(&t, from + 15, 0, 8, SD_ACTIVITY_USEFUL, 10);
		if (round < 3)
			waits(&t, from + 20, 1, SD_ACTIVITY_BARRIER, 0x1000, 50);
	}
	account(&r, &t, 80, 2);
	is(r.idle[SD_IDLE_SERIAL] + r.idle[SD_IDLE_IMBALANCE], 42);
	is(row(&r, 7, SD_ACTIVITY_USEFUL)->blame, 42);
	is(row(&r, 8, SD_ACTIVITY_USEFUL)->blame, 0);
	done(&r, &t);
}

/* Both live for 100 ms, and had 145 ms of CPU time: they waited for 55 ms, not 50. */
static void waits_in_windows_are_put_right_by_the_cpu_time(void **state)
{
	struct sd_timeline t = windows();
	struct result r = {.s = {0}};

	(void)state;
	assert_int_equal(sd_fill_gaps(&t), 0);
	assert_int_equal(sd_blame_make(&r.c, &t, NULL, 2), 0);
	sd_blame_correct(&r.c, .145);
	assert_int_equal(sd_blame_rows(&r.c, NULL, &r.s), 0);
	is(row(&r, 50, SD_ACTIVITY_MUTEX)->seconds, 55);
	is(row(&r, 8, SD_ACTIVITY_USEFUL)->seconds, 15);
	is(r.s.lock[0].wait_s, 55);
	is(r.s.lock[0].waiter[0].seconds, 55);
	assert_true(fabs(r.s.lock[0].waits - 50) < 1e-9);
	sd_sampled_free(&r.s);
	r.s = (struct sd_sampled){0};
	/* so far off that threads must have run unseen */
	r.c.waits_by = 1;
	sd_blame_correct(&r.c, .1);
	assert_true(r.c.waits_by == 1);
	done(&r, &t);
}

/* Both run until the second ends in a gap from 40 to 70 ms; the first goes on alone for 2 ms. */
static void the_end_of_a_run_does_not_stand_for_a_longer_gap(void **state)
{
	struct sd_timeline t = begin();
	struct result r;

	(void)state;
	in(&t, 0, 1);
	runs(&t, 20, 0, 7, SD_ACTIVITY_USEFUL, 20);
	runs(&t, 20, 1, 8, SD_ACTIVITY_USEFUL, 20);
	assert_int_equal(sd_timeline_shut(&t, 40 * MS), 0);
	add(&t, 69, SD_MOMENT_EXIT, 1);
	sd_timeline_open(&t, 70 * MS);
	runs(&t, 71, 0, 7, SD_ACTIVITY_USEFUL, 20);
	t.end = 72 * MS;
	sd_timeline_bound(&t);
	account(&r, &t, 72, 2);
	is(sum(r.idle, SD_IDLE_COUNT), 2);
	done(&r, &t);
}

/* Two threads, one of which spins in half of its samples: in one go, or by chance. */
static double spun(int by_chance, int together)
{
	struct sd_timeline t = begin();
	struct result r;
	unsigned chance = 1;
	double all;

	in(&t, 0, 1);
	in(&t, 0, 2);
	for (unsigned i = 0; i < 200; i++) {
		const int spins = by_chance ? (chance >> 16) % 2 : i >= 100;

		runs(&t, 2 * i, 1, 3, SD_ACTIVITY_USEFUL, 2);
		runs(&t, 2 * i, 2, spins ? 60 : 3,
			spins ? SD_ACTIVITY_SPIN_BARRIER : SD_ACTIVITY_USEFUL, 2);
		chance = chance * 1103515245u + 12345;
	}
	t.together = together;
	account(&r, &t, 400, 2);
	all = r.s.spun_serial.value + r.s.spun_imbalance.value;
	done(&r, &t);
	return all;
}

static void what_ran_meanwhile_is_known_of_waits_longer_than_the_time_between_samples(void **state)
{
	(void)state;
	assert_true(spun(0, 0) > .19 && spun(0, 0) < .21);
	assert_true(spun(1, 0) < .05);
}

/* Ten of sixty samples: in one go, or one in six. */
static void ten_samples_say_how_long_waits_in_loops_are(void **state)
{
	(void)state;
	for (int spread = 0; spread < 2; spread++) {
		struct sd_timeline t = begin();
		struct result r;
		double all;

		in(&t, 0, 1);
		in(&t, 0, 2);
		for (unsigned i = 0; i < 60; i++) {
			const int spins = spread ? i % 6 == 3 : i >= 50;

			runs(&t, 2 * i, 1, 3, SD_ACTIVITY_USEFUL, 2);
			runs(&t, 2 * i, 2, spins ? 60 : 3,
				spins ? SD_ACTIVITY_SPIN_BARRIER : SD_ACTIVITY_USEFUL, 2);
		}
		account(&r, &t, 120, 2);
		all = r.s.spun_serial.value + r.s.spun_imbalance.value;
		done(&r, &t);
		if (spread)
			assert_true(all < .002);
		else
			assert_true(all > .015 && all < .021);
	}
}

static void what_ran_meanwhile_is_known_where_clocks_tick_together(void **state)
{
	(void)state;
	assert_true(spun(1, 1) > .1);
}

/* Phases shorter than the time between samples: which of two nodes is met is a matter of chance,
 * but both threads are met in the same phase. */
static void samples_of_one_moment_are_of_one_phase(void **state)
{
	static const int serial[] = {0, 1, 0, 0, 1, 1, 0, 1, 0, 1};
	const size_t n = sizeof serial / sizeof *serial;
	struct sd_timeline t = begin();
	struct result r;

	(void)state;
	in(&t, 0, 0);
	in(&t, 0, 1);
	for (size_t i = 0; i < n; i++) {
		const double at = 2 * (double)i;

		runs(&t, at, 0, serial[i] ? 7 : 8, SD_ACTIVITY_USEFUL, 2);
		if (serial[i])
			runs(&t, at, 1, 9, SD_ACTIVITY_SPIN_BARRIER, 2);
		else
			runs(&t, at, 1, 8, SD_ACTIVITY_USEFUL, 2);
	}
	t.together = 1;
	account(&r, &t, 2 * (double)n, 2);
	is(row(&r, 7, SD_ACTIVITY_USEFUL)->solo, 10);
	is(row(&r, 7, SD_ACTIVITY_USEFUL)->spun_serial, 10);
	is(row(&r, 8, SD_ACTIVITY_USEFUL)->solo, 0);
	is(row(&r, 8, SD_ACTIVITY_USEFUL)->spun_serial, 0);
	done(&r, &t);
}

enum { OWN = 1, SHARED, NODES }; /* a function each */

/* Two threads, n samples of each, with what they were met at. */
static void meet(struct result *r, const unsigned first[], const unsigned second[], unsigned n)
{
	static struct sd_frame frame[NODES] = {{0}, {.function = 1}, {.function = 2}};
	static struct sd_node node[NODES] = {{0}, {.frame = OWN}, {.frame = SHARED}};
	struct sd_stacks stacks = {.frame = frame, .n_frame = NODES, .node = node, .n_node = NODES};
	struct sd_timeline t = begin();

	in(&t, 0, 1);
	for (unsigned i = 0; i < n; i++) {
		runs(&t, 2 * i, 0, first[i], SD_ACTIVITY_USEFUL, 2);
		runs(&t, 2 * i + .1, 1, second[i],
			second[i] ? SD_ACTIVITY_USEFUL : SD_ACTIVITY_SPIN_BARRIER, 2);
	}
	t.together = 1;
	account_named(r, &t, 2 * n, 2, &stacks);
	sd_timeline_free(&t);
}

static void met(struct result *r)
{
	sd_blame_free(&r->c);
	sd_sampled_free(&r->s);
}

/* Phases shorter than what lies between the clocks' ticks: the second is met spinning in 40 % of
 * what the first does alone, and in 60 % of what both do. */
static void of_phases_that_no_two_samples_meet_the_totals_tell(void **state)
{
	unsigned first[200], second[200];
	struct result r;

	(void)state;
	for (unsigned i = 0; i < 200; i++) {
		first[i] = i % 2 ? OWN : SHARED;
		second[i] = i / 2 % 5 < (i % 2 ? 2 : 3) ? 0 : SHARED;
	}
	meet(&r, first, second, 200);
	is(r.s.spun_serial.value, 200);
	is(r.s.spun_imbalance.value, 0);
	is(row(&r, OWN, SD_ACTIVITY_USEFUL)->spun_serial, 200);
	is(row(&r, SHARED, SD_ACTIVITY_USEFUL)->spun_serial, 0);
	is(row(&r, SHARED, SD_ACTIVITY_USEFUL)->spun_imbalance, 0);
	is(r.s.useful_alone.value, 200);
	met(&r);
}

/* Two of three units of work are the first's, whenever the second is met. */
static void who_does_more_of_the_work_of_all_is_late_however_short_the_waits(void **state)
{
	unsigned first[200], second[200], chance = 1;
	struct result r;

	(void)state;
	for (unsigned i = 0; i < 200; i++) {
		first[i] = SHARED;
		second[i] = (chance >> 16) % 2 ? 0 : SHARED;
		chance = chance * 1103515245u + 12345;
	}
	meet(&r, first, second, 200);
	is(r.s.spun_serial.value, 0);
	is(r.s.spun_imbalance.value, row(&r, 0, SD_ACTIVITY_SPIN_BARRIER)->seconds * 1e3);
	is(row(&r, SHARED, SD_ACTIVITY_USEFUL)->spun_imbalance, r.s.spun_imbalance.value * 1e3);
	met(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_no_sample_met_is_charged_as_what_samples_met),
		cmocka_unit_test(waits_in_windows_are_put_right_by_the_cpu_time),
		cmocka_unit_test(a_wake_up_is_a_part_of_the_wait_where_a_core_is_free),
		cmocka_unit_test(windows_stand_for_the_times_between_them),
		cmocka_unit_test(the_end_of_a_run_does_not_stand_for_a_longer_gap),
		cmocka_unit_test(samples_of_one_moment_are_of_one_phase),
		cmocka_unit_test(of_phases_that_no_two_samples_meet_the_totals_tell),
		cmocka_unit_test(who_does_more_of_the_work_of_all_is_late_however_short_the_waits),
		cmocka_unit_test(ten_samples_say_how_long_waits_in_loops_are),
		cmocka_unit_test(what_ran_meanwhile_is_known_where_clocks_tick_together),
		cmocka_unit_test(
			what_ran_meanwhile_is_known_of_waits_longer_than_the_time_between_samples),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
