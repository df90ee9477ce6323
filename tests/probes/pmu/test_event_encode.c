/*
 * Every event of every map against libpfm4, and every map against the table of codes in
 * fixtures/events.tsv, in both directions.
 */
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

#include "probe/event_encode.h"

struct fixture_row {
	char *family, *row, *kind, *event, *code, *config1, *role;
};

struct fixture {
	char *line[4096];
	struct fixture_row row[4096];
	size_t n;
};

static struct sd_eventmaps maps;
static struct fixture table;

static void show(void *ctx, enum sd_level level, const char *text)
{
	(void)ctx;
	(void)level;
	print_error("%s\n", text);
}

static const struct sd_sink loud = {.emit = show};

static int load(void **state)
{
	char *line = NULL;
	size_t size = 0;
	FILE *f = fopen("tests/fixtures/events.tsv", "r");

	(void)state;
	if (!f || sd_event_encode_open() < 0 || sd_event_map_set_load(&maps, NULL, &loud) < 0)
		return -1;
	while (getline(&line, &size, f) > 0) {
		struct fixture_row *r = &table.row[table.n];
		char **const field[] = {
			&r->family, &r->row, &r->kind, &r->event, &r->code, &r->config1, &r->role};
		char *at;

		if (*line == '#' || table.n == 4096)
			continue;
		line[strcspn(line, "\n")] = '\0';
		at = table.line[table.n++] = strdup(line);
		for (size_t i = 0; i < 7; i++)
			*field[i] = strsep(&at, "\t");
		if (!r->role || at)
			return -1;
	}
	free(line);
	fclose(f);
	return 0;
}

static int unload(void **state)
{
	(void)state;
	for (size_t i = 0; i < table.n; i++)
		free(table.line[i]);
	sd_event_map_set_free(&maps);
	return 0;
}

static const char *label(const struct sd_map_event *e)
{
	return e->event ? e->event : e->name;
}

static uint64_t number(const char *text)
{
	return strcmp(text, "-") == 0 ? 0 : strtoull(text, NULL, 16);
}

static int is_row(const struct fixture_row *r, const struct sd_map_event *e)
{
	return strcmp(r->event, label(e)) == 0 && number(r->code) == e->code &&
	       number(r->config1) == e->config1 &&
	       (strcmp(r->kind, "event") == 0) == (e->event != NULL);
}

static int holds(const struct sd_map_role *role, const struct fixture_row *r)
{
	for (size_t i = 0; i < role->n; i++)
		if (is_row(r, &role->events[i]))
			return 1;
	return 0;
}

static size_t strings_of(const struct sd_event_map *m)
{
	size_t n = 0;

	for (size_t r = 0; r < SD_ROLE_COUNT; r++)
		for (size_t e = 0; e < m->roles[r].n; e++)
			n += m->roles[r].events[e].event != NULL;
	return n;
}

static void every_event_encodes_to_the_code_of_its_map(void **state)
{
	size_t checked = 0, unknown, events;
	char skipped[1024] = "";

	(void)state;
	for (size_t i = 0; i < maps.n; i++) {
		const struct sd_event_map *const m = &maps.map[i];

		assert_int_equal(sd_event_encode_check(m, &unknown, &loud), 0);
		events = strings_of(m);
		checked += events - unknown;
		/* an architecture's events are all known, or none is */
		assert_true(unknown == 0 || unknown == events);
		if (unknown) {
			assert_true(strlen(skipped) + strlen(m->family) + 2 < sizeof skipped);
			strcat(strcat(skipped, " "), m->family);
		}
	}
	if (*skipped)
		fprintf(stderr, "SKIP: %s: libpfm4 for another architecture knows these:%s\n",
			__func__, skipped);
	/* all the families of one architecture, or of the other */
	assert_true(checked > 100);
}

static void every_row_of_the_table_is_in_its_map_or_has_a_reason_not_to_be(void **state)
{
	enum sd_role role;

	(void)state;
	assert_true(table.n > 1300);
	for (size_t i = 0; i < table.n; i++) {
		const struct fixture_row *const r = &table.row[i];
		const struct sd_event_map *const m = sd_event_map_set_find(&maps, r->family);

		assert_non_null(m);
		if (strncmp(r->role, "x: ", 3) == 0) {
			assert_true(strlen(r->role) > 10);
			continue;
		}
		if (sd_role_parse(r->role, &role) < 0 || !holds(&m->roles[role], r))
			fail_msg("%s, row %s: '%s' %s is not in the role %s", r->family, r->row,
				r->event, r->code, r->role);
	}
}

