/* The plan is a pure function of options and topology. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "plan/planner.h"

/* `n` PUs: `smt` a core, `llc` cores an LLC domain, `numa` LLCs a node and package. */
static struct sd_topology machine(unsigned n, unsigned smt, unsigned llc, unsigned numa)
{
	const unsigned n_core = n / smt;
	struct sd_topology t = {.n_pu = n, .n_core = n_core, .n_kind = 1, .granted = n};

	t.pu = calloc(n, sizeof *t.pu);
	assert_non_null(t.pu);
	for (unsigned os = 0; os < n; os++) {
		const unsigned core = os % n_core;

		t.pu[os] = (struct sd_pu){.os = os,
			.core = core,
			.smt_rank = os / n_core,
			.llc = core / llc,
			.numa = core / llc / numa,
			.package = core / llc / numa};
	}
	t.n_llc = t.pu[n_core - 1].llc + 1;
	t.n_numa = t.n_package = t.pu[n_core - 1].numa + 1;
	return t;
}

struct heard {
	size_t n;
	char last[256];
};

static void hear(void *ctx, enum sd_level level, const char *text)
{
	struct heard *h = ctx;

	(void)level;
	h->n++;
	snprintf(h->last, sizeof h->last, "%s", text);
}

/* The plan's counts as "1 2 4". */
static const char *counts(const struct sd_plan *plan, char *text, size_t size)
{
	size_t used = 0;

	text[0] = '\0';
	for (size_t i = 0; i < plan->n_point && used < size; i++)
		used += (size_t)snprintf(
			text + used, size - used, "%s%u", i ? " " : "", plan->point[i].cores);
	return text;
}

