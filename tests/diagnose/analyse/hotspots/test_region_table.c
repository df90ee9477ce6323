/* Regions at every count: medians, what they are against the reference, and what has to be said. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "support/analyse_record.h"
#include "support/make_record.h"
#include "support/near.h"

#define RUNS 5

static struct sd_region_time *add(
	struct sd_run *run, enum sd_region_kind kind, const char *name, double elapsed)
{
	struct sd_region_time *t;

	if (!run->regions)
		run->regions = make_zeroed(1, sizeof *run->regions);
	t = sd_region_run_row(run->regions, kind, name, 0);
	assert_non_null(t);
	t->processes = 1;
	t->entries = 10;
	t->elapsed = t->thread_s = elapsed;
	t->least = t->most = 1;
	t->cpu = SD_OK(elapsed);
	return t;
}

/* At one core solve is 3 of 4 s, at two 2 of 3; the rest is setup's. */
static void make(struct sd_record *r)
{
	static const unsigned cores[] = {1, 2};

	make_record(r, cores, 2);
	for (size_t i = 0; i < RUNS; i++)
		for (size_t p = 0; p < 2; p++) {
			const double wall = p ? 3 : 4;
			struct sd_run *const run = make_run(r, p, wall, wall, 0);

			add(run, SD_REGION_MARKED, "solve", wall - 1)->cpu = SD_OK(p ? 3 : 3);
			add(run, SD_REGION_MARKED, "setup", 1);
		}
}

static const struct sd_region_row *row_of(const struct sd_analysis *a, const char *name)
{
	for (size_t i = 0; i < a->regions.n_row; i++)
		if (strcmp(a->regions.row[i].name, name) == 0)
			return &a->regions.row[i];
	fail_msg("no row of %s", name);
	return NULL;
}

static int says(const struct sd_texts *notes, const char *text)
{
	for (size_t i = 0; i < notes->n; i++)
		if (strstr(notes->text[i], text))
			return 1;
	return 0;
}

static void each_count_has_its_numbers(void **state)
{
	const struct sd_region_row *solve, *setup;
	struct sd_record r;
	struct sd_analysis a;

	(void)state;
	make(&r);
	assert_int_equal(sd_analyse(&r, NULL, NULL, &a), 0);
	solve = row_of(&a, "solve");
	setup = row_of(&a, "setup");
	assert_int_equal(solve->n_point, 2);
	assert_near(solve->point[1].speedup.value, 1.5, 1e-9);
	assert_near(solve->point[1].efficiency.value, .75, 1e-9);
	assert_near(solve->point[1].used.value, 1.5, 1e-9);
	assert_near(solve->point[1].share, 2 / 3., 1e-9);
	assert_near(setup->point[1].speedup.value, 1, 1e-9);
	/* of both together: cores of the run that are lost, 2 - 4/3 */
	assert_near(solve->point[1].lost.value + setup->point[1].lost.value, 2 - 4 / 3., 1e-9);
	assert_int_equal(solve->notes.n, 0);
	assert_null(a.regions.judged);
	sd_analysis_free(&a);
	sd_record_free(&r);
}

static void other_work_has_no_speedup_and_odd_ends_are_said(void **state)
{
	const struct sd_region_row *solve;
	struct sd_record r;
	struct sd_analysis a;

	(void)state;
	make(&r);
	for (size_t i = 0; i < r.n_run; i++)
		if (r.run[i].point == 1) {
			struct sd_region_time *const t =
				sd_region_run_row(r.run[i].regions, SD_REGION_MARKED, "solve", 0);

			t->entries = 20;
			t->unmatched = 3;
			t->unended = 1;
			t->processes = 2;
			r.run[i].regions->no_row = 4;
		}
	assert_int_equal(sd_analyse(&r, NULL, NULL, &a), 0);
	solve = row_of(&a, "solve");
	assert_int_equal(solve->point[1].speedup.status, SD_STATUS_ABSENT);
	assert_false(sd_has(solve->point[1].lost));
	assert_true(says(&solve->notes, "not the same work"));
	assert_true(says(&solve->notes, "3 begins or ends"));
	assert_true(says(&solve->notes, "not ended"));
	assert_true(says(&solve->notes, "2 processes"));
	assert_true(says(&a.regions.notes, "too many regions: 4"));
	sd_analysis_free(&a);
	sd_record_free(&r);
}

/* Two threads, 2 s, of which one waited .5 s and the fork took .1 s of both. */
static void a_team_gains_what_it_lost(void **state)
{
	const struct sd_region_point *p;
	struct sd_record r;
	struct sd_analysis a;

	(void)state;
	make(&r);
	for (size_t i = 0; i < r.n_run; i++) {
		struct sd_region_time *const t = add(&r.run[i], SD_REGION_OPENMP, "", 2);

		t->thread_s = 4;
		t->least = t->most = 2;
		t->imbalance = .5;
		t->barrier = .2;
		t->tasks = 8;
	}
	assert_int_equal(sd_analyse(&r, NULL, NULL, &a), 0);
	p = &row_of(&a, "unknown code")->point[1];
	assert_near(p->threads, 2, 1e-9);
	assert_near(p->imbalance, .25, 1e-9);
	assert_near(p->barrier, .1, 1e-9);
	assert_near(p->gain, .35, 1e-9);
	assert_near(p->ideal + p->gain, p->elapsed.value, 1e-9);
	assert_true(p->tasks == 8);
	assert_true(
		says(&row_of(&a, "unknown code")->notes, "a team of 2 threads on 2 cores") == 0);
	sd_analysis_free(&a);
	sd_record_free(&r);
}

static void a_judged_part_is_named_with_its_share(void **state)
{
	struct sd_record r;
	struct sd_analysis a;

	(void)state;
	make(&r);
	r.program.region = strdup("solve");
	for (size_t i = 0; i < r.n_run; i++) {
		r.run[i].whole = r.run[i].metric[SD_METRIC_WALL];
		r.run[i].metric[SD_METRIC_WALL].value -= 1;
	}
	assert_int_equal(sd_analyse(&r, NULL, NULL, &a), 0);
	assert_non_null(a.regions.judged);
	assert_string_equal(a.regions.judged, "region 'solve', 67 % of the time at 2 cores");
	assert_near(a.point[1].speedup.value, 1.5, 1e-9);
	assert_near(row_of(&a, "solve")->point[1].share, 2 / 3., 1e-9);
	sd_analysis_free(&a);
	sd_record_free(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_count_has_its_numbers),
		cmocka_unit_test(other_work_has_no_speedup_and_odd_ends_are_said),
		cmocka_unit_test(a_team_gains_what_it_lost),
		cmocka_unit_test(a_judged_part_is_named_with_its_share),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
