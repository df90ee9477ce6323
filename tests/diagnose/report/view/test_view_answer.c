/*
 * First sentence about times that vary: their middle while it says something, else the range alone,
 * which has no lower end where that is below nothing.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "view/view_parts.h"

static struct sd_interval around(double value, double half)
{
	return (struct sd_interval){value, value - half, value + half, SD_STATUS_OK};
}

static void times_that_vary_widely_have_a_range(void **state)
{
	static const struct {
		double speedup, half;
		const char *says;
	} row[] = {{1.6, .2, "1.60x speedup on 2 cores (80 ±10 % efficiency)"},
		{10, 8.6, "runs on 2 cores give 1.40x to 18.60x (95 %)"},
		{.9, 1.1, "runs on 2 cores give at most 2.00x (95 %)"}};

	(void)state;
	for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
		const struct sd_record r = {.complete = 1};
		struct sd_point point[2] = {
			{.cores = 1, .n = 1, .runs = 5}, {.cores = 2, .n = 2, .runs = 5}};
		const struct sd_analysis a = {
			.point = point, .n_point = 2, .scales = SD_SCALES_UNKNOWN};
		enum sd_view_mood mood;
		char *text;

		point[0].speedup = point[0].efficiency = around(1, 0);
		point[1].speedup = around(row[i].speedup, row[i].half);
		point[1].efficiency = around(row[i].speedup / 2, row[i].half / 2);
		text = sd_view_answer(&r, &a, &mood);
		assert_non_null(text);
		assert_int_equal(mood, SD_VIEW_UNSURE);
		if (!strstr(text, row[i].says))
			fail_msg("no '%s' in '%s'", row[i].says, text);
		free(text);
	}
}

/* One count and one thread, or two counts; what the sentence says of threads. */
static char *answer_of(const struct sd_record *r, struct sd_analysis *a)
{
	static struct sd_point point[2];
	enum sd_view_mood mood;

	point[0] = (struct sd_point){.cores = 1, .n = 1, .runs = 5};
	point[1] = (struct sd_point){.cores = 2, .n = 2, .runs = 5};
	point[0].speedup = point[0].efficiency = around(1, 0);
	point[1].speedup = around(1, .02);
	point[1].efficiency = around(.5, .01);
	a->point = point;
	a->n_point = 2;
	a->constructs = (struct sd_constructs){SD_OK(0), SD_OK(0), SD_OK(0)};
	return sd_view_answer(r, a, &mood);
}

static void a_program_of_one_thread_is_told_by_how_it_was_started(void **state)
{
	char *given[] = {(char[]){"./app"}, (char[]){"{n}"}},
	     *alone[] = {(char[]){"./app"}, (char[]){"8"}}, service[] = "1234";
	struct {
		char **argv, *attached;
		const char *says;
	} row[] = {{given, NULL, "although {n} hands it the count"},
		{alone, NULL, "was the program told how many, by {n} in its arguments"},
		{alone, service, "Only one thread worked while it was watched"}};

	(void)state;
	for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
		const struct sd_record r = {.complete = 1,
			.program = {.argv = {row[i].argv, 2}, .attached = row[i].attached}};
		struct sd_analysis a = {.scales = SD_SCALES_NO};
		char *const text = answer_of(&r, &a);

		assert_non_null(text);
		if (!strstr(text, row[i].says))
			fail_msg("no '%s' in '%s'", row[i].says, text);
		free(text);
	}
}

static void a_short_program_is_told_to_work_more(void **state)
{
	static const struct {
		double s;
		int start;
		const char *says;
	} row[] = {{.003, 1, "This takes 3 ms, mostly its own start: give it more work."},
		{.03, 0,
			"This takes 30 ms, which is too short to tell its work from its start: "
			"give it more work."}};

	(void)state;
	for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
		const struct sd_record r = {.complete = 1};
		struct sd_analysis a = {.scales = SD_SCALES_UNKNOWN,
			.too_short = SD_OK(row[i].s),
			.is_start = row[i].start};
		char *const text = answer_of(&r, &a);

		assert_string_equal(text, row[i].says);
		free(text);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(times_that_vary_widely_have_a_range),
		cmocka_unit_test(a_program_of_one_thread_is_told_by_how_it_was_started),
		cmocka_unit_test(a_short_program_is_told_to_work_more),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
