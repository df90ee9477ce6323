/*
 * Times that scatter as on a machine that others use: what is certain of a loss, and what is not.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "support/analyse_record.h"
#include "support/near.h"

enum { RUNS = 5 };

/* A program of 1 s on one core, give or take 8 %, and these times on two. */
static void analyse(const double now[RUNS], struct sd_record *r, struct sd_analysis *a)
{
	static const unsigned cores[] = {1, 2};
	static const double before[RUNS] = {.92, .96, 1, 1.04, 1.08};

	record_make(r, cores, 2);
	for (int i = 0; i < RUNS; i++) {
		const struct sample one = {.wall = before[i], .user = before[i]},
				    two = {.wall = now[i], .user = 2 * now[i]};

		record_sample(r, 0, &one, 1);
		record_sample(r, 1, &two, 1);
	}
	assert_int_equal(sd_analyse(r, NULL, NULL, a), 0);
}

static void done(struct sd_record *r, struct sd_analysis *a)
{
	sd_analysis_free(a);
	sd_record_free(r);
}

/* One run of a count is all there is to know of a machine that is modelled. */
static void a_modelled_run_is_exact(void **state)
{
	static const unsigned cores[] = {1, 2};
	static const struct sample one = {.wall = 1, .user = 1}, two = {.wall = .8, .user = 1.6};
	struct sd_plan_simulation model = {.whole = 1};
	struct sd_record r;
	struct sd_analysis a;

	(void)state;
	for (int modelled = 0; modelled < 2; modelled++) {
		record_make(&r, cores, 2);
		r.plan.simulation = modelled ? &model : NULL;
		record_sample(&r, 0, &one, 1);
		record_sample(&r, 1, &two, 1);
		assert_int_equal(sd_analyse(&r, NULL, NULL, &a), 0);
		r.plan.simulation = NULL;
		assert_int_equal(a.scales, modelled ? SD_SCALES_NO : SD_SCALES_UNKNOWN);
		assert_int_equal(sd_status_bounded(a.point[1].speedup), modelled);
		if (modelled) {
			assert_near(a.point[1].speedup.low, 1.25, 1e-9);
			assert_near(a.point[1].speedup.high, 1.25, 1e-9);
			assert_null(a.no_verdict);
		}
		done(&r, &a);
	}
}

/* Each run does more than the one before, as where a file grows: nothing can be compared. */
static void runs_that_take_longer_each_time_decide_nothing(void **state)
{
	static const unsigned cores[] = {1, 2};
	struct sd_record r;
	struct sd_analysis a;

	(void)state;
	for (int mixed = 0; mixed < 2; mixed++) {
		record_make(&r, cores, 2);
		for (int i = 0; i < 2 * RUNS; i++) {
			const double t = 1 + .2 * (mixed ? (i * 3) % (2 * RUNS) : i);
			const struct sample s = {.wall = t, .user = t};

			record_sample(&r, (size_t)i % 2, &s, 1)->start = 100 + 2. * i;
		}
		assert_int_equal(sd_analyse(&r, NULL, NULL, &a), 0);
		if (mixed)
			assert_true(!a.no_verdict || !strstr(a.no_verdict, "longer than the one"));
		else
			assert_true(a.no_verdict && strstr(a.no_verdict, "longer than the one"));
		done(&r, &a);
	}
}

/* Some runs had to wait for memory, on one core too: the other runs say it all the same. */
static void a_loss_that_few_long_runs_hide_is_certain(void **state)
{
	static const unsigned cores[] = {1, 2};
	static const double before[] = {1, 1, 1.01, 1.01, 1.01, 1.02, 1.02, 1.02, 1.03, 1.03, 1.04,
		1.04, 1.05, 1.05, 2.6, 3.1},
			    now[] = {.70, .70, .70, .71, .71, .71, .72, .72, .72, .73, .73, .73,
				    .74, .74, .75, 1.1};
	struct sd_record r;
	struct sd_analysis a;

	(void)state;
	record_make(&r, cores, 2);
	for (size_t i = 0; i < sizeof now / sizeof *now; i++) {
		const struct sample one = {.wall = before[i], .user = before[i]},
				    two = {.wall = now[i], .user = 2 * now[i]};

		record_sample(&r, 0, &one, 1);
		record_sample(&r, 1, &two, 1);
	}
	assert_int_equal(sd_analyse(&r, NULL, NULL, &a), 0);
	assert_int_equal(a.scales, SD_SCALES_NO);
	done(&r, &a);
}

static void a_loss_that_every_run_has_is_certain_however_they_scatter(void **state)
{
	static const double now[RUNS] = {1.09, 1.73, 2.5, 2.65, 2.93};
	struct sd_record r;
	struct sd_analysis a;

	(void)state;
	analyse(now, &r, &a);
	assert_int_equal(a.scales, SD_SCALES_NO);
	done(&r, &a);
}

