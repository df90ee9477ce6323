#include "fleet/fleet_judge.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "base/random.h"

static size_t number(const char *name)
{
	size_t i = 0;

	while (strcmp(sd_node_numbers_name(i), name) != 0)
		assert_true(++i < SD_NODE_NUMBERS);
	return i;
}

static void add_row(struct sd_profile *p, const char *kernel, const char *variant, const char *unit,
	double median)
{
	struct sd_bench_row r = {.kernel = kernel,
		.cores = 2,
		.unit = unit,
		.parameter_unit = "",
		.n = 15,
		.median = median,
		.q1 = median * 0.995,
		.q3 = median * 1.005,
		.low = median * 0.99,
		.high = median * 1.01,
		.status = SD_STATUS_OK};

	snprintf(r.variant, sizeof r.variant, "%s", variant);
	assert_int_equal(sd_bench_rows_add(&p->rows, &r), 0);
}

struct fault {
	double bandwidth, latency, transfer; /* factors */
};

static void add_node(struct sd_fleet *fleet, unsigned i, const char *cpu, struct fault f,
	double start, struct sd_random *random)
{
	struct sd_profile p = {
		.granted = 2, .start = start, .states = {.n = 1, .line = {55e-9}, .seen = {9}}};
	double noise[3];

	/* within 1 % of each other, as nodes of one delivery are */
	for (size_t k = 0; k < 3; k++)
		noise[k] = 1 + 0.01 * ((double)sd_random_below(random, 2001) / 1000 - 1);
	snprintf(p.key.host, sizeof p.key.host, "n%03u", i);
	snprintf(p.key.cpu, sizeof p.key.cpu, "%s", cpu);
	add_row(&p, "triad", "op=triad stores=regular bytes=counted", "GB/s",
		40 * f.bandwidth * noise[0]);
	add_row(&p, "latency", "level=DRAM", "ns", 100 * f.latency * noise[1]);
	add_row(&p, "transfer", "op=load-store line=median", "ns", 60 * f.transfer * noise[2]);
	assert_int_equal(sd_fleet_add(fleet, &p), 0);
	sd_profile_free(&p);
}

#define GOOD ((struct fault){1, 1, 1})

static void three_planted_faults_are_found_and_none_besides(void **state)
{
	(void)state;
	for (unsigned seed = 1; seed <= 20; seed++) {
		struct sd_random random;
		struct sd_fleet fleet = {0};
		struct sd_fleet_findings f;

		sd_random_seed(&random, seed, 0);
		for (unsigned i = 0; i < 64; i++)
			add_node(&fleet, i, "cpu",
				i == 7    ? (struct fault){0.95, 1, 1}
				: i == 20 ? (struct fault){1, 1, 1.2}
				: i == 50 ? (struct fault){1, 1.1, 1}
					  : GOOD,
				1, &random);
		assert_int_equal(sd_fleet_judge(&fleet, 0.02, &f), 0);
		assert_int_equal(f.judged, 64);
		/* triad is one number by two names: with stores of any kind, and regular ones */
		assert_int_equal(f.n, 4);
		assert_int_equal(f.finding[0].node, 7);
		assert_int_equal(f.finding[0].number, number("triad"));
		assert_int_equal(f.finding[1].node, 7);
		assert_int_equal(f.finding[2].node, 20);
		assert_int_equal(f.finding[2].number, number("transfer"));
		assert_int_equal(f.finding[3].node, 50);
		assert_int_equal(f.finding[3].number, number("latency.dram"));
		assert_int_equal(f.finding[3].alike, 64);
		sd_fleet_findings_free(&f);
		sd_fleet_free(&fleet);
	}
}

static void few_nodes_are_not_judged_and_groups_not_mixed(void **state)
{
	struct sd_random random;
	struct sd_fleet fleet = {0};
	struct sd_fleet_findings f;

	(void)state;
	sd_random_seed(&random, 1, 0);
	for (unsigned i = 0; i < 3; i++)
		add_node(&fleet, i, "few", i ? GOOD : (struct fault){0.5, 1, 1}, 1, &random);
	for (unsigned i = 10; i < 14; i++)
		add_node(&fleet, i, "slow", (struct fault){0.5, 2, 2}, 1, &random);
	assert_int_equal(sd_fleet_judge(&fleet, 0.05, &f), 0);
	assert_int_equal(f.n, 0);
	assert_int_equal(f.judged, 4);
	sd_fleet_findings_free(&f);
	sd_fleet_free(&fleet);
}

static void the_newest_calibration_of_a_node_counts(void **state)
{
	struct sd_random random;
	struct sd_fleet fleet = {0};
	struct sd_fleet_findings f;

	(void)state;
	sd_random_seed(&random, 1, 0);
	for (unsigned i = 0; i < 5; i++)
		add_node(&fleet, i, "cpu", GOOD, 1, &random);
	add_node(&fleet, 3, "cpu", (struct fault){0.5, 1, 1}, 2, &random);
	add_node(&fleet, 3, "cpu", GOOD, 1.5, &random);
	assert_int_equal(fleet.n, 5);
	assert_int_equal(sd_fleet_judge(&fleet, 0.05, &f), 0);
	assert_int_equal(f.n, 2);
	assert_string_equal(fleet.node[f.finding[0].node].host, "n003");
	sd_fleet_findings_free(&f);
	sd_fleet_free(&fleet);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(three_planted_faults_are_found_and_none_besides),
		cmocka_unit_test(few_nodes_are_not_judged_and_groups_not_mixed),
		cmocka_unit_test(the_newest_calibration_of_a_node_counts),
	};

	return cmocka_run_group_tests_name("fleet_judge", tests, NULL, NULL);
}
