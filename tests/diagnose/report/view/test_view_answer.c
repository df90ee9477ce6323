/*
 * First sentence about times that vary: their middle while it says something, else the range alone,
 * which has no lower end where that is below nothing.
 */
#include <math.h>
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
		{.3, 1.2, "runs on 2 cores give at most 1.50x (95 %)"},
		{.9, 1.1, "runs on 2 cores vary too much to tell"}};

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

/* Bounds are told where they rule out that more cores gain nothing, or that the program scales. */
static void bounds_that_rule_nothing_out_are_not_told(void **state)
{
	static const struct {
		double low, high;
		const char *says, *never;
	} row[] = {{NAN, NAN, ", which does not tell whether it scales (from 1.60x on it does)",
			   "nan"},
		{.01, 2.13, ", which does not tell whether it scales (from 1.60x on it does)",
			"between"},
		{-1, 2, ", which does not tell whether it scales (from 1.60x on it does)",
			"at most"},
		{1.2, 2, ", surely between 1.20x and 2.00x (from 1.60x on it scales)", "tell"},
		{.4, 1.5, ", surely between 0.40x and 1.50x (from 1.60x on it scales)", "tell"},
		{-1, 1.5, ", surely at most 1.50x (from 1.60x on it scales)", "tell"}};

	(void)state;
	for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
		const struct sd_record r = {.complete = 1};
		struct sd_point point[2] = {
			{.cores = 1, .n = 1, .runs = 5}, {.cores = 2, .n = 2, .runs = 5}};
		const struct sd_analysis a = {.point = point,
			.n_point = 2,
			.scales = SD_SCALES_UNKNOWN,
			.surely = {1.3, row[i].low, row[i].high,
				isnan(row[i].low) ? SD_STATUS_ABSENT : SD_STATUS_OK}};
		enum sd_view_mood mood;
		char *text;

		point[0].speedup = point[0].efficiency = around(1, 0);
		point[1].speedup = around(1.3, .1);
		point[1].efficiency = around(.65, .05);
		text = sd_view_answer(&r, &a, &mood);
		assert_non_null(text);
		if (!strstr(text, row[i].says) || strstr(text, row[i].never))
			fail_msg("not '%s', or '%s', in '%s'", row[i].says, row[i].never, text);
		free(text);
	}
}

/* A likely cause keeps what disturbed the runs from being all of the loss. */
static void a_loss_with_a_likely_cause_is_not_all_the_machines(void **state)
{
	static const enum sd_verdict verdict[] = {SD_VERDICT_POSSIBLE, SD_VERDICT_LIKELY};

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		const struct sd_record r = {.complete = 1};
		struct sd_point point[2] = {
			{.cores = 1, .n = 1, .runs = 5}, {.cores = 2, .n = 2, .runs = 5}};
		struct sd_analysis a = {.point = point, .n_point = 2, .scales = SD_SCALES_UNKNOWN};
		enum sd_view_mood mood;
		char *text;

		point[0].speedup = point[0].efficiency = around(1, 0);
		point[1].speedup = around(1.3, .1);
		point[1].efficiency = around(.65, .05);
		for (int k = 0; k < SD_CAUSE_COUNT; k++)
			a.finding[k] = (struct sd_finding){
				.cause = (enum sd_cause)k, .verdict = SD_VERDICT_RULED_OUT};
		a.finding[SD_CAUSE_SERIAL_CODE].verdict = verdict[i];
		text = sd_view_answer(&r, &a, &mood);
		assert_non_null(text);
		assert_int_equal(strstr(text, "may be all of the loss") != NULL, i == 0);
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

/* Cores that no thread of a service wanted are idle, whichever way it waits. */
static void a_service_that_is_looked_at_is_told_how_idle_it_is(void **state)
{
	char *argv[] = {(char[]){"./app"}}, service[] = "1234";
	const struct sd_record r = {
		.complete = 1, .program = {.argv = {argv, 1}, .attached = service}};
	struct sd_point point[1] = {{.cores = 2, .n = 2, .runs = 5}};
	const struct sd_analysis a = {.point = point, .n_point = 1, .scales = SD_SCALES_UNKNOWN};
	enum sd_view_mood mood;
	char *text;

	(void)state;
	for (int i = 0; i < SD_COMPONENT_COUNT; i++)
		point[0].stack[i] = around(0, 0);
	point[0].stack[SD_COMPONENT_USEFUL] = around(.5, .01);
	point[0].stack[SD_COMPONENT_SLEEP] = around(.75, .01);
	point[0].stack[SD_COMPONENT_SERIAL] = around(.5, .01);
	point[0].stack[SD_COMPONENT_LOCK] = around(.25, .01);
	text = sd_view_answer(&r, &a, &mood);
	assert_non_null(text);
	assert_non_null(strstr(
		text, "Useful work takes 0.50 of 2 cores; it leaves 62 % of all cores idle"));
	assert_null(strstr(text, "serial"));
	assert_null(strstr(text, "ready"));
	free(text);
	/* what it wanted and others had is no idleness */
	point[0].stack[SD_COMPONENT_SLEEP] = around(.1, .01);
	point[0].stack[SD_COMPONENT_RUN_QUEUE] = around(.65, .01);
	text = sd_view_answer(&r, &a, &mood);
	assert_non_null(text);
	assert_non_null(strstr(text,
		"of 2 cores; for 0.65 more its threads were ready, but had no free CPU; it leaves "
		"30 % of all cores idle"));
	free(text);
}

/* The efficiency as it was seen, and on cores that nobody else uses. */
static void what_decides_stands_beside_what_does_not(void **state)
{
	static const struct {
		struct sd_interval seen, whole;
		const char *says, *never;
	} row[] = {{{.79, .6, .98, SD_STATUS_OK}, {1, .9, 1.1, SD_STATUS_OK},
			   "(79 ±19 % efficiency). On cores that nobody else uses: 100 ±10 %.",
			   " to "},
		{{.95, .9, 1, SD_STATUS_OK}, {1, .9, 1.1, SD_STATUS_OK}, "(95 ±5 % efficiency).",
			"nobody"},
		{{.79, .6, .98, SD_STATUS_OK}, {.status = SD_STATUS_ABSENT},
			"(79 ±19 % efficiency).", "nobody"},
		{{1.01, .82, 1.91, SD_STATUS_OK}, {.status = SD_STATUS_ABSENT},
			"(101 % efficiency, 82 to 191).", "±"}};

	(void)state;
	for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
		const struct sd_record r = {.complete = 1};
		struct sd_point point[2] = {
			{.cores = 1, .n = 1, .runs = 5}, {.cores = 2, .n = 2, .runs = 5}};
		const struct sd_analysis a = {.point = point,
			.n_point = 2,
			.scales = SD_SCALES_YES,
			.whole = row[i].whole};
		enum sd_view_mood mood;
		char *text;

		point[0].speedup = point[0].efficiency = around(1, 0);
		point[1].efficiency = row[i].seen;
		point[1].speedup = (struct sd_interval){2 * row[i].seen.value, 2 * row[i].seen.low,
			2 * row[i].seen.high, SD_STATUS_OK};
		text = sd_view_answer(&r, &a, &mood);
		assert_non_null(text);
		assert_int_equal(mood, SD_VIEW_GOOD);
		if (!strstr(text, row[i].says) || strstr(text, row[i].never))
			fail_msg("not '%s', or '%s', in '%s'", row[i].says, row[i].never, text);
		free(text);
	}
}

