/*
 * Machines that are modelled whole: what their PMUs count are events of their families' maps, and
 * the planner packs them into the family's counters.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "probe/counter_plan.h"
#include "probe/event_map.h"
#include "simulate/machine_model.h"
#include "diagnose/record/import/loaded_maps.h"

static const char *const machines[] = {"core2-quad", "skylake-sp", "epyc-genoa"};
enum { MACHINES = sizeof machines / sizeof *machines };

static int is_in_map(const struct sd_event_map *map, const char *event)
{
	for (int r = 0; r < SD_ROLE_COUNT; r++) {
		const struct sd_map_role *const role =
			sd_event_map_set_role(&maps, map, (enum sd_role)r, NULL);

		for (size_t i = 0; role && i < role->n; i++) {
			const struct sd_map_event *const e = &role->events[i];

			if (strcmp(e->event ? e->event : e->name, event) == 0)
				return 1;
		}
	}
	return 0;
}

static void every_event_is_one_of_the_family_s_map_once(void **state)
{
	(void)state;
	for (size_t k = 0; k < MACHINES; k++) {
		struct sd_modelled_machine m;
		struct sd_sim_machine caches;
		const struct sd_event_map *map;

		assert_int_equal(sd_machine_find_whole(machines[k], &caches, &m, NULL), 0);
		map = sd_event_map_set_find(&maps, m.pmu.family);
		assert_non_null(map);
		assert_true(m.pmu.n > 10);
		for (size_t i = 0; i < m.pmu.n; i++) {
			if (!is_in_map(map, m.pmu.event[i].name))
				fail_msg("%s: %s", machines[k], m.pmu.event[i].name);
			for (size_t j = 0; j < i; j++)
				assert_string_not_equal(m.pmu.event[i].name, m.pmu.event[j].name);
		}
		sd_modelled_machine_free(&m);
	}
}

/* Two counters beside the fixed ones on Core 2: two of the roles that have an event each. */
static void its_roles_are_packed_into_the_family_s_counters(void **state)
{
	static const enum sd_role want[] = {SD_ROLE_HITM_BUS, SD_ROLE_BUS_RFO_LINES,
		SD_ROLE_BUS_BURST, SD_ROLE_LOCK_L2_E, SD_ROLE_L2_LOAD_MISSES, SD_ROLE_FP_SCALAR};
	struct sd_modelled_machine m;
	const struct sd_counter_plan_ask ask = {.role = want, .n_role = 6, .model = &m.pmu};
	struct sd_role_count count = {0};
	struct sd_sim_machine caches;
	struct sd_counting *c;
	struct sd_plan plan = {0};

	(void)state;
	assert_int_equal(sd_machine_find_whole("core2-quad", &caches, &m, NULL), 0);
	assert_int_equal(sd_counter_plan_open(&c, &ask, NULL), 0);
	assert_string_equal(sd_counter_plan_source(c), "core2");
	assert_int_equal(sd_counter_plan(c, &plan), 0);
	assert_int_equal(plan.n_pass, 3); /* five events that the model has */
	for (size_t i = 0; i < plan.n_pass; i++) {
		assert_true(plan.pass[i].n_role <= 4);
		assert_int_equal(plan.pass[i].role[0], SD_ROLE_CYCLES);
	}
	sd_counter_plan_role(c, SD_ROLE_HITM_BUS, &count);
	assert_true(sd_has(count.value));
	assert_int_equal(count.quality, SD_QUALITY_SIMULATED);
	sd_counter_plan_role(c, SD_ROLE_FP_SCALAR, &count);
	assert_int_equal(count.value.status, SD_STATUS_UNSUPPORTED);
	sd_plan_free(&plan);
	sd_counter_plan_free(c);
	sd_modelled_machine_free(&m);
}

static void what_is_no_model_is_refused(void **state)
{
	static const char head[] =
		"name = \"m\"; title = \"t\"; source = \"s\"; l1 = { kib = 32; ways = 8; };\n"
		"llc = { kib = 4096; ways = 16; }; dtlb = { entries = 16; ways = 4; };\n"
		"model = { family = \"core2\"; mhz = 2400; cores = 4; sockets = 1;\n"
		"instructions = 96; ahead = 8; bus = 18.0;\n"
		"cycles = { l2 = 1; llc = 1; memory = 1; peer = 1; far = 1; walk = 1; };\n";
	static const struct {
		const char *rest;
		int rc;
	} rows[] = {
		{"counts = ( { event = \"X\"; sum = \"2 * loads + locked\"; } ); };", 0},
		{"counts = ( { event = \"X\"; sum = \"2 * lads\"; } ); };", -EINVAL},
		{"counts = ( { event = \"X\"; sum = \"loads - stores\"; } ); };", -EINVAL},
		{"counts = ( { event = \"X\"; sum = \"x * loads\"; } ); };", -EINVAL},
		{"counts = ( { sum = \"loads\"; } ); };", -EINVAL},
		{"};", -EINVAL},
	};

	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct sd_modelled_machine m = {0};
		struct sd_sim_machine caches;
		char text[1024];

		snprintf(text, sizeof text, "%s%s", head, rows[i].rest);
		assert_int_equal(
			sd_machine_parse("m", text, strlen(text), &caches, &m, NULL), rows[i].rc);
		if (!rows[i].rc) {
			assert_true(m.pmu.event[0].weight[SD_MODELLED_LOADS] == 2);
			assert_true(m.pmu.event[0].weight[SD_MODELLED_LOCKED] == 1);
			assert_int_equal(m.bus, 1800);
		}
		sd_modelled_machine_free(&m);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_event_is_one_of_the_family_s_map_once),
		cmocka_unit_test(its_roles_are_packed_into_the_family_s_counters),
		cmocka_unit_test(what_is_no_model_is_refused),
	};

	return cmocka_run_group_tests(tests, load_maps, free_maps);
}
