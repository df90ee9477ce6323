/*
 * Rows are read from the text as the reader of JSON reads them, bit for bit, or left to it.
 */
#include "read/row_text.h"

#include <float.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <jansson.h>

#include "base/random.h"
#include "read/decode_struct.h"

/* Results of both readers for the members of a run's samples. */
struct both {
	struct sd_sampled by_rows, by_json;
	int was_read; /* from the text */
	int rc;       /* of the reader of JSON */
};

static void read_both(struct both *b, const char *list)
{
	static const struct sd_source s = {.name = "r.json"};
	const struct sd_json_path at = {.key = "uses"};
	struct sd_field_in c = {.s = &s, .count = {[SD_FIELD_OF_NODES] = 9}};
	const struct sd_field *f = sd_fields_sampled.field;
	struct sd_row_text t;
	char text[4096];
	json_t *whole, *rest;

	*b = (struct both){0};
	while (strcmp(f->key, "uses") != 0)
		f++;
	snprintf(text, sizeof text, "{\"a\":[[1]],\"uses\":%s,\"b\":\"uses\"}", list);
	assert_int_equal(sd_row_text_read(&t, &c, text, strlen(text)), 0);
	whole = json_loads(text, JSON_REJECT_DUPLICATES, NULL);
	b->rc = whole ? sd_decode_struct_list(
				&c, &at, json_object_get(whole, "uses"), f, &b->by_json)
		      : -1;
	rest = t.rest ? json_loadb(t.rest, t.rest_size, JSON_REJECT_DUPLICATES, NULL) : NULL;
	/* what is behind the rows may be wrong */
	if (t.rest)
		assert_int_equal(rest != NULL, whole != NULL);
	b->was_read = rest != NULL;
	if (rest) {
		assert_ptr_equal(t.rows.field, f);
		assert_int_equal(json_object_size(rest), json_object_size(whole));
		c.rows = &t.rows;
		assert_int_equal(sd_decode_struct_list(
					 &c, &at, json_object_get(rest, "uses"), f, &b->by_rows),
			0);
		assert_null(t.rows.list);
	}
	json_decref(rest);
	json_decref(whole);
	sd_row_text_free(&t);
}

static void both_free(struct both *b)
{
	free(b->by_rows.use);
	free(b->by_json.use);
}

/* Expects that the reader of JSON takes what was read from the text, and the same. */
static void expect_same(const struct both *b, const char *list)
{
	if (!b->was_read)
		return;
	if (b->rc || b->by_rows.n_use != b->by_json.n_use)
		fail_msg("%s: %d, %zu and %zu rows", list, b->rc, b->by_rows.n_use,
			b->by_json.n_use);
	if (memcmp(b->by_rows.use, b->by_json.use, b->by_json.n_use * sizeof *b->by_json.use) != 0)
		fail_msg("%s: other numbers", list);
}

static void rows_are_read_or_left_to_the_reader_of_json(void **state)
{
	static const struct {
		const char *list;
		int was_read;
	} rows[] = {
		{"[[1,\"useful\",0.5]]", 1},
		{"[[1,\"useful\"]]", 1},
		{"[[1,\"useful\"],[0,\"mutex\",1e-300,2.5E+2,0,3]]", 1},
		{"[[8,\"useful\",5e-324,1.7976931348623157e308,123456789012345]]", 1},
		{"[[1,\"useful\",0.10000000000000000000000000000000000000000001]]", 1},
		{"[[1,\"useful\",1,1,1,1,1,1,1,1,1,1,1]]", 1},
		/* left alone: as nobody writes it here */
		{"[]", 0},
		{"[ [1,\"useful\",0.5]]", 0},
		{"[[1, \"useful\",0.5]]", 0},
		{"[[1,\"useful\",0.5] ]", 0},
		{"[[1,\"us\\u0065ful\",0.5]]", 0},
		{"[[1,\"useful\",-0]]", 0},
		{"[[1,\"useful\",1234567890123456]]", 0},
		/* or as it may not be */
		{"[[9,\"useful\",0.5]]", 0},
		{"[[1.0,\"useful\",0.5]]", 0},
		{"[[4294967296,\"useful\",0.5]]", 0},
		{"[[1,\"use\",0.5]]", 0},
		{"[[1,\"usefully\",0.5]]", 0},
		{"[[1,\"useful\",0]]", 0},
		{"[[1,\"useful\",-1]]", 0},
		{"[[1,\"useful\",1e400]]", 0},
		{"[[1,\"useful\",01]]", 0},
		{"[[1,\"useful\",1.]]", 0},
		{"[[1,\"useful\",.5]]", 0},
		{"[[1,\"useful\",1e]]", 0},
		{"[[1,\"useful\",]]", 0},
		{"[[1,\"useful\",1,1,1,1,1,1,1,1,1,1,1,1]]", 0},
		{"[[1]]", 0},
		{"[[\"useful\",1]]", 0},
		{"[[1,\"useful\",0.5],]]", 0},
		{"[[1,\"useful\",0.5],[]]", 0},
		{"[1,[1]]", 0},
		{"[[1,\"useful\",0.5]],\"uses\":[[1,\"useful\",0.5]]", 0},
		{"[[[1]]]", 0},
		{"[[1,\"", 0},
		{"[[1,\"useful\",0x1]]", 0},
		{"[[1,\"useful\",inf]]", 0},
		{"[[1,\"useful\",1e99999999999999999999]]", 0},
	};

	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct both b;

		read_both(&b, rows[i].list);
		if (b.was_read != rows[i].was_read)
			fail_msg("%s: read %d", rows[i].list, b.was_read);
		expect_same(&b, rows[i].list);
		both_free(&b);
	}
}

