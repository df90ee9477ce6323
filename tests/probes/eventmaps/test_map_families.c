/*
 * Event maps, family by family: which CPU has which, the cores of another kind beside it, and what
 * its counts of sharing see.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "probe/event_map.h"

static struct sd_eventmaps maps;

static int load(void **state)
{
	(void)state;
	return sd_event_map_set_load(&maps, NULL, NULL);
}

static int unload(void **state)
{
	(void)state;
	sd_event_map_set_free(&maps);
	return 0;
}

static const struct sd_event_map *map_of(const char *cpuinfo)
{
	const struct sd_texts none = {0};
	struct sd_cpuid id;

	sd_cpu_model_parse(&id, cpuinfo);
	return sd_event_map_set_select(&maps, &none, &id);
}

#define INTEL(model) \
	"vendor_id\t: GenuineIntel\ncpu family\t: 6\nmodel\t\t: " model "\nstepping\t: 1\n"
#define AMD(family, model)                                                                        \
	"vendor_id\t: AuthenticAMD\ncpu family\t: " family "\nmodel\t\t: " model "\nstepping\t: " \
	"0\n"
#define ARM(implementer, part)                                                       \
	"CPU implementer\t: " implementer "\nCPU architecture: 8\nCPU part\t: " part \
	"\nCPU revision\t: 1\n"
#define RISCV(vendor, arch) \
	"hart\t: 0\nmvendorid\t: " vendor "\nmarchid\t: " arch "\nmimpid\t: 0x1\n"
#define POWER(pvr) "cpu\t\t: POWER (raw), altivec supported\nrevision\t: 2.2 (pvr " pvr ")\n"

static void a_cpu_gets_the_map_of_its_cores(void **state)
{
	static const struct {
		const char *cpuinfo, *family;
	} rows[] = {
		{INTEL("151"), "adl"},
		{INTEL("154"), "adl"},
		{INTEL("183"), "adl"},
		{INTEL("190"), "gracemont"},
		{INTEL("170"), "mtl"},
		{INTEL("181"), "mtl"},
		{INTEL("189"), "lnl"},
		{INTEL("197"), "arl"},
		{INTEL("198"), "arl"},
		{INTEL("204"), "ptl"},
		{INTEL("175"), "srf"},
		{INTEL("182"), "grr"},
		{INTEL("221"), "cwf"},
		{INTEL("28"), "bonnell"},
		{INTEL("55"), "silvermont"},
		{INTEL("92"), "goldmont"},
		{INTEL("122"), "goldmont_plus"},
		{INTEL("134"), "tremont"},
		{AMD("26", "2"), "zen5"},
		{AMD("26", "80"), "zen6"},
		{AMD("26", "144"), "zen6"},
		{ARM("0x41", "0xd08"), "cortex_a72"},
		{ARM("0x41", "0xd8e"), "neoverse_n3"},
		{ARM("0x41", "0xd83"), "neoverse_v3"},
		{ARM("0xc0", "0xac3"), "ampereone"},
		{ARM("0xc0", "0xac4"), "ampereone"},
		{ARM("0x46", "0x001"), "a64fx"},
		{ARM("0x61", "0x023"), "apple_m"},
		{ARM("0x61", "0x032"), "apple_m"},
		/* nobody's of their own: what the architecture has */
		{ARM("0x41", "0xd03"), "armv8"},
		{ARM("0x48", "0xd01"), "armv8"},
		{ARM("0x61", "0x060"), "generic"},
		{RISCV("0x489", "0x8000000000000007"), "sifive_u7"},
		{RISCV("0x489", "0x8000000000000107"), "sifive_u7"},
		{RISCV("0x489", "0x8000000000000008"), "sifive_p550"},
		{RISCV("0x489", "0x8000000000000608"), "sifive_p650"},
		{RISCV("0x489", "0x8000000000000f08"), "riscv"},
		{RISCV("0x710", "0x8000000058000001"), "riscv"},
		{RISCV("0x0", "0x0"), "riscv"},
		{RISCV("0x777", "0x1"), "generic"},
		{RISCV("0x489", "0x80000000000000071"), "generic"}, /* more than 64 bits */
		{RISCV("0x489", "seven"), "generic"},
		{RISCV("0x", "0x7"), "generic"},
		{"mvendorid\t: 0x489\n", "generic"},
		{POWER("004e 1202"), "power9"},
		{POWER("0080 0200"), "power10"},
		{POWER("0082 0101"), "power10"},
		{POWER("004d 0200"), "generic"},
		{POWER("x"), "generic"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		assert_string_equal(map_of(rows[i].cpuinfo)->family, rows[i].family);
}

/* The map of the cores that this PMU of a hybrid counts, itself or another; NULL: none. */
static const struct sd_event_map *map_of_pmu(const struct sd_event_map *map, const char *pmu)
{
	if (map->core_pmu && strcmp(map->core_pmu, pmu) == 0)
		return map;
	for (size_t i = 0; i < map->n_other_cores; i++)
		if (strcmp(map->other_cores[i].pmu, pmu) == 0)
			return sd_event_map_set_find(&maps, map->other_cores[i].family);
	return NULL;
}

