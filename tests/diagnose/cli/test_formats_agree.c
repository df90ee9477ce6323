/*
 * Every format names exactly the causes that the text numbers, with the same amounts, in the same
 * order and at the same place: over the records of the fixtures and over invented ones.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <dirent.h>
#include <cmocka.h>
#include <jansson.h>

#include "analyse/analyse.h"
#include "export/remark.h"
#include "page/interval_text.h"
#include "page/markup.h"
#include "record/record_file.h"
#include "report/formats.h"
#include "requirements/gate_report.h"
#include "run/config_tables.h"
#include "support/invent_record.h"
#include "support/one_interval.h"
#include "view/view.h"

#define INVENTED 300

static struct sd_config_tables tables;

static int load(void **state)
{
	(void)state;
	return sd_config_tables_load(&tables, NULL) < 0 ? -1 : 0;
}

static int unload(void **state)
{
	(void)state;
	sd_config_tables_free(&tables);
	return 0;
}

/* One record's formats, and which it is. */
struct seen {
	const char *name;
	const struct sd_record *r;
	const struct sd_analysis *a;
	const struct sd_view *v;
};

static char *format_of(const struct seen *s, const char *name, int all)
{
	const struct sd_report_style style = {.record_path = "a.scalediag.json", .all = all};
	char *text = NULL;
	size_t size = 0;
	FILE *const f = open_memstream(&text, &size);

	assert_non_null(f);
	assert_int_equal(sd_report_format_find(name)->print(f, s->r, s->a, &style), 0);
	assert_int_equal(fclose(f), 0);
	return text;
}

static char *text_of(const char *format, ...)
{
	char *out = NULL;
	va_list ap;

	va_start(ap, format);
	assert_true(vasprintf(&out, format, ap) >= 0);
	va_end(ap);
	return out;
}

/* Wraps of lines are one blank. */
static void unwrap(char *text)
{
	char *to = text;

	for (const char *from = text; *from; from++)
		if (!strchr(" \n", *from))
			*to++ = *from;
		else if (to > text && to[-1] != ' ')
			*to++ = ' ';
	*to = '\0';
}

/* Frees what is looked for. */
static void must_have(const struct seen *s, const char *format, const char *text, char *wanted)
{
	if (!strstr(text, wanted))
		fail_msg("%s: %s has no '%s':\n%s", s->name, format, wanted, text);
	free(wanted);
}

static json_t *json_of(const struct seen *s, const char *format)
{
	char *const text = format_of(s, format, 0);
	json_t *const out = json_loads(text, 0, NULL);

	if (!out)
		fail_msg("%s: %s is no JSON: %s", s->name, format, text);
	free(text);
	return out;
}

static void must_be(const struct seen *s, const char *format, const char *is, const char *wanted)
{
	if (!is || strcmp(is, wanted) != 0)
		fail_msg("%s: %s has '%s', not '%s'", s->name, format, is ? is : "nothing", wanted);
}

static const char *string_at(const json_t *o, const char *name)
{
	return json_string_value(json_object_get(o, name));
}

/* ---- the formats ----------------------------------------------------------------------------- */

static void the_text(const struct seen *s)
{
	char *const brief = format_of(s, "text", 0), *const whole = format_of(s, "text", 1);
	const struct sd_point *const p = &s->a->point[s->a->n_point - 1];

	unwrap(brief);
	unwrap(whole);
	for (size_t i = 0; i < s->v->n_cause; i++) {
		const struct sd_finding *const f = s->v->cause[i].of;
		char value[32], range[128];

		must_have(s, "text", brief, text_of("%zu. %s", i + 1, s->v->cause[i].title));
		if (!f || f->verdict > SD_VERDICT_POSSIBLE || !sd_status_measured(f->cores))
			continue;
		sd_interval_text_number(value, sizeof value, f->cores.value, 2);
		sd_interval_text_range(range, sizeof range, f->cores, p, 2);
		must_have(s, "--long", whole,
			text_of("%s, %s of %u cores%s%s%s · %s", sd_cause_info[f->cause].label,
				value, p->n, *range ? " (" : "", range, *range ? ")" : "",
				sd_verdict_name[f->verdict]));
	}
	free(brief);
	free(whole);
}

