/*
 * For tests of kernels: this machine as a topology without asking for its caches, and how to find
 * rows.
 */
#ifndef SD_TEST_KERNEL_FIXTURE_H
#define SD_TEST_KERNEL_FIXTURE_H

#include <errno.h>
#include <math.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "bench/kernel.h"
#include "support/witness.h"

#define FIXTURE_CPUS 8192

struct fixture {
	struct sd_pu pu[4];
	struct sd_topology topology;
	struct sd_kernel_env env;
	struct sd_bench_rows rows;
};

/* The first n CPUs this process may use, or as many as there are; a budget of a second. */
static inline void fixture_init(struct fixture *f, unsigned n)
{
	cpu_set_t *set = CPU_ALLOC(FIXTURE_CPUS);
	size_t size = CPU_ALLOC_SIZE(FIXTURE_CPUS);
	unsigned found = 0;

	CPU_ZERO_S(size, set);
	assert_int_equal(sched_getaffinity(0, size, set), 0);
	*f = (struct fixture){0};
	for (unsigned i = 0; i < FIXTURE_CPUS && found < n && found < 4; i++)
		if (CPU_ISSET_S(i, size, set)) {
			f->pu[found] = (struct sd_pu){.os = i, .core = found};
			found++;
		}
	CPU_FREE(set);
	f->topology = (struct sd_topology){.pu = f->pu,
		.n_pu = found,
		.n_core = found,
		.n_llc = 1,
		.n_numa = 1,
		.n_package = 1,
		.n_kind = 1,
		.n_online = found,
		.granted = found,
		.line_bytes = 64};
	f->env = (struct sd_kernel_env){
		.topology = &f->topology, .budget_s = 1, .quick = 1, .memory_limit = 256u << 20};
}

static inline void fixture_free(struct fixture *f)
{
	sd_bench_rows_free(&f->rows);
}

/* The row of this variant at this many cores and parameter (NaN: any). NULL when there is none. */
static inline const struct sd_bench_row *fixture_row(
	const struct fixture *f, const char *variant, unsigned cores, double parameter)
{
	for (size_t i = 0; i < f->rows.n; i++) {
		const struct sd_bench_row *r = &f->rows.row[i];

		if (strstr(r->variant, variant) && r->cores == cores &&
			(isnan(parameter) || fabs(r->parameter - parameter) < 1e-9))
			return r;
	}
	return NULL;
}

/* NaN, for which no relation holds, when the row is there and says that it was not measured. */
static inline double fixture_median(const struct fixture *f, const char *variant, unsigned cores)
{
	const struct sd_bench_row *r = fixture_row(f, variant, cores, NAN);

	assert_non_null(r);
	return r->status == SD_STATUS_OK || r->status == SD_STATUS_NOISY ? r->median : NAN;
}

/* Asserts what holds for every row of every kernel. */
static inline void fixture_rows_are_sane(const struct fixture *f, const char *kernel)
{
	assert_true(f->rows.n > 0);
	for (size_t i = 0; i < f->rows.n; i++) {
		const struct sd_bench_row *r = &f->rows.row[i];

		assert_string_equal(r->kernel, kernel);
		assert_non_null(r->unit);
		assert_non_null(r->parameter_unit);
		assert_true(strlen(r->variant) > 0);
		if (r->status != SD_STATUS_OK && r->status != SD_STATUS_NOISY) {
			assert_true(strlen(r->why) > 0);
			continue;
		}
		assert_true(r->n > 0);
		assert_true(r->low >= 0);
		assert_true(r->low <= r->q1 && r->q1 <= r->median);
		assert_true(r->median <= r->q3 && r->q3 <= r->high);
		assert_true(isfinite(r->high));
	}
}

#define FIXTURE_NEEDS_TWO(f, test)                                              \
	do {                                                                    \
		if ((f)->topology.n_pu < 2) {                                   \
			fprintf(stderr, "SKIP: %s: only one CPU here\n", test); \
			skip();                                                 \
		}                                                               \
	} while (0)

/* Sanitizers put their own work into every access: what physics says about times no
 * longer holds. */
#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define FIXTURE_INSTRUMENTED 1
#endif
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define FIXTURE_INSTRUMENTED 1
#endif
#ifdef FIXTURE_INSTRUMENTED
#define FIXTURE_NEEDS_TIMES(test)                                           \
	do {                                                                \
		fprintf(stderr, "SKIP: %s: an instrumented build\n", test); \
		skip();                                                     \
	} while (0)
