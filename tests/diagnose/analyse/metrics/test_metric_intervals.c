/*
 * Metric tables: what they compute agrees with the texts they are from, and a broken table is
 * refused where it is broken.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include "support/near.h"

#include "support/counted_record.h"

/* A record of one run a point. */
static void start(struct sd_record *r, const unsigned *cores, size_t n)
{
	record_make(r, cores, n);
	for (size_t i = 0; i < n; i++) {
		struct sd_run *run = record_run(r, i, 10);

		run->metric[SD_METRIC_USER] = SD_OK(10. * cores[i]);
		run->metric[SD_METRIC_SYSTEM] = SD_OK(0);
	}
}

static double metric_of(const struct sd_analysis *a, size_t point, const char *name)
{
	const struct sd_shown *s = shown_of(&a->point[point], name);

	assert_non_null(s);
	return s->value.value;
}

static void cpi_of_the_phi_falls_per_core_and_rises_per_thread(void **state)
{
	static const unsigned threads[] = {1, 2, 3, 4};
	static const double thread[] = {5.24, 8.80, 11.18, 13.74},
			    core[] = {5.24, 4.40, 3.73, 3.43};
	struct sd_formula_tables f;
	struct sd_analysis a;
	struct sd_record r;

	(void)state;
	load_tables(&f);
	start(&r, threads, 4);
	r.host.cores = 1;
	r.host.allowed = 4;
	r.program.placement = SD_PLACEMENT_SMT;
	for (size_t i = 0; i < 4; i++) {
		/* the clock is the core's: every thread counts all of it */
		count(&r.run[i], "knc", SD_ROLE_CYCLES, thread[i] * 1e9);
		count(&r.run[i], "knc", SD_ROLE_INSTRUCTIONS, 1e9);
	}
	assert_int_equal(sd_analyse(&r, &f, NULL, &a), 0);
	for (size_t i = 0; i < 4; i++) {
		assert_near(metric_of(&a, i, "cpi"), thread[i], 1e-12);
		assert_near(metric_of(&a, i, "cpi-per-core"), core[i], .005001);
		/* the guide: above 4 is worth a look */
		assert_int_equal(shown_of(&a.point[i], "cpi")->over, 1);
	}
	sd_analysis_free(&a);
	sd_record_free(&r);
	sd_formula_tables_free(&f);
}

static void the_lectures_counts_give_its_cpi(void **state)
{
	static const unsigned one = 1;
	struct sd_formula_tables f;
	struct sd_analysis a;
	struct sd_record r;

	(void)state;
	load_tables(&f);
	start(&r, &one, 1);
	count(&r.run[0], "ivb_ep", SD_ROLE_CYCLES, 20392030588.);
	count(&r.run[0], "ivb_ep", SD_ROLE_INSTRUCTIONS, 37218055827.);
	assert_int_equal(sd_analyse(&r, &f, NULL, &a), 0);
	assert_near(metric_of(&a, 0, "cpi"), .548, .0005);
	assert_int_equal(shown_of(&a.point[0], "cpi")->over, 0);
	sd_analysis_free(&a);
	sd_record_free(&r);
	sd_formula_tables_free(&f);
}