static void the_json(const struct seen *s)
{
	json_t *const root = json_of(s, "json");
	json_t *const list = json_object_get(json_object_get(root, "view"), "causes");

	assert_int_equal(json_array_size(list), s->v->n_cause);
	for (size_t i = 0; i < s->v->n_cause; i++)
		must_be(s, "json", string_at(json_array_get(list, i), "title"),
			s->v->cause[i].title);
	json_decref(root);
}

static void near_number(const struct seen *s, const json_t *is, double wanted)
{
	if (json_is_null(is) ? isfinite(wanted)
			     : fabs(json_number_value(is) - wanted) > 1e-5 * fmax(1, fabs(wanted)))
		fail_msg("%s: brief has %g, not %g", s->name, json_number_value(is), wanted);
}

static void the_brief(const struct seen *s)
{
	char *const line = format_of(s, "brief", 0);
	json_t *const root = json_loads(line, 0, NULL);
	json_t *const list = json_object_get(root, "causes");

	assert_non_null(root);
	assert_true(strlen(line) <= 4096);
	assert_ptr_equal(strchr(line, '\n'), line + strlen(line) - 1);
	assert_int_equal(json_array_size(list), s->v->n_cause);
	for (size_t i = 0; i < s->v->n_cause; i++) {
		const struct sd_view_cause *const c = &s->v->cause[i];
		const json_t *const x = json_array_get(list, i);

		must_be(s, "brief", string_at(x, "says"), c->title);
		must_be(s, "brief", string_at(x, "id"), sd_remark_name(c));
		if (c->of && sd_status_measured(c->of->cores))
			near_number(s, json_object_get(json_object_get(x, "cores"), "value"),
				c->of->cores.value);
	}
	json_decref(root);
	free(line);
}

static void the_remarks(const struct seen *s)
{
	json_t *const sarif = json_of(s, "sarif"), *const issues = json_of(s, "code-quality");
	json_t *const results =
		json_object_get(json_array_get(json_object_get(sarif, "runs"), 0), "results");

	assert_int_equal(json_array_size(results), s->v->n_cause);
	assert_int_equal(json_array_size(issues), s->v->n_cause);
	for (size_t i = 0; i < s->v->n_cause; i++) {
		const struct sd_view_cause *const c = &s->v->cause[i];
		const json_t *const result = json_array_get(results, i),
				    *const issue = json_array_get(issues, i),
				    *const at = json_object_get(issue, "location");
		char *const text = sd_remark_text(c);

		assert_non_null(text);
		must_be(s, "sarif", string_at(result, "ruleId"), sd_remark_name(c));
		must_be(s, "sarif", string_at(json_object_get(result, "message"), "text"), text);
		must_be(s, "code-quality", string_at(issue, "check_name"), sd_remark_name(c));
		must_be(s, "code-quality", string_at(issue, "description"), text);
		assert_int_equal(strncmp(text, c->title, strlen(c->title)), 0);
		if (c->at && c->at->file && c->at->line)
			assert_int_equal(json_integer_value(json_object_get(
						 json_object_get(at, "lines"), "begin")),
				c->at->line);
		free(text);
	}
	json_decref(sarif);
	json_decref(issues);
}

static void the_annotations(const struct seen *s)
{
	char *const text = format_of(s, "github", 0);
	const char *line = strchr(text, '\n');

	for (size_t i = 0; i < s->v->n_cause; i++) {
		const struct sd_view_cause *const c = &s->v->cause[i];
		const char *const after = line ? strchr(line + 1, '\n') : NULL;
		/* the title has a '%' only where it says 95 % */
		const size_t whole = strcspn(c->title, "%");
		char *one, *wanted = text_of("::%.*s", (int)whole, c->title);

		assert_non_null(after);
		one = strndup(line + 1, (size_t)(after - line));
		must_have(s, "github", one, wanted);
		if (c->at && c->at->line && c->at->file)
			must_have(s, "github", one, text_of("line=%u,", c->at->line));
		free(one);
		line = after;
	}
	assert_true(line && !line[1]);
	free(text);
}

static char *markdown_of(const char *title)
{
	char *text = NULL;
	size_t size = 0;
	FILE *const f = open_memstream(&text, &size);

	assert_non_null(f);
	sd_markup_markdown(f, title);
	assert_int_equal(fclose(f), 0);
	return text;
}

