/*
 * A column that is declared once stands in every format, with its head or key, its unit and its
 * interval; numbers that are not there are said to be missing in each.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "render/json_values.h"
#include "render/render.h"

struct lane {
	const char *name;
	unsigned cars;
	struct sd_interval speed;
	struct sd_value toll;
	double load, nothing;
	const float *shade;
	size_t n_shade;
};

#define AT(member) .at = offsetof(struct lane, member)

static const struct sd_fact_column columns[] = {
	{"lane", "lane", SD_CELL_TEXT, AT(name)},
	{"cars", "cars", SD_CELL_COUNT, AT(cars)},
	{"speed_m_per_s", "km/h", SD_CELL_INTERVAL, AT(speed), .factor = 3.6, .decimals = 1,
		.half = 1},
	{"toll", "toll", SD_CELL_VALUE, AT(toll), .factor = 100, .unit = " %", .optional = 1},
	{"idle", "idle", SD_CELL_REAL, AT(nothing), .sparse = 1, .decimals = 2},
	{NULL, "", SD_CELL_BAR, AT(load), .width = 10},
	{NULL, "its hours", SD_CELL_SHADES, AT(shade), .n_at = offsetof(struct lane, n_shade),
		.not_in = SD_IN_MARKDOWN},
};
static const struct sd_fact_table table = SD_FACT_TABLE(columns, struct lane, .tail = 10);

static const float hours[] = {0, .5f, 1};
static const struct lane lanes[] = {
	{"left, \"fast\" <1>", 12, {10, 9, 11, SD_STATUS_OK}, {.5, SD_STATUS_OK}, .5, 0, hours, 3},
	{"right\x1b", 3, {0, 0, 0, SD_STATUS_ABSENT}, {0, SD_STATUS_DENIED}, 1, .001, hours, 3},
};

static const struct sd_fact_rows rows = {.table = &table, .row = lanes, .n = 2, .runs = 5};

static char *text_of(unsigned width, int ascii)
{
	const struct sd_report_style style = {.width = width, .ascii = ascii};
	char *text = NULL;
	size_t size = 0;
	FILE *const f = open_memstream(&text, &size);
	struct sd_page page;

	assert_non_null(f);
	sd_page_begin(&page, f, &style);
	sd_render_text_table(&page, &rows, 1);
	assert_int_equal(sd_page_end(&page), 0);
	assert_int_equal(fclose(f), 0);
	return text;
}

static char *written(void (*put)(FILE *f, const struct sd_fact_rows *rows))
{
	char *text = NULL;
	size_t size = 0;
	FILE *const f = open_memstream(&text, &size);

	assert_non_null(f);
	put(f, &rows);
	assert_int_equal(fclose(f), 0);
	return text;
}

static void put_json(FILE *f, const struct sd_fact_rows *r)
{
	assert_int_equal(sd_json_print(f, sd_render_json(r)), 0);
}

static void check_has(char *text, const char *const *wanted)
{
	for (; *wanted; wanted++)
		if (!strstr(text, *wanted))
			fail_msg("no '%s' in\n%s", *wanted, text);
	free(text);
}

static void a_column_stands_in_five_formats(void **state)
{
	static const char *const in_html[] = {"<th>km/h</th>",
		"<td title=\"95 %: 32.40 to 39.60\">36.0 <span class=\"soft\">±3.6</span></td>",
		"&lt;1&gt;", "title=\"denied\">denied</td>", ">–</td>", "title=\"50 %\"", NULL};
	static const char *const in_json[] = {"\"speed_m_per_s\": {", "\"value\": 10.0",
		"\"low\": 9.0", "\"toll\": null", "\"quality\": \"absent\"", NULL};
	static const char *const in_markdown[] = {
		"| lane | cars | km/h | toll |\n|---|--:|--:|--:|\n", "| 36.0 ± 3.6 | 50 % |",
		"| 3 | – | denied |", NULL};
	static const char *const in_csv[] = {"lane,cars,speed_m_per_s,toll,idle\r\n",
		"\"left, \"\"fast\"\" <1>\",12,10,0.5,0\r\n", ",3,,,0.001\r\n", NULL};
	char *const text = text_of(80, 0);

	(void)state;
	assert_string_equal(text,
		"  lane              cars  km/h    ±    toll\n"
		"  left, \"fast\" <1>    12  36.0  3.6    50 %  █████        ▒█\n"
		"  right\\x1b            3     –    -  denied  ██████████   ▒█\n");
	free(text);
	check_has(written(sd_render_html_table), in_html);
	check_has(written(put_json), in_json);
	check_has(written(sd_render_markdown), in_markdown);
	check_has(written(sd_render_csv), in_csv);
}

/* A sparse column that prints as 0 everywhere is left out for people; machines are told. */
static void a_sparse_column_of_nothing_is_for_machines(void **state)
{
	char *text = written(sd_render_html_table);

	(void)state;
	assert_null(strstr(text, "idle"));
	free(text);
	text = written(put_json);
	assert_non_null(strstr(text, "\"idle\": 0.001"));
	free(text);
}

