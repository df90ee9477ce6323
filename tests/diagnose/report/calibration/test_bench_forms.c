/* The bandwidths of a calibration: their tables in each state, and one loop in two forms. */
#include "calibration/bench_report.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "page/page.h"
#include "bench/profile_forms.h"

struct measured {
	const char *op, *stores, *pages, *team, *place;
	unsigned cores, state;
	double rate;
};

static void add(struct sd_profile *p, const struct measured *m)
{
	struct sd_bench_row r = {.kernel = m->op,
		.cores = m->cores,
		.parameter = 1 << 30,
		.parameter_unit = "B",
		.unit = "GB/s",
		.state = m->state,
		.n = 5,
		.median = m->rate,
		.q1 = 0.99 * m->rate,
		.q3 = 1.01 * m->rate,
		.low = 0.98 * m->rate,
		.high = 1.02 * m->rate,
		.status = SD_STATUS_OK};

	snprintf(r.variant, sizeof r.variant,
		"stores=%s isa=avx2 width=256 pages=%s team=%s place=%s bytes=counted", m->stores,
		m->pages, m->team, m->place);
	assert_int_equal(sd_bench_rows_add(&p->rows, &r), 0);
}

static void add_ceiling(struct sd_profile *p, unsigned cores, unsigned state, double rate)
{
	struct sd_bench_row r = {.kernel = "ceiling",
		.variant = "op=triad stores=nt isa=avx2 width=256 pages=2MiB team=threads "
			   "place=compact",
		.cores = cores,
		.parameter = 1 << 30,
		.parameter_unit = "B",
		.unit = "GB/s",
		.state = state,
		.n = rate > 0 ? 5 : 0,
		.median = rate,
		.q1 = rate,
		.q3 = rate,
		.low = rate,
		.high = rate,
		.status = rate > 0 ? SD_STATUS_OK : SD_STATUS_ABSENT};

	snprintf(r.why, sizeof r.why, "%s", rate > 0 ? "" : "it was not seen in this one");
	assert_int_equal(sd_bench_rows_add(&p->rows, &r), 0);
}

static struct sd_profile make(unsigned states)
{
	return (struct sd_profile){.key = {"node1", "A CPU", "6.1", "0"},
		.granted = 2,
		.states = {.n = states, .line = {55e-9, 250e-9}, .seen = {9, 3}}};
}

static char *text_of(const struct sd_profile *p, int all, unsigned width)
{
	const struct sd_report_style style = {.width = width, .ascii = 1};
	char *text = NULL;
	size_t n;
	FILE *f = open_memstream(&text, &n);

	assert_non_null(f);
	assert_int_equal(sd_bench_text(f, p, all, &style), 0);
	assert_int_equal(fclose(f), 0);
	return text;
}

static void expect(const char *text, const char *part)
{
	if (!strstr(text, part))
		fail_msg("no \"%s\" in\n%s", part, text);
}

static void expect_not(const char *text, const char *part)
{
	if (strstr(text, part))
		fail_msg("\"%s\" in\n%s", part, text);
}

static void one_core_has_a_table_in_each_of_two_states(void **state)
{
	struct sd_profile p = make(2);
	char *text;

	(void)state;
	for (unsigned cores = 1; cores <= 3; cores++)
		for (unsigned s = 0; s < 2; s++) {
			const struct measured m = {"triad", "nt", "2MiB", "threads", "compact",
				cores, s, 10.0 * cores + s};

			add(&p, &m);
			add_ceiling(&p, cores, s, m.rate);
		}
	text = text_of(&p, 0, 100);
	expect(text, "  1 core, s0    ");
	expect(text, "  1 core, s1    ");
	expect(text, "  3 cores, s0   ");
	expect(text, "  3 cores, s1   ");
	/* the middle of the curve is in the list of ceilings, and in the whole report */
	expect_not(text, "  2 cores, s0   ");
	expect(text, "     2 s0      20.0");
	/* what nobody tried has no line */
	expect_not(text, "    copy ");
	free(text);
	text = text_of(&p, 1, 100);
	expect(text, "  2 cores, s0   ");
	free(text);
	sd_profile_free(&p);
}

static void a_ceiling_without_a_number_says_why(void **state)
{
	const struct measured m = {"triad", "nt", "2MiB", "threads", "compact", 1, 0, 40};
	struct sd_profile p = make(2);
	char *text;

	(void)state;
	add(&p, &m);
	add_ceiling(&p, 1, 0, 40);
	add_ceiling(&p, 1, 1, 0);
	text = text_of(&p, 0, 100);
	expect(text, "     1 s1    not known: triad nt: it was not seen in this one");
	expect_not(text, " 0.0");
	free(text);
	sd_profile_free(&p);
}

