/* Neighbours of several runs: one row each, in words. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "analysis/neighbours_met.h"
#include "support/near.h"

static struct sd_neighbour neighbour(int pid, const char *name, double cpu)
{
	struct sd_neighbour n = {.pid = pid, .cpu = SD_OK(cpu)};

	strcpy(n.name, name);
	return n;
}

static void each_is_met_once_with_the_mean_and_the_most(void **state)
{
	struct sd_neighbour first[] = {neighbour(7, "dd", .2), neighbour(9, "cc1", .3)},
			    second[] = {neighbour(7, "dd", .4)};
	struct sd_run run[3] = {{.neighbour = first, .n_neighbour = 2}, {.n_neighbour = 0},
		{.neighbour = second, .n_neighbour = 1}};
	const struct sd_record r = {.run = run, .n_run = 3};
	struct sd_neighbours_met met;

	(void)state;
	first[0].disk = SD_OK(5e6);
	second[0].disk = SD_OK(2e6);
	sd_neighbours_met(&r, &met);
	assert_int_equal(met.n, 2);
	assert_int_equal(met.row[0].who.pid, 7);
	assert_int_equal(met.row[0].runs, 2);
	assert_near(met.row[0].who.cpu.value, .3, 1e-9);
	assert_near(met.row[0].who.disk.value, 5e6, 1e-3);
	assert_int_equal(met.row[1].runs, 1);
	assert_int_equal(met.row[1].who.disk.status, SD_STATUS_ABSENT);
}

static void the_kind_is_what_disturbs_most(void **state)
{
	struct sd_neighbour n = neighbour(7, "x", .5);
	char text[96];

	(void)state;
	assert_int_equal(sd_neighbour_kind(&n), SD_NEIGHBOUR_KIND_CPU);
	n.facts = SD_NEIGHBOUR_BOUND;
	assert_int_equal(sd_neighbour_kind(&n), SD_NEIGHBOUR_KIND_BOUND);
	n.facts |= SD_NEIGHBOUR_CHILDREN;
	assert_int_equal(sd_neighbour_kind(&n), SD_NEIGHBOUR_KIND_SHORT);
	n.disk = SD_OK(3e6);
	assert_int_equal(sd_neighbour_kind(&n), SD_NEIGHBOUR_KIND_DISK);
	n.memory = SD_OK(16384); /* within its own core's caches */
	assert_int_equal(sd_neighbour_kind(&n), SD_NEIGHBOUR_KIND_DISK);
	n.memory = SD_OK(41e6);
	sd_neighbour_does(&n, text, sizeof text);
	assert_string_equal(text, "goes through memory, 41 MB at least");
	n.facts |= SD_NEIGHBOUR_REAL_TIME;
	assert_int_equal(sd_neighbour_kind(&n), SD_NEIGHBOUR_KIND_REAL_TIME);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_is_met_once_with_the_mean_and_the_most),
		cmocka_unit_test(the_kind_is_what_disturbs_most),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
