/*
 * The page's data: bounded whatever the run's size, whole, and names from outside stay names. What
 * a browser makes of it is tested in a browser (tests/e2e).
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>
#include <jansson.h>

#include "html/html.h"
#include "support/make_analysis.h"

#define COUNTS 128u
#define FUNCTIONS 5000u
#define THREADS 300u
#define ROWS 4000u
#define STEPS 19u /* of a lane: all that a record may have, in the end */

/* A run on 128 counts with 5,000 functions, and 300 threads of which 256 have lanes. */
struct world {
	struct sd_record r;
	struct sd_analysis a;
	unsigned *node;
	struct sd_stack_profile stacks;
	struct sd_report_style style;
};

static void make_functions(struct world *w)
{
	char name[64];

	w->node = calloc(FUNCTIONS, sizeof *w->node);
	assert_non_null(w->node);
	for (unsigned i = 0; i < FUNCTIONS; i++) {
		struct sd_frame frame = {.line = i};
		unsigned number;

		snprintf(name, sizeof name, i ? "solver_function_number_%u" : "</script><b>%u", i);
		assert_int_equal(sd_stacks_text(&w->r.stacks, name, &frame.function), 0);
		assert_int_equal(sd_stacks_frame(&w->r.stacks, &frame, &number), 0);
		assert_int_equal(sd_stacks_node(&w->r.stacks, i % 50 ? w->node[i - 1] : 0, number,
					 &w->node[i]),
			0);
	}
}

static void make_profile(struct world *w)
{
	w->stacks = (struct sd_stack_profile){
		.point = calloc(COUNTS, sizeof *w->stacks.point), .n = COUNTS};
	assert_non_null(w->stacks.point);
	for (unsigned i = 0; i < COUNTS; i++) {
		struct sd_stack_profile_point *const p = &w->stacks.point[i];

		*p = (struct sd_stack_profile_point){
			.cores = i + 1, .runs = 5, .row = calloc(ROWS, sizeof *p->row), .n = ROWS};
		assert_non_null(p->row);
		for (unsigned k = 0; k < ROWS; k++)
			p->row[k] = (struct sd_stack_profile_row){
				w->node[k], k % 2 ? SD_ACTIVITY_USEFUL : SD_ACTIVITY_MUTEX, 1e-3};
	}
}

static struct sd_binned_lanes *make_lanes(const struct world *w)
{
	struct sd_binned_lanes *const l = make_zeroed(1, sizeof *l);

	*l = (struct sd_binned_lanes){.length = 1000000000,
		.bins = 100,
		.n_seen = THREADS,
		.doing = make_zeroed(FUNCTIONS, sizeof *l->doing),
		.n_doing = FUNCTIONS,
		.lane = make_zeroed(SD_BINNED_LANES, sizeof *l->lane),
		.n_lane = SD_BINNED_LANES};
	for (unsigned i = 0; i < FUNCTIONS; i++)
		l->doing[i] = (struct sd_binned_doing){.state = i % SD_BINNED_STATES,
			.function = w->r.stacks.frame[i % w->r.stacks.n_frame].function,
			.lock = i % 2};
	for (unsigned i = 0; i < SD_BINNED_LANES; i++) {
		struct sd_binned_lane *const lane = &l->lane[i];

		*lane = (struct sd_binned_lane){.tid = (int)i, .name = "<b>\"worker"};
		lane->step = make_zeroed(STEPS, sizeof *lane->step);
		for (lane->n_step = 0; lane->n_step < STEPS; lane->n_step++)
			lane->step[lane->n_step] = (struct sd_binned_step){lane->n_step ? 5 : 10,
				(i * STEPS + (unsigned)lane->n_step) % FUNCTIONS};
	}
	return l;
}

/* Adds lanes to one run of each count. */
static void add_lanes(struct world *w)
{
	for (size_t i = 0; i < w->r.n_run; i++)
		if (w->r.run[i].block == 0)
			w->r.run[i].lanes = make_lanes(w);
}

static void make_points(struct world *w)
{
	struct sd_point *const point = calloc(COUNTS, sizeof *point);

	assert_non_null(point);
	for (unsigned i = 0; i < COUNTS; i++) {
		point[i] = w->a.point[i * w->a.n_point / COUNTS];
		point[i].cores = point[i].n = i + 1;
		point[i].shown = NULL;
		point[i].n_shown = 0;
	}
	w->a.point = point;
	w->a.n_point = COUNTS;
}

