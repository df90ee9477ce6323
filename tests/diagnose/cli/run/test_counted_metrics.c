/*
 * Roles that the planner counts, family by family: the event maps on a made-up PMU with as many
 * counters as the CPU has. Each metric that a map allows is counted in some pass.
 */
#include "support/fakepmu.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "base/configs.h"
#include "metrics/metric_roles.h"
#include "probe/counter_plan.h"
#include "probe/event_map.h"
#include "record/memory_sampled.h"
#include "run/config_tables.h"
#include "support/fakeproc.h"

static struct sd_eventmaps maps;
static struct sd_config_tables tables;

static int load(void **state)
{
	(void)state;
	return sd_event_map_set_load(&maps, NULL, NULL) < 0 ||
			       sd_config_tables_load(&tables, NULL) < 0
		       ? -1
		       : 0;
}

static int unload(void **state)
{
	(void)state;
	sd_event_map_set_free(&maps);
	sd_config_tables_free(&tables);
	return 0;
}

/* libpfm4 of another architecture does not know the x86 events by name. */
static void need_x86(const char *test)
{
#ifndef __x86_64__
	fprintf(stderr, "SKIP: %s: libpfm4 has no x86 events here\n", test);
	skip();
#endif
	(void)test;
}

/* ---- a machine with that CPU ---- */

/* Its map alone may claim the CPU of the made-up machine: the map's own text, and its claim before
 * it. libconfig takes the first of two settings for an error, so that the map's claim leaves. */
static void write_map(const char *root, const char *name, const char *text, size_t size, int claims)
{
	static const char claim[] =
		"cpus = ( { vendor = \"GenuineIntel\"; family = 99; models = \"1\"; } );\n";
	char path[128], *own = strndup(text, size), *cpus;

	assert_non_null(own);
	/* libpfm4 has the events of one architecture: of ARM, the codes must do */
	for (char *at = own; strstr(own, "implementer") && (at = strstr(at, " event = "));)
		memcpy(at, "  name = ", 9);
	cpus = strncmp(own, "cpus = (", 8) == 0 ? own : strstr(own, "\ncpus = (");
	if (cpus) {
		char *const end = strstr(cpus, ");");

		assert_non_null(end);
		memset(cpus, ' ', (size_t)(end + 2 - cpus));
	}
	snprintf(path, sizeof path, "maps/%s", name);
	fake_write(root, path, "%s\n%s", claims ? claim : "", own);
	free(own);
}

static void write_maps(const char *root, const char *family)
{
	struct sd_texts names = {0};
	char wanted[64];

	snprintf(wanted, sizeof wanted, "events/%s.conf", family);
	assert_int_equal(sd_configs_list(NULL, "events", &names, NULL), 0);
	for (size_t i = 0; i < names.n; i++) {
		struct sd_config c = {0};

		assert_int_equal(sd_configs_get(NULL, names.text[i], &c, NULL), 0);
		write_map(root, names.text[i], c.text, c.size, strcmp(names.text[i], wanted) == 0);
		sd_config_free(&c);
	}
	sd_texts_free(&names);
}

/* One core, and a box of each PMU that the map names. */
static void make_machine(const char *root, const struct sd_event_map *map)
{
	fake_write(root, "proc/cpuinfo",
		"processor\t: 0\nvendor_id\t: GenuineIntel\ncpu family\t: 99\nmodel\t\t: 1\n"
		"stepping\t: 0\n\n");
	fake_write(root, "sys/devices/system/cpu/online", "0\n");
	fake_write(root, "sys/devices/system/cpu/smt/active", "0\n");
	fake_write(root, "sys/devices/system/cpu/cpu0/topology/thread_siblings_list", "0\n");
	fake_write(root, "sys/devices/system/cpu/cpu0/topology/core_siblings_list", "0\n");
	for (size_t r = 0; r < SD_ROLE_COUNT; r++)
		for (size_t e = 0; e < map->roles[r].n; e++) {
			const char *const pmu = map->roles[r].events[e].pmu;
			char path[128];

			if (!pmu)
				continue;
			snprintf(path, sizeof path, "sys/bus/event_source/devices/%s/type", pmu);
			fake_write(root, path, "20\n");
			snprintf(path, sizeof path, "sys/bus/event_source/devices/%s/cpumask", pmu);
			fake_write(root, path, "0\n");
		}
}

