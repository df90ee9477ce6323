/*
 * The calibration that a diagnosis makes for itself.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "run/node_ceilings.h"

#define COUNTS 3

static struct asked {
	unsigned cores[COUNTS];
	size_t n_cores;
	int brief, quick;
	unsigned runs;
} asked;

/* Which numbers there was time for. */
static int has_latencies, has_walk;
static size_t has_counts;

static void note(const struct sd_kernel_env *env)
{
	/* three seconds with the last measurement, though those before it took none */
	assert_true(env->budget_s > 0 && env->budget_s < 3);
	asked.brief = env->brief;
	asked.quick = env->quick;
	asked.n_cores = env->n_cores;
	assert_true(env->n_cores <= COUNTS);
	memcpy(asked.cores, env->cores, env->n_cores * sizeof *env->cores);
	asked.runs++;
}

static int add(struct sd_bench_rows *rows, const char *kernel, const char *variant,
	const char *unit, unsigned cores)
{
	struct sd_bench_row r = {.kernel = kernel,
		.cores = cores,
		.unit = unit,
		.parameter_unit = "",
		.n = 5,
		.median = 10,
		.q1 = 10,
		.q3 = 10,
		.low = 10,
		.high = 10,
		.status = SD_STATUS_OK};

	strncpy(r.variant, variant, sizeof r.variant - 1);
	return sd_bench_rows_add(rows, &r);
}

static int bandwidth(const struct sd_kernel_env *env, struct sd_bench_rows *rows)
{
	int rc = 0;

	note(env);
	for (size_t i = 0; i < env->n_cores && i < has_counts && !rc; i++)
		rc = add(rows, "triad", "stores=nt bytes=counted", "GB/s", env->cores[i]);
	return rc;
}

static int latency(const struct sd_kernel_env *env, struct sd_bench_rows *rows)
{
	int rc;

	note(env);
	if (!has_latencies)
		return 0;
	rc = add(rows, "latency", "pages=4KiB level=LLC", "ns", 1);
	return rc ? rc : add(rows, "latency", "pages=4KiB level=DRAM", "ns", 1);
}

static int tlb(const struct sd_kernel_env *env, struct sd_bench_rows *rows)
{
	note(env);
	return has_walk ? add(rows, "tlb", "pages=4KiB level=1 quantity=miss", "ns", 1) : 0;
}

static int never(const struct sd_kernel_env *env, struct sd_bench_rows *rows)
{
	(void)env;
	(void)rows;
	fail();
	return 0;
}

static const struct sd_kernel kernels[] = {{.name = "bandwidth", .weight = 9, .run = bandwidth},
	{.name = "latency", .weight = 5, .run = latency}, {.name = "tlb", .weight = 2, .run = tlb},
	{.name = "locks", .weight = 2, .run = never}};
static const struct sd_kernel *const registry[] = {
	&kernels[0], &kernels[1], &kernels[2], &kernels[3], NULL};

static unsigned first_cpu(void)
{
	const struct sd_topology_source here = {0};
	struct sd_topology t;
	unsigned cpu;

	assert_int_equal(sd_topology_load(&t, &here, NULL), 0);
	cpu = t.pu[0].os;
	sd_topology_free(&t);
	return cpu;
}

/* Measures with a plan of one CPU a point, as when more threads are asked for than CPUs. */
static void measure(struct sd_record *r)
{
	struct sd_progress_line line = {0};
	const struct sd_cli cli = {.line = &line, .kernels = registry};
	static struct sd_plan_point point[2];
	const unsigned cpu = first_cpu();

	memset(point, 0, sizeof point);
	asked = (struct asked){0};
	*r = (struct sd_record){.plan = {.point = point, .n_point = 2}};
	for (unsigned i = 0; i < 2; i++) {
		point[i].cores = i + 1;
		assert_int_equal(sd_cpulist_add(&point[i].cpus, cpu), 0);
	}
	assert_int_equal(sd_node_ceilings_measure(r, &cli), 0);
	for (unsigned i = 0; i < 2; i++)
		sd_cpulist_free(&point[i].cpus);
	r->plan.point = NULL;
	r->plan.n_point = 0;
}

static void it_asks_for_what_is_judged_and_no_more(void **state)
{
	struct sd_record r;

	(void)state;
	has_counts = COUNTS;
	has_latencies = has_walk = 1;
	measure(&r);
	assert_int_equal(asked.runs, 3);
	assert_true(asked.brief && asked.quick);
	/* one count of CPUs, once */
	assert_int_equal(asked.n_cores, 1);
	assert_int_equal(asked.cores[0], 1);
	assert_int_equal(r.calibration.n_ceiling, 1);
	assert_true(sd_has(r.calibration.dram) && sd_has(r.calibration.walk));
	assert_null(strstr(r.calibration.statement, "not measured"));
	sd_record_free(&r);
}

static void what_there_was_no_time_for_is_said(void **state)
{
	static const struct {
		int latencies, walk;
		size_t counts;
		const char *said, *unsaid;
	} row[] = {
		{0, 1, COUNTS, "not measured: latencies", "walks"},
		{1, 0, COUNTS, "not measured: page walks", "latencies"},
		{1, 1, 0, "not measured: the bandwidth of 1 of 1 counts", "latencies"},
		{0, 0, 0, "counts, latencies, page walks", ";;"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
		struct sd_record r;

		has_latencies = row[i].latencies;
		has_walk = row[i].walk;
		has_counts = row[i].counts;
		measure(&r);
		assert_non_null(strstr(r.calibration.statement, row[i].said));
		assert_null(strstr(r.calibration.statement, row[i].unsaid));
		assert_int_equal(r.calibration.n_ceiling, row[i].counts ? 1 : 0);
		sd_record_free(&r);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(it_asks_for_what_is_judged_and_no_more),
		cmocka_unit_test(what_there_was_no_time_for_is_said),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