static void the_four_parts_of_top_down_sum_to_one(void **state)
{
	static const struct {
		const char *family;
		struct {
			enum sd_role role;
			double value;
		} count[10];
	} row[] = {
		/* 4e9 slots */
		{"snb", {{SD_ROLE_TD_SLOTS, 4e9}, {SD_ROLE_TD_FRONTEND, .5e9},
				{SD_ROLE_TD_RETIRING, 2e9}, {SD_ROLE_TD_ISSUED, 2.2e9},
				{SD_ROLE_TD_RECOVERY, .05e9}}},
		{"skx", {{SD_ROLE_TD_SLOTS, 4e9}, {SD_ROLE_TD_FRONTEND, 1e9},
				{SD_ROLE_TD_RETIRING, 1e9}, {SD_ROLE_TD_ISSUED, 1.5e9},
				{SD_ROLE_TD_RECOVERY, .01e9}}},
		{"spr", {{SD_ROLE_TD_NATIVE_FRONTEND, 1e9}, {SD_ROLE_TD_NATIVE_RETIRING, 3e9},
				{SD_ROLE_TD_NATIVE_BADSPEC, .25e9},
				{SD_ROLE_TD_NATIVE_BACKEND, 1.75e9}}},
		{"icx", {{SD_ROLE_TD_SLOTS, 5e9}, {SD_ROLE_TD_FRONTEND, 1e9},
				{SD_ROLE_TD_RETIRING, 2e9}, {SD_ROLE_TD_BACKEND, 1.5e9}}},
		{"zen4", {{SD_ROLE_TD_SLOTS, 6e9}, {SD_ROLE_TD_FRONTEND, 1e9},
				 {SD_ROLE_TD_RETIRING, 2e9}, {SD_ROLE_TD_ISSUED, 2.4e9}}},
		{"neoverse_n2", {{SD_ROLE_TD_SLOTS, 5e9}, {SD_ROLE_CYCLES, 1e9},
					{SD_ROLE_TD_FRONTEND, 1.6e9}, {SD_ROLE_TD_BACKEND, 1e9},
					{SD_ROLE_TD_RETIRING, 1.8e9}, {SD_ROLE_TD_ISSUED, 2e9},
					{SD_ROLE_TD_STALL, 2.6e9}}},
		{"neoverse_v1", {{SD_ROLE_TD_SLOTS, 8e9}, {SD_ROLE_TD_FRONTEND, 1.6e9},
					{SD_ROLE_TD_BACKEND, 1e9}, {SD_ROLE_TD_RETIRING, 1.8e9},
					{SD_ROLE_TD_ISSUED, 2e9}, {SD_ROLE_TD_STALL, 2.6e9}}},
	};
	static const char *const part[] = {
		"frontend-bound", "backend-bound", "retiring", "bad-speculation"};
	static const unsigned one = 1;
	struct sd_formula_tables f;

	(void)state;
	load_tables(&f);
	for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
		struct sd_analysis a;
		struct sd_record r;
		double sum = 0;

		start(&r, &one, 1);
		for (size_t k = 0; row[i].count[k].value > 0; k++)
			count(&r.run[0], row[i].family, row[i].count[k].role,
				row[i].count[k].value);
		assert_int_equal(sd_analyse(&r, &f, NULL, &a), 0);
		for (size_t k = 0; k < 4; k++) {
			double v = metric_of(&a, 0, part[k]);

			assert_true(v >= 0 && v <= 1);
			sum += v;
		}
		assert_near(sum, 1, 1e-12);
		sd_analysis_free(&a);
		sd_record_free(&r);
	}
	sd_formula_tables_free(&f);
}

