#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "diagnose/report/text/text_page.h"
#include "page/sanitize.h"
#include "page/page.h"

static void a_program_that_does_not_scale_is_explained(void **state)
{
	struct sd_record r;
	struct sd_analysis a;
	char *text;

	(void)state;
	make_stencil(&r, &a);
	text = make_report(sd_report_text(out, &r, &a, &plain));
	check_golden("stencil.txt", text);
	assert_non_null(strstr(text, "Poor scaling: 2.69x speedup on 8 cores"));
	assert_non_null(strstr(
		text, "1  memory bandwidth, 3.72 of 8 cores (95 %: 3.55 to 3.86) · confirmed"));
	free(text);
	sd_record_free(&r);
	sd_analysis_free(&a);
}

static void the_full_report_says_whose_record_it_is(void **state)
{
	static const struct sd_report_style wide = {.width = 200};
	struct sd_record r;
	struct sd_analysis a;
	char *text;

	(void)state;
	make_stencil(&r, &a);
	strcpy(r.program.source.commit, "0123456789abcdef");
	strcpy(r.program.source.branch, "ma\033in");
	text = make_report(sd_report_text(out, &r, &a, &wide));
	assert_non_null(strstr(text, "2023-11-14 22:13 UTC on node · commit 01234567 ma\\x1bin\n"));
	free(text);
	/* what is not known is not said */
	r.host.name[0] = r.program.source.commit[0] = '\0';
	for (size_t i = 0; i < r.n_run; i++)
		r.run[i].start = 0;
	text = make_report(sd_report_text(out, &r, &a, &wide));
	assert_non_null(strstr(text, "(no PMU: virtual machine)\n"));
	free(text);
	sd_record_free(&r);
	sd_analysis_free(&a);
}

static void a_metric_past_its_threshold_is_shown_with_its_meaning(void **state)
{
	struct sd_record r;
	struct sd_analysis a;
	char *text;

	(void)state;
	make_stencil(&r, &a);
	a.point[3].shown[0].meaning = "bytes of whole lines";
	text = make_report(sd_report_text(out, &r, &a, &plain));
	assert_non_null(strstr(text, "0 of 1 metrics past the threshold"));
	assert_null(strstr(text, "bytes of whole lines"));
	free(text);
	a.point[3].shown[0].over = 1;
	a.point[3].shown[0].reference = "a paper";
	text = make_report(sd_report_text(out, &r, &a, &plain));
	assert_non_null(strstr(text, "bandwidth 38.2 GB/s: bytes of whole lines"));
	free(text);
	text = make_report(sd_report_json(out, &r, &a));
	assert_non_null(strstr(text, "\"meaning\": \"bytes of whole lines\""));
	assert_non_null(strstr(text, "\"reference\": \"a paper\""));
	assert_non_null(strstr(text, "\"over\": true"));
	free(text);
	sd_record_free(&r);
	sd_analysis_free(&a);
}

static void a_program_that_scales_is_said_to_scale(void **state)
{
	struct sd_record r;
	struct sd_analysis a;
	char *text;

	(void)state;
	make_scaling(&r, &a);
	text = make_report(sd_report_text(out, &r, &a, &plain));
	check_golden("scaling.txt", text);
	assert_non_null(strstr(text, "Scales well: 1.98x speedup on 2 cores (99 ±"));
	assert_null(strstr(text, "confirmed"));
	assert_null(strstr(text, "likely"));
	free(text);
	sd_record_free(&r);
	sd_analysis_free(&a);
}

static void what_a_reader_must_know_is_said_and_no_escape_gets_through(void **state)
{
	struct sd_record r;
	struct sd_analysis a;
	char *text;

	(void)state;
	make_hostile(&r, &a);
	text = make_report(sd_report_text(out, &r, &a, &plain));
	check_golden("hostile.txt", text);
	for (const char *p = text; *p; p++)
		assert_true(*p == '\n' || ((unsigned char)*p >= 0x20 && *p != 0x7f));
	assert_null(strstr(text, "\xc2\x9b"));
	assert_null(strstr(text, "\xe2\x80\xae"));
	assert_null(strstr(text, "\nWarning: forged"));
	assert_non_null(strstr(text, "2 runs in the other placement"));
	assert_non_null(strstr(text, "--resume"));
	assert_non_null(
		strstr(text, "undecided, 3.72 of 8 cores (one run) · each of these is possible"));
	/* causes that nothing tells apart share one entry */
	assert_non_null(strstr(text, "shared cache capacity, false sharing: run 8 copies at once"));
	free(text);
	sd_record_free(&r);
	sd_analysis_free(&a);
}

