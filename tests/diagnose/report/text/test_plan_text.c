/*
 * The plan as it is printed, and what cannot be.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "diagnose/report/text/text_page.h"
#include "page/page.h"
#include "page/sanitize.h"

static void the_plan_shows_points_order_and_what_is_skipped(void **state)
{
	static const unsigned cores[] = {1, 2, 4};
	static const size_t order[] = {2, 0, 1, 0, 1, 2};
	const struct sd_report_style s = {
		.record_path = "r.json", .width = 80, .order = order, .n_block = 2};
	struct sd_record r;
	char *text;

	(void)state;
	make_record(&r, cores, 3);
	sd_texts_add(&r.program.env, "T={n}");
	r.program.prepare = strdup("sync");
	r.program.timeout_s = 60;
	r.plan.budget_s = 120;
	r.plan.skipped = make_zeroed(2, sizeof *r.plan.skipped);
	r.plan.n_skipped = 2;
	r.plan.skipped[0] = 8;
	r.plan.skipped[1] = 16;
	r.plan.pass = make_zeroed(2, sizeof *r.plan.pass);
	r.plan.n_pass = 2;
	for (size_t i = 0; i < 2; i++) {
		r.plan.pass[i].role = make_zeroed(2, sizeof *r.plan.pass[i].role);
		r.plan.pass[i].n_role = 2;
		r.plan.pass[i].role[0] = SD_ROLE_CYCLES;
		r.plan.pass[i].role[1] = i ? SD_ROLE_HITM_LOAD : SD_ROLE_LLC_LINES_IN;
	}
	text = make_report(sd_report_plan(out, &r, &s));
	check_golden("plan.txt", text);
	assert_non_null(strstr(text, "block 1: 4, 1, 2 cores"));
	assert_non_null(strstr(text, "8, 16: more than the 4 granted CPUs"));
	assert_null(strstr(text, "s in all"));
	free(text);
	r.plan.budget_s = 0; /* what it takes by itself is said before it begins */
	text = make_report(sd_report_plan(out, &r, &s));
	assert_non_null(strstr(text, "s a run  runs at least  s in all"));
	/* one, two and four cores: a warm-up, each of two passes twice, the drift check */
	assert_non_null(strstr(text, "      5             14  45 to "));
	free(text);
	sd_record_free(&r);
}

static void a_full_file_is_an_error(void **state)
{
	struct sd_record r;
	struct sd_analysis a;
	FILE *f = fopen("/dev/full", "w");

	(void)state;
	assert_non_null(f);
	make_stencil(&r, &a);
	assert_int_equal(sd_report_text(f, &r, &a, &plain), -EIO);
	fclose(f);
	f = fopen("/dev/full", "w");
	assert_int_equal(sd_report_json(f, &r, &a), -EIO);
	fclose(f);
	sd_record_free(&r);
	sd_analysis_free(&a);
}

static void unsafe_text_is_shown_as_escapes(void **state)
{
	static const struct {
		const char *text, *clean, *ascii;
	} rows[] = {
		{"plain", "plain", "plain"},
		{"a\tb\n", "a\\x09b\\x0a", "a\\x09b\\x0a"},
		{"\033[31m", "\\x1b[31m", "\\x1b[31m"},
		{"\x7f", "\\x7f", "\\x7f"},
		{"\xc2\x9b", "\\x9b", "\\x9b"},         /* C1 CSI */
		{"\xe2\x80\xae", "\\u202e", "\\u202e"}, /* right-to-left override */
		{"\xc3\xa9", "\xc3\xa9", "\\u00e9"},
		{"\xe9", "\\xe9", "\\xe9"},
		{"\xc0\x80", "\\xc0\\x80", "\\xc0\\x80"},               /* overlong */
		{"\xed\xa0\x80", "\\xed\\xa0\\x80", "\\xed\\xa0\\x80"}, /* surrogate */
		{"\xf4\x90\x80\x80", "\\xf4\\x90\\x80\\x80", "\\xf4\\x90\\x80\\x80"},
		{"\xe2\x82", "\\xe2\\x82", "\\xe2\\x82"}, /* cut off */
		{"±2 % · 3× …", "±2 % · 3× …", "+-2 % - 3x ..."},
	};

	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		char *clean = sd_sanitize(rows[i].text), *ascii = sd_sanitize_ascii(rows[i].text);

		assert_string_equal(clean, rows[i].clean);
		assert_string_equal(ascii, rows[i].ascii);
		free(clean);
		free(ascii);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_plan_shows_points_order_and_what_is_skipped),
		cmocka_unit_test(a_full_file_is_an_error),
		cmocka_unit_test(unsafe_text_is_shown_as_escapes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
