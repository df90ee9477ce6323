/* Which parts of a run are modelled, what they are taken for, and what their spread says. */
#include "plugin/sampled_parts.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "plugin/estimates.h"

#define M 1000000ull
#define WINDOW (M / 2) /* instructions between looks */

/* A program by its misses: so many of a million instructions, more or less by up to `noise` of them
 * from one ten millions to the next; other ones from `change` on; at first those of loading it. */
struct program {
	double rate, noise, changed, louder; /* louder: noise from `change` on */
	uint64_t change, loading;
	double events, moves;  /* of the replay, an instruction; of them, lines that move */
	uint64_t events_begin; /* from here on */
	/* misses of the LLC by lines that come for the first time, a million instructions; and of
	 * such lines that came in a rest, again in the part after it */
	double first, again;
};

struct world {
	struct sim_options options;
	struct sim_thread thread, *threads[1];
	struct sim_run run;
	struct sim_sampled_parts parts;
	double truth, modelled; /* misses of all; instructions that the model saw */
	double firsts;          /* of the LLC */
	unsigned seed;
	int models;
};

static struct world *begin(unsigned share, unsigned settle, unsigned seed)
{
	struct world *const w = calloc(1, sizeof *w);

	assert_non_null(w);
	sim_options_default(&w->options);
	w->options.share = share;
	w->options.settle = settle;
	w->threads[0] = &w->thread;
	w->thread.block = &sim_block_none;
	w->run.o = &w->options;
	w->run.thread = w->threads;
	w->run.n_thread = 1;
	w->seed = seed;
	w->models = 1;
	sim_sampled_parts_open(&w->parts);
	return w;
}

/* From -1 to 1, of each ten millions. */
static double chance(const struct world *w, uint64_t at)
{
	uint64_t x = (at / (10 * M) + 1) * 0x9e3779b97f4a7c15ull + w->seed * 0xd6e8feb86659fd93ull;

	x = (x ^ x >> 31) * 0xd6e8feb86659fd93ull;
	x ^= x >> 29;
	return (double)(x & 0xffff) / 32767.5 - 1;
}

static void go(struct world *w, const struct program *p, uint64_t to)
{
	for (struct sim_thread *const t = &w->thread; t->base < to;) {
		double n = p->change && t->base >= p->change ? p->changed : p->rate;
		uint64_t misses;

		n *= 1 + (p->louder > 0 && t->base >= p->change ? p->louder : p->noise) *
				 chance(w, t->base);
		misses = (uint64_t)(n * WINDOW / M) + (t->base ? 0 : p->loading);
		t->base += WINDOW;
		w->truth += (double)misses;
		w->firsts += p->first * WINDOW / M;
		if (w->models) {
			t->count.l1_misses += misses;
			const double shown =
				p->first + (w->parts.state == SIM_SAMPLED_BEGINNING ? 0 : p->again);

			t->count.llc_misses += (uint64_t)(shown * WINDOW / M);
			w->run.machine.unfilled += (uint64_t)(shown * WINDOW / M);
			w->modelled += WINDOW;
			if (t->base > p->events_begin)
				w->run.machine.events += (uint64_t)(p->events * (double)WINDOW);
			w->run.machine.transfers += p->moves * (double)WINDOW;
		}
		if (t->base < w->parts.next)
			continue;
		if (sim_sampled_parts_step(&w->parts, &w->run, t->base) && !w->models)
			sim_sampled_parts_warm(&w->parts, &w->run, t->base);
		w->models = w->parts.state != SIM_SAMPLED_RESTS;
	}
}

static double estimate(const struct world *w)
{
	const struct sim_estimates e = sim_estimates_of(&w->run, &w->parts);

	return (double)sim_estimates_thread(&w->run, &w->thread, e.tail).l1_misses;
}

static double half(const struct world *w)
{
	return sim_sampled_parts_half(&w->parts, (double)w->thread.base, SIM_SAMPLED_L1);
}

static void end(struct world *w)
{
	sim_sampled_parts_finish(&w->parts, &w->run, w->thread.base);
}

static void a_short_run_is_modelled_whole(void **state)
{
	const struct program p = {.rate = 5000, .noise = .5};
	struct world *const w = begin(0, 5, 1);

	(void)state;
	go(w, &p, 250 * M);
	end(w);
	assert_int_equal(w->parts.state, SIM_SAMPLED_BEGINNING);
	assert_true(estimate(w) == w->truth);
	free(w);
}

