/*
 * Waits by Amdahl's law, of times and CPU times without a look at the threads.
 */
#include "diagnose/analyse/causes/two_points.h"

#define CPU 10.0 /* s of the whole program, at each count */

/* 1, 2, 4 and 8 cores of a program with CPU time alone; its time at each by `serial` of its work.
 */
static void by_law(
	struct sd_record *r, size_t counts, const double *serial, double grown, int looked)
{
	static const unsigned cores[] = {1, 2, 4, 8};

	record_make(r, cores, counts);
	for (size_t i = 0; i < counts; i++) {
		const double user = CPU * (i ? 1 + grown : 1);
		const struct sample s = {.wall = CPU * (serial[i] + (1 - serial[i]) / cores[i]) +
						 (i ? CPU * grown / cores[i] : 0),
			.user = user,
			.idle = {[SD_IDLE_SERIAL] = 0}};

		record_samples(r, i, &s, 5, .002, i + 1);
	}
	for (size_t j = 0; j < r->n_run && !looked; j++)
		for (int k = 0; k < SD_IDLE_COUNT; k++)
			r->run[j].idle[k] = SD_NOT(ABSENT);
}

static enum sd_verdict verdict(const struct sd_analysis *a, enum sd_cause cause)
{
	return finding_of(a, cause)->verdict;
}

/* .2 alone: 8 cores lose 8 - 1 / (.2 + .8 / 8) of theirs. */
static void one_fraction_at_all_counts_makes_serial_code_possible(void **state)
{
	static const double serial[] = {.2, .2, .2, .2};
	const struct sd_finding *f;
	struct sd_analysis a;
	struct sd_record r;

	(void)state;
	by_law(&r, 4, serial, 0, 0);
	assert_int_equal(sd_analyse(&r, NULL, NULL, &a), 0);
	f = finding_of(&a, SD_CAUSE_SERIAL_CODE);
	assert_int_equal(f->verdict, SD_VERDICT_POSSIBLE);
	assert_near(f->cores.value, 8 - 1 / .3, .1);
	assert_near(f->cores.low, 0, 1e-9);
	assert_true(has_evidence(f, "a serial fraction of 0.20"));
	/* the law is no other's, and does not say how much of it they are */
	assert_int_equal(verdict(&a, SD_CAUSE_LOAD_IMBALANCE), SD_VERDICT_POSSIBLE);
	assert_int_equal(verdict(&a, SD_CAUSE_LOCK_CONTENTION), SD_VERDICT_POSSIBLE);
	assert_int_equal(finding_of(&a, SD_CAUSE_LOAD_IMBALANCE)->cores.status, SD_STATUS_ABSENT);
	sd_analysis_free(&a);
	sd_record_free(&r);
}

/* Another fraction at each count, two counts, CPU time that grows, or threads that were looked at:
 * the law has nothing to say. */
static void without_the_law_nothing_is_said(void **state)
{
	static const struct {
		double serial[4], grown;
		size_t counts;
		int looked;
	} rows[] = {
		{{0, .05, .2, .4}, 0, 4, 0},
		{{.2, .2}, 0, 2, 0},
		{{.2, .2, .2, .2}, .5, 4, 0},
		{{.2, .2, .2, .2}, 0, 4, 1},
	};

	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct sd_analysis a;
		struct sd_record r;

		print_message("row %zu\n", i);
		by_law(&r, rows[i].counts, rows[i].serial, rows[i].grown, rows[i].looked);
		assert_int_equal(sd_analyse(&r, NULL, NULL, &a), 0);
		assert_false(has_evidence(finding_of(&a, SD_CAUSE_SERIAL_CODE), "Amdahl"));
		assert_false(has_evidence(finding_of(&a, SD_CAUSE_LOAD_IMBALANCE), "fraction of"));
		sd_analysis_free(&a);
		sd_record_free(&r);
	}
}

/* Internal writes of Fortran: each takes libgfortran's lock of the units, 20,000 waits of 6 us in
 * 4.16 s on two cores. A parallel efficiency of 96 % is no reason to name that lock. */
static void a_fortran_program_that_nearly_scales_is_told_so(void **state)
{
	static const char runtime[] = "/usr/lib/x86_64-linux-gnu/libgfortran.so.5.0.0";
	static const struct sample one = {.wall = 8, .user = 8},
				   many = {.wall = 4.16,
					   .user = 8.05,
					   .idle = {[SD_IDLE_LOCK] = .12, [SD_IDLE_SERIAL] = .15}};
	struct sd_analysis a;
	struct sd_record r;
	unsigned label, write, name;

	(void)state;
	two_points(&r, 2, &one, &many, 8, .005, 1);
	label = make_call(&r, 0, "MAIN__._omp_fn.0", "labels.f90", 8, "/home/u/labels");
	write = make_call(&r, label, "_gfortran_st_write", NULL, 0, runtime);
	assert_int_equal(sd_stacks_text(&r.stacks, "[libgfortran.so.5+0x2c95a0]", &name), 0);
	for (size_t i = 0; i < r.n_run; i++) {
		struct sd_run *const run = &r.run[i];

		make_use(run, label, SD_ACTIVITY_USEFUL, 3);
		make_use(run, write, SD_ACTIVITY_USEFUL, 5);
		if (run->point == 0)
			continue;
		make_use(run, write, SD_ACTIVITY_MUTEX, .12);
		make_lock(run, name, SD_ACTIVITY_MUTEX, 20000, .12);
	}
	assert_int_equal(sd_analyse(&r, NULL, NULL, &a), 0);
	assert_int_equal(a.scales, SD_SCALES_YES);
	assert_int_equal(named(&a), 0);
	sd_analysis_free(&a);
	sd_record_free(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_fortran_program_that_nearly_scales_is_told_so),
		cmocka_unit_test(one_fraction_at_all_counts_makes_serial_code_possible),
		cmocka_unit_test(without_the_law_nothing_is_said),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
