#include "fleet/fleet_judge.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "base/random.h"
#include "fleet/fleet_cause.h"

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
	double bandwidth, latency, transfer, pair; /* factors; pair: CPUs 1,3 alone */
	const char *thp;
};

#define GOOD ((struct fault){1, 1, 1, 1, "always"})

static void add_transfer(struct sd_profile *p, const char *cpus, double median)
{
	add_row(p, "transfer", "op=load-store lines=4 line=median", "ns", median);
	snprintf(p->rows.row[p->rows.n - 1].cpus, 64, "%s", cpus);
}

static void add_node(struct sd_fleet *fleet, unsigned i, const char *cpu, struct fault f,
	double start, struct sd_random *random)
{
	struct sd_profile p = {
		.granted = 4, .start = start, .states = {.n = 1, .line = {55e-9}, .seen = {9}}};
	struct sd_fleet_node node;
	double noise[4];

	/* within 1 % of each other, as nodes of one delivery are */
	for (size_t k = 0; k < 4; k++)
		noise[k] = 1 + 0.01 * ((double)sd_random_below(random, 2001) / 1000 - 1);
	snprintf(p.key.host, sizeof p.key.host, "n%03u", i);
	snprintf(p.key.cpu, sizeof p.key.cpu, "%s", cpu);
	snprintf(p.facts.text[SD_NODE_FACT_THP], SD_NODE_FACT_SIZE, "%s", f.thp);
	add_row(&p, "triad", "op=triad stores=regular bytes=counted", "GB/s",
		40 * f.bandwidth * noise[0]);
	add_row(&p, "latency", "level=DRAM", "ns", 100 * f.latency * noise[1]);
	add_transfer(&p, "0-1", 60 * f.transfer * noise[2]);
	add_transfer(&p, "1,3", 60 * f.transfer * f.pair * noise[3]);
	add_transfer(&p, "0,2", 220 * f.transfer * noise[2]);
	assert_int_equal(sd_fleet_node_of(&p, &node), 0);
	assert_int_equal(node.n_pair, 3);
	assert_int_equal(sd_fleet_add(fleet, &node), 0);
	sd_profile_free(&p);
}

/* Expects these words on the findings from `first` on, all of one node. */
static void expect_cause(const struct sd_fleet *fleet, const struct sd_fleet_findings *f,
	size_t first, size_t n, const char *words)
{
	struct sd_texts causes = {.n = 0};
	struct sd_fleet_usual usual;

	assert_int_equal(sd_fleet_usual_of(
				 fleet, sd_fleet_findings_group(f, f->finding[first].node), &usual),
		0);
	assert_int_equal(sd_fleet_causes(fleet, &usual, &f->finding[first], n, &causes), 0);
	assert_true(causes.n > 0);
	if (!strstr(causes.text[0], words))
		fail_msg("'%s' is not in '%s'", words, causes.text[0]);
	sd_texts_free(&causes);
}

static void three_planted_faults_are_found_and_none_besides(void **state)
{
	(void)state;
	for (unsigned seed = 1; seed <= 20; seed++) {
		struct sd_random random;
		struct sd_fleet fleet = {.n = 0};
		struct sd_fleet_findings f;

		sd_random_seed(&random, seed, 0);
		for (unsigned i = 0; i < 64; i++)
			add_node(&fleet, i, "cpu",
				i == 7    ? (struct fault){0.95, 1, 1, 1, "always"}
				: i == 20 ? (struct fault){1, 1, 1, 1.2, "always"}
				: i == 50 ? (struct fault){1, 1.1, 1, 1, "never"}
					  : GOOD,
				1, &random);
		assert_int_equal(sd_fleet_judge(&fleet, 0.02, &f), 0);
		assert_int_equal(f.n_judged, 64);
		/* triad is one number by two names: with stores of any kind, and regular ones */
		assert_int_equal(f.n, 4);
		assert_int_equal(f.finding[0].node, 7);
		assert_int_equal(f.finding[0].number, number("triad"));
		assert_int_equal(f.finding[1].node, 7);
		expect_cause(&fleet, &f, 0, 2, "memory channel");
		/* of one pair: the slowest pair of the node is another one, and right */
		assert_int_equal(f.finding[2].node, 20);
		assert_int_equal(f.finding[2].number, SD_FLEET_TRANSFER_PAIR);
		assert_string_equal(fleet.node[20].pair[f.finding[2].pair].cpus, "1,3");
		assert_true(sd_fleet_finding_worse(&fleet, &f.finding[2]));
		expect_cause(&fleet, &f, 2, 1, "the worst pair is CPUs 1,3");
		assert_int_equal(f.finding[3].node, 50);
		assert_int_equal(f.finding[3].number, number("latency.dram"));
		assert_int_equal(f.finding[3].alike, 64);
		expect_cause(
			&fleet, &f, 3, 1, "transparent huge pages: never, its like have always");
		sd_fleet_findings_free(&f);
		sd_fleet_free(&fleet);
	}
}

