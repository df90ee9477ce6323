/*
 * Profiles for other viewers: every reference in them resolves, times sum to what was measured, and
 * names from outside stay names.
 */
#include <math.h>
#include <stdio.h>

#include "diagnose/report/export/viewer_world.h"

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
		cmocka_unit_test(perfetto_has_runs_and_lanes),
		cmocka_unit_test(nodes_that_do_not_exist_are_unknown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
