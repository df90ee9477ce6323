#include <jansson.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "support/make_analysis.h"
#include "page/report_style.h"

static json_t *parsed(const char *text)
{
	json_error_t e;
	json_t *root = json_loads(text, JSON_REJECT_DUPLICATES, &e);

	if (!root)
		fail_msg("%d: %s", e.line, e.text);
	return root;
}

static void a_report_is_the_same_every_time(void **state)
{
	struct sd_record r;
	struct sd_analysis a;
	char *text, *again;

	(void)state;
	make_stencil(&r, &a);
	text = make_report(sd_report_json(out, &r, &a));
	again = make_report(sd_report_json(out, &r, &a));
	assert_string_equal(text, again);
	check_golden("stencil.json", text);
	free(text);
	free(again);
	sd_record_free(&r);
	sd_analysis_free(&a);
}

/* Files are named as from the folder that the program ran in. */
static void no_file_of_the_folder_is_absolute(void **state)
{
	struct sd_record r;
	struct sd_analysis a;
	char *text;

	(void)state;
	make_stencil(&r, &a);
	free(a.finding[0].where[0].file);
	free(a.finding[0].where[0].module);
	a.finding[0].where[0].file = strdup("/home/user/src/stencil.c");
	a.finding[0].where[0].module = strdup("/home/user/stencil");
	text = make_report(sd_report_json(out, &r, &a));
	assert_non_null(strstr(text, "\"src/stencil.c\""));
	assert_null(strstr(text, "/home/user/s"));
	free(text);
	sd_record_free(&r);
	sd_analysis_free(&a);
}

/* The names that machines rely on. */
static void the_fixed_names_are_there(void **state)
{
	static const char *const top[] = {"schema", "tool", "host", "program", "points", "findings",
		"scales", "confidence", "warnings"};
	static const char *const point[] = {
		"cores", "runs", "wall_s", "speedup", "efficiency", "stack", "metrics"};
	static const char *const metric[] = {
		"name", "unit", "value", "low", "high", "quality", "source"};
	static const char *const finding[] = {
		"cause", "verdict", "cores", "share", "evidence", "where", "advice", "next"};
	static const char *const where[] = {"function", "file", "line", "share"};
	struct sd_record r;
	struct sd_analysis a;
	json_t *root, *p, *f;
	char *text;

	(void)state;
	make_stencil(&r, &a);
	text = make_report(sd_report_json(out, &r, &a));
	root = parsed(text);
#define HAS(object, names)                                           \
	for (size_t i = 0; i < sizeof(names) / sizeof *(names); i++) \
	assert_non_null(json_object_get((object), (names)[i]))
	HAS(root, top);
	p = json_array_get(json_object_get(root, "points"), 3);
	HAS(p, point);
	HAS(json_array_get(json_object_get(p, "metrics"), 0), metric);
	f = json_array_get(json_object_get(root, "findings"), 0);
	HAS(f, finding);
	HAS(json_array_get(json_object_get(f, "where"), 0), where);
	assert_string_equal(json_string_value(json_object_get(f, "cause")), "memory-bandwidth");
	assert_true(json_is_false(json_object_get(root, "scales")));
	assert_non_null(json_object_get(json_object_get(root, "host"), "granted_cpus"));
	assert_string_equal(
		json_string_value(json_object_get(json_object_get(root, "program"), "scaling")),
		"strong");
	json_decref(root);
	free(text);
	sd_record_free(&r);
	sd_analysis_free(&a);
}

static void every_stack_sums_to_its_cores_as_printed(void **state)
{
	struct sd_record r;
	struct sd_analysis a;
	json_t *root, *p, *c;
	char *text;
	size_t i, j;

	(void)state;
	make_stencil(&r, &a);
	text = make_report(sd_report_json(out, &r, &a));
	root = parsed(text);
	json_array_foreach(json_object_get(root, "points"), i, p)
	{
		double sum = 0;

		json_array_foreach(json_object_get(p, "stack"), j, c)
		{
			const json_t *v = json_object_get(c, "cores");

			sum += json_number_value(json_object_get(v, "value"));
		}
		assert_true(fabs(sum - json_number_value(json_object_get(p, "cores"))) < 1e-9);
	}
	json_decref(root);
	free(text);
	sd_record_free(&r);
	sd_analysis_free(&a);
}

static void every_cause_stands_once(void **state)
{
	struct sd_record r;
	struct sd_analysis a;
	json_t *root, *f;
	int seen[SD_CAUSE_COUNT] = {0};
	char *text;
	size_t i;

	(void)state;
	make_stencil(&r, &a);
	text = make_report(sd_report_json(out, &r, &a));
	root = parsed(text);
	json_array_foreach(json_object_get(root, "findings"), i,
		f) for (int k = 0; k < SD_CAUSE_COUNT; k++) seen[k] +=
		strcmp(json_string_value(json_object_get(f, "cause")), sd_cause_info[k].name) == 0;
	for (int k = 0; k < SD_CAUSE_COUNT; k++)
		assert_int_equal(seen[k], 1);
	json_decref(root);
	free(text);
	sd_record_free(&r);
	sd_analysis_free(&a);
}

static void what_is_not_known_is_null_and_says_why(void **state)
{
	struct sd_record r;
	struct sd_analysis a;
	json_t *root, *p, *v;
	char *text;

	(void)state;
	make_hostile(&r, &a);
	text = make_report(sd_report_json(out, &r, &a));
	check_golden("hostile.json", text);
	root = parsed(text);
	p = json_array_get(json_object_get(root, "points"), 1);
	v = json_object_get(p, "parallelism");
	assert_true(json_is_null(json_object_get(v, "value")));
	assert_string_equal(json_string_value(json_object_get(v, "quality")), "denied");
	v = json_object_get(p, "speedup");
	assert_string_equal(json_string_value(json_object_get(v, "quality")), "noisy");
	/* one run has a value, but no interval */
	v = json_object_get(json_array_get(json_object_get(root, "points"), 3), "wall_s");
	assert_true(json_is_real(json_object_get(v, "value")));
	assert_true(json_is_null(json_object_get(v, "low")));
	assert_true(json_is_null(json_object_get(root, "scales")));
	/* each warning once, whoever said it */
	assert_int_equal(json_array_size(json_object_get(root, "warnings")), 2);
	for (const char *c = text; *c; c++)
		assert_true(*c == '\n' || (*c >= 0x20 && *c < 0x7f));
	json_decref(root);
	free(text);
	sd_record_free(&r);
	sd_analysis_free(&a);
}

static void without_a_finished_run_nothing_is_claimed(void **state)
{
	static const unsigned cores[] = {1};
	struct sd_record r;
	struct sd_analysis a = {0};
	json_t *root;
	char *text;

	(void)state;
	make_record(&r, cores, 1);
	text = make_report(sd_report_json(out, &r, &a));
	root = parsed(text);
	assert_int_equal(json_array_size(json_object_get(root, "points")), 0);
	assert_int_equal(json_array_size(json_object_get(root, "findings")), 0);
	assert_true(json_is_null(json_object_get(root, "scales")));
	json_decref(root);
	free(text);
	sd_record_free(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_report_is_the_same_every_time),
		cmocka_unit_test(no_file_of_the_folder_is_absolute),
		cmocka_unit_test(the_fixed_names_are_there),
		cmocka_unit_test(every_stack_sums_to_its_cores_as_printed),
		cmocka_unit_test(every_cause_stands_once),
		cmocka_unit_test(what_is_not_known_is_null_and_says_why),
		cmocka_unit_test(without_a_finished_run_nothing_is_claimed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