static void no_map_uses_a_row_that_is_excluded(void **state)
{
	(void)state;
	for (size_t i = 0; i < table.n; i++) {
		const struct fixture_row *const r = &table.row[i];
		const struct sd_event_map *const m = sd_event_map_set_find(&maps, r->family);

		if (strncmp(r->role, "x: libpfm4", 10) != 0 || strcmp(r->kind, "event") != 0)
			continue;
		for (size_t k = 0; k < SD_ROLE_COUNT; k++)
			if (holds(&m->roles[k], r))
				fail_msg("%s: '%s' is used: %s", r->family, r->event, r->role);
	}
}

static void every_event_string_of_a_map_is_in_the_table(void **state)
{
	(void)state;
	for (size_t i = 0; i < maps.n; i++) {
		const struct sd_event_map *const m = &maps.map[i];

		if (m->architectural)
			continue;
		for (size_t k = 0; k < SD_ROLE_COUNT; k++)
			for (size_t e = 0; e < m->roles[k].n; e++) {
				const struct sd_map_event *const event = &m->roles[k].events[e];
				size_t at = 0;

				while (event->event && at < table.n &&
					!(strcmp(table.row[at].family, m->family) == 0 &&
						is_row(&table.row[at], event)))
					at++;
				if (at == table.n)
					fail_msg("%s: '%s' 0x%llx is not in the table", m->family,
						event->event, (unsigned long long)event->code);
			}
	}
}

static void keep(void *ctx, enum sd_level level, const char *what)
{
	(void)level;
	snprintf(ctx, 1024, "%s", what);
}

static void wrong_events_are_refused_with_file_and_line(void **state)
{
	static const struct {
		const char *events, *said;
	} rows[] = {
		{"{ event = \"PERF_COUNT_HW_NOTHING\"; code = 0; }",
			"t.conf:7: 'PERF_COUNT_HW_NOTHING' is not an event of libpfm4 for perf"},
		{"{ event = \"PERF_COUNT_HW_INSTRUCTIONS\"; code = 2; }",
			"t.conf:7: 'PERF_COUNT_HW_INSTRUCTIONS' encodes to 0x1, config1 0x0; the "
			"map says 0x2, 0x0"},
		{"{ event = \"PERF_COUNT_HW_INSTRUCTIONS\"; code = 1; config1 = 5; }",
			"t.conf:7: 'PERF_COUNT_HW_INSTRUCTIONS' encodes to 0x1, config1 0x0; the "
			"map says 0x1, 0x5"},
		{"{ event = \"perf::\"; code = 2; }",
			"t.conf:7: 'perf::' is not an event of libpfm4 for perf"},
	};
	char text[512], said[1024];

	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct sd_event_map m;

		snprintf(text, sizeof text,
			"family = \"t\";\ntitle = \"t\";\nsource = \"t\";\nencode = \"perf\";\n"
			"roles = { cycles = {\nevents = (\n%s ); quality = \"exact\"; scope = "
			"\"thread\"; }; };",
			rows[i].events);
		assert_int_equal(sd_event_map_parse(&m, "t.conf", text, strlen(text), &loud), 0);
		said[0] = '\0';
		assert_int_equal(sd_event_encode_check(
					 &m, NULL, &(struct sd_sink){.emit = keep, .ctx = said}),
			-EINVAL);
		assert_string_equal(said, rows[i].said);
		sd_event_map_free(&m);
	}
}

static void the_environment_is_left_as_it_was(void **state)
{
	(void)state;
	unsetenv("LIBPFM_ENCODE_INACTIVE");
	assert_int_equal(sd_event_encode_open(), 0);
	assert_null(getenv("LIBPFM_ENCODE_INACTIVE"));
	setenv("LIBPFM_ENCODE_INACTIVE", "0", 1);
	assert_int_equal(sd_event_encode_open(), 0);
	assert_string_equal(getenv("LIBPFM_ENCODE_INACTIVE"), "0");
	unsetenv("LIBPFM_ENCODE_INACTIVE");
}

