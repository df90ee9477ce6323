#include "calibration/bench_report.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "calibration/bench_changes.h"
#include "page/plot.h"

static void add(struct sd_profile *p, const char *kernel, const char *variant, unsigned cores,
	const char *cpus, double parameter, const char *parameter_unit, const char *unit, double v)
{
	struct sd_bench_row r = {.kernel = kernel,
		.cores = cores,
		.parameter = parameter,
		.parameter_unit = parameter_unit,
		.unit = unit,
		.n = 5,
		.median = v,
		.q1 = v,
		.q3 = v,
		.low = v,
		.high = v,
		.status = SD_STATUS_OK};

	snprintf(r.variant, sizeof r.variant, "%s", variant);
	snprintf(r.cpus, sizeof r.cpus, "%s", cpus);
	assert_int_equal(sd_bench_rows_add(&p->rows, &r), 0);
}

static struct sd_profile make(void)
{
	struct sd_profile p = {.key = {"node1", "A CPU", "6.1", "0"},
		.granted = 2,
		.seconds = 12,
		.states = {.n = 1, .line = {55e-9}, .seen = {9}},
		.visible_llc = SD_OK(32 << 20)};

	add(&p, "triad", "stores=nt isa=avx2 pages=2MiB team=threads place=compact bytes=counted",
		2, "0-1", 1e9, "B", "GB/s", 46.1);
	add(&p, "ceiling", "op=triad stores=nt isa=avx2 pages=2MiB team=threads bytes=counted", 2,
		"0-1", 1 << 30, "B", "GB/s", 46.1);
	for (int i = 0; i < 10; i++)
		add(&p, "latency", "pages=4KiB", 1, "0", 4096 << i, "B", "ns", 1 + i * i);
	add(&p, "latency", "level=DRAM pages=4KiB", 1, "0", 1 << 30, "B", "ns", 177);
	add(&p, "latency", "effective=LLC pages=4KiB", 1, "0", 32 << 20, "B visible", "B",
		16 << 20);
	for (int i = 0; i < 5; i++) {
		add(&p, "loaded", "mix=read stores=none", 2, "0-1", i, "GB/s asked", "ns",
			100 + 20 * i);
		add(&p, "loaded", "mix=read stores=none", 2, "0-1", i, "GB/s asked", "GB/s", 5 * i);
	}
	add(&p, "transfer", "op=load-store lines=4 line=median", 2, "0-1", 0, "", "ns", 57.2);
	for (int i = 0; i < 30; i++)
		add(&p, "future", "lock=mutex quantity=throughput", 2, "0-1", 0, "", "1/s", 25e6);
	sd_profile_count(&p);
	return p;
}

static char *text_of(const struct sd_profile *p, int all, int ascii)
{
	const struct sd_report_style style = {.width = 100, .ascii = ascii};
	char *text = NULL;
	size_t n;
	FILE *f = open_memstream(&text, &n);

	assert_non_null(f);
	assert_int_equal(sd_bench_text(f, p, all, &style), 0);
	assert_int_equal(fclose(f), 0);
	return text;
}

static void the_text_says_ceiling_levels_pairs_and_units(void **state)
{
	static const char *const expected[] = {"GB = 1e9", "46.1", "triad nt avx2", "DRAM",
		"really holds about 16 MiB of the 32 MiB", "CPU", "57", "while 1 other moves data",
		"25M 1/s", "and 14 more", "177 ns", "4.0 KiB"};
	struct sd_profile p = make();
	char *text = text_of(&p, 0, 0);

	(void)state;
	for (size_t i = 0; i < sizeof expected / sizeof *expected; i++)
		if (!strstr(text, expected[i]))
			fail_msg("no \"%s\" in\n%s", expected[i], text);
	free(text);
	text = text_of(&p, 1, 0);
	assert_null(strstr(text, " more:"));
	free(text);
	sd_profile_free(&p);
}

static void values_of_one_or_two_samples_are_marked(void **state)
{
	struct sd_profile p = make();
	char *text = text_of(&p, 0, 0);

	(void)state;
	assert_null(strstr(text, "46.1*"));
	free(text);
	p.rows.row[0].n = 2;
	text = text_of(&p, 0, 0);
	assert_non_null(strstr(text, "46.1*"));
	assert_non_null(strstr(text, "* of one or two samples"));
	free(text);
	sd_profile_free(&p);
}