static void a_short_program_is_told_to_work_more(void **state)
{
	static const struct {
		double s;
		int start;
		const char *says;
	} row[] = {{.003, 1, "This takes 3.0 ms, mostly its own start: give it more work."},
		{.142, 1, "This takes 142 ms, mostly its own start: give it more work."},
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

/* A program with more threads on more cores has read the count, whatever it is handed by. */
static void threads_that_only_wait_are_not_threads_that_were_not_made(void **state)
{
	char *argv[] = {(char[]){"./app"}, (char[]){"{n}"}};
	struct sd_plan_point point[2] = {{.cores = 1}, {.cores = 2}};
	struct sd_run run[2] = {{.kind = SD_RUN_BLOCK, .point = 0, .n_thread_seen = 2},
		{.kind = SD_RUN_BLOCK, .point = 1, .n_thread_seen = 3}};
	const struct sd_record r = {.complete = 1,
		.program = {.argv = {argv, 2}},
		.plan = {.point = point, .n_point = 2},
		.run = run,
		.n_run = 2};

	(void)state;
	for (int more = 1; more >= 0; more--) {
		struct sd_analysis a = {.scales = SD_SCALES_NO};
		char *text;

		run[1].n_thread_seen = more ? 3 : 2;
		text = answer_of(&r, &a);
		assert_non_null(text);
		assert_int_equal(strstr(text, "does the program read it") != NULL, !more);
		assert_int_equal(strstr(text, "more threads on more cores") != NULL, more);
		free(text);
	}
}

/* Sleep, which cores do not shorten, is told behind the speedup with the function that sleeps. */
static void sleep_that_is_most_of_the_loss_is_told_first(void **state)
{
	const struct sd_record r = {.complete = 1};
	struct sd_analysis a = {.scales = SD_SCALES_NO,
		.own_wait = around(.9, .1),
		.own_wait_of = SD_COMPONENT_SLEEP,
		.own_wait_at = {.function = (char[]){"fetch"}, .in = (char[]){"nanosleep"}}};
	char *text = answer_of(&r, &a);

	(void)state;
	assert_non_null(strstr(text, "Most of it is timed sleep in fetch():"));
	assert_non_null(strstr(text, "0.90 of the 1.00 cores lost"));
	free(text);
	a.own_wait.status = SD_STATUS_ABSENT;
	text = answer_of(&r, &a);
	assert_null(strstr(text, "sleep"));
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(times_that_vary_widely_have_a_range),
		cmocka_unit_test(bounds_that_rule_nothing_out_are_not_told),
		cmocka_unit_test(threads_that_only_wait_are_not_threads_that_were_not_made),
		cmocka_unit_test(sleep_that_is_most_of_the_loss_is_told_first),
		cmocka_unit_test(a_program_of_one_thread_is_told_by_how_it_was_started),
		cmocka_unit_test(a_loss_with_a_likely_cause_is_not_all_the_machines),
		cmocka_unit_test(a_service_that_is_looked_at_is_told_how_idle_it_is),
		cmocka_unit_test(what_decides_stands_beside_what_does_not),
		cmocka_unit_test(a_short_program_is_told_to_work_more),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
