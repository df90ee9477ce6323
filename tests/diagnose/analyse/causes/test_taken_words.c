/*
 * Spin locks in one line that nobody waits for are false sharing; those that threads take from each
 * other are lock contention: samples at the exchange look the same, the bytes do not.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "support/analyse_record.h"
#include "support/make_samples.h"
#include "support/make_simulated.h"

enum { RUNS = 8 };

/* 10 s of work; on two cores 9 s more at the exchange of a loop that takes a lock, or in its pause.
 */
static void make(struct sd_record *r, double at_exchange, enum sd_sim_sharing sharing)
{
	static const unsigned cores[] = {1, 2};
	static const struct sample before = {.wall = 10, .user = 10},
				   after = {.wall = 9.5, .user = 19};
	unsigned work, lock;

	record_make(r, cores, 2);
	r->calibration.line = SD_OK(100e-9);
	work = make_call(r, 0, "work", "a.c", 7, "/home/u/app");
	lock = make_call(r, work, "take", "a.c", 3, "/home/u/app");
	for (int i = 0; i < RUNS; i++) {
		const double f = 1 + .001 * i;
		struct sd_run *run = record_sample(r, 0, &before, f);

		make_use(run, work, SD_ACTIVITY_USEFUL, 10 * f);
		run = record_sample(r, 1, &after, f);
		make_use(run, work, SD_ACTIVITY_USEFUL, 10 * f);
		make_use(run, lock, SD_ACTIVITY_SPIN_LOCK, 9 * f)->atomic = at_exchange * 9 * f;
	}
	for (size_t p = 0; p < 2; p++) {
		struct sd_simulated *const s = make_simulated(r, p);

		for (size_t i = 0; i < s->n_thread; i++)
			s->thread[i].hitm_load = p ? 4e7 / (double)s->n_thread : 0;
		if (p)
			make_false_line(r, s, 4e7)->sharing = sharing;
	}
}

static const struct sd_finding *first(const struct sd_record *r, struct sd_analysis *a)
{
	assert_int_equal(sd_analyse(r, NULL, NULL, a), 0);
	assert_true(fabs(stack_sum(&a->point[1]) - 2) < 1e-9);
	return &a->finding[0];
}

static void locks_of_one_line_that_nobody_waits_for_are_false_sharing(void **state)
{
	struct sd_record r;
	struct sd_analysis a;
	const struct sd_finding *f;

	(void)state;
	make(&r, 1, SD_SIM_FALSE);
	f = first(&r, &a);
	assert_int_equal(f->cause, SD_CAUSE_FALSE_SHARING);
	assert_int_equal(f->verdict, SD_VERDICT_LIKELY);
	assert_true(finding_of(&a, SD_CAUSE_LOCK_CONTENTION)->verdict > SD_VERDICT_LIKELY);
	sd_analysis_free(&a);
	sd_record_free(&r);
}

static void a_lock_that_threads_take_from_each_other_is_contended(void **state)
{
	struct sd_record r;
	struct sd_analysis a;
	const struct sd_finding *f;

	(void)state;
	make(&r, 1, SD_SIM_TRUE);
	f = first(&r, &a);
	assert_int_equal(f->cause, SD_CAUSE_LOCK_CONTENTION);
	assert_int_equal(f->verdict, SD_VERDICT_LIKELY);
	sd_analysis_free(&a);
	sd_record_free(&r);
}

/* A sample in the pause waits, whatever else lies in the line. */
static void who_pauses_waits(void **state)
{
	struct sd_record r;
	struct sd_analysis a;

	(void)state;
	make(&r, .1, SD_SIM_FALSE);
	assert_int_equal(first(&r, &a)->cause, SD_CAUSE_LOCK_CONTENTION);
	sd_analysis_free(&a);
	sd_record_free(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(locks_of_one_line_that_nobody_waits_for_are_false_sharing),
		cmocka_unit_test(a_lock_that_threads_take_from_each_other_is_contended),
		cmocka_unit_test(who_pauses_waits),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