static void a_narrow_page_drops_what_is_optional(void **state)
{
	char *const wide = text_of(80, 1), *const narrow = text_of(48, 1);

	(void)state;
	assert_non_null(strstr(wide, "toll"));
	assert_null(strstr(narrow, "toll"));
	assert_non_null(strstr(narrow, "km/h"));
	for (const char *c = wide; *c; c++)
		assert_true(*c == '\n' || (*c >= ' ' && *c < 0x7f));
	free(wide);
	free(narrow);
}

/* ---- what a column reads without a function of its own --------------------------------------- */

enum surface { GRAVEL, TAR };

struct road {
	enum surface surface;
	char number[8], owner[8];
	const struct lane *lane;
	size_t n_lane;
};

static int is_tarred(const void *road)
{
	return ((const struct road *)road)->surface == TAR;
}

static void say_number(const void *road, char *out)
{
	snprintf(out, 128, "B %s", ((const struct road *)road)->number);
}

static void make_state(const struct sd_fact_rows *r, size_t i, struct sd_cell *out)
{
	out->text = i ? "worn" : "sound";
	out->tone = i ? SD_CELL_BAD : SD_CELL_GOOD;
	(void)r;
}

static const void *first_lane(const struct sd_fact_rows *r, size_t i)
{
	return ((const struct road *)sd_fact_row(r, i))->lane;
}

#undef AT
#define AT(member) .at = offsetof(struct road, member)

static const char *const surface_name[] = {[GRAVEL] = "gravel", [TAR] = "tar"};
static const struct sd_fact_column tar_columns[] = {{"number", NULL, SD_CELL_CHARS, AT(number)}};
static const struct sd_fact_table tar_table =
	SD_FACT_TABLE(tar_columns, struct road, .has = is_tarred);
static const struct sd_fact_column road_columns[] = {
	{"surface", "surface", SD_CELL_NAME, AT(surface), .names = surface_name},
	{"owner", NULL, SD_CELL_CHARS, AT(owner), .empty_is_none = 1},
	{NULL, "road", SD_CELL_TEXT, .say = say_number},
	{NULL, "state", SD_CELL_TEXT, .make = make_state},
	{"cars", "cars", SD_CELL_COUNT, .of = first_lane, .at = offsetof(struct lane, cars)},
	{"tarred", NULL, SD_CELL_ROW, .rows = &tar_table},
	{"lanes", NULL, SD_CELL_ROWS, AT(lane), .n_at = offsetof(struct road, n_lane),
		.rows = &table},
};
static const struct sd_fact_table road_table = SD_FACT_TABLE(road_columns, struct road, );