/* Doubles of all sizes, written with all precisions. */
static void numbers_are_the_same_bits(void **state)
{
	struct sd_random g;

	(void)state;
	sd_random_seed(&g, 11, 0);
	for (int i = 0; i < 30000; i++) {
		const int digits = 1 + (int)sd_random_below(&g, 19);
		char list[256], number[2][64];
		struct both b;

		for (int k = 0; k < 2; k++) {
			uint64_t bits = (uint64_t)sd_random_below(&g, 1u << 31) << 33 |
					(uint64_t)sd_random_below(&g, 1u << 31) << 2;
			double v;

			/* half of them of sizes that seconds and counts have */
			if (i % 2)
				bits = (bits & 0x000fffffffffffffu) |
				       (uint64_t)(1023 - 40 + sd_random_below(&g, 80)) << 52;
			bits &= 0x7fffffffffffffffu;
			memcpy(&v, &bits, sizeof v);
			if (!(v > 0 && v <= DBL_MAX))
				v = 1. / 3;
			snprintf(number[k], sizeof number[k], i % 3 ? "%.*g" : "%.*e", digits, v);
		}
		snprintf(list, sizeof list, "[[1,\"useful\",%s,%s]]", number[0], number[1]);
		read_both(&b, list);
		expect_same(&b, list);
		if (digits < 16 && !strchr(list, '+') && !b.was_read && !b.rc)
			fail_msg("%s: not read", list);
		both_free(&b);
	}
}

/* A zero ends a name for C, not for JSON: what stands behind it counts. */
static void a_name_that_holds_a_zero_is_none(void **state)
{
	static const struct sd_source s = {.name = "r.json"};
	const struct sd_field_in c = {.s = &s, .count = {[SD_FIELD_OF_NODES] = 9}};

	(void)state;
	for (int more = 0; more < 20; more++) {
		char text[64] = "{\"uses\":[[1,\"mutex";
		const size_t head = strlen(text);
		struct sd_row_text t;

		memset(text + head, 0, (size_t)more);
		strcpy(text + head + more, "\",0.25,3]]}");
		assert_int_equal(sd_row_text_read(&t, &c, text,
					 head + (size_t)more + strlen(text + head + more)),
			0);
		assert_int_equal(t.rest != NULL, more == 0);
		sd_row_text_free(&t);
	}
}

/* A byte is another one. */
static void what_was_changed_is_never_read_otherwise(void **state)
{
	static const char whole[] = "[[1,\"useful\",0.25,3],[2,\"mutex\",1e-5,0,7.125]]";
	static const char bytes[] = "[],\"0123456789.e-+ umx\\";
	struct sd_random g;
	unsigned read = 0, valid = 0;

	(void)state;
	sd_random_seed(&g, 5, 0);
	for (int i = 0; i < 30000; i++) {
		char list[sizeof whole];
		struct both b;

		memcpy(list, whole, sizeof whole);
		for (size_t k = sd_random_below(&g, 3) + 1; k > 0; k--)
			list[sd_random_below(&g, sizeof whole - 1)] =
				bytes[sd_random_below(&g, sizeof bytes - 1)];
		read_both(&b, list);
		expect_same(&b, list);
		read += (unsigned)b.was_read;
		valid += b.rc == 0;
		both_free(&b);
	}
	assert_true(read > 1000 && valid >= read);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rows_are_read_or_left_to_the_reader_of_json),
		cmocka_unit_test(numbers_are_the_same_bits),
		cmocka_unit_test(a_name_that_holds_a_zero_is_none),
		cmocka_unit_test(what_was_changed_is_never_read_otherwise),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
