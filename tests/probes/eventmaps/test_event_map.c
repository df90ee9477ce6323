/* Event maps: what is refused and where, which map a CPU gets, and what a role falls back on. */
#include <sys/stat.h>
#include <unistd.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "probes/eventmaps/map_texts.h"
#include "base/configs.h"

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
		{HEAD "\n\n@include \"/etc/passwd\"\n", "m.conf:3: @include is not allowed here"},
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_broken_map_is_refused_with_file_and_line),
		cmocka_unit_test(absurd_sizes_are_refused),
		cmocka_unit_test(everything_a_map_says_is_kept),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
