/* Metric tables, family by family: what is counted in one way here and in another there. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include "support/near.h"

#include "support/counted_record.h"

/* A record of one run of 10 s at one point. */
static void start(struct sd_record *r, unsigned cores)
{
	struct sd_run *run;

	record_make(r, &cores, 1);
	run = record_run(r, 0, 10);
	run->metric[SD_METRIC_USER] = SD_OK(10. * cores);
	run->metric[SD_METRIC_SYSTEM] = SD_OK(0);
}

static double metric_of(const struct sd_analysis *a, const char *name)
{
	const struct sd_shown *s = shown_of(&a->point[0], name);

	assert_non_null(s);
	return s->value.value;
}

/* The paper: effective over total cycles is the number of cores used; the total is that of
 * a CPU. */
static void effective_cores_are_cycles_over_those_of_one_cpu_a_socket(void **state)
{
	struct sd_formula_tables f;
	struct sd_analysis a;
	struct sd_record r;

	(void)state;
	load_tables(&f);
	start(&r, 6);
	r.host.packages = 2;
	count(&r.run[0], "core2", SD_ROLE_CYCLES, 4.5 * 10 * 3e9); /* 10 s, 6 CPUs, 4.5 at work */
	count(&r.run[0], "core2", SD_ROLE_TOTAL_CYCLES, 2 * 10 * 3e9);
	assert_int_equal(sd_analyse(&r, &f, NULL, &a), 0);
	assert_near(metric_of(&a, "effective-cores"), 4.5, 1e-12);
	sd_analysis_free(&a);
	r.run[0].role[0].value.value *= 1.5; /* 6.75 of 6: a launcher's, too */
	assert_int_equal(sd_analyse(&r, &f, NULL, &a), 0);
	assert_near(metric_of(&a, "effective-cores"), 6, 1e-12);
	sd_analysis_free(&a);
	r.host.packages = 0; /* nobody knows */
	assert_int_equal(sd_analyse(&r, &f, NULL, &a), 0);
	assert_null(shown_of(&a.point[0], "effective-cores"));
	sd_analysis_free(&a);
	sd_record_free(&r);
	sd_formula_tables_free(&f);
}

/* Whichever count of lines served modified there is, it is counted. */
static void no_count_of_sharing_is_left_out(void **state)
{
	static const struct {
		const char *family;
		enum sd_role role[4];
		size_t n;
	} row[] = {
		{"skx",
			{SD_ROLE_HITM_LOAD, SD_ROLE_HITM_LOAD_REMOTE, SD_ROLE_HITM_STORE,
				SD_ROLE_HITM_STORE_REMOTE},
			4},
		{"skx", {SD_ROLE_HITM_LOAD, SD_ROLE_HITM_STORE}, 2},
		{"skx", {SD_ROLE_HITM_LOAD_REMOTE}, 1},
		{"skx", {SD_ROLE_HITM_STORE}, 1},
		{"skx", {SD_ROLE_HITM_STORE_REMOTE}, 1},
		{"spr", {SD_ROLE_HITM_ANY, SD_ROLE_HITM_ANY_CLUSTER, SD_ROLE_HITM_ANY_REMOTE}, 3},
		{"spr", {SD_ROLE_HITM_ANY}, 1},
		{"spr", {SD_ROLE_HITM_ANY_CLUSTER}, 1},
		{"spr", {SD_ROLE_HITM_ANY_REMOTE}, 1},
		{"knl", {SD_ROLE_HITM_LOAD, SD_ROLE_HITM_STORE, SD_ROLE_HITM_TILE}, 3},
		{"knl", {SD_ROLE_HITM_TILE}, 1},
		{"zen4", {SD_ROLE_HITM_LOAD, SD_ROLE_HITM_LOAD_REMOTE}, 2},
		{"zen2", {SD_ROLE_HITM_LOAD_REMOTE}, 1},
		{"zen6", {SD_ROLE_HITM_ANY}, 1},
		{"cwf", {SD_ROLE_HITM_LOAD, SD_ROLE_HITM_LOAD_REMOTE}, 2},
		{"power9", {SD_ROLE_HITM_LOAD, SD_ROLE_HITM_LOAD_REMOTE}, 2},
		{"fam10h", {SD_ROLE_HITM_ANY}, 1},
	};
	struct sd_formula_tables f;

	(void)state;
	load_tables(&f);
	for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
		double sum = 0, part = 1e6;
		struct sd_analysis a;
		struct sd_record r;

		start(&r, 1);
		count(&r.run[0], row[i].family, SD_ROLE_INSTRUCTIONS, 1e9);
		for (size_t k = 0; k < row[i].n; k++, sum += part, part *= 2)
			count(&r.run[0], row[i].family, row[i].role[k], part);
		assert_int_equal(sd_analyse(&r, &f, NULL, &a), 0);
		assert_near(metric_of(&a, "hitm-per-1000"), sum / 1e6, 1e-9);
		sd_analysis_free(&a);
		sd_record_free(&r);
	}
	sd_formula_tables_free(&f);
}