/* 3.72 cores are undecided, and so many are possibly the first cause's. */
static int is_undecided_first(double cores, const char *shown, int contradicted)
{
	struct sd_record r;
	struct sd_analysis a;
	char *text;
	int undecided = 0, first = -1;

	make_hostile(&r, &a);
	a.finding[0].verdict = SD_VERDICT_POSSIBLE;
	a.finding[0].cores = make_half(cores, .1);
	a.finding[0].contradicted = contradicted;
	text = make_report(sd_report_text(out, &r, &a, &plain));
	for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n")) {
		undecided |= strstr(line, "undecided, 3.72") != NULL;
		first = strstr(line, shown) ? undecided : first;
	}
	assert_true(undecided && first >= 0);
	free(text);
	sd_record_free(&r);
	sd_analysis_free(&a);
	return first;
}

static void the_larger_loss_stands_first_where_nothing_is_more_than_possible(void **state)
{
	(void)state;
	assert_true(is_undecided_first(1, ", 1.00 of 8", 0));
	assert_false(is_undecided_first(5, ", 5.00 of 8", 0));
	/* unless something speaks against it */
	assert_true(is_undecided_first(5, ", 5.00 of 8", 1));
}

static void a_verdict_stands_beside_what_it_is_about_only(void **state)
{
	struct sd_record r;
	struct sd_analysis a;
	char *text;

	(void)state;
	make_stencil(&r, &a);
	for (int i = 0; i < SD_CAUSE_COUNT; i++)
		if (a.finding[i].cause == SD_CAUSE_NOISE)
			a.finding[i].verdict = SD_VERDICT_LIKELY;
	a.point[3].stack[SD_COMPONENT_STOLEN] = make_half(0.02, 0.01);
	a.point[3].stack[SD_COMPONENT_RUN_QUEUE] = make_half(0.9, 0.1);
	text = make_report(sd_report_text(out, &r, &a, &plain));
	for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n")) {
		if (strstr(line, "stolen by the hypervisor "))
			assert_null(strstr(line, "likely"));
		if (strstr(line, "waiting for a CPU "))
			assert_non_null(strstr(line, "likely"));
	}
	free(text);
	sd_record_free(&r);
	sd_analysis_free(&a);
}

/* Columns of the longest line. */
static size_t widest(const char *text)
{
	size_t most = 0;

	while (*text) {
		char line[1024];
		const size_t n = strcspn(text, "\n");

		assert_true(n < sizeof line);
		memcpy(line, text, n);
		line[n] = '\0';
		most = sd_page_columns(line) > most ? sd_page_columns(line) : most;
		text += n + (text[n] == '\n');
	}
	return most;
}

static void every_line_keeps_within_the_width(void **state)
{
	struct sd_record r;
	struct sd_analysis a;

	(void)state;
	make_stencil(&r, &a);
	for (unsigned width = 60; width <= 200; width++)
		for (int ascii = 0; ascii < 2; ascii++) {
			const struct sd_report_style s = {
				.record_path = "r.json", .width = width, .ascii = ascii};
			char *text = make_report(sd_report_text(out, &r, &a, &s));
			char *plan = make_report(sd_report_plan(out, &r, &s));

			if (widest(text) > width || widest(plan) > width)
				fail_msg("%zu and %zu columns of %u:\n%s%s", widest(text),
					widest(plan), width, text, plan);
			free(text);
			free(plan);
		}
	sd_record_free(&r);
	sd_analysis_free(&a);
}

static void a_narrow_ascii_page_holds_ascii_alone(void **state)
{
	struct sd_record r;
	struct sd_analysis a;
	const struct sd_report_style s = {.record_path = "r.json", .width = 60, .ascii = 1};
	char *text;

	(void)state;
	make_hostile(&r, &a);
	text = make_report(sd_report_text(out, &r, &a, &s));
	check_golden("narrow.txt", text);
	for (const char *p = text; *p; p++)
		assert_true((unsigned char)*p < 0x80);
	free(text);
	sd_record_free(&r);
	sd_analysis_free(&a);
}

static void colours_change_nothing_but_colours(void **state)
{
	struct sd_record r;
	struct sd_analysis a;
	const struct sd_report_style s = {
		.record_path = plain.record_path, .width = plain.width, .colour = 1};
	char *text, *bare, *to;

	(void)state;
	make_stencil(&r, &a);
	bare = make_report(sd_report_text(out, &r, &a, &plain));
	text = make_report(sd_report_text(out, &r, &a, &s));
	assert_non_null(strstr(text, "\033[31mconfirmed\033[0m"));
	to = text;
	for (const char *p = text; *p;) {
		if (*p == '\033')
			p += strcspn(p, "m") + 1;
		else
			*to++ = *p++;
	}
	*to = '\0';
	assert_string_equal(text, bare);
	free(text);
	free(bare);
	sd_record_free(&r);
	sd_analysis_free(&a);
}

