/* The machines that can be modelled: presets, files with nonsense in them, this host. */
#include "support/measure_fakes.h"

#include <sys/stat.h>

#include "base/configs.h"
#include "simulate/qemu_command.h"
#include "simulate/machine_model.h"

#define MACHINE(rest) "name = \"m\"; title = \"t\"; source = \"s\";\n" rest
#define L1 "l1 = { kib = 32; ways = 8; };\n"
#define LLC "llc = { kib = 1024; ways = 16; sharers = 4; };\n"
#define DTLB "dtlb = { entries = 64; ways = 4; };\n"

static int parse(const char *text, struct sd_sim_machine *out, struct said *said)
{
	const struct sd_sink sink = {.emit = hear_said, .ctx = said};

	*said = (struct said){0};
	return sd_machine_parse("m.conf", text, strlen(text), out, NULL, &sink);
}

static void every_preset_is_a_machine_and_named_as_its_file(void **state)
{
	struct sd_texts names = {0};
	const struct sd_topology t = {0};

	(void)state;
	assert_int_equal(sd_configs_list(NULL, "machines", &names, NULL), 0);
	assert_true(names.n >= 5);
	for (size_t i = 0; i < names.n; i++) {
		struct sd_sim_machine m;
		char name[64] = "";

		assert_int_equal(sscanf(names.text[i], "machines/%63[^.]", name), 1);
		assert_int_equal(sd_machine_find(name, &t, &m, NULL), 0);
		assert_string_equal(m.name, name);
		assert_true(m.l1.bytes >= 16384 && m.llc.bytes > m.l1.bytes);
		assert_int_equal(m.line, 64);
		assert_true(m.dtlb_entries > 0 && m.llc.sharers > 1);
	}
	sd_texts_free(&names);
}

