/*
 * The page's data: bounded whatever the run's size, whole, and names from outside stay names. What
 * a browser makes of it is tested in a browser (tests/e2e).
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <jansson.h>

#include "diagnose/report/html/html_world.h"

static void the_largest_page_is_bounded(void **state)
{
	struct sd_point *few;
	struct timespec before, after;
	struct world w;
	size_t n_few;
	char *page;

	(void)state;
	open_world(&w);
	few = w.a.point;
	n_few = w.a.n_point;
	make_points(&w);
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &before);
	page = page_of(&w);
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &after);
	print_message("%zu kB in %.3f s of CPU time\n", strlen(page) / 1000,
		(double)(after.tv_sec - before.tv_sec) +
			1e-9 * (double)(after.tv_nsec - before.tv_nsec));
	assert_true(strlen(page) < 1950000); /* of 2 MB */
	free(page);
	free(w.a.point);
	w.a.point = few;
	w.a.n_point = n_few;
	close_world(&w);
}

static void the_steps_of_each_lane_fill_its_bins(void **state)
{
	const json_t *run, *thread, *step;
	struct world w;
	json_t *root;
	char *page, *part;
	size_t i, k;

	(void)state;
	open_world(&w);
	page = page_of(&w);
	root = data_of(page);
	run = json_object_get(json_object_get(root, "stacks"), "runs");
	assert_int_equal(json_array_size(run), 4);
	run = json_array_get(run, 0);
	assert_int_equal(json_array_size(json_object_get(run, "threads")), SD_BINNED_LANES);
	assert_int_equal(
		json_integer_value(json_object_get(run, "more")), THREADS - SD_BINNED_LANES);
	json_array_foreach(json_object_get(run, "threads"), i, thread)
	{
		json_int_t bins = 0;

		json_array_foreach(json_object_get(thread, "steps"), k, step)
		{
			bins += json_integer_value(json_array_get(step, 0));
			assert_true((size_t)json_integer_value(json_array_get(step, 1)) <
				    json_array_size(json_object_get(run, "doings")));
		}
		assert_int_equal(bins, json_integer_value(json_object_get(run, "bins")));
	}
	part = json_dumps(run, JSON_COMPACT);
	assert_true(strlen(part) < 300000);
	free(part);
	json_decref(root);
	free(page);
	close_world(&w);
}

/* All time is in the page: in its rows, or said to be left out. */
static void no_sampled_time_is_lost(void **state)
{
	const json_t *point, *row;
	struct world w;
	json_t *root;
	char *page;
	size_t i, k;

	(void)state;
	open_world(&w);
	page = page_of(&w);
	root = data_of(page);
	json_array_foreach(json_object_get(json_object_get(root, "stacks"), "points"), i, point)
	{
		double us = json_number_value(json_object_get(point, "left_out_us"));

		assert_true(us > 0);
		json_array_foreach(json_object_get(point, "rows"), k, row) us +=
			json_number_value(json_array_get(row, 2));
		assert_true(us > 1e3 * ROWS * .999 && us < 1e3 * ROWS * 1.001);
	}
	json_decref(root);
	free(page);
	close_world(&w);
}

static size_t count_of(const char *text, const char *word)
{
	size_t n = 0;

	for (const char *at = text; (at = strstr(at, word)); at++)
		n++;
	return n;
}

static void names_from_outside_end_no_script(void **state)
{
	struct world w;
	char *page;

	(void)state;
	open_world(&w);
	page = page_of(&w);
	assert_int_equal(count_of(page, "</script>"), 3);
	assert_null(strstr(page, "<b>\"worker"));
	free(page);
	close_world(&w);
}

static void advice_is_for_causes_that_are_not_refuted(void **state)
{
	struct world w;
	char *page;

	(void)state;
	open_world(&w);
	for (int i = 0; i < SD_CAUSE_COUNT; i++)
		if (w.a.finding[i].verdict == SD_VERDICT_RULED_OUT)
			sd_texts_add(&w.a.finding[i].advice, "advice of what was refuted");
	page = page_of(&w);
	/* of what a person sees, not of the JSON behind it */
	*strstr(page, "id=\"data\"") = '\0';
	assert_null(strstr(page, "advice of what was refuted"));
	/* the cause, its place and its payoff come before any table */
	assert_true(strstr(page, "1. Memory bandwidth costs") < strstr(page, "<table"));
	assert_true(strstr(page, "relax() stencil.c:88") < strstr(page, "<table"));
	assert_true(strstr(page, "2.10x faster") < strstr(page, "<table"));
	/* and warnings after the charts */
	assert_true(!strstr(page, "Warning") ||
		    strstr(page, "id=\"method\"") < strstr(page, "Warning"));
	free(page);
	close_world(&w);
}

/* Also those that share a line in the short report: the stacked bars take their names from there.
 */
static void every_component_that_prints_has_a_row(void **state)
{
	char row[96];
	struct world w;
	char *page;

	(void)state;
	open_world(&w);
	w.a.point[3].stack[SD_COMPONENT_SLEEP] = make_half(.05, .01);
	page = page_of(&w);
	for (int k = 0; k < SD_COMPONENT_COUNT; k++) {
		const struct sd_interval c = w.a.point[3].stack[k];

		snprintf(row, sizeof row, "data-component=\"%s\"", sd_component_info[k].name);
		if (c.status == SD_STATUS_OK && (c.value >= .005 || c.value <= -.005) &&
			!strstr(page, row))
			fail_msg("no row of %s", sd_component_info[k].name);
	}
	free(page);
	close_world(&w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_largest_page_is_bounded),
		cmocka_unit_test(the_steps_of_each_lane_fill_its_bins),
		cmocka_unit_test(no_sampled_time_is_lost),
		cmocka_unit_test(names_from_outside_end_no_script),
		cmocka_unit_test(every_component_that_prints_has_a_row),
		cmocka_unit_test(advice_is_for_causes_that_are_not_refuted),
	};

	return cmocka_run_group_tests_name("html", tests, NULL, NULL);
}
