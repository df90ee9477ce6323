/*
 * Which passes of counters come next: those of a formula whose value would move the bounds of
 * causes that are open, all of them and no other.
 */
#include "experiments/next_passes.h"

#include "diagnose/analyse/experiments/experiment_pairs.h"
#include "support/counted_record.h"

#define FAMILY "skx"
#define PASSES 6
#define RUNS 5u

static struct sd_formula_tables tables;

/* The formula of the DTLB needs two of six passes; what the others count no formula has alone. */
static const enum sd_role of_pass[PASSES] = {
	[0] = SD_ROLE_CYCLES,
	[1] = SD_ROLE_INSTRUCTIONS,
	[2] = SD_ROLE_DTLB_WALK_CYCLES,
	[3] = SD_ROLE_INSTRUCTIONS,
	[4] = SD_ROLE_STLB_HITS,
	[5] = SD_ROLE_PAUSES,
};

static void count_run(struct sd_run *run, unsigned pass)
{
	run->pass = pass;
	count(run, FAMILY, SD_ROLE_CYCLES, 2e9 * run->metric[SD_METRIC_USER].value);
	count(run, FAMILY, SD_ROLE_INSTRUCTIONS, 8e9);
	if (pass == 2 || pass == 4)
		count(run, FAMILY, of_pass[pass], 1000);
}

static void plan_passes(struct sd_record *r)
{
	r->plan.pass = calloc(PASSES, sizeof *r->plan.pass);
	assert_non_null(r->plan.pass);
	r->plan.n_pass = PASSES;
	for (size_t i = 0; i < PASSES; i++) {
		struct sd_plan_pass *const p = &r->plan.pass[i];

		p->role = calloc(3, sizeof *p->role);
		assert_non_null(p->role);
		p->role[p->n_role++] = SD_ROLE_CYCLES;
		p->role[p->n_role++] = SD_ROLE_INSTRUCTIONS;
		if (of_pass[i] != SD_ROLE_CYCLES && of_pass[i] != SD_ROLE_INSTRUCTIONS)
			p->role[p->n_role++] = of_pass[i];
	}
}

/* Runs of both counts; those from `from` on count pass 4, then 2, in turn. */
static void make(struct sd_record *r, const struct sample *at_two, unsigned runs, unsigned from)
{
	record_make(r, counts, 2);
	plan_passes(r);
	for (unsigned i = 0; i < 2 * runs; i++) {
		struct sd_run *const run =
			record_sample(r, i % 2, i % 2 ? at_two : &one, 1 + .001 * (i / 2 % 3));

		count_run(run, i / 2 < from ? 0 : i / 2 % 2 ? 4 : 2);
	}
}

static struct sd_analysis analysed(const struct sd_record *r)
{
	struct sd_analysis a;

	assert_int_equal(sd_analyse(r, &tables, NULL, &a), 0);
	return a;
}

static void a_formula_of_an_open_cause_gets_all_its_passes_and_no_other(void **state)
{
	struct sd_record r;
	struct sd_analysis a;

	(void)state;
	make(&r, &slow, RUNS, RUNS);
	a = analysed(&r);
	assert_int_equal(a.passes.n, 2);
	assert_int_equal(a.passes.pass[0], 2);
	assert_int_equal(a.passes.pass[1], 4);
	assert_int_equal(a.runs_wanted, SD_RUNS_FIRST);
	assert_int_equal(a.runs_are.of, SD_CAUSE_DTLB);
	assert_true(a.runs_are.narrows > 0);
	/* twice each, of both counts */
	assert_true(fabs(a.runs_are.takes - 4 * (4 + .8 * 4)) < .1);
	sd_analysis_free(&a);
	/* one of them is there once */
	sd_record_free(&r);
	make(&r, &slow, RUNS + 1, RUNS);
	a = analysed(&r);
	assert_int_equal(a.passes.n, 2);
	assert_true(fabs(a.runs_are.takes - 3 * (4 + .8 * 4)) < .1);
	sd_analysis_free(&a);
	sd_record_free(&r);
}

static void no_pass_is_wanted_that_is_there_or_would_change_nothing(void **state)
{
	struct sd_record r;
	struct sd_analysis a;

	(void)state;
	/* once each, and the formula rules its cause out */
	make(&r, &slow, RUNS + 2, RUNS);
	a = analysed(&r);
	assert_int_equal(a.passes.n, 0);
	assert_int_equal(finding_of(&a, SD_CAUSE_DTLB)->verdict, SD_VERDICT_RULED_OUT);
	sd_analysis_free(&a);
	sd_record_free(&r);
	/* it scales */
	make(&r, &good, RUNS, RUNS);
	a = analysed(&r);
	assert_int_equal(a.passes.n, 0);
	sd_analysis_free(&a);
	sd_record_free(&r);
	/* as many runs as were asked for, and no more */
	make(&r, &slow, RUNS, RUNS);
	r.plan.min_repeats = RUNS;
	a = analysed(&r);
	assert_int_equal(a.passes.n, 0);
	sd_analysis_free(&a);
	sd_record_free(&r);
}

static int load(void **state)
{
	(void)state;
	load_tables(&tables);
	return 0;
}

static int unload(void **state)
{
	(void)state;
	sd_formula_tables_free(&tables);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_formula_of_an_open_cause_gets_all_its_passes_and_no_other),
		cmocka_unit_test(no_pass_is_wanted_that_is_there_or_would_change_nothing),
	};

	return cmocka_run_group_tests(tests, load, unload);
}
