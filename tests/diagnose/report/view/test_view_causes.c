/*
 * How the costs of causes are bounded in their titles.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "support/make_analysis.h"
#include "view/view.h"

/* The i-th finding is that one, possible, at a function. */
static struct sd_finding *make_place(
	struct sd_analysis *a, int i, enum sd_cause cause, const char *function, double share)
{
	struct sd_finding *const f = make_first(a, (size_t)i, cause, SD_VERDICT_POSSIBLE);

	for (size_t k = 0; k < f->n_where; k++) {
		free(f->where[k].function);
		free(f->where[k].file);
	}
	free(f->where);
	f->where = make_zeroed(1, sizeof *f->where);
	f->n_where = 1;
	f->where[0] = (struct sd_where){.function = strdup(function), .share = share};
	return f;
}

/* No bound is above the cores there are: one that reaches them says that nothing is known. */
static void growth_that_may_be_all_cores_has_no_bound(void **state)
{
	static const struct {
		double high;
		const char *title;
	} row[] = {
		{6.4, "Work inflation costs at most 6.40 of 8 cores (cause not found; may be noise)"},
		{8, "Work inflation may cost anything up to all 8 cores (cause not found; the runs "
		    "differ too much to bound it)"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
		struct sd_record r;
		struct sd_analysis a;
		struct sd_view v;
		int found = 0;

		make_hostile(&r, &a);
		a.point[3].runs = 5;
		a.point[3].stack[SD_COMPONENT_GROWTH] = make_interval(3.72, -.5, row[i].high);
		assert_int_equal(sd_view_make(&v, &r, &a, NULL), 0);
		for (size_t k = 0; k < v.n_cause; k++)
			found += strcmp(v.cause[k].title, row[i].title) == 0;
		assert_int_equal(found, 1);
		sd_view_free(&v);
		sd_record_free(&r);
		sd_analysis_free(&a);
	}
}

/* Growth that has no cause, most of it in the function where a lock is waited for. */
static void growth_where_a_lock_is_waited_for_is_the_locks(void **state)
{
	static const struct {
		const char *waits;
		double share;
		const char *cause;
	} row[] = {{"lock()", .99, "Possible cause: lock contention"},
		{"lock()", .3, "The same work takes more CPU time; the cause was not found."},
		{"other()", .99, "The same work takes more CPU time; the cause was not found."}};

	(void)state;
	for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
		struct sd_record r;
		struct sd_analysis a;
		struct sd_view v;
		struct sd_finding *f;

		make_hostile(&r, &a);
		a.no_verdict = NULL;
		a.scales = SD_SCALES_NO;
		a.undecided = SD_OK(3.72);
		a.point[3].stack[SD_COMPONENT_GROWTH] = make_interval(3.72, 1, 4);
		for (int k = 0; k < SD_CAUSE_COUNT; k++)
			a.finding[k].verdict = SD_VERDICT_RULED_OUT;
		f = make_place(&a, 0, SD_CAUSE_EXTRA_WORK, "lock()", .82);
		f->cores = (struct sd_interval){.status = SD_STATUS_ABSENT};
		f = make_place(&a, 1, SD_CAUSE_LOCK_CONTENTION, row[i].waits, row[i].share);
		f->cores = make_interval(2, 0, 3);
		f->share = make_interval(.25, 0, .4);
		assert_int_equal(sd_view_make(&v, &r, &a, NULL), 0);
		assert_true(v.n_cause > 1);
		if (!strstr(v.main_cause, row[i].cause))
			fail_msg("row %zu: %s", i, v.main_cause);
		sd_view_free(&v);
		sd_record_free(&r);
		sd_analysis_free(&a);
	}
}

/* One run judges none: a rest of user time is not what it costs where waits cost more. */
static void of_one_run_the_smaller_rest_is_no_first_cause(void **state)
{
	static const struct {
		size_t runs;
		double threads;
		int told;
	} row[] = {{1, 3.9, 0}, {1, .1, 1}, {5, 3.9, 1}};

	(void)state;
	for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
		struct sd_record r;
		struct sd_analysis a;
		struct sd_view v;
		int found = 0;

		make_hostile(&r, &a);
		for (int k = SD_COMPONENT_USEFUL + 1; k < SD_COMPONENT_COUNT; k++)
			a.point[3].stack[k] = make_interval(.1, 0, .2);
		a.point[3].runs = row[i].runs;
		a.point[3].stack[SD_COMPONENT_GROWTH] = make_interval(3.72, 1, 4);
		a.point[3].stack[SD_COMPONENT_THREADS] = make_interval(row[i].threads, 0, 4);
		assert_int_equal(sd_view_make(&v, &r, &a, NULL), 0);
		for (size_t k = 0; k < v.n_cause; k++)
			found += strstr(v.cause[k].title, "Work inflation") != NULL;
		assert_int_equal(found, row[i].told);
		sd_view_free(&v);
		sd_record_free(&r);
		sd_analysis_free(&a);
	}
}

