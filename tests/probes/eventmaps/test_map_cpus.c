/* Event maps read for one CPU: the others without their roles. */
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

#include "probe/event_map.h"
#include "eventmaps/map_cpus.h"

static void only_the_group_of_roles_is_emptied(void **state)
{
	static const struct {
		const char *text, *head;
	} rows[] = {
		{"", ""},
		{"family = \"a\";", "family = \"a\";"},
		{"roles = { a = { none = \"x\"; }; };\nfamily = 1;", "roles = {};\nfamily = 1;"},
		{"roles={\n a = ( 1,\n 2 );\n};\nb = 1;", "roles={\n\n\n};\nb = 1;"},
		{"a = { roles = { b = 1; }; };", "a = { roles = { b = 1; }; };"},
		{"xroles = { b = 1; };", "xroles = { b = 1; };"},
		{"roles-x = { b = 1; };", "roles-x = { b = 1; };"},
		{"a = \"roles = {\"; b = 1;", "a = \"roles = {\"; b = 1;"},
		{"a = \"\\\"roles = { \"; b = 1;", "a = \"\\\"roles = { \"; b = 1;"},
		{"# roles = {\nb = 1;", "# roles = {\nb = 1;"},
		{"// roles = {\nb = 1;", "// roles = {\nb = 1;"},
		{"/* roles = { */ b = { c = 1; };", "/* roles = { */ b = { c = 1; };"},
		{"roles /* { */ : { a = 1; } b = 1;", "roles /* { */ : {} b = 1;"},
		{"roles = { a = \"}\"; # }\n /* } */ }; b = { c = 1; };",
			"roles = {\n}; b = { c = 1; };"},
		{"a = \"never closed", "a = \"never closed"},
		{"roles = { never = closed", "roles = {"},
		{"a = 1; } roles = { b = 1; };", "a = 1; } roles = {};"},
	};
	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		char *const head = sd_map_cpus_text(rows[i].text, strlen(rows[i].text));

		assert_non_null(head);
		assert_string_equal(head, rows[i].head);
		free(head);
	}
}

static void assert_same_role(const struct sd_map_role *a, const struct sd_map_role *b)
{
	assert_true(!a == !b);
	if (!a)
		return;
	assert_true(!a->none == !b->none);
	assert_int_equal(a->n, b->n);
	assert_int_equal(a->line, b->line);
	assert_int_equal(a->scope, b->scope);
	for (size_t i = 0; i < a->n; i++) {
		assert_int_equal(a->events[i].code, b->events[i].code);
		assert_int_equal(a->events[i].line, b->events[i].line);
	}
}

static int in_chain(const struct sd_eventmaps *maps, const struct sd_event_map *from, size_t i)
{
	for (; from; from = from->fallback ? sd_event_map_set_find(maps, from->fallback) : NULL)
		if (from == &maps->map[i])
			return 1;
	return 0;
}

/* ... or in that of its other cores. */
static int is_wanted(const struct sd_eventmaps *maps, const struct sd_event_map *m, size_t i)
{
	int is = in_chain(maps, m, i);

	for (size_t k = 0; k < m->n_other_cores; k++)
		is |= in_chain(maps, sd_event_map_set_find(maps, m->other_cores[k].family), i);
	return is;
}

static int has_roles(const struct sd_event_map *m)
{
	for (int r = 0; r < SD_ROLE_COUNT; r++)
		if (m->roles[r].present)
			return 1;
	return 0;
}

static void check_one(const struct sd_eventmaps *all, const struct sd_cpuid *id)
{
	const struct sd_texts pmus = {0};
	const struct sd_event_map *const want = sd_event_map_set_select(all, &pmus, id), *m;
	struct sd_eventmaps one;

	assert_int_equal(sd_event_map_set_load_for(&one, NULL, &pmus, id, NULL), 0);
	assert_int_equal(one.n, all->n);
	m = sd_event_map_set_select(&one, &pmus, id);
	assert_string_equal(m->family, want->family);
	for (int r = 0; r < SD_ROLE_COUNT; r++)
		assert_same_role(sd_event_map_set_role(&one, m, (enum sd_role)r, NULL),
			sd_event_map_set_role(all, want, (enum sd_role)r, NULL));
	for (size_t i = 0; i < one.n; i++)
		assert_int_equal(has_roles(&one.map[i]), is_wanted(&one, m, i));
	sd_event_map_set_free(&one);
}

