/* The same advice in more and in less detail is given once. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "advice/advice_texts.h"
#include "case/case.h"

#define ROW(text, more) "{ cause = \"disk\"; text = \"" text "\"; source = \"s\"; " more " }"
#define BUSY "when = \"cores > 3\";"
#define OTHERWISE "otherwise = true;"

/* Expects this advice, in one line, for waits for a disk at so many cores. */
static void expect_told(const char *rows, unsigned cores, const char *expected)
{
	struct sd_record record = {0};
	struct sd_chosen last = {.n = cores};
	struct sd_loss_by_stack spread = {0};
	struct sd_model model = {0};
	struct sd_analysis a = {0};
	struct sd_case c = {
		.record = &record, .last = &last, .spread = &spread, .model = &model, .a = &a};
	struct sd_advice_texts r = {0};
	char told[256] = "";

	for (int i = 0; i < SD_CAUSE_COUNT; i++)
		a.finding[i].cause = (enum sd_cause)i;
	assert_int_equal(sd_texts_add(&a.finding[SD_CAUSE_DISK].advice, "plain"), 0);
	assert_int_equal(sd_advice_texts_add(&r, "t.conf", rows, strlen(rows), NULL), 0);
	sd_advice_texts_fill(&c, &r);
	for (size_t i = 0; i < a.finding[SD_CAUSE_DISK].advice.n; i++) {
		const size_t n = strlen(told);

		snprintf(told + n, sizeof told - n, "%s ", a.finding[SD_CAUSE_DISK].advice.text[i]);
	}
	assert_string_equal(told, expected);
	sd_advice_texts_free(&r);
	sd_analysis_free(&a);
}

static void a_row_that_stands_for_another_is_told_without_that_one(void **state)
{
	static const char rows[] = "advice = (" ROW("detailed", BUSY) "," ROW(
		"short", OTHERWISE) "," ROW("shorter", OTHERWISE) "," ROW("other", "") ");";

	(void)state;
	expect_told(rows, 4, "detailed other ");
	expect_told(rows, 2, "short other ");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_row_that_stands_for_another_is_told_without_that_one),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