/* Lines are of 64 bytes, but on POWER of 128 and on A64FX of 256. */
static void bandwidth_is_of_the_lines_of_the_cpu(void **state)
{
	static const struct {
		const char *family;
		double bytes;
	} row[] = {{"skx", 64}, {"power9", 128}, {"power10", 128}};
	struct sd_formula_tables f;

	(void)state;
	load_tables(&f);
	for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
		struct sd_analysis a;
		struct sd_record r;

		start(&r, 1);
		count(&r.run[0], row[i].family, SD_ROLE_CYCLES, 1e10);
		count(&r.run[0], row[i].family, SD_ROLE_LLC_LINES_IN, 1e8);
		assert_int_equal(sd_analyse(&r, &f, NULL, &a), 0);
		assert_near(metric_of(&a, "memory-bandwidth"), row[i].bytes * 1e7, 1e-3);
		assert_near(metric_of(&a, "appetite"), .01, 1e-15);
		sd_analysis_free(&a);
		sd_record_free(&r);
	}
	sd_formula_tables_free(&f);
}

/* Names those of a file's counts that tell nothing without others; of our own runs' none. */
static void counts_that_no_metric_can_use_are_named(void **state)
{
	for (unsigned granted = 0; granted < 2; granted++) {
		struct sd_formula_tables f;
		struct sd_analysis a;
		struct sd_record r;
		int named = 0;

		(void)state;
		load_tables(&f);
		start(&r, 4);
		r.host.granted = granted;
		count(&r.run[0], "core2", SD_ROLE_CYCLES, 4e10);
		count(&r.run[0], "core2", SD_ROLE_INSTRUCTIONS, 1e10);
		count(&r.run[0], "core2", SD_ROLE_LOCK_L2_S, 1e7);
		count(&r.run[0], "core2", SD_ROLE_HITM_BUS, 1e7);
		count(&r.run[0], "core2", SD_ROLE_BUS_IFETCH_LINES, 1e7);
		assert_int_equal(sd_analyse(&r, &f, NULL, &a), 0);
		for (size_t i = 0; i < a.warnings.n; i++) {
			if (!strstr(a.warnings.text[i], "used by no metric"))
				continue;
			named = 1;
			assert_non_null(
				strstr(a.warnings.text[i], ": lock_l2_s, bus_ifetch_lines ("));
		}
		assert_int_equal(named, granted == 0);
		sd_analysis_free(&a);
		sd_formula_tables_free(&f);
		sd_record_free(&r);
	}
}

/* The lecture: much retires and little of it is vectors. Where little retires, it waits for other
 * things. */
static void scalar_code_that_retires_is_worth_a_look(void **state)
{
	static const struct {
		double retiring, vector;
		int over;
	} row[] = {{3e10, 1e8, 1}, {3e10, 4e9, 0}, {8e9, 1e8, 0}};

	(void)state;
	for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
		const struct sd_shown *s;
		struct sd_formula_tables f;
		struct sd_analysis a;
		struct sd_record r;

		load_tables(&f);
		start(&r, 1);
		count(&r.run[0], "skx", SD_ROLE_CYCLES, 1e10);
		count(&r.run[0], "skx", SD_ROLE_INSTRUCTIONS, 2.5e10);
		count(&r.run[0], "skx", SD_ROLE_TD_SLOTS, 4e10);
		count(&r.run[0], "skx", SD_ROLE_TD_RETIRING, row[i].retiring);
		count(&r.run[0], "skx", SD_ROLE_FP_VECTOR, row[i].vector);
		count(&r.run[0], "skx", SD_ROLE_FP_SCALAR, 2e9);
		assert_int_equal(sd_analyse(&r, &f, NULL, &a), 0);
		s = shown_of(&a.point[0], "vector-share");
		assert_non_null(s);
		assert_int_equal(s->over, row[i].over);
		assert_non_null(strstr(s->advice, "vectorize"));
		assert_string_equal(shown_of(&a.point[0], "retiring")->part_of, "slots");
		sd_analysis_free(&a);
		sd_formula_tables_free(&f);
		sd_record_free(&r);
	}
}

/* A part is one of a metric that its family has, too, and the tree has four of all. */
static void parts_are_of_metrics_that_there_are(void **state)
{
	struct sd_formula_tables f;
	size_t n = 0;

	(void)state;
	load_tables(&f);
	for (size_t i = 0; i < f.n; i++)
		for (size_t k = 0; f.row[i].part_of && k < f.row[i].n_family; k++)
			if (strcmp(f.row[i].part_of, "slots") != 0 &&
				!sd_formula_tables_named(&f, f.row[i].part_of, f.row[i].family[k]))
				fail_msg("%s is a part of %s, which %s has not", f.row[i].name,
					f.row[i].part_of, f.row[i].family[k]);
	for (size_t i = 0; i < f.n; i++)
		n += f.row[i].part_of && strcmp(f.row[i].part_of, "slots") == 0 &&
		     sd_formula_tables_named(&f, f.row[i].name, "skx") == &f.row[i];
	assert_int_equal(n, 4);
	sd_formula_tables_free(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(counts_that_no_metric_can_use_are_named),
		cmocka_unit_test(scalar_code_that_retires_is_worth_a_look),
		cmocka_unit_test(parts_are_of_metrics_that_there_are),
		cmocka_unit_test(effective_cores_are_cycles_over_those_of_one_cpu_a_socket),
		cmocka_unit_test(no_count_of_sharing_is_left_out),
		cmocka_unit_test(bandwidth_is_of_the_lines_of_the_cpu),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
