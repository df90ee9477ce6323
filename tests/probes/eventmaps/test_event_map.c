/* Event maps: what is refused and where, which map a CPU gets, and what a role falls back on. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/configs.h"
#include "probe/event_map.h"

static void keep(void *ctx, enum sd_level level, const char *text)
{
	assert_int_equal(level, SD_LEVEL_ERROR);
	assert_string_equal(ctx, ""); /* one message, not two */
	snprintf(ctx, 1024, "%s", text);
}

/* Line 1 is the head, line 2 the roles. */
#define HEAD "family = \"t\"; title = \"t\"; source = \"t\"; "
#define ROLES(text) HEAD "\nroles = { " text " };\n"
#define GOOD                                                                                    \
	"cycles = { events = ( { name = \"C\"; code = 0x3c; } ); quality = \"exact\"; scope = " \
	"\"thread\"; }; "
#define EVENT(text) \
	ROLES("cycles = { events = ( { " text " } ); quality = \"exact\"; scope = \"thread\"; };")
#define ROLE(text) ROLES("cycles = { " text " };")
#define OF "events = ( { name = \"C\"; code = 1; } ); "

static void a_broken_map_is_refused_with_file_and_line(void **state)
{
	static const struct {
		const char *text, *said;
	} rows[] = {
		/* the text */
		{"", "m.conf: a map has a family, a title and a source"},
		{"family = ", "m.conf:1: syntax error"},
		{HEAD "\nroles = {", "m.conf:2: syntax error"},
		{HEAD "\n\n@include \"/etc/passwd\"\n",
			"m.conf:3: @include: a map includes nothing"},
		{HEAD, "m.conf: has no roles"},
		{HEAD "roles = { };", "m.conf:1: roles: is empty"},
		{HEAD "\nroles = 3;", "m.conf:2: roles: must be a group { ... }"},
		{HEAD "\nfamily = \"u\";", "m.conf:2: duplicate setting name"},
		{HEAD "\ncolour = 1;", "m.conf:2: colour: no such setting here"},
		{"family = 3; title = \"t\"; source = \"t\";",
			"m.conf:1: family: must be a string"},
		{"family = \"\"; title = \"t\"; source = \"t\";", "m.conf:1: family: is empty"},
		{"family = \"a\\x1b\"; title = \"t\"; source = \"t\";",
			"m.conf:1: family: holds a character that does not print"},
		/* roles */
		{ROLES(GOOD "\nclocks = { none = \"x\"; };"), "m.conf:3: 'clocks' is not a role"},
		{ROLES(GOOD "\n" GOOD), "m.conf:3: duplicate setting name"},
		{ROLES("cycles = 1;"), "m.conf:2: cycles: must be a group { ... }"},
		{ROLE("quality = \"exact\";"), "m.conf:2: cycles: has neither events nor none"},
		{ROLE("none = \"x\"; quality = \"exact\";"), "m.conf:2: cycles: none stands alone"},
		{ROLE("none = \"\";"), "m.conf:2: none: is empty"},
		{ROLE("events = ( );"), "m.conf:2: events: is empty"},
		{ROLE("events = \"C\";"), "m.conf:2: events: must be a list ( ... )"},
		{ROLE("events = ( 1 );"), "m.conf:2: an event must be a group { ... }"},
		{ROLE(OF), "m.conf:2: quality: must be exact or proxy"},
		{ROLE(OF "quality = \"simulated\";"),
			"m.conf:2: quality: 'simulated' is neither exact nor one of its like"},
		{ROLE(OF "quality = \"good\";"),
			"m.conf:2: quality: 'good' is neither exact nor one of its like"},
		{ROLE(OF "quality = \"exact\";"),
			"m.conf:2: scope: must be thread, core or socket"},
		{ROLE(OF "quality = \"exact\";\nscope = \"die\";"),
			"m.conf:3: scope: 'die' is neither thread nor one of its like"},
		{ROLE(OF "quality = \"proxy\"; scope = \"thread\";"),
			"m.conf:2: a proxy needs a note that says what it counts"},
		{ROLE(OF "quality = \"exact\"; scope = \"thread\";\ncounters = [ 32 ];"),
			"m.conf:3: counters: a counter is a number from 0 to 31"},
		{ROLE(OF "quality = \"exact\"; scope = \"thread\";\ncounters = [ -1 ];"),
			"m.conf:3: counters: a counter is a number from 0 to 31"},
		{ROLE(OF "quality = \"exact\"; scope = \"thread\";\ncounters = [ \"a\" ];"),
			"m.conf:3: counters: a counter is a number from 0 to 31"},
		{ROLE(OF "quality = \"exact\"; scope = \"thread\"; fixed = 99;"),
			"m.conf:2: fixed: must be from 0 to 0x1f; above 0x7fffffff with a final L"},
		{ROLE(OF "quality = \"exact\"; scope = \"thread\"; leader = \"x\";"),
			"m.conf:2: leader: 'x' is not a role"},
		{ROLE(OF "quality = \"exact\"; scope = \"thread\"; leader = \"td_slots\";"),
			"m.conf:2: leader: the map has no events for td_slots"},
		{ROLE(OF "quality = \"exact\"; scope = \"thread\";\nsees = ( \"die\" );"),
			"m.conf:3: sees: 'die' is neither complex nor one of its like"},
		{ROLE(OF "quality = \"exact\"; scope = \"thread\"; sees = ( 1 );"),
			"m.conf:2: an element: must be a string"},
		{ROLE(OF "quality = \"exact\"; scope = \"thread\"; sees = [ \"loads\" ];"),
			"m.conf:2: sees: must be a list ( ... )"},
		/* events */
		{EVENT("code = 1;"), "m.conf:2: the event has neither event nor name"},
		{EVENT("name = \"C\";"), "m.conf:2: the event has no code"},
		{EVENT("name = \"C\"; code = \"1\";"), "m.conf:2: code: must be a whole number"},
		{EVENT("name = \"C\"; code = -1;"),
			"m.conf:2: code: must be from 0 to 0x7fffffffffffffff; above 0x7fffffff "
			"with a final L"},
		{EVENT("name = \"C\"; code = 1; weight = 0;"),
			"m.conf:2: weight: must be a number other than 0, of at most a million"},
		{EVENT("name = \"C\"; code = 1; weight = 0.0;"),
			"m.conf:2: weight: must be a number other than 0, of at most a million"},
		{EVENT("name = \"C\"; code = 1; weight = 1e7;"),
			"m.conf:2: weight: must be a number other than 0, of at most a million"},
		{EVENT("name = \"C\"; code = 1; weight = 1e999;"),
			"m.conf:2: weight: is not finite"},
		{EVENT("name = \"C\"; code = 1; weight = \"4\";"),
			"m.conf:2: weight: must be a number"},
		{EVENT("name = \"C\"; code = 1; wait = 4;"),
			"m.conf:2: wait: no such setting here"},
		{EVENT("name = \"C\"; code = 1; config = 4;"),
			"m.conf:2: config: only beside a pmu; a core takes code"},
		{EVENT("name = \"C\"; code = 1; pmu = \"uncore_imc\";"),
			"m.conf:2: an event of the PMU uncore_imc has the scope socket"},
		{EVENT("name = \"C\"; code = 1; pmu = \"../../x\";"),
			"m.conf:2: pmu: '../../x' is not a name"},
		/* the CPUs */
		{HEAD "\ncpus = ( { vendor = \"GenuineIntel\"; models = \"1\"; } );",
			"m.conf:2: a CPU has a vendor and a family, or an implementer"},
		{HEAD "\ncpus = ( { implementer = 65; } );", "m.conf:2: a CPU has models"},
		{HEAD "\ncpus = ( { implementer = 65; models = \"7-3\"; } );",
			"m.conf:2: models: '7-3' is not a list of numbers such as \"1,4-7\""},
		{HEAD "\ncpus = ( { implementer = 65; models = 3340; } );",
			"m.conf:2: models: must be a list of numbers such as \"1,4-7\""},
		{HEAD "\ncpus = ( 7 );", "m.conf:2: a CPU must be a group { ... }"},
		/* its other cores */
		{HEAD "\nother_cores = ( 7 );", "m.conf:2: other cores must be a group { ... }"},
		{HEAD "\nother_cores = ( { pmu = \"p\"; family = \"f\"; } );",
			"m.conf:2: other cores have a pmu and a family, beside this map's core_pmu"},
		{HEAD "\ncore_pmu = \"c\"; other_cores = ( { pmu = \"p\"; } );",
			"m.conf:2: other cores have a pmu and a family, beside this map's core_pmu"},
		{HEAD "\ncore_pmu = \"c\"; other_cores = ( { map = \"p\"; } );",
			"m.conf:2: map: no such setting here"},
		{HEAD "\nlibpfm = [ 7 ];", "m.conf:2: an element: must be a string"},
		{HEAD "\narchitectural = 1;", "m.conf:2: architectural: must be true or false"},
		{HEAD "\nprefetchers = { msr = 0x1a4; off = 0xfL; };",
			"m.conf:2: prefetchers have an msr, bits that turn them off, and a source"},
		{HEAD "\nprefetchers = { msr = 0; off = 1L; source = \"s\"; };",
			"m.conf:2: prefetchers have an msr, bits that turn them off, and a source"},
		{HEAD "\nprefetchers = { register = 1; };",
			"m.conf:2: register: no such setting here"},
		{HEAD "\nprefetchers = { msr = 0x100000000L; off = 1L; source = \"s\"; };",
			"m.conf:2: msr: must be from 0 to 0xffffffff; above 0x7fffffff with a final L"},
		{HEAD "\ncounters = { programmable = 99; };",
			"m.conf:2: programmable: must be from 0 to 0x20; above 0x7fffffff with a final L"},
	};
	static const struct sd_event_map empty;
	struct sd_event_map m;
	char said[1024];

	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		const struct sd_sink sink = {.emit = keep, .ctx = said};

		said[0] = '\0';
		assert_int_equal(
			sd_event_map_parse(&m, "m.conf", rows[i].text, strlen(rows[i].text), &sink),
			-EINVAL);
		assert_string_equal(said, rows[i].said);
		assert_memory_equal(&m, &empty, sizeof m);
	}
}