/* ---- the question ---- */

struct asked {
	unsigned char can[SD_ROLE_COUNT];
	char family[32];
};

static int choose(
	void *ctx, const char *family, const unsigned char *can, enum sd_role *out, size_t *n)
{
	struct asked *const asked = ctx;

	snprintf(asked->family, sizeof asked->family, "%s", family);
	memcpy(asked->can, can, sizeof asked->can);
	*n = sd_metric_roles_order(&tables.formulas, family, can, out);
	return 0;
}

/* In this order CPUs have fixed counters; what follows a leader is read with it. */
static void give_fixed_counters(const struct sd_event_map *map)
{
	static const enum sd_role first[] = {
		SD_ROLE_CYCLES, SD_ROLE_INSTRUCTIONS, SD_ROLE_REF_CYCLES, SD_ROLE_TD_SLOTS};
	size_t n = 0;

	for (size_t i = 0; i < sizeof first / sizeof *first && i < map->fixed; i++) {
		const struct sd_map_role *const role =
			sd_event_map_set_role(&maps, map, first[i], NULL);

		if (role && role->n == 1)
			fake.fixed[n++] = role->events[0].code;
	}
	for (int r = 0; r < SD_ROLE_COUNT; r++)
		if (map->roles[r].n == 1 && map->roles[r].leader != SD_ROLE_COUNT)
			fake.fixed[n++] = map->roles[r].events[0].code;
	assert_true(n <= sizeof fake.fixed / sizeof *fake.fixed);
}

/* The passes for one family; the machine is gone afterwards. */
static void plan_for(const struct sd_event_map *map, struct sd_plan *plan, struct asked *asked)
{
	struct sd_counting *c;
	char root[64], dir[96];
	struct sd_counter_plan_ask ask = {
		.choose = choose, .ctx = asked, .root = root, .maps = dir};

	fake_make(root);
	write_maps(root, map->family);
	make_machine(root, map);
	snprintf(dir, sizeof dir, "%s/maps", root);
	memset(&fake, 0, sizeof fake);
	fake.counters = map->programmable ? map->programmable : 2;
	give_fixed_counters(map);
	*asked = (struct asked){0};
	*plan = (struct sd_plan){0};
	if (sd_counter_plan_open(&c, &ask, NULL) != 0)
		fail_msg("%s: no counters", map->family);
	assert_string_equal(asked->family, map->family);
	assert_int_equal(sd_counter_plan(c, plan), 0);
	sd_counter_plan_free(c);
	assert_int_equal(fake.open, 0);
	fake_remove(root);
}

static void add_counted(const struct sd_plan *plan, size_t pass, unsigned char *out)
{
	for (size_t k = 0; k < plan->pass[pass].n_role; k++)
		out[plan->pass[pass].role[k]] = 1;
}

static void counted_in(const struct sd_plan *plan, size_t passes, unsigned char *out)
{
	memset(out, 0, SD_ROLE_COUNT);
	for (size_t i = 0; i < plan->n_pass && i < passes; i++)
		add_counted(plan, i, out);
}

/* Is this a map of one family, not one that CPUs without a map of their own get? */
static int is_chosen_by_itself(const struct sd_event_map *map)
{
	return !map->architectural && strcmp(map->family, "generic") != 0;
}

