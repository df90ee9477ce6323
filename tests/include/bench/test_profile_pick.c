#include "bench/profile_pick.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <cmocka.h>

static const struct sd_bench_row rows[] = {
	{.kernel = "locks",
		.variant = "lock=mutex quantity=cost",
		.cores = 1,
		.unit = "ns",
		.cpus = "0",
		.n = 5,
		.median = 14,
		.status = SD_STATUS_OK},
	{.kernel = "locks",
		.variant = "lock=mutex quantity=cost",
		.cores = 1,
		.unit = "ns",
		.cpus = "0",
		.n = 5,
		.median = 15,
		.state = 1,
		.status = SD_STATUS_NOISY},
	{.kernel = "locks",
		.variant = "lock=mutex quantity=throughput",
		.cores = 4,
		.unit = "1/s",
		.cpus = "0-3",
		.n = 5,
		.median = 20,
		.status = SD_STATUS_OK},
	{.kernel = "locks",
		.variant = "lock=mutex quantity=throughput",
		.cores = 2,
		.unit = "1/s",
		.cpus = "0-1",
		.n = 5,
		.median = 30,
		.status = SD_STATUS_OK},
	{.kernel = "locks",
		.variant = "lock=mcs quantity=cost",
		.cores = 1,
		.unit = "ns",
		.cpus = "0",
		.status = SD_STATUS_ABSENT,
		.why = "no time"},
	{.kernel = "locks",
		.variant = "lock=mcs quantity=cost",
		.cores = 8,
		.unit = "ns",
		.cpus = "0-7",
		.n = 1,
		.median = 9,
		.status = SD_STATUS_OK},
};
static const struct sd_profile profile = {
	.rows = {(struct sd_bench_row *)(uintptr_t)rows, sizeof rows / sizeof *rows}};

static void a_query_finds_the_row_it_means(void **state)
{
	static const struct {
		struct sd_pick_query query;
		int row; /* -1: none */
	} expected[] = {
		{{.kernel = "locks", .words = "quantity=cost lock=mutex", .state = 0}, 0},
		{{.kernel = "locks", .words = "lock=mutex quantity=cost", .state = 1}, 1},
		{{.kernel = "locks", .words = "quantity=throughput", .state = -1}, 2},
		{{.kernel = "locks", .words = "quantity=throughput", .cores = 2, .state = -1}, 3},
		{{.words = "quantity=throughput", .state = -1, .pick = SD_PICK_MOST}, 3},
		{{.words = "quantity=throughput", .state = -1, .pick = SD_PICK_LEAST}, 2},
		{{.unit = "1/s", .cpus = "0-1", .state = -1}, 3},
		{{.words = "lock=mcs", .cores = 1, .state = -1}, 4},
		/* a number before the reason for a missing one */
		{{.words = "lock=mcs", .state = -1}, 5},
		/* what could not be measured was not measured in any state */
		{{.words = "lock=mcs", .cores = 1, .state = 1}, 4},
		/* words are whole words */
		{{.words = "lock=mu", .state = -1}, -1},
		{{.words = "lock=mutexes", .state = -1}, -1},
		{{.kernel = "lock", .state = -1}, -1},
		{{.words = "quantity=throughput", .state = 1}, -1},
	};

	(void)state;
	for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
		const struct sd_bench_row *r = sd_profile_pick(&profile, &expected[i].query);
		const int found = r ? (int)(r - rows) : -1;

		if (found != expected[i].row)
			fail_msg("query %zu: row %d, not %d", i, found, expected[i].row);
	}
}

static void counts_rise_and_are_said_once(void **state)
{
	unsigned count[8];

	(void)state;
	assert_int_equal(sd_profile_counts(&profile, "locks", count, 8), 4);
	assert_int_equal(count[0], 1);
	assert_int_equal(count[1], 2);
	assert_int_equal(count[2], 4);
	assert_int_equal(count[3], 8);
	assert_int_equal(sd_profile_counts(&profile, "locks", count, 2), 2);
	assert_int_equal(sd_profile_counts(&profile, "disk", count, 8), 0);
}

static void a_status_without_samples_is_no_number(void **state)
{
	const struct sd_bench_row empty = {.status = SD_STATUS_OK};

	(void)state;
	assert_true(sd_bench_row_has(&rows[0]));
	assert_true(sd_bench_row_has(&rows[1]));
	assert_false(sd_bench_row_has(&rows[4]));
	assert_false(sd_bench_row_has(&empty));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_query_finds_the_row_it_means),
		cmocka_unit_test(counts_rise_and_are_said_once),
		cmocka_unit_test(a_status_without_samples_is_no_number),
	};

	return cmocka_run_group_tests_name("base_profile_pick", tests, NULL, NULL);
}