static void absurd_geometry_is_refused_with_file_and_line(void **state)
{
	static const struct {
		const char *text, *said;
	} rows[] = {
		{MACHINE("line = 48;\n" L1 LLC DTLB),
			"m.conf:2: line: 48 bytes is no power of two"},
		{MACHINE("line = 128;\n" L1 LLC DTLB), "m.conf:2: line: must be from 16 to 64"},
		{MACHINE("l1 = { kib = 32; ways = 0; };\n" LLC DTLB), "m.conf:2: ways"},
		{MACHINE("l1 = { kib = 32; ways = 7; };\n" LLC DTLB),
			"m.conf:2: l1: 32 KiB in 7 ways of 64-byte lines is no whole number"},
		{MACHINE(L1 "l2 = { kib = 16; ways = 8; };\n" LLC DTLB), "m.conf:3: l2 is smaller"},
		{MACHINE(L1 "llc = { kib = 16; ways = 8; };\n" DTLB), "m.conf:3: llc is smaller"},
		{MACHINE(L1 "l2 = { kib = 64; ways = 8; sharers = 2; };\n" LLC DTLB), "sharers"},
		{MACHINE(L1 LLC), "m.conf:1: dtlb = { ... } is missing"},
		{MACHINE(LLC DTLB), "m.conf:1: l1 = { ... } is missing"},
		{MACHINE("l1 = { kib = 24; ways = 8; };\n" LLC DTLB), "m.conf:2: l1: 48 sets"},
		{MACHINE("l1 = { kib = 2048; ways = 8; };\n" LLC DTLB), "m.conf:2: l1: has more"},
		{MACHINE(L1 LLC "dtlb = { entries = 48; ways = 4; };\n"), "m.conf:4: dtlb: 48"},
		{MACHINE(L1 LLC DTLB "page_kib = 64;\n"), "m.conf:5: page_kib: pages of 4 or"},
		{MACHINE(L1 LLC "dtlb = { entries = 65; ways = 4; };\n"), "m.conf:4: dtlb: 65"},
		{MACHINE(L1 LLC DTLB "stlb = { entries = 32; ways = 4; };\n"), "m.conf:5: stlb"},
		{MACHINE(L1 LLC DTLB "page_kib = 5;\n"), "m.conf:5: page_kib"},
		{MACHINE(L1 LLC DTLB "colour = 5;\n"), "m.conf:5: colour: no such setting"},
		{MACHINE(L1 "llc = { kib = -1; ways = 1; };\n" DTLB), "m.conf:3: kib"},
		{MACHINE(L1 "llc = { kib = 1e9; ways = 1; };\n" DTLB),
			"m.conf:3: kib: must be a whole"},
		{MACHINE(L1 "llc = 4;\n" DTLB), "m.conf:3: llc: must be a group"},
		{MACHINE(L1 LLC DTLB "adjacent = 1;\n"), "m.conf:5: adjacent"},
		{"l1 = {", "m.conf:1: syntax error"},
		{"", "m.conf:1: name is missing"},
		{"@include \"/etc/passwd\"\n", "@include"},
		{"a={b={c={d={e={f={g={h={i={j={k={l={m={n={o={p={q={};};};};};};};};};};};};};};};"
		 "};};"
		 "};",
			"too many groups"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct sd_sim_machine m;
		struct said said;

		assert_int_equal(parse(rows[i].text, &m, &said), -EINVAL);
		assert_int_equal(said.n, 1);
		if (!strstr(said.text, rows[i].said))
			fail_msg("row %zu: '%s' lacks '%s'", i, said.text, rows[i].said);
		assert_int_equal(m.l1.bytes, 0);
	}
}

static void sets_need_not_be_a_power_of_two(void **state)
{
	struct sd_sim_machine m;
	struct said said;

	(void)state;
	assert_int_equal(
		parse(MACHINE(L1 "llc = { kib = 28160; ways = 11; sharers = 20; };\n" DTLB), &m,
			&said),
		0);
	assert_int_equal(m.llc.bytes, 28160u << 10);
	assert_int_equal(m.llc.sharers, 20);
	assert_int_equal(m.l2.bytes, 0);
	assert_int_equal(m.page, 4096);
}

static void this_host_is_modelled_as_the_topology_says(void **state)
{
	const struct sd_topology known = {.n_core = 16,
		.n_llc = 2,
		.line_bytes = 64,
		.l1d_bytes = SD_OK(49152),
		.l1d_ways = 12,
		.l2_bytes = SD_OK(2097152),
		.l2_ways = 16,
		.llc_bytes = SD_OK(33554432),
		.llc_ways = 16};
	const struct sd_topology unknown = {0};
	struct sd_sim_machine m;
	struct said said = {0};
	const struct sd_sink sink = {.emit = hear_said, .ctx = &said};

	(void)state;
	assert_int_equal(sd_machine_find(NULL, &known, &m, &sink), 0);
	assert_int_equal(said.n, 0);
	assert_string_equal(m.name, "host");
	assert_int_equal(m.l1.bytes, 49152);
	assert_int_equal(m.l1.ways, 12);
	assert_int_equal(m.llc.sharers, 8);
	assert_int_equal(sd_machine_find("host", &unknown, &m, &sink), 0);
	assert_int_equal(said.n, 1);
	assert_non_null(strstr(said.text, "usual ones are modelled"));
	assert_true(m.l1.bytes % (m.l1.ways * m.line) == 0 && m.l1.ways > 0);
	assert_true(m.llc.bytes >= m.l1.bytes && m.llc.sharers == 1);
}

static void an_unknown_name_says_which_there_are(void **state)
{
	const struct sd_topology t = {0};
	struct said said = {0};
	const struct sd_sink sink = {.emit = hear_said, .ctx = &said};
	struct sd_sim_machine m;

	(void)state;
	assert_true(sd_machine_find("pentium", &t, &m, &sink) < 0);
	assert_non_null(strstr(said.text, "skylake-sp"));
	said = (struct said){0};
	assert_true(sd_machine_find("./nowhere.conf", &t, &m, &sink) < 0);
	assert_non_null(strstr(said.text, "./nowhere.conf: No such file"));
	said = (struct said){0};
	assert_true(sd_machine_find("/dev/zero", &t, &m, &sink) < 0);
	assert_int_equal(said.n, 1);
}

/* ---- the command ---- */

static void spill(const char *path, const char *bytes, size_t n, mode_t mode)
{
	const int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, mode);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, bytes, n), (ssize_t)n);
	assert_int_equal(fchmod(fd, mode), 0);
	close(fd);
}

