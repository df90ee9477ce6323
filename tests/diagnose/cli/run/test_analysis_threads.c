/*
 * How many threads analyse a record changes nothing in what it says: every report is the same to
 * the byte with one, two, five and more threads than there is work for.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "analyse/analyse.h"
#include "base/parallel_for.h"
#include "bench/large_record.h"
#include "record/record_file.h"
#include "report/formats.h"
#include "run/config_tables.h"

/* The report of the analysis by so many threads; the caller frees it. */
static char *said(struct sd_record *r, unsigned threads)
{
	const struct sd_sink silent = {0};
	const struct sd_report_style style = {.record_path = "r.json", .width = 80};
	struct sd_config_tables tables;
	struct sd_analysis a;
	char *text = NULL;
	size_t size;
	FILE *const f = open_memstream(&text, &size);

	assert_non_null(f);
	sd_parallel_for_limit(threads);
	assert_int_equal(sd_config_tables_load_for(&tables, r, &silent), 0);
	assert_int_equal(sd_analyse(r, &tables.formulas, &tables.advice, &a), 0);
	assert_int_equal(sd_report_format_find("json")->print(f, r, &a, &style), 0);
	assert_int_equal(fclose(f), 0);
	sd_analysis_free(&a);
	sd_config_tables_free(&tables);
	sd_parallel_for_limit(0);
	return text;
}

static void check_same(struct sd_record *r)
{
	static const unsigned threads[] = {2, 5, SD_PARALLEL_FOR_MOST};
	char *const one = said(r, 1);

	for (size_t i = 0; i < sizeof threads / sizeof *threads; i++) {
		char *const more = said(r, threads[i]);

		assert_string_equal(one, more);
		free(more);
	}
	free(one);
	sd_record_free(r);
}

static void records_of_runs_say_the_same(void **state)
{
	static const char *const record[] = {"counted", "sampled", "two_points", "derived_memory",
		"measured_experiments", "measured_simulated"};
	const struct sd_sink silent = {0};

	(void)state;
	for (size_t i = 0; i < sizeof record / sizeof *record; i++) {
		struct sd_record r;
		char path[128];

		snprintf(path, sizeof path, "tests/fixtures/fuzz_record/%s.json", record[i]);
		assert_int_equal(sd_record_read(path, &r, &silent), 0);
		check_same(&r);
	}
}

/* With enough runs to be drawn from, of which each count has its own number, and with so few that
 * all pairs are taken. */
static void generated_records_say_the_same(void **state)
{
	static const struct large large[] = {
		{.counts = 7, .cores = 64, .runs = 6, .functions = 100, .threads = 16},
		{.counts = 2, .cores = 4, .runs = 9, .functions = 30, .threads = 4},
		{.counts = 5, .cores = 16, .runs = 3, .functions = 30, .threads = 4}};

	(void)state;
	for (size_t i = 0; i < sizeof large / sizeof *large; i++) {
		struct sd_record r;

		make_large(&r, &large[i]);
		/* the last count has a run less */
		sd_run_free(&r.run[--r.n_run]);
		check_same(&r);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(records_of_runs_say_the_same),
		cmocka_unit_test(generated_records_say_the_same),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
