/*
 * Maps that belong together: chains, CPUs, families, names.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "probes/eventmaps/map_texts.h"
#include "base/configs.h"

struct dir {
	char path[64], folder[128], file[4][192];
	size_t n;
};

static void dir_open(struct dir *d)
{
	*d = (struct dir){.path = "/tmp/sd_maps_XXXXXX"};
	assert_non_null(mkdtemp(d->path));
	snprintf(d->folder, sizeof d->folder, "%s/events", d->path);
	assert_int_equal(mkdir(d->folder, 0700), 0);
}

static void dir_add(struct dir *d, const char *family, const char *fallback)
{
	char *const path = d->file[d->n++];
	FILE *f;

	snprintf(path, sizeof d->file[0], "%s/%zu.conf", d->folder, d->n);
	f = fopen(path, "w");
	assert_non_null(f);
	fprintf(f, "family = \"%s\"; title = \"t\"; source = \"t\";\n", family);
	if (strcmp(family, "pmu1") == 0 || strcmp(family, "pmu2") == 0)
		fprintf(f, "libpfm = [ \"pmu\" ];\n");
	if (strcmp(family, "hybrid") == 0)
		fprintf(f, "core_pmu = \"big\"; other_cores = ( { pmu = \"small\"; "
			   "family = \"d\"; } );\n");
	if (fallback)
		fprintf(f, "fallback = \"%s\";\n", fallback);
	fprintf(f, "roles = { %s = { none = \"%s\"; }; };\n", d->n == 1 ? "cycles" : "instructions",
		family);
	fclose(f);
}

static void dir_close(struct dir *d)
{
	while (d->n > 0)
		unlink(d->file[--d->n]);
	rmdir(d->folder);
	rmdir(d->path);
}

static void maps_that_do_not_fit_together_are_refused(void **state)
{
	static const struct {
		const char *family[2], *fallback[2], *said;
	} rows[] = {
		{{"a", "A"}, {NULL, NULL}, "events/2.conf: family 'A' is told by "},
		{{"a", "b"}, {"c", NULL}, "events/1.conf:2: fallback: there is no map 'c'"},
		{{"a", "b"}, {"b", "a"}, "events/1.conf:2: fallback: the chain leads back"},
		{{"a", "b"}, {NULL, "b"}, "events/2.conf:2: fallback: the chain leads back"},
		{{"pmu1", "pmu2"}, {NULL, NULL}, "events/2.conf: libpfm: 'pmu' is the PMU of "},
		{{"a", "hybrid"}, {NULL, NULL},
			"events/2.conf:2: other_cores: there is no map 'd'"},
		{{NULL, NULL}, {NULL, NULL}, "/events: holds no maps"},
	};
	struct sd_eventmaps maps;
	char said[1024];
	struct dir d;

	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		const struct sd_sink sink = {.emit = keep, .ctx = said};

		said[0] = '\0';
		dir_open(&d);
		for (size_t k = 0; k < 2 && rows[i].family[k]; k++)
			dir_add(&d, rows[i].family[k], rows[i].fallback[k]);
		assert_int_equal(sd_event_map_set_load(&maps, d.path, &sink),
			rows[i].family[0] ? -EINVAL : -ENOENT);
		assert_non_null(strstr(said, rows[i].said));
		assert_int_equal(maps.n, 0);
		dir_close(&d);
	}
}

static void a_role_is_looked_for_along_the_chain(void **state)
{
	const struct sd_event_map *from = NULL;
	const struct sd_map_role *role;
	struct sd_eventmaps maps;
	struct dir d;

	(void)state;
	dir_open(&d);
	dir_add(&d, "a", "b");
	dir_add(&d, "b", NULL);
	assert_int_equal(sd_event_map_set_load(&maps, d.path, NULL), 0);
	role = sd_event_map_set_role(&maps, &maps.map[0], SD_ROLE_INSTRUCTIONS, &from);
	assert_non_null(role);
	assert_string_equal(from->family, "b");
	/* "none" ends the search */
	role = sd_event_map_set_role(&maps, &maps.map[0], SD_ROLE_CYCLES, &from);
	assert_string_equal(role->none, "a");
	assert_string_equal(from->family, "a");
	assert_null(sd_event_map_set_role(&maps, &maps.map[0], SD_ROLE_RFO, &from));
	sd_event_map_set_free(&maps);
	dir_close(&d);
}

