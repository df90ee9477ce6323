/* Hotspots by events as a reader gets them: the function, its metrics, and how late samples are. */
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "diagnose/report/text/text_page.h"

static void hotspots_are_named_with_their_metrics(void **state)
{
	struct sd_record r;
	struct sd_analysis a;
	char *text;

	(void)state;
	make_stencil(&r, &a);
	text = make_report(sd_report_text(out, &r, &a, &plain));
	assert_null(strstr(text, "by events"));
	free(text);
	make_events(&a, 0);
	text = make_report(sd_report_text(out, &r, &a, &plain));
	assert_non_null(strstr(text, "Hotspots by events at 8 cores"));
	assert_non_null(strstr(text, "increment() count.c:12"));
	assert_non_null(strstr(text, "cpi 4.25 cycles/instruction, past its threshold: 92 % of"));
	/* of so few samples no metric */
	assert_non_null(strstr(text, "hitm-per-1000: 90 % of its events"));
	assert_non_null(strstr(text, "Not precise: hitm-per-1000"));
	assert_non_null(strstr(text, "skid"));
	free(text);
	a.events.metric[1].precise = 1;
	text = make_report(sd_report_text(out, &r, &a, &plain));
	assert_non_null(strstr(text, "All are precise"));
	assert_null(strstr(text, "skid"));
	free(text);
	sd_record_free(&r);
	sd_analysis_free(&a);
}

/* A metric past its threshold in the whole program names the function that it comes from. */
static void a_metric_past_its_threshold_names_its_function(void **state)
{
	struct sd_record r;
	struct sd_analysis a;
	char *text;

	(void)state;
	make_stencil(&r, &a);
	a.point[3].shown[0].meaning = "bytes of whole lines";
	a.point[3].shown[0].over = 1;
	make_events(&a, 1);
	text = make_report(sd_report_text(out, &r, &a, &plain));
	assert_null(strstr(text, "% of it in increment()"));
	free(text);
	a.events.metric[0].name = a.point[3].shown[0].name;
	text = make_report(sd_report_text(out, &r, &a, &plain));
	assert_non_null(strstr(text, "92 % of it in increment() count.c:12"));
	free(text);
	sd_record_free(&r);
	sd_analysis_free(&a);
}

static void machines_get_every_number(void **state)
{
	struct sd_record r;
	struct sd_analysis a;
	json_t *root, *h, *f, *c;
	json_error_t e;
	char *text;

	(void)state;
	make_stencil(&r, &a);
	make_events(&a, 0);
	text = make_report(sd_report_json(out, &r, &a));
	root = json_loads(text, JSON_REJECT_DUPLICATES, &e);
	free(text);
	assert_non_null(root);
	h = json_object_get(root, "event_hotspots");
	assert_int_equal(json_integer_value(json_object_get(h, "cores")), 8);
	c = json_array_get(json_object_get(h, "metrics"), 1);
	assert_string_equal(json_string_value(json_object_get(c, "name")), "hitm-per-1000");
	assert_true(json_is_false(json_object_get(c, "precise")));
	f = json_array_get(json_object_get(h, "functions"), 0);
	assert_string_equal(json_string_value(json_object_get(f, "function")), "increment()");
	assert_int_equal(json_integer_value(json_object_get(f, "line")), 12);
	c = json_array_get(json_object_get(f, "metrics"), 0);
	assert_true(json_real_value(json_object_get(c, "share")) == .92);
	assert_true(json_is_true(json_object_get(c, "over")));
	assert_true(
		json_real_value(json_object_get(json_object_get(c, "metric"), "value")) == 4.25);
	c = json_array_get(json_object_get(f, "metrics"), 1);
	assert_true(json_is_null(json_object_get(json_object_get(c, "metric"), "value")));
	json_decref(root);
	sd_record_free(&r);
	sd_analysis_free(&a);
}

/* Parts of the issue slots stand below what they are parts of; beyond its threshold a metric says
 * what to do, and how far its counts are to be relied on. */
static void issue_slots_are_a_tree(void **state)
{
	static const struct sd_shown shown[] = {
		{.name = "memory-bound",
			.part_of = "backend-bound",
			.unit = "ratio",
			.value = {.68, .68, .68, SD_STATUS_OK},
			.meaning = "waits",
			.advice = "block the loops",
			.over = 1,
			.multiplexed = 1},
		{.name = "retiring",
			.part_of = "slots",
			.unit = "ratio",
			.value = {.12, .12, .12, SD_STATUS_OK},
			.meaning = "work"},
		{.name = "backend-bound",
			.part_of = "slots",
			.unit = "ratio",
			.value = {.78, .78, .78, SD_STATUS_OK},
			.meaning = "stalls"},
	};
	struct sd_record r;
	struct sd_analysis a;
	struct sd_point *pt;
	char *text;

	(void)state;
	make_stencil(&r, &a);
	pt = &a.point[a.n_point - 1];
	free(pt->shown);
	pt->shown = make_zeroed(3, sizeof *pt->shown);
	pt->n_shown = 3;
	memcpy(pt->shown, shown, sizeof shown);
	text = make_report(sd_report_text(out, &r, &a, &plain));
	if (!strstr(text, "  retiring                      12.0 %\n"
			  "  backend-bound                 78.0 %\n"
			  "    memory-bound                68.0 %  <-\n"))
		fail_msg("no tree:\n%s", text);
	assert_non_null(strstr(text, "memory-bound 0.68 ratio: waits; its counts took turns"));
	assert_non_null(strstr(text, "Do: block the loops"));
	free(text);
	sd_record_free(&r);
	sd_analysis_free(&a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(hotspots_are_named_with_their_metrics),
		cmocka_unit_test(a_metric_past_its_threshold_names_its_function),
		cmocka_unit_test(issue_slots_are_a_tree),
		cmocka_unit_test(machines_get_every_number),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
