/* Placement on machines made up here: the order of the CPUs is a documented promise. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "plan/placement.h"

/* A regular machine, in numbers of children; `smt_last`: the kernel numbers all first siblings
 * first. */
struct shape {
	unsigned packages, numas, llcs, cores, smt; /* each a number within the one before */
	int smt_last;
};

static struct sd_topology build(const struct shape *s)
{
	const unsigned n_core = s->packages * s->numas * s->llcs * s->cores;
	struct sd_topology t = {.n_pu = n_core * s->smt,
		.n_core = n_core,
		.n_llc = s->packages * s->numas * s->llcs,
		.n_numa = s->packages * s->numas,
		.n_package = s->packages,
		.n_kind = 1,
		.granted = n_core * s->smt};

	t.pu = calloc(t.n_pu, sizeof *t.pu);
	assert_non_null(t.pu);
	for (unsigned os = 0; os < t.n_pu; os++) {
		const unsigned core = s->smt_last ? os % n_core : os / s->smt;

		t.pu[os] = (struct sd_pu){.os = os,
			.core = core,
			.smt_rank = s->smt_last ? os / n_core : os % s->smt,
			.llc = core / s->cores,
			.numa = core / s->cores / s->llcs,
			.package = core / s->cores / s->llcs / s->numas};
	}
	return t;
}

/* All CPUs of the placement, as text. */
static void expect(const struct sd_topology *t, enum sd_placement placement, const char *cpus)
{
	struct sd_cpulist list;
	char *text;

	assert_int_equal(sd_placement_of(t, placement, (unsigned)t->n_pu, &list), 0);
	text = sd_cpulist_format(&list);
	assert_string_equal(text, cpus);
	free(text);
	sd_cpulist_free(&list);
}

static void each_placement_has_its_documented_order(void **state)
{
	static const struct {
		struct shape shape;
		const char *compact, *spread, *smt;
	} rows[] = {
		{{1, 1, 1, 1, 1, 0}, "0", "0", "0"},
		{{1, 1, 1, 2, 1, 0}, "0-1", "0-1", "0-1"},
		/* 2 packages x 2 cores x 2 PUs, siblings numbered last, as Linux does on x86 */
		{{2, 1, 1, 2, 2, 1}, "0-7", "0,2,1,3-4,6,5,7", "0,4,1,5,2,6,3,7"},
		/* the same, siblings side by side */
		{{2, 1, 1, 2, 2, 0}, "0,2,4,6,1,3,5,7", "0,4,2,6,1,5,3,7", "0-7"},
		/* 2 packages x 2 nodes x 2 LLCs x 2 cores: turns are taken at every level */
		{{2, 2, 2, 2, 1, 0}, "0-15", "0,8,4,12,2,10,6,14,1,9,5,13,3,11,7,15", "0-15"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct sd_topology t = build(&rows[i].shape);

		expect(&t, SD_PLACEMENT_COMPACT, rows[i].compact);
		expect(&t, SD_PLACEMENT_SPREAD, rows[i].spread);
		expect(&t, SD_PLACEMENT_SMT, rows[i].smt);
		free(t.pu);
	}
}

static void fast_cores_come_first_and_their_siblings_after_the_slow_cores(void **state)
{
	/* 2 fast cores with SMT (CPUs 0-3), 2 slow ones without (4, 5) */
	struct sd_pu pu[] = {
		{.os = 0, .core = 0, .kind = 1},
		{.os = 1, .core = 0, .smt_rank = 1, .kind = 1},
		{.os = 2, .core = 1, .kind = 1},
		{.os = 3, .core = 1, .smt_rank = 1, .kind = 1},
		{.os = 4, .core = 2},
		{.os = 5, .core = 3},
	};
	const struct sd_topology t = {.pu = pu,
		.n_pu = 6,
		.n_core = 4,
		.n_llc = 1,
		.n_numa = 1,
		.n_package = 1,
		.n_kind = 2,
		.granted = 6};

	(void)state;
	expect(&t, SD_PLACEMENT_COMPACT, "0,2,4-5,1,3");
	expect(&t, SD_PLACEMENT_SPREAD, "0,2,4-5,1,3");
	expect(&t, SD_PLACEMENT_SMT, "0-5");
}

static void two_nodes_under_one_llc_are_filled_one_after_the_other(void **state)
{
	/* sub-NUMA clusters: the node is the smaller domain, CPUs numbered round robin
	 * over nodes */
	struct sd_pu pu[8];
	const struct sd_topology t = {.pu = pu,
		.n_pu = 8,
		.n_core = 8,
		.n_llc = 2,
		.n_numa = 4,
		.n_package = 1,
		.n_kind = 1,
		.granted = 8};

	(void)state;
	for (unsigned os = 0; os < 8; os++)
		pu[os] = (struct sd_pu){.os = os, .core = os, .numa = os % 4, .llc = os % 2};
	expect(&t, SD_PLACEMENT_COMPACT, "0,4,2,6,1,5,3,7");
	expect(&t, SD_PLACEMENT_SPREAD, "0-7");
}

static void uneven_domains_still_take_turns(void **state)
{
	/* holes: package 0 is one LLC of 3 cores, package 1 has two LLCs of 2 and 1 */
	struct sd_pu pu[] = {
		{.os = 3, .core = 0},
		{.os = 5, .core = 1},
		{.os = 6, .core = 2},
		{.os = 70, .core = 3, .llc = 1, .numa = 1, .package = 1},
		{.os = 71, .core = 4, .llc = 1, .numa = 1, .package = 1},
		{.os = 2000, .core = 5, .llc = 2, .numa = 1, .package = 1},
	};
	const struct sd_topology t = {.pu = pu,
		.n_pu = 6,
		.n_core = 6,
		.n_llc = 3,
		.n_numa = 2,
		.n_package = 2,
		.n_kind = 1,
		.granted = 6};

	(void)state;
	expect(&t, SD_PLACEMENT_COMPACT, "3,5-6,70-71,2000");
	expect(&t, SD_PLACEMENT_SPREAD, "3,70,5,2000,6,71");
}

/* On every shape: n CPUs, all different, and the list of n begins with the list of n - 1. */
static void a_longer_list_begins_with_the_shorter_one(void **state)
{
	static const struct shape shapes[] = {
		{1, 1, 1, 1, 1, 0},
		{1, 1, 1, 3, 2, 1},
		{2, 1, 1, 24, 2, 1},
		{2, 1, 8, 8, 1, 0},
		{4, 2, 12, 8, 2, 1},
	};

	(void)state;
	for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++)
		for (enum sd_placement p = SD_PLACEMENT_COMPACT; p <= SD_PLACEMENT_SMT; p++) {
			struct sd_topology t = build(&shapes[s]);
			unsigned char *seen = calloc(t.n_pu, 1);
			struct sd_cpulist all;

			assert_non_null(seen);
			assert_int_equal(sd_placement_of(&t, p, (unsigned)t.n_pu, &all), 0);
			assert_int_equal(all.n, t.n_pu);
			for (size_t i = 0; i < all.n; i++) {
				assert_true(all.cpu[i] < t.n_pu);
				assert_int_equal(seen[all.cpu[i]]++, 0);
			}
			for (unsigned n = 1; n < t.n_pu; n += n < 4 ? 1 : 37) {
				struct sd_cpulist some;

				assert_int_equal(sd_placement_of(&t, p, n, &some), 0);
				assert_int_equal(some.n, n);
				assert_memory_equal(some.cpu, all.cpu, n * sizeof *some.cpu);
				sd_cpulist_free(&some);
			}
			sd_cpulist_free(&all);
			free(seen);
			free(t.pu);
		}
}

