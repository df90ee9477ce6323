#include "loops/stream.h"

#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <setjmp.h>
#include <cmocka.h>

#include "loops/reuse.h"
#include "harness/samples.h"
#include "kernels/kernels.h"
#include "curves/llc.h"
#include "loops/stream_team.h"

#define N ((size_t)4 * SD_STREAM_GRAIN)

static double *new_array(void)
{
	double *p = aligned_alloc(64, (N + 8) * sizeof *p);

	assert_non_null(p);
	return p;
}

/* Value of element i: small whole numbers and a half, so that every width gives the same bits. */
static double expected(enum sd_stream_op op, double b, double c)
{
	switch (op) {
	case SD_STREAM_TRIAD:
		return b + SD_STREAM_FACTOR * c;
	case SD_STREAM_COPY:
		return b;
	case SD_STREAM_SCALE:
		return SD_STREAM_FACTOR * b;
	case SD_STREAM_ADD:
		return b + c;
	case SD_STREAM_WRITE:
		return SD_STREAM_FACTOR;
	default:
		return NAN;
	}
}

static void check(sd_stream_fn fn, enum sd_stream_op op)
{
	double *a = new_array(), *b = new_array(), *c = new_array(), sum = 0;

	for (size_t i = 0; i < N + 8; i++) {
		a[i] = (double)(i % 37);
		b[i] = (double)(i % 101);
		c[i] = (double)(i % 53);
		sum += i < N ? a[i] : 0;
	}
	assert_true(fn(a, b, c, N) == (op == SD_STREAM_READ ? sum : 0));
	for (size_t i = 0; i < N + 8; i++) {
		assert_true(b[i] == (double)(i % 101) && c[i] == (double)(i % 53));
		if (op == SD_STREAM_READ || i >= N)
			assert_true(a[i] == (double)(i % 37));
		else
			assert_true(a[i] == expected(op, b[i], c[i]));
	}
	free(a);
	free(b);
	free(c);
}

static void every_width_and_store_computes_the_same_and_nothing_else(void **state)
{
	const struct sd_stream_isa *const *isa;
	const size_t n = sd_stream_isas(&isa);

	(void)state;
	assert_true(n >= 1);
	for (size_t i = 0; i < n; i++)
		for (int op = 0; op < SD_STREAM_OPS_COUNT; op++)
			for (int st = 0; st < SD_STORES_COUNT; st++)
				if (isa[i]->fn[op][st])
					check(isa[i]->fn[op][st], (enum sd_stream_op)op);
}

static void vector_units_come_widest_first_and_scalar_last(void **state)
{
	const struct sd_stream_isa *const *isa;
	const size_t n = sd_stream_isas(&isa);

	(void)state;
	assert_int_equal(n % SD_STREAM_LOOPS, 0);
	for (size_t i = 1; i < n; i++)
		if (i % SD_STREAM_LOOPS)
			assert_int_equal(isa[i]->bits, isa[i - 1]->bits);
		else
			assert_true(isa[i]->bits < isa[i - 1]->bits);
	assert_string_equal(isa[n - 1]->name, "scalar");
	assert_int_equal(isa[n - 1]->bits, 64);
}

static void bytes_are_counted_both_ways(void **state)
{
	(void)state;
	assert_true(sd_stream_bytes(SD_STREAM_TRIAD, 100) == 2400);
	assert_true(sd_stream_bytes(SD_STREAM_COPY, 100) == 1600);
	assert_true(sd_stream_bytes(SD_STREAM_SCALE, 100) == 1600);
	assert_true(sd_stream_bytes(SD_STREAM_ADD, 100) == 2400);
	assert_true(sd_stream_bytes(SD_STREAM_READ, 100) == 800);
	assert_true(sd_stream_bytes(SD_STREAM_WRITE, 100) == 800);
	assert_true(sd_stream_bytes_allocated(SD_STREAM_TRIAD, SD_STORES_REGULAR, 100) == 3200);
	assert_true(sd_stream_bytes_allocated(SD_STREAM_TRIAD, SD_STORES_NT, 100) == 2400);
	assert_true(sd_stream_bytes_allocated(SD_STREAM_COPY, SD_STORES_REGULAR, 100) == 2400);
	assert_true(sd_stream_bytes_allocated(SD_STREAM_READ, SD_STORES_REGULAR, 100) == 800);
}