static void few_nodes_are_not_judged_and_groups_not_mixed(void **state)
{
	struct sd_random random;
	struct sd_fleet fleet = {.n = 0};
	struct sd_fleet_findings f;
	char why[400];

	(void)state;
	sd_random_seed(&random, 1, 0);
	for (unsigned i = 0; i < 3; i++)
		add_node(&fleet, i, "few", i ? GOOD : (struct fault){0.5, 1, 1, 1, "always"}, 1,
			&random);
	for (unsigned i = 10; i < 14; i++)
		add_node(&fleet, i, "slow", (struct fault){0.5, 2, 2, 1, "always"}, 1, &random);
	assert_int_equal(sd_fleet_judge(&fleet, 0.05, &f), 0);
	assert_int_equal(f.n, 0);
	assert_int_equal(f.n_judged, 4);
	assert_int_equal(f.n_group, 2);
	assert_false(f.judged[0]);
	sd_fleet_alone(&fleet, &f, 0, why, sizeof why);
	assert_non_null(strstr(why, "only 3 of 4"));
	sd_fleet_findings_free(&f);
	sd_fleet_free(&fleet);
}

/* A node that lost a module is like no other: it is not judged, but it is said what it has. */
static void a_node_with_less_memory_is_told_apart_by_it(void **state)
{
	struct sd_random random;
	struct sd_fleet fleet = {.n = 0};
	struct sd_fleet_findings f;
	char why[400];

	(void)state;
	sd_random_seed(&random, 1, 0);
	for (unsigned i = 0; i < 6; i++)
		add_node(&fleet, i, "cpu", GOOD, 1, &random);
	for (unsigned i = 0; i < 6; i++)
		snprintf(fleet.node[i].group, sizeof fleet.node[i].group,
			"cpu, 4 CPUs, %d GiB, topology 1", i == 2 ? 240 : 256);
	assert_int_equal(sd_fleet_judge(&fleet, 0.05, &f), 0);
	assert_int_equal(f.n_judged, 5);
	assert_string_equal(fleet.node[0].host, "n002");
	sd_fleet_alone(&fleet, &f, 0, why, sizeof why);
	assert_non_null(strstr(why, "the 5 others of its CPU model"));
	assert_non_null(strstr(why, "240 GiB"));
	assert_non_null(strstr(why, "256 GiB"));
	sd_fleet_findings_free(&f);
	sd_fleet_free(&fleet);
}

static void the_newest_calibration_of_a_node_counts(void **state)
{
	struct sd_random random;
	struct sd_fleet fleet = {.n = 0};
	struct sd_fleet_findings f;

	(void)state;
	sd_random_seed(&random, 1, 0);
	for (unsigned i = 0; i < 5; i++)
		add_node(&fleet, i, "cpu", GOOD, 1, &random);
	add_node(&fleet, 3, "cpu", (struct fault){0.5, 1, 1, 1, "always"}, 2, &random);
	add_node(&fleet, 3, "cpu", GOOD, 1.5, &random);
	assert_int_equal(sd_fleet_judge(&fleet, 0.05, &f), 0);
	assert_int_equal(fleet.n, 5);
	assert_int_equal(f.n, 2);
	assert_string_equal(fleet.node[f.finding[0].node].host, "n003");
	assert_ptr_equal(sd_fleet_find(&fleet, "n003"), &fleet.node[f.finding[0].node]);
	assert_null(sd_fleet_find(&fleet, "n999"));
	sd_fleet_findings_free(&f);
	sd_fleet_free(&fleet);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(three_planted_faults_are_found_and_none_besides),
		cmocka_unit_test(few_nodes_are_not_judged_and_groups_not_mixed),
		cmocka_unit_test(a_node_with_less_memory_is_told_apart_by_it),
		cmocka_unit_test(the_newest_calibration_of_a_node_counts),
	};

	return cmocka_run_group_tests_name("fleet_judge", tests, NULL, NULL);
}
