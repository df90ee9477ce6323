/* The first screen where it is not known whether the program scales, or nothing is. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "diagnose/report/text/brief_screen.h"

/* The times vary so much that it may scale. */
static void what_is_undecided_says_what_would_decide_it(void **state)
{
	struct sd_record r;
	struct sd_analysis a;
	char *text;

	(void)state;
	make_one_cause(&r, &a, SD_CAUSE_LOAD_IMBALANCE, SD_COMPONENT_IMBALANCE,
		"hand out smaller parts: schedule(dynamic) in lookup()");
	a.scales = SD_SCALES_UNKNOWN;
	a.surely = make_half(1.6, .4);
	a.point[1].speedup = make_half(1.6, .38);
	a.point[1].efficiency = make_half(.8, .19);
	a.finding[0].verdict = SD_VERDICT_POSSIBLE;
	text = brief(&r, &a, 25);
	must_have(text,
		"1.60x speedup on 2 cores (80 ±19 % efficiency), surely between 1.20x and 2.00x");
	must_have(text, "(from 1.60x on it scales). More runs (--repeats)");
	assert_null(strstr(text, "Undecided"));
	must_have(text, "More runs (--repeats)");
	must_have(text, "Possible cause:\n  load imbalance in lookup().");
	must_have(text, "where   lookup() mutex.cpp:11 (79 %)");
	/* nobody changes code for a suspicion */
	assert_null(strstr(text, "   fix "));
	assert_null(strstr(text, "   payoff "));
	free(text);
	a.finding[0].verdict = SD_VERDICT_LIKELY;
	text = brief(&r, &a, 25);
	must_have(text, "imbalance in lookup(), worth 1.46x");
	must_have(text, "fix     hand out smaller parts");
	must_have(text, "payoff  1.46x faster on 2 cores");
	free(text);
	a.finding[0].verdict = SD_VERDICT_POSSIBLE;
	/* of more runs as many would be discarded */
	a.point[1].runs_other = a.point[1].runs;
	text = brief(&r, &a, 25);
	must_have(text, "of its runs met the machine in another state");
	assert_null(strstr(text, "More runs (--repeats)"));
	free(text);
	sd_record_free(&r);
	sd_analysis_free(&a);
}

/* Such a program's parts are those of its start, by chance. */
static void a_program_that_is_too_short_has_no_parts(void **state)
{
	(void)state;
	for (int is_short = 0; is_short < 2; is_short++) {
		struct sd_record r;
		struct sd_analysis a;
		char *text;

		make_one_cause(&r, &a, SD_CAUSE_LOCK_CONTENTION, SD_COMPONENT_LOCK, "hold it less");
		if (is_short)
			a.too_short = SD_OK(.007);
		text = brief(&r, &a, 25);
		assert_int_equal(strstr(text, "Where the time of 2 cores goes") == NULL, is_short);
		assert_int_equal(strstr(text, "too short to tell") != NULL, is_short);
		free(text);
		sd_record_free(&r);
		sd_analysis_free(&a);
	}
}

/* Before the command, and once. */
static void results_that_differ_are_the_first_line(void **state)
{
	static const char begin[] = "Results differ: 3 of 5 runs";
	struct sd_record r;
	struct sd_analysis a;
	char *text[2];

	(void)state;
	make_one_cause(&r, &a, SD_CAUSE_LOCK_CONTENTION, SD_COMPONENT_LOCK, "hold it for less");
	assert_int_equal(sd_texts_add(&a.warnings, "another"), 0);
	assert_int_equal(sd_texts_add(&a.warnings, "results differ: 3 of 5 runs"), 0);
	text[0] = brief(&r, &a, 45);
	text[1] = make_report(sd_report_text(out, &r, &a, &plain));
	for (size_t i = 0; i < 2; i++) {
		const char *const first = text[i] + (*text[i] == '\n');

		if (strncmp(first, begin, sizeof begin - 1) != 0 ||
			strstr(first + sizeof begin, "esults differ"))
			fail_msg("not first, or twice:\n%s", text[i]);
		free(text[i]);
	}
	sd_record_free(&r);
	sd_analysis_free(&a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_program_that_is_too_short_has_no_parts),
		cmocka_unit_test(results_that_differ_are_the_first_line),
		cmocka_unit_test(what_is_undecided_says_what_would_decide_it),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
