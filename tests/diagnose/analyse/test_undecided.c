/*
 * No verdict from a lack of data: a count that ran once has no interval, and neither it nor a
 * machine that drifted nor an efficiency above what caches explain decides anything.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <math.h>
#include <string.h>

#include "diagnose/analyse/judged_record.h"
#include "validity/superlinear.h"

static int warned(const struct sd_analysis *a, const char *word)
{
	for (size_t i = 0; i < a->warnings.n; i++)
		if (strstr(a->warnings.text[i], word))
			return 1;
	return 0;
}

static enum sd_requirement_outcome judged(
	const char *text, const struct sd_analysis *a, const char **why)
{
	static struct sd_requirement_result out;
	static struct sd_requirement g;
	char refused[256];

	assert_int_equal(sd_requirements_parse(text, &g, refused, sizeof refused), 0);
	sd_requirements_judge(&g, a, &out);
	*why = out.why;
	return out.outcome;
}

/* Requirements that the point estimates meet: none of them passes, and none is called violated. */
static void expect_undecided(const struct sd_analysis *a, const char *word)
{
	static const char *const met[] = {"scales", "efficiency@2>=0.5", "efficiency@2<=9",
		"speedup>=1", "useful@2>=0.1", "karp-flatt@2<=9", "no lock-contention",
		"no memory-bandwidth", "no serial-code"};

	for (size_t i = 0; i < sizeof met / sizeof *met; i++) {
		const char *why;

		if (judged(met[i], a, &why) != SD_REQUIREMENT_UNDECIDED)
			fail_msg("%s is decided", met[i]);
		if (!strstr(why, word))
			fail_msg("%s: %s", met[i], why);
	}
	assert_int_equal(a->scales, SD_SCALES_UNKNOWN);
	assert_non_null(a->no_verdict);
	assert_int_equal(a->outlook.n_count, 0);
	assert_non_null(a->outlook.refused);
	assert_int_equal(a->outlook.stops_known, 0);
}

/* Only facts rule a cause out: that there is one node, or no quota. */
static void expect_nothing_named(const struct sd_analysis *a)
{
	for (int i = 0; i < SD_CAUSE_COUNT; i++) {
		const struct sd_finding *const f = &a->finding[i];

		if (f->verdict < SD_VERDICT_NOT_MEASURABLE)
			fail_msg("%s is %s", sd_cause_info[f->cause].name,
				sd_verdict_name[f->verdict]);
		assert_true(f->cores.status == SD_STATUS_ABSENT);
		for (size_t k = 0; k < f->evidence.n; k++)
			assert_null(strstr(f->evidence.text[k], "inf"));
	}
}

static const struct sample slow = {.wall = .75, .user = 1, .idle[SD_IDLE_SERIAL] = .5};

static void make(struct sd_record *r, const struct sample *before, size_t n_before,
	const struct sample *after, size_t n_after)
{
	static const unsigned cores[] = {1, 2};

	record_make(r, cores, 2);
	r->host.quota.status = SD_STATUS_ABSENT;
	record_samples(r, 0, before, n_before, .002, 3);
	record_samples(r, 1, after, n_after, .002, 3);
}

static void a_count_that_ran_once_decides_nothing(void **state)
{
	static const struct {
		const struct sample *after;
		size_t n_before, n_after;
	} row[] = {{&half, 1, 1}, {&half, 1, 10}, {&half, 10, 1}, {&slow, 1, 1}, {&slow, 1, 10},
		{&slow, 10, 1}};

	(void)state;
	for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
		const struct sd_point *p;
		struct sd_analysis a;
		struct sd_record r;

		make(&r, &one, row[i].n_before, row[i].after, row[i].n_after);
		assert_int_equal(sd_analyse(&r, NULL, NULL, &a), 0);
		expect_undecided(&a, "one run");
		expect_nothing_named(&a);
		assert_true(warned(&a, "decides nothing"));
		p = &a.point[1];
		assert_true(isfinite(p->efficiency.value) && !sd_status_bounded(p->efficiency));
		assert_false(sd_status_bounded(p->speedup) || sd_status_bounded(p->karp_flatt));
		assert_false(sd_status_bounded(p->stack[SD_COMPONENT_USEFUL]));
		assert_false(sd_status_bounded(a.lost));
		/* the time of a count is known by its own runs */
		assert_int_equal(sd_status_bounded(p->wall), row[i].n_after > 1);
		assert_int_equal(sd_status_bounded(a.point[0].wall), row[i].n_before > 1);
		assert_true(sd_status_bounded(a.point[0].speedup));
		sd_analysis_free(&a);
		sd_record_free(&r);
	}
}

