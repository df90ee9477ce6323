/*
 * Pages that a TLB does not hold, and huge ones that it does.
 */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "probes/cachesim/model/model_run.h"

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

int main(void)
{
#define T(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)
	const struct CMUnitTest tests[] = {
		T(pages_beyond_the_tlb_miss_it),
		T(huge_pages_reach_further_where_they_are_wanted),
		T(wishes_for_huge_pages_are_cut_where_they_are_taken_back),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