/* ... and each PMU of the kernel leads to the map of its own cores. */
static void every_kind_of_core_of_a_hybrid_has_its_map(void **state)
{
	static const struct {
		const char *model, *pmu, *family;
	} rows[] = {
		{INTEL("151"), "cpu_core", "adl"},
		{INTEL("151"), "cpu_atom", "gracemont"},
		{INTEL("186"), "cpu_atom", "gracemont"},
		{INTEL("170"), "cpu_core", "mtl"},
		{INTEL("170"), "cpu_atom", "crestmont"},
		{INTEL("189"), "cpu_atom", "skymont"},
		{INTEL("197"), "cpu_atom", "skymont"},
		{INTEL("197"), "cpu_lowpower", "crestmont"},
		{INTEL("204"), "cpu_atom", "darkmont"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		const struct sd_event_map *const m = map_of(rows[i].model);
		const struct sd_event_map *const of = map_of_pmu(m, rows[i].pmu);

		assert_non_null(of);
		assert_string_equal(of->family, rows[i].family);
		assert_null(map_of_pmu(m, "cpu"));
	}
	assert_null(map_of_pmu(map_of(INTEL("106")), "cpu_core"));
}

/* Both kinds count the same work by events that mean the same. */
static void both_kinds_of_a_hybrid_count_what_causes_are_told_by(void **state)
{
	static const enum sd_role roles[] = {SD_ROLE_CYCLES, SD_ROLE_INSTRUCTIONS,
		SD_ROLE_REF_CYCLES, SD_ROLE_LLC_LINES_IN, SD_ROLE_LOCKS, SD_ROLE_DTLB_WALKS,
		SD_ROLE_TD_SLOTS, SD_ROLE_TD_RETIRING, SD_ROLE_TD_FRONTEND, SD_ROLE_TD_BACKEND,
		SD_ROLE_STALL_L1D, SD_ROLE_STALL_L3, SD_ROLE_MEMORY_ORDER_CLEARS};
	size_t hybrids = 0;

	(void)state;
	for (size_t i = 0; i < maps.n; i++) {
		const struct sd_event_map *const m = &maps.map[i];

		hybrids += m->n_other_cores > 0;
		for (size_t k = 0; k < m->n_other_cores; k++)
			for (size_t r = 0; r < sizeof roles / sizeof *roles; r++) {
				const struct sd_event_map *const o =
					map_of_pmu(m, m->other_cores[k].pmu);

				assert_true(m->roles[roles[r]].n > 0);
				assert_true(o->roles[roles[r]].n > 0);
			}
	}
	assert_int_equal(hybrids, 5);
}

/* A CPU's maps have the roles of its other cores, too, and of no stranger. */
static void one_cpus_maps_are_those_of_all_its_cores(void **state)
{
	const struct sd_texts none = {0};
	struct sd_eventmaps one;
	struct sd_cpuid id;

	(void)state;
	sd_cpu_model_parse(&id, INTEL("197"));
	assert_int_equal(sd_event_map_set_load_for(&one, NULL, &none, &id, NULL), 0);
	assert_true(sd_event_map_set_find(&one, "arl")->roles[SD_ROLE_LOCKS].present);
	assert_true(sd_event_map_set_find(&one, "skymont")->roles[SD_ROLE_LOCKS].present);
	assert_true(sd_event_map_set_find(&one, "crestmont")->roles[SD_ROLE_LOCKS].present);
	assert_true(sd_event_map_set_find(&one, "generic")->roles[SD_ROLE_CYCLES].present);
	assert_false(sd_event_map_set_find(&one, "adl")->roles[SD_ROLE_LOCKS].present);
	assert_false(sd_event_map_set_find(&one, "gracemont")->roles[SD_ROLE_LOCKS].present);
	sd_event_map_set_free(&one);
}

/* Roles that tell of lines which other cores had: none counts everything there is. */
static const enum sd_role sharing[] = {SD_ROLE_CACHE_FILLS, SD_ROLE_OUTER_REFILLS,
	SD_ROLE_HITM_LOAD, SD_ROLE_HITM_LOAD_REMOTE, SD_ROLE_HITM_TILE, SD_ROLE_HITM_ANY,
	SD_ROLE_HITM_ANY_CLUSTER, SD_ROLE_HITM_ANY_REMOTE, SD_ROLE_HITM_STORE,
	SD_ROLE_HITM_STORE_REMOTE, SD_ROLE_HITM_SUPPLIED, SD_ROLE_HITM_BUS, SD_ROLE_HITM_BUS_SELF,
	SD_ROLE_HITM_SOCKET, SD_ROLE_HIT_REMOTE_FORWARD, SD_ROLE_SIBLING_L2_HITS,
	SD_ROLE_SIBLING_SNOOPS, SD_ROLE_CORE_SNOOPS, SD_ROLE_REMOTE_ACCESSES};

static int is_sharing(size_t role)
{
	for (size_t i = 0; i < sizeof sharing / sizeof *sharing; i++)
		if (sharing[i] == role)
			return 1;
	return 0;
}

static void every_count_of_sharing_says_where_it_looks(void **state)
{
	size_t n = 0;

	(void)state;
	for (size_t i = 0; i < maps.n; i++)
		for (size_t r = 0; r < SD_ROLE_COUNT; r++) {
			const struct sd_map_role *const role = &maps.map[i].roles[r];

			if (role->n == 0)
				continue;
			if (is_sharing(r) != ((role->sees & SD_SIGHT_PLACES) != 0))
				fail_msg("%s: %s: sees", maps.map[i].family,
					sd_role_name((enum sd_role)r));
			n += is_sharing(r) != 0;
			/* a count of a core is of its siblings too */
			assert_true(role->scope != SD_SCOPE_CORE ||
				    role->sees & SD_SIGHT_BIT(SIBLINGS));
		}
	assert_true(n > 150);
}

static unsigned seen(const char *family, enum sd_role role)
{
	const struct sd_map_role *const r =
		sd_event_map_set_role(&maps, sd_event_map_set_find(&maps, family), role, NULL);

	assert_true(r && r->n > 0);
	return r->sees;
}

/* The places and accesses that a role is blind to: those not named, where others are. */
static unsigned blind_of(unsigned sees)
{
	return (sees & SD_SIGHT_PLACES ? SD_SIGHT_PLACES & ~sees : 0) |
	       (sees & SD_SIGHT_ACCESSES ? SD_SIGHT_ACCESSES & ~sees : 0);
}

/* As the vendors' texts say (the notes of the maps name them). */
static void what_a_role_is_blind_to_is_known(void **state)
{
	static const struct {
		const char *family;
		enum sd_role role;
		unsigned blind; /* must be in what it is blind to */
		unsigned more;  /* must be in what it sees besides */
	} rows[] = {
		/* a fill from another core complex: nothing of the own one, and clean lines */
		{"zen4", SD_ROLE_HITM_LOAD, SD_SIGHT_BIT(COMPLEX) | SD_SIGHT_BIT(REMOTE),
			SD_SIGHT_BIT(CLEAN)},
		{"zen6", SD_ROLE_HITM_LOAD, SD_SIGHT_BIT(COMPLEX) | SD_SIGHT_BIT(REMOTE),
			SD_SIGHT_BIT(CLEAN)},
		{"zen5", SD_ROLE_CACHE_FILLS, SD_SIGHT_BIT(SOCKET) | SD_SIGHT_BIT(REMOTE),
			SD_SIGHT_BIT(CLEAN)},
		/* retired loads: no store */
		{"skx", SD_ROLE_HITM_LOAD, SD_SIGHT_BIT(STORES) | SD_SIGHT_BIT(REMOTE), 0},
		{"skx", SD_ROLE_HITM_STORE, SD_SIGHT_BIT(LOADS) | SD_SIGHT_BIT(REMOTE), 0},
		{"skx", SD_ROLE_HITM_LOAD_REMOTE, SD_SIGHT_BIT(STORES) | SD_SIGHT_BIT(SOCKET), 0},
		{"spr", SD_ROLE_HITM_ANY, SD_SIGHT_BIT(REMOTE), SD_SIGHT_BIT(PREFETCHES)},
		/* the bus of Core 2 does not see two cores on one L2, nor this snoop the bus */
		{"core2", SD_ROLE_HITM_BUS_SELF, SD_SIGHT_BIT(COMPLEX), 0},
		{"core2", SD_ROLE_SIBLING_SNOOPS, SD_SIGHT_BIT(SOCKET) | SD_SIGHT_BIT(REMOTE),
			SD_SIGHT_BIT(CLEAN) | SD_SIGHT_BIT(SIBLINGS)},
		/* four cores on one L2 */
		{"srf", SD_ROLE_HITM_LOAD, SD_SIGHT_BIT(COMPLEX) | SD_SIGHT_BIT(STORES), 0},
		{"gracemont", SD_ROLE_HITM_LOAD, SD_SIGHT_BIT(COMPLEX) | SD_SIGHT_BIT(STORES), 0},
		{"knl", SD_ROLE_HITM_TILE, SD_SIGHT_BIT(SOCKET) | SD_SIGHT_BIT(STORES), 0},
		{"neoverse_n2", SD_ROLE_REMOTE_ACCESSES,
			SD_SIGHT_BIT(COMPLEX) | SD_SIGHT_BIT(SOCKET), SD_SIGHT_BIT(CLEAN)},
	};

	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		const unsigned sees = seen(rows[i].family, rows[i].role);

		assert_int_equal(blind_of(sees) & rows[i].blind, rows[i].blind);
		assert_int_equal(sees & rows[i].more, rows[i].more);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_cpu_gets_the_map_of_its_cores),
		cmocka_unit_test(every_kind_of_core_of_a_hybrid_has_its_map),
		cmocka_unit_test(both_kinds_of_a_hybrid_count_what_causes_are_told_by),
		cmocka_unit_test(one_cpus_maps_are_those_of_all_its_cores),
		cmocka_unit_test(every_count_of_sharing_says_where_it_looks),
		cmocka_unit_test(what_a_role_is_blind_to_is_known),
	};

	return cmocka_run_group_tests(tests, load, unload);
}
