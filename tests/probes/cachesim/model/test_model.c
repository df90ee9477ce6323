/* The model against kernels whose counts are known: by formula, or by a model so simple that it can
 * be read at a glance. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "threads/replay.h"
#include "threads/guest_run.h"

#define L1_BYTES 4096 /* 64 lines: 8 sets of 8 ways */
#define L1_WAYS 8
#define LINES 64
#define BASE 0x10000000ull

static struct sim_options options;
static struct sim_run run;
static struct sim_row of_access[SIM_ROWS];
static struct sim_ins plain = {.pc = 0x401000}, locked = {.pc = 0x402000, .flags = SIM_INS_LOCKED},
		      streaming = {.pc = 0x403000, .flags = SIM_INS_STREAMS};

static int set_up(void **state)
{
	(void)state;
	sim_options_default(&options);
	options.machine.l1 = (struct sd_sim_level){L1_BYTES, L1_WAYS, 1, 0};
	options.machine.l2 = (struct sd_sim_level){16384, 8, 1, 0};
	options.machine.llc = (struct sd_sim_level){65536, 16, 0, 0};
	options.machine.dtlb_entries = 16;
	options.machine.dtlb_ways = 4;
	options.machine.stlb_entries = 64;
	options.machine.stlb_ways = 8;
	options.window = 1000;
	sim_rows_fill(of_access);
	return sim_run_open(&run, &options);
}

static int tear_down(void **state)
{
	(void)state;
	sim_run_close(&run);
	return 0;
}

/* As the plugin does: the fast way if there is one. */
static void access_as(
	struct sim_thread *t, const struct sim_ins *ins, uint64_t address, unsigned size, int store)
{
	const struct sim_row *const row =
		&of_access[sim_row_number((unsigned)__builtin_ctz(size), store)];

	/* others look how far it has come */
	__atomic_store_n(&t->base, t->base + 1, __ATOMIC_RELAXED);
	if (ins->flags || !sim_thread_may_fast(t) || !row->bytes[address & 63])
		sim_thread_slow(t, address, size, store, ins);
	else if (!sim_fast(&t->near->fast, address, row))
		sim_thread_refused(t, address, row, ins);
}

static void touch(struct sim_thread *t, uint64_t address, int store)
{
	access_as(t, &plain, address, 8, store);
}

static struct sim_counts counts_of(struct sim_thread *t)
{
	struct sim_counts c;

	sim_replay(&run, UINT64_MAX - 1);
	sim_thread_obey(t);
	sim_thread_result(t, NULL, &c);
	return c;
}

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

static void pages_beyond_the_tlb_miss_it(void **state)
{
	struct sim_thread *const t = sim_run_begin(&run, 1);
	struct sim_counts c;

	(void)state;
	for (int pass = 0; pass < 4; pass++)
		for (uint64_t i = 0; i < 16; i++)
			touch(t, BASE + i * 4096, 0);
	c = counts_of(t);
	assert_int_equal(c.dtlb_misses, 16);
	for (int pass = 0; pass < 4; pass++)
		for (uint64_t i = 0; i < 32; i++)
			touch(t, BASE + i * 4096, 0);
	c = counts_of(t);
	/* the first 16 still hit, push the others out, and from then on every page misses */
	assert_int_equal(c.dtlb_misses, 16 + 16 + 3 * 32);
	assert_int_equal(c.stlb_misses, 32); /* which hold them all */
	assert_int_equal(t->pages.used, 32);
}

static void huge_pages_reach_further_where_they_are_wanted(void **state)
{
	struct sim_thread *const t = sim_run_begin(&run, 1);
	const uint64_t huge = 1 << 21;

	(void)state;
	sim_huge_want(&run.huge, BASE + 4096, 3 * huge); /* two whole ones */
	for (int pass = 0; pass < 4; pass++)
		for (uint64_t i = 0; i < 2 * 512; i++)
			touch(t, BASE + huge + i * 4096 + i % 64 * 64, 0);
	assert_int_equal(counts_of(t).dtlb_misses, 2);
	assert_int_equal(counts_of(t).stlb_misses, 2);
	assert_int_equal(t->pages.used, 2);
	/* the page in which it ends, and one that is split, are small ones */
	sim_huge_forget(&run.huge, BASE + huge + 8192, 4096);
	for (uint64_t i = 0; i < 8; i++) {
		touch(t, BASE + huge + i * 4096, 0);
		touch(t, BASE + 2 * huge + i * 4096, 0);
		touch(t, BASE + 3 * huge + i * 4096, 0);
	}
	assert_int_equal(counts_of(t).dtlb_misses, 2 + 8 + 8);
}

