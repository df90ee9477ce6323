/*
 * Cache lines over the core counts: what they bound, they bound with CPU times and without.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "support/counted_record.h"

enum { RUNS = 8 };

/* 8 s on one core, 6 s on two and on four; for the same work `times` the lines on four. */
static void make(struct sd_record *r, double times, int cpu_times)
{
	static const unsigned cores[] = {1, 2, 4};
	const struct sample at[] = {
		{.wall = 8, .user = 8}, {.wall = 6, .user = 12}, {.wall = 6, .user = 24}};

	record_make(r, cores, 3);
	r->host.numa = 1;
	for (size_t i = 0; i < 3; i++)
		for (size_t j = 0; j < RUNS; j++) {
			const double f = 1 + .002 * ((double)j - 3.5);
			struct sd_run *const run = record_sample(r, i, &at[i], f);

			count(run, "skx", SD_ROLE_LLC_LINES_IN, i == 2 ? times * 1e9 : 1e9);
			if (!cpu_times)
				run->metric[SD_METRIC_USER] = SD_NOT(ABSENT);
		}
}

static int says(const struct sd_finding *f, const char *words)
{
	for (size_t i = 0; i < f->evidence.n; i++)
		if (strstr(f->evidence.text[i], words))
			return 1;
	return 0;
}

static void lines_bound_capacity_and_bandwidth_with_cpu_times_and_without(void **state)
{
	static const struct {
		double times;
		enum sd_verdict capacity;
	} row[] = {{1, SD_VERDICT_RULED_OUT}, {2, SD_VERDICT_POSSIBLE}};
	static struct sd_formula_tables tables;

	(void)state;
	load_tables(&tables);
	for (size_t i = 0; i < sizeof row / sizeof *row; i++)
		for (int cpu_times = 0; cpu_times < 2; cpu_times++) {
			const struct sd_finding *f;
			struct sd_analysis a;
			struct sd_record r;

			make(&r, row[i].times, cpu_times);
			assert_int_equal(sd_analyse(&r, &tables, NULL, &a), 0);
			f = finding_of(&a, SD_CAUSE_LLC_CAPACITY);
			assert_int_equal(f->verdict, row[i].capacity);
			assert_true(says(f, "for the same work"));
			f = finding_of(&a, SD_CAUSE_MEMORY_BANDWIDTH);
			assert_int_equal(f->verdict, SD_VERDICT_POSSIBLE);
			assert_true(says(f, row[i].times > 1 ? "still grow" : "stop growing"));
			/* without CPU times nothing else is told */
			assert_int_equal(finding_of(&a, SD_CAUSE_DTLB)->verdict,
				cpu_times ? SD_VERDICT_POSSIBLE : SD_VERDICT_NOT_MEASURABLE);
			sd_analysis_free(&a);
			sd_record_free(&r);
		}
	sd_formula_tables_free(&tables);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lines_bound_capacity_and_bandwidth_with_cpu_times_and_without),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
