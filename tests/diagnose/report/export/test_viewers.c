/*
 * Profiles for other viewers: every reference in them resolves, times sum to what was measured, and
 * names from outside stay names.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <jansson.h>

#include "export/viewers.h"
#include "support/make_analysis.h"
#include "support/make_samples.h"

#define HOSTILE "evil\033[31m\"},{\"x\":\xff\xe2\x80\xae();b"

/* Two points; work() and a hostile name below main(), a wait and some spinning; one lane. */
struct world {
	struct sd_record r;
	struct sd_analysis a;
	struct sd_stack_profile_row row[2][5];
	struct sd_stack_profile_point point[2];
	struct sd_stack_profile profile;
	struct sd_thread_lanes_span span[4];
	struct sd_thread_lanes_sample sample[2];
	struct sd_thread_lanes_thread thread;
	struct sd_thread_lanes_gap gap;
	struct sd_thread_lanes_run run;
	struct sd_thread_lanes lanes;
	struct sd_report_style style;
};

static void make_lanes(struct world *w, unsigned work, unsigned hostile)
{
	unsigned lock;

	assert_int_equal(sd_stacks_text(&w->r.stacks, HOSTILE, &lock), 0);
	w->span[0] = (struct sd_thread_lanes_span){100, 5000, SD_ACTIVITY_USEFUL, 0, 0, 1};
	w->span[1] = (struct sd_thread_lanes_span){5000, 9000, SD_ACTIVITY_MUTEX, hostile, lock, 3};
	w->span[2] = (struct sd_thread_lanes_span){9000, 9500, SD_ACTIVITY_RUNNABLE, 0, 0, 1};
	w->span[3] = (struct sd_thread_lanes_span){9500, 10000, SD_THREAD_LANES_ON_CPU, 0, 0, 1};
	w->sample[0] =
		(struct sd_thread_lanes_sample){100, 3000, 3000, 3000, work, SD_ACTIVITY_USEFUL};
	w->sample[1] = (struct sd_thread_lanes_sample){
		3000, 4500, 4000, 3000, hostile, SD_ACTIVITY_SPIN_LOCK};
	w->thread = (struct sd_thread_lanes_thread){.pid = 10,
		.tid = 11,
		.name = "evil\"\n,\xff",
		.span = w->span,
		.n_span = 4,
		.sample = w->sample,
		.n_sample = 2};
	w->gap = (struct sd_thread_lanes_gap){11000, 12000};
	w->run = (struct sd_thread_lanes_run){.run = 7,
		.cores = 2,
		.length = 20000,
		.thread = &w->thread,
		.n = 1,
		.gap = &w->gap,
		.n_gap = 1};
	w->lanes = (struct sd_thread_lanes){&w->run, 1};
}

static void make(struct world *w)
{
	unsigned top, work, hostile, kernel;

	*w = (struct world){0};
	make_stencil(&w->r, &w->a);
	free(w->r.program.cwd);
	w->r.program.cwd = strdup("/home/me/app");
	top = make_call(&w->r, 0, "main", "/home/me/app/src/main.cpp", 9, "/home/me/app/prog");
	work = make_call(&w->r, top, "ns::work<std::vector<int> >(int)",
		"/home/me/app/src/work.cpp", 12, "/home/me/app/prog");
	make_call(&w->r, top, "never shown", "unused.c", 1, "/unused.so");
	hostile = make_call(&w->r, work, HOSTILE, "/usr/include/" HOSTILE, 3, HOSTILE);
	kernel = make_call(&w->r, hostile, "clear_page", NULL, 0, "[kernel]");
	for (int i = 0; i < 2; i++) {
		const struct sd_stack_profile_row row[] = {
			{0, SD_ACTIVITY_USEFUL, .25},
			{work, SD_ACTIVITY_USEFUL, 1.5},
			{work, SD_ACTIVITY_SPIN_BARRIER, .5},
			{hostile, SD_ACTIVITY_MUTEX, .75},
			{kernel, SD_ACTIVITY_KERNEL_FAULT, .125},
		};

		memcpy(w->row[i], row, sizeof row);
		w->point[i] = (struct sd_stack_profile_point){1u + (unsigned)i, 5, w->row[i], 5};
	}
	w->profile = (struct sd_stack_profile){w->point, 2};
	make_lanes(w, work, hostile);
	w->style = (struct sd_report_style){.stacks = &w->profile, .lanes = &w->lanes};
}

