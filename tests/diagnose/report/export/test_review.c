/* Findings as remarks on lines of code: whole, and no name from outside is a command or markup. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <jansson.h>

#include "export/open_metrics.h"
#include "export/review.h"
#include "support/make_analysis.h"
#include "view/view.h"

static void make(struct sd_record *r, struct sd_analysis *a)
{
	make_stencil(r, a);
	free(r->program.cwd);
	r->program.cwd = strdup("/home/me/my app");
	free(a->finding[0].where[0].file);
	a->finding[0].where[0].file = strdup("/home/me/my app/src/sten cil.c");
}

static json_t *get(json_t *o, const char *name)
{
	json_t *const out = json_object_get(o, name);

	if (!out)
		fail_msg("no %s", name);
	return out;
}

static void sarif_has_a_result_a_cause_at_its_place(void **state)
{
	struct sd_record r;
	struct sd_analysis a;
	json_t *root, *run, *results, *rules, *first, *place;
	char *text;

	(void)state;
	make(&r, &a);
	text = make_report(sd_review_sarif(out, &r, &a, NULL));
	root = json_loads(text, 0, NULL);
	assert_non_null(root);
	assert_string_equal(json_string_value(get(root, "version")), "2.1.0");
	run = json_array_get(get(root, "runs"), 0);
	results = get(run, "results");
	rules = get(get(get(run, "tool"), "driver"), "rules");
	/* confirmed and likely; not measurable and ruled out are no remarks */
	assert_int_equal(json_array_size(results), 2);
	assert_int_equal(json_array_size(rules), 2);
	for (size_t i = 0; i < 2; i++) {
		json_t *const x = json_array_get(results, i);
		json_t *const rule =
			json_array_get(rules, (size_t)json_integer_value(get(x, "ruleIndex")));

		assert_string_equal(
			json_string_value(get(x, "ruleId")), json_string_value(get(rule, "id")));
		assert_int_equal(json_array_size(get(x, "locations")), 1);
	}
	first = json_array_get(results, 0);
	assert_string_equal(json_string_value(get(first, "level")), "warning");
	place = get(json_array_get(get(first, "locations"), 0), "physicalLocation");
	assert_string_equal(
		json_string_value(get(get(place, "artifactLocation"), "uri")), "src/sten%20cil.c");
	assert_string_equal(
		json_string_value(get(get(place, "artifactLocation"), "uriBaseId")), "SRCROOT");
	assert_int_equal(json_integer_value(get(get(place, "region"), "startLine")), 88);
	assert_string_equal(
		json_string_value(get(get(get(run, "originalUriBaseIds"), "SRCROOT"), "uri")),
		"file:///home/me/my%20app/");
	assert_non_null(strstr(json_string_value(get(get(first, "message"), "text")),
		"Memory bandwidth costs 3.72 of 8 cores (confirmed; 95 %: 3.55 to 3.86)."));
	json_decref(root);
	free(text);
	sd_record_free(&r);
	sd_analysis_free(&a);
}

static void github_names_file_line_and_what_to_do(void **state)
{
	struct sd_record r;
	struct sd_analysis a;
	char *text;

	(void)state;
	make(&r, &a);
	text = make_report(sd_review_github(out, &r, &a, NULL));
	assert_non_null(strstr(text,
		"\n::warning file=src/sten cil.c,line=88,title=scalediag%3A memory "
		"bandwidth::Memory "
		"bandwidth costs 3.72 of 8 cores (confirmed; 95 %25: 3.55 to 3.86). "));
	assert_non_null(strstr(text, " Where: relax() sten cil.c:88 (71 %25). "));
	assert_non_null(strstr(text, " Fix: block the loop for the LLC; "));
	/* a cause without a place is said without one */
	assert_non_null(strstr(text, "\n::warning title=scalediag%3A serial code::Serial code "));
	free(text);
	sd_record_free(&r);
	sd_analysis_free(&a);
}

static size_t lines_of(const char *text, const char *begin)
{
	size_t n = 0;

	for (const char *line = text; line && *line; line = strchr(line, '\n') + 1)
		n += strncmp(line, begin, strlen(begin)) == 0;
	return n;
}

