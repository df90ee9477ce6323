/*
 * Lines that move between cores: who shares them, truly or falsely, and what it counts.
 */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "probes/cachesim/model/model_run.h"

static struct sim_ins locked = {.pc = 0x402000, .flags = SIM_INS_LOCKED};
static struct sim_ins streaming = {.pc = 0x403000, .flags = SIM_INS_STREAMS};

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

/* Counts of a lone thread in 300000 accesses, as hard to predict as they come: in two sizes of
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
		T(a_ping_pong_transfers_the_line_at_every_store),
		T(other_bytes_of_one_line_are_false_sharing_and_separation_frees_it),
		T(a_line_of_both_kinds_is_mixed),
		T(a_thread_that_the_host_starts_late_is_waited_for),
		T(threads_of_one_core_do_not_transfer),
		T(plain_stores_without_order_are_suspects_and_locked_ones_are_not),
		T(a_reader_of_what_was_written_costs_one_transfer_and_then_none),
		T(a_new_thread_finds_its_cores_cache_as_it_was_left),
		T(an_inclusive_llc_takes_lines_from_the_cores),
		T(readers_of_two_caches_get_a_line_once_each),
		T(alone_a_thread_counts_as_the_directory_does),
		T(a_store_past_the_caches_takes_every_copy),
		T(who_begins_while_another_is_alone_is_not_simulated),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
