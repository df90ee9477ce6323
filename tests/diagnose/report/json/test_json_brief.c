/* The brief answer has room for any record, cuts sentences alone, and names a next step that runs.
 */
#include <jansson.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "json/json_brief.h"
#include "json/json_brief_text.h"
#include "support/make_analysis.h"
#include "view/view.h"

static json_t *brief_of(
	const struct sd_record *r, const struct sd_analysis *a, const char *path, const char *cause)
{
	const struct sd_report_style style = {.record_path = path, .cause = cause};
	char *const text = make_report(sd_json_brief_report(out, r, a, &style));
	json_error_t e;
	json_t *const root = json_loads(text, JSON_REJECT_DUPLICATES, &e);

	if (!root)
		fail_msg("%s in %s", e.text, text);
	assert_true(strlen(text) <= SD_JSON_BRIEF_BYTES);
	for (const char *p = text; *p; p++)
		assert_true(*p == '\n' ? !p[1] : (unsigned char)*p >= 0x20 && *p < 0x7f);
	free(text);
	return root;
}

static json_t *first(json_t *root)
{
	return json_array_get(json_object_get(root, "causes"), 0);
}

static const char *string_at(const json_t *o, const char *name)
{
	return json_string_value(json_object_get(o, name));
}

static void the_answer_has_the_words_and_the_place_of_the_text(void **state)
{
	struct sd_record r;
	struct sd_analysis a;
	json_t *root, *c, *next;

	(void)state;
	make_stencil(&r, &a);
	strcpy(r.program.source.commit, "0123456789abcdef");
	root = brief_of(&r, &a, "a b.json", NULL);
	c = first(root);
	assert_true(json_is_false(json_object_get(root, "scales")));
	assert_string_equal(string_at(root, "record"), "a b.json");
	assert_string_equal(string_at(root, "commit"), "0123456789abcdef");
	assert_string_equal(string_at(c, "id"), "memory-bandwidth");
	assert_string_equal(string_at(c, "certainty"), "confirmed");
	assert_string_equal(string_at(c, "says"),
		"Memory bandwidth costs 3.72 of 8 cores (confirmed; 95 %: 3.55 to 3.86)");
	assert_string_equal(string_at(c, "file"), "stencil.c");
	assert_int_equal(json_integer_value(json_object_get(c, "line")), 88);
	/* words, not what a shell makes of them */
	next = json_object_get(c, "next");
	assert_string_equal(json_string_value(json_array_get(next, 0)), "scalediag");
	assert_string_equal(
		json_string_value(json_array_get(next, json_array_size(next) - 1)), "a b.json");
	json_decref(root);
	sd_record_free(&r);
	sd_analysis_free(&a);
}

/* A path, a command or a name that were cut would be another one. */
static void what_has_no_room_is_cut_or_null(void **state)
{
	char huge[20001];
	struct sd_record r;
	struct sd_analysis a;
	json_t *root, *c;

	(void)state;
	for (size_t i = 0; i + 1 < sizeof huge; i += 2)
		memcpy(huge + i, "\xc3\xa9", 2);
	huge[sizeof huge - 1] = '\0';
	make_hostile(&r, &a);
	free(a.finding[0].where[0].file);
	a.finding[0].where[0].file = strdup(huge);
	for (int i = 0; i < 20; i++) {
		sd_texts_add(&r.program.argv, "%s", huge);
		sd_texts_add(&r.warnings, "%d %s", i, huge);
		sd_texts_add(&a.finding[0].evidence, "%s", huge);
		sd_texts_add(&a.finding[0].advice, "%s", huge);
	}
	root = brief_of(&r, &a, huge, NULL);
	c = first(root);
	assert_true(json_is_null(json_object_get(root, "record")));
	assert_true(json_is_null(json_object_get(c, "file")));
	assert_true(json_is_null(json_object_get(c, "next")));
	assert_non_null(strstr(string_at(root, "command"), "…"));
	json_decref(root);
	root = brief_of(&r, &a, huge, "memory-bandwidth");
	assert_int_equal(json_array_size(json_object_get(root, "evidence")), 6);
	json_decref(root);
	sd_record_free(&r);
	sd_analysis_free(&a);
}

static void a_cause_has_its_lines_of_source(void **state)
{
	struct sd_record r;
	struct sd_analysis a;
	json_t *root, *source;

	(void)state;
	make_stencil(&r, &a);
	r.source = make_zeroed(1, sizeof *r.source);
	r.n_source = 1;
	r.source[0].file = strdup(a.finding[0].where[0].file);
	r.source[0].hot = 88;
	r.source[0].first = 80;
	for (int i = 80; i <= 90; i++)
		sd_texts_add(&r.source[0].line, "line %d", i);
	root = brief_of(&r, &a, NULL, "memory-bandwidth");
	source = json_object_get(root, "source");
	assert_int_equal(json_integer_value(json_object_get(source, "first")), 83);
	assert_int_equal(json_array_size(json_object_get(source, "lines")), 8);
	assert_string_equal(
		json_string_value(json_array_get(json_object_get(source, "lines"), 5)), "line 88");
	assert_int_equal(json_integer_value(json_object_get(root, "number")), 1);
	json_decref(root);
	/* one that was ruled out has what rules it out */
	root = brief_of(&r, &a, NULL, "disk");
	assert_string_equal(string_at(root, "certainty"), "ruled-out");
	assert_true(json_is_null(json_object_get(root, "number")));
	json_decref(root);
	sd_record_free(&r);
	sd_analysis_free(&a);
}

static void texts_are_cut_between_characters(void **state)
{
	static const struct {
		const char *text;
		size_t room;
		const char *is;
	} row[] = {
		{"plain", 5, "plain"},
		{"longer than that", 12, "longer…"},
		{"\"\"\"\"", 8, "\"\"\"\""},
		{"éééé", 20, "éé…"},
		{"\xff", 20, "\\xff"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
		json_t *const x = sd_json_brief_text(row[i].text, row[i].room);

		assert_string_equal(json_string_value(x), row[i].is);
		json_decref(x);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_answer_has_the_words_and_the_place_of_the_text),
		cmocka_unit_test(what_has_no_room_is_cut_or_null),
		cmocka_unit_test(a_cause_has_its_lines_of_source),
		cmocka_unit_test(texts_are_cut_between_characters),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