/* One run was as fast as it should be: the others may have been somebody else's doing. */
static void a_loss_that_one_run_does_not_have_is_not(void **state)
{
	static const double now[RUNS] = {.5, 1.73, 2.5, 2.65, 2.93};
	struct sd_record r;
	struct sd_analysis a;

	(void)state;
	analyse(now, &r, &a);
	assert_int_equal(a.scales, SD_SCALES_UNKNOWN);
	done(&r, &a);
}

/* Fresh pages took long to come now and then on one core; the program's own time says it, when it
 * grows by more than the gate. */
static void growth_of_user_time_is_certain_beside_kernel_time_that_scatters(void **state)
{
	static const unsigned cores[] = {1, 2};
	static const double pages[] = {
		0, .01, .02, .03, .04, .05, .06, .07, .08, .09, .1, .11, .12, 1.2, 1.6, 2};

	static const struct {
		double wall, user; /* of two cores, in what perfect scaling would take */
		int lost;
	} row[] = {{1, 1, 0}, {1.6, 1.04, 1}, {1.6, 1.6, 1}};

	(void)state;
	for (size_t k = 0; k < sizeof row / sizeof *row; k++) {
		struct sd_record r;
		struct sd_analysis a;

		record_make(&r, cores, 2);
		for (size_t i = 0; i < sizeof pages / sizeof *pages; i++) {
			const double user = 1 + .002 * (double)(i * 3 % 10);
			const struct sample one = {.wall = user + pages[i],
						    .user = user,
						    .system = pages[i]},
					    two = {.wall = row[k].wall * user / 2,
						    .user = row[k].user * user};

			record_sample(&r, 0, &one, 1);
			record_sample(&r, 1, &two, 1);
		}
		assert_int_equal(sd_analyse(&r, NULL, NULL, &a), 0);
		if (row[k].lost)
			assert_int_equal(a.scales, SD_SCALES_NO);
		else
			assert_int_not_equal(a.scales, SD_SCALES_NO);
		done(&r, &a);
	}
}

/* A core that is shared with others does half of its work: that much is nobody's loss for sure. */
static void a_loss_that_neighbours_could_make_is_not(void **state)
{
	static const double now[RUNS] = {.56, .75, .95, 1.3, 1.5};
	struct sd_record r;
	struct sd_analysis a;

	(void)state;
	analyse(now, &r, &a);
	assert_int_equal(a.scales, SD_SCALES_UNKNOWN);
	done(&r, &a);
}

/* A program that uses a quarter less than two cores, all of it waiting for a CPU. `foreign`: what
 * others used of them; `status`: how well that is known. */
static enum sd_scales waits_for_cpus(double foreign, enum sd_status status)
{
	static const unsigned cores[] = {1, 2};
	static const struct sample one = {.wall = 1, .user = 1},
				   two = {.wall = .6667,
					   .user = 1,
					   .idle[SD_IDLE_RUNNABLE] = .3333,
					   .run_delay = .3333};
	struct sd_record r;
	struct sd_analysis a;
	enum sd_scales scales;

	record_make(&r, cores, 2);
	record_samples(&r, 0, &one, 10, .004, 1);
	record_samples(&r, 1, &two, 10, .004, 2);
	for (size_t i = 0; i < r.n_run; i++) {
		r.run[i].metric[SD_METRIC_FOREIGN] =
			(struct sd_value){r.run[i].point ? foreign : 0, status};
		r.run[i].metric[SD_METRIC_POLL_CPU] = SD_OK(0);
	}
	assert_int_equal(sd_analyse(&r, NULL, NULL, &a), 0);
	assert_near(a.point[1].stack[SD_COMPONENT_RUN_QUEUE].value, .5, .01);
	scales = a.scales;
	done(&r, &a);
	return scales;
}

/* It is others' doing as far as they used the CPUs: the rest is threads on one CPU while another is
 * idle, or idle CPUs that take their time to wake up. */
static void waiting_for_a_cpu_is_others_doing_as_far_as_they_ran(void **state)
{
	(void)state;
	assert_int_equal(waits_for_cpus(0, SD_STATUS_OK), SD_SCALES_NO);
	assert_int_equal(waits_for_cpus(.005, SD_STATUS_OK), SD_SCALES_NO);
	assert_int_not_equal(waits_for_cpus(.2, SD_STATUS_OK), SD_SCALES_NO);
	assert_int_not_equal(waits_for_cpus(0, SD_STATUS_NOISY), SD_SCALES_NO);
}

/* Three runs that differ give a wide interval: nothing smaller can be seen, and no part of the
 * stack is said to be more than the two cores there are, nor a gain of more than one core did. */