static void a_cpu_gets_its_map(void **state)
{
	static const struct {
		const char *cpuinfo, *pmus[3], *family;
	} rows[] = {
#define INTEL(model, stepping)                                                          \
	"processor\t: 0\nvendor_id\t: GenuineIntel\ncpu family\t: 6\nmodel\t\t: " model \
	"\nmodel name\t: Xeon\nstepping\t: " stepping "\n"
#define AMD(family, model)                                                                        \
	"vendor_id\t: AuthenticAMD\ncpu family\t: " family "\nmodel\t\t: " model "\nstepping\t: " \
	"1\n"
#define ARM(part)                                                                             \
	"CPU implementer\t: 0x41\nCPU architecture: 8\nCPU variant\t: 0x3\nCPU part\t: " part \
	"\nCPU revision\t: 1\n"
		/* what libpfm4 detects comes first */
		{INTEL("85", "4"), {"ix86arch", "skx", "perf"}, "skx"},
		{"", {"perf", "core", "ix86arch"}, "core2"},
		{"", {"amd64_fam10h_shanghai", "perf"}, "fam10h"},
		/* then the model, also where only the architectural events are detected */
		{INTEL("207", "2"), {"perf", "ix86arch"}, "spr"},
		{INTEL("173", "1"), {"perf", "ix86arch"}, "gnr"},
		{INTEL("85", "4"), {NULL}, "skx"},
		{INTEL("85", "7"), {NULL}, "clx"},
		{INTEL("106", "6"), {NULL}, "icx"},
		{INTEL("15", "11"), {NULL}, "core2"},
		{AMD("16", "8"), {NULL}, "fam10h"},
		{AMD("23", "1"), {NULL}, "zen1"},
		{AMD("23", "49"), {NULL}, "zen2"},
		{AMD("25", "1"), {NULL}, "zen3"},
		{AMD("25", "17"), {NULL}, "zen4"},
		{AMD("25", "97"), {NULL}, "zen4"},
		{AMD("25", "160"), {NULL}, "zen4"},
		{AMD("26", "2"), {NULL}, "zen5"},
		{ARM("0xd0c"), {NULL}, "neoverse_n1"},
		{ARM("0xd40"), {NULL}, "neoverse_v1"},
		{ARM("0xd49"), {NULL}, "neoverse_n2"},
		{ARM("0xd4f"), {NULL}, "neoverse_v2"},
		/* then what every model of the vendor has, then what every kernel has */
		{INTEL("9999", "1"), {"perf", "ix86arch"}, "ix86arch"},
		{INTEL("250", "1"), {"icelake", "perf"}, "ix86arch"},
		{INTEL("9999", "1"), {"perf"}, "generic"},
		{INTEL("167", "1"), {"icl"}, "icl"},
		{AMD("99", "1"), {"perf"}, "generic"},
		{ARM("0xd03"), {"arm_ac53"}, "armv8"},
		{"", {NULL}, "generic"},
		{"vendor_id\t: GenuineIntel\ncpu family\t: six\nmodel\t: 85\nstepping\t: 4\n",
			{NULL}, "generic"},
		{"CPU implementer\t: 0x\nCPU part\t: 0xd0c\nCPU revision\t: 1\n", {NULL},
			"generic"},
	};
	struct sd_eventmaps maps;
	struct sd_cpuid id;

	(void)state;
	assert_int_equal(sd_event_map_set_load(&maps, NULL, NULL), 0);
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		const struct sd_event_map *m;
		struct sd_texts pmus = {0};

		for (size_t p = 0; p < 3 && rows[i].pmus[p]; p++)
			assert_int_equal(sd_texts_add(&pmus, "%s", rows[i].pmus[p]), 0);
		sd_cpu_model_parse(&id, rows[i].cpuinfo);
		m = sd_event_map_set_select(&maps, &pmus, &id);
		assert_non_null(m);
		assert_string_equal(m->family, rows[i].family);
		sd_texts_free(&pmus);
	}
	sd_event_map_set_free(&maps);
}

/* As the vendors publish them (the maps name the documents). */
static void the_prefetchers_of_a_cpu_are_those_of_its_family(void **state)
{
	static const struct {
		struct sd_cpuid id;
		uint32_t msr;
		uint64_t off;
	} rows[] = {
		{{"GenuineIntel", 6, 15, 1, 1}, 0x1a0,
			UINT64_C(1) << 9 | 1 << 19 | UINT64_C(1) << 37 | UINT64_C(1) << 39},
		{{"GenuineIntel", 6, 26, 1, 1}, 0x1a4, 0xf},
		{{"GenuineIntel", 6, 85, 4, 1}, 0x1a4, 0xf},
		{{"GenuineIntel", 6, 207, 2, 1}, 0x1a4, 0xf},
		{{"GenuineIntel", 6, 87, 1, 1}, 0x1a4, 0x3},
		{{"AuthenticAMD", 23, 49, 0, 1}, 0, 0}, /* none is published */
		{{"AuthenticAMD", 25, 1, 1, 1}, 0xc0000108, 0x2f},
		{{"AuthenticAMD", 25, 17, 1, 1}, 0xc0000108, 0x2f},
		{{"AuthenticAMD", 26, 2, 1, 1}, 0xc0000108, 0x2f}, {{"", 65, 3340, 1, 1}, 0, 0},
		{{"GenuineIntel", 6, 250, 1, 1}, 0, 0}, /* a CPU of tomorrow: not a guess */
	};
	struct sd_eventmaps maps;

	(void)state;
	assert_int_equal(sd_event_map_set_load(&maps, NULL, NULL), 0);
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		const struct sd_texts none = {0};
		const struct sd_event_map *m = sd_event_map_set_select(&maps, &none, &rows[i].id);

		assert_non_null(m);
		assert_int_equal(m->prefetchers.msr, rows[i].msr);
		assert_int_equal(m->prefetchers.off, rows[i].off);
		assert_int_equal(!m->prefetchers.source, !rows[i].off);
	}
	sd_event_map_set_free(&maps);
}