/* However many misses its loading takes, which never come again. */
static void of_a_steady_run_a_small_share_is_modelled(void **state)
{
	const struct program p = {.rate = 5000, .noise = .02, .loading = 2 * M};
	struct world *const w = begin(0, 5, 1);
	char text[160];
	double share;

	(void)state;
	go(w, &p, 10000 * M);
	end(w);
	assert_true(w->modelled < 0.15 * 10000 * M);
	assert_true(fabs(estimate(w) - w->truth) < 0.005 * w->truth);
	assert_true(half(w) > 0 && half(w) < 0.01);
	share = sim_sampled_parts_say(&w->parts, (double)w->thread.base, text, sizeof text);
	/* warming is no modelling */
	assert_true(share > 0.5 * w->modelled / (10000 * M) && share < w->modelled / (10000 * M));
	assert_non_null(strstr(text, "L1 misses \xc2\xb1"));
	assert_null(strstr(text, "moved lines")); /* none moved */
	free(w);
}

/* A line that came in a rest is taken for a new one: how many did, the interval has to say. */
static void lines_that_came_unseen_may_be_no_misses(void **state)
{
	const struct program grows = {.rate = 5000, .noise = .02, .first = 100, .again = 80};
	struct world *const w = begin(0, 5, 1);
	double llc, within;

	(void)state;
	go(w, &grows, 10000 * M);
	end(w);
	llc = (double)sim_estimates_thread(
		&w->run, &w->thread, sim_estimates_of(&w->run, &w->parts).tail)
		      .llc_misses;
	within = sim_sampled_parts_half(&w->parts, (double)w->thread.base, SIM_SAMPLED_LLC);
	assert_true(llc > 1.5 * w->firsts);
	assert_true(llc * (1 - within) <= w->firsts);
	/* the others' as before */
	assert_true(half(w) > 0 && half(w) < 0.01);
	free(w);
}

static void what_is_not_known_is_modelled_longer(void **state)
{
	const struct program steady = {.rate = 20000, .noise = .05},
			     unsteady = {.rate = 20000, .noise = .9};
	struct world *const w = begin(0, 5, 1), *const v = begin(0, 5, 1);

	(void)state;
	go(w, &steady, 3000 * M);
	go(v, &unsteady, 3000 * M);
	assert_true(v->modelled > 2 * w->modelled);
	free(v);
	free(w);
}

static void a_change_is_noticed_and_looked_at(void **state)
{
	const struct program p = {.rate = 5000, .noise = .05, .change = 4000 * M, .changed = 50000},
			     steady = {.rate = 5000, .noise = .05};
	struct world *const w = begin(0, 5, 1), *const v = begin(0, 5, 1);

	(void)state;
	go(w, &p, 6000 * M);
	go(v, &steady, 6000 * M);
	assert_true(w->parts.since >= 4000 * M && w->parts.since < 4500 * M);
	assert_true(v->parts.since == 0);
	assert_true(w->modelled > v->modelled + 40 * M);
	/* what came between two parts is known to one of them */
	assert_true(fabs(estimate(w) - w->truth) < 1.2 * half(w) * w->truth);
	free(v);
	free(w);
}

static void a_share_that_is_asked_for_is_what_is_modelled(void **state)
{
	const struct program p = {.rate = 5000, .noise = .9, .events = .25};

	(void)state;
	for (unsigned share = 10; share <= 50; share += 20) {
		struct world *const w = begin(share, 0, share);

		go(w, &p, 10000 * M);
		end(w);
		assert_true(fabs(w->modelled / (10000 * M) - share / 100.) < 0.15 * share / 100);
		assert_true(fabs(estimate(w) - w->truth) < 2 * half(w) * w->truth);
		free(w);
	}
}

/* A program that costs the model more is modelled for a shorter time, from the beginning or from
 * where it begins on; the counts stay right, and the interval says so. */