static void an_event_carries_its_config1_its_precision_and_its_type(void **state)
{
	const struct sd_event_map *const m = sd_event_map_set_find(&maps, "skx");
	const struct sd_event_map *const k = sd_event_map_set_find(&maps, "generic");
	struct sd_event_code c;
	int rc;

	(void)state;
	assert_int_equal(sd_event_encode(k, &k->roles[SD_ROLE_DTLB_LOAD_WALKS].events[0], &c), 0);
	assert_true(c.has_type);
	assert_int_equal(c.type, 3); /* PERF_TYPE_HW_CACHE */
	assert_int_equal(c.config, 0x10003);
	rc = sd_event_encode(m, &m->roles[SD_ROLE_SAMPLE_LOAD].events[0], &c);
	if (rc == -ENOTSUP) {
		fprintf(stderr, "SKIP: %s: this libpfm4 knows no x86\n", __func__);
		skip();
	}
	assert_int_equal(rc, 0);
	assert_int_equal(c.type, 4); /* PERF_TYPE_RAW */
	assert_int_equal(c.config, 0x1cd);
	assert_int_equal(c.config1, 30);
	assert_int_equal(c.precise, 2);
	assert_int_equal(sd_event_encode(m, &m->roles[SD_ROLE_DRAM_READ_LINES].events[0], &c), 0);
	assert_false(c.has_type);
	assert_int_equal(c.config, 0x304);
}

static void write_text(const char *dir, const char *name, const char *text)
{
	char path[256];
	FILE *f;

	snprintf(path, sizeof path, "%s/%s", dir, name);
	f = fopen(path, "w");
	assert_non_null(f);
	fputs(text, f);
	fclose(f);
}

static void boxes_of_a_pmu_are_told_apart_and_ordered(void **state)
{
	static const char *const names[] = {"uncore_imc_10", "uncore_imc_2",
		"uncore_imc_free_running", "uncore_imcx", "uncore_cha_0"};
	char root[] = "/tmp/sd_boxes_XXXXXX", dir[256], command[512];
	struct sd_pmuboxes boxes;

	(void)state;
	assert_non_null(mkdtemp(root));
	snprintf(dir, sizeof dir, "%s/sys", root);
	mkdir(dir, 0700);
	strcat(dir, "/bus");
	mkdir(dir, 0700);
	strcat(dir, "/event_source");
	mkdir(dir, 0700);
	strcat(dir, "/devices");
	mkdir(dir, 0700);
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		snprintf(command, sizeof command, "%s/%s", dir, names[i]);
		mkdir(command, 0700);
		write_text(command, "type", i == 0 ? "21\n" : "13\n");
		write_text(command, "cpumask", i == 4 ? "garbage\n" : "0,18\n");
	}
	assert_int_equal(sd_uncore_pmus_read(&boxes, "uncore_imc", root), 0);
	assert_int_equal(boxes.n, 2);
	assert_string_equal(boxes.box[0].name, "uncore_imc_2");
	assert_string_equal(boxes.box[1].name, "uncore_imc_10");
	assert_int_equal(boxes.box[1].type, 21);
	assert_int_equal(boxes.box[0].cpus.n, 2);
	assert_int_equal(boxes.box[0].cpus.cpu[1], 18);
	sd_uncore_pmus_free(&boxes);
	assert_int_equal(sd_uncore_pmus_read(&boxes, "uncore_cha", root), -ENOENT);
	assert_int_equal(sd_uncore_pmus_read(&boxes, "uncore_upi", root), -ENOENT);
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		snprintf(command, sizeof command, "%s/%s/type", dir, names[i]);
		unlink(command);
		snprintf(command, sizeof command, "%s/%s/cpumask", dir, names[i]);
		unlink(command);
		snprintf(command, sizeof command, "%s/%s", dir, names[i]);
		rmdir(command);
	}
	for (char *end = dir + strlen(dir); strlen(dir) >= strlen(root); *end = '\0') {
		rmdir(dir);
		end = strrchr(dir, '/');
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_event_encodes_to_the_code_of_its_map),
		cmocka_unit_test(every_row_of_the_table_is_in_its_map_or_has_a_reason_not_to_be),
		cmocka_unit_test(no_map_uses_a_row_that_is_excluded),
		cmocka_unit_test(every_event_string_of_a_map_is_in_the_table),
		cmocka_unit_test(wrong_events_are_refused_with_file_and_line),
		cmocka_unit_test(the_environment_is_left_as_it_was),
		cmocka_unit_test(an_event_carries_its_config1_its_precision_and_its_type),
		cmocka_unit_test(boxes_of_a_pmu_are_told_apart_and_ordered),
	};

	return cmocka_run_group_tests(tests, load, unload);
}