static char *page_of(const struct world *w)
{
	return make_report(sd_html_report(out, &w->r, &w->a, &w->style));
}

static json_t *data_of(const char *page)
{
	static const char start[] = "id=\"data\">";
	const char *const from = strstr(page, start);
	json_t *root;

	assert_non_null(from);
	root = json_loadb(from + strlen(start),
		(size_t)(strstr(from, "</script>") - from) - strlen(start), 0, NULL);
	assert_non_null(root);
	return root;
}

static void open_world(struct world *w)
{
	*w = (struct world){0};
	make_stencil(&w->r, &w->a);
	make_functions(w);
	make_profile(w);
	add_lanes(w);
	w->style = (struct sd_report_style){.record_path = "app.json", .stacks = &w->stacks};
}

static void close_world(struct world *w)
{
	sd_stack_profile_free(&w->stacks);
	free(w->node);
	sd_record_free(&w->r);
	sd_analysis_free(&w->a);
}

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

/* A command that would print what the page shows is a link to it; any other stays a command. */
static void what_the_page_shows_is_a_link_and_no_command(void **state)
{
	static const struct {
		const char *next, *says;
	} row[] = {{"scalediag report --long RECORD # its callers", "its callers, below</a></dd>"},
		{"scalediag --experiments padding ./stencil", "<dt>next</dt><dd class=\"code\">"}};

	(void)state;
	for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
		struct world w;
		char *page, *said;

		open_world(&w);
		assert_int_equal(sd_texts_add(&w.a.warnings, "a doubt"), 0);
		for (size_t k = 0; k < SD_CAUSE_COUNT; k++) {
			free(w.a.finding[k].next);
			w.a.finding[k].next = strdup(row[i].next);
		}
		page = page_of(&w);
		assert_non_null(strstr(page, row[i].says));
		said = strstr(page, "--long");
		/* the table of all causes has commands */
		assert_true(!said || said > strstr(page, "id=\"all-causes\""));
		free(page);
		close_world(&w);
	}
}

/* Its page says so as the terminal does, and has no curve of one point. */
static void a_service_that_is_looked_at_has_no_serial_code(void **state)
{
	struct world w;
	struct sd_point *all;
	size_t n;
	char *page;

	(void)state;
	open_world(&w);
	w.r.program.attached = strdup("process 4711");
	all = w.a.point;
	n = w.a.n_point;
	w.a.point = &all[n - 1];
	w.a.n_point = 1;
	page = page_of(&w);
	assert_non_null(strstr(page, "<td>idle while one thread works"));
	assert_non_null(strstr(page, "<span class=\"option\">--cores</span> would tell"));
	assert_null(strstr(page, "serial sections"));
	assert_null(strstr(page, "id=\"chart-speedup\""));
	assert_null(strstr(page, "id=\"chart-stack\""));
	free(page);
	w.a.point = all;
	w.a.n_point = n;
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

static void events_name_their_functions(void **state)
{
	struct world w;
	char *page;

	(void)state;
	open_world(&w);
	page = page_of(&w);
	assert_null(strstr(page, "id=\"events\""));
	free(page);
	make_events(&w.a, 0);
	w.a.events.row[0].at->function[0] = '&';
	page = page_of(&w);
	assert_non_null(strstr(page, "Hotspots by events at 8 cores"));
	assert_non_null(strstr(page, "&amp;ncrement() count.c:12"));
	assert_non_null(
		strstr(page, "<td>92 %<br>4.25 cycles/instruction<br><b>past its threshold"));
	assert_non_null(strstr(page, "hitm-per-1000 *</th>"));
	assert_non_null(strstr(page, "skid"));
	free(page);
	w.a.events.metric[1].precise = 1;
	page = page_of(&w);
	assert_null(strstr(page, "skid"));
	free(page);
	close_world(&w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_largest_page_is_bounded),
		cmocka_unit_test(what_the_page_shows_is_a_link_and_no_command),
		cmocka_unit_test(a_service_that_is_looked_at_has_no_serial_code),
		cmocka_unit_test(the_steps_of_each_lane_fill_its_bins),
		cmocka_unit_test(no_sampled_time_is_lost),
		cmocka_unit_test(names_from_outside_end_no_script),
		cmocka_unit_test(every_component_that_prints_has_a_row),
		cmocka_unit_test(advice_is_for_causes_that_are_not_refuted),
		cmocka_unit_test(events_name_their_functions),
	};

	return cmocka_run_group_tests_name("html", tests, NULL, NULL);
}
