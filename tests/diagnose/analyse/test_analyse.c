/*
 * Programs of which only a part was simulated, and all of whose instructions were counted apart:
 * more of them are extra work, and the part stands for the whole, of which nothing is certain.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "support/analyse_record.h"
#include "support/make_samples.h"
#include "support/make_simulated.h"
#include "support/near.h"

enum { RUNS = 8, EIGHT = 8 };

/* 10 s of user time on one core become 20 on eight; half of each was simulated. */
static void make(struct sd_record *r, struct sd_simulated **one, struct sd_simulated **eight)
{
	static const unsigned cores[] = {1, EIGHT};
	static const struct sample before = {.wall = 10, .user = 10},
				   after = {.wall = 2.5, .user = 20};
	double counted[2] = {0};
	unsigned work;

	record_make(r, cores, 2);
	r->calibration.line = SD_OK(100e-9);
	r->calibration.walk = SD_OK(30e-9);
	/* the samples say that nothing of it is spinning */
	work = make_call(r, 0, "work", "/home/u/app.c", 10, "/home/u/app");
	for (int i = 0; i < RUNS; i++) {
		const double f = 1 + .001 * i;

		make_use(record_sample(r, 0, &before, f), work, SD_ACTIVITY_USEFUL, 10 * f);
		make_use(record_sample(r, 1, &after, f), work, SD_ACTIVITY_USEFUL, 20 * f);
	}
	make_simulated(r, 0);
	*eight = make_simulated(r, 1);
	*one = r->run[r->n_run - 2].simulated;
	for (size_t i = 0; i < (*one)->n_thread; i++)
		counted[0] += (*one)->thread[i].instructions;
	for (size_t i = 0; i < (*eight)->n_thread; i++)
		counted[1] += (*eight)->thread[i].instructions;
	(*one)->partial = (*eight)->partial = 1;
	(*one)->whole = SD_OK(2 * counted[0]);
	(*eight)->whole = SD_OK(2 * counted[1]);
}

static void done(struct sd_record *r, struct sd_analysis *a)
{
	sd_analysis_free(a);
	sd_record_free(r);
}

static void more_instructions_for_the_same_work_are_extra_work(void **state)
{
	struct sd_record r;
	struct sd_analysis a;
	struct sd_simulated *one, *eight;

	(void)state;
	make(&r, &one, &eight);
	eight->whole.value = 1.8 * one->whole.value;
	assert_int_equal(sd_analyse(&r, NULL, NULL, &a), 0);
	assert_int_equal(a.finding[0].cause, SD_CAUSE_EXTRA_WORK);
	assert_int_equal(a.finding[0].verdict, SD_VERDICT_LIKELY);
	assert_near(a.finding[0].cores.value, .8 * 10 / 2.5, .1);
	done(&r, &a);
}

static void as_many_instructions_rule_extra_work_out(void **state)
{
	struct sd_record r;
	struct sd_analysis a;
	struct sd_simulated *one, *eight;

	(void)state;
	make(&r, &one, &eight);
	eight->whole = one->whole;
	assert_int_equal(sd_analyse(&r, NULL, NULL, &a), 0);
	assert_int_equal(finding_of(&a, SD_CAUSE_EXTRA_WORK)->verdict, SD_VERDICT_RULED_OUT);
	done(&r, &a);
}

static void without_the_whole_extra_work_is_open(void **state)
{
	(void)state;
	for (int which = 0; which < 2; which++) {
		struct sd_record r;
		struct sd_analysis a;
		struct sd_simulated *one, *eight;

		make(&r, &one, &eight);
		*(which ? &one->whole : &eight->whole) = SD_NOT(ABSENT);
		assert_int_equal(sd_analyse(&r, NULL, NULL, &a), 0);
		assert_int_equal(finding_of(&a, SD_CAUSE_EXTRA_WORK)->verdict, SD_VERDICT_POSSIBLE);
		done(&r, &a);
	}
}

/*
 * 40e6 walks in a part of the work. If that is half, all of it has 80e6, which at 30 ns are 2.4
 * core-seconds and so .96 cores; if it is less than half, a cause is possible at most.
 */
static void most_of_the_work_makes_a_cause_likely_and_less_possible(void **state)
{
	(void)state;
	for (int little = 0; little < 2; little++) {
		struct sd_record r;
		struct sd_analysis a;
		struct sd_simulated *one, *eight;
		const struct sd_finding *f;

		make(&r, &one, &eight);
		for (size_t i = 0; i < eight->n_thread; i++)
			eight->thread[i].stlb_misses = 40e6 / (double)eight->n_thread;
		if (little)
			one->whole.value = eight->whole.value *= 2;
		assert_int_equal(sd_analyse(&r, NULL, NULL, &a), 0);
		f = finding_of(&a, SD_CAUSE_DTLB);
		assert_int_equal(f->verdict, little ? SD_VERDICT_POSSIBLE : SD_VERDICT_LIKELY);
		assert_near(f->cores.value, little ? 1.92 : .96, .05);
		assert_int_not_equal(
			finding_of(&a, SD_CAUSE_FALSE_SHARING)->verdict, SD_VERDICT_RULED_OUT);
		done(&r, &a);
	}
}

/* How large a part the reference's work would make it is no measurement of it. */
static void a_part_of_assumed_size_is_not_most_of_the_work(void **state)
{
	struct sd_record r;
	struct sd_analysis a;
	struct sd_simulated *one, *eight;

	(void)state;
	make(&r, &one, &eight);
	for (size_t i = 0; i < eight->n_thread; i++)
		eight->thread[i].stlb_misses = 40e6 / (double)eight->n_thread;
	eight->whole = SD_NOT(ABSENT);
	assert_int_equal(sd_analyse(&r, NULL, NULL, &a), 0);
	assert_int_equal(finding_of(&a, SD_CAUSE_DTLB)->verdict, SD_VERDICT_POSSIBLE);
	assert_near(finding_of(&a, SD_CAUSE_DTLB)->cores.value, .96, .05);
	done(&r, &a);
}

static int is_told(const struct sd_record *r)
{
	struct sd_analysis a = {0};
	int told = 0;

	assert_int_equal(sd_analyse(r, NULL, NULL, &a), 0);
	for (size_t i = 0; i < a.warnings.n; i++)
		told |= strstr(a.warnings.text[i], "part of the program only: memory ran out") != 0;
	sd_analysis_free(&a);
	return told;
}

static void a_part_that_nobody_asked_for_is_told(void **state)
{
	struct sd_simulated *one, *eight;
	struct sd_record r;

	(void)state;
	make(&r, &one, &eight);
	snprintf(eight->why, sizeof eight->why, "memory ran out");
	assert_true(is_told(&r));
	eight->for_s = 2;
	assert_false(is_told(&r));
	eight->for_s = eight->partial = 0;
	assert_false(is_told(&r));
	sd_record_free(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(more_instructions_for_the_same_work_are_extra_work),
		cmocka_unit_test(as_many_instructions_rule_extra_work_out),
		cmocka_unit_test(without_the_whole_extra_work_is_open),
		cmocka_unit_test(most_of_the_work_makes_a_cause_likely_and_less_possible),
		cmocka_unit_test(a_part_of_assumed_size_is_not_most_of_the_work),
		cmocka_unit_test(a_part_that_nobody_asked_for_is_told),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
