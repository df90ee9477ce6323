/* The heap as the plugin hears of it: blocks against a plain model of them, and call stacks. */
#include "guest/allocation_sites.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "guest/call_stack.h"

#define BYTES (64u << 10)

/* Every byte's block, as it must be. */
struct model {
	struct sim_site at[BYTES];
};

static void set(struct model *m, uint64_t start, uint64_t bytes, uint32_t chain)
{
	/* a block that a new one meets is over as a whole */
	for (uint64_t i = start; i < start + bytes; i++) {
		const struct sim_site old = m->at[i];

		for (uint64_t k = old.start; old.bytes && k < old.start + old.bytes; k++)
			m->at[k] = (struct sim_site){0};
	}
	for (uint64_t i = start; chain && i < start + bytes; i++)
		m->at[i] = (struct sim_site){start, bytes, chain};
}

static void an_address_is_of_the_block_given_last_there(void **state)
{
	static const unsigned most[] = {24, 100, 5000, 20000};
	struct model *const m = calloc(1, sizeof *m);
	struct sim_sites s;
	unsigned seed = 7;

	(void)state;
	assert_non_null(m);
	assert_int_equal(sim_sites_open(&s), 0);
	for (uint32_t step = 1; step <= 6000; step++) {
		uint64_t start, bytes;

		seed = seed * 1664525 + 1013904223;
		start = (seed >> 8) % (BYTES - 20000);
		seed = seed * 1664525 + 1013904223;
		bytes = 1 + (seed >> 8) % most[seed >> 28 & 3 & (seed >> 24)];
		if (step % 50 == 0) {
			sim_sites_unmap(&s, start, bytes);
			set(m, start, bytes, 0);
		} else {
			sim_sites_give(&s, start, bytes, step);
			set(m, start, bytes, step);
		}
		for (int i = 0; i < 20; i++) {
			struct sim_site found = {0};
			uint64_t a;

			seed = seed * 1664525 + 1013904223;
			a = i < 2 ? start + (i ? bytes - 1 : 0) : (seed >> 8) % BYTES;
			sim_sites_find(&s, a, &found);
			if (found.start != m->at[a].start || found.bytes != m->at[a].bytes ||
				found.chain != m->at[a].chain)
				fail_msg("step %u, byte %llu", step, (unsigned long long)a);
		}
	}
	assert_int_equal(s.lost, 0);
	sim_sites_close(&s);
	free(m);
}

static void memory_that_is_unmapped_is_no_block_whatever_its_size(void **state)
{
	struct sim_sites s;
	struct sim_site found;

	(void)state;
	assert_int_equal(sim_sites_open(&s), 0);
	sim_sites_give(&s, 0x7000, 100, 1);
	sim_sites_give(&s, 0x900000, 1 << 20, 2);
	assert_int_equal(sim_sites_find(&s, 0x9fffff, &found), 1);
	assert_int_equal(found.chain, 2);
	sim_sites_unmap(&s, 0x1000, 1ull << 40);
	assert_int_equal(sim_sites_find(&s, 0x7010, &found), 0);
	assert_int_equal(sim_sites_find(&s, 0x9fffff, &found), 0);
	sim_sites_unmap(&s, UINT64_MAX - 10, 100); /* wraps: nothing happens */
	sim_sites_give(&s, UINT64_MAX - 10, 100, 1);
	sim_sites_give(&s, 0x5000, 0, 1); /* malloc(0) is a block too */
	assert_int_equal(sim_sites_find(&s, 0x5000, &found), 1);
	sim_sites_close(&s);
}

static size_t two_of_them(void *arg, const uint64_t *pc, size_t n)
{
	(void)pc;
	++*(int *)arg;
	return n < 2 ? n : 2;
}

