/*
 * The reader test on real records: what was measured of small programs on a virtual machine with
 * two CPUs and no counters (folders renamed, nothing else), and what others published of larger
 * machines.
 */
#include <regex.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "analyse/analyse.h"
#include "import/import.h"
#include "record/record_file.h"
#include "run/config_tables.h"
#include "support/first_screen.h"
#include "text/brief.h"

#define FOLDER "tests/fixtures/reader/"

/* The first screen of a record, below its command. */
static char *first_screen(const struct sd_record *r)
{
	const struct sd_report_style style = {.record_path = "app.scalediag.json", .width = 120};
	struct sd_config_tables tables = {0};
	struct sd_analysis a = {0};
	char *text = NULL;
	size_t size = 0;
	FILE *const f = open_memstream(&text, &size);

	assert_non_null(f);
	assert_int_equal(sd_config_tables_load(&tables, NULL), 0);
	assert_int_equal(sd_analyse(r, &tables.formulas, &tables.advice, &a), 0);
	assert_int_equal(sd_brief_report(f, r, &a, &style), 0);
	assert_int_equal(fclose(f), 0);
	sd_analysis_free(&a);
	sd_config_tables_free(&tables);
	return text;
}

/* An extended regular expression that a line, or lines, must match. */
static void must_match(const char *text, const char *pattern)
{
	regex_t r;

	assert_int_equal(regcomp(&r, pattern, REG_EXTENDED | REG_NOSUB | REG_NEWLINE), 0);
	if (regexec(&r, text, 0, NULL, 0) != 0)
		fail_msg("no \"%s\" in:\n%s", pattern, text);
	regfree(&r);
}

static void headline_cause_place_fix_and_payoff_are_on_the_first_screen(void **state)
{
	static const struct {
		const char *record, *headline, *cause, *place, *fix; /* NULL: a suspicion */
		int lines; /* 25 for one cause, 33 for two */
	} row[] = {
		{"false_sharing.json", "^Negative scaling: 2 cores are [0-9.]+x slower than 1 ",
			"^1\\. False sharing costs [0-9.]+ of 2 cores \\(likely; ",
			"^   where   part\\(\\) tally\\.c:22, on count ", "128 bytes of its own",
			25},
		{"mutex.json", "^Negative scaling: 2 cores are [0-9.]+x slower than 1 ",
			"^1\\. Lock contention costs [0-9.]+ of 2 cores \\(likely; ",
			"^   lock    mutex, taken in part\\(\\) mutex_bound\\.c:23, held in work\\(\\) ",
			"^   fix     shorten the critical section", 25},
		{"serial.json", "^Poor scaling: 1\\.29x speedup on 2 cores \\(64 ",
			"^1\\. Serial code costs 0\\.6[0-9] of 2 cores \\(likely; ",
			"^   where   serial_part\\(\\) -> work\\(\\) work\\.h:26 ",
			"make that part parallel", 25},
		{"undecided.json",
			"^Not known yet how it scales: 5 runs on 2 cores vary too much to tell\\. More runs$",
			"^1\\. Serial code costs [0-9.]+ of 2 cores \\(possible; ",
			"^   where   serial_part\\(\\) -> work\\(\\) work\\.h:26 ", NULL, 33},
	};

	(void)state;
	for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
		struct sd_record r;
		char path[256], *text;

		snprintf(path, sizeof path, FOLDER "%s", row[i].record);
		assert_int_equal(sd_record_read(path, &r, NULL), 0);
		text = first_screen(&r);
		check_first_screen(text, row[i].lines);
		must_match(text, row[i].headline);
		must_match(text, row[i].cause);
		must_match(text, row[i].place);
		must_match(text,
			"^   where   .*[a-z_]+\\(\\) [a-z_]+\\.[ch]:[0-9]+(, on [^(]+)? \\([0-9]+ %\\)$");
		if (row[i].fix) {
			must_match(text, row[i].fix);
			must_match(text,
				"^   payoff  [0-9.]+x faster on 2 cores \\([0-9.]+x (to [0-9.]+x|or more)\\), speedup ");
		} else {
			assert_null(strstr(text, "\n   fix "));
			assert_null(strstr(text, "\n   payoff "));
		}
		must_match(text, "^   next    [^ ]");
		must_match(text, "(Main|Possible)( |\n *)cause:");
		must_match(text, "  <- 1$");
		free(text);
		sd_record_free(&r);
	}
}

