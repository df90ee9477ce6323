/*
 * Properties of the bounds in any record, over generated ones: programs that lose cores in several
 * ways at once, on machines that others use, with few runs and with many.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "support/invent_record.h"

#define RECORDS 420 /* for each property; five of them make over 2,000 */
#define ROUNDING 1e-6

static void look(uint64_t seed, const struct telling *t, struct sd_analysis *a)
{
	struct sd_record r;

	tell(&r, seed, t);
	assert_int_equal(sd_analyse(&r, NULL, NULL, a), 0);
	sd_record_free(&r);
}

static void hold(int true_of_it, uint64_t seed, const struct sd_finding *f, const char *what)
{
	if (!true_of_it)
		fail_msg("seed %llu, %s (%s, %.4g [%.4g %.4g]): %s", (unsigned long long)seed,
			f ? sd_cause_info[f->cause].name : "all",
			f ? sd_verdict_name[f->verdict] : "-", f ? f->cores.value : 0,
			f ? f->cores.low : 0, f ? f->cores.high : 0, what);
}

static int is_near(double a, double b, double scale)
{
	return fabs(a - b) <= ROUNDING * scale;
}

/* The same findings, in the same order. */
static void expect_same(uint64_t seed, const struct telling *t)
{
	struct sd_analysis a, b;

	look(seed, &plainly, &a);
	look(seed, t, &b);
	hold(a.scales == b.scales, seed, NULL, "another answer");
	for (int i = 0; i < SD_CAUSE_COUNT; i++) {
		const struct sd_finding *const f = &a.finding[i], *const o = &b.finding[i];
		const double n = a.point[a.n_point - 1].n;

		hold(f->cause == o->cause && f->verdict == o->verdict, seed, f, "another verdict");
		hold(f->cores.status == o->cores.status, seed, f, "another status");
		if (f->cores.status == SD_STATUS_OK)
			hold(is_near(f->cores.value, o->cores.value, n) &&
					is_near(f->cores.low, o->cores.low, n) &&
					is_near(f->cores.high, o->cores.high, n),
				seed, f, "other bounds");
		if (f->worth.status == SD_STATUS_OK)
			hold(is_near(1 / f->worth.value, 1 / o->worth.value, 1) &&
					is_near(1 / f->worth.low, 1 / o->worth.low, 1) &&
					is_near(1 / f->worth.high, 1 / o->worth.high, 1),
				seed, f, "another gain");
	}
	sd_analysis_free(&a);
	sd_analysis_free(&b);
}

static void bounds_are_bounds_and_their_lowers_fit_into_the_loss(void **state)
{
	size_t sure = 0;

	(void)state;
	for (uint64_t seed = 1; seed <= RECORDS; seed++) {
		struct sd_analysis a;
		const struct sd_point *p;
		double sum = 0, lost = 0;

		look(seed, &plainly, &a);
		p = &a.point[a.n_point - 1];
		for (int i = 0; i < SD_CAUSE_COUNT; i++) {
			const struct sd_finding *const f = &a.finding[i];
			const struct sd_interval c = f->cores;

			if (c.status != SD_STATUS_OK || f->verdict > SD_VERDICT_POSSIBLE)
				continue;
			hold(isfinite(c.value) && c.low >= 0 && c.low <= c.value &&
					c.value <= c.high && c.high <= p->n,
				seed, f, "no bounds");
			hold(f->worth.low >= 1 && f->worth.low <= f->worth.value &&
					f->worth.value <= f->worth.high,
				seed, f, "no gain");
			hold(1 / f->worth.high <= 1 - c.high / p->n + ROUNDING, seed, f,
				"the gain is less than the cores");
			hold((f->verdict < SD_VERDICT_POSSIBLE) == (c.low >= .05 * p->n), seed, f,
				"the word is not the lower bound's");
			sum += c.low;
			sure += c.low > 0;
		}
		for (int k = 1; k < SD_COMPONENT_COUNT; k++)
			if (p->stack[k].status == SD_STATUS_OK && isfinite(p->stack[k].high))
				lost += fmax(0, p->stack[k].high);
			else if (p->stack[k].status == SD_STATUS_OK)
				lost = INFINITY;
		/* intervals of few runs are widened by up to as much again on either side */
		hold(sum <= lost * (1 + ROUNDING) + ROUNDING, seed, NULL, "more is sure than lost");
		sd_analysis_free(&a);
	}
	assert_true(sure > RECORDS / 4);
}

static void the_unit_of_time_does_not_matter(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= RECORDS; seed++)
		expect_same(
			seed + 10000, &(struct telling){.times = seed % 2 ? 8 : .25, .copies = 1});
}

static void the_names_of_threads_and_cpus_do_not_matter(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= RECORDS; seed++)
		expect_same(seed + 20000,
			&(struct telling){.times = 1, .copies = 1, .relabelled = 1, .denied = 1});
}

static void one_run_a_point_decides_nothing(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= RECORDS; seed++) {
		struct sd_analysis a;

		look(seed + 30000, &(struct telling){.times = 1, .copies = 1, .runs = 1}, &a);
		hold(a.scales == SD_SCALES_UNKNOWN, seed, NULL, "one run says whether it scales");
		for (int i = 0; i < SD_CAUSE_COUNT; i++) {
			const struct sd_finding *const f = &a.finding[i];

			hold(f->verdict >= SD_VERDICT_POSSIBLE, seed, f, "one run is sure");
			hold(f->verdict != SD_VERDICT_RULED_OUT || f->cause == SD_CAUSE_NUMA, seed,
				f, "one run rules out what is no fact of the machine");
		}
		sd_analysis_free(&a);
	}
}

/* Three copies of the same runs put nothing in doubt that was sure. */
static void more_of_the_same_runs_loosen_nothing(void **state)
{
	size_t decided = 0;

	(void)state;
	for (uint64_t seed = 1; seed <= RECORDS; seed++) {
		struct sd_analysis a, b;

		look(seed + 40000, &(struct telling){.times = 1, .copies = 1, .quiet = 1}, &a);
		look(seed + 40000, &(struct telling){.times = 1, .copies = 3, .quiet = 1}, &b);
		if (a.scales != SD_SCALES_UNKNOWN) {
			hold(a.scales == b.scales, seed, NULL, "copies of runs are worth less");
			decided++;
		}
		for (int i = 0; i < SD_CAUSE_COUNT; i++) {
			const struct sd_finding *const f = &a.finding[i];
			const struct sd_finding *const o = finding_of(&b, f->cause);

			if (f->verdict <= SD_VERDICT_LIKELY)
				hold(o->verdict <= SD_VERDICT_LIKELY, seed, f, "no longer sure");
		}
		sd_analysis_free(&a);
		sd_analysis_free(&b);
	}
	assert_true(decided > RECORDS / 4);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(bounds_are_bounds_and_their_lowers_fit_into_the_loss),
		cmocka_unit_test(the_unit_of_time_does_not_matter),
		cmocka_unit_test(the_names_of_threads_and_cpus_do_not_matter),
		cmocka_unit_test(one_run_a_point_decides_nothing),
		cmocka_unit_test(more_of_the_same_runs_loosen_nothing),
	};

	return cmocka_run_group_tests_name("analyse/bound_properties", tests, NULL, NULL);
}