static void no_cpu_is_claimed_by_two_maps(void **state)
{
	struct sd_eventmaps maps;

	(void)state;
	assert_int_equal(sd_event_map_set_load(&maps, NULL, NULL), 0);
	for (size_t i = 0; i < maps.n; i++)
		for (size_t k = 0; k < i && !maps.map[i].architectural; k++)
			for (size_t a = 0; !maps.map[k].architectural && a < maps.map[i].n_cpus;
				a++)
				for (size_t b = 0; b < maps.map[k].n_cpus; b++) {
					const struct sd_map_cpu *const x = &maps.map[i].cpus[a];
					const struct sd_map_cpu *const y = &maps.map[k].cpus[b];

					if (x->family != y->family || !x->vendor != !y->vendor ||
						(x->vendor && strcmp(x->vendor, y->vendor) != 0))
						continue;
					for (size_t m = 0; m < x->models.n; m++)
						if (sd_cpulist_has(&y->models, x->models.cpu[m]))
							for (size_t s = 0; s < 16; s++)
								assert_false(sd_cpulist_has(
										     &x->steppings,
										     (unsigned)s) &&
									     sd_cpulist_has(
										     &y->steppings,
										     (unsigned)s));
				}
	sd_event_map_set_free(&maps);
}

static void every_family_counts_cycles_and_instructions_and_ends_in_the_kernels_events(void **state)
{
	struct sd_eventmaps maps;

	(void)state;
	assert_int_equal(sd_event_map_set_load(&maps, NULL, NULL), 0);
	assert_true(maps.n >= 30);
	for (size_t i = 0; i < maps.n; i++) {
		const struct sd_event_map *const m = &maps.map[i];
		const struct sd_map_role *role =
			sd_event_map_set_role(&maps, m, SD_ROLE_CYCLES, NULL);

		assert_true(role && role->n == 1);
		role = sd_event_map_set_role(&maps, m, SD_ROLE_INSTRUCTIONS, NULL);
		assert_true(role && role->n == 1);
		/* only the last link mentions it */
		role = sd_event_map_set_role(&maps, m, SD_ROLE_L1D_MISSES, NULL);
		assert_non_null(role);
	}
	sd_event_map_set_free(&maps);
}

static void a_map_is_found_by_either_of_its_names(void **state)
{
	struct sd_eventmaps maps;

	(void)state;
	assert_int_equal(sd_event_map_set_load(&maps, NULL, NULL), 0);
	assert_string_equal(sd_event_map_set_find(&maps, "zen4")->family, "zen4");
	assert_string_equal(sd_event_map_set_find(&maps, "AMD64_FAM19H_ZEN4")->family, "zen4");
	assert_string_equal(sd_event_map_set_find(&maps, "knm")->family, "knl");
	assert_null(sd_event_map_set_find(&maps, "nothing"));
	assert_null(sd_event_map_set_find(&maps, ""));
	sd_event_map_set_free(&maps);
}

static void every_role_has_one_name_a_unit_and_a_meaning(void **state)
{
	enum sd_role role;

	(void)state;
	for (unsigned i = 0; i < SD_ROLE_COUNT; i++) {
		assert_int_equal(sd_role_parse(sd_role_name((enum sd_role)i), &role), 0);
		assert_int_equal(role, i);
		assert_true(strlen(sd_role_unit(role)) > 0 && strlen(sd_role_meaning(role)) > 0);
	}
	assert_int_equal(sd_role_parse("Cycles", &role), -EINVAL);
	assert_int_equal(sd_role_parse(NULL, &role), -EINVAL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(maps_that_do_not_fit_together_are_refused),
		cmocka_unit_test(a_role_is_looked_for_along_the_chain),
		cmocka_unit_test(a_cpu_gets_its_map),
		cmocka_unit_test(the_prefetchers_of_a_cpu_are_those_of_its_family),
		cmocka_unit_test(no_cpu_is_claimed_by_two_maps),
		cmocka_unit_test(
			every_family_counts_cycles_and_instructions_and_ends_in_the_kernels_events),
		cmocka_unit_test(a_map_is_found_by_either_of_its_names),
		cmocka_unit_test(every_role_has_one_name_a_unit_and_a_meaning),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