static void wishes_for_huge_pages_are_cut_where_they_are_taken_back(void **state)
{
	struct sim_huge *const h = &run.huge;
	const uint64_t huge = 1 << 21;

	(void)state;
	sim_huge_want(h, huge, 8 * huge);
	sim_huge_forget(h, 3 * huge, 2 * huge);
	for (uint64_t i = 0; i < 10; i++)
		assert_int_equal(
			sim_huge_has(h, i * huge + 5), i >= 1 && i < 9 && i != 3 && i != 4);
	sim_huge_want(h, 0, 20 * huge);
	for (uint64_t i = 0; i < 22; i++)
		assert_int_equal(sim_huge_has(h, i * huge), i < 20);
	sim_huge_forget(h, 0, UINT64_MAX);
	assert_false(sim_huge_has(h, 5 * huge));
	for (uint64_t i = 0; i < 2 * SIM_HUGE_RANGES; i++) /* more than there is room for */
		sim_huge_want(h, i * 2 * huge, huge);
	assert_true(sim_huge_has(h, 0));
	assert_false(sim_huge_has(h, 4 * SIM_HUGE_RANGES * huge));
	sim_huge_want(h, UINT64_MAX - 4096, 8192); /* nonsense */
}

/* One of two threads that store to two places each, a hundred times one, a hundred times
 * the other. */
struct player {
	struct sim_thread *t;
	const struct sim_ins *ins;
	uint64_t at[2];
	unsigned n;
	pthread_t thread;
};

static void *play(void *arg)
{
	struct player *const p = arg;

	for (unsigned i = 0; i < p->n; i++) {
		access_as(p->t, p->ins, p->at[i % 2], 8, 1);
		if (p->t->base >= p->t->limit)
			sim_run_reach(&run, p->t);
	}
	sim_run_leave(&run, p->t);
	return NULL;
}

/* Both run as the threads of a program do, held to the window. */
static void ping_pong(struct sim_thread *const t[2], const struct sim_ins *ins, uint64_t a,
	uint64_t b, uint64_t a2, uint64_t b2, unsigned n)
{
	struct player p[] = {{t[0], ins, {a, a2}, n, 0}, {t[1], ins, {b, b2}, n, 0}};

	for (int i = 0; i < 2; i++)
		p[i].t->state = SIM_RUNNING;
	for (int i = 0; i < 2; i++)
		assert_int_equal(pthread_create(&p[i].thread, NULL, play, &p[i]), 0);
	for (int i = 0; i < 2; i++)
		pthread_join(p[i].thread, NULL);
	counts_of(t[0]);
	counts_of(t[1]);
}

static const struct sim_line *the_line(void)
{
	for (size_t i = 0; i < SIM_LINES_KEPT; i++)
		if (run.machine.lines.line[i].line1 == (BASE >> 6) + 1)
			return &run.machine.lines.line[i];
	return NULL;
}

static void a_ping_pong_transfers_the_line_at_every_store(void **state)
{
	struct sim_thread *const t[] = {sim_run_begin(&run, 1), sim_run_begin(&run, 2)};
	const unsigned n = 60000;

	(void)state;
	ping_pong(t, &plain, BASE, BASE, BASE, BASE, n);
	assert_in_range((uint64_t)run.machine.transfers, 2 * n * 9 / 10, 2 * n);
	assert_int_equal(counts_of(t[0]).hitm_load, 0);
	assert_in_range(counts_of(t[0]).hitm_store, n * 9 / 10, n);
	assert_in_range(counts_of(t[1]).rfo, n * 9 / 10, n);
	assert_int_equal(sim_line_sharing(the_line()), SD_SIM_TRUE);
}

