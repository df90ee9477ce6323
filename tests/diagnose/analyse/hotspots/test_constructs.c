/*
 * Facts of stacks besides the place: copies that compilers make of a function, functions of a
 * library that hold a lock while they run, and what a program makes its parallelism of.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "hotspots/code_places.h"
#include "hotspots/constructs.h"
#include "support/analyse_record.h"
#include "support/make_samples.h"

#define RUNS 6

static const unsigned cores[] = {1, 2};
static const char app[] = "/home/u/app", libc[] = "/usr/lib/x86_64-linux-gnu/libc.so.6";

static const struct sd_loss_row *row_of(const struct sd_analysis *a, const char *function)
{
	for (size_t i = 0; i < a->losses.n_row; i++)
		if (a->losses.row[i].at.function &&
			strcmp(a->losses.row[i].at.function, function) == 0)
			return &a->losses.row[i];
	return NULL;
}

static void done(struct sd_record *r, struct sd_analysis *a)
{
	sd_analysis_free(a);
	sd_record_free(r);
}

/* At 1 core the program calls work(), at 2 a copy of it for a constant: one row, which loses
 * little. */
static void copies_of_a_function_are_one(void **state)
{
	static const struct sample one = {.wall = 10, .user = 10},
				   two = {.wall = 6, .user = 11, .idle = {[SD_IDLE_SERIAL] = 1}};
	struct sd_record r;
	struct sd_analysis a;
	unsigned whole, copy;

	(void)state;
	record_make(&r, cores, 2);
	whole = make_call(&r, make_call(&r, 0, "main", "a.c", 1, app), "work", "a.c", 7, app);
	copy = make_call(&r, 0, "work.constprop.0", "a.c", 7, app);
	for (int i = 0; i < RUNS; i++) {
		const double f = 1 + .001 * i;

		make_use(record_sample(&r, 0, &one, f), whole, SD_ACTIVITY_USEFUL, 10 * f);
		make_use(record_sample(&r, 1, &two, f), copy, SD_ACTIVITY_USEFUL, 11 * f);
	}
	assert_int_equal(sd_analyse(&r, NULL, NULL, &a), 0);
	assert_non_null(row_of(&a, "work"));
	assert_null(row_of(&a, "work.constprop.0"));
	assert_true(fabs(row_of(&a, "work")->total.value - 1. / 6) < .05);
	done(&r, &a);
}

/* A library's function that waits for its lock holds it while it runs: what it takes longer, as its
 * data go from core to core, is that lock's. */
static void growth_under_a_librarys_lock_is_the_locks(void **state)
{
	static const struct sample one = {.wall = 10, .user = 10},
				   two = {.wall = 12, .user = 19, .idle = {[SD_IDLE_LOCK] = 5}};
	/* the class that the lock is held to construct lets go elsewhere, by its other members */
	static const struct {
		const char *takes, *costs;
		int is_its;
	} row[] = {
		{"__tz_convert", "__tz_convert", 1},
		{"std::locale::locale()", "std::locale::~locale()", 1},
		{"std::locale::locale()", "std::locale::operator=(std::locale const&)", 1},
		{"std::locale::locale()", "std::locale_of(int)", 0},
		{"std::chrono::get_tzdb()", "std::chrono::locate_zone()", 0},
	};

	(void)state;
	for (size_t n = 0; n < sizeof row / sizeof *row; n++) {
		struct sd_record r;
		struct sd_analysis a;
		const struct sd_finding *f;
		unsigned serve, convert, wait;

		record_make(&r, cores, 2);
		serve = make_call(&r, 0, "serve", "a.c", 7, app);
		convert = make_call(&r, serve, row[n].costs, "tzset.c", 572, libc);
		wait = make_call(&r, make_call(&r, serve, row[n].takes, "tzset.c", 572, libc),
			"__lll_lock_wait_private", "lowlevellock.c", 27, libc);
		for (int i = 0; i < RUNS; i++) {
			const double k = 1 + .001 * i;
			struct sd_run *run = record_sample(&r, 0, &one, k);
			struct sd_lock_use *lock;

			make_use(run, serve, SD_ACTIVITY_USEFUL, 5 * k);
			make_use(run, convert, SD_ACTIVITY_USEFUL, 5 * k);
			run = record_sample(&r, 1, &two, k);
			make_use(run, serve, SD_ACTIVITY_USEFUL, 5 * k);
			make_use(run, convert, SD_ACTIVITY_USEFUL, 14 * k);
			make_use(run, wait, SD_ACTIVITY_MUTEX, 5 * k);
			lock = make_lock(run, 0, SD_ACTIVITY_MUTEX, 1000, 5 * k);
			lock->waiter[0] = (struct sd_lock_stack){wait, 5 * k};
		}
		assert_int_equal(sd_analyse(&r, NULL, NULL, &a), 0);
		f = finding_of(&a, SD_CAUSE_LOCK_CONTENTION);
		assert_int_equal(a.finding[0].cause, SD_CAUSE_LOCK_CONTENTION);
		/* 5 core-s of 24 that wait surely, and 9 more that the data under the lock may
		 * cost: no growth is left without a cause where these are the lock's */
		if (f->cores.low < .9 * 2 * 5. / 24 ||
			fabs(f->cores.high - 2 * (5. + 9) / 24) > .1 ||
			sd_has(a.undecided) == row[n].is_its)
			fail_msg("%s: %.3f to %.3f cores, undecided %.3f", row[n].costs,
				f->cores.low, f->cores.high, a.undecided.value);
		done(&r, &a);
	}
}