static void absurd_sizes_are_refused(void **state)
{
	const size_t size = SD_CONFIG_MAX + 1;
	char *const text = malloc(size), said[1024] = "";
	const struct sd_sink sink = {.emit = keep, .ctx = said};
	struct sd_event_map m;
	size_t n;

	(void)state;
	assert_non_null(text);
	memset(text, '\n', size);
	assert_int_equal(sd_event_map_parse(&m, "m.conf", text, size, &sink), -EINVAL);
	assert_string_equal(said, "m.conf: larger than 1048576 bytes");
	said[0] = '\0';
	assert_int_equal(sd_event_map_parse(&m, "m.conf", "a\0b", 3, &sink), -EINVAL);
	assert_string_equal(said, "m.conf: holds a NUL byte");
	/* deep nesting must not end the stack */
	memset(text, '(', size);
	memcpy(text, "a = ", 4);
	said[0] = '\0';
	assert_int_equal(sd_event_map_parse(&m, "m.conf", text, size - 1, &sink), -EINVAL);
	assert_non_null(strstr(said, "m.conf:1: "));
	/* more events than any role needs */
	n = (size_t)sprintf(text, "%s\nroles = { cycles = { events = (", HEAD);
	for (int i = 0; i < 17; i++)
		n += (size_t)sprintf(text + n, "%s { name = \"C\"; code = 1; }", i ? "," : "");
	sprintf(text + n, " ); quality = \"exact\"; scope = \"thread\"; }; };");
	said[0] = '\0';
	assert_int_equal(sd_event_map_parse(&m, "m.conf", text, strlen(text), &sink), -EINVAL);
	assert_string_equal(said, "m.conf:2: events: more than 16 members");
	/* a name longer than a name is */
	n = (size_t)sprintf(text, "title = \"t\"; source = \"t\"; family = \"");
	memset(text + n, 'a', 401);
	strcpy(text + n + 401, "\";");
	said[0] = '\0';
	assert_int_equal(sd_event_map_parse(&m, "m.conf", text, strlen(text), &sink), -EINVAL);
	assert_string_equal(said, "m.conf:1: family: longer than 400 bytes");
	free(text);
}