static void each_part_of_the_machine_has_its_best(void **state)
{
	static const struct measured measured[] = {
		{"triad", "nt", "2MiB", "threads", "compact", 8, 0, 90},
		{"triad", "nt", "2MiB", "threads", "llc0", 4, 0, 40},
		{"copy", "nt", "2MiB", "threads", "llc0", 4, 0, 42},
		{"triad", "nt", "2MiB", "threads", "llc1", 4, 0, 51},
		{"triad", "nt", "2MiB", "threads", "numa1", 4, 1, 60},
	};
	struct sd_profile p = make(2);
	char *text;

	(void)state;
	for (size_t i = 0; i < sizeof measured / sizeof *measured; i++)
		add(&p, &measured[i]);
	text = text_of(&p, 0, 100);
	expect(text, "each part of the machine, the best loop on it, near state");
	expect(text, "copy nt   42.0 (41.6-42.4)");
	expect(text, "triad nt  51.0 (50.5-51.5)");
	expect(text, "the best loop on it, far state");
	expect(text, "triad nt  60.0 (59.4-60.6)");
	expect_not(text, "compact ");
	free(text);
	sd_profile_free(&p);
}

static void forms_are_compared_in_the_same_state_only(void **state)
{
	static const struct measured measured[] = {
		{"triad", "nt", "2MiB", "threads", "compact", 2, 0, 40},
		{"triad", "nt", "2MiB", "processes", "compact", 2, 0, 38},
		{"triad", "nt", "4KiB", "threads", "compact", 2, 0, 30},
		{"triad", "nt", "2MiB", "threads", "spread", 2, 1, 60},
		{"read", "none", "2MiB", "threads", "compact", 2, 0, 36},
		{"read", "none", "4KiB", "threads", "compact", 2, 1, 50},
	};
	struct sd_profile p = make(2);
	char *text;

	(void)state;
	for (size_t i = 0; i < sizeof measured / sizeof *measured; i++)
		add(&p, &measured[i]);
	text = text_of(&p, 0, 140);
	expect(text, "Memory bandwidth in two forms, GB/s, 2 cores, near state");
	expect(text, "threads              processes              ratio");
	expect(text, "0.950 (0.931-0.969)");
	expect(text, "0.750 (0.735-0.765)");
	expect_not(text, "2 cores, far state");
	expect_not(text, "  read ");
	expect(text, "cores side by side and spread are not compared: no loop was seen in both");
	free(text);
	sd_profile_free(&p);
}

static void what_cannot_be_compared_says_why(void **state)
{
	const struct measured usual = {"copy", "nt", "2MiB", "threads", "compact", 2, 0, 40};
	struct sd_bench_row missing = {.kernel = "bandwidth",
		.variant = "pages=2MiB team=processes place=compact",
		.cores = 1,
		.unit = "GB/s",
		.parameter_unit = "B",
		.status = SD_STATUS_DENIED,
		.why = "the kernel refuses another thread or process (limits)"};
	struct sd_profile p = make(1);
	char *text;

	(void)state;
	add(&p, &usual);
	p.quick = 1;
	text = text_of(&p, 0, 200);
	expect(text, "threads and processes are not compared: a quick calibration measures one");
	expect(text, "huge pages and base pages are not compared: a quick calibration");
	expect(text, "spread are not compared: they are the same cores here");
	expect_not(text, "in two forms");
	free(text);
	p.quick = 0;
	assert_int_equal(sd_bench_rows_add(&p.rows, &missing), 0);
	text = text_of(&p, 0, 200);
	expect(text, "threads and processes are not compared: the kernel refuses another thread");
	expect(text, "place=compact, 1 core: the kernel refuses another thread");
	free(text);
	sd_profile_free(&p);
	/* nothing to say where no bandwidth was asked for */
	p = make(1);
	text = text_of(&p, 0, 200);
	expect_not(text, "not compared");
	free(text);
	sd_profile_free(&p);
}

