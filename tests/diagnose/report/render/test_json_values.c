/*
 * An object that is said by keys and values has each value by its type; what is missing makes the
 * whole missing, or is left out where the key says that it may.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "render/json_values.h"

static char *dumped(json_t *j)
{
	char *const out = json_dumps(j, JSON_COMPACT);

	json_decref(j);
	return out;
}

static void assert_is(json_t *j, const char *text)
{
	char *const out = dumped(j);

	assert_string_equal(out ? out : "none", text);
	free(out);
}

static void each_value_by_its_type(void **state)
{
	static char word[] = "one";
	static char *texts[] = {word, NULL};
	const struct sd_texts all = {.text = texts, .n = 1};
	const char *const nothing = NULL;
	const size_t size = 3;

	(void)state;
	assert_is(sd_json("whole", -1, "count", 2u, "size", size, "far", (int64_t)-4, "real", 0.5,
			  "text", "t", "none", nothing, "value", SD_OK(2), "absent", SD_NOT(ABSENT),
			  "texts", &all, "flag", json_boolean(1), "inner",
			  sd_json("list", sd_json_list(1, "a", json_null()))),
		"{\"whole\":-1,\"count\":2,\"size\":3,\"far\":-4,\"real\":0.5,\"text\":\"t\","
		"\"none\":null,\"value\":2.0,\"absent\":null,\"texts\":[\"one\"],\"flag\":true,"
		"\"inner\":{\"list\":[1,\"a\",null]}}");
	assert_is(sd_json("infinite", (double)INFINITY, "nan", (double)NAN),
		"{\"infinite\":null,\"nan\":null}");
	assert_is(sd_json("name", sd_json_name(""), "number", sd_json_number(0)),
		"{\"name\":null,\"number\":null}");
}

static void what_is_missing_makes_the_whole_missing(void **state)
{
	json_t *const none = NULL;
	json_t *object = sd_json("a", 1);

	(void)state;
	assert_null(sd_json("a", 1, "b", none, "c", sd_json("d", 2)));
	assert_null(sd_json("a", sd_json("b", none)));
	assert_null(sd_json_list(1, none, 2));
	assert_is(sd_json("a", 1, "?b", none, "?c", 3), "{\"a\":1,\"c\":3}");
	sd_json_put(&object, "b", 2, "?c", none);
	assert_is(json_incref(object), "{\"a\":1,\"b\":2}");
	sd_json_put(&object, "c", none);
	assert_null(object);
	sd_json_put(&object, "d", sd_json("e", 1));
	assert_null(object);
}

#define TEN(k)                                                                                    \
	k "0", 0, k "1", 1, k "2", 2, k "3", 3, k "4", 4, k "5", 5, k "6", 6, k "7", 7, k "8", 8, \
		k "9", 9

static void as_many_members_as_a_report_has(void **state)
{
	json_t *const all = sd_json(TEN("a"), TEN("b"), TEN("c"), TEN("d"), TEN("e"), TEN("f"));

	(void)state;
	assert_int_equal(json_object_size(all), 60);
	assert_int_equal(json_integer_value(json_object_get(all, "f9")), 9);
	json_decref(all);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_value_by_its_type),
		cmocka_unit_test(what_is_missing_makes_the_whole_missing),
		cmocka_unit_test(as_many_members_as_a_report_has),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