#else
#define FIXTURE_NEEDS_TIMES(test) ((void)(test))
#endif

/* Emulated CPUs share the host's and have no caches: they owe no relation between times. */
static inline int fixture_emulated(void)
{
	return getenv("SCALEDIAG_GUEST") != NULL;
}

/* Rows for whoever has to find out why what must hold did not. */
static inline void fixture_print(const struct fixture *f)
{
	for (size_t i = 0; i < f->rows.n; i++) {
		const struct sd_bench_row *r = &f->rows.row[i];

		fprintf(stderr, "# %s %s, %u cores, state %u: %g (%g to %g) %s, %zu samples%s%s\n",
			r->kernel, r->variant, r->cores, r->state, r->median, r->q1, r->q3, r->unit,
			r->n, *r->why ? ": " : "", r->why);
	}
}

#define FIXTURE_TRIES 5

/*
 * Runs a kernel on n CPUs until what physics says of its rows holds: once in FIXTURE_TRIES, since a
 * few ms that somebody else takes spoil a run. Every further try is told, and tests/run adds them
 * up. Fails when it never held though a witness that is not the kernel saw no disturbance of a try;
 * skips when it saw one every time, or on emulated CPUs.
 */
static inline void fixture_must_hold(const struct sd_kernel *kernel, unsigned n, double budget_s,
	int (*holds)(const struct fixture *f), const char *test)
{
	const char *why = NULL;
	int undisturbed = 0;
	struct witness w;

	for (int i = 0; i < FIXTURE_TRIES; i++) {
		struct fixture f;
		int held;

		witness_start(&w);
		fixture_init(&f, n);
		f.env.budget_s = budget_s;
		assert_int_equal(kernel->run(&f.env, &f.rows), 0);
		assert_true(f.rows.n > 0);
		held = holds(&f);
		why = held ? NULL : witness_disturbed(&w);
		undisturbed += !why;
		if (!held && !why)
			fixture_print(&f);
		fixture_free(&f);
		if (held)
			return;
		fprintf(stderr, "RETRY: %s: %s\n", test, why ? why : "it did not hold at once");
	}
	if (undisturbed > 0 && !fixture_emulated())
		fail_msg("%s: it held in none of %d tries", test, FIXTURE_TRIES);
	fprintf(stderr, "SKIP: %s: %s\n", test,
		fixture_emulated() ? "it never held on emulated CPUs" : why);
	skip();
}

/* With the stop flag already set a kernel ends at once and leaves no half row. */
static inline void fixture_stops(const struct sd_kernel *kernel)
{
	static volatile sig_atomic_t stop = 1;
	struct fixture f;

	fixture_init(&f, 2);
	f.env.stop = &stop;
	assert_int_equal(kernel->run(&f.env, &f.rows), -EINTR);
	assert_int_equal(f.rows.n, 0);
	fixture_free(&f);
}

/* Past its deadline a kernel measures nothing, and says so. */
static inline void fixture_minds_the_deadline(const struct sd_kernel *kernel)
{
	struct fixture f;

	fixture_init(&f, 2);
	f.env.deadline_s = 1e-9;
	f.env.directory = "/tmp";
	assert_int_equal(kernel->run(&f.env, &f.rows), 0);
	assert_true(f.rows.n > 0);
	for (size_t i = 0; i < f.rows.n; i++) {
		assert_int_not_equal(f.rows.row[i].status, SD_STATUS_OK);
		assert_true(strlen(f.rows.row[i].why) > 0);
	}
	fixture_free(&f);
}

/* A CPU that the kernel does not have: rows that say so, and no number. */
static inline void fixture_bears_a_missing_cpu(const struct sd_kernel *kernel)
{
	struct fixture f;

	fixture_init(&f, 1);
	f.pu[0].os = SD_CPU_MAX - 2;
	f.pu[1] = (struct sd_pu){.os = SD_CPU_MAX - 1, .core = 1};
	f.topology.n_pu = f.topology.n_core = f.topology.n_online = f.topology.granted = 2;
	assert_int_equal(kernel->run(&f.env, &f.rows), 0);
	assert_true(f.rows.n > 0);
	for (size_t i = 0; i < f.rows.n; i++) {
		assert_int_not_equal(f.rows.row[i].status, SD_STATUS_OK);
		assert_true(strlen(f.rows.row[i].why) > 0);
	}
	fixture_free(&f);
}

#endif