static void a_pair_differs_in_one_word_and_prefers_the_same_unit(void **state)
{
	static const struct measured measured[] = {
		{"triad", "nt", "2MiB", "threads", "compact", 2, 0, 40},
		{"triad", "nt", "2MiB", "threads", "compact", 2, 0, 44},
		{"triad", "nt", "4KiB", "threads", "compact", 2, 0, 30},
		{"triad", "nt", "4KiB", "processes", "compact", 2, 0, 20},
	};
	const struct sd_loop loop = {"triad", "nt", 2, 0}, other = {"triad", "regular", 2, 0};
	struct sd_profile p = make(1);
	struct sd_form_pair pair;
	char *isa;

	(void)state;
	for (size_t i = 0; i < sizeof measured / sizeof *measured; i++)
		add(&p, &measured[i]);
	assert_int_equal(sd_form_pair(&p, &loop, SD_FORM_PAGES, &pair), 1);
	assert_ptr_equal(pair.usual, &p.rows.row[1]);
	assert_ptr_equal(pair.other, &p.rows.row[2]);
	assert_true(pair.ratio.q1 < pair.ratio.median && pair.ratio.median < pair.ratio.q3);
	/* the faster one is of another vector unit now */
	isa = strstr(p.rows.row[1].variant, "avx2");
	assert_non_null(isa);
	memcpy(isa, "sse2", 4);
	assert_int_equal(sd_form_pair(&p, &loop, SD_FORM_PAGES, &pair), 1);
	assert_ptr_equal(pair.usual, &p.rows.row[0]);
	/* processes were measured on other pages than threads: nothing to compare with */
	assert_int_equal(sd_form_pair(&p, &loop, SD_FORM_TEAM, &pair), 0);
	assert_int_equal(sd_form_pair(&p, &other, SD_FORM_PAGES, &pair), 0);
	sd_profile_free(&p);
}

static void bytes_are_no_raw_numbers(void **state)
{
	struct sd_bench_row r = {.kernel = "pages",
		.variant = "pages=4KiB access=line-a-4KiB",
		.cores = 1,
		.unit = "ns",
		.parameter = 16 << 20,
		.parameter_unit = "bytes",
		.n = 5,
		.median = 9,
		.q1 = 9,
		.q3 = 9,
		.status = SD_STATUS_OK};
	struct sd_profile p = make(1);
	char *text;

	(void)state;
	assert_int_equal(sd_bench_rows_add(&p.rows, &r), 0);
	r.kernel = "latency";
	snprintf(r.variant, sizeof r.variant, "effective=LLC pages=4KiB");
	r.unit = "B";
	r.parameter_unit = "B visible";
	r.parameter = 32 << 20;
	r.median = r.q1 = r.q3 = 8 << 20;
	assert_int_equal(sd_bench_rows_add(&p.rows, &r), 0);
	text = text_of(&p, 1, 200);
	expect(text, "16 MiB");
	expect(text, "32 MiB visible");
	expect(text, "8.0 MiB");
	expect_not(text, "bytes ");
	expect_not(text, "8.39M");
	expect_not(text, "e+0");
	free(text);
	sd_profile_free(&p);
}

static void no_line_is_wider_than_the_page(void **state)
{
	static const unsigned width[] = {60, 72, 80, 100};
	struct sd_profile p = make(2);

	(void)state;
	for (unsigned s = 0; s < 2; s++) {
		const struct measured m[] = {
			{"triad", "nt", "2MiB", "threads", "compact", 64, s, 400.5},
			{"triad", "nt", "2MiB", "processes", "compact", 64, s, 390.5},
			{"triad", "nt", "4KiB", "threads", "compact", 64, s, 350.5},
			{"triad", "nt", "2MiB", "threads", "spread", 64, s, 650.5}};

		for (size_t i = 0; i < sizeof m / sizeof *m; i++)
			add(&p, &m[i]);
		add_ceiling(&p, 64, s, s ? 0 : 400.5);
	}
	for (size_t i = 0; i < sizeof width / sizeof *width; i++) {
		char *text = text_of(&p, 0, width[i]), *rest = NULL;

		for (char *l = strtok_r(text, "\n", &rest); l; l = strtok_r(NULL, "\n", &rest))
			if (sd_page_columns(l) > width[i])
				fail_msg("%zu columns of %u: %s", sd_page_columns(l), width[i], l);
		free(text);
	}
	sd_profile_free(&p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_core_has_a_table_in_each_of_two_states),
		cmocka_unit_test(a_ceiling_without_a_number_says_why),
		cmocka_unit_test(each_part_of_the_machine_has_its_best),
		cmocka_unit_test(forms_are_compared_in_the_same_state_only),
		cmocka_unit_test(what_cannot_be_compared_says_why),
		cmocka_unit_test(a_pair_differs_in_one_word_and_prefers_the_same_unit),
		cmocka_unit_test(bytes_are_no_raw_numbers),
		cmocka_unit_test(no_line_is_wider_than_the_page),
	};

	return cmocka_run_group_tests_name("report_bench_forms", tests, NULL, NULL);
}