static void a_team_streams_all_of_its_memory_threads_or_processes(void **state)
{
	const enum sd_team_kind kinds[] = {SD_TEAM_THREADS, SD_TEAM_PROCESSES};
	const struct sd_cpulist cpus = {(unsigned[]){0, 0}, 2};
	const struct sd_stream_isa *const *isa;

	(void)state;
	sd_stream_isas(&isa);
	for (size_t k = 0; k < 2; k++) {
		struct sd_stream_team s;
		double rate = 0;

		assert_int_equal(
			sd_stream_team_start(&s, kinds[k], &cpus, SD_PAGES_BASE, 8 << 20, NULL), 0);
		assert_int_equal(s.slice, 4 << 20);
		for (int op = 0; op < SD_STREAM_OPS_COUNT; op++) {
			/* not a divisor of the slice: it wraps */
			assert_int_equal(sd_stream_team_run(&s, (enum sd_stream_op)op,
						 SD_STORES_REGULAR, isa[0], 7e6, NULL, &rate),
				0);
			assert_true(rate > 0);
		}
		/* all of it holds a half or more by now, the sum of a whole slice says so */
		assert_int_equal(sd_stream_team_run(&s, SD_STREAM_WRITE, SD_STORES_REGULAR, isa[0],
					 (double)s.slice, NULL, &rate),
			0);
		assert_int_equal(sd_stream_team_run(&s, SD_STREAM_READ, SD_STORES_REGULAR, isa[0],
					 (double)s.slice, NULL, &rate),
			0);
		for (unsigned i = 0; i < 2; i++)
			assert_true(s.team.member[i].value ==
				    SD_STREAM_FACTOR * (double)(s.slice / sizeof(double)));
		sd_stream_team_end(&s);
		sd_stream_team_end(&s);
	}
}

static void lines_just_used_are_nearer_than_memory(void **state)
{
	unsigned char *p = aligned_alloc(4096, 1 << 18);
	struct sd_value r;

	(void)state;
	assert_non_null(p);
	memset(p, 1, 1 << 18);
	/* a busy machine may spoil a few */
	for (int i = 0; i < 10; i++) {
		r = sd_reuse_ratio(p, 1 << 18, 3);
		if (r.status == SD_STATUS_UNSUPPORTED || (sd_has(r) && r.value < SD_REUSE_DRAM))
			break;
	}
	assert_int_equal(
		sd_reuse_ratio(p, SD_REUSE_BYTES_MIN - 1, 3).status, SD_STATUS_UNSUPPORTED);
	free(p);
	if (r.status == SD_STATUS_UNSUPPORTED) {
		fprintf(stderr, "SKIP: lines_just_used_are_nearer_than_memory: cannot flush\n");
		skip();
	}
	assert_true(sd_has(r));
	assert_true(r.value < SD_REUSE_DRAM);
}

static void the_size_rule_asks_for_four_times_the_cache(void **state)
{
	const struct sd_value mib = SD_OK(1 << 20), none = SD_NOT(ABSENT), gib = SD_OK(1 << 30);

	(void)state;
	assert_int_equal(sd_llc_size(mib, mib, 1, 0, 1ull << 40).bytes, 12 << 20);
	assert_int_equal(sd_llc_size(mib, mib, 2, 0, 1ull << 40).bytes, 24 << 20);
	assert_int_equal(sd_llc_size(gib, mib, 1, 1, 1ull << 40).bytes, 4 << 20);
	assert_int_equal(sd_llc_size(gib, mib, 1, 0, 1ull << 40).bytes, 12ull << 30);
	assert_int_equal(sd_llc_size(gib, mib, 1, 0, 1ull << 30).bytes, 12 << 20);
	assert_int_equal(sd_llc_size(gib, mib, 1, 0, 5 << 20).bytes, 4 << 20);
	assert_int_equal(sd_llc_size(gib, mib, 1, 0, 3 << 20).bytes, 0);
	/* a machine that hides its cache: larger than any cache there is */
	assert_int_equal(sd_llc_size(none, none, 1, 1, 1ull << 40).bytes, 12ull << 30);
	/* a cache that is larger than the machine says */
	assert_int_equal(sd_llc_size(mib, gib, 1, 0, 1ull << 40).bytes, 12ull << 30);
}

static struct sd_pu pu[] = {{.os = 0}};

static void tiny_arrays_are_refused_and_yield_no_bandwidth(void **state)
{
	/* a machine that lies about its cache, and no memory to find that out */
	const struct sd_topology lie = {.pu = pu,
		.n_pu = 1,
		.n_core = 1,
		.n_llc = 1,
		.n_numa = 1,
		.n_package = 1,
		.n_kind = 1,
		.granted = 1,
		.llc_bytes = SD_OK(32 << 10)};
	const struct sd_kernel_env env = {
		.topology = &lie, .quick = 1, .budget_s = 0.2, .memory_limit = 768 << 10};
	size_t served = 1, tries = 0;

	(void)state;
	/* while others have the caches, these serve nothing, and it looks like memory */
	for (; served && tries < 20; tries++) {
		struct sd_bench_rows rows = {0};

		assert_int_equal(sd_kernel_triad.run(&env, &rows), 0);
		assert_true(rows.n >= 1);
		served = 0;
		for (size_t i = 0; i < rows.n; i++) {
			if (strstr(rows.row[i].why, "huge"))
				continue;
			served += rows.row[i].status != SD_STATUS_ABSENT;
			assert_true(rows.row[i].status != SD_STATUS_ABSENT ||
				    strstr(rows.row[i].why, "refused"));
		}
		sd_bench_rows_free(&rows);
	}
	if (served)
		fail_msg("not refused in %zu tries", tries);
}