/* The neighbour with most CPU time is named where background load is told. */
static void background_load_has_the_name_of_who_made_it(void **state)
{
	struct sd_neighbour *const hog = calloc(1, sizeof *hog);
	struct sd_record r;
	struct sd_analysis a;
	struct sd_finding *f;
	struct sd_view v;

	(void)state;
	assert_non_null(hog);
	make_hostile(&r, &a);
	f = make_first(&a, 0, SD_CAUSE_NOISE, SD_VERDICT_LIKELY);
	f->cores = make_half(.7, .02);
	*hog = (struct sd_neighbour){
		.pid = 77, .name = "hog", .cpu = SD_OK(.5), .memory = SD_OK(4.1e7)};
	r.run[0].neighbour = hog;
	r.run[0].n_neighbour = 1;
	assert_int_equal(sd_view_make(&v, &r, &a, NULL), 0);
	assert_non_null(strstr(v.banner,
		"0.70 of 8 cores (hog, pid 77, which goes through memory, 41 MB at least): stop it"));
	sd_view_free(&v);
	sd_record_free(&r);
	sd_analysis_free(&a);
}

/* Counted instructions that may be work or waiting are growth without a cause. */
static void instructions_that_may_be_work_or_waiting_are_told(void **state)
{
	struct sd_record r;
	struct sd_analysis a;
	struct sd_view v;
	int found = 0;

	(void)state;
	make_hostile(&r, &a);
	for (int k = SD_COMPONENT_USEFUL + 1; k < SD_COMPONENT_COUNT; k++)
		a.point[3].stack[k] = make_interval(0, 0, 0);
	a.point[3].runs = 5;
	a.point[3].stack[SD_COMPONENT_GROWTH].status = SD_STATUS_ABSENT;
	a.point[3].stack[SD_COMPONENT_INSTRUCTIONS] = make_interval(4.98, 4.97, 4.99);
	a.undecided = SD_OK(4.98);
	for (int i = 0; i < SD_CAUSE_COUNT; i++) {
		a.finding[i].verdict = a.finding[i].cause == SD_CAUSE_EXTRA_WORK
					       ? SD_VERDICT_POSSIBLE
					       : SD_VERDICT_RULED_OUT;
		a.finding[i].cores.status = SD_STATUS_ABSENT;
	}
	assert_int_equal(sd_view_make(&v, &r, &a, NULL), 0);
	for (size_t k = 0; k < v.n_cause; k++)
		found += strstr(v.cause[k].title,
				 "Work inflation costs 4.98 of 8 cores (cause not found") != NULL &&
			 strstr(v.cause[k].item[SD_VIEW_OPEN], "extra work") != NULL;
	assert_int_equal(found, 1);
	sd_view_free(&v);
	sd_record_free(&r);
	sd_analysis_free(&a);
}

/* The sentence on what a cause mostly is stands on the first screen. */
static void what_a_cause_is_is_told(void **state)
{
	struct sd_record r;
	struct sd_analysis a;
	struct sd_finding *f;
	struct sd_view v;

	(void)state;
	make_hostile(&r, &a);
	a.no_verdict = NULL;
	a.scales = SD_SCALES_NO;
	a.undecided.status = SD_STATUS_ABSENT;
	for (int k = 0; k < SD_CAUSE_COUNT; k++)
		a.finding[k].verdict = SD_VERDICT_RULED_OUT;
	f = make_place(&a, 0, SD_CAUSE_SERIAL_CODE, "main", .9);
	f->what = strdup("60 % of it is at messages");
	f->cores = make_interval(2, 1, 3);
	f->share = make_interval(.25, .1, .4);
	assert_int_equal(sd_view_make(&v, &r, &a, NULL), 0);
	assert_int_equal(v.n_cause, 1);
	assert_string_equal(v.cause[0].item[SD_VIEW_WHAT], "60 % of it is at messages");
	sd_view_free(&v);
	sd_record_free(&r);
	sd_analysis_free(&a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_a_cause_is_is_told),
		cmocka_unit_test(background_load_has_the_name_of_who_made_it),
		cmocka_unit_test(growth_where_a_lock_is_waited_for_is_the_locks),
		cmocka_unit_test(growth_that_may_be_all_cores_has_no_bound),
		cmocka_unit_test(instructions_that_may_be_work_or_waiting_are_told),
		cmocka_unit_test(of_one_run_the_smaller_rest_is_no_first_cause),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