struct world {
	char folder[200], bin[256], path[300];
	const char *plugin;
	struct sd_plan_simulation simulation;
	struct said said;
};

static int setup(void **state)
{
	struct world *w = calloc(1, sizeof *w);
	static const char *const emulators[] = {"qemu-x86_64", "qemu-i386"};

	assert_non_null(w);
	make_folder(w->folder, sizeof w->folder);
	w->plugin = "/p,q/sim.so";
	snprintf(w->bin, sizeof w->bin, "PATH=%s", w->folder);
	for (size_t i = 0; i < 2; i++) {
		snprintf(w->path, sizeof w->path, "%s/%s", w->folder, emulators[i]);
		spill(w->path, "#!/bin/sh\n", 10, 0755);
	}
	w->simulation.machine = (struct sd_sim_machine){.name = "a,b",
		.line = 64,
		.l1 = {32768, 8, 1, 0},
		.llc = {1048576, 16, 4, 1},
		.dtlb_entries = 64,
		.dtlb_ways = 4,
		.page = 4096};
	*state = w;
	return 0;
}

static int teardown(void **state)
{
	struct world *w = *state;

	remove_folder(w->folder);
	free(w);
	return 0;
}

/* The command for `program` with one argument as one line; "" when refused. */
static const char *command(struct world *w, const char *program, char *out, size_t size)
{
	const struct sd_sink sink = {.emit = hear_said, .ctx = &w->said};
	const struct sd_qemu_command e = {
		.plugin = w->plugin, .output = "/tmp/o", .simulation = &w->simulation, .cores = 8};
	char *name = strdup(program), argument[] = "x y", **argv = NULL;
	char *const words[] = {name, argument, NULL}, *const envp[] = {w->bin, NULL};

	out[0] = '\0';
	w->said = (struct said){0};
	if (sd_qemu_command_argv(&e, words, envp, &argv, &sink) == 0)
		for (size_t i = 0; argv[i]; i++) {
			snprintf(out + strlen(out), size - strlen(out), "%s%s", i ? " " : "",
				argv[i]);
			free(argv[i]);
		}
	free(argv);
	free(name);
	return out;
}

static void make_elf(struct world *w, unsigned char bits, unsigned char machine)
{
	char head[64] = "\177ELF";

	head[4] = (char)bits;
	head[5] = 1;
	head[18] = (char)machine;
	snprintf(w->path, sizeof w->path, "%s/program", w->folder);
	spill(w->path, head, sizeof head, 0755);
}

static void a_program_is_run_by_the_emulator_of_its_kind(void **state)
{
	struct world *w = *state;
	char out[2048], expected[2048];

	make_elf(w, 2, 62);
	w->simulation.costs = (struct sd_sim_costs){2e9, 1, 2, 3, 4, 5};
	snprintf(w->simulation.from, sizeof w->simulation.from, "1.5");
	snprintf(w->simulation.length, sizeof w->simulation.length, "@work");
	snprintf(expected, sizeof expected,
		"%s/qemu-x86_64 -0 %s -plugin /p,,q/sim.so,out=/tmp/o,name=a,,b,cores=8,line=64,"
		"l1=32768:8,l2=0:1,llc=1048576:16:4:1,dtlb=64:4,stlb=0:1,page=4096,adjacent=0,"
		"latency=1:2:3:4:7:5,from_ms=1500,function=work %s x y",
		w->folder, w->path, w->path);
	assert_string_equal(command(w, w->path, out, sizeof out), expected);
	make_elf(w, 1, 3);
	assert_non_null(strstr(command(w, w->path, out, sizeof out), "/qemu-i386 "));
}

