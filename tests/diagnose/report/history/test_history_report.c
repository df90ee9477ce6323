/* The history in each form: every record, and no name from outside as markup or a control. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <jansson.h>

#include "history/history_report.h"
#include "support/make_analysis.h"

static struct sd_history_point points[2][2];

static void make(struct sd_history *h, struct sd_history_row row[3])
{
	for (int i = 0; i < 2; i++)
		for (int k = 0; k < 2; k++)
			points[i][k] = (struct sd_history_point){.cores = k ? 8 : 1,
				.runs = 5,
				.wall = make_half(4 + i, .1),
				.speedup = make_half(k ? 5 : 1, .1),
				.efficiency = make_half(k ? .625 : 1, .01)};
	for (int i = 0; i < 3; i++)
		row[i] = (struct sd_history_row){.file = (char *)(uintptr_t) "a.json",
			.program = (char *)(uintptr_t)(i < 2 ? "app" : "b<script>\033[31m"),
			.time = 1.7e9 + 86400 * i,
			.commit = "0123456789abcdef0123456789abcdef01234567",
			.branch = "main",
			.point = points[i % 2],
			.n_point = 2,
			.cause = SD_CAUSE_LOCK_CONTENTION,
			.verdict = SD_VERDICT_LIKELY,
			.cores = make_half(1.6, .1),
			.change = i == 1 ? SD_CHANGE_MORE : SD_CHANGE_UNKNOWN};
	snprintf(row[2].branch, sizeof row[2].branch, "<b>\033]0;x\a");
	row[2].where.function = (char *)(uintptr_t) "<img src=x>\033[2J";
	row[2].cause = SD_CAUSE_COUNT;
	*h = (struct sd_history){.row = row, .n = 3};
}

static void text_has_a_row_a_record_and_a_table_a_program(void **state)
{
	const struct sd_report_style style = {.width = 100};
	struct sd_history_row row[3];
	struct sd_history h;
	char *text;

	(void)state;
	make(&h, row);
	text = make_report(sd_history_text(out, &h, &style));
	assert_non_null(strstr(text, "2023-11-14 22:13  01234567 main"));
	assert_non_null(strstr(text, "  lock contention, 1.60 cores (likely)"));
	assert_non_null(strstr(text, "  slower"));
	assert_non_null(strstr(text, "none found"));
	assert_null(strchr(text, '\033'));
	assert_null(strchr(text, '\a'));
	free(text);
}

static void json_has_every_point(void **state)
{
	struct sd_history_row row[3];
	struct sd_history h;
	json_t *root, *records, *first;
	char *text;

	(void)state;
	make(&h, row);
	text = make_report(sd_history_json(out, &h, "f"));
	root = json_loads(text, JSON_REJECT_DUPLICATES, NULL);
	assert_non_null(root);
	records = json_object_get(root, "records");
	assert_int_equal(json_array_size(records), 3);
	first = json_array_get(records, 0);
	assert_int_equal(json_array_size(json_object_get(first, "points")), 2);
	assert_string_equal(
		json_string_value(json_object_get(json_object_get(first, "main_cause"), "cause")),
		"lock-contention");
	assert_true(json_is_null(json_object_get(json_array_get(records, 2), "main_cause")));
	assert_string_equal(
		json_string_value(json_object_get(json_array_get(records, 1), "change")), "more");
	json_decref(root);
	free(text);
}

static size_t count(const char *text, const char *what)
{
	size_t n = 0;

	for (; (text = strstr(text, what)); text++)
		n++;
	return n;
}

static void the_page_draws_what_its_table_says_and_runs_nothing(void **state)
{
	struct sd_history_row row[3];
	struct sd_history h;
	char *text;

	(void)state;
	make(&h, row);
	text = make_report(sd_history_html(out, &h, "<f>"));
	assert_int_equal(count(text, "<svg"), 2);
	assert_int_equal(
		count(text, "<circle"), 3); /* one a record: the first count is always 100 % */
	assert_int_equal(count(text, "<polyline"), 2);
	assert_int_equal(count(text, "<tr>"), 3 + 2);
	assert_int_equal(count(text, "<script"), 0);
	assert_int_equal(count(text, "<img"), 0);
	assert_int_equal(count(text, "<b>"), 0);
	assert_null(strchr(text, '\033'));
	assert_non_null(strstr(text, "default-src 'none'"));
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(text_has_a_row_a_record_and_a_table_a_program),
		cmocka_unit_test(json_has_every_point),
		cmocka_unit_test(the_page_draws_what_its_table_says_and_runs_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
