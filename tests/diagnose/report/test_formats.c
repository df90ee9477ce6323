/* Every format: the same numbers, and nothing from outside taken for markup. */
#include <ctype.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "report/formats.h"
#include "requirements/gate_report.h"
#include "view/view.h"
#include "support/make_analysis.h"
#include "page/markup.h"
#include "export/csv.h"
#include "export/markdown.h"

typedef void put_fn(FILE *f, const char *text);

static char *put(put_fn *fn, const char *text)
{
	return make_report((fn(out, text), 0));
}

static void names_from_outside_are_never_markup(void **state)
{
	static const struct {
		put_fn *fn;
		const char *in, *out;
	} row[] = {
		{sd_markup_xml, "<script>\"x\" & 'y'",
			"&lt;script&gt;&quot;x&quot; &amp; &#39;y&#39;"},
		{sd_markup_xml, "a\x1b[31mb", "a\\x1b[31mb"},
		{sd_markup_xml, "\xff", "\\xff"},
		{sd_markup_xml,
			"a\xe2\x80\xae"
			"b",
			"a\\u202eb"},
		{sd_markup_markdown,
			"<b>*x*</b> @you :+1:", "&lt;b\\>\\*x\\*&lt;/b\\> &#64;you &#58;+1:"},
		{sd_markup_markdown, "a|b`c`[l](u)", "a\\|b\\`c\\`\\[l\\](u)"},
		{sd_markup_markdown, "share: 3", "share: 3"},
		{sd_markup_markdown, "a.c:26, b", "a.c:26, b"},
		{sd_markup_markdown, ":100:", "&#58;100:"},
		{sd_markup_csv, "=1+1", "\"'=1+1\""},
		{sd_markup_csv, "@x", "\"'@x\""},
		{sd_markup_csv, "-x", "\"'-x\""},
		{sd_markup_csv, "a,b", "\"a,b\""},
		{sd_markup_csv, "a\"b", "\"a\"\"b\""},
		{sd_markup_csv, "plain", "plain"},
		{sd_markup_csv, "", ""},
	};

	(void)state;
	for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
		char *text = put(row[i].fn, row[i].in);

		assert_string_equal(text, row[i].out);
		free(text);
	}
}

static void every_format_is_found_and_gives_the_same_bytes_twice(void **state)
{
	char long_stack[128] = "";
	struct sd_record r;
	struct sd_analysis a;

	(void)state;
	make_stencil(&r, &a);
	memset(long_stack, 'f', sizeof long_stack - 1);
	for (const struct sd_report_format *f = sd_report_formats; f->name; f++) {
		struct sd_fold_stacks row = {long_stack, 10, 20};
		const struct sd_folded_stacks folded = {.row = &row, .n = 1};
		const struct sd_report_style style = {.width = 100, .folded = &folded};
		char *text = make_report(f->print(out, &r, &a, &style));
		char *again = make_report(f->print(out, &r, &a, &style));

		assert_ptr_equal(sd_report_format_find(f->name), f);
		assert_true(strlen(text) > 100);
		assert_string_equal(text, again);
		free(text);
		free(again);
	}
	assert_null(sd_report_format_find("xml"));
	sd_record_free(&r);
	sd_analysis_free(&a);
}

static struct sd_interval ms(double v, double half)
{
	return (struct sd_interval){v * 1e-3, (v - half) * 1e-3, (v + half) * 1e-3, SD_STATUS_OK};
}

/* At 8 cores the slowest take 9 ms more, 8 of them for a lock. */
static void add_requests(struct sd_analysis *a)
{
	struct sd_slow_requests *const s = &a->regions.requests;
	struct sd_slow_point *const p = make_zeroed(1, sizeof *p);

	*s = (struct sd_slow_requests){.region = "get", .point = p, .n_point = 1};
	*p = (struct sd_slow_point){.name = strdup("8 cores: 1000 requests a run"),
		.cores = 8,
		.runs = 5,
		.requests = 1000,
		.p50 = ms(1, .1),
		.p99 = ms(6, .5),
		.more = ms(9, 1),
		.known = 1,
		.n_part = 2};
	p->part[0] = (struct sd_slow_part){.part = SD_REQUEST_LOCK,
		.slow = ms(8, 1),
		.typical = ms(0, 0),
		.more = ms(8, 1),
		.share = 8 / 9.,
		.place = strdup("table, at serve() a.c:12")};
	p->part[1] = (struct sd_slow_part){.part = SD_REQUEST_FAULT,
		.slow = ms(2, 1),
		.typical = ms(1, .1),
		.more = ms(1, 1),
		.share = 1 / 9.};
	assert_int_equal(sd_texts_add(&p->notes, "89 %% of that: waiting for a lock"), 0);
}