static void the_front_side_bus_is_read_as_the_paper_reads_it(void **state)
{
	static const unsigned four = 4;
	struct sd_formula_tables f;
	struct sd_analysis a;
	struct sd_record r;
	struct sd_run *run;

	(void)state;
	load_tables(&f);
	start(&r, &four, 1); /* 10 s, 40 s of CPU time */
	run = &r.run[0];
	count(run, "core2", SD_ROLE_CYCLES, 40 * 3e9);
	count(run, "core2", SD_ROLE_INSTRUCTIONS, 60e9);
	count(run, "core2", SD_ROLE_BUS_CLOCKS, 40 * 333e6);
	count(run, "core2", SD_ROLE_BUS_BUSY, 10 * 333e6 * .75);
	count(run, "core2", SD_ROLE_BUS_OCCUPANCY, 50e9);
	count(run, "core2", SD_ROLE_BUS_READ_LINES, 600e6);
	count(run, "core2", SD_ROLE_BUS_IFETCH_LINES, 100e6);
	count(run, "core2", SD_ROLE_BUS_BURST, 800e6);
	count(run, "core2", SD_ROLE_BUS_BURST_ALL, 800e6);
	count(run, "core2", SD_ROLE_BUS_RFO_LINES, 150e6);
	count(run, "core2", SD_ROLE_L2_LOAD_MISSES, 500e6);
	count(run, "core2", SD_ROLE_LLC_LOAD_MISSES, 100e6);
	assert_int_equal(sd_analyse(&r, &f, NULL, &a), 0);
	assert_near(metric_of(&a, 0, "bus-utilisation"), .75, 1e-12);
	assert_int_equal(shown_of(&a.point[0], "bus-utilisation")->over, 1);
	assert_near(metric_of(&a, 0, "bus-latency"), 100, 1e-12);
	assert_near(metric_of(&a, 0, "cacheline-bandwidth"), 64 * 800e6 / 10, 1e-3);
	assert_near(metric_of(&a, 0, "rfo-share"), 150. / 800, 1e-12);
	assert_near(metric_of(&a, 0, "misses-per-line"), 5, 1e-12);
	assert_near(metric_of(&a, 0, "appetite"), 800e6 / (40 * 3e9), 1e-15);
	assert_null(shown_of(&a.point[0], "retiring"));
	sd_analysis_free(&a);
	sd_record_free(&r);
	sd_formula_tables_free(&f);
}

static void what_was_not_counted_or_divides_by_zero_is_not_there(void **state)
{
	static const unsigned one = 1;
	struct sd_formula_tables f;
	struct sd_analysis a;
	struct sd_record r;

	(void)state;
	load_tables(&f);
	start(&r, &one, 1);
	count(&r.run[0], "skx", SD_ROLE_CYCLES, 1e9);
	count(&r.run[0], "skx", SD_ROLE_INSTRUCTIONS, 0);
	count(&r.run[0], "skx", SD_ROLE_DTLB_WALK_CYCLES, 1e8);
	assert_int_equal(sd_analyse(&r, &f, NULL, &a), 0);
	assert_null(shown_of(&a.point[0], "cpi"));
	assert_null(shown_of(&a.point[0], "hitm-per-1000"));
	assert_near(metric_of(&a, 0, "dtlb-walk-share"), .1, 1e-12);
	sd_analysis_free(&a);
	sd_record_free(&r);
	sd_formula_tables_free(&f);
}

static void a_metric_is_as_good_as_its_worst_count(void **state)
{
	static const unsigned one = 1;
	const struct sd_shown *s;
	struct sd_formula_tables f;
	struct sd_analysis a;
	struct sd_record r;

	(void)state;
	load_tables(&f);
	start(&r, &one, 1);
	count(&r.run[0], "skx", SD_ROLE_CYCLES, 1e9);
	count_more(&r.run[0], "skx", SD_ROLE_DTLB_WALK_CYCLES, 5e7, .5);
	count(&r.run[0], "skx", SD_ROLE_INSTRUCTIONS, 2e9);
	r.run[0].role[2].quality = SD_QUALITY_PROXY;
	assert_int_equal(sd_analyse(&r, &f, NULL, &a), 0);
	s = shown_of(&a.point[0], "dtlb-walk-share");
	assert_non_null(s);
	assert_near(s->value.value, .1, 1e-12); /* 5e7 in half of the time */
	assert_int_equal(s->multiplexed, 1);
	assert_int_equal(s->quality, SD_QUALITY_EXACT);
	s = shown_of(&a.point[0], "cpi");
	assert_int_equal(s->multiplexed, 0);
	assert_int_equal(s->quality, SD_QUALITY_PROXY);
	sd_analysis_free(&a);
	sd_record_free(&r);
	sd_formula_tables_free(&f);
}