static void every_metric_that_a_map_allows_is_counted_in_some_pass(void **state)
{
	size_t families = 0, metrics = 0;

	(void)state;
	need_x86(__func__);
	for (size_t i = 0; i < maps.n; i++) {
		const struct sd_event_map *const map = &maps.map[i];
		unsigned char counted[SD_ROLE_COUNT], allows[SD_ROLE_COUNT] = {0};
		struct sd_plan plan;
		struct asked asked;
		size_t n = 0;

		if (!is_chosen_by_itself(map))
			continue;
		plan_for(map, &plan, &asked);
		counted_in(&plan, SIZE_MAX, counted);
		for (int r = 0; r < SD_ROLE_COUNT; r++) {
			const struct sd_map_role *const role =
				sd_event_map_set_role(&maps, map, (enum sd_role)r, NULL);

			const int fits = !role || role->scope != SD_SCOPE_THREAD ||
					 !map->programmable || role->n <= map->programmable;

			allows[r] =
				role && role->n > 0 && fits && !sd_role_is_sampled((enum sd_role)r);
			if (!fits && asked.can[r])
				fail_msg("%s: %s takes more counters than there are", map->family,
					sd_role_name((enum sd_role)r));
			/* here the kernel opens all of them */
			if (allows[r] && !asked.can[r])
				fail_msg("%s: %s cannot be counted", map->family,
					sd_role_name((enum sd_role)r));
		}
		for (unsigned id = 0; id < tables.formulas.n_name; id++) {
			if (!sd_metric_roles_enough(&tables.formulas, id, map->family, allows))
				continue;
			n++;
			if (!sd_metric_roles_enough(&tables.formulas, id, map->family, counted))
				fail_msg("%s: %s is in no pass", map->family,
					tables.formulas.name[id]);
		}
		/* what no formula uses is not counted */
		assert_true(n > 0);
		families++;
		metrics += n;
		sd_plan_free(&plan);
	}
	assert_true(families >= 60);
	print_message("%zu families, %zu metrics\n", families, metrics);
}

/* With the passes of a component's formula, and no other, it has its value: after as few runs as it
 * has passes. */
static void the_passes_of_a_formula_are_all_that_it_takes(void **state)
{
	size_t formulas = 0, most = 0;

	(void)state;
	need_x86(__func__);
	for (size_t i = 0; i < maps.n; i++) {
		const struct sd_event_map *const map = &maps.map[i];
		struct sd_plan plan;
		struct asked asked;

		if (!is_chosen_by_itself(map))
			continue;
		plan_for(map, &plan, &asked);
		for (unsigned id = 0; id < tables.formulas.n_name; id++) {
			const struct sd_formula *const row =
				sd_formula_tables_find(&tables.formulas, id, map->family);
			unsigned char all[SD_ROLE_COUNT], counted[SD_ROLE_COUNT] = {0};
			struct sd_pass_list list;

			counted_in(&plan, SIZE_MAX, all);
			if (!row || row->component == SD_COMPONENT_COUNT ||
				!sd_metric_roles_enough(&tables.formulas, id, map->family, all))
				continue;
			sd_metric_roles_passes(
				&tables.formulas, map->family, &plan, row->component, &list);
			counted_in(&plan, 1, counted);
			for (size_t k = 0; k < list.n; k++)
				add_counted(&plan, list.pass[k], counted);
			if (!sd_metric_roles_enough(&tables.formulas, id, map->family, counted))
				fail_msg("%s: %s lacks a pass", map->family,
					tables.formulas.name[id]);
			formulas++;
			most = list.n > most ? list.n : most;
		}
		sd_plan_free(&plan);
	}
	assert_true(formulas > 60);
	print_message("%zu formulas, of %zu passes at most\n", formulas, most);
}