static void slow_requests_are_in_every_format_that_lists_facts(void **state)
{
	/* clang-format off */
	static const struct {
		const char *format;
		int all;
		const char *says[4];
	} row[] = {
		{"text", 1, {"Slow requests (region 'get')", "waiting for a lock", "8.000  1.000   89 %", "page faults"}},
		{"text", 0, {"Slow requests", "8 cores: 1000 requests a run", "89 % of that: waiting for a lock", ""}},
		{"html", 0, {"id=\"slow-requests\"", "waiting for a lock", "89 %", "page faults"}},
		{"json", 0, {"\"slow_requests\"", "\"part\": \"lock\"", "\"place\": \"table, at serve() a.c:12\"", "\"known\": 1"}},
		{"markdown", 0, {"Slow requests: 8 cores", "waiting for a lock", "page faults", "89 %"}},
		{"csv", 0, {"8,latency,p99,s,0.006", "8,slow-requests,lock,s,0.008", "8,slow-requests,page-fault,s,0.001", ""}},
	};
	/* clang-format on */
	struct sd_record r;
	struct sd_analysis a;

	(void)state;
	make_stencil(&r, &a);
	add_requests(&a);
	for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
		const struct sd_report_style style = {.width = 100, .all = row[i].all};
		char *const text = make_report(
			sd_report_format_find(row[i].format)->print(out, &r, &a, &style));

		for (size_t k = 0; k < 4; k++)
			if (!strstr(text, row[i].says[k]))
				fail_msg("%s lacks '%s':\n%s", row[i].format, row[i].says[k], text);
		free(text);
	}
	sd_record_free(&r);
	sd_analysis_free(&a);
}

/* Fields of a line of CSV without quotes in it. */
static size_t fields(const char *line)
{
	size_t n = 1;

	for (; *line && *line != '\r'; line++)
		n += *line == ',';
	return n;
}

static void each_row_of_csv_has_as_many_fields_as_the_header(void **state)
{
	static const char *const name[] = {"csv", "csv-runs"};
	struct sd_record r;
	struct sd_analysis a;

	(void)state;
	make_stencil(&r, &a);
	for (size_t i = 0; i < 2; i++) {
		char *text = make_report(sd_report_format_find(name[i])->print(out, &r, &a, NULL));
		const size_t n = fields(text);

		for (char *line = text; *line; line = strstr(line, "\r\n") + 2)
			assert_int_equal(fields(line), n);
		free(text);
	}
	sd_record_free(&r);
	sd_analysis_free(&a);
}

static void csv_and_markdown_say_what_the_analysis_says(void **state)
{
	struct sd_record r;
	struct sd_analysis a;
	char *text;

	(void)state;
	make_stencil(&r, &a);
	text = make_report(sd_csv_report(out, &r, &a, NULL));
	assert_non_null(strstr(text, "8,time,wall,s,3.8"));
	assert_non_null(strstr(text, "8,cause,memory-bandwidth,cores,"));
	assert_non_null(strstr(text, ",confirmed\r\n"));
	free(text);
	text = make_report(sd_markdown_report(out, &r, &a, NULL));
	assert_non_null(strstr(text, "**Poor scaling: 2.69x speedup on 8 cores"));
	assert_non_null(strstr(text, "1. **Memory bandwidth costs "));
	free(text);
	sd_record_free(&r);
	sd_analysis_free(&a);
}

static void take_interval(struct sd_interval *v)
{
	if (v->status == SD_STATUS_OK || v->status == SD_STATUS_NOISY)
		*v = sd_status_unbounded(v->value, v->status);
}

/* As when the reference ran once: the counts have many runs, and no number has an interval. */
static void take_intervals(struct sd_analysis *a)
{
	for (size_t i = 0; i < a->n_point; i++) {
		struct sd_point *const p = &a->point[i];

		take_interval(&p->wall);
		take_interval(&p->speedup);
		take_interval(&p->efficiency);
		take_interval(&p->parallelism);
		take_interval(&p->karp_flatt);
		for (int k = 0; k < SD_COMPONENT_COUNT; k++)
			take_interval(&p->stack[k]);
		for (size_t k = 0; k < p->n_shown; k++)
			take_interval(&p->shown[k].value);
	}
	for (int i = 0; i < SD_CAUSE_COUNT; i++) {
		take_interval(&a->finding[i].cores);
		take_interval(&a->finding[i].share);
		take_interval(&a->finding[i].worth);
	}
	for (size_t i = 0; i < a->n_tested; i++)
		take_interval(&a->tested[i].time);
	take_interval(&a->lost);
}