static void everything_a_map_says_is_kept(void **state)
{
	static const char text[] =
		"family = \"t\"; title = \"A CPU\"; source = \"here\"; libpfm = [ \"a\", \"b\" ];\n"
		"fallback = \"generic\"; counters = { programmable = 4; without_smt = 8; fixed = 3; };\n"
		"prefetchers = { msr = 0xc0000108L; off = 0x2fL; source = \"there\"; };\n"
		"cpus = ( { vendor = \"GenuineIntel\"; family = 6; models = \"85,87-88\"; steppings = \"0-4\"; } );\n"
		"core_pmu = \"big\"; other_cores = ( { pmu = \"small\"; family = \"u\"; } );roles = {\n"
		" dram_read_lines = { events = (\n"
		"  { event = \"X:Y\"; code = 0x504822; config = 0x4822; pmu = \"uncore_imc\"; },\n"
		"  { name = \"Z\"; code = 0x100003807L; config1 = 0x3fffc08fffL; weight = -2.5; } );\n"
		"  quality = \"proxy\"; scope = \"socket\"; counters = [ 0, 2 ]; note = \"why\"; };\n"
		" td_slots = { events = ( { name = \"S\"; code = 0x400; weight = 4; } ); quality = \"exact\";\n"
		"  scope = \"core\"; sees = ( \"socket\", \"loads\" ); fixed = 3; leader = \"dram_read_lines\"; };\n"
		" total_cycles = { none = \"no event\"; };\n"
		"};\n";
	const struct sd_map_role *role;
	struct sd_event_map m;

	(void)state;
	assert_int_equal(sd_event_map_parse(&m, "m.conf", text, strlen(text), NULL), 0);
	assert_string_equal(m.family, "t");
	assert_string_equal(m.title, "A CPU");
	assert_string_equal(m.encode, "a");
	assert_string_equal(m.fallback, "generic");
	assert_int_equal(m.libpfm.n, 2);
	assert_int_equal(m.programmable, 4);
	assert_int_equal(m.without_smt, 8);
	assert_int_equal(m.fixed, 3);
	assert_int_equal(m.prefetchers.msr, 0xc0000108);
	assert_int_equal(m.prefetchers.off, 0x2f);
	assert_string_equal(m.prefetchers.source, "there");
	assert_int_equal(m.n_cpus, 1);
	assert_int_equal(m.cpus[0].models.n, 3);
	assert_string_equal(m.core_pmu, "big");
	assert_int_equal(m.n_other_cores, 1);
	assert_string_equal(m.other_cores[0].pmu, "small");
	assert_string_equal(m.other_cores[0].family, "u");
	assert_int_equal(m.other_cores[0].line, 5);
	role = &m.roles[SD_ROLE_DRAM_READ_LINES];
	assert_int_equal(role->n, 2);
	assert_int_equal(role->quality, SD_QUALITY_PROXY);
	assert_int_equal(role->scope, SD_SCOPE_SOCKET);
	assert_int_equal(role->counters, 5);
	assert_int_equal(role->fixed, -1);
	assert_int_equal(role->leader, SD_ROLE_COUNT);
	assert_string_equal(role->note, "why");
	assert_int_equal(role->events[0].line, 7);
	assert_int_equal(role->events[0].code, 0x504822);
	assert_int_equal(role->events[0].config, 0x4822);
	assert_true(role->events[0].weight == 1);
	assert_int_equal(role->events[1].config, 0x100003807);
	assert_int_equal(role->events[1].config1, 0x3fffc08fff);
	assert_true(role->events[1].weight == -2.5);
	role = &m.roles[SD_ROLE_TD_SLOTS];
	assert_int_equal(role->fixed, 3);
	assert_int_equal(
		role->sees, SD_SIGHT_BIT(SOCKET) | SD_SIGHT_BIT(LOADS) | SD_SIGHT_BIT(SIBLINGS));
	assert_int_equal(role->leader, SD_ROLE_DRAM_READ_LINES);
	assert_string_equal(m.roles[SD_ROLE_TOTAL_CYCLES].none, "no event");
	assert_false(m.roles[SD_ROLE_CYCLES].present);
	sd_event_map_free(&m);
}

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
		cmocka_unit_test(a_broken_map_is_refused_with_file_and_line),
		cmocka_unit_test(absurd_sizes_are_refused),
		cmocka_unit_test(everything_a_map_says_is_kept),
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