static void of_events_fewer_instructions_are_modelled(void **state)
{
	const struct program calm = {.rate = 20000, .noise = .05},
			     busy = {.rate = 20000, .noise = .05, .events = .25},
			     fights = {.rate = 20000, .noise = .05, .events = .25, .moves = .25},
			     later = {.rate = 20000,
				     .noise = .05,
				     .events = .25,
				     .events_begin = 1000 * M};
	struct world *const w = begin(0, 5, 1), *const v = begin(0, 5, 1),
			    *const u = begin(0, 5, 1), *const x = begin(0, 5, 1);

	(void)state;
	go(x, &fights, 4000 * M);
	go(w, &calm, 4000 * M);
	go(v, &busy, 4000 * M);
	go(u, &later, 4000 * M);
	assert_true(v->modelled < w->modelled / 4);
	assert_true(u->modelled < .9 * w->modelled && u->modelled > v->modelled);
	assert_true(v->parts.parts >= w->parts.parts); /* no fewer: they lie all over the run */
	assert_true(fabs(estimate(v) - v->truth) < 1.2 * half(v) * v->truth);
	assert_true(fabs(estimate(u) - u->truth) < 1.2 * half(u) * u->truth);
	assert_true(half(v) > 0 && half(v) < .1);
	assert_true(x->modelled < .7 * v->modelled); /* lines that move cost most */
	assert_true(fabs(estimate(x) - x->truth) < 1.2 * half(x) * x->truth);
	free(x);
	free(u);
	free(v);
	free(w);
}

static void few_parts_are_not_judged(void **state)
{
	const struct program p = {.rate = 5000};
	struct world *const w = begin(10, 0, 1);
	char text[160];

	(void)state;
	go(w, &p, 250 * M);
	assert_true(half(w) < 0);
	sim_sampled_parts_say(&w->parts, (double)w->thread.base, text, sizeof text);
	assert_non_null(strstr(text, "too few"));
	free(w);
}

/* A run that is looked at while a part goes on, as when it is ended from outside. */
static void at_any_time_the_counts_stand_for_all(void **state)
{
	const struct program p = {.rate = 5000};
	struct world *const w = begin(0, 5, 1);

	(void)state;
	for (uint64_t to = 310 * M; to < 3000 * M; to += 7 * M) {
		go(w, &p, to);
		assert_true(fabs(estimate(w) - w->truth) < 0.03 * w->truth);
	}
	free(w);
}

/* About one in twenty intervals of 95 % misses the truth. They are a little too wide: parts are
 * taken for drawn at random, which lie all over the run. */
static void the_interval_has_the_truth_as_often_as_it_says(void **state)
{
	const struct program p = {.rate = 5000, .noise = .5};
	const unsigned trials = 400;
	unsigned has = 0;

	(void)state;
	for (unsigned trial = 0; trial < trials; trial++) {
		struct world *const w = begin(0, 5, trial);

		go(w, &p, 4000 * M);
		end(w);
		assert_true(half(w) > 0 && half(w) < 0.5);
		has += fabs(estimate(w) - w->truth) <= half(w) * w->truth;
		free(w);
	}
	if (has < trials * 92 / 100 || has > trials * 998 / 1000)
		fail_msg("%u of %u", has, trials);
}

/* Also while there are so few parts that only the beginning, which was steady, has enough. */
static void few_parts_that_differ_are_believed(void **state)
{
	const struct program p = {
		.rate = 5000, .noise = .02, .change = 300 * M, .changed = 5000, .louder = .9};
	unsigned has = 0, few = 0;

	(void)state;
	for (unsigned trial = 0; trial < 200; trial++) {
		struct world *const w = begin(0, 5, trial);

		go(w, &p, 1000 * M);
		end(w);
		if (w->parts.parts > 1 && w->parts.parts < 5) {
			few++;
			has += fabs(estimate(w) - w->truth) <= half(w) * w->truth;
		}
		free(w);
	}
	assert_true(few > 50);
	if (has < few * 85 / 100)
		fail_msg("%u of %u", has, few);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_short_run_is_modelled_whole),
		cmocka_unit_test(of_a_steady_run_a_small_share_is_modelled),
		cmocka_unit_test(lines_that_came_unseen_may_be_no_misses),
		cmocka_unit_test(what_is_not_known_is_modelled_longer),
		cmocka_unit_test(a_change_is_noticed_and_looked_at),
		cmocka_unit_test(a_share_that_is_asked_for_is_what_is_modelled),
		cmocka_unit_test(of_events_fewer_instructions_are_modelled),
		cmocka_unit_test(few_parts_are_not_judged),
		cmocka_unit_test(at_any_time_the_counts_stand_for_all),
		cmocka_unit_test(the_interval_has_the_truth_as_often_as_it_says),
		cmocka_unit_test(few_parts_that_differ_are_believed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