static void drop(struct world *w)
{
	sd_record_free(&w->r);
	sd_analysis_free(&w->a);
}

/* ASCII without control characters, and JSON. */
static json_t *parse(char *text)
{
	json_error_t error;
	json_t *root;

	for (const char *c = text; *c; c++)
		assert_true((*c >= 0x20 && *c < 0x7f) || *c == '\n');
	root = json_loads(text, JSON_REJECT_DUPLICATES, &error);
	if (!root)
		fail_msg("line %d: %s", error.line, error.text);
	free(text);
	return root;
}

static json_t *get(json_t *o, const char *name)
{
	json_t *const out = json_object_get(o, name);

	if (!out)
		fail_msg("no %s", name);
	return out;
}

static const char *text(json_t *o, const char *name)
{
	const char *const out = json_string_value(get(o, name));

	assert_non_null(out);
	return out;
}

static double number(json_t *array, size_t i)
{
	json_t *const x = json_array_get(array, i);

	assert_true(json_is_number(x));
	return json_number_value(x);
}

static double sum(json_t *array)
{
	double out = 0;

	for (size_t i = 0; i < json_array_size(array); i++)
		out += number(array, i);
	return out;
}

/* Every column has `length` rows, and indices are below `most`, -1 or null where that is allowed.
 */
static void check_columns(json_t *table)
{
	const size_t n = (size_t)json_integer_value(get(table, "length"));
	const char *name;
	json_t *column;

	json_object_foreach(table, name, column) if (json_is_array(column))
		assert_int_equal(json_array_size(column), n);
}

static void check_indices(json_t *table, const char *name, size_t most, int or_none)
{
	json_t *const column = get(table, name);

	for (size_t i = 0; i < json_array_size(column); i++) {
		json_t *const x = json_array_get(column, i);

		if (or_none && (json_is_null(x) || json_integer_value(x) == -1))
			continue;
		assert_true(json_is_integer(x));
		assert_true(json_integer_value(x) >= 0 && (size_t)json_integer_value(x) < most);
	}
}

/* ---- speedscope ------------------------------------------------------------------------------ */

static void check_scope(json_t *profile, json_t *frames)
{
	json_t *const samples = get(profile, "samples"), *const weights = get(profile, "weights");

	assert_string_equal(text(profile, "type"), "sampled");
	assert_string_equal(text(profile, "unit"), "microseconds");
	assert_int_equal(json_array_size(samples), json_array_size(weights));
	assert_true(fabs(sum(weights) - json_number_value(get(profile, "endValue"))) < 1e-6);
	for (size_t i = 0; i < json_array_size(samples); i++)
		for (size_t k = 0; k < json_array_size(json_array_get(samples, i)); k++)
			assert_true(number(json_array_get(samples, i), k) <
				    (double)json_array_size(frames));
}

static const char *innermost(json_t *frames, json_t *profile, size_t i)
{
	json_t *const stack = json_array_get(get(profile, "samples"), i);
	const size_t n = json_array_size(stack);

	return n ? text(json_array_get(frames, (size_t)number(stack, n - 1)), "name") : "";
}

static void speedscope_has_every_count_and_lane(void **state)
{
	static const char *const lane[] = {"", "ns::work<…>()", "[spinning for a lock]",
		"[on a CPU, not sampled]", "[waiting for a mutex]", "[ready, without a CPU]",
		"[on a CPU, not sampled]", ""};
	struct world w;
	json_t *root, *frames, *profiles;

	(void)state;
	make(&w);
	root = parse(make_report(sd_viewers_speedscope(out, &w.r, &w.a, &w.style)));
	frames = get(get(root, "shared"), "frames");
	profiles = get(root, "profiles");
	assert_int_equal(json_array_size(profiles), 5);
	for (size_t i = 0; i < 5; i++)
		check_scope(json_array_get(profiles, i), frames);
	/* 1.5 + .5 + .25 + .125 s ran, .75 waited */
	assert_true(fabs(sum(get(json_array_get(profiles, 2), "weights")) - 2375e3) < 1e-6);
	assert_true(fabs(sum(get(json_array_get(profiles, 3), "weights")) - 750e3) < 1e-6);
	assert_int_equal(json_integer_value(get(root, "activeProfileIndex")), 2);
	assert_int_equal(json_array_size(get(json_array_get(profiles, 4), "samples")),
		sizeof lane / sizeof *lane);
	for (size_t i = 0; i < sizeof lane / sizeof *lane; i++)
		assert_string_equal(innermost(frames, json_array_get(profiles, 4), i), lane[i]);
	json_decref(root);
	drop(&w);
}