static void a_column_reads_names_other_rows_and_tables_of_its_row(void **state)
{
	static const struct road road[] = {
		{GRAVEL, "7", "", &lanes[0], 2}, {TAR, "8", "us", &lanes[1], 1}};
	const struct sd_fact_rows roads = {.table = &road_table, .row = road, .n = 2, .runs = 5};
	json_t *const all = sd_render_json(&roads);
	char *const json = json_dumps(all, JSON_COMPACT | JSON_REAL_PRECISION(3)), *text = NULL;
	size_t size = 0;
	FILE *const f = open_memstream(&text, &size);

	(void)state;
	assert_non_null(strstr(json,
		"[{\"surface\":\"gravel\",\"owner\":null,\"cars\":12,\"tarred\":null,\"lanes\":[{"));
	assert_non_null(strstr(json, "\"owner\":\"us\",\"cars\":3,\"tarred\":{\"number\":\"8\"}"));
	/* the rows within have as many runs as the row */
	assert_non_null(strstr(json, "\"low\":9.0"));
	sd_render_html_table(f, &roads);
	assert_int_equal(fclose(f), 0);
	assert_non_null(strstr(text,
		"<tr><td class=\"left\">tar</td><td class=\"left\">B 8</td><td class=\"left bad\">worn"
		"</td><td>3</td></tr>"));
	assert_non_null(strstr(text, "<td class=\"left good\">sound</td>"));
	free(text);
	free(json);
	json_decref(all);
}

static int is_second(const struct sd_fact_rows *r, size_t i)
{
	(void)r;
	return i == 1;
}

/* People are shown the rows that are wanted, machines all. */
static void unwanted_rows_are_for_machines(void **state)
{
	struct sd_fact_rows one = rows;
	json_t *all;
	char *text = NULL;
	size_t size = 0;
	FILE *const f = open_memstream(&text, &size);

	(void)state;
	one.wanted = is_second;
	sd_render_markdown(f, &one);
	assert_int_equal(fclose(f), 0);
	assert_null(strstr(text, "| 12 |"));
	assert_non_null(strstr(text, "| 3 |"));
	free(text);
	all = sd_render_json(&one);
	assert_int_equal(json_array_size(all), 2);
	json_decref(all);
}

/* Titles, sentences and notes of a document, on a page and in a browser. */
static void a_document_is_drawn_by_its_blocks(void **state)
{
	static const struct sd_report_style style = {.width = 80};
	static const char *const in_text[] = {"Lanes (of 2 roads)\n", "  busy & slow\n", NULL};
	static const char *const in_html[] = {
		"<h2 id=\"lanes\">Lanes</h2><p class=\"soft\">of 2 roads", "<p>busy &amp; slow</p>",
		"<p class=\"soft\">and more</p>", NULL};

	(void)state;
	for (int html = 0; html < 2; html++) {
		char *text = NULL;
		size_t size = 0;
		FILE *const f = open_memstream(&text, &size);
		struct sd_page page;
		struct sd_document b = html ? sd_render_html(f) : sd_render_text(&page, 0);

		sd_page_begin(&page, f, &style);
		sd_document_title(&b, "lanes", "Lanes", "of %d roads", 2);
		sd_document_say(&b, SD_BLOCK_SENTENCE, "%s", "busy & slow");
		sd_document_say(&b, SD_BLOCK_NOTE, "%s", "and more");
		sd_document_end(&b);
		assert_int_equal(fclose(f), 0);
		check_has(text, html ? in_html : in_text);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_column_stands_in_five_formats),
		cmocka_unit_test(a_sparse_column_of_nothing_is_for_machines),
		cmocka_unit_test(a_narrow_page_drops_what_is_optional),
		cmocka_unit_test(a_column_reads_names_other_rows_and_tables_of_its_row),
		cmocka_unit_test(unwanted_rows_are_for_machines),
		cmocka_unit_test(a_document_is_drawn_by_its_blocks),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
