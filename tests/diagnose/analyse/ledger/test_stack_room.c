#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>
#include "support/near.h"

#include "ledger/stack_room.h"

static void nobody_else_leaves_all_and_the_cores_are_the_most(void **state)
{
	struct sd_stack_room r = {.capacity = {1, 2}, .may = {1, 3}, .sure = {0}};

	(void)state;
	assert_near(sd_stack_room_for(&r, 0, 8), 1, 1e-12);
	assert_near(sd_stack_room_for(&r, 1, 8), 3, 1e-12);
	assert_near(sd_stack_room_for(&r, 1, 2.5), 2.5, 1e-12);
	assert_near(sd_stack_room_for(&r, 2, 8), 0, 1e-12); /* it may draw on nothing */
}

/* One that can be elsewhere moves there first. */
static void others_make_room_where_they_can(void **state)
{
	struct sd_stack_room r = {.capacity = {1, 2}, .may = {1, 3}, .sure = {0, 1.5}};

	(void)state;
	assert_near(sd_stack_room_for(&r, 0, 8), 1, 1e-12);
	r.sure[1] = 2.5;
	assert_near(sd_stack_room_for(&r, 0, 8), .5, 1e-12);
	r.sure[1] = 3.5; /* does not fit */
	assert_near(sd_stack_room_for(&r, 0, 8), -.5, 1e-12);
}

/* Against all sets of parts, by hand. */
static void the_room_is_the_least_of_all_cuts(void **state)
{
	enum { PARTS = 6, USERS = 5 };
	uint64_t z = 1;

	(void)state;
	for (int turn = 0; turn < 3000; turn++) {
		struct sd_stack_room r = {.sure = {0}};

		for (int k = 0; k < PARTS; k++) {
			z = z * 6364136223846793005 + 1442695040888963407;
			r.capacity[k] = (double)(z >> 60) / 8;
		}
		for (int u = 0; u < USERS; u++) {
			z = z * 6364136223846793005 + 1442695040888963407;
			r.sure[u] = (z >> 40 & 3) ? (double)(z >> 58) / 16 : 0;
			r.may[u] = z >> 50 & ((1u << PARTS) - 1);
		}
		for (unsigned u = 0; u < USERS; u++) {
			double least = 8;

			for (uint64_t set = 0; set < 1u << PARTS; set++) {
				double left = 0;

				if ((r.may[u] & set) != r.may[u])
					continue;
				for (int k = 0; k < PARTS; k++)
					left += set >> k & 1 ? r.capacity[k] : 0;
				for (unsigned v = 0; v < USERS; v++)
					left -= v != u && (r.may[v] & set) == r.may[v] ? r.sure[v]
										       : 0;
				least = left < least ? left : least;
			}
			assert_near(sd_stack_room_for(&r, u, 8), least, 1e-9);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nobody_else_leaves_all_and_the_cores_are_the_most),
		cmocka_unit_test(others_make_room_where_they_can),
		cmocka_unit_test(the_room_is_the_least_of_all_cuts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
