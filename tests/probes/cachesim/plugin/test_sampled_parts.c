/* Parts that stand for the rest: where they lie, and what their spread says. */
#include "plugin/sampled_parts.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#define SHARE 10u
#define STRETCH (SIM_SAMPLED_PART * 100ull / SHARE)

struct world {
	struct sim_thread thread, *threads[1];
	struct sim_run run;
	struct sim_sampled_parts parts;
};

static struct world *begin(void)
{
	struct world *const w = calloc(1, sizeof *w);

	assert_non_null(w);
	w->threads[0] = &w->thread;
	w->thread.block = &sim_block_none;
	w->run.thread = w->threads;
	w->run.n_thread = 1;
	sim_sampled_parts_open(&w->parts);
	return w;
}

/* A part of so many misses, and the gap behind it. Returns where the next begins. */
static uint64_t one(struct world *w, uint64_t misses)
{
	const uint64_t from = w->thread.base;

	w->thread.base += SIM_SAMPLED_PART;
	w->thread.count.l1_misses += misses;
	assert_int_equal(w->parts.next, w->thread.base);
	sim_sampled_parts_end(&w->parts, &w->run, SHARE);
	assert_true(w->parts.next >= from + SIM_SAMPLED_PART);
	w->thread.skipped += w->parts.next - w->thread.base;
	w->thread.base = w->parts.next;
	sim_sampled_parts_begin(&w->parts, w->thread.base);
	return w->thread.base;
}

static void every_stretch_has_its_part(void **state)
{
	struct world *const w = begin();
	uint64_t least = STRETCH, most = 0;

	(void)state;
	for (uint64_t i = 1; i < 1000; i++) {
		const uint64_t at = one(w, 1);

		assert_int_equal(at / STRETCH, i);
		assert_int_equal((at + SIM_SAMPLED_PART - 1) / STRETCH, i);
		least = at % STRETCH < least ? at % STRETCH : least;
		most = at % STRETCH > most ? at % STRETCH : most;
	}
	/* anywhere in it */
	assert_true(least < STRETCH / 50 && most > STRETCH * 85 / 100);
	free(w);
}

static void a_part_that_ended_late_is_not_made_up_for(void **state)
{
	struct world *const w = begin();

	(void)state;
	w->thread.base = 7 * STRETCH + 5;
	sim_sampled_parts_end(&w->parts, &w->run, SHARE);
	assert_int_equal(w->parts.next / STRETCH, 8);
	free(w);
}

static void equal_parts_are_precise_and_few_are_not_judged(void **state)
{
	struct world *const w = begin();
	char text[160];

	(void)state;
	for (unsigned i = 0; i < 4; i++)
		one(w, 1000);
	assert_true(sim_sampled_parts_half(&w->parts, SIM_SAMPLED_L1) < 0);
	sim_sampled_parts_say(&w->parts, (double)w->thread.base, text, sizeof text);
	assert_non_null(strstr(text, "too few"));
	one(w, 1000);
	assert_true(fabs(sim_sampled_parts_half(&w->parts, SIM_SAMPLED_L1)) < 1e-6);
	assert_true(sim_sampled_parts_half(&w->parts, SIM_SAMPLED_LLC) < 0);
	sim_sampled_parts_say(&w->parts, (double)w->thread.base, text, sizeof text);
	assert_non_null(strstr(text, "L1 misses \xc2\xb1"));
	assert_null(strstr(text, "last-level"));
	free(w);
}

/* Of intervals of 95 % about one in twenty misses the truth: more than 90 and less than 99 in 100
 * have it. */
static void the_interval_has_the_truth_as_often_as_it_says(void **state)
{
	unsigned has = 0, seed = 1;
	const unsigned trials = 2000;

	(void)state;
	for (unsigned trial = 0; trial < trials; trial++) {
		struct world *const w = begin();
		double half, rate;

		for (unsigned i = 0; i < 12; i++) {
			uint64_t misses = 0; /* 8000 on average, nearly normal */

			for (unsigned k = 0; k < 8; k++) {
				seed = seed * 1664525u + 1013904223u;
				misses += (seed >> 16) % 2001;
			}
			one(w, misses);
		}
		half = sim_sampled_parts_half(&w->parts, SIM_SAMPLED_L1);
		rate = w->parts.sum_count[SIM_SAMPLED_L1] / w->parts.instructions *
		       SIM_SAMPLED_PART;
		assert_true(half > 0 && half < 0.5);
		has += fabs(rate - 8000) <= half * rate;
		free(w);
	}
	assert_in_range(has, trials * 90 / 100, trials * 99 / 100);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_stretch_has_its_part),
		cmocka_unit_test(a_part_that_ended_late_is_not_made_up_for),
		cmocka_unit_test(equal_parts_are_precise_and_few_are_not_judged),
		cmocka_unit_test(the_interval_has_the_truth_as_often_as_it_says),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