/* The program's own function may do anything between locking and unlocking. */
static void of_the_programs_own_functions_none_is_taken_for_a_lock(void **state)
{
	struct sd_record r;
	unsigned own, wait, deep;

	(void)state;
	record_make(&r, cores, 2);
	own = make_call(&r, 0, "serve", "a.c", 7, app);
	wait = make_call(&r, make_call(&r, own, "pthread_mutex_lock", NULL, 0, libc),
		"__lll_lock_wait", NULL, 0, libc);
	assert_int_equal(sd_code_places_asked(&r.stacks, wait), 0);
	deep = make_call(&r, make_call(&r, own, "vfprintf", NULL, 0, libc), "__lll_lock_wait", NULL,
		0, libc);
	assert_string_equal(r.stacks.text[sd_code_places_asked(&r.stacks, deep)], "vfprintf");
	/* malloc's own is the allocator's */
	deep = make_call(
		&r, make_call(&r, own, "malloc", NULL, 0, libc), "__lll_lock_wait", NULL, 0, libc);
	assert_int_equal(sd_code_places_asked(&r.stacks, deep), 0);
	assert_int_equal(sd_code_places_asked(&r.stacks, own), 0);
	assert_int_equal(sd_code_places_asked(&r.stacks, 1u << 30), 0);
	sd_record_free(&r);
}

/* ---- constructs ------------------------------------------------------------------------------ */

static void what_a_program_is_made_of_is_seen_in_its_stacks(void **state)
{
	static const struct {
		const char *function, *module;
		int pid[2];
		int openmp, threads, processes;
	} row[] = {
		{"solve._omp_fn.0", "/home/u/app", {7, 7}, 1, 1, 0},
		{"gomp_team_barrier_wait_end", "/usr/lib/libgomp.so.1", {7, 7}, 1, 1, 0},
		{"__kmp_fork_barrier", "/usr/lib/libomp.so.5", {7, 8}, 1, 0, 1},
		{"work", "/home/u/app", {7, 7}, 0, 1, 0},
		{"work", "/home/u/app", {7, 8}, 0, 0, 1},
	};
	static const struct sample one = {.wall = 1, .user = 1};

	(void)state;
	for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
		struct sd_record r;
		struct sd_analysis a;

		record_make(&r, cores, 2);
		for (size_t p = 0; p < 2; p++) {
			struct sd_run *const run = record_sample(&r, p, &one, 1);

			make_use(run, make_call(&r, 0, row[i].function, NULL, 0, row[i].module),
				SD_ACTIVITY_USEFUL, 1);
			run->sampled.bottle = calloc(3, sizeof *run->sampled.bottle);
			run->sampled.n_bottle = 3;
			for (int k = 0; k < 2; k++)
				run->sampled.bottle[k] = (struct sd_bottle){
					.pid = row[i].pid[k], .tid = 7 + k, .height = .5};
			/* who hardly works is a helper */
			run->sampled.bottle[2] =
				(struct sd_bottle){.pid = 9, .tid = 9, .height = .001};
		}
		assert_int_equal(sd_analyse(&r, NULL, NULL, &a), 0);
		assert_true(sd_has(a.constructs.openmp) && sd_has(a.constructs.threads));
		assert_int_equal(a.constructs.openmp.value > 0, row[i].openmp);
		assert_int_equal(a.constructs.threads.value > 0, row[i].threads);
		assert_int_equal(a.constructs.processes.value > 0, row[i].processes);
		done(&r, &a);
	}
}

/* The first of them did most, and of the others that are not listed nobody knows. */
static void more_threads_than_are_listed_are_several(void **state)
{
	static const struct sample one = {.wall = 1, .user = 1};
	static const size_t listed[] = {SD_SAMPLED_THREADS - 1, SD_SAMPLED_THREADS};

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		struct sd_record r;
		struct sd_analysis a;

		record_make(&r, cores, 2);
		for (size_t p = 0; p < 2; p++) {
			struct sd_run *const run = record_sample(&r, p, &one, 1);

			make_use(
				run, make_call(&r, 0, "work", NULL, 0, app), SD_ACTIVITY_USEFUL, 1);
			run->sampled.bottle = calloc(listed[i], sizeof *run->sampled.bottle);
			run->sampled.n_bottle = listed[i];
			for (size_t k = 0; k < listed[i]; k++)
				run->sampled.bottle[k] = (struct sd_bottle){
					.pid = 7, .tid = 7 + (int)k, .height = k ? .0001 : .3};
		}
		assert_int_equal(sd_analyse(&r, NULL, NULL, &a), 0);
		assert_int_equal(a.constructs.threads.value > 0, i);
		done(&r, &a);
	}
}