/* Each cause with its own place, fix and payoff. */
static void two_causes_are_in_33_lines(void **state)
{
	struct sd_record r;
	char *text;

	(void)state;
	assert_int_equal(sd_record_read(FOLDER "serial_imbalance.json", &r, NULL), 0);
	text = first_screen(&r);
	check_first_screen(text, 33);
	must_match(text, "^Poor scaling: 1\\.0[0-9]x speedup on 2 cores ");
	must_match(text, "Main( |\n *)cause:( |\n *)serial( |\n *)code in plan\\(\\)");
	must_match(text, "^1\\. Serial code costs 0\\.[0-9]+ of 2 cores \\(likely; ");
	must_match(text, "^   where   plan\\(\\) -> work\\(\\) work\\.h:26 \\(");
	must_match(text, "^2\\. Load imbalance costs 0\\.[0-9]+ of 2 cores \\(possible; ");
	must_match(text, "^   where   parallel region in main\\(\\) -> work\\(\\) work\\.h:26 \\(");
	must_match(text, "schedule\\(dynamic\\)");
	must_match(text, "  <- 2$");
	free(text);
	sd_record_free(&r);
}

static void what_scales_has_a_headline_and_no_cause(void **state)
{
	struct sd_record r;
	char *text;

	(void)state;
	assert_int_equal(sd_record_read(FOLDER "scales.json", &r, NULL), 0);
	text = first_screen(&r);
	check_first_screen(text, 25);
	must_match(text, "^Scales well: 1\\.9[0-9]x speedup on 2 cores \\(9[0-9] ");
	must_match(text, "^Still worth adding cores at 2");
	assert_null(strstr(text, "ause:"));
	assert_null(strstr(text, "\n1. "));
	free(text);
	sd_record_free(&r);
}

/* Counts that others published of 112 threads: no samples, so no place, and no CPU times, so that
 * nobody can say what the cause costs; that is said, and the rest is as of any record. */
static void bandwidth_is_the_answer_of_a_published_table(void **state)
{
	char *table = calloc(1, 1 << 16), *text;
	FILE *const f = fopen("tests/fixtures/published/proxy_8180M.csv", "r");
	struct sd_import im = {0};

	(void)state;
	assert_non_null(f);
	assert_non_null(table);
	const struct sd_import_text t = {"proxy_8180M.csv", table, fread(table, 1, 65535, f), NULL};

	assert_int_equal(fclose(f), 0);
	assert_int_equal(sd_import_csv(&im, &t, "HPCCG"), 0);
	assert_int_equal(sd_import_finish(&im, "HPCCG", NULL), 0);
	text = first_screen(&im.record);
	check_first_screen(text, 40);
	must_match(text, "^Poor scaling: 13\\.2[0-9]x speedup on 112 cores ");
	must_match(text, "Main( |\n *)cause:( |\n *)memory( |\n *)bandwidth");
	must_match(text, "^1\\. Memory bandwidth \\(likely; what it costs is not known\\)$");
	must_match(text, "^   fix     use all bytes of each line");
	must_match(text, "^   next    scalediag --experiments ");
	free(text);
	free(table);
	sd_import_free(&im);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(headline_cause_place_fix_and_payoff_are_on_the_first_screen),
		cmocka_unit_test(two_causes_are_in_33_lines),
		cmocka_unit_test(what_scales_has_a_headline_and_no_cause),
		cmocka_unit_test(bandwidth_is_the_answer_of_a_published_table),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
