/* Lanes cut into bins: bounded whatever the run's length, whole, and equal neighbours are one. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "attribute/bin_lanes.h"

#define S UINT64_C(1000000000)

/* main() without a file <- work() a.c <- futex in the kernel */
struct world {
	struct sd_stacks stacks;
	unsigned work, kernel, main, lock, function;
	struct sd_thread_lanes_run run;
};

static unsigned node(
	struct sd_stacks *s, unsigned parent, const char *function, const char *file, int kernel)
{
	struct sd_frame frame = {.kernel = kernel};
	unsigned number, out;

	assert_int_equal(sd_stacks_text(s, function, &frame.function), 0);
	assert_int_equal(sd_stacks_text(s, file, &frame.file), 0);
	assert_int_equal(sd_stacks_frame(s, &frame, &number), 0);
	assert_int_equal(sd_stacks_node(s, parent, number, &out), 0);
	return out;
}

static void open_world(struct world *w, size_t threads, size_t spans)
{
	*w = (struct world){.run = {.cores = 2, .length = 100 * S, .n = threads}};
	w->main = node(&w->stacks, 0, "main", "", 0);
	w->work = node(&w->stacks, w->main, "work", "a.c", 0);
	w->kernel = node(&w->stacks, w->work, "futex", "", 1);
	assert_int_equal(sd_stacks_text(&w->stacks, "m", &w->lock), 0);
	assert_int_equal(sd_stacks_text(&w->stacks, "work", &w->function), 0);
	w->run.thread = calloc(threads, sizeof *w->run.thread);
	assert_non_null(w->run.thread);
	for (size_t i = 0; i < threads; i++) {
		struct sd_thread_lanes_thread *const t = &w->run.thread[i];

		*t = (struct sd_thread_lanes_thread){.pid = 1, .tid = 1 + (int)i, .name = "t"};
		t->span = calloc(spans, sizeof *t->span);
		assert_non_null(t->span);
		for (; t->n_span < spans; t->n_span++)
			t->span[t->n_span] =
				(struct sd_thread_lanes_span){.from = 100 * S / spans * t->n_span,
					.to = 100 * S / spans * (t->n_span + 1),
					.activity = t->n_span % 2 ? SD_ACTIVITY_MUTEX
								  : SD_THREAD_LANES_ON_CPU,
					.node = t->n_span % 2 ? w->kernel : 0,
					.lock = t->n_span % 2 ? w->lock : 0,
					.merged = 1};
	}
}

static void close_world(struct world *w)
{
	sd_thread_lanes_run_free(&w->run);
	sd_stacks_free(&w->stacks);
}

static size_t steps_of(const struct sd_binned_lanes *l)
{
	size_t n = 0;

	for (size_t i = 0; i < l->n_lane; i++) {
		unsigned bins = 0;

		for (size_t k = 0; k < l->lane[i].n_step; k++) {
			bins += l->lane[i].step[k].bins;
			assert_true(l->lane[i].step[k].doing < l->n_doing);
			assert_true(!k || l->lane[i].step[k].doing != l->lane[i].step[k - 1].doing);
		}
		assert_int_equal(bins, l->bins);
		n += l->lane[i].n_step;
	}
	return n;
}

static void what_lasts_is_a_step_with_its_function_and_lock(void **state)
{
	struct world w;
	struct sd_binned_lanes *l;

	(void)state;
	open_world(&w, 2, 4);
	assert_int_equal(sd_bin_lanes(&w.run, &w.stacks, 1000, &l), 0);
	assert_non_null(l);
	assert_int_equal(l->length, 100 * S);
	assert_int_equal(l->n_lane, 2);
	assert_int_equal(l->n_doing, 2);
	assert_int_equal(steps_of(l), 8);
	assert_int_equal(l->lane[1].tid, 2);
	assert_int_equal(l->doing[0].state, SD_BINNED_ON_CPU);
	assert_int_equal(l->doing[1].state, SD_ACTIVITY_MUTEX);
	assert_int_equal(l->doing[1].function, w.function);
	assert_int_equal(l->doing[1].lock, w.lock);
	sd_binned_lanes_free(l);
	close_world(&w);
}

static void many_changes_and_threads_are_bounded(void **state)
{
	static const struct {
		size_t threads, spans;
		unsigned most;
	} rows[] = {{2, 20000, 6000}, {400, 50, 1250}, {64, 3000, 2500}, {300, 1, 100}};

	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct sd_binned_lanes *l;
		struct world w;

		open_world(&w, rows[i].threads, rows[i].spans);
		assert_int_equal(sd_bin_lanes(&w.run, &w.stacks, rows[i].most, &l), 0);
		assert_non_null(l);
		assert_true(l->n_lane > 0 && l->n_lane <= SD_BINNED_LANES);
		assert_int_equal(l->n_seen, rows[i].threads);
		assert_true(steps_of(l) <= rows[i].most);
		sd_binned_lanes_free(l);
		close_world(&w);
	}
}

static void threads_that_ran_longest_stay(void **state)
{
	struct sd_binned_lanes *l;
	struct world w;

	(void)state;
	open_world(&w, 40, 2);
	for (size_t i = 0; i < 39; i++) /* all but the last one only wait */
		w.run.thread[i].span[0].activity = SD_ACTIVITY_MUTEX;
	assert_int_equal(sd_bin_lanes(&w.run, &w.stacks, 16, &l), 0);
	assert_non_null(l);
	assert_int_equal(l->n_lane, 2);
	assert_int_equal(l->lane[1].tid, 40);
	sd_binned_lanes_free(l);
	close_world(&w);
}

static void nothing_makes_no_lanes(void **state)
{
	struct sd_binned_lanes *l;
	struct world w;

	(void)state;
	open_world(&w, 1, 1);
	w.run.length = 0;
	assert_int_equal(sd_bin_lanes(&w.run, &w.stacks, 1000, &l), 0);
	assert_null(l);
	close_world(&w);
}

/* Some of many counts have lanes: the first, the last, and no more than the record has room for. */
static void many_counts_share_the_room(void **state)
{
	(void)state;
	for (size_t n = 1; n < 200; n++) {
		unsigned steps = 0, runs = 0;

		for (size_t p = 0; p < n; p++) {
			steps += sd_binned_lanes_most(p, n);
			runs += sd_binned_lanes_most(p, n) > 0;
		}
		assert_true(steps <= SD_BINNED_RECORD_STEPS);
		assert_int_equal(runs, n < SD_BINNED_RECORD_RUNS ? n : SD_BINNED_RECORD_RUNS);
		assert_true(sd_binned_lanes_most(0, n) && sd_binned_lanes_most(n - 1, n));
		assert_int_equal(sd_binned_lanes_most(n, n), 0);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_lasts_is_a_step_with_its_function_and_lock),
		cmocka_unit_test(many_changes_and_threads_are_bounded),
		cmocka_unit_test(threads_that_ran_longest_stay),
		cmocka_unit_test(nothing_makes_no_lanes),
		cmocka_unit_test(many_counts_share_the_room),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