static void a_stack_is_confirmed_once_and_has_one_number(void **state)
{
	const uint64_t a[] = {1, 2, 3}, b[] = {1, 2, 4};
	struct sim_sites s;
	uint32_t first, other;
	int asked = 0;

	(void)state;
	assert_int_equal(sim_sites_open(&s), 0);
	first = sim_sites_chain(&s, a, 3, two_of_them, &asked);
	other = sim_sites_chain(&s, b, 3, two_of_them, &asked);
	assert_true(first != 0 && other != 0 && first != other);
	assert_int_equal(sim_sites_chain(&s, a, 3, two_of_them, &asked), first);
	assert_int_equal(asked, 2);
	assert_true(s.chain[first].n == 2 && s.chain[first].pc[1] == 2);
	assert_int_equal(sim_sites_chain(&s, a, 0, two_of_them, &asked), 0);
	/* more than there is room for: fewer callers, then the innermost, then none; never a wrong
	   one */
	for (uint64_t i = 0; i < 3 * SIM_SITES_CHAINS; i++) {
		const uint64_t many[] = {i / 7, i / 3, i, i, i, i};
		const uint32_t n = sim_sites_chain(&s, many, 6, NULL, NULL);

		if (n && memcmp(s.chain[n].pc, many, s.chain[n].n * sizeof *many) != 0)
			fail_msg("stack %u", (unsigned)i);
	}
	assert_true(s.n_chain <= SIM_SITES_CHAINS);
	sim_sites_close(&s);
}

static void calls_and_returns_leave_who_called(void **state)
{
	struct sim_callers c;
	uint64_t pc[16];

	(void)state;
	assert_int_equal(sim_callers_open(&c), 0);
	for (uint64_t i = 1; i <= 5; i++)
		sim_callers_call(&c, 100 * i);
	sim_callers_return(&c, 500);
	assert_int_equal(sim_callers_from(&c, 400, pc, 16), 4);
	assert_true(pc[0] == 400 && pc[3] == 100);
	sim_callers_return(&c, 7); /* to where nobody called: a signal's end */
	assert_int_equal(sim_callers_from(&c, 400, pc, 2), 2);
	sim_callers_return(&c, 200); /* longjmp() left two */
	assert_int_equal(sim_callers_from(&c, 100, pc, 16), 1);
	/* what the calls do not know stands alone */
	assert_int_equal(sim_callers_from(&c, 999, pc, 16), 1);
	assert_true(pc[0] == 999);
	sim_callers_close(&c);
}

static void calls_too_deep_to_keep_are_no_callers(void **state)
{
	struct sim_callers c;
	uint64_t pc[16];

	(void)state;
	assert_int_equal(sim_callers_open(&c), 0);
	for (uint64_t i = 1; i <= SIM_CALLERS + 10; i++)
		sim_callers_call(&c, i);
	assert_int_equal(sim_callers_from(&c, SIM_CALLERS, pc, 16), 1);
	for (uint64_t i = SIM_CALLERS + 10; i > SIM_CALLERS; i--)
		sim_callers_return(&c, i);
	assert_int_equal(sim_callers_from(&c, SIM_CALLERS, pc, 16), 16);
	assert_true(pc[15] == SIM_CALLERS - 15);
	sim_callers_close(&c);
}

static void callers_that_the_stack_does_not_hold_are_cut_off(void **state)
{
	uint64_t stack[1024] = {0};
	const uint64_t at = (uint64_t)(uintptr_t)stack;
	const uint64_t pc[] = {1111, 2222, 3333, 4444};

	(void)state;
	stack[3] = 3333; /* below its callee's: not nested */
	stack[10] = 2222;
	stack[900] = 4444;
	assert_int_equal(sim_callers_true(0, at, pc, 4), 2);
	stack[800] = 3333;
	assert_int_equal(sim_callers_true(0, at, pc, 4), 4);
	assert_int_equal(sim_callers_true(at, 0, pc, 4), 4);
	assert_int_equal(sim_callers_true(0, at, pc, 1), 1);
	assert_int_equal(sim_callers_true(0, 16, pc, 4), 1); /* nothing is there */
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_address_is_of_the_block_given_last_there),
		cmocka_unit_test(memory_that_is_unmapped_is_no_block_whatever_its_size),
		cmocka_unit_test(a_stack_is_confirmed_once_and_has_one_number),
		cmocka_unit_test(calls_and_returns_leave_who_called),
		cmocka_unit_test(calls_too_deep_to_keep_are_no_callers),
		cmocka_unit_test(callers_that_the_stack_does_not_hold_are_cut_off),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