static void names_are_short_and_files_are_from_the_folder(void **state)
{
	struct world w;
	json_t *root, *frames;
	int work = 0, mains = 0;

	(void)state;
	make(&w);
	root = parse(make_report(sd_viewers_speedscope(out, &w.r, &w.a, &w.style)));
	frames = get(get(root, "shared"), "frames");
	for (size_t i = 0; i < json_array_size(frames); i++) {
		json_t *const f = json_array_get(frames, i);
		const char *const name = text(f, "name");

		assert_string_not_equal(name, "never shown()");
		if (strcmp(name, "ns::work<…>()") == 0) {
			assert_string_equal(text(f, "file"), "src/work.cpp");
			work++;
		}
		mains += strcmp(name, "main()") == 0;
		assert_null(strchr(name, '\033'));
	}
	assert_int_equal(work, 1);
	assert_int_equal(mains, 1);
	json_decref(root);
	drop(&w);
}

/* ---- Firefox --------------------------------------------------------------------------------- */

static void check_shared(json_t *root)
{
	json_t *const s = get(root, "shared");
	const size_t strings = json_array_size(get(s, "stringArray"));
	json_t *const stack = get(s, "stackTable"), *const frame = get(s, "frameTable");
	json_t *const function = get(s, "funcTable"), *const prefix = get(stack, "prefix");

	check_columns(stack);
	check_columns(frame);
	check_columns(function);
	check_columns(get(s, "resourceTable"));
	check_columns(get(s, "sources"));
	check_indices(stack, "frame", json_array_size(get(frame, "func")), 0);
	check_indices(frame, "func", json_array_size(get(function, "name")), 0);
	check_indices(frame, "category", json_array_size(get(get(root, "meta"), "categories")), 0);
	check_indices(function, "name", strings, 0);
	check_indices(function, "resource", json_array_size(get(root, "libs")), 1);
	check_indices(function, "source", json_array_size(get(get(s, "sources"), "filename")), 1);
	check_indices(get(s, "resourceTable"), "name", strings, 0);
	check_indices(get(s, "sources"), "filename", strings, 0);
	/* callers come before who they call */
	for (size_t i = 0; i < json_array_size(prefix); i++)
		assert_true(
			json_is_null(json_array_get(prefix, i)) || number(prefix, i) < (double)i);
}

static void check_thread(json_t *root, json_t *thread)
{
	json_t *const samples = get(thread, "samples"), *const markers = get(thread, "markers");
	const size_t stacks = json_array_size(get(get(get(root, "shared"), "stackTable"), "frame"));

	check_columns(samples);
	check_columns(markers);
	check_indices(samples, "stack", stacks, 1);
	check_indices(markers, "name", json_array_size(get(get(root, "shared"), "stringArray")), 0);
	for (size_t i = 1; i < json_array_size(get(samples, "time")); i++)
		assert_true(number(get(samples, "time"), i) >= number(get(samples, "time"), i - 1));
}

