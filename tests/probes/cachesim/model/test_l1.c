/* L1's arrays against a list of lines, most recent first, that can be read at a glance. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "model/l1.h"

#define SETS 4u
#define MOST 24u
#define FAR (1ull << 40) /* lines so far apart have the same part, see below */

static uint64_t list[SETS][MOST];
static struct sim_l1_ways memory;

static struct sim_l1 opened(unsigned ways)
{
	struct sim_l1 c;

	memset(&memory, 0, sizeof memory);
	sim_l1_open(&c, SETS, ways, &memory);
	return c;
}

static int listed(uint64_t line, unsigned ways)
{
	uint64_t *const set = list[line % SETS];
	unsigned i = 0;

	while (i < ways - 1 && set[i] != line + 1)
		i++;
	const int hit = set[i] == line + 1;
	memmove(set + 1, set, i * sizeof *set);
	set[0] = line + 1;
	return hit;
}

static int used(struct sim_l1 *c, uint64_t line, uint64_t tick)
{
	size_t at = sim_l1_find(c, line);
	const int hit = at != c->places;

	if (!hit) {
		at = sim_l1_oldest_of(c, line, c->ways);
		c->way->tag[at] = (line + 1) | SIM_L1_READONLY;
		c->way->part[at] = sim_l1_part(c, line);
	}
	c->way->stamp[at] = sim_stamp(tick, at);
	return hit;
}

static void any_number_of_ways_is_true_lru(void **state)
{
	static const unsigned ways[] = {1, 2, 4, 7, 8, 12, 16, 24};
	uint64_t seed = 1, tick = SIM_BEGIN;

	(void)state;
	for (size_t w = 0; w < sizeof ways / sizeof *ways; w++) {
		struct sim_l1 c = opened(ways[w]);
		unsigned hits = 0;

		memset(list, 0, sizeof list);
		for (int i = 0; i < 20000; i++) {
			uint64_t line;
			int hit;

			seed = seed * 6364136223846793005ull + 1442695040888963407ull;
			line = (seed >> 33) % (2 * SETS * ways[w]);
			line += seed >> 63 ? FAR : 0;
			hit = listed(line, ways[w]);
			assert_int_equal(used(&c, line, tick += SIM_TICK), hit);
			hits += hit != 0;
		}
		assert_in_range(hits, 1000, 19000); /* both ways were tried */
	}
}

static void lines_of_the_same_part_are_told_apart(void **state)
{
	struct sim_l1 c = opened(8);

	(void)state;
	assert_int_equal(sim_l1_part(&c, 5), sim_l1_part(&c, 5 + FAR));
	assert_int_equal(used(&c, 5, SIM_BEGIN + SIM_TICK), 0);
	assert_int_equal(used(&c, 5 + FAR, SIM_BEGIN + 2 * SIM_TICK), 0);
	assert_int_equal(used(&c, 5, SIM_BEGIN + 3 * SIM_TICK), 1);
	assert_int_equal(used(&c, 5 + FAR, SIM_BEGIN + 4 * SIM_TICK), 1);
	sim_l1_empty(&c, sim_l1_find(&c, 5));
	assert_int_equal(sim_l1_find(&c, 5), c.places);
	assert_int_equal(used(&c, 5 + FAR, SIM_BEGIN + 5 * SIM_TICK), 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(any_number_of_ways_is_true_lru),
		cmocka_unit_test(lines_of_the_same_part_are_told_apart),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