static void counts_follow_from_the_machine(void **state)
{
	static const struct {
		unsigned n, smt, llc, numa, granted;
		enum sd_cores cores;
		const char *expected;
	} rows[] = {
		{1, 1, 1, 1, 1, SD_CORES_POWERS, "1"},
		{1, 1, 1, 1, 1, SD_CORES_ALL, "1"},
		{2, 1, 2, 1, 2, SD_CORES_POWERS, "1 2"},
		{6, 1, 6, 1, 6, SD_CORES_POWERS, "1 2 4 6"},
		{6, 1, 6, 1, 6, SD_CORES_ALL, "1 2 3 4 5 6"},
		{16, 1, 8, 2, 16, SD_CORES_ALL, "1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16"},
		/* 2 sockets of 24 cores with SMT: a socket is full at 24, the cores at 48 */
		{96, 2, 24, 1, 96, SD_CORES_ALL, "1 2 4 8 16 24 32 48 64 96"},
		{96, 2, 24, 1, 96, SD_CORES_POWERS, "1 2 4 8 16 32 64 96"},
		/* one node of 6 LLCs of 6 cores: each is shown */
		{36, 1, 6, 6, 36, SD_CORES_ALL, "1 2 4 6 8 12 16 18 24 30 32 36"},
		/* 2 nodes of 8 LLCs of 8 cores: of 16 LLCs the first only, both nodes */
		{128, 1, 8, 8, 128, SD_CORES_ALL, "1 2 4 8 16 32 64 128"},
		{1536, 2, 8, 12, 1536, SD_CORES_ALL,
			"1 2 4 8 16 32 64 96 128 192 256 288 384 480 512 576 672 768 1024 1536"},
		/* a quota of 3 out of 96 */
		{96, 2, 24, 1, 3, SD_CORES_ALL, "1 2 3"},
		{96, 2, 24, 1, 30, SD_CORES_ALL, "1 2 4 8 16 24 30"},
		{96, 2, 24, 1, 3, SD_CORES_POWERS, "1 2 3"},
		{1, 1, 1, 1, 1, SD_CORES_ENDS, "1"},
		{96, 2, 24, 1, 96, SD_CORES_ENDS, "1 96"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct sd_topology t = machine(rows[i].n, rows[i].smt, rows[i].llc, rows[i].numa);
		const struct sd_options options = {.cores = rows[i].cores};
		struct sd_plan plan;
		char text[256];

		t.granted = rows[i].granted;
		assert_int_equal(sd_planner_make(&options, &t, &plan, NULL), 0);
		assert_string_equal(counts(&plan, text, sizeof text), rows[i].expected);
		assert_int_equal(plan.n_skipped, 0);
		for (size_t k = 0; k < plan.n_point; k++)
			assert_int_equal(plan.point[k].cpus.n, plan.point[k].cores);
		sd_plan_free(&plan);
		free(t.pu);
	}
}

static void counts_above_granted_are_left_to_the_software_pmu(void **state)
{
	struct sd_topology t = machine(2, 1, 2, 1);
	unsigned few[] = {1, 2, 8, 2000}, many[] = {8, 16};
	struct sd_options options = {.cores = SD_CORES_LIST,
		.count = few,
		.n_count = 4,
		.events = SD_EVENTS_SIM,
		.sim_from = "@main"};
	struct sd_plan plan;
	char text[64];

	(void)state;
	assert_int_equal(sd_planner_make(&options, &t, &plan, NULL), 0);
	assert_string_equal(counts(&plan, text, sizeof text), "1 2 8");
	assert_false(plan.point[1].simulated);
	assert_true(plan.point[2].simulated);
	assert_int_equal(plan.point[2].cpus.n, 2);
	assert_int_equal(plan.n_skipped, 1); /* more threads than a simulation keeps */
	assert_string_equal(plan.simulation->from, "@main");
	sd_plan_free(&plan);
	/* there is something to compare only with a count that runs by itself */
	options.count = many;
	options.n_count = 2;
	assert_int_equal(sd_planner_make(&options, &t, &plan, NULL), -EINVAL);
	options.events = SD_EVENTS_OS;
	options.count = few;
	assert_int_equal(sd_planner_make(&options, &t, &plan, NULL), 0);
	assert_null(plan.simulation);
	sd_plan_free(&plan);
	free(t.pu);
}

static void a_slower_core_kind_gets_its_boundary(void **state)
{
	/* 8 fast cores, 16 slow ones */
	struct sd_topology t = machine(24, 1, 24, 1);
	const struct sd_options options = {.cores = SD_CORES_ALL};
	struct sd_plan plan;
	char text[256];

	(void)state;
	t.n_kind = 2;
	for (unsigned os = 0; os < 24; os++)
		t.pu[os].kind = os < 16 ? 0 : 1;
	assert_int_equal(sd_planner_make(&options, &t, &plan, NULL), 0);
	assert_string_equal(counts(&plan, text, sizeof text), "1 2 4 8 16 24");
	assert_int_equal(plan.point[0].cpus.cpu[0], 16);
	sd_plan_free(&plan);
	for (unsigned os = 0; os < 24; os++)
		t.pu[os].kind = os < 18 ? 0 : 1;
	assert_int_equal(sd_planner_make(&options, &t, &plan, NULL), 0);
	assert_string_equal(counts(&plan, text, sizeof text), "1 2 4 6 8 16 24");
	sd_plan_free(&plan);
	free(t.pu);
}

static void counts_above_granted_are_skipped_with_a_word(void **state)
{
	static unsigned asked[] = {1, 4, 5, 4096};
	struct sd_topology t = machine(8, 1, 8, 1);
	struct sd_options options = {.count = asked, .n_count = 4};
	struct heard heard = {0};
	const struct sd_sink sink = {hear, &heard};
	struct sd_plan plan;
	char text[64];

	(void)state;
	t.granted = 4; /* a quota: 8 CPUs may be used, 4 at a time */
	assert_int_equal(sd_planner_make(&options, &t, &plan, &sink), 0);
	assert_string_equal(counts(&plan, text, sizeof text), "1 4");
	assert_int_equal(plan.n_skipped, 2);
	assert_int_equal(plan.skipped[0], 5);
	assert_int_equal(plan.skipped[1], 4096);
	assert_int_equal(plan.point[1].cpus.n, 4);
	assert_int_equal(heard.n, 0);
	sd_plan_free(&plan);

	options.count = asked + 2;
	options.n_count = 2;
	assert_int_equal(sd_planner_make(&options, &t, &plan, &sink), -EINVAL);
	assert_int_equal(heard.n, 1);
	assert_non_null(strstr(heard.last, " 4 CPUs granted"));
	assert_non_null(strstr(heard.last, "--oversubscribe"));
	assert_null(plan.point);
	assert_null(plan.skipped);
	free(t.pu);
}

static void oversubscribed_points_have_all_the_cpus_there_are(void **state)
{
	static unsigned asked[] = {2, 6, 64};
	struct sd_topology t = machine(8, 1, 8, 1);
	const struct sd_options options = {.count = asked, .n_count = 3, .oversubscribe = 1};
	struct sd_plan plan;

	(void)state;
	t.granted = 4;
	assert_int_equal(sd_planner_make(&options, &t, &plan, NULL), 0);
	assert_int_equal(plan.n_point, 3);
	assert_int_equal(plan.n_skipped, 0);
	assert_int_equal(plan.point[0].cpus.n, 2);
	assert_int_equal(plan.point[1].cpus.n, 6);
	assert_int_equal(plan.point[2].cpus.n, 8);
	assert_int_equal(plan.point[2].cores, 64);
	sd_plan_free(&plan);
	free(t.pu);
}

static void repeats_budget_and_seed_are_taken_over(void **state)
{
	static const struct {
		unsigned repeats;
		double budget;
		unsigned min, max;
	} rows[] = {{0, 0, 0, 60}, {0, 60, 0, 1000}, {7, 0, 7, 7}, {7, 60, 7, 7}};
	struct sd_topology t = machine(2, 1, 2, 1);

	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		const struct sd_options options = {.cores = SD_CORES_ALL,
			.repeats = rows[i].repeats,
			.budget_s = rows[i].budget,
			.seed = 99};
		struct sd_plan plan;

		assert_int_equal(sd_planner_make(&options, &t, &plan, NULL), 0);
		assert_int_equal(plan.min_repeats, rows[i].min);
		assert_int_equal(plan.max_repeats, rows[i].max);
		assert_true(plan.budget_s == rows[i].budget);
		assert_true(plan.seed == 99);
		sd_plan_free(&plan);
	}
	free(t.pu);
}

