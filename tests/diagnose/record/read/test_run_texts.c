/*
 * Runs are found in the text of a record, one by one. Whether the whole is JSON, a reader of the
 * whole says; the pieces must say the same.
 */
#include "read/run_texts.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"

static int is_json(const char *text, size_t size, size_t flags)
{
	json_t *const v = json_loadb(text, size, JSON_REJECT_DUPLICATES | flags, NULL);

	json_decref(v);
	return v != NULL;
}

static int are_json(const char *text, const struct sd_run_texts *t)
{
	if (!is_json(t->rest, t->rest_size, 0))
		return 0;
	for (size_t i = 0; i < t->n; i++)
		if (!is_json(text + t->run[i].begin, t->run[i].end - t->run[i].begin,
			    JSON_DECODE_ANY))
			return 0;
	return 1;
}

static size_t lines_of(const char *text, size_t size)
{
	size_t n = 0;

	for (size_t i = 0; i < size; i++)
		n += text[i] == '\n';
	return n;
}

static void runs_are_found_and_nothing_else(void **state)
{
	static const struct {
		const char *text;
		int found;
		size_t n;
		const char *first, *rest;
	} rows[] = {
		{"{\"runs\": []}", 1, 0, NULL, "{\"runs\": []}"},
		{" {\"a\": [1, {\"runs\": [2]}],\n\"runs\" : [ {\"b\": \"],}\"} ,\n[3]]\n}", 1, 2,
			" {\"b\": \"],}\"} ", " {\"a\": [1, {\"runs\": [2]}],\n\"runs\" : [\n]\n}"},
		{"{\"runs\": [\"\\\"]\", 1]}", 1, 2, "\"\\\"]\"", "{\"runs\": []}"},
		{"{\"x\": \"runs\", \"runs\": [1,]}", 1, 2, "1", "{\"x\": \"runs\", \"runs\": []}"},
		{"{\"runs\": {}}", 0, 0, NULL, NULL},
		{"{\"runs\": [1, 2", 0, 0, NULL, NULL},
		{"{\"runs\": [\"", 0, 0, NULL, NULL},
		{"{\"runs", 0, 0, NULL, NULL},
		{"{\"a\": {\"runs\": [1]}}", 0, 0, NULL, NULL},
		{"[{\"runs\": [1]}]", 0, 0, NULL, NULL},
		{"", 0, 0, NULL, NULL},
	};

	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		const char *const text = rows[i].text;
		struct sd_run_texts t;

		assert_int_equal(sd_run_texts_find(text, strlen(text), &t), 0);
		if ((t.rest != NULL) != rows[i].found || t.n != rows[i].n)
			fail_msg("%s: found %d, %zu", text, t.rest != NULL, t.n);
		if (rows[i].first) {
			assert_int_equal(t.run[0].end - t.run[0].begin, strlen(rows[i].first));
			assert_memory_equal(
				text + t.run[0].begin, rows[i].first, strlen(rows[i].first));
		}
		if (rows[i].rest) {
			assert_int_equal(t.rest_size, strlen(rows[i].rest));
			assert_memory_equal(t.rest, rows[i].rest, t.rest_size);
			assert_int_equal(
				lines_of(t.rest, t.rest_size), lines_of(text, strlen(text)));
		}
		sd_run_texts_free(&t);
	}
}

/* One byte of a small record is another, a hundred thousand times. */
static void pieces_are_json_when_the_whole_is(void **state)
{
	static const char whole[] =
		"{\"kind\": [\"r\", 1], \"runs\": [\n{\"a\": [1, 2], \"b\": \"x\\\"\"},\n"
		"{\"a\": {}, \"c\": [\"],\"]}\n], \"runt\": {\"runs\": [true]}}";
	static const char bytes[] = "[]{},:\"\\ \n1atrunsx";
	struct sd_random g;
	unsigned found = 0, valid = 0;

	(void)state;
	sd_random_seed(&g, 7, 0);
	for (int i = 0; i < 100000; i++) {
		char text[sizeof whole];
		struct sd_run_texts t;

		memcpy(text, whole, sizeof whole);
		for (size_t k = sd_random_below(&g, 3) + 1; k > 0; k--)
			text[sd_random_below(&g, sizeof whole - 1)] =
				bytes[sd_random_below(&g, sizeof bytes - 1)];
		assert_int_equal(sd_run_texts_find(text, sizeof text - 1, &t), 0);
		if (t.rest) {
			const int all = is_json(text, sizeof text - 1, 0);

			found++;
			valid += all;
			if (are_json(text, &t) != all)
				fail_msg("%s: whole %d, pieces %d", text, all, !all);
		}
		sd_run_texts_free(&t);
	}
	assert_true(found > 10000 && valid > 1000 && valid < found);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(runs_are_found_and_nothing_else),
		cmocka_unit_test(pieces_are_json_when_the_whole_is),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