/* A flat profile of a program that the driver starts has that program as its place, not the one of
 * its thousand functions that happens to have 5 % of it. */
static void a_flat_profile_has_its_program_as_its_place(void **state)
{
	static const char cc1[] = "/usr/lib/gcc/x86_64-linux-gnu/12/cc1plus";
	static const struct {
		const char *module;
		double first; /* s of the first of ten functions; .9 each of the others */
		const char *where;
	} row[] = {
		{cc1, .8, "[cc1plus]"},
		{cc1, 4, "parse_0"},
		{"/opt/bin/driver", .8, "parse_1"},
	};
	static const struct sample one = {.wall = 9, .user = 9},
				   two = {.wall = 9, .user = 9, .idle = {[SD_IDLE_SERIAL] = 9}};

	(void)state;
	for (size_t n = 0; n < sizeof row / sizeof *row; n++) {
		const struct sd_finding *f;
		struct sd_record r;
		struct sd_analysis a;

		record_make(&r, cores, 2);
		sd_texts_free(&r.program.argv);
		assert_int_equal(sd_texts_add(&r.program.argv, "driver"), 0);
		for (int i = 0; i < 2 * RUNS; i++) {
			struct sd_run *const run =
				record_sample(&r, i % 2, i % 2 ? &two : &one, 1 + .001 * i);

			for (int k = 0; k < 11; k++) {
				char name[16];
				struct sd_use *u;

				snprintf(name, sizeof name, "parse_%d", k);
				u = make_use(run, make_call(&r, 0, name, NULL, 0, row[n].module),
					SD_ACTIVITY_USEFUL, k ? .9 : row[n].first);
				u->blame = u->blame_serial = i % 2 ? u->seconds : 0;
			}
		}
		assert_int_equal(sd_analyse(&r, NULL, NULL, &a), 0);
		f = finding_of(&a, SD_CAUSE_SERIAL_CODE);
		assert_true(f->n_where > 0);
		assert_string_equal(f->where[0].function, row[n].where);
		done(&r, &a);
	}
}

/* Many short processes of one command are one row; a few are workers, of which each has its own. */
static void many_short_processes_are_summed_by_command(void **state)
{
	static const struct sample one = {.wall = 1, .user = 1};
	static const size_t jobs[] = {3, 40};

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		struct sd_record r;
		struct sd_analysis a;

		record_make(&r, cores, 2);
		for (size_t p = 0; p < 2; p++) {
			struct sd_run *const run = record_sample(&r, p, &one, 1);

			make_use(
				run, make_call(&r, 0, "work", NULL, 0, app), SD_ACTIVITY_USEFUL, 1);
			run->sampled.n_bottle = jobs[i] + 1;
			run->sampled.bottle = calloc(jobs[i] + 1, sizeof *run->sampled.bottle);
			run->sampled.bottle[0] = (struct sd_bottle){
				.pid = 7, .tid = 7, .name = "make", .height = .2, .width = 1};
			for (int k = 1; k <= (int)jobs[i]; k++)
				run->sampled.bottle[k] = (struct sd_bottle){.pid = 7 + k,
					.tid = 7 + k,
					.name = "cc1plus",
					.height = .8 / (double)jobs[i],
					.width = 2};
		}
		assert_int_equal(sd_analyse(&r, NULL, NULL, &a), 0);
		assert_int_equal(a.threads.n_row, i ? 2 : 4);
		assert_int_equal(a.threads.n_seen, a.threads.n_row);
		assert_int_equal(a.threads.row[0].processes, i ? 40 : 0);
		if (i) {
			assert_string_equal(a.threads.row[0].name, "cc1plus");
			assert_true(fabs(a.threads.row[0].share - .8) < 1e-9);
			assert_true(fabs(a.threads.row[0].width - 2) < 1e-9);
			assert_string_equal(a.threads.row[1].name, "make");
		}
		done(&r, &a);
	}
}

static void without_samples_nobody_knows(void **state)
{
	static const struct sample one = {.wall = 1, .user = 1};
	struct sd_record r;
	struct sd_analysis a;

	(void)state;
	record_make(&r, cores, 2);
	for (size_t p = 0; p < 2; p++)
		record_sample(&r, p, &one, 1);
	assert_int_equal(sd_analyse(&r, NULL, NULL, &a), 0);
	assert_false(sd_has(a.constructs.openmp));
	assert_false(sd_has(a.constructs.threads));
	done(&r, &a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(copies_of_a_function_are_one),
		cmocka_unit_test(growth_under_a_librarys_lock_is_the_locks),
		cmocka_unit_test(of_the_programs_own_functions_none_is_taken_for_a_lock),
		cmocka_unit_test(what_a_program_is_made_of_is_seen_in_its_stacks),
		cmocka_unit_test(more_threads_than_are_listed_are_several),
		cmocka_unit_test(a_flat_profile_has_its_program_as_its_place),
		cmocka_unit_test(many_short_processes_are_summed_by_command),
		cmocka_unit_test(without_samples_nobody_knows),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