static void the_markdown(const struct seen *s)
{
	char *const text = format_of(s, "markdown", 0);

	for (size_t i = 0; i < s->v->n_cause; i++) {
		char *const title = markdown_of(s->v->cause[i].title);

		must_have(s, "markdown", text, text_of("\n%zu. **%s**\n", i + 1, title));
		free(title);
	}
	free(text);
}

/* A requirement that is not met is said with the causes. */
static void the_check(const struct seen *s)
{
	static const struct sd_requirement gate = {.text = "scales"};
	static const struct sd_requirement_result unmet = {
		.gate = &gate, .outcome = SD_REQUIREMENT_VIOLATED};
	const struct sd_gate_results all = {
		.record = "a.json", .result = &unmet, .n = 1, .view = s->v};
	const struct sd_report_style style = {.width = 100};
	char *text[4] = {NULL};
	size_t size[4], n = 0;

	for (size_t i = 0; i < 4; i++) {
		FILE *const f = open_memstream(&text[i], &size[i]);

		assert_non_null(f);
		assert_int_equal(i == 0   ? sd_gates_text(f, &all, &style)
				 : i == 1 ? sd_gates_json(f, &all)
				 : i == 2 ? sd_gates_markdown(f, &all)
					  : sd_gates_junit(f, &all),
			0);
		assert_int_equal(fclose(f), 0);
	}
	unwrap(text[0]);
	for (; n < s->v->n_cause; n++) {
		const struct sd_view_cause *const c = &s->v->cause[n];
		char *const title = markdown_of(c->title);

		must_have(s, "check", text[0], text_of("%zu. %s", n + 1, c->title));
		must_have(s, "check's JSON", text[1], text_of("\"title\": \"%s\"", c->title));
		must_have(s, "check's Markdown", text[2], text_of("\n%zu. **%s**\n", n + 1, title));
		must_have(s, "JUnit", text[3], text_of("\n%zu. ", n + 1));
		must_have(s, "JUnit", text[3], text_of("%s. ", c->title));
		free(title);
	}
	for (size_t i = 0; i < 4; i++)
		free(text[i]);
}

/* How many causes the text numbers. */
static size_t hold(const char *name, const struct sd_record *r)
{
	size_t n = 0;
	struct sd_analysis a;
	struct sd_view v;
	const struct seen s = {name, r, &a, &v};

	if (sd_analyse(r, &tables.formulas, &tables.advice, &a) == 0) {
		assert_int_equal(sd_view_make(&v, r, &a, "a.scalediag.json"), 0);
		the_text(&s);
		one_interval_must_hold(name, &v);
		the_json(&s);
		the_brief(&s);
		the_annotations(&s);
		the_markdown(&s);
		the_check(&s);
		n = v.n_cause;
		sd_view_free(&v);
		/* these name no record */
		assert_int_equal(sd_view_make(&v, r, &a, NULL), 0);
		the_remarks(&s);
		sd_view_free(&v);
	}
	sd_analysis_free(&a);
	return n;
}

static void formats_of_kept_records_agree(void **state)
{
	static const char folder[] = "tests/fixtures/fuzz_record";
	DIR *const d = opendir(folder);
	size_t n = 0;

	(void)state;
	assert_non_null(d);
	for (struct dirent *e; (e = readdir(d)) != NULL;) {
		struct sd_record r = {0};
		char path[512];

		snprintf(path, sizeof path, "%s/%s", folder, e->d_name);
		if (sd_record_read(path, &r, NULL) == 0) {
			hold(path, &r);
			n++;
		}
		sd_record_free(&r);
	}
	closedir(d);
	assert_true(n > 0);
}

static void formats_of_invented_records_agree(void **state)
{
	size_t causes = 0;

	(void)state;
	for (uint64_t seed = 0; seed < INVENTED; seed++) {
		struct sd_record r;
		char name[32];

		tell(&r, seed, &plainly);
		snprintf(name, sizeof name, "seed %llu", (unsigned long long)seed);
		causes += hold(name, &r);
		sd_record_free(&r);
	}
	assert_true(causes > INVENTED / 4);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(formats_of_kept_records_agree),
		cmocka_unit_test(formats_of_invented_records_agree),
	};

	return cmocka_run_group_tests(tests, load, unload);
}