static void ascii_is_ascii(void **state)
{
	struct sd_profile p = make();
	char *text = text_of(&p, 1, 1);

	(void)state;
	for (const char *c = text; *c; c++)
		assert_true((unsigned char)*c < 0x80);
	free(text);
	sd_profile_free(&p);
}

static void a_missing_number_is_a_reason_and_never_zero(void **state)
{
	struct sd_profile p = {.key = {"", "A CPU", "", ""}};
	struct sd_bench_row r = {.kernel = "disk",
		.variant = "op=all",
		.unit = "GB/s",
		.parameter_unit = "",
		.status = SD_STATUS_ABSENT,
		.why = "no directory was given"};
	char *text;

	(void)state;
	assert_int_equal(sd_bench_rows_add(&p.rows, &r), 0);
	text = text_of(&p, 0, 0);
	assert_non_null(strstr(text, "no directory was given"));
	assert_null(strstr(text, "0.00"));
	free(text);
	sd_profile_free(&p);
}

static void a_machine_of_two_states_is_told_so(void **state)
{
	struct sd_profile p = make();
	char *text;

	(void)state;
	p.states = (struct sd_machine_states){
		.n = 2, .line = {55e-9, 250e-9}, .seen = {9, 3}, .split = {{0}, {210e-9, 310e-9}}};
	text = text_of(&p, 0, 0);
	assert_non_null(strstr(text, "line round trip 55 ns, seen 9 times"));
	assert_non_null(strstr(text, "line round trip 250 ns"));
	assert_non_null(strstr(text, "none is an average"));
	assert_non_null(strstr(text, "state 1 was seen at 210 ns and at 310 ns"));
	assert_null(strstr(text, "state 0 was seen at"));
	free(text);
	sd_profile_free(&p);
}

static void csv_has_a_header_a_line_a_row_and_quotes(void **state)
{
	struct sd_profile p = {.key = {"", "", "", ""}};
	struct sd_bench_row r = {.kernel = "disk",
		.variant = "a,b",
		.cpus = "0,2",
		.unit = "s",
		.parameter_unit = "",
		.status = SD_STATUS_DENIED,
		.why = "it said \"no\""};
	char *text = NULL;
	size_t n;
	FILE *f = open_memstream(&text, &n);

	(void)state;
	assert_non_null(f);
	assert_int_equal(sd_bench_rows_add(&p.rows, &r), 0);
	assert_int_equal(sd_bench_csv(f, &p), 0);
	fclose(f);
	assert_string_equal(strchr(text, '\n') + 1,
		"disk,\"a,b\",0,\"0,2\",0,,s,0,0,0,,,,,,denied,\"it said \"\"no\"\"\"\r\n");
	free(text);
	sd_profile_free(&p);
}

static void plots_survive_any_points(void **state)
{
	static const double x[] = {1, 2, NAN, INFINITY, -1, 0, 1e300},
			    y[] = {0, -5, 3, 1, NAN, 2, 1e308}, same[] = {3, 3, 3, 3, 3, 3, 3};
	const struct sd_report_style style = {.width = 100, .ascii = 1};
	char *text = NULL;
	size_t n;
	FILE *f = open_memstream(&text, &n);
	struct sd_page page;

	(void)state;
	assert_non_null(f);
	sd_page_begin(&page, f, &style);
	for (int log = 0; log < 4; log++) {
		struct sd_plot plot = {.x_label = "x",
			.y_label = "y",
			.log_x = log & 1,
			.log_y = log & 2,
			.columns = 1000,
			.rows = 1000,
			.n_curve = 2};

		plot.curve[0].x = x;
		plot.curve[0].y = y;
		plot.curve[0].n = 7;
		plot.curve[0].mark = 'o';
		plot.curve[0].name = "any";
		plot.curve[1].x = same;
		plot.curve[1].y = same;
		plot.curve[1].n = 7;
		plot.curve[1].mark = '*';
		plot.curve[1].name = "same";
		sd_plot_draw(&page, &plot);
		plot.n_curve = 0;
		sd_plot_draw(&page, &plot);
	}
	assert_int_equal(sd_page_end(&page), 0);
	fclose(f);
	assert_non_null(strchr(text, 'o'));
	free(text);
}

