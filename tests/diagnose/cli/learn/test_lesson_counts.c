/* The simulated counts of a lesson's versions, side by side. */
#include "learn/lesson_counts.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "support/make_simulated.h"

static const char *const names[] = {"broken", "fixed"};

static char waste[] = "page-walks";
static struct sd_lesson lesson = {.count = SD_LESSON_MOVES, .times = 10};

/* The counts of two records as text. */
static char *counts_of(const struct sd_record *record)
{
	const struct sd_report_style plain = {0};
	struct sd_page p;
	size_t size = 0;
	char *text = NULL;
	FILE *const f = open_memstream(&text, &size);

	assert_non_null(f);
	sd_page_begin(&p, f, &plain);
	sd_lesson_counts_put(&p, &lesson, names, record);
	assert_int_equal(sd_page_end(&p), 0);
	assert_int_equal(fclose(f), 0);
	return text;
}

static void nothing_is_shown_of_what_was_not_simulated(void **state)
{
	static const struct sd_record none[2]; /* zeroed */
	char *const text = counts_of(none);

	(void)state;
	assert_string_equal(text, "");
	free(text);
}

static void a_run_that_was_ended_early_is_marked_and_says_why(void **state)
{
	(void)state;
	for (int partial = 0; partial < 2; partial++) {
		static const unsigned cores[] = {1, 2};
		struct sd_record r[2] = {0};
		struct sd_simulated *s;
		char *text;

		make_record(&r[0], cores, 2);
		make_simulated(&r[0], 0);
		s = make_simulated(&r[0], 1);
		s->partial = partial;
		snprintf(s->why, sizeof s->why, "it was ended after 20 s");
		text = counts_of(r);
		assert_non_null(strstr(text, "broken      1 "));
		assert_int_equal(strstr(text, " 2* ") != NULL, partial);
		assert_int_equal(strstr(text, "it was ended after 20 s") != NULL, partial);
		free(text);
		sd_record_free(&r[0]);
	}
}

static void what_to_see_is_said_and_also_when_it_is_not_to_be_seen(void **state)
{
	static const double fixed[] = {1000, 400000};

	(void)state;
	for (int i = 0; i < 2; i++) {
		static const unsigned cores[] = {1, 2};
		struct sd_record r[2];
		char *text;

		for (int v = 0; v < 2; v++) {
			make_record(&r[v], cores, 2);
			make_simulated(&r[v], 0);
			make_simulated(&r[v], 1)->thread[0].hitm_store = v ? fixed[i] : 500000;
		}
		text = counts_of(r);
		assert_non_null(strstr(text, "5e+05 of broken.c at 2 cores"));
		assert_int_equal(strstr(text, "the model does not show it") != NULL, i);
		free(text);
		for (int v = 0; v < 2; v++)
			sd_record_free(&r[v]);
	}
}

static void a_waste_is_the_diagnosis_of_the_one_and_not_of_the_other(void **state)
{
	static const unsigned cores[] = {2};
	struct sd_record r[2];
	char *text;

	(void)state;
	lesson.waste = waste;
	lesson.wasted = SD_WASTE_WALKS;
	for (int v = 0; v < 2; v++) {
		make_record(&r[v], cores, 1);
		make_simulated(&r[v], 0)->thread[0].stlb_misses = v ? 0 : 1e9;
	}
	text = counts_of(r);
	assert_non_null(strstr(text, "broken.c wastes, at any number of cores: walks"));
	assert_non_null(strstr(text, "fixed.c does not: 0 walks"));
	lesson.waste = NULL;
	free(text);
	for (int v = 0; v < 2; v++)
		sd_record_free(&r[v]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nothing_is_shown_of_what_was_not_simulated),
		cmocka_unit_test(a_run_that_was_ended_early_is_marked_and_says_why),
		cmocka_unit_test(a_waste_is_the_diagnosis_of_the_one_and_not_of_the_other),
		cmocka_unit_test(what_to_see_is_said_and_also_when_it_is_not_to_be_seen),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
