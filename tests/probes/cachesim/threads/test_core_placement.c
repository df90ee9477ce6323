/* Places of simulated threads: those of a scheduler that leaves no core idle. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/random.h"
#include "threads/core_placement.h"

static void a_sleeper_does_not_push_two_that_run_onto_one_core(void **state)
{
	struct sim_placement p;
	unsigned helper;

	(void)state;
	sim_placement_open(&p, 2, 0);
	assert_int_equal(sim_placement_begin(&p), 0);
	helper = sim_placement_begin(&p);
	assert_int_equal(helper, 1);
	sim_placement_sleep(&p, helper);
	assert_int_equal(sim_placement_begin(&p), 1);
}

static void a_thread_wakes_where_it_ran_unless_that_is_taken(void **state)
{
	struct sim_placement p;

	(void)state;
	sim_placement_open(&p, 4, 2);
	for (unsigned i = 0; i < 3; i++)
		assert_int_equal(sim_placement_begin(&p), i);
	sim_placement_sleep(&p, 2);
	assert_int_equal(sim_placement_wake(&p, 2), 2);
	/* another takes its core: the free one below the same LLC comes before any other */
	sim_placement_sleep(&p, 2);
	sim_placement_sleep(&p, 0);
	sim_placement_move(&p, 1, 2);
	assert_int_equal(sim_placement_wake(&p, 2), 3);
	assert_int_equal(sim_placement_wake(&p, 0), 0);
}

static void an_idle_core_pulls_from_a_crowded_one(void **state)
{
	struct sim_placement p;

	(void)state;
	sim_placement_open(&p, 2, 0);
	for (unsigned i = 0; i < 3; i++)
		sim_placement_begin(&p);
	assert_int_equal(p.active[0], 2);
	assert_int_equal(sim_placement_crowded(&p, 1), -1); /* it has one itself */
	sim_placement_end(&p, 1, 0);
	assert_int_equal(sim_placement_crowded(&p, 1), 0);
	sim_placement_move(&p, 0, 1);
	assert_int_equal(sim_placement_crowded(&p, 1), -1);
	assert_int_equal(p.active[0], 1);
	assert_int_equal(p.active[1], 1);
}

enum { CORES = 5, THREADS = 12 };

static void check(const struct sim_placement *p, const unsigned *core, const int *awake)
{
	unsigned active[CORES] = {0}, asleep[CORES] = {0};

	for (unsigned i = 0; i < THREADS; i++)
		(awake[i] ? active : asleep)[core[i]]++;
	for (unsigned c = 0; c < CORES; c++) {
		assert_int_equal(p->active[c], active[c]);
		assert_int_equal(p->asleep[c], asleep[c]);
		if (!active[c]) /* no core idles while two run on another */
			assert_int_equal(sim_placement_crowded(p, c), -1);
	}
}

static void pull(struct sim_placement *p, unsigned *core, const int *awake, unsigned to)
{
	const int from = sim_placement_crowded(p, to);

	for (unsigned i = 0; from >= 0 && i < THREADS; i++)
		if (awake[i] && core[i] == (unsigned)from) {
			sim_placement_move(p, core[i], to);
			core[i] = to;
			return;
		}
}

static void no_core_idles_while_two_threads_run_on_another(void **state)
{
	struct sd_random random;
	struct sim_placement p;
	unsigned core[THREADS];
	int awake[THREADS];

	(void)state;
	sd_random_seed(&random, 7, 0);
	sim_placement_open(&p, CORES, 3);
	for (unsigned i = 0; i < THREADS; i++) {
		core[i] = sim_placement_begin(&p);
		awake[i] = 1;
	}
	check(&p, core, awake);
	for (unsigned step = 0; step < 100000; step++) {
		const size_t i = sd_random_below(&random, THREADS);

		if (awake[i]) {
			sim_placement_sleep(&p, core[i]);
			awake[i] = 0;
			pull(&p, core, awake, core[i]);
		} else {
			core[i] = sim_placement_wake(&p, core[i]);
			awake[i] = 1;
		}
		check(&p, core, awake);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_sleeper_does_not_push_two_that_run_onto_one_core),
		cmocka_unit_test(a_thread_wakes_where_it_ran_unless_that_is_taken),
		cmocka_unit_test(an_idle_core_pulls_from_a_crowded_one),
		cmocka_unit_test(no_core_idles_while_two_threads_run_on_another),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