static void no_format_has_an_interval_of_one_run(void **state)
{
	struct sd_record r;
	struct sd_analysis a;

	(void)state;
	make_stencil(&r, &a);
	take_intervals(&a);
	/* each as it is and at full length */
	for (int i = 0; sd_report_formats[i / 2].name; i++) {
		const struct sd_report_format *const f = &sd_report_formats[i / 2];
		char stack[] = "f";
		struct sd_fold_stacks row = {stack, 10, 20};
		const struct sd_folded_stacks folded = {.row = &row, .n = 1};
		const struct sd_report_style style = {
			.width = 100, .folded = &folded, .all = i % 2};
		char *text = make_report(f->print(out, &r, &a, &style));

		/* a number that is infinite, however it is written around */
		for (const char *at = text; (at = strstr(at, "inf")); at++)
			if (at > text && strchr(" -+,:>(", at[-1]) && !isalpha(at[3]))
				fail_msg("%s: %.40s", f->name, at - 1);
		if (strcmp(f->name, "text") == 0)
			assert_non_null(strstr(text, style.all ? "(about 34 %" : "one run"));
		if (strcmp(f->name, "csv") == 0)
			assert_non_null(strstr(text, "8,time,wall,s,3.8"));
		free(text);
	}
	sd_record_free(&r);
	sd_analysis_free(&a);
}

static void junit_counts_and_escapes(void **state)
{
	static const struct sd_requirement gate[] = {
		{.kind = SD_REQUIREMENT_NUMBER, .text = "efficiency@8>=0.8"},
		{.text = "\"<evil>&"}};
	const struct sd_requirement_result result[] = {
		{.gate = &gate[0], .outcome = SD_REQUIREMENT_MET},
		{.gate = &gate[1], .outcome = SD_REQUIREMENT_UNDECIDED, .why = "it's <open>"},
	};
	struct sd_gate_results all = {
		.record = "a.json", .result = result, .n = 2, .view = &(struct sd_view){0}};
	char *text = make_report(sd_gates_junit(out, &all));

	(void)state;
	assert_non_null(strstr(text, "tests=\"2\" failures=\"0\" errors=\"1\" skipped=\"0\""));
	assert_non_null(strstr(text, "<error type=\"undecided\""));
	assert_non_null(strstr(text, "name=\"&quot;&lt;evil&gt;&amp;\""));
	assert_non_null(strstr(text, "message=\"it&#39;s &lt;open&gt;\""));
	assert_int_equal(sd_gates_answer(&all), SD_GATES_UNDECIDED);
	free(text);
	all.undecided = SD_GATES_FAIL;
	text = make_report(sd_gates_junit(out, &all));
	assert_non_null(strstr(text, "failures=\"1\" errors=\"0\" skipped=\"0\""));
	assert_int_equal(sd_gates_answer(&all), SD_GATES_FAILED);
	free(text);
	all.undecided = SD_GATES_PASS;
	text = make_report(sd_gates_junit(out, &all));
	assert_non_null(strstr(text, "failures=\"0\" errors=\"0\" skipped=\"1\""));
	assert_int_equal(sd_gates_answer(&all), SD_GATES_PASSED);
	free(text);
}

/* A machine's noise is no reason to refuse a change; who wants to be sure may ask for it. */
static void a_slowdown_that_was_not_seen_fails_only_when_asked(void **state)
{
	static const struct sd_requirement gate = {.kind = SD_REQUIREMENT_BASELINE};
	const struct sd_requirement_result result = {
		.gate = &gate, .outcome = SD_REQUIREMENT_UNDECIDED, .unseen = 1};
	struct sd_gate_results all = {.record = "a.json", .result = &result, .n = 1};

	(void)state;
	assert_int_equal(sd_gates_answer(&all), SD_GATES_PASSED);
	all.undecided = SD_GATES_FAIL;
	assert_int_equal(sd_gates_answer(&all), SD_GATES_FAILED);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_from_outside_are_never_markup),
		cmocka_unit_test(every_format_is_found_and_gives_the_same_bytes_twice),
		cmocka_unit_test(slow_requests_are_in_every_format_that_lists_facts),
		cmocka_unit_test(each_row_of_csv_has_as_many_fields_as_the_header),
		cmocka_unit_test(csv_and_markdown_say_what_the_analysis_says),
		cmocka_unit_test(no_format_has_an_interval_of_one_run),
		cmocka_unit_test(junit_counts_and_escapes),
		cmocka_unit_test(a_slowdown_that_was_not_seen_fails_only_when_asked),
	};

	return cmocka_run_group_tests_name("formats", tests, NULL, NULL);
}