/* A possible cause without cores of its own is in the text of an entry that is numbered. */
static void remarks_are_the_causes_that_the_text_numbers(void **state)
{
	struct sd_record r;
	struct sd_analysis a;
	struct sd_view v;
	json_t *root;
	char *text;

	(void)state;
	make(&r, &a);
	for (int i = 4; i < SD_CAUSE_COUNT; i++)
		if (a.finding[i].cause != SD_CAUSE_NOISE) {
			a.finding[i].verdict = SD_VERDICT_POSSIBLE;
			a.finding[i].cores.status = a.finding[i].share.status = SD_STATUS_ABSENT;
		}
	assert_int_equal(sd_view_make(&v, &r, &a, NULL), 0);
	text = make_report(sd_review_github(out, &r, &a, NULL));
	assert_int_equal(lines_of(text, "::"), 1 + v.n_cause);
	free(text);
	text = make_report(sd_review_sarif(out, &r, &a, NULL));
	root = json_loads(text, 0, NULL);
	assert_int_equal(
		json_array_size(get(json_array_get(get(root, "runs"), 0), "results")), v.n_cause);
	json_decref(root);
	free(text);
	sd_view_free(&v);
	sd_record_free(&r);
	sd_analysis_free(&a);
}

/* A helper that parallel code calls too is not what has to change: who calls it alone is. */
static void serial_code_is_remarked_on_at_its_caller(void **state)
{
	struct sd_record r;
	struct sd_analysis a;
	struct sd_finding *serial = NULL;
	char *text;

	(void)state;
	make(&r, &a);
	for (int i = 0; i < SD_CAUSE_COUNT; i++)
		if (a.finding[i].cause == SD_CAUSE_SERIAL_CODE)
			serial = &a.finding[i];
	assert_non_null(serial);
	assert_int_equal(serial->n_where, 0);
	serial->where = make_zeroed(1, sizeof *serial->where);
	serial->n_where = 1;
	serial->where[0] = (struct sd_where){.function = strdup("work"),
		.file = strdup("/home/me/my app/work.h"),
		.line = 26,
		.from = strdup("outer"),
		.share = .9};
	a.losses.row = make_zeroed(1, sizeof *a.losses.row);
	a.losses.n_row = 1;
	a.losses.row[0].at = (struct sd_where){
		.function = strdup("outer"), .file = strdup("/home/me/my app/outer.c"), .line = 10};
	text = make_report(sd_review_github(out, &r, &a, NULL));
	assert_non_null(strstr(text, "\n::warning file=outer.c,line=10,title=scalediag%3A serial"));
	assert_non_null(strstr(text, " Where: outer() -> work() work.h:26 (90 %25)."));
	free(text);
	text = make_report(sd_review_sarif(out, &r, &a, NULL));
	assert_non_null(strstr(text, "\"uri\": \"outer.c\""));
	assert_non_null(strstr(text, "\"uri\": \"work.h\""));
	free(text);
	sd_record_free(&r);
	sd_analysis_free(&a);
}

/* Every line is a command of this program's, whatever names are. */
static void github_takes_no_command_from_a_name(void **state)
{
	static const char hostile[] =
		"a.c,line=1::x\n::error::pwned\r\n%0A::stop-commands::t\033[2J";
	struct sd_record r;
	struct sd_analysis a;
	char *text;

	(void)state;
	make(&r, &a);
	free(a.finding[0].where[0].file);
	free(a.finding[0].where[0].function);
	a.finding[0].where[0].file = strdup(hostile);
	a.finding[0].where[0].function = strdup(hostile);
	sd_texts_free(&a.finding[0].evidence);
	sd_texts_add(&a.finding[0].evidence, "%s", hostile);
	text = make_report(sd_review_github(out, &r, &a, NULL));
	for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n")) {
		assert_true(
			strncmp(line, "::warning ", 10) == 0 || strncmp(line, "::notice ", 9) == 0);
		assert_null(strchr(line, '\r'));
		assert_null(strchr(line, '\033'));
		if (strstr(line, "file=")) /* one property, not two */
			assert_non_null(strstr(line, "file=a.c%2Cline=1%3A%3Ax"));
	}
	free(text);
	text = make_report(sd_review_sarif(out, &r, &a, NULL));
	assert_non_null(strstr(text, "a.c%2Cline%3D1%3A%3Ax%0A"));
	free(text);
	sd_record_free(&r);
	sd_analysis_free(&a);
}

