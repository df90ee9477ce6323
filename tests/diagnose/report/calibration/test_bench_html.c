#include "calibration/bench_report.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static void add(struct sd_profile *p, const char *kernel, const char *variant, unsigned cores,
	const char *cpus, double parameter, const char *unit, double v)
{
	struct sd_bench_row r = {.kernel = kernel,
		.cores = cores,
		.parameter = parameter,
		.parameter_unit = parameter > 0 ? "B" : "",
		.unit = unit,
		.n = 5,
		.median = v,
		.q1 = v * .99,
		.q3 = v * 1.01,
		.low = v * .98,
		.high = v * 1.02,
		.status = SD_STATUS_OK};

	snprintf(r.variant, sizeof r.variant, "%s", variant);
	snprintf(r.cpus, sizeof r.cpus, "%s", cpus);
	assert_int_equal(sd_bench_rows_add(&p->rows, &r), 0);
}

static struct sd_profile make(double factor)
{
	struct sd_profile p = {.key = {"node<1>", "A CPU", "6.1", "0"},
		.granted = 4,
		.memory_peak = SD_OK(80e9),
		.states = {.n = 1, .line = {55e-9}, .seen = {9}}};

	snprintf(p.facts.text[SD_NODE_FACT_GOVERNOR], SD_NODE_FACT_SIZE, "%s",
		factor < 1 ? "powersave" : "performance");
	for (unsigned cores = 1; cores <= 4; cores++) {
		const double v = factor * (cores < 3 ? 20 * cores : 40.5);

		add(&p, "read", "op=read bytes=counted", cores, "0", 1e9, "GB/s", v);
		add(&p, "triad", "op=triad stores=nt bytes=counted", cores, "0", 1e9, "GB/s", v);
		add(&p, "locks", "lock=mutex quantity=throughput inside=0ns outside=0ns", cores,
			"0", 0, "1/s", 3e7 / cores);
	}
	for (int i = 0; i < 16; i++)
		add(&p, "latency", "pages=4KiB", 1, "0", 4096 << i, "ns", 1 + i * i * factor);
	for (int i = 0; i < 4; i++) {
		add(&p, "loaded", "mix=read stores=none", 2, "0-1", i, "ns", 100 + 20 * i);
		add(&p, "loaded", "mix=read stores=none", 2, "0-1", i, "GB/s", 5 * i);
	}
	add(&p, "transfer", "op=load-store lines=4 line=median", 2, "0-1", 0, "ns", 57.2);
	add(&p, "transfer", "op=load-store lines=4 line=median", 2, "0,2", 0, "ns", 140);
	return p;
}

static char *page_of(const struct sd_profile *p, const struct sd_profile *earlier)
{
	char *text = NULL;
	size_t size = 0;
	FILE *const f = open_memstream(&text, &size);

	assert_non_null(f);
	assert_int_equal(sd_bench_html(f, p, earlier), 0);
	assert_int_equal(fclose(f), 0);
	return text;
}

static void expect(const char *text, const char *words)
{
	if (!strstr(text, words))
		fail_msg("'%s' is not in the page", words);
}

static void the_page_has_a_figure_of_each_curve_and_says_the_knee(void **state)
{
	struct sd_profile p = make(1);
	char *const text = page_of(&p, NULL);

	(void)state;
	expect(text, "<h2>Latency of a dependent load</h2>");
	expect(text, "<h2>Latency beside other cores' traffic");
	expect(text, "<h2>Memory bandwidth over cores</h2>");
	expect(text, "<h2>Line transfer</h2>");
	expect(text, "<h2>Locks: ");
	expect(text, "Knee: 2 cores read 95 %");
	/* 40.5 of 80 GB/s */
	expect(text, "could deliver 80.0 GB/s; reading reaches 40.5 GB/s, 51 %");
	expect(text, "CPUs 0 and 2: 138.6–141.4 ns");
	expect(text, "node&lt;1&gt;");
	assert_null(strstr(text, ">1.5</text>")); /* no half cores */
	assert_null(strstr(text, "node<1>"));
	assert_null(strstr(text, "before"));
	assert_null(strstr(text, "nan"));
	free(text);
	sd_profile_free(&p);
}

static void the_earlier_calibration_stands_beside_it(void **state)
{
	struct sd_profile p = make(1), earlier = make(.5);
	char *const text = page_of(&p, &earlier);

	(void)state;
	expect(text, "triad, non-temporal stores, before");
	expect(text, "<td>+100.0 % *</td>");
	expect(text, "performance; before: powersave");
	expect(text, "Line transfer, before");
	free(text);
	sd_profile_free(&p);
	sd_profile_free(&earlier);
}

static void an_empty_profile_is_a_page_without_figures(void **state)
{
	struct sd_profile p = {.key = {"n"}, .granted = 1};
	char *const text = page_of(&p, NULL);

	(void)state;
	assert_null(strstr(text, "<svg"));
	expect(text, "Not measured: memory bandwidth of one core, latency of memory, clock.");
	expect(text, "</html>");
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_page_has_a_figure_of_each_curve_and_says_the_knee),
		cmocka_unit_test(the_earlier_calibration_stands_beside_it),
		cmocka_unit_test(an_empty_profile_is_a_page_without_figures),
	};

	return cmocka_run_group_tests_name("bench_html", tests, NULL, NULL);
}
