/*
 * Bounds on how often a line is written, from the hits of watchpoints on its words, and what time
 * that a hypervisor took does to them.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "native/line_proof.h"

#define HIT_S 10e-6

/* A thread that wrote word 1 `hits` times in 20 windows, and one that read it. */
static struct sd_native_line told(uint64_t hits, struct sd_value stolen)
{
	struct sd_watched_line l = {.status = SD_STATUS_OK, .n_thread = 2, .windows = 80};
	struct sd_native_line out = {.proven = SD_NOT(ABSENT)};

	for (unsigned kind = 0; kind < SD_LINE_WATCH_KINDS; kind++) {
		l.seconds[kind] = 20 * SD_LINE_WATCH_WINDOW_S;
		for (unsigned t = 0; t < 2; t++)
			l.seen[kind][t] = l.ran[kind][t] = l.seconds[kind];
	}
	l.hits[1][1][0] = hits;
	l.hits[0][1][0] = l.hits[0][1][1] = 20;
	sd_line_proof_tell(&l, HIT_S, stolen, &out);
	return out;
}

static void counts_become_rates_and_their_bounds(void **state)
{
	const struct sd_native_line l = told(200, SD_OK(0));

	(void)state;
	assert_int_equal(l.writers, 1);
	assert_int_equal(l.watched, 2);
	assert_int_equal(l.shared_words, 1);
	/* 200 hits of 10 us in 20 ms leave 18 ms */
	assert_true(l.proven.value > 11100 && l.proven.value < 11120);
	assert_true(l.proven_most.value > l.proven.value && l.proven_most.value < 15000);
	/* nothing is known of a hypervisor: as if there were none */
	assert_true(told(200, SD_NOT(ABSENT)).proven_most.value == l.proven_most.value);
}

/* A window may have been stolen as a whole, so that nobody could write. */
static void stolen_time_widens_the_bound(void **state)
{
	const double free = told(200, SD_OK(0)).proven_most.value;
	const double none = told(0, SD_OK(0)).proven_most.value;
	const struct sd_native_line tenth = told(200, SD_OK(.1)), half = told(200, SD_OK(.5));

	(void)state;
	assert_true(sd_has(tenth.proven_most) && sd_has(half.proven_most));
	assert_true(tenth.proven_most.value > free / .9);
	assert_true(half.proven_most.value > 2 * free);
	assert_true(half.proven.value == tenth.proven.value);
	assert_true(told(0, SD_OK(.5)).proven_most.value > 2 * none);
}

/* Writes that are each a hit: with all of the CPU the hits would take less than most of the time,
 * but in a third of it they are all that the thread does. */
static void what_may_have_been_hit_all_the_time_has_no_bound(void **state)
{
	(void)state;
	assert_true(sd_has(told(600, SD_OK(0)).proven_most));
	assert_false(sd_has(told(600, SD_OK(.65)).proven_most));
	assert_false(sd_has(told(0, SD_OK(1)).proven_most));
	assert_false(sd_has(told(1100, SD_OK(0)).proven_most));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(counts_become_rates_and_their_bounds),
		cmocka_unit_test(stolen_time_widens_the_bound),
		cmocka_unit_test(what_may_have_been_hit_all_the_time_has_no_bound),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
