/* Every record among the fixtures, read and written again: nothing it holds is lost or changed. */
#include <ftw.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <jansson.h>

#include "record/record_file.h"
#include "support/make_full.h"

static int says_nothing(const json_t *v)
{
	return (json_is_number(v) && json_number_value(v) == 0) ||
	       (json_is_array(v) && json_array_size(v) == 0) ||
	       (json_is_string(v) && strcmp(json_string_value(v), "0") == 0); /* of 64 bits */
}

/* Fails where `copy` lacks something of `old`, or has it otherwise; more may be in it, as an old
 * record has no place for what is newer. */
static void check_holds(const json_t *old, const json_t *copy, const char *where)
{
	const char *key;
	json_t *member;
	size_t i;

	if (json_is_object(old)) {
		json_object_foreach((json_t *)(uintptr_t)old, key, member)
		{
			char here[512];

			snprintf(here, sizeof here, "%s.%s", where, key);
			check_holds(member, json_object_get(copy, key), here);
		}
		return;
	}
	/* left out where it says nothing: the pass of a run that counted nothing */
	if (!copy && says_nothing(old))
		return;
	if (json_is_array(old)) {
		if (!json_is_array(copy) || json_array_size(old) != json_array_size(copy))
			fail_msg("%s: has %zu elements, its copy %zu", where, json_array_size(old),
				json_array_size(copy));
		json_array_foreach(old, i, member)
		{
			char here[512];

			snprintf(here, sizeof here, "%s[%zu]", where, i);
			check_holds(member, json_array_get(copy, i), here);
		}
		return;
	}
	if (json_is_number(old) && json_is_number(copy)
			? json_number_value(old) != json_number_value(copy)
			: !json_equal(old, copy))
		fail_msg("%s: its copy has it otherwise, or not at all", where);
}

static void check_record(const char *path, const char *text, size_t size)
{
	struct sd_record r, again;
	json_t *old, *new;
	char *once, *twice;
	size_t n, m;

	/* what a fuzz target has behind the record, or damaged on purpose, is no record */
	if (sd_record_parse(text, size, path, &r, NULL) != 0)
		return;
	once = encode(&r, &n);
	assert_int_equal(sd_record_parse(once, n, path, &again, NULL), 0);
	twice = encode(&again, &m);
	assert_int_equal(n, m);
	assert_memory_equal(once, twice, n);
	old = json_loadb(text, size, 0, NULL);
	new = json_loadb(once, n, 0, NULL);
	assert_non_null(new);
	/* one that was being measured is lines, each JSON by itself */
	if (old)
		check_holds(old, new, path);
	else
		assert_false(r.complete);
	json_decref(old);
	json_decref(new);
	free(once);
	free(twice);
	sd_record_free(&r);
	sd_record_free(&again);
}

/* nftw() takes no context. */
static int n_record;

static int visit(const char *path, const struct stat *st, int type, struct FTW *at)
{
	char *text;
	size_t got;
	FILE *f;

	(void)at;
	if (type != FTW_F || st->st_size > 10 << 20)
		return 0;
	f = fopen(path, "r");
	assert_non_null(f);
	text = calloc((size_t)st->st_size + 1, 1);
	assert_non_null(text);
	got = fread(text, 1, (size_t)st->st_size, f);
	fclose(f);
	if (strstr(text, "\"" SD_RECORD_KIND "\"")) {
		check_record(path, text, got);
		n_record++;
	}
	free(text);
	return 0;
}

static void every_record_among_the_fixtures_is_written_as_it_was_read(void **state)
{
	(void)state;
	assert_int_equal(nftw("tests/fixtures", visit, 16, FTW_PHYS), 0);
	assert_true(n_record >= 10);
}

/* Today's writer made it: the same bytes, then, keys in their order and all. */
static void records_of_today_are_written_to_the_same_bytes(void **state)
{
	static const char *const paths[] = {
		"tests/fixtures/fuzz_record/two_points.json",
		"tests/fixtures/fuzz_record/counted.json",
		"tests/fixtures/fuzz_record/source_lines.json",
	};

	(void)state;
	for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
		FILE *const f = fopen(paths[i], "r");
		struct sd_record r;
		static char text[1 << 16];
		char *copy;
		size_t n, m;

		assert_non_null(f);
		n = fread(text, 1, sizeof text, f);
		fclose(f);
		assert_int_equal(sd_record_parse(text, n, paths[i], &r, NULL), 0);
		copy = encode(&r, &m);
		assert_int_equal(n, m);
		assert_memory_equal(text, copy, n);
		free(copy);
		sd_record_free(&r);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_record_among_the_fixtures_is_written_as_it_was_read),
		cmocka_unit_test(records_of_today_are_written_to_the_same_bytes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