static void without_a_finished_run_only_that_is_said(void **state)
{
	static const unsigned cores[] = {1, 2};
	struct sd_record r;
	struct sd_analysis a = {0};
	char *text;

	(void)state;
	make_record(&r, cores, 2);
	sd_texts_add(&a.warnings, "2 cores: the program exited with 3");
	text = make_report(sd_report_text(out, &r, &a, &plain));
	assert_non_null(strstr(text, "there is nothing to report"));
	assert_non_null(strstr(text, "Warning: 2 cores: the program exited with 3"));
	assert_null(strstr(text, "scales"));
	free(text);
	sd_record_free(&r);
	sd_analysis_free(&a);
}

static void a_throughput_is_compared_as_one(void **state)
{
	const struct sd_report_style wide = {.width = 200};
	struct sd_record r;
	struct sd_analysis a;
	char *text;

	(void)state;
	make_scaling(&r, &a);
	r.program.rate = strdup("([0-9]+) ops/s");
	a.scales = SD_SCALES_UNKNOWN;
	text = make_report(sd_report_text(out, &r, &a, &wide));
	assert_non_null(strstr(text, "1.98x the throughput on 2 cores"));
	assert_non_null(strstr(text, "More runs (--repeats) narrow that"));
	assert_null(strstr(text, "see the warnings"));
	free(text);
	sd_record_free(&r);
	sd_analysis_free(&a);
}

static void one_core_count_is_no_scaling(void **state)
{
	struct sd_record r;
	struct sd_analysis a;
	char *text;

	(void)state;
	make_scaling(&r, &a);
	a.n_point = 1;
	a.scales = SD_SCALES_UNKNOWN;
	text = make_report(sd_report_text(out, &r, &a, &plain));
	assert_non_null(strstr(text, "nothing to compare"));
	assert_null(strstr(text, "Scales well"));
	free(text);
	a.n_point = 2;
	sd_record_free(&r);
	sd_analysis_free(&a);
}

/* The loss that the model charges to nothing is said all the same; of a part nothing is known. */
static void what_only_simulated_counts_lose_is_said(void **state)
{
	struct sd_estimate e = {
		.cores = 8, .wall = 1, .speedup = 4.5, .lost = 3.5, .error = SD_NOT(ABSENT)};
	struct sd_record r;
	struct sd_analysis a;
	char *text;

	(void)state;
	make_stencil(&r, &a);
	for (int i = 0; i < SD_CAUSE_COUNT; i++)
		e.cost[i] = SD_NOT(ABSENT);
	a.estimate = &e;
	a.n_estimate = 1;
	text = make_report(sd_report_text(out, &r, &a, &plain));
	assert_non_null(strstr(text, "3.5  waits and uneven shares 3.5"));
	free(text);
	e.cost[SD_CAUSE_DTLB] = SD_OK(2);
	text = make_report(sd_report_text(out, &r, &a, &plain));
	assert_non_null(strstr(text, "3.5  DTLB 2.0, waits and uneven shares 1.5"));
	free(text);
	e.partial = 1;
	text = make_report(sd_report_text(out, &r, &a, &plain));
	assert_non_null(strstr(text, "4.50x      –"));
	assert_null(strstr(text, "uneven shares"));
	free(text);
	a.estimate = NULL;
	a.n_estimate = 0;
	sd_record_free(&r);
	sd_analysis_free(&a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_program_that_does_not_scale_is_explained),
		cmocka_unit_test(the_full_report_says_whose_record_it_is),
		cmocka_unit_test(a_metric_past_its_threshold_is_shown_with_its_meaning),
		cmocka_unit_test(a_program_that_scales_is_said_to_scale),
		cmocka_unit_test(what_a_reader_must_know_is_said_and_no_escape_gets_through),
		cmocka_unit_test(the_larger_loss_stands_first_where_nothing_is_more_than_possible),
		cmocka_unit_test(a_verdict_stands_beside_what_it_is_about_only),
		cmocka_unit_test(every_line_keeps_within_the_width),
		cmocka_unit_test(a_narrow_ascii_page_holds_ascii_alone),
		cmocka_unit_test(colours_change_nothing_but_colours),
		cmocka_unit_test(without_a_finished_run_only_that_is_said),
		cmocka_unit_test(a_throughput_is_compared_as_one),
		cmocka_unit_test(one_core_count_is_no_scaling),
		cmocka_unit_test(what_only_simulated_counts_lose_is_said),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
