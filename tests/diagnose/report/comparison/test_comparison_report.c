/* The comparison in each form: text, Markdown and the page say the same numbers in the same words.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <jansson.h>

#include "comparison/comparison_report.h"
#include "support/make_analysis.h"

static const struct sd_sides sides = {.before = "a<b>.json", .after = "b.json"};
static const struct sd_report_style style = {.width = 100};

/* Half as fast after at 2 cores, and serial code that is new. */
static void make(struct sd_comparison *c, struct sd_compared_point point[2])
{
	const struct sd_interval none = {.status = SD_STATUS_ABSENT};

	for (unsigned i = 0; i < 2; i++)
		point[i] = (struct sd_compared_point){.cores = i + 1,
			.wall_before = make_half(2, .01),
			.wall_after = make_half(i ? 4 : 2, .01),
			.gain = i ? make_interval(.5, .4, .625) : make_interval(1, .99, 1.01),
			.efficiency_before = i ? none : make_half(1, .01),
			.efficiency_after = make_half(1, .01),
			.time = i ? SD_CHANGE_MORE : SD_CHANGE_NOISE,
			.part[0] = {.component = SD_COMPONENT_SERIAL,
				.before = make_half(.1, .01),
				.after = make_half(2.1, .01),
				.difference = make_half(2, .02),
				.change = SD_CHANGE_MORE},
			.part[1] = {.component = SD_COMPONENT_LOCK,
				.before = make_half(0, .01),
				.after = make_half(0, .01),
				.difference = make_half(0, .02),
				.change = SD_CHANGE_NOISE},
			.n_part = 2};
	*c = (struct sd_comparison){.point = point, .n_point = 2, .verdict = SD_CHANGE_MORE};
	for (int i = 0; i < SD_CAUSE_COUNT; i++)
		c->cause[i] = (struct sd_compared_cause){.cause = (enum sd_cause)i,
			.before = SD_VERDICT_RULED_OUT,
			.after = SD_VERDICT_RULED_OUT,
			.cores_before = none,
			.cores_after = none};
	c->cause[SD_CAUSE_SERIAL_CODE].fate = SD_FATE_CAME;
	c->cause[SD_CAUSE_SERIAL_CODE].after = SD_VERDICT_LIKELY;
	c->cause[SD_CAUSE_SERIAL_CODE].cores_after = make_half(.5, .01);
}

static void all_formats_say_how_many_times_slower(void **state)
{
	struct sd_compared_point point[2];
	struct sd_comparison c;
	char *text, *markdown, *page;

	(void)state;
	make(&c, point);
	text = make_report(sd_comparison_text(out, &c, &sides, &style));
	markdown = make_report(sd_comparison_markdown(out, &c, &sides));
	page = make_report(sd_comparison_html(out, &c, &sides));
	assert_non_null(strstr(text, "2.000x  slower"));
	assert_non_null(strstr(text, "1.000x  within noise"));
	assert_non_null(strstr(markdown, "| 2.000x ± 0.500 | slower |"));
	assert_non_null(strstr(markdown, "| within noise |"));
	assert_non_null(strstr(page, "2.000x <span class=\"soft\">±0.500</span>"));
	assert_non_null(strstr(page, "95 %: 1.6000 to 2.5000"));
	assert_non_null(strstr(page, ">slower<"));
	assert_non_null(strstr(page, ">within noise<"));
	/* as many digits of a time */
	assert_non_null(strstr(text, " 4.00 "));
	assert_non_null(strstr(markdown, "| 4.00 ± 0.01 |"));
	assert_non_null(strstr(page, ">4.00 <"));
	free(text);
	free(markdown);
	free(page);
}

static void the_page_says_when_each_side_was_measured(void **state)
{
	static const unsigned cores[] = {1};
	struct sd_compared_point point[2];
	struct sd_comparison c;
	struct sd_record r;
	char *page;

	(void)state;
	make(&c, point);
	make_record(&r, cores, 1);
	make_run(&r, 0, 1, 1, 0)->start = 1764547200; /* seconds of the epoch */
	page = make_report(sd_comparison_html(
		out, &c, &(struct sd_sides){"a.json", "b.json", .after_record = &r}));
	assert_non_null(strstr(page, ">a.json, then b.json (2025-12-01 00:00 UTC)<"));
	free(page);
	sd_record_free(&r);
}

static void what_is_nothing_stands_in_json_alone(void **state)
{
	struct sd_compared_point point[2];
	struct sd_comparison c;
	char *page, *text;
	json_t *root, *last, *gain;

	(void)state;
	make(&c, point);
	page = make_report(sd_comparison_html(out, &c, &sides));
	assert_non_null(strstr(page, "<tr data-component=\"serial\" data-label=\"serial sections"));
	assert_null(strstr(page, "data-component=\"lock\""));
	assert_null(strstr(page, ">allocator<"));
	assert_non_null(strstr(page, ">serial code<"));
	/* what was not measured is a dash, never 0 */
	assert_non_null(strstr(page, "title=\"absent\">–<"));
	assert_null(strstr(page, "a<b>"));
	text = make_report(sd_comparison_json(out, &c, &sides));
	root = json_loads(text, 0, NULL);
	assert_non_null(root);
	last = json_array_get(json_object_get(root, "points"), 1);
	assert_int_equal(json_array_size(json_object_get(last, "stack")), 2);
	assert_int_equal(json_array_size(json_object_get(root, "causes")), SD_CAUSE_COUNT);
	/* before / after for machines, whatever people are told */
	gain = json_object_get(json_object_get(last, "gain"), "value");
	assert_true(json_real_value(gain) > .49 && json_real_value(gain) < .51);
	json_decref(root);
	free(text);
	free(page);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_formats_say_how_many_times_slower),
		cmocka_unit_test(the_page_says_when_each_side_was_measured),
		cmocka_unit_test(what_is_nothing_stands_in_json_alone),
	};

	return cmocka_run_group_tests_name("comparison_report", tests, NULL, NULL);
}