static void every_cpu_gets_the_roles_that_all_the_maps_would_give_it(void **state)
{
	struct sd_eventmaps all;

	(void)state;
	assert_int_equal(sd_event_map_set_load(&all, NULL, NULL), 0);
	for (size_t i = 0; i < all.n; i++)
		for (size_t c = 0; c < all.map[i].n_cpus; c++) {
			const struct sd_map_cpu *const cpu = &all.map[i].cpus[c];
			struct sd_cpuid id = {.family = cpu->family,
				.model = cpu->models.cpu[0],
				.stepping = cpu->steppings.n ? cpu->steppings.cpu[0] : 0,
				.known = 1};

			snprintf(id.vendor, sizeof id.vendor, "%s", cpu->vendor ? cpu->vendor : "");
			check_one(&all, &id);
		}
	check_one(&all, &(struct sd_cpuid){0});
	sd_event_map_set_free(&all);
}

static void keep(void *ctx, enum sd_level level, const char *text)
{
	assert_int_equal(level, SD_LEVEL_ERROR);
	snprintf(ctx, 256, "%s", text);
}

static void add(const char *folder, const char *name, const char *model, const char *more)
{
	char path[128];
	FILE *f;

	snprintf(path, sizeof path, "%s/%s.conf", folder, name);
	f = fopen(path, "w");
	assert_non_null(f);
	fprintf(f, "family = \"%s\"; title = \"t\"; source = \"t\";\n%s", name, more);
	fprintf(f, "\ncpus = ( { vendor = \"V\"; family = 6; models = \"%s\"; } );\n", model);
	fclose(f);
}

/* `more` of another CPU's map, and of this one's; what is said, or NULL. */
static void load(const char *other, const char *own, const char *want)
{
	const struct sd_cpuid id = {.vendor = "V", .family = 6, .model = 2, .known = 1};
	char path[] = "/tmp/sd_heads_XXXXXX", folder[64], said[256] = "", file[96];
	const struct sd_sink sink = {.emit = keep, .ctx = said};
	struct sd_eventmaps maps;

	assert_non_null(mkdtemp(path));
	snprintf(folder, sizeof folder, "%s/events", path);
	assert_int_equal(mkdir(folder, 0700), 0);
	add(folder, "a", "1", other);
	add(folder, "b", "2", own);
	assert_int_equal(sd_event_map_set_load_for(&maps, path, &(struct sd_texts){0}, &id, &sink),
		want ? -EINVAL : 0);
	if (want ? !strstr(said, want) : *said != '\0')
		fail_msg("'%s' instead of '%s'", said, want ? want : "");
	sd_event_map_set_free(&maps);
	for (const char *name = "ab"; *name; name++) {
		snprintf(file, sizeof file, "%s/%c.conf", folder, *name);
		unlink(file);
	}
	rmdir(folder);
	rmdir(path);
}

static void what_is_read_is_checked_and_the_roles_of_other_cpus_are_not_read(void **state)
{
	static const char bad[] = "roles = { nonsense = 1; };";
	static const char good[] = "roles = { cycles = { none = \"n\"; }; };";

	(void)state;
	load(good, good, NULL);
	load(bad, good, NULL);
	load(good, bad, "events/b.conf:2: ");
	load("nonsense = 1;", good, "events/a.conf:2: ");
	load("fallback = \"c\";", good, "events/a.conf:2: fallback: there is no map 'c'");
	load("fallback = \"b\";", "fallback = \"a\";", "the chain leads back");
	/* the chain leads to the other one's roles */
	load(bad, "roles = { cycles = { none = \"n\"; }; }; fallback = \"a\";",
		"events/a.conf:2: ");
	load("libpfm = [ \"p\" ];", "roles = {}; libpfm = [ \"p\" ];", "'p' is the PMU of");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(only_the_group_of_roles_is_emptied),
		cmocka_unit_test(every_cpu_gets_the_roles_that_all_the_maps_would_give_it),
		cmocka_unit_test(what_is_read_is_checked_and_the_roles_of_other_cpus_are_not_read),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