static void what_few_runs_show_is_no_finer_than_their_interval(void **state)
{
	static const unsigned cores[] = {1, 2};
	static const double wide[] = {.6, 1.6, 2.6};
	struct sd_record r;
	struct sd_analysis a;
	const struct sd_point *p;

	(void)state;
	record_make(&r, cores, 2);
	for (size_t i = 0; i < 3; i++) {
		const struct sample one = {.wall = 1 + .01 * (double)i, .user = 1},
				    two = {.wall = wide[i], .user = 2 * wide[i]};

		record_sample(&r, 0, &one, 1);
		record_sample(&r, 1, &two, 1);
	}
	assert_int_equal(sd_analyse(&r, NULL, NULL, &a), 0);
	p = &a.point[1];
	assert_true(a.smallest.value >= p->efficiency.high - p->efficiency.value - 1e-12);
	assert_true(a.smallest.value >= p->efficiency.value - p->efficiency.low - 1e-12);
	for (int k = 0; k < SD_COMPONENT_COUNT; k++)
		if (k != SD_COMPONENT_USEFUL && sd_status_bounded(p->stack[k])) {
			assert_true(p->stack[k].high <= 2 + 1e-12);
			assert_true(p->stack[k].low >= -p->speedup.high - 1e-12);
		}
	done(&r, &a);
}

/* The CPU time of one program is three times as long in one run as in another; a busy core makes
 * that of the other somewhat longer. The last run, of one core, is far from all others. */
static void work_that_differs_is_no_drift_of_the_machine(void **state)
{
	static const double varied[] = {.3, .5, .7, .9, .6}, steady[] = {.6, .62, .64, .7, .61};
	static const unsigned cores[] = {1, 2};

	(void)state;
	for (int differs = 0; differs < 2; differs++) {
		struct sd_record r;
		struct sd_analysis a;
		struct sd_run *last;
		size_t drifts = 0;

		record_make(&r, cores, 2);
		for (int i = 0; i < RUNS; i++) {
			const double s = differs ? varied[i] : steady[i];

			record_sample(&r, 0, &(struct sample){.wall = s, .user = s}, 1);
			record_sample(&r, 1, &(struct sample){.wall = s * .7, .user = s}, 1);
		}
		last = record_sample(&r, 0, &(struct sample){.wall = 2, .user = 2}, 1);
		last->kind = SD_RUN_DRIFT;
		assert_int_equal(sd_analyse(&r, NULL, NULL, &a), 0);
		assert_int_equal(sd_status_measured(a.varied), differs);
		for (size_t i = 0; i < a.warnings.n; i++)
			drifts += strstr(a.warnings.text[i], "the machine drifted") != NULL;
		assert_int_equal(drifts, !differs);
		if (differs) {
			assert_near(a.varied.low, .3, 1e-12);
			assert_near(a.varied.high, .9, 1e-12);
		}
		done(&r, &a);
	}
}

/* A table that is imported has no machine, and no options. */
static void one_run_that_a_budget_left_wants_a_longer_one(void **state)
{
	static const unsigned cores[] = {1, 2};
	static const struct {
		double budget_s;
		size_t n_pu;
		const char *wants;
	} row[] = {{10, 1, "a longer --budget"}, {0, 1, "more --repeats"},
		{0, 0, "more runs of each count"}};
	struct sd_pu pu = {0};

	(void)state;
	for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
		struct sd_record r;
		struct sd_analysis a;

		record_make(&r, cores, 2);
		r.plan.budget_s = row[i].budget_s;
		r.plan.max_repeats = 60;
		r.layout = (struct sd_machine_layout){.pu = &pu, .n_pu = row[i].n_pu};
		record_sample(&r, 0, &(struct sample){.wall = 8, .user = 8}, 1);
		record_sample(&r, 1, &(struct sample){.wall = 6, .user = 8}, 1);
		assert_int_equal(sd_analyse(&r, NULL, NULL, &a), 0);
		assert_non_null(a.no_verdict);
		assert_non_null(strstr(a.no_verdict, row[i].wants));
		r.layout = (struct sd_machine_layout){0};
		done(&r, &a);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_modelled_run_is_exact),
		cmocka_unit_test(runs_that_take_longer_each_time_decide_nothing),
		cmocka_unit_test(a_loss_that_every_run_has_is_certain_however_they_scatter),
		cmocka_unit_test(growth_of_user_time_is_certain_beside_kernel_time_that_scatters),
		cmocka_unit_test(a_loss_that_few_long_runs_hide_is_certain),
		cmocka_unit_test(a_loss_that_one_run_does_not_have_is_not),
		cmocka_unit_test(a_loss_that_neighbours_could_make_is_not),
		cmocka_unit_test(waiting_for_a_cpu_is_others_doing_as_far_as_they_ran),
		cmocka_unit_test(what_few_runs_show_is_no_finer_than_their_interval),
		cmocka_unit_test(work_that_differs_is_no_drift_of_the_machine),
		cmocka_unit_test(one_run_that_a_budget_left_wants_a_longer_one),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
