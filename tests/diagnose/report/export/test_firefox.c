/*
 * Input of Firefox's profiler: tables that refer to each other.
 */
#include <stdio.h>
#include <math.h>

#include "diagnose/report/export/viewer_world.h"

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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(firefox_tables_refer_to_each_other),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