static void firefox_tables_refer_to_each_other(void **state)
{
	struct world w;
	json_t *root, *threads, *marker;

	(void)state;
	make(&w);
	root = parse(make_report(sd_viewers_firefox(out, &w.r, &w.a, &w.style)));
	check_shared(root);
	threads = get(root, "threads");
	assert_int_equal(json_array_size(threads), 1);
	check_thread(root, json_array_get(threads, 0));
	/* ran .1 to 5 and 9.5 to 10 us */
	assert_true(fabs(sum(get(get(json_array_get(threads, 0), "samples"), "weight")) - .0054) <
		    1e-9);
	marker = json_array_get(get(get(json_array_get(threads, 0), "markers"), "data"), 0);
	assert_int_equal(json_integer_value(get(marker, "spans")), 3);
	assert_true(json_integer_value(get(get(marker, "cause"), "stack")) > 0);
	assert_non_null(strstr(text(marker, "lock"), "\\x1b"));
	json_decref(root);
	w.style.lanes = NULL;
	root = parse(make_report(sd_viewers_firefox(out, &w.r, &w.a, &w.style)));
	check_shared(root);
	threads = get(root, "threads");
	assert_int_equal(json_array_size(threads), 4);
	for (size_t i = 0; i < 4; i++)
		check_thread(root, json_array_get(threads, i));
	assert_true(
		fabs(sum(get(get(json_array_get(threads, 2), "samples"), "weight")) - 2375) < 1e-9);
	json_decref(root);
	drop(&w);
}

/* ---- Perfetto -------------------------------------------------------------------------------- */

/* Spans of a track do not overlap. */
static void check_track(json_t *events, json_t *track)
{
	double from = 0, to = 0;

	for (size_t i = 0; i < json_array_size(events); i++) {
		json_t *const e = json_array_get(events, i);
		double at, end;

		if (strcmp(text(e, "ph"), "X") != 0 ||
			!json_equal(get(e, "tid"), get(track, "tid")))
			continue;
		assert_true(json_equal(get(e, "pid"), get(track, "pid")));
		at = json_number_value(get(e, "ts"));
		end = at + json_number_value(get(e, "dur"));
		if (strcmp(text(e, "cat"), "function") == 0)
			continue;
		assert_true(at >= to - 1e-6 && end >= at);
		from = from > 0 ? from : at;
		to = end;
	}
	assert_true(to > from);
}

static void perfetto_has_runs_and_lanes(void **state)
{
	struct world w;
	json_t *root, *events;
	size_t runs = 0, spans = 0, functions = 0;

	(void)state;
	make(&w);
	for (size_t i = 0; i < w.r.n_run; i++)
		w.r.run[i].start = 1e9 + 20 * (double)i;
	root = parse(make_report(sd_viewers_perfetto(out, &w.r, &w.a, &w.style)));
	events = get(root, "traceEvents");
	for (size_t i = 0; i < json_array_size(events); i++) {
		json_t *const e = json_array_get(events, i);
		const char *const ph = text(e, "ph");
		const char *cat;

		assert_true(strcmp(ph, "X") == 0 || strcmp(ph, "M") == 0);
		if (*ph == 'M')
			continue;
		cat = text(e, "cat");
		runs += strcmp(cat, "run") == 0;
		functions += strcmp(cat, "function") == 0;
		spans += strcmp(cat, "running") == 0 || strcmp(cat, "waiting") == 0;
		check_track(events, e);
		if (strcmp(cat, "waiting") == 0) /* run 8 began 140 s behind the first */
			assert_true(json_number_value(get(e, "ts")) >= 140e6);
	}
	assert_int_equal(runs, w.r.n_run);
	assert_int_equal(spans, 4);
	assert_int_equal(functions, 2);
	json_decref(root);
	drop(&w);
}

/* Node numbers out of the table, as a damaged record may have, are unknown stacks. */
static void nodes_that_do_not_exist_are_unknown(void **state)
{
	int (*const print[])(FILE *, const struct sd_record *, const struct sd_analysis *,
		const struct sd_report_style *) = {
		sd_viewers_speedscope, sd_viewers_firefox, sd_viewers_perfetto};
	struct world w;

	(void)state;
	make(&w);
	w.row[0][1].node = 1u << 30;
	w.sample[0].node = w.span[1].node = w.span[1].lock = 1u << 30;
	for (size_t i = 0; i < 3; i++)
		json_decref(parse(make_report(print[i](out, &w.r, &w.a, &w.style))));
	drop(&w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(speedscope_has_every_count_and_lane),
		cmocka_unit_test(names_are_short_and_files_are_from_the_folder),
		cmocka_unit_test(firefox_tables_refer_to_each_other),
		cmocka_unit_test(perfetto_has_runs_and_lanes),
		cmocka_unit_test(nodes_that_do_not_exist_are_unknown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