static void a_script_is_run_by_its_interpreter(void **state)
{
	struct world *w = *state;
	char out[2048], script[300], text[400], expected[1024];
	int n;

	make_elf(w, 2, 62);
	snprintf(script, sizeof script, "%s/script", w->folder);
	n = snprintf(text, sizeof text, "#! %s  -u -x\nwhatever\n", w->path);
	spill(script, text, (size_t)n, 0755);
	snprintf(expected, sizeof expected, " %s -u -x %s x y", w->path, script);
	command(w, script, out, sizeof out);
	assert_non_null(strstr(out, expected));
}

static void what_cannot_be_emulated_is_said_with_what_to_do(void **state)
{
	struct world *w = *state;
	char out[2048], script[300];

	make_elf(w, 2, 183); /* arm64: its emulator is not in this PATH */
	assert_string_equal(command(w, w->path, out, sizeof out), "");
	assert_non_null(strstr(w->said.text,
		"qemu-aarch64, the emulator of the software PMU, is not in the PATH"));
	assert_non_null(strstr(w->said.text, "apt-get install qemu-user"));
	make_elf(w, 2, 200);
	assert_string_equal(command(w, w->path, out, sizeof out), "");
	assert_non_null(strstr(w->said.text, "no program") || strstr(w->said.text, "neither"));
	snprintf(script, sizeof script, "%s/loop", w->folder);
	spill(script, "#!", 2, 0755);
	assert_string_equal(command(w, script, out, sizeof out), "");
	assert_int_equal(w->said.errors, 1);
}

static void a_qemu_without_plugins_is_said_and_one_with_them_taken(void **state)
{
	struct world *w = *state;
	char out[2048], emulator[300], file[128] = "\177ELF";

	make_elf(w, 2, 62);
	snprintf(emulator, sizeof emulator, "%s/qemu-x86_64", w->folder);
	spill(emulator, file, sizeof file, 0755);
	assert_string_equal(command(w, w->path, out, sizeof out), "");
	assert_int_equal(w->said.errors, 1);
	assert_non_null(strstr(w->said.text, emulator));
	assert_non_null(strstr(w->said.text, "without plugins"));
	memcpy(file + 64, "qemu_plugin_install", sizeof "qemu_plugin_install");
	spill(emulator, file, sizeof file, 0755);
	assert_non_null(strstr(command(w, w->path, out, sizeof out), "-plugin"));
	assert_int_equal(w->said.errors, 0);
}

/* The portable archive has both in one folder. */
static void the_emulator_beside_the_plugin_needs_no_path(void **state)
{
	struct world *w = *state;
	char out[2048], plugin[256], expected[400];

	make_elf(w, 2, 62);
	snprintf(w->bin, sizeof w->bin, "PATH=/nowhere");
	assert_string_equal(command(w, w->path, out, sizeof out), "");
	snprintf(plugin, sizeof plugin, "%s/sim.so", w->folder);
	w->plugin = plugin;
	snprintf(expected, sizeof expected, "%s/qemu-x86_64 ", w->folder);
	assert_int_equal(
		strncmp(command(w, w->path, out, sizeof out), expected, strlen(expected)), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_preset_is_a_machine_and_named_as_its_file),
		cmocka_unit_test(absurd_geometry_is_refused_with_file_and_line),
		cmocka_unit_test(sets_need_not_be_a_power_of_two),
		cmocka_unit_test(this_host_is_modelled_as_the_topology_says),
		cmocka_unit_test(an_unknown_name_says_which_there_are),
		cmocka_unit_test_setup_teardown(
			a_program_is_run_by_the_emulator_of_its_kind, setup, teardown),
		cmocka_unit_test_setup_teardown(
			a_script_is_run_by_its_interpreter, setup, teardown),
		cmocka_unit_test_setup_teardown(
			what_cannot_be_emulated_is_said_with_what_to_do, setup, teardown),
		cmocka_unit_test_setup_teardown(
			a_qemu_without_plugins_is_said_and_one_with_them_taken, setup, teardown),
		cmocka_unit_test_setup_teardown(
			the_emulator_beside_the_plugin_needs_no_path, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