static void bytes_are_written_for_people(void **state)
{
	static const struct {
		double bytes;
		const char *text;
	} rows[] = {{512, "512 B"}, {4096, "4.0 KiB"}, {49152, "48 KiB"}, {1536, "1.5 KiB"},
		{33554432, "32 MiB"}, {2147483648.0, "2.0 GiB"}};

	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		char text[32];

		sd_plot_bytes(rows[i].bytes, text, sizeof text);
		assert_string_equal(text, rows[i].text);
	}
}

static void changes_are_shown_with_both_numbers(void **state)
{
	const struct sd_report_style style = {.width = 100}, narrow = {.width = 72};
	char *rest = NULL;
	struct sd_bench_row a = {.kernel = "triad",
		.variant = "stores=nt",
		.unit = "GB/s",
		.parameter_unit = "",
		.n = 5,
		.median = 40,
		.status = SD_STATUS_OK};
	struct sd_bench_row b = a;
	struct sd_bench_change change = {&a, &b, 0.5, SD_CHANGE_WORSE};
	struct sd_bench_comparison c = {
		.change = &change, .n = 1, .compared = 9, .differs = "kernel", .comparable = 1};
	char *text = NULL;
	size_t n;
	FILE *f = open_memstream(&text, &n);

	(void)state;
	b.median = 20;
	assert_non_null(f);
	assert_int_equal(sd_bench_changes_text(f, &c, &style), 0);
	assert_int_equal(sd_bench_changes_json(f, &c), 0);
	fclose(f);
	assert_non_null(strstr(text, "1 of 9"));
	assert_null(strstr(text, " state\n"));
	assert_non_null(strstr(text, "40.0 -> 20.0 GB/s"));
	assert_non_null(strstr(text, "-50 % worse"));
	assert_non_null(strstr(text, "another kernel"));
	assert_non_null(strstr(text, "\"change\": \"worse\""));
	free(text);
	/* which of two states, how large, and nothing beyond the page */
	c.states_before = c.states_after = 2;
	b.state = 1;
	a.parameter = 16 << 20;
	a.parameter_unit = "bytes";
	snprintf(b.variant, sizeof b.variant,
		"stores=nt isa=avx512 width=512 pages=2MiB team=processes place=compact");
	f = open_memstream(&text, &n);
	assert_non_null(f);
	assert_int_equal(sd_bench_changes_text(f, &c, &narrow), 0);
	fclose(f);
	assert_non_null(strstr(text, "16 MiB"));
	assert_non_null(strstr(text, "far"));
	for (char *l = strtok_r(text, "\n", &rest); l; l = strtok_r(NULL, "\n", &rest))
		assert_true(sd_page_columns(l) <= narrow.width);
	free(text);
	/* that nothing changed is not said where nothing was compared */
	c = (struct sd_bench_comparison){.lost = 3,
		.gained = 4,
		.few = 2,
		.calibrations_before = 3,
		.calibrations_after = 3};
	f = open_memstream(&text, &n);
	assert_non_null(f);
	assert_int_equal(sd_bench_changes_text(f, &c, &style), 0);
	assert_int_equal(sd_bench_changes_json(f, &c), 0);
	fclose(f);
	assert_non_null(strstr(text, "Not comparable: no number"));
	assert_null(strstr(text, "nothing changed"));
	assert_non_null(strstr(text, "\"comparable\": false"));
	assert_non_null(strstr(text, "in both profiles: 2 results, of 5 before and 6 now"));
	free(text);
	/* what one calibration lacks is named, and what to do */
	c.calibrations_after = 1;
	f = open_memstream(&text, &n);
	assert_non_null(f);
	assert_int_equal(sd_bench_changes_text(f, &c, &style), 0);
	fclose(f);
	assert_non_null(strstr(text, "that of now is one calibration"));
	assert_non_null(strstr(text, "--repeat 3"));
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_text_says_ceiling_levels_pairs_and_units),
		cmocka_unit_test(values_of_one_or_two_samples_are_marked),
		cmocka_unit_test(ascii_is_ascii),
		cmocka_unit_test(a_missing_number_is_a_reason_and_never_zero),
		cmocka_unit_test(a_machine_of_two_states_is_told_so),
		cmocka_unit_test(csv_has_a_header_a_line_a_row_and_quotes),
		cmocka_unit_test(plots_survive_any_points),
		cmocka_unit_test(bytes_are_written_for_people),
		cmocka_unit_test(changes_are_shown_with_both_numbers),
	};

	return cmocka_run_group_tests_name("report_bench", tests, NULL, NULL);
}