static void other_bytes_of_one_line_are_false_sharing_and_separation_frees_it(void **state)
{
	struct sim_thread *t[] = {sim_run_begin(&run, 1), sim_run_begin(&run, 2)};
	const struct sim_line *l;

	(void)state;
	ping_pong(t, &plain, BASE, BASE + 16, BASE, BASE + 16, 60000);
	l = the_line();
	assert_non_null(l);
	assert_int_equal(sim_line_sharing(l), SD_SIM_FALSE);
	assert_true(l->hitm_store > 100000 && l->separated < 10);
	assert_int_equal(l->n_sharer, 2);
	for (size_t i = 0; i < 2; i++)
		assert_true(
			l->sharer[i].written == (l->sharer[i].thread ? 0xffull << 16 : 0xffull));
	assert_int_equal(run.machine.lines.n_race, 0);
}

static void a_line_of_both_kinds_is_mixed(void **state)
{
	struct sim_thread *t[] = {sim_run_begin(&run, 1), sim_run_begin(&run, 2)};

	(void)state;
	ping_pong(t, &plain, BASE, BASE + 16, BASE + 32, BASE + 32, 60000);
	assert_int_equal(sim_line_sharing(the_line()), SD_SIM_MIXED);
}

/* A busy host may take long to start a thread: what its maker does meanwhile, it would have done
 * beside the new thread. */
static void a_thread_that_the_host_starts_late_is_waited_for(void **state)
{
	const unsigned n = 60000;
	struct player p[] = {
		{NULL, &plain, {BASE, BASE}, n, 0}, {NULL, &plain, {BASE, BASE}, n, 0}};

	(void)state;
	p[0].t = sim_run_begin(&run, 1);
	p[0].t->state = SIM_RUNNING;
	sim_run_expect(&run);
	assert_int_equal(pthread_create(&p[0].thread, NULL, play, &p[0]), 0);
	usleep(30000); /* the maker alone could play many times to the end */
	p[1].t = sim_run_begin(&run, 2);
	assert_int_equal(pthread_create(&p[1].thread, NULL, play, &p[1]), 0);
	for (int i = 0; i < 2; i++)
		pthread_join(p[i].thread, NULL);
	counts_of(p[0].t);
	counts_of(p[1].t);
	assert_in_range((uint64_t)run.machine.transfers, 2 * n * 9 / 10, 2 * n);
}

static void threads_of_one_core_do_not_transfer(void **state)
{
	struct sim_thread *t[] = {sim_run_begin(&run, 1), NULL};

	(void)state;
	for (unsigned i = 1; i < options.machine.cores; i++)
		sim_run_begin(&run, 2)->state = SIM_AWAY;
	t[1] = sim_run_begin(&run, 3);
	assert_int_equal(t[1]->core, t[0]->core);
	ping_pong(t, &plain, BASE, BASE + 16, BASE, BASE + 16, 1000);
	assert_true(run.machine.transfers == 0);
}

static void plain_stores_without_order_are_suspects_and_locked_ones_are_not(void **state)
{
	struct sim_thread *t[] = {sim_run_begin(&run, 1), sim_run_begin(&run, 2)};

	(void)state;
	ping_pong(t, &locked, BASE, BASE, BASE, BASE, 60000);
	assert_int_equal(run.machine.lines.n_race, 0);
	ping_pong(t, &plain, BASE, BASE, BASE, BASE, 60000);
	assert_int_equal(run.machine.lines.n_race, 1);
	assert_int_equal(run.machine.lines.race[0].bytes, 0xff);
	assert_int_equal(run.machine.lines.race[0].writer, plain.pc);
}