static void as_many_cores_as_there_are_get_one_pu_each(void **state)
{
	static const struct shape shape = {4, 2, 12, 8, 2, 0}; /* 1536 PUs */

	(void)state;
	for (enum sd_placement p = SD_PLACEMENT_COMPACT; p <= SD_PLACEMENT_SPREAD; p++) {
		struct sd_topology t = build(&shape);
		struct sd_cpulist list;

		assert_int_equal(sd_placement_of(&t, p, t.n_core, &list), 0);
		for (size_t i = 0; i < list.n; i++)
			assert_int_equal(t.pu[list.cpu[i]].smt_rank, 0);
		sd_cpulist_free(&list);
		free(t.pu);
	}
}

static void no_cpu_and_more_than_there_are_is_refused(void **state)
{
	static const struct shape shape = {1, 1, 1, 2, 1, 0};
	struct sd_topology t = build(&shape);
	struct sd_cpulist list;

	(void)state;
	assert_int_equal(sd_placement_of(&t, SD_PLACEMENT_COMPACT, 0, &list), -EINVAL);
	assert_null(list.cpu);
	assert_int_equal(sd_placement_of(&t, SD_PLACEMENT_SPREAD, 3, &list), -EINVAL);
	assert_null(list.cpu);
	free(t.pu);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_placement_has_its_documented_order),
		cmocka_unit_test(fast_cores_come_first_and_their_siblings_after_the_slow_cores),
		cmocka_unit_test(two_nodes_under_one_llc_are_filled_one_after_the_other),
		cmocka_unit_test(uneven_domains_still_take_turns),
		cmocka_unit_test(a_longer_list_begins_with_the_shorter_one),
		cmocka_unit_test(as_many_cores_as_there_are_get_one_pu_each),
		cmocka_unit_test(no_cpu_and_more_than_there_are_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