/* The first count took 75 % less at the end: one run each, or many. */
static void a_machine_that_drifted_decides_nothing(void **state)
{
	static const struct sample first = {.wall = 4.56, .user = 4.56};
	static const struct sample then = {.wall = 1, .user = 2};
	static const struct sample last = {.wall = 1.14, .user = 1.14};

	(void)state;
	for (size_t runs = 1; runs <= 8; runs += 7) {
		struct sd_analysis a;
		struct sd_record r;

		make(&r, &first, runs, &then, runs);
		record_sample(&r, 0, &last, 1)->kind = SD_RUN_DRIFT;
		assert_int_equal(sd_analyse(&r, NULL, NULL, &a), 0);
		assert_true(warned(&a, "drifted"));
		expect_undecided(&a, runs == 1 ? "one run" : "drifted");
		expect_nothing_named(&a);
		sd_analysis_free(&a);
		sd_record_free(&r);
	}
}

/* Little drift, against what is lost, is no reason to say nothing. */
static void a_little_drift_still_decides(void **state)
{
	struct sd_analysis a;
	struct sd_record r;

	(void)state;
	make(&r, &one, 8, &slow, 8);
	record_sample(&r, 0, &one, 1.03)->kind = SD_RUN_DRIFT;
	assert_int_equal(sd_analyse(&r, NULL, NULL, &a), 0);
	assert_int_equal(a.scales, SD_SCALES_NO);
	assert_null(a.no_verdict);
	assert_int_equal(finding_of(&a, SD_CAUSE_SERIAL_CODE)->verdict, SD_VERDICT_LIKELY);
	sd_analysis_free(&a);
	sd_record_free(&r);
}

static void caches_explain_so_much_and_no_more(void **state)
{
	static const struct {
		double l2, llc, dram, cores;
		int weak;
		double most;
	} row[] = {
		{0, 0, 0, 4, 0, 2},             /* sqrt(4) */
		{0, 0, 0, 2, 1, 1},             /* the work of a core stays */
		{0, 0, 0, 1, 0, 1},             /* no more caches */
		{4e-9, 16e-9, 80e-9, 2, 0, 5},  /* memory by LLC */
		{4e-9, 40e-9, 80e-9, 2, 0, 10}, /* LLC by L2 */
		{0, 40e-9, 120e-9, 2, 0, 3},    /* L2 not calibrated */
		{4e-9, 0, 80e-9, 16, 0, 4},     /* no neighbouring levels */
		{4e-9, 16e-9, 80e-9, 16, 1, 1},
	};

	(void)state;
	for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
		struct sd_calibration k = {0};

		k.l2 = row[i].l2 > 0 ? SD_OK(row[i].l2) : SD_NOT(ABSENT);
		k.llc = row[i].llc > 0 ? SD_OK(row[i].llc) : SD_NOT(ABSENT);
		k.dram = row[i].dram > 0 ? SD_OK(row[i].dram) : SD_NOT(ABSENT);
		assert_near(sd_superlinear_most(&k, row[i].cores, row[i].weak), row[i].most, 1e-9);
	}
}

static void more_than_caches_explain_decides_nothing(void **state)
{
	static const struct sample cold = {.wall = 1.5, .user = 1, .idle[SD_IDLE_DISK] = .5};
	static const struct sample much = {.wall = .2, .user = .4};   /* 250 % */
	static const struct sample some = {.wall = .4, .user = .8};   /* 125 % */
	static const struct sample grown = {.wall = .8, .user = 1.6}; /* weak: 125 % */
	static const struct {
		const struct sample *before, *after;
		enum sd_scaling scaling;
		int decides;
	} row[] = {
		{&one, &half, SD_SCALING_STRONG, 1},
		{&one, &some, SD_SCALING_STRONG, 1},
		{&one, &much, SD_SCALING_STRONG, 0},
		{&cold, &half, SD_SCALING_STRONG, 0}, /* 150 %, none of it in user time */
		{&one, &one, SD_SCALING_WEAK, 1},
		{&one, &grown, SD_SCALING_WEAK, 0},
	};

	(void)state;
	for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
		struct sd_analysis a;
		struct sd_record r;

		make(&r, row[i].before, 10, row[i].after, 10);
		if (row[i].after == &one) /* two cores are busy for that long */
			for (size_t k = 10; k < 20; k++)
				r.run[k].metric[SD_METRIC_USER].value *= 2;
		r.program.scaling = row[i].scaling;
		assert_int_equal(sd_analyse(&r, NULL, NULL, &a), 0);
		if (!row[i].decides)
			expect_undecided(&a, "caches");
		else if (a.scales != SD_SCALES_YES || a.no_verdict)
			fail_msg("row %zu: %s", i, a.no_verdict ? a.no_verdict : "undecided");
		sd_analysis_free(&a);
		sd_record_free(&r);
	}
}

