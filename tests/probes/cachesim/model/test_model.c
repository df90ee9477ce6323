/* The model against kernels whose counts are known: by formula, or by a model so simple that it can
 * be read at a glance. */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "probes/cachesim/model/model_run.h"

static struct sim_ins streaming = {.pc = 0x403000, .flags = SIM_INS_STREAMS};

static void a_stride_misses_once_a_line(void **state)
{
	struct sim_thread *const t = sim_run_begin(&run, 1);
	struct sim_counts c;

	(void)state;
	for (int pass = 0; pass < 3; pass++)
		for (uint64_t i = 0; i < LINES * 8; i++)
			touch(t, BASE + i * 8, 0);
	c = counts_of(t);
	assert_int_equal(c.l1_misses, LINES); /* it fits: only the first pass misses */
	assert_int_equal(c.l2_misses, LINES);
	assert_int_equal(c.lines_in, LINES);
	assert_int_equal(c.bytes_used, LINES * 64);
	assert_int_equal(c.lines_unused, 0);
}

static void a_cycle_of_one_way_too_many_always_misses(void **state)
{
	struct sim_thread *const t = sim_run_begin(&run, 1);
	struct sim_counts c;

	(void)state;
	for (int pass = 0; pass < 10; pass++)
		for (uint64_t i = 0; i < L1_WAYS + 1; i++)
			touch(t, BASE + i * 512, 0); /* all in one set */
	c = counts_of(t);
	assert_int_equal(c.l1_misses, 10 * (L1_WAYS + 1));
	assert_int_equal(c.lines_in, L1_WAYS + 1);
	assert_int_equal(c.lines_unused, 10 * (L1_WAYS + 1));
	assert_int_equal(c.bytes_used, 10 * (L1_WAYS + 1) * 8);
}

static void a_chase_through_more_than_fits_always_misses(void **state)
{
	struct sim_thread *const t = sim_run_begin(&run, 1);
	struct sim_counts c;

	(void)state;
	/* a full cycle of 4 x the LLC's lines in an odd order: every set is cycled through */
	for (uint64_t i = 0, at = 0; i < 2 * 4096; i++, at = (at + 1543) % 4096)
		touch(t, BASE + at * 64, 0);
	c = counts_of(t);
	assert_int_equal(c.l1_misses, 2 * 4096);
	assert_int_equal(c.llc_misses, 2 * 4096);
	assert_int_equal(run.machine.unfilled, 4096 / 4);
	assert_int_equal(c.write_backs, 0);
}

/* One level, as plain as it can be: each set a list, most recent first. */
static uint64_t list[L1_BYTES / 64 / L1_WAYS][L1_WAYS];

static unsigned listed(uint64_t address)
{
	const uint64_t line = (address >> 6) + 1, sets = sizeof list / sizeof *list;
	uint64_t *const set = list[(line - 1) % sets];
	unsigned i = 0;

	while (i < L1_WAYS - 1 && set[i] != line)
		i++;
	const unsigned miss = set[i] != line;
	memmove(set + 1, set, i * sizeof *set);
	set[0] = line;
	return miss;
}

#define N 40u

static void both(struct sim_thread *t, uint64_t *misses, uint64_t matrix, unsigned r, unsigned c)
{
	const uint64_t address = BASE + matrix * 0x10000 + ((uint64_t)r * N + c) * 8;

	touch(t, address, matrix == 2);
	*misses += listed(address);
}

/* c = a * b in blocks of `block` rows and columns; block N is the naive order. */
static uint64_t multiply(struct sim_thread *t, unsigned block)
{
	uint64_t misses = 0;

	memset(list, 0, sizeof list);
	for (unsigned jj = 0; jj < N; jj += block)
		for (unsigned kk = 0; kk < N; kk += block)
			for (unsigned i = 0; i < N; i++)
				for (unsigned j = jj; j < jj + block; j++)
					for (unsigned k = kk; k < kk + block; k++) {
						both(t, &misses, 0, i, k);
						both(t, &misses, 1, k, j);
						both(t, &misses, 2, i, j);
					}
	return misses;
}

static void a_matrix_product_misses_exactly_as_lists_do_naive_and_blocked(void **state)
{
	uint64_t naive;

	(void)state;
	for (unsigned block = N; block; block = block == N ? 8 : 0) {
		struct sim_thread *const t = sim_run_begin(&run, 1);
		const uint64_t expected = multiply(t, block), got = counts_of(t).l1_misses;

		assert_int_equal(got, expected);
		if (block == N)
			naive = got;
		else
			assert_true(got * 2 < naive);
		t->state = SIM_GONE;
	}
}

static void an_access_over_two_lines_touches_both(void **state)
{
	struct sim_thread *const t = sim_run_begin(&run, 1);
	struct sim_counts c;

	(void)state;
	touch(t, BASE + 60, 1);
	c = counts_of(t);
	assert_int_equal(c.l1_misses, 2);
	assert_int_equal(c.bytes_used, 8);
}

static void what_is_written_goes_back_to_memory_once(void **state)
{
	struct sim_thread *const t = sim_run_begin(&run, 1);

	(void)state;
	for (uint64_t i = 0; i < 4096; i++)
		touch(t, BASE + i * 64, 1);
	for (uint64_t i = 4096; i < 3 * 4096; i++)
		touch(t, BASE + i * 64, 0);
	assert_int_equal(counts_of(t).write_backs, 4096);
}