static void too_little_memory_is_a_row_that_says_so(void **state)
{
	const struct sd_topology big = {.pu = pu,
		.n_pu = 1,
		.n_core = 1,
		.n_llc = 1,
		.granted = 1,
		.llc_bytes = SD_OK(1 << 30)};
	const struct sd_kernel_env env = {
		.topology = &big, .quick = 1, .budget_s = 0.2, .memory_limit = 1 << 20};
	struct sd_bench_rows rows = {0};

	(void)state;
	assert_int_equal(sd_kernel_read.run(&env, &rows), 0);
	assert_true(rows.n >= 1);
	assert_int_equal(rows.row[0].status, SD_STATUS_UNSUPPORTED);
	assert_string_equal(rows.row[0].why,
		"not enough memory for 4x the last-level cache (1 MiB may be used)");
	sd_bench_rows_free(&rows);
}

static void domains_nodes_and_placements_have_rows_of_their_own(void **state)
{
	static const char *const places[] = {"place=compact", "place=spread", "place=llc0",
		"place=llc1", "place=numa0", "place=numa1", "team=processes", "pages=4KiB"};
	/* two nodes of two cores; too little memory, so that every cell is planned and none
	 * measured */
	struct sd_pu four[4] = {{.os = 0, .core = 0}, {.os = 1, .core = 1},
		{.os = 2, .core = 2, .llc = 1, .numa = 1, .package = 1},
		{.os = 3, .core = 3, .llc = 1, .numa = 1, .package = 1}};
	const struct sd_topology t = {.pu = four,
		.n_pu = 4,
		.n_core = 4,
		.n_llc = 2,
		.n_numa = 2,
		.n_package = 2,
		.n_kind = 1,
		.granted = 4,
		.llc_bytes = SD_OK(1 << 30)};
	const struct sd_kernel_env env = {.topology = &t, .budget_s = 0.2, .memory_limit = 1 << 20};
	struct sd_bench_rows rows = {0};

	(void)state;
	assert_int_equal(sd_kernel_bandwidth.run(&env, &rows), 0);
	for (size_t k = 0; k < sizeof places / sizeof *places; k++) {
		int found = 0;

		for (size_t i = 0; i < rows.n; i++)
			found |= strstr(rows.row[i].variant, places[k]) != NULL;
		if (!found && strcmp(places[k], "pages=4KiB") != 0)
			fail_msg("no row has %s", places[k]);
	}
	for (size_t i = 0; i < rows.n; i++) {
		if (strstr(rows.row[i].variant, "llc1"))
			assert_string_equal(rows.row[i].cpus, "2-3");
		if (strstr(rows.row[i].variant, "spread") && rows.row[i].cores == 2)
			assert_string_equal(rows.row[i].cpus, "0,2");
	}
	sd_bench_rows_free(&rows);
}

static void a_cpu_that_is_not_there_is_a_row_and_not_a_failure(void **state)
{
	struct sd_pu away[] = {{.os = SD_CPU_MAX - 1}};
	const struct sd_topology t = {.pu = away,
		.n_pu = 1,
		.n_core = 1,
		.n_llc = 1,
		.granted = 1,
		.llc_bytes = SD_OK(64 << 10)};
	const struct sd_kernel_env env = {
		.topology = &t, .quick = 1, .budget_s = 0.2, .memory_limit = 1 << 20};
	struct sd_bench_rows rows = {0};

	(void)state;
	assert_int_equal(sd_kernel_triad.run(&env, &rows), 0);
	assert_true(rows.n > 0);
	assert_int_equal(rows.row[0].status, SD_STATUS_ABSENT);
	assert_non_null(strstr(rows.row[0].why, "offline"));
	sd_bench_rows_free(&rows);
}

static void ctrl_c_ends_it(void **state)
{
	const struct sd_topology t = {.pu = pu, .n_pu = 1, .n_core = 1, .n_llc = 1, .granted = 1};
	volatile sig_atomic_t stop = 1;
	const struct sd_kernel_env env = {.topology = &t, .budget_s = 1, .stop = &stop};
	struct sd_bench_rows rows = {0};

	(void)state;
	assert_int_equal(sd_kernel_bandwidth.run(&env, &rows), -EINTR);
	sd_bench_rows_free(&rows);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_width_and_store_computes_the_same_and_nothing_else),
		cmocka_unit_test(vector_units_come_widest_first_and_scalar_last),
		cmocka_unit_test(bytes_are_counted_both_ways),
		cmocka_unit_test(a_team_streams_all_of_its_memory_threads_or_processes),
		cmocka_unit_test(lines_just_used_are_nearer_than_memory),
		cmocka_unit_test(the_size_rule_asks_for_four_times_the_cache),
		cmocka_unit_test(tiny_arrays_are_refused_and_yield_no_bandwidth),
		cmocka_unit_test(too_little_memory_is_a_row_that_says_so),
		cmocka_unit_test(domains_nodes_and_placements_have_rows_of_their_own),
		cmocka_unit_test(a_cpu_that_is_not_there_is_a_row_and_not_a_failure),
		cmocka_unit_test(ctrl_c_ends_it),
	};

	return cmocka_run_group_tests_name("microbench_stream", tests, NULL, NULL);
}