/* One count has no other to be compared with: it rules nothing out. */
static void one_count_rules_out_nothing_that_it_lost(void **state)
{
	struct sd_analysis a;
	struct sd_record r;

	(void)state;
	record_make(&r, (const unsigned[]){2}, 1);
	record_samples(&r, 0, &slow, 8, .002, 3);
	assert_int_equal(sd_analyse(&r, NULL, NULL, &a), 0);
	assert_int_equal(a.scales, SD_SCALES_UNKNOWN);
	assert_int_equal(finding_of(&a, SD_CAUSE_SERIAL_CODE)->verdict, SD_VERDICT_NOT_MEASURABLE);
	assert_int_equal(
		finding_of(&a, SD_CAUSE_MEMORY_BANDWIDTH)->verdict, SD_VERDICT_NOT_MEASURABLE);
	sd_analysis_free(&a);
	sd_record_free(&r);
}

/* Four counts, the reference of which ran once: the laws do not start from one number. */
static void no_prediction_starts_from_one_run(void **state)
{
	static const unsigned cores[] = {1, 2, 4, 8, 16};
	struct sd_analysis a;
	struct sd_record r;

	(void)state;
	record_make(&r, cores, 5);
	for (size_t p = 0; p < 5; p++) {
		const struct sample s = {.wall = 1. / cores[p], .user = 1};

		record_samples(&r, p, &s, p ? 8 : 1, .002, 5);
	}
	assert_int_equal(sd_analyse(&r, NULL, NULL, &a), 0);
	assert_int_equal(a.outlook.n_count, 0);
	assert_non_null(strstr(a.outlook.refused, "ran once"));
	sd_analysis_free(&a);
	sd_record_free(&r);
}

static int says(const struct sd_analysis *a, enum sd_cause cause, const char *word)
{
	const struct sd_finding *const f = finding_of(a, cause);

	for (size_t i = 0; i < f->evidence.n; i++)
		if (strstr(f->evidence.text[i], word))
			return 1;
	return 0;
}

/* Times that scatter, and digests: of nothing, of the same, of something else in every
 * other run. */
static void output_that_is_not_there_is_not_the_same(void **state)
{
	static const struct sample grown = {.wall = 1, .user = 2};
	static const struct {
		uint64_t bytes, digest, other;
		int same, race, order;
	} row[] = {
		{0, 0, 0, 0, 0, 0},                                   /* imported */
		{0, 0xcbf29ce484222325, 0xcbf29ce484222325, 0, 0, 0}, /* prints nothing */
		{5, 77, 77, 1, 0, 0},
		{5, 77, 78, 0, 1, 0},
		/* so much of the same length may be lines in another order */
		{90000, 77, 78, 0, 0, 1},
	};

	(void)state;
	for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
		static const unsigned cores[] = {1, 2};
		struct sd_analysis a;
		struct sd_record r;

		record_make(&r, cores, 2);
		record_samples(&r, 0, &one, 10, .002, 3);
		record_samples(&r, 1, &grown, 10, .1, 3);
		for (size_t k = 0; k < r.n_run; k++) {
			r.run[k].stdout_bytes = row[i].bytes;
			r.run[k].stdout_digest =
				r.run[k].point && k % 2 ? row[i].other : row[i].digest;
		}
		assert_int_equal(sd_analyse(&r, NULL, NULL, &a), 0);
		assert_int_equal(
			says(&a, SD_CAUSE_FALSE_SHARING, "all print the same"), row[i].same);
		assert_int_equal(says(&a, SD_CAUSE_TRUE_SHARING, "as with a race"), row[i].race);
		/* half of the ten runs at two cores: the first that a reader is told */
		assert_int_equal(a.warnings.n > 0 && strstr(a.warnings.text[0],
							     "results differ: 5 of 10 runs at 2"),
			row[i].race || row[i].order);
		assert_int_equal(
			a.warnings.n > 0 && strstr(a.warnings.text[0], "lines in another order"),
			row[i].order);
		sd_analysis_free(&a);
		sd_record_free(&r);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_count_that_ran_once_decides_nothing),
		cmocka_unit_test(a_machine_that_drifted_decides_nothing),
		cmocka_unit_test(a_little_drift_still_decides),
		cmocka_unit_test(caches_explain_so_much_and_no_more),
		cmocka_unit_test(more_than_caches_explain_decides_nothing),
		cmocka_unit_test(one_count_rules_out_nothing_that_it_lost),
		cmocka_unit_test(no_prediction_starts_from_one_run),
		cmocka_unit_test(output_that_is_not_there_is_not_the_same),
	};

	return cmocka_run_group_tests_name("undecided", tests, NULL, NULL);
}