static void a_reader_of_what_was_written_costs_one_transfer_and_then_none(void **state)
{
	struct sim_thread *const w = sim_run_begin(&run, 1), *const r = sim_run_begin(&run, 2);

	(void)state;
	touch(w, BASE, 1);
	counts_of(w);
	for (int i = 0; i < 100; i++)
		touch(r, BASE, 0);
	assert_int_equal(counts_of(r).hitm_load, 1);
	assert_true(run.machine.transfers == 1);
	counts_of(w);
	touch(w, BASE, 1); /* shared now: it must ask */
	assert_int_equal(counts_of(w).upgrades, 1);
	assert_int_equal(counts_of(w).invalidations, 1);
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

static void a_new_thread_finds_its_cores_cache_as_it_was_left(void **state)
{
	struct sim_thread *t = sim_run_begin(&run, 1);

	(void)state;
	for (uint64_t i = 0; i < LINES; i++)
		touch(t, BASE + i * 64, 1);
	counts_of(t);
	sim_run_end(&run, t);
	t = sim_run_begin(&run, 2);
	assert_int_equal(t->core, 0);
	for (uint64_t i = 0; i < LINES; i++)
		touch(t, BASE + i * 64, 0);
	assert_int_equal(counts_of(t).l1_misses, LINES);
	assert_int_equal(counts_of(t).l2_misses, 0);
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

static void an_inclusive_llc_takes_lines_from_the_cores(void **state)
{
	struct sim_thread *a, *b;

	(void)state;
	options.machine.llc.inclusive = 1;
	a = sim_run_begin(&run, 1);
	b = sim_run_begin(&run, 2);
	touch(a, BASE, 0);
	counts_of(a);
	for (uint64_t i = 1; i <= 4096; i++)
		touch(b, BASE + i * 64, 0);
	counts_of(b);
	counts_of(a);
	touch(a, BASE, 0);
	assert_int_equal(counts_of(a).l1_misses, 2);
	assert_int_equal(counts_of(a).llc_misses, 2);
}

/* Two dies with an LLC each: a line goes from one to the other once, however many read it. */
static void readers_of_two_caches_get_a_line_once_each(void **state)
{
	struct sim_thread *t[4];
	double moved = 0;

	(void)state;
	sim_run_close(&run);
	options.machine.llc.sharers = 2;
	assert_int_equal(sim_run_open(&run, &options), 0);
	for (int i = 0; i < 4; i++)
		t[i] = sim_run_begin(&run, i + 1);
	touch(t[0], BASE, 1);
	counts_of(t[0]);
	for (int again = 0; again < 3; again++)
		for (int i = 3; i >= 0; i--) {
			touch(t[i], BASE, 0);
			counts_of(t[i]);
		}
	for (int i = 0; i < 4; i++)
		moved += (double)counts_of(t[i]).hitm_load;
	assert_true(moved == 1); /* to the other die; its own have it in their LLC by then */
}

/* What a lone thread counts in 300000 accesses, as hard to predict as they come: in two sizes of
 * steps, and to lines that cannot stay anywhere for long. `together_at`: that many alone. */
static struct sim_counts wander(unsigned together_at)
{
	struct sim_thread *const t =
		together_at ? sim_run_begin_alone(&run, 1) : sim_run_begin(&run, 1);
	uint64_t seed = 1;

	for (unsigned i = 0; i < 300000; i++) {
		uint64_t line;

		seed = seed * 6364136223846793005ull + 1442695040888963407ull;
		line = seed >> 40 & (seed >> 33 & 3 ? 0x1ff : 0xfff);
		if (i == together_at)
			sim_run_together(&run);
		access_as(t,
			seed >> 60                    ? &plain
			: seed >> 35 & seed >> 59 & 1 ? &streaming
						      : &locked,
			BASE + line * 64, 8, seed >> 35 & 1);
		/* told at once, as it is when nobody tells */
		sim_replay(&run, UINT64_MAX - 1);
		sim_thread_obey(t);
	}
	return counts_of(t);
}

static void alone_a_thread_counts_as_the_directory_does(void **state)
{
	static const struct {
		int l2, llc, adjacent;
		uint64_t l2_bytes;
	} rows[] = {{0, 0, 0, 16384}, {1, 0, 0, 16384}, {0, 1, 0, 16384}, {1, 1, 0, 16384},
		{0, 0, 1, 16384}, {1, 0, 1, 16384}, {0, 0, 0, 0}, {0, 1, 0, 0}};

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct sim_counts c[3];
		unsigned n = 0;

		for (; n < 3; n++) {
			static const unsigned alone[] = {0, 300000, 100000};

			tear_down(state);
			set_up(state);
			options.machine.l2.bytes = rows[i].l2_bytes;
			options.machine.l2.inclusive = rows[i].l2;
			options.machine.llc.inclusive = rows[i].llc;
			options.machine.adjacent = rows[i].adjacent;
			tear_down(state);
			assert_int_equal(sim_run_open(&run, &options), 0);
			c[n] = wander(alone[n]);
			assert_true(c[n].write_backs && c[n].llc_misses > 10000);
			if (memcmp(&c[0], &c[n], sizeof *c) != 0)
				fail_msg("row %zu, alone for %u", i, alone[n]);
		}
	}
}

static void who_begins_while_another_is_alone_is_not_simulated(void **state)
{
	struct sim_thread *const t = sim_run_begin_alone(&run, 1);

	(void)state;
	touch(t, BASE, 1);
	assert_int_equal(sim_run_begin(&run, 2)->slot, SIM_SLOTS);
	assert_int_equal(run.unsimulated, 1);
	sim_run_together(&run);
	touch(sim_run_begin(&run, 3), BASE, 0);
	counts_of(t);
	assert_true(run.machine.transfers == 1); /* what it modified while alone is still its own */
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

static void a_store_past_the_caches_takes_every_copy(void **state)
{
	struct sim_thread *a, *b;

	(void)state;
	a = sim_run_begin(&run, 1);
	b = sim_run_begin(&run, 2);
	touch(a, BASE, 1); /* modified there: memory has it before the store does */
	counts_of(a);
	for (uint64_t i = 0; i < 8; i++)
		access_as(b, &streaming, BASE + i * 8, 8, 1);
	assert_int_equal(counts_of(b).write_backs, 2);
	assert_int_equal(counts_of(b).invalidations, 1);
	assert_int_equal(counts_of(b).lines_in, 0);
	counts_of(a);
	touch(a, BASE, 0);
	assert_int_equal(counts_of(a).lines_in, 2); /* from memory: nobody has it */
	assert_int_equal(counts_of(a).hitm_load, 0);
	touch(b, BASE + 64, 1); /* its own as well */
	counts_of(b);
	access_as(b, &streaming, BASE + 64, 8, 1);
	touch(b, BASE + 64, 0);
	assert_int_equal(counts_of(b).lines_in, 2);
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
		T(pages_beyond_the_tlb_miss_it),
		T(huge_pages_reach_further_where_they_are_wanted),
		T(wishes_for_huge_pages_are_cut_where_they_are_taken_back),
		T(a_ping_pong_transfers_the_line_at_every_store),
		T(other_bytes_of_one_line_are_false_sharing_and_separation_frees_it),
		T(a_line_of_both_kinds_is_mixed),
		T(a_thread_that_the_host_starts_late_is_waited_for),
		T(threads_of_one_core_do_not_transfer),
		T(plain_stores_without_order_are_suspects_and_locked_ones_are_not),
		T(a_reader_of_what_was_written_costs_one_transfer_and_then_none),
		T(what_is_written_goes_back_to_memory_once),
		T(a_power_of_two_stride_is_a_conflict_and_a_long_walk_is_none),
		T(distances_of_a_cycle_are_its_length),
		T(a_new_thread_finds_its_cores_cache_as_it_was_left),
		T(the_adjacent_line_comes_along),
		T(an_inclusive_llc_takes_lines_from_the_cores),
		T(readers_of_two_caches_get_a_line_once_each),
		T(alone_a_thread_counts_as_the_directory_does),
		T(a_triad_reads_three_lines_and_two_with_non_temporal_stores),
		T(lines_gathered_at_once_are_few),
		T(a_store_past_the_caches_takes_every_copy),
		T(who_begins_while_another_is_alone_is_not_simulated),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