static void every_block_is_a_permutation_that_seed_and_block_decide(void **state)
{
	enum { N = 5, BLOCKS = 200 };
	struct sd_plan plan = {.n_point = N, .seed = 1};
	size_t order[N] = {0}, again[N];
	unsigned changed = 0, other = 0;

	(void)state;
	for (unsigned block = 0; block < BLOCKS; block++) {
		size_t before[N];
		unsigned seen = 0;

		memcpy(before, order, sizeof before);
		sd_planner_order(&plan, block, order);
		for (size_t i = 0; i < N; i++)
			seen |= 1u << order[i];
		assert_int_equal(seen, (1u << N) - 1);
		sd_planner_order(&plan, block, again);
		assert_memory_equal(order, again, sizeof order);
		changed += block && memcmp(before, order, sizeof order) != 0;
		plan.seed = 2;
		sd_planner_order(&plan, block, again);
		plan.seed = 1;
		other += memcmp(order, again, sizeof order) != 0;
	}
	/* two random permutations of 5 agree in 1 of 120 */
	assert_true(changed > BLOCKS * 9 / 10);
	assert_true(other > BLOCKS * 9 / 10);
}

/* Chi-squared over the positions of each point: 4 x 4 degrees of freedom; 60 is beyond 1
 * in 10^6. */
static void every_point_is_equally_often_at_every_place(void **state)
{
	enum { N = 5, BLOCKS = 5000 };
	const struct sd_plan plan = {.n_point = N, .seed = 0};
	unsigned at[N][N] = {{0}};
	double chi = 0;

	(void)state;
	for (unsigned block = 0; block < BLOCKS; block++) {
		size_t order[N];

		sd_planner_order(&plan, block, order);
		for (size_t i = 0; i < N; i++)
			at[i][order[i]]++;
	}
	for (size_t i = 0; i < N; i++)
		for (size_t k = 0; k < N; k++) {
			const double mean = (double)BLOCKS / N, d = at[i][k] - mean;

			chi += d * d / mean;
		}
	assert_true(chi < 60);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(counts_follow_from_the_machine),
		cmocka_unit_test(counts_above_granted_are_left_to_the_software_pmu),
		cmocka_unit_test(a_slower_core_kind_gets_its_boundary),
		cmocka_unit_test(counts_above_granted_are_skipped_with_a_word),
		cmocka_unit_test(oversubscribed_points_have_all_the_cpus_there_are),
		cmocka_unit_test(repeats_budget_and_seed_are_taken_over),
		cmocka_unit_test(every_block_is_a_permutation_that_seed_and_block_decide),
		cmocka_unit_test(every_point_is_equally_often_at_every_place),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
