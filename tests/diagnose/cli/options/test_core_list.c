#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "options/core_list.h"

static char said[1024];

static void keep(void *ctx, enum sd_level level, const char *text)
{
	(void)ctx;
	assert_int_equal(level, SD_LEVEL_ERROR);
	assert_true(strlen(text) < sizeof said);
	strcpy(said, text);
}
static const struct sd_sink sink = {.emit = keep};

static void counts_are_taken_rising_from_lists_and_ranges(void **state)
{
	static const struct {
		const char *text;
		size_t n;
		unsigned count[8];
	} row[] = {
		{"1", 1, {1}},
		{"1,2,4,8", 4, {1, 2, 4, 8}},
		{"8,1", 2, {1, 8}},
		{"1-4", 4, {1, 2, 3, 4}},
		{"3-3", 1, {3}},
		{"1,2,4-6,65536", 6, {1, 2, 4, 5, 6, 65536}},
		{"01,002", 2, {1, 2}},
	};

	(void)state;
	for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
		struct sd_options o = {.cores = SD_CORES_ALL};

		assert_int_equal(sd_core_list_parse(row[i].text, &o, "--cores", &sink), 0);
		assert_int_equal(o.cores, SD_CORES_LIST);
		assert_int_equal(o.n_count, row[i].n);
		assert_memory_equal(o.count, row[i].count, row[i].n * sizeof *o.count);
		sd_options_free(&o);
	}
}

static void a_word_replaces_a_list(void **state)
{
	struct sd_options o = {.cores = SD_CORES_LIST};

	(void)state;
	assert_int_equal(sd_core_list_parse("1,2", &o, "--cores", &sink), 0);
	assert_int_equal(sd_core_list_parse("powers", &o, "--cores", &sink), 0);
	assert_int_equal(o.cores, SD_CORES_POWERS);
	assert_null(o.count);
	assert_int_equal(o.n_count, 0);
	assert_int_equal(sd_core_list_parse("all", &o, "--cores", &sink), 0);
	assert_int_equal(o.cores, SD_CORES_ALL);
	sd_options_free(&o);
}

static void what_is_no_list_of_counts_is_refused_with_its_entry_and_reason(void **state)
{
	static const struct {
		const char *text, *says;
	} row[] = {
		{"", "'' is empty"},
		{"0", "'0' is out of range"},
		{"1,,2", "'' is empty"},
		{",1", "'' is empty"},
		{"1,", "'' is empty"},
		{"2-1", "'2-1' runs backwards"},
		{"1,1", "'1' repeats a count"},
		{"1-3,2", "'2' repeats a count"},
		{"4294967296", "'4294967296' is out of range"},
		{"18446744073709551617", "'18446744073709551617' is out of range"},
		{"65537", "'65537' is out of range"},
		{"1-4294967297", "'1-4294967297' is out of range"},
		{"+2", "'+2' is not a whole number"},
		{" 2", "' 2' is not a whole number"},
		{"2 ", "'2 ' is not a whole number"},
		{"1e3", "'1e3' is not a whole number"},
		{"-1", "'-1' is a range without one of its ends"},
		{"1-", "'1-' is a range without one of its ends"},
		{"1-2-3", "'1-2-3' is not a whole number"},
		{"0x2", "'0x2' is not a whole number"},
		{"two", "'two' is not a whole number"},
		{"All", "'All' is not a whole number"},
		{"1;2", "'1;2' is not a whole number"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
		struct sd_options o = {.cores = SD_CORES_POWERS};

		said[0] = '\0';
		assert_int_equal(sd_core_list_parse(row[i].text, &o, "--cores", &sink), -22);
		assert_non_null(strstr(said, "--cores '"));
		assert_non_null(strstr(said, row[i].says));
		assert_non_null(strstr(said, "from 1 to 65536"));
		assert_int_equal(o.cores, SD_CORES_POWERS);
		assert_null(o.count);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(counts_are_taken_rising_from_lists_and_ranges),
		cmocka_unit_test(a_word_replaces_a_list),
		cmocka_unit_test(what_is_no_list_of_counts_is_refused_with_its_entry_and_reason),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
