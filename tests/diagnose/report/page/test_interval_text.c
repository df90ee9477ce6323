/* Words for what a fix gains: the best estimate and its range, as far as these are known. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "page/interval_text.h"

static void a_gain_is_the_estimate_and_its_range(void **state)
{
	static const struct {
		struct sd_interval gain;
		const char *what, *text;
	} row[] = {
		{{1.46, 1.4, 1.6, SD_STATUS_OK}, "", "1.46x (1.40x to 1.60x)"},
		{{1.46, 1.4, 1.6, SD_STATUS_OK}, " faster", "1.46x faster (1.40x to 1.60x)"},
		{{1.46, 1.459, 1.461, SD_STATUS_OK}, " faster", "1.46x faster"},
		{{4.39, 3.63, 25.64, SD_STATUS_OK}, "", "4.39x (3.63x to 25.6x)"},
		{{1.46, 1.4, INFINITY, SD_STATUS_OK}, " faster", "1.46x faster (1.40x or more)"},
		{{INFINITY, 1.4, INFINITY, SD_STATUS_OK}, " faster", "1.40x faster or more"},
	};
	char text[64];

	(void)state;
	for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
		sd_interval_text_gain(text, sizeof text, row[i].gain, row[i].what);
		assert_string_equal(text, row[i].text);
	}
}

static void one_or_more_is_no_gain(void **state)
{
	(void)state;
	assert_true(sd_interval_text_gains((struct sd_interval){1.2, 1, 1.5, SD_STATUS_OK}));
	assert_true(sd_interval_text_gains(
		(struct sd_interval){INFINITY, 1.2, INFINITY, SD_STATUS_OK}));
	assert_false(sd_interval_text_gains(
		(struct sd_interval){INFINITY, 1.004, INFINITY, SD_STATUS_OK}));
	assert_false(sd_interval_text_gains((struct sd_interval){1.2, 1, 2, SD_STATUS_ABSENT}));
}

static void an_interval_that_bounds_nothing_is_a_question_mark(void **state)
{
	char text[64];

	(void)state;
	sd_interval_text_half(text, sizeof text,
		(struct sd_interval){5.9, 0, 8044353672.7, SD_STATUS_OK}, 2, 1, 2);
	assert_string_equal(text, "?");
	sd_interval_text_half(
		text, sizeof text, (struct sd_interval){.01, -4, 4, SD_STATUS_OK}, 2, 1, 2);
	assert_string_equal(text, "4.01");
	/* in per cent it would be "42 ±5810.9" */
	sd_interval_text_half(
		text, sizeof text, (struct sd_interval){.42, 0, 58.529, SD_STATUS_OK}, 2, 100, 1);
	assert_string_equal(text, "?");
	/* "257 ±385.0 %" neither */
	sd_interval_text_half(
		text, sizeof text, (struct sd_interval){2.57, .2, 6.42, SD_STATUS_OK}, 3, 100, 1);
	assert_string_equal(text, "?");
	sd_interval_text_half(
		text, sizeof text, (struct sd_interval){.42, 0, 1.11, SD_STATUS_OK}, 3, 100, 0);
	assert_string_equal(text, "69");
	sd_interval_text_half(text, sizeof text,
		(struct sd_interval){20000, 10000, 30000, SD_STATUS_OK}, 5, 1, 0);
	assert_string_equal(text, "10000");
}

/* None to all of the cores is no bound, and is not printed as one. */
static void a_range_of_all_cores_says_why(void **state)
{
	const struct sd_point p = {.cores = 2, .n = 2, .runs = 3};
	char text[128];

	(void)state;
	sd_interval_text_range(
		text, sizeof text, (struct sd_interval){.3, 0, 2, SD_STATUS_OK}, &p, 2);
	assert_string_equal(text, "the runs differ too much to bound it");
	sd_interval_text_range(
		text, sizeof text, (struct sd_interval){.3, 0, 1.9, SD_STATUS_OK}, &p, 2);
	assert_string_equal(text, "95 %: 0.00 to 1.90");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_gain_is_the_estimate_and_its_range),
		cmocka_unit_test(one_or_more_is_no_gain),
		cmocka_unit_test(an_interval_that_bounds_nothing_is_a_question_mark),
		cmocka_unit_test(a_range_of_all_cores_says_why),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
