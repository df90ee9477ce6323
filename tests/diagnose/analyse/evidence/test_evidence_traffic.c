/*
 * Cache lines over the core counts: what they bound, they bound with CPU times and without.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "support/counted_record.h"
#include "support/near.h"

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

/*
 * A triad on Core 2: 10, 5.4 and 5.2 s on 1, 2 and 4 cores of 3 GHz, a bus of 1/3 GHz with data on
 * it for `busy` clocks, all lines reads whose latency is `wait` bus clocks on four cores and 60 on
 * one.
 */
static void make_bus(
	struct sd_record *r, double busy_first, double busy_last, double wait, size_t runs)
{
	static const unsigned cores[] = {1, 2, 4};
	static const double wall[] = {10, 5.4, 5.2};

	record_make(r, cores, 3);
	r->host.numa = 1;
	for (size_t i = 0; i < 3; i++) {
		const double cpu = wall[i] * cores[i];
		const struct sample at = {.wall = wall[i], .user = cpu};

		for (size_t j = 0; j < runs; j++) {
			struct sd_run *const run =
				record_sample(r, i, &at, 1 + .002 * ((double)j - 3.5));

			count(run, "core2", SD_ROLE_CYCLES, 3e9 * cpu);
			count(run, "core2", SD_ROLE_BUS_CLOCKS, 1e9 / 3 * cpu);
			count(run, "core2", SD_ROLE_INSTRUCTIONS, 2.4e10);
			count(run, "core2", SD_ROLE_BUS_BUSY, i == 2 ? busy_last : busy_first);
			count(run, "core2", SD_ROLE_LLC_LINES_IN, 6e8);
			count(run, "core2", SD_ROLE_BUS_READ_LINES, 6e8);
			count(run, "core2", SD_ROLE_BUS_IFETCH_LINES, 0);
			count(run, "core2", SD_ROLE_BUS_OCCUPANCY, 6e8 * (i == 2 ? wait : 60));
		}
	}
}

/* Without a price or a ceiling: 1.6e9 of 1.733e9 bus clocks are 92 % of 5.2 s. The lines fill .923
 * of the time, so that 4 x .923 - 1.923 = 1.77 cores of 2.08 are its own. Twice the lines would
 * need half of that: 1.85 - 1.92, and nothing is surely its own. */
static void a_full_bus_costs_what_its_lines_take(void **state)
{
	static const struct {
		double first, last, wait;
		int is_full;
		double least;
		enum sd_verdict verdict;
		size_t runs;
	} row[] = {
		{1.6e9, 1.6e9, 60, 1, 1.77, SD_VERDICT_LIKELY, RUNS},
		{1.6e9, 1.6e9, 229, 1, 1.77, SD_VERDICT_LIKELY, RUNS},
		{1.2e9, 1.2e9, 229, 0, 0, SD_VERDICT_LIKELY, RUNS},
		{1.2e9, 1.2e9, 60, 0, 0, SD_VERDICT_POSSIBLE, RUNS},
		{.8e9, 1.6e9, 60, 0, 0, SD_VERDICT_POSSIBLE, RUNS},
		/* one run has no interval */
		{1.6e9, 1.6e9, 60, 1, 1.77, SD_VERDICT_POSSIBLE, 1},
		{1.2e9, 1.2e9, 229, 0, 0, SD_VERDICT_POSSIBLE, 1},
		{1.2e9, 1.2e9, 60, 0, 0, SD_VERDICT_POSSIBLE, 1},
	};
	static struct sd_formula_tables tables;

	(void)state;
	load_tables(&tables);
	for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
		const struct sd_finding *f;
		struct sd_analysis a;
		struct sd_record r;

		make_bus(&r, row[i].first, row[i].last, row[i].wait, row[i].runs);
		assert_int_equal(sd_analyse(&r, &tables, NULL, &a), 0);
		f = finding_of(&a, SD_CAUSE_MEMORY_BANDWIDTH);
		assert_int_equal(says(f, "it is full"), row[i].is_full);
		assert_int_equal(f->verdict, row[i].verdict);
		if (row[i].is_full) {
			assert_near(f->cores.value, row[i].least, .02);
			/* 1.6e9 of 10 s x 1/3 GHz: .48 of the bus */
			assert_true(says(f, "full at 2.1 such cores"));
		}
		sd_analysis_free(&a);
		sd_record_free(&r);
	}
	sd_formula_tables_free(&tables);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lines_bound_capacity_and_bandwidth_with_cpu_times_and_without),
		cmocka_unit_test(a_full_bus_costs_what_its_lines_take),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