static void the_clock_is_as_good_as_the_cycles_it_is_made_of(void **state)
{
	static const unsigned one = 1;
	const struct sd_shown *s;
	struct sd_formula_tables f;
	struct sd_analysis a;
	struct sd_record r;

	(void)state;
	load_tables(&f);
	start(&r, &one, 1);
	count_more(&r.run[0], "skx", SD_ROLE_CYCLES, 5e9, .17);
	assert_int_equal(sd_analyse(&r, &f, NULL, &a), 0);
	s = shown_of(&a.point[0], "clock-rate");
	assert_non_null(s);
	assert_int_equal(s->multiplexed, 1);
	sd_analysis_free(&a);
	sd_record_free(&r);
	sd_formula_tables_free(&f);
}

static void passes_come_together_by_what_they_have_in_common(void **state)
{
	static const unsigned one = 1;
	struct sd_formula_tables f;
	struct sd_analysis a;
	struct sd_record r;
	struct sd_run *run;

	(void)state;
	load_tables(&f);
	start(&r, &one, 1);
	count(&r.run[0], "skx", SD_ROLE_CYCLES, 10e9);
	count(&r.run[0], "skx", SD_ROLE_LLC_LINES_IN, 10e6);
	run = record_run(&r, 0, 20); /* ran twice as long, and counted something else */
	run->metric[SD_METRIC_USER] = SD_OK(20);
	run->metric[SD_METRIC_SYSTEM] = SD_OK(0);
	run->pass = 1;
	count(run, "skx", SD_ROLE_CYCLES, 22e9);
	count(run, "skx", SD_ROLE_INSTRUCTIONS, 22e9);
	assert_int_equal(sd_analyse(&r, &f, NULL, &a), 0);
	/* one line in 1000 cycles, one instruction a cycle */
	assert_near(metric_of(&a, 0, "lines-per-instruction"), 1e-3, 1e-15);
	assert_near(metric_of(&a, 0, "pass-spread"), 10, 1e-9);
	sd_analysis_free(&a);
	sd_record_free(&r);
	sd_formula_tables_free(&f);
}

static void keep(void *ctx, enum sd_level level, const char *text)
{
	assert_int_equal(level, SD_LEVEL_ERROR);
	snprintf(ctx, 512, "%s", text);
}

#define ROW(name, rest) \
	"{ name = \"" name "\"; meaning = \"m\"; source = \"s\"; unit = \"ratio\"; " rest " }"