/* The first five passes hold what causes are told by. */
static void what_causes_are_judged_by_comes_first(void **state)
{
	static const struct {
		const char *family, *metric[6];
	} rows[] = {
		{"core2", {"cpi", "memory-bandwidth", "bus-utilisation", "bus-latency"}},
		{"knc", {"cpi", "read-bandwidth"}},
		{"skx", {"cpi", "memory-bandwidth", "cycles-bandwidth", "hitm-per-1000",
				"dtlb-walks-per-1000", "cycles-dtlb"}},
		{"clx", {"memory-bandwidth", "cycles-bandwidth", "hitm-per-1000"}},
		{"icx", {"memory-bandwidth", "hitm-per-1000", "memory-bound", "cycles-dtlb"}},
		{"spr", {"memory-bandwidth", "hitm-per-1000", "memory-bound", "core-bound"}},
		{"zen4", {"cpi", "hitm-per-1000", "cycles-smt", "dtlb-walks-per-1000"}},
		{"neoverse_n2", {"cpi", "dtlb-walks-per-1000", "memory-bound"}},
	};

	(void)state;
	need_x86(__func__);
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		unsigned char counted[SD_ROLE_COUNT];
		struct sd_plan plan;
		struct asked asked;

		plan_for(sd_event_map_set_find(&maps, rows[i].family), &plan, &asked);
		counted_in(&plan, 5, counted);
		for (size_t k = 0; k < 6 && rows[i].metric[k]; k++) {
			unsigned id = 0;

			while (id < tables.formulas.n_name &&
				strcmp(tables.formulas.name[id], rows[i].metric[k]) != 0)
				id++;
			assert_true(id < tables.formulas.n_name);
			if (!sd_metric_roles_enough(&tables.formulas, id, rows[i].family, counted))
				fail_msg("%s: %s has no turn in the first passes", rows[i].family,
					rows[i].metric[k]);
		}
		sd_plan_free(&plan);
	}
}

static unsigned period_of(const struct sd_metric_where *w, size_t n, enum sd_role role)
{
	for (size_t i = 0; i < n; i++)
		if (w[i].role == role)
			return w[i].period;
	return 0;
}

/* Roles that are sampled by events, so that functions have them: by period, cycles and the work in
 * every family, and what each knows of misses, sharing and page walks. */
static void what_says_where_it_comes_from_is_sampled(void **state)
{
	static const struct {
		const char *family;
		enum sd_role role[4];
	} rows[] = {
		{"skx", {SD_ROLE_LLC_MISSES, SD_ROLE_HITM_LOAD, SD_ROLE_HITM_LOAD_REMOTE,
				SD_ROLE_DTLB_WALKS}},
		{"core2", {SD_ROLE_LLC_MISSES, SD_ROLE_HITM_BUS_SELF, SD_ROLE_DTLB_WALKS,
				  SD_ROLE_CYCLES}},
		{"neoverse_n2",
			{SD_ROLE_LLC_MISSES, SD_ROLE_DTLB_WALKS, SD_ROLE_CYCLES, SD_ROLE_CYCLES}},
		{"zen4", {SD_ROLE_HITM_LOAD, SD_ROLE_HITM_LOAD_REMOTE, SD_ROLE_CYCLES,
				 SD_ROLE_CYCLES}},
	};
	struct sd_metric_where where[SD_ROLE_COUNT];

	(void)state;
	for (size_t i = 0; i < maps.n; i++) {
		const struct sd_event_map *const map = &maps.map[i];
		unsigned char can[SD_ROLE_COUNT] = {0};
		size_t n;

		for (int r = 0; r < SD_ROLE_COUNT; r++) {
			const struct sd_map_role *const role =
				sd_event_map_set_role(&maps, map, (enum sd_role)r, NULL);

			can[r] = role && role->n && role->scope == SD_SCOPE_THREAD;
		}
		n = sd_metric_roles_where(&tables.formulas, map->family, can, where);
		assert_true(n <= SD_EVENT_PERIODS);
		if (can[SD_ROLE_CYCLES] && can[SD_ROLE_INSTRUCTIONS] &&
			!(period_of(where, n, SD_ROLE_CYCLES) &&
				period_of(where, n, SD_ROLE_INSTRUCTIONS)))
			fail_msg("%s: cycles or instructions are not sampled", map->family);
		for (size_t k = 0; k < sizeof rows / sizeof *rows; k++)
			for (size_t j = 0; strcmp(rows[k].family, map->family) == 0 && j < 4; j++)
				if (can[rows[k].role[j]] && !period_of(where, n, rows[k].role[j]))
					fail_msg("%s: %s is not sampled", map->family,
						sd_role_name(rows[k].role[j]));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_says_where_it_comes_from_is_sampled),
		cmocka_unit_test(every_metric_that_a_map_allows_is_counted_in_some_pass),
		cmocka_unit_test(the_passes_of_a_formula_are_all_that_it_takes),
		cmocka_unit_test(what_causes_are_judged_by_comes_first),
	};

	return cmocka_run_group_tests(tests, load, unload);
}
