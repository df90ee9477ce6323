/* Limits of programs of tasks by arithmetic, and when none is told. */
#include "hotspots/task_span.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "support/analyse_record.h"
#include "support/make_record.h"
#include "support/near.h"

#define RUNS 5

/* A region with so much work and so long a chain, s. */
static struct sd_region_time *add(struct sd_run *run, double work, double span, double elapsed)
{
	struct sd_region_time *t;

	if (!run->regions)
		run->regions = make_zeroed(1, sizeof *run->regions);
	t = sd_region_run_row(run->regions, SD_REGION_OPENMP, "", 0);
	assert_non_null(t);
	t->processes = 1;
	t->entries = 1;
	t->elapsed = t->thread_s = elapsed;
	t->least = t->most = 1;
	t->cpu = SD_OK(work);
	t->tasks = 100;
	t->task_work = work;
	t->task_span = span;
	return t;
}

static void make(struct sd_record *r)
{
	static const unsigned cores[] = {1, 2};

	make_record(r, cores, 2);
	for (size_t i = 0; i < RUNS; i++)
		for (size_t p = 0; p < 2; p++) {
			struct sd_run *const run = make_run(r, p, p ? 6 : 10, 10, 0);

			add(run, 8, 1, p ? 5 : 9)->thread_s = p ? 10 : 9;
		}
}

/* 1 s is outside of the region: 9 s of one core; 16 cores take 1 + 1 s at least, as 8/16 s is less
 * than the chain; 1 + .5 + 15/16 with a greedy schedule. */
static void the_limit_is_work_over_the_chain_and_what_is_outside(void **state)
{
	struct sd_record r;
	struct sd_analysis a;
	const struct sd_span_limits *const l = &a.regions.span;

	(void)state;
	make(&r);
	assert_int_equal(sd_analyse(&r, NULL, NULL, &a), 0);
	assert_int_equal(l->state, SD_SPAN_TOLD);
	assert_int_equal(l->n_point, 2);
	assert_near(l->point[0].work.value, 9, 1e-9);
	assert_near(l->point[0].span.value, 2, 1e-9);
	assert_near(l->point[0].parallelism.value, 4.5, 1e-9);
	assert_near(l->limit[SD_SPAN_AT_16].value, 4.5, 1e-9);
	assert_near(l->limit[SD_SPAN_AT_64].value, 4.5, 1e-9);
	assert_near(l->point[0].greedy[SD_SPAN_AT_16].value, 9 / (1.5 + 15. / 16), 1e-9);
	assert_non_null(strstr(l->notes.text[0], "at most 4.5x on 16 cores and 4.5x on 64"));
	sd_analysis_free(&a);
	sd_record_free(&r);
}

/* With a short chain the work is what 16 cores divide: 9 / (1 + 8/16); a region of a loop, 4 s of
 * two threads, is divided as well. */
static void short_chains_and_loops_are_divided(void **state)
{
	struct sd_region_run run = {0};
	struct sd_run holder = {0};
	struct sd_region_time *loop;
	struct sd_task_span_run t;

	(void)state;
	holder.regions = &run;
	run.row = NULL;
	add(&holder, 8, .1, 5);
	t = sd_task_span_of(&run, 6, INFINITY);
	assert_near(sd_task_span_work(&t), 9, 1e-9);
	assert_near(sd_task_span_least(&t, 16), 1.5, 1e-9);
	assert_near(sd_task_span_least(&t, 80), 1.1, 1e-9);
	/* 1 s was outside, in which the program had a CPU for .25 s */
	t = sd_task_span_of(&run, 6, 8.25);
	assert_near(sd_task_span_work(&t), 8.25, 1e-9);
	loop = sd_region_run_row(&run, SD_REGION_OPENMP, "", 1);
	loop->entries = 1;
	loop->processes = 1;
	loop->elapsed = 2;
	loop->thread_s = 4;
	t = sd_task_span_of(&run, 8, INFINITY);
	assert_near(sd_task_span_work(&t), 13, 1e-9);
	assert_near(sd_task_span_least(&t, 16), 1.75, 1e-9);
	free(run.row);
}

/* ---- when none is told ----------------------------------------------------------------------- */

static void be_dependent(struct sd_region_time *t)
{
	t->dependent = 1;
}

static void be_unspanned(struct sd_region_time *t)
{
	t->unspanned = 1;
	t->task_work = t->task_span = 0;
}

static void have_two_processes(struct sd_region_time *t)
{
	t->processes = 2;
}

static void have_few_tasks(struct sd_region_time *t)
{
	t->tasks = 3;
}

static void have_tiny_tasks(struct sd_region_time *t)
{
	t->tasks = 1e8;
}

static void do_twice_the_work(struct sd_region_time *t)
{
	t->task_work = 16;
}

static void make_more_tasks(struct sd_region_time *t)
{
	t->tasks = 150;
}

static void have_none(struct sd_region_time *t)
{
	t->tasks = t->task_work = t->task_span = 0;
}

static void no_limit_is_told_where_it_is_not_known(void **state)
{
	static const struct {
		void (*change)(struct sd_region_time *t);
		int at_both;
		enum sd_span_state state;
		const char *says; /* NULL: nothing */
	} row[] = {
		{be_dependent, 0, SD_SPAN_DEPENDENCES, "'depend'"},
		{be_unspanned, 0, SD_SPAN_UNFOLLOWED, "not followed"},
		{have_two_processes, 1, SD_SPAN_PROCESSES, "several processes"},
		{have_few_tasks, 1, SD_SPAN_FEW, "too few tasks"},
		{have_tiny_tasks, 1, SD_SPAN_FEW, "less than 2 us"},
		{do_twice_the_work, 0, SD_SPAN_VARIES, "differs too much"},
		{make_more_tasks, 0, SD_SPAN_VARIES, "differs too much"},
		{have_none, 1, SD_SPAN_NO_TASKS, NULL},
	};

	(void)state;
	for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
		struct sd_record r;
		struct sd_analysis a;

		make(&r);
		for (size_t k = 0; k < r.n_run; k++)
			if (row[i].at_both || r.run[k].point)
				row[i].change(&r.run[k].regions->row[0]);
		assert_int_equal(sd_analyse(&r, NULL, NULL, &a), 0);
		assert_int_equal(a.regions.span.state, row[i].state);
		assert_int_equal(a.regions.span.notes.n, row[i].says != NULL);
		if (row[i].says)
			assert_non_null(strstr(a.regions.span.notes.text[0], row[i].says));
		assert_false(sd_status_measured(a.regions.span.limit[SD_SPAN_AT_16]) &&
			     a.regions.span.limit[SD_SPAN_AT_16].value > 0);
		sd_analysis_free(&a);
		sd_record_free(&r);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_limit_is_work_over_the_chain_and_what_is_outside),
		cmocka_unit_test(short_chains_and_loops_are_divided),
		cmocka_unit_test(no_limit_is_told_where_it_is_not_known),
	};

	return cmocka_run_group_tests_name("task_span", tests, NULL, NULL);
}
