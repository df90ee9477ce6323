#include "fleet/fleet_changes.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

/* n nodes whose numbers are all 100 times the factor, within 1 %; node `odd` times `by` besides. */
static void fill(struct sd_fleet *fleet, unsigned n, double factor, const char *kernel,
	unsigned odd, double by)
{
	for (unsigned i = 0; i < n; i++) {
		struct sd_node_facts *const facts = calloc(1, sizeof *facts);
		struct sd_fleet_node node = {.start = 1, .facts = facts};
		const double v = 100 * factor * (1 + 0.002 * (i % 5)) * (i == odd ? by : 1);

		assert_non_null(facts);
		snprintf(facts->text[SD_NODE_FACT_KERNEL], SD_NODE_FACT_SIZE, "%s", kernel);
		snprintf(node.host, sizeof node.host, "n%u", i);
		snprintf(node.group, sizeof node.group, "cpu");
		node.number[0] = (struct sd_interval){v, v * 0.999, v * 1.001, SD_STATUS_OK};
		assert_int_equal(sd_fleet_add(fleet, &node), 0);
	}
}

static void a_new_kernel_that_costs_three_per_cent_is_seen(void **state)
{
	struct sd_fleet before = {.n = 0}, after = {.n = 0};
	struct sd_fleet_changes c;

	(void)state;
	fill(&before, 20, 1, "6.1", 99, 1);
	fill(&after, 19, 0.97, "6.12", 99, 1);
	assert_int_equal(sd_fleet_changes_find(&before, &after, 0.01, &c), 0);
	assert_int_equal(c.paired, 19);
	assert_int_equal(c.n, 1);
	assert_true(c.change[0].changed);
	assert_int_equal(c.change[0].nodes, 19);
	assert_true(c.change[0].ratio.value > 0.969 && c.change[0].ratio.value < 0.971);
	assert_int_equal(c.n_odd, 0);
	assert_int_equal(c.facts.n, 1);
	assert_string_equal(c.facts.text[0], "kernel: 6.1 before, 6.12 after, on 19 of 19 nodes");
	sd_fleet_changes_free(&c);
	sd_fleet_free(&before);
	sd_fleet_free(&after);
}

static void a_node_that_changes_alone_is_named_and_no_change_of_all(void **state)
{
	struct sd_fleet before = {.n = 0}, after = {.n = 0};
	struct sd_fleet_changes c;

	(void)state;
	fill(&before, 20, 1, "6.1", 99, 1);
	fill(&after, 20, 1, "6.1", 7, 0.9);
	assert_int_equal(sd_fleet_changes_find(&before, &after, 0.01, &c), 0);
	assert_false(c.change[0].changed);
	assert_int_equal(c.n_odd, 1);
	assert_string_equal(c.odd[0].host, "n7");
	assert_int_equal(c.facts.n, 0);
	sd_fleet_changes_free(&c);
	sd_fleet_free(&before);
	sd_fleet_free(&after);
}

static void three_nodes_are_too_few(void **state)
{
	struct sd_fleet before = {.n = 0}, after = {.n = 0};
	struct sd_fleet_changes c;

	(void)state;
	fill(&before, 20, 1, "6.1", 99, 1);
	fill(&after, 3, 0.5, "6.1", 99, 1);
	assert_int_equal(sd_fleet_changes_find(&before, &after, 0.01, &c), 0);
	assert_int_equal(c.paired, 3);
	assert_int_equal(c.n, 0);
	sd_fleet_changes_free(&c);
	sd_fleet_free(&before);
	sd_fleet_free(&after);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_new_kernel_that_costs_three_per_cent_is_seen),
		cmocka_unit_test(a_node_that_changes_alone_is_named_and_no_change_of_all),
		cmocka_unit_test(three_nodes_are_too_few),
	};

	return cmocka_run_group_tests_name("fleet_changes", tests, NULL, NULL);
}