static void a_broken_table_is_refused_with_its_place(void **state)
{
	static const struct {
		const char *text, *says;
	} row[] = {
		{"metrics = (\n" ROW("a", "formula = \"cycels / 2\";") ");",
			"t.conf:2: metric \"a\": \"cycels\" is no role, no term and no metric"},
		{"metrics = (\n" ROW("a", "formula = \"b + 1\";") ",\n" ROW(
			 "b", "formula = \"a + 1\";") ");",
			"t.conf:3: metric \"b\": its formula leads back to itself through \"a\""},
		{"metrics = (\n" ROW("a", "formula = \"a\";") ");",
			"t.conf:2: metric \"a\": its formula leads back to itself through \"a\""},
		{"metrics = (\n" ROW("a", "formula = \"cycles / 0\";") ");",
			"t.conf:2: formula: 'cycles / 0': divides by zero, whatever was counted"},
		{"metrics = (\n" ROW("a", "formula = \"1 / (cycles - cycles)\";") ");",
			"divides by zero"},
		{"metrics = (\n" ROW("a", "formula = \"cycles /\";") ");",
			"t.conf:2: formula: 'cycles /'"},
		{"metrics = (\n" ROW("a", "formula = \"cycles = 1\";") ");", "'=' would assign"},
		{"metrics = (\n" ROW("a", "formula = \"system(cycles)\";") ");",
			"t.conf:2: formula"},
		{"metrics = (\n" ROW("a", "formula = \"1\"; formula = \"2\";") ");",
			"t.conf:2: duplicate"},
		{"metrics = (\n" ROW("a", "formula = \"1\";") ",\n" ROW(
			 "a", "formula = \"2\";") ");",
			"t.conf:3: metric \"a\" is there already, t.conf:2"},
		{"metrics = (\n" ROW("a", "formula = \"1\"; families = [\"x\"];") ",\n" ROW(
			 "a", "formula = \"2\"; families = [\"y\", \"x\"];") ");",
			"t.conf:3: metric \"a\" is there already for family \"x\""},
		{"metrics = (\n" ROW("a", "formula = \"1\"; above = 1; below = 2;") ");",
			"t.conf:2: above and below"},
		{"metrics = (\n" ROW("a", "formula = \"1\"; above = true;") ");",
			"t.conf:2: above: must be"},
		{"metrics = (\n" ROW("a", "formula = \"1\"; above = 1e999;") ");",
			"t.conf:2: above"},
		{"metrics = (\n" ROW("a", "formula = \"1\"; where = 5;") ");", "t.conf:2: where"},
		{"metrics = (\n" ROW("a", "formula = \"1\"; below = \"nothing\";") ");",
			"\"nothing\" is no role"},
		{"metrics = (\n{ name = \"a\"; formula = \"1\"; unit = \"furlongs\"; meaning = "
		 "\"m\"; source = \"s\"; } );",
			"t.conf:2: unit: \"furlongs\""},
		{"metrics = (\n"
		 "{ name = \"a\"; formula = \"1\"; meaning = \"m\"; source = \"s\"; } );",
			"t.conf:2: a metric has a unit"},
		{"metrics = (\n" ROW("cycles", "formula = \"1\";") ");", "is the name of a role"},
		{"metrics = (\n" ROW("wall", "formula = \"1\";") ");", "is the name of a term"},
		{"metrics = (\n" ROW("A b", "formula = \"1\";") ");", "t.conf:2: name"},
		{"metrics = (\n" ROW("a", "formula = \"1\"; treshold = 3;") ");",
			"t.conf:2: treshold: no such"},
		{"metrics = (\n" ROW("a", "formula = \"1\"; component = \"useful\";") ");",
			"t.conf:2: component"},
		{"metrics = [ 1 ];", "t.conf:1: metrics"},
		{"metrics = (\n", "t.conf:2: syntax error"},
		{"@include \"/etc/passwd\"\n", "@include is not allowed"},
		{"", "t.conf:1: metrics: must be a list"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
		char said[512] = "";
		const struct sd_sink sink = {.emit = keep, .ctx = said};
		struct sd_formula_tables f = {0};
		int rc = sd_formula_tables_add(
			&f, "t.conf", row[i].text, strlen(row[i].text), &sink);

		if (rc == 0)
			rc = sd_formula_tables_finish(&f, &sink);
		if (rc != -EINVAL || !strstr(said, row[i].says))
			print_error("row %zu: %d: '%s'\n", i, rc, said);
		assert_int_equal(rc, -EINVAL);
		assert_non_null(strstr(said, row[i].says));
		sd_formula_tables_free(&f);
	}
}

static void every_row_says_what_it_means_and_where_it_is_from(void **state)
{
	struct sd_formula_tables f;

	(void)state;
	load_tables(&f);
	for (size_t i = 0; i < f.n; i++) {
		assert_true(strlen(f.row[i].meaning) > 10);
		assert_true(strlen(f.row[i].source) > 5);
		assert_true(f.row[i].n_value > 0);
	}
	sd_formula_tables_free(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(cpi_of_the_phi_falls_per_core_and_rises_per_thread),
		cmocka_unit_test(the_lectures_counts_give_its_cpi),
		cmocka_unit_test(the_four_parts_of_top_down_sum_to_one),
		cmocka_unit_test(the_front_side_bus_is_read_as_the_paper_reads_it),
		cmocka_unit_test(what_was_not_counted_or_divides_by_zero_is_not_there),
		cmocka_unit_test(a_metric_is_as_good_as_its_worst_count),
		cmocka_unit_test(the_clock_is_as_good_as_the_cycles_it_is_made_of),
		cmocka_unit_test(passes_come_together_by_what_they_have_in_common),
		cmocka_unit_test(a_broken_table_is_refused_with_its_place),
		cmocka_unit_test(every_row_says_what_it_means_and_where_it_is_from),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