static void without_points_there_is_an_answer_and_no_result(void **state)
{
	struct sd_record r = {0};
	struct sd_analysis a = {0};
	char *text = make_report(sd_review_github(out, &r, &a, NULL));
	json_t *root;

	(void)state;
	assert_non_null(strstr(text, "nothing to report"));
	assert_null(strstr(text, "::warning"));
	free(text);
	text = make_report(sd_review_sarif(out, &r, &a, NULL));
	root = json_loads(text, 0, NULL);
	assert_int_equal(json_array_size(get(json_array_get(get(root, "runs"), 0), "results")), 0);
	json_decref(root);
	free(text);
}

static void a_badge_says_the_efficiency_and_how_it_is(void **state)
{
	struct sd_record r;
	struct sd_analysis a;
	char *text;

	(void)state;
	make(&r, &a);
	text = make_report(sd_review_badge(out, &r, &a, NULL));
	assert_non_null(strstr(text, ">34 % at 8 cores</text>"));
	assert_non_null(strstr(text, "fill=\"#cf222e\""));
	free(text);
	a.scales = SD_SCALES_UNKNOWN;
	text = make_report(sd_review_badge(out, &r, &a, NULL));
	assert_non_null(strstr(text, ">34 % at 8 cores?</text>"));
	assert_null(strstr(text, "#cf222e"));
	free(text);
	a.point[3].efficiency.status = SD_STATUS_ABSENT;
	text = make_report(sd_review_badge(out, &r, &a, NULL));
	assert_non_null(strstr(text, ">not known</text>"));
	free(text);
	sd_record_free(&r);
	sd_analysis_free(&a);
}

/* "name{labels} value", a line; every family once, its samples behind its heading. */
static void gauges_are_grouped_and_what_is_unknown_has_none(void **state)
{
	struct sd_record r;
	struct sd_analysis a;
	char family[64] = "", *text, *end;

	(void)state;
	make(&r, &a);
	sd_texts_free(&r.program.argv);
	sd_texts_add(&r.program.argv, "./a\"p\\p\n");
	a.point[0].wall.status = SD_STATUS_ABSENT;
	text = make_report(sd_open_metrics_report(out, &r, &a, NULL));
	for (char *line = strtok_r(text, "\n", &end); line; line = strtok_r(NULL, "\n", &end)) {
		if (strncmp(line, "# TYPE ", 7) == 0) {
			assert_int_equal(sscanf(line, "# TYPE %63s gauge", family), 1);
			continue;
		}
		if (strcmp(line, "# EOF") == 0)
			break;
		if (*line == '#') {
			assert_non_null(strstr(line, family));
			continue;
		}
		assert_int_equal(strncmp(line, family, strlen(family)), 0);
		assert_int_equal(line[strlen(family)], '{');
		assert_non_null(strstr(line, "program=\"'./a\\\"p\\\\p\\\\x0a'\""));
		assert_true(strncmp(line, "scalediag_wall_seconds{", 23) != 0 ||
			    !strstr(line, "cores=\"1\""));
		if (strncmp(line, "scalediag_cause_cores{", 22) == 0 &&
			strstr(line, "memory-bandwidth"))
			assert_non_null(strstr(line, "verdict=\"confirmed\",function=\"relax()\","
						     "file=\"src/sten cil.c\"} 3.7"));
	}
	assert_null(strtok_r(NULL, "\n", &end));
	free(text);
	sd_record_free(&r);
	sd_analysis_free(&a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sarif_has_a_result_a_cause_at_its_place),
		cmocka_unit_test(github_names_file_line_and_what_to_do),
		cmocka_unit_test(remarks_are_the_causes_that_the_text_numbers),
		cmocka_unit_test(serial_code_is_remarked_on_at_its_caller),
		cmocka_unit_test(github_takes_no_command_from_a_name),
		cmocka_unit_test(a_badge_says_the_efficiency_and_how_it_is),
		cmocka_unit_test(without_points_there_is_an_answer_and_no_result),
		cmocka_unit_test(gauges_are_grouped_and_what_is_unknown_has_none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