static void a_power_of_two_stride_is_a_conflict_and_a_long_walk_is_none(void **state)
{
	struct sim_thread *const t = sim_run_begin(&run, 1), *const s = sim_run_begin(&run, 2);
	struct sim_counts c;
	uint64_t found = 0;

	(void)state;
	for (int pass = 0; pass < 2000; pass++)
		for (uint64_t i = 0; i < 16; i++)
			touch(t, BASE + i * 4096, 0); /* 16 lines, of which 8 fit */
	c = counts_of(t);
	assert_int_equal(c.l1_misses, 32000);
	assert_in_range(t->conflict.conflicts, 31000, 33000);
	for (size_t i = 0; i < SIM_CONFLICT_PLACES; i++)
		if (t->conflict.place[i].misses) {
			assert_int_equal(t->conflict.place[i].stride, 4096);
			found++;
		}
	assert_int_equal(found, 1);
	for (int pass = 0; pass < 20; pass++)
		for (uint64_t i = 0; i < 4 * LINES; i++)
			touch(s, BASE + i * 64, 0);
	assert_int_equal(counts_of(s).l1_misses, 80 * LINES);
	assert_int_equal(s->conflict.conflicts, 0);
}

static void distances_of_a_cycle_are_its_length(void **state)
{
	struct sim_thread *const t = sim_run_begin(&run, 1);
	double d[SD_SIM_DISTANCES], sum = 0;
	const double n = 50.0 * 12000;

	(void)state;
	for (int pass = 0; pass < 50; pass++)
		for (uint64_t i = 0; i < 12000; i++)
			touch(t, BASE + i * 64, 0);
	counts_of(t);
	sim_reuse_result(&t->reuse, n, d);
	for (size_t i = 0; i < SD_SIM_DISTANCES; i++)
		sum += d[i];
	assert_true(sum > 0.999 * n && sum < 1.001 * n);
	assert_true(d[14] > 0.9 * n); /* 8192 to 16384 */
	assert_true(d[SD_SIM_DISTANCES - 1] > 0.5 * 12000 && d[SD_SIM_DISTANCES - 1] < 2 * 12000);
}

static void the_adjacent_line_comes_along(void **state)
{
	struct sim_thread *t;

	(void)state;
	options.machine.adjacent = 1;
	t = sim_run_begin(&run, 1);
	for (uint64_t i = 0; i < LINES; i++)
		touch(t, BASE + i * 64, 0);
	assert_int_equal(counts_of(t).l1_misses, LINES);
	assert_int_equal(counts_of(t).l2_misses, LINES / 2);
	assert_int_equal(counts_of(t).lines_in, LINES);
}

#define TRIAD 4096u /* lines of an array: four times the LLC's, so that none stays */

/* a[i] = b[i] + c[i], twice, what is stored by `ins`. The second pass's counts. */
static struct sim_counts triad(struct sim_thread *t, const struct sim_ins *ins)
{
	struct sim_counts before = {0}, c = {0};

	for (int pass = 0; pass < 2; pass++) {
		before = c;
		for (uint64_t i = 0; i < TRIAD * 8; i++) {
			touch(t, BASE + 0x1000000 + i * 8, 0);
			touch(t, BASE + 0x2000000 + i * 8, 0);
			access_as(t, ins, BASE + i * 8, 8, 1);
		}
		c = counts_of(t);
	}
	c.lines_in -= before.lines_in;
	c.write_backs -= before.write_backs;
	c.rfo -= before.rfo;
	return c;
}

/* Whatever is stored, memory gives each line of it first; unless it goes past the caches. */
static void a_triad_reads_three_lines_and_two_with_non_temporal_stores(void **state)
{
	for (int alone = 0; alone < 2; alone++) {
		struct sim_thread *t;
		struct sim_counts c;

		for (int streams = 0; streams < 2; streams++) {
			tear_down(state);
			set_up(state);
			t = alone ? sim_run_begin_alone(&run, 1) : sim_run_begin(&run, 1);
			c = triad(t, streams ? &streaming : &plain);
			assert_int_equal(c.lines_in, (streams ? 2 : 3) * TRIAD);
			assert_int_equal(c.rfo, streams ? 0 : TRIAD);
			assert_int_equal(c.write_backs, TRIAD);
		}
	}
}

/* Eleven lines by turns are one more than a core gathers: each store begins its line anew. */
static void lines_gathered_at_once_are_few(void **state)
{
	struct sim_thread *const t = sim_run_begin(&run, 1);
	const uint64_t n = SIM_STREAM_BUFFERS;

	(void)state;
	for (uint64_t i = 0; i < 8 * n; i++)
		access_as(t, &streaming, BASE + i % n * 64 + i / n * 8, 8, 1);
	assert_int_equal(counts_of(t).write_backs, n);
	for (uint64_t i = 0; i < 8 * (n + 1); i++)
		access_as(t, &streaming, BASE + 0x10000 + i % (n + 1) * 64 + i / (n + 1) * 8, 8, 1);
	assert_int_equal(counts_of(t).write_backs, n + 8 * (n + 1));
}

int main(void)
{
#define T(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)
	const struct CMUnitTest tests[] = {
		T(a_stride_misses_once_a_line),
		T(a_cycle_of_one_way_too_many_always_misses),
		T(a_chase_through_more_than_fits_always_misses),
		T(a_matrix_product_misses_exactly_as_lists_do_naive_and_blocked),
		T(an_access_over_two_lines_touches_both),
		T(what_is_written_goes_back_to_memory_once),
		T(a_power_of_two_stride_is_a_conflict_and_a_long_walk_is_none),
		T(distances_of_a_cycle_are_its_length),
		T(the_adjacent_line_comes_along),
		T(a_triad_reads_three_lines_and_two_with_non_temporal_stores),
		T(lines_gathered_at_once_are_few),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
