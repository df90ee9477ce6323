/*
 * Which cores a kernel takes, and how lists of them are written.
 */
#include <math.h>
#include <stdio.h>
#include <errno.h>
#include <string.h>

#include "microbench/harness/sample_script.h"
#include "support/others.h"
#include "harness/state_split.h"
#include "harness/core_sets.h"

static void a_long_cpu_list_is_cut_at_a_comma(void **state)
{
	struct sd_cpulist cpus = {0};
	struct sd_bench_row row = {.kernel = "test"};

	(void)state;
	for (unsigned i = 0; i < 200; i += 2)
		assert_int_equal(sd_cpulist_add(&cpus, i), 0);
	sd_rows_cpus(&row, &cpus);
	assert_int_equal(row.cores, 100);
	assert_true(strlen(row.cpus) < sizeof row.cpus);
	assert_string_equal(row.cpus + strlen(row.cpus) - 4, ",…");
	sd_cpulist_free(&cpus);
}

/* 2 packages of 2 LLC domains of 2 cores with 2 PUs; the kernel numbers siblings last. */
static struct sd_topology machine(struct sd_pu pu[16])
{
	for (unsigned i = 0; i < 16; i++) {
		const unsigned core = i % 8;

		pu[i] = (struct sd_pu){.os = i,
			.core = core,
			.smt_rank = i / 8,
			.llc = core / 2,
			.numa = core / 4,
			.package = core / 4};
	}
	return (struct sd_topology){.pu = pu, .n_pu = 16, .n_core = 8, .n_kind = 1, .granted = 16};
}

static void compact_fills_a_domain_and_spread_goes_round_them(void **state)
{
	static const unsigned compact[16] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
	static const unsigned spread[8] = {0, 2, 4, 6, 1, 3, 5, 7};
	struct sd_pu pu[16];
	const struct sd_topology t = machine(pu);
	struct sd_cpulist list;

	(void)state;
	assert_int_equal(sd_core_sets_place(&t, SD_CORE_SETS_COMPACT, 16, &list), 0);
	assert_memory_equal(list.cpu, compact, sizeof compact);
	sd_cpulist_free(&list);
	assert_int_equal(sd_core_sets_place(&t, SD_CORE_SETS_SPREAD, 8, &list), 0);
	assert_memory_equal(list.cpu, spread, sizeof spread);
	sd_cpulist_free(&list);
	assert_int_equal(sd_core_sets_place(&t, SD_CORE_SETS_SPREAD, 17, &list), -EINVAL);
	assert_int_equal(sd_core_sets_place(&t, SD_CORE_SETS_SPREAD, 0, &list), -EINVAL);
}

static void core_counts_rise_and_end_at_what_is_granted(void **state)
{
	static const unsigned asked[] = {1, 3, 99}, full[] = {1, 2, 3, 4, 5, 6, 7, 8, 16},
			      quick[] = {1, 16}, two[] = {2, 16};
	struct sd_pu pu[16];
	const struct sd_topology t = machine(pu);
	struct sd_kernel_env env = {.topology = &t};
	unsigned count[16];

	(void)state;
	assert_int_equal(sd_core_sets_counts(&env, 1, count, 16), 9);
	assert_memory_equal(count, full, sizeof full);
	env.quick = 1;
	assert_int_equal(sd_core_sets_counts(&env, 1, count, 16), 2);
	assert_memory_equal(count, quick, sizeof quick);
	assert_int_equal(sd_core_sets_counts(&env, 2, count, 16), 2);
	assert_memory_equal(count, two, sizeof two);
	env.cores = asked;
	env.n_cores = 3;
	assert_int_equal(sd_core_sets_counts(&env, 1, count, 16), 2);
	assert_int_equal(count[1], 3);
	env = (struct sd_kernel_env){.topology = &one};
	assert_int_equal(sd_core_sets_counts(&env, 2, count, 16), 0);
	assert_int_equal(sd_core_sets_counts(&env, 1, count, 16), 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_long_cpu_list_is_cut_at_a_comma),
		cmocka_unit_test(compact_fills_a_domain_and_spread_goes_round_them),
		cmocka_unit_test(core_counts_rise_and_end_at_what_is_granted),
	};

	return cmocka_run_group_tests_name("microbench_samples", tests, NULL, NULL);
}
