/*
 * Points that are compared: strong and weak scaling, throughputs, missing references.
 */
#include <string.h>

#include "diagnose/analyse/stack/uniform_runs.h"

/* Whatever a record may say, the analysis ends and its numbers are numbers. */
static void a_record_full_of_nonsense_is_survived(void **state)
{
	static const double value[] = {
		0, -0., 1e-320, 1e-9, 1, 1e9, 1e18, 1e300, -1, INFINITY, -INFINITY, NAN};
	enum { VALUES = sizeof value / sizeof *value };
	struct sd_random random;

	(void)state;
	sd_random_seed(&random, 17, 0);
	for (int i = 0; i < 400; i++) {
		unsigned cores[3];
		size_t n = sd_random_below(&random, 4), runs = sd_random_below(&random, 20);
		struct sd_analysis a;
		struct sd_record r;

		for (size_t k = 0; k < n; k++)
			cores[k] = (unsigned)(sd_random_next(&random) >>
					      (32 + sd_random_below(&random, 32)));
		record_make(&r, cores, n);
		if (sd_random_below(&random, 3) == 0)
			r.program.rate = strdup("x");
		for (size_t k = 0; k < runs; k++) {
			struct sd_run *run = record_run(&r, sd_random_below(&random, 5), 1);

			run->kind = (enum sd_run_kind)sd_random_below(&random, 3);
			run->flags = (unsigned)sd_random_below(&random, 16);
			for (int m = 0; m < SD_METRIC_COUNT; m++)
				if (sd_random_below(&random, 3))
					run->metric[m] =
						SD_OK(value[sd_random_below(&random, VALUES)]);
			for (int m = 0; m < SD_IDLE_COUNT; m++)
				run->idle[m] = SD_OK(value[sd_random_below(&random, VALUES)]);
		}
		if (sd_analyse(&r, NULL, NULL, &a) == 0) {
			for (size_t k = 0; k < a.n_point; k++) {
				assert_true(isfinite(a.point[k].speedup.value));
				assert_true(a.point[k].speedup.high >= a.point[k].speedup.value);
				assert_true(isfinite(stack_sum(&a.point[k])));
			}
		}
		sd_analysis_free(&a);
		sd_record_free(&r);
	}
}

static void analyse_two(struct sd_record *r, struct sd_analysis *a, const unsigned *cores,
	const struct sample *one, const struct sample *many)
{
	record_make(r, cores, 2);
	record_samples(r, 0, one, 6, 0, 1);
	record_samples(r, 1, many, 6, 0, 1);
	assert_int_equal(sd_analyse(r, NULL, NULL, a), 0);
}

static void strong_scaling_measures_against_the_reference_count(void **state)
{
	/* From 2 to 4 cores: 8 core-seconds of work become 9, and a core waits 1 s of 2.5. */
	static const struct sample two = {.wall = 4, .user = 7, .system = 1};
	static const struct sample four = {
		.wall = 2.5, .user = 8, .system = 1, .idle = {[SD_IDLE_LOCK] = 1}};
	static const unsigned cores[] = {2, 4};
	struct sd_analysis a;
	struct sd_record r;
	const struct sd_point *p;

	(void)state;
	analyse_two(&r, &a, cores, &two, &four);
	p = &a.point[1];
	assert_near(p->speedup.value, 1.6, 1e-12);
	assert_near(p->efficiency.value, .8, 1e-12);
	assert_near(p->stack[SD_COMPONENT_USEFUL].value, 8 / 2.5, 1e-12);
	assert_near(p->stack[SD_COMPONENT_GROWTH].value, 1 / 2.5, 1e-12);
	assert_near(p->stack[SD_COMPONENT_SYSTEM].value, 0, 1e-12);
	assert_near(p->stack[SD_COMPONENT_LOCK].value, 1 / 2.5, 1e-12);
	assert_near(p->karp_flatt.value, (1 / 1.6 - .5) / .5, 1e-12);
	assert_near(a.lost.value, .8, 1e-12);
	assert_near(a.point[0].stack[SD_COMPONENT_USEFUL].value, 2, 1e-12);
	assert_near(p->parallelism.value, 9 / 2.5, 1e-12);
	sd_analysis_free(&a);
	sd_record_free(&r);
}

/* A rank and its launcher, on one core: 1.16 of it are in use by the clocks. */
static void active_cores_are_no_more_than_there_are(void **state)
{
	static const struct sample one = {.wall = 4, .user = 4.4, .system = .24};
	static const struct sample four = {.wall = 2, .user = 6};
	static const unsigned cores[] = {1, 4};
	struct sd_analysis a;
	struct sd_record r;

	(void)state;
	analyse_two(&r, &a, cores, &one, &four);
	assert_near(a.point[0].parallelism.value, 1, 1e-12);
	assert_true(a.point[0].parallelism.high <= 1);
	assert_near(a.point[1].parallelism.value, 3, 1e-12);
	sd_analysis_free(&a);
	sd_record_free(&r);
}

static void weak_scaling_counts_work_that_grows_with_the_cores(void **state)
{
	static const struct sample one = {.wall = 4, .user = 4};
	static const struct sample four = {
		.wall = 5, .user = 18, .idle = {[SD_IDLE_IMBALANCE] = 2}};
	static const unsigned cores[] = {1, 4};
	struct sd_analysis a;
	struct sd_record r;
	const struct sd_point *p;

	(void)state;
	record_make(&r, cores, 2);
	r.program.scaling = SD_SCALING_WEAK;
	record_samples(&r, 0, &one, 6, 0, 1);
	record_samples(&r, 1, &four, 6, 0, 1);
	assert_int_equal(sd_analyse(&r, NULL, NULL, &a), 0);
	p = &a.point[1];
	assert_near(p->speedup.value, 3.2, 1e-12);
	assert_near(p->efficiency.value, .8, 1e-12);
	assert_near(p->stack[SD_COMPONENT_USEFUL].value, 3.2, 1e-12);
	assert_near(p->stack[SD_COMPONENT_GROWTH].value, .4, 1e-12);
	assert_near(p->stack[SD_COMPONENT_IMBALANCE].value, .4, 1e-12);
	assert_near(p->karp_flatt.value, (4 - 3.2) / 3, 1e-12);
	assert_int_equal(a.fits.amdahl_serial.status, SD_STATUS_ABSENT);
	sd_analysis_free(&a);
	sd_record_free(&r);
}

/* A program that runs for 10 s whatever happens and prints how much it did. */
static void a_throughput_replaces_the_time(void **state)
{
	static const struct sample one = {.wall = 10, .user = 10};
	static const struct sample four = {.wall = 10, .user = 30, .idle = {[SD_IDLE_LOCK] = 10}};
	static const unsigned cores[] = {1, 4};

	(void)state;
	for (int weak = 0; weak < 2; weak++) {
		struct sd_analysis a;
		struct sd_record r;
		const struct sd_point *p;

		record_make(&r, cores, 2);
		r.program.rate = strdup("([0-9]+) ops/s");
		r.program.scaling = weak ? SD_SCALING_WEAK : SD_SCALING_STRONG;
		for (int i = 0; i < 6; i++) {
			record_sample(&r, 0, &one, 1)->metric[SD_METRIC_RATE] = SD_OK(100);
			record_sample(&r, 1, &four, 1)->metric[SD_METRIC_RATE] = SD_OK(200);
			record_sample(&r, 1, &four, 1); /* printed nothing: not used */
		}
		assert_int_equal(sd_analyse(&r, NULL, NULL, &a), 0);
		p = &a.point[1];
		assert_int_equal(p->runs, 6);
		assert_near(p->wall.value, 10, 1e-12);
		assert_near(p->speedup.value, 2, 1e-12);
		/* 3 cores work, but do what 2 would have done. */
		assert_near(p->stack[SD_COMPONENT_USEFUL].value, 2, 1e-12);
		assert_near(p->stack[SD_COMPONENT_GROWTH].value, 1, 1e-12);
		assert_near(p->stack[SD_COMPONENT_LOCK].value, 1, 1e-12);
		sd_analysis_free(&a);
		sd_record_free(&r);
	}
}

static void more_threads_than_cpus_have_the_cpus_as_their_cores(void **state)
{
	static const struct sample one = {.wall = 8, .user = 8};
	static const struct sample many = {.wall = 4, .user = 8};
	static const unsigned cores[] = {1, 6};
	struct sd_analysis a;
	struct sd_record r;

	(void)state;
	record_make(&r, cores, 2);
	sd_cpulist_add(&r.plan.point[1].cpus, 0);
	sd_cpulist_add(&r.plan.point[1].cpus, 1);
	record_samples(&r, 0, &one, 6, 0, 1);
	record_samples(&r, 1, &many, 6, 0, 1);
	assert_int_equal(sd_analyse(&r, NULL, NULL, &a), 0);
	assert_int_equal(a.point[1].cores, 6);
	assert_int_equal(a.point[1].n, 2);
	assert_near(a.point[1].efficiency.value, 1, 1e-12);
	assert_near(stack_sum(&a.point[1]), 2, 1e-9);
	sd_analysis_free(&a);
	sd_record_free(&r);
}

/* `odd` of `runs` runs on two cores spend twice the time, in the kernel; of the user time there is
 * as much in all of them. */
static struct sd_interval growth_beside_long_runs(size_t runs, size_t odd, size_t *outlying)
{
	static const unsigned cores[] = {1, 2};
	struct sd_record r;
	struct sd_analysis a;
	struct sd_interval growth;

	record_make(&r, cores, 2);
	for (size_t i = 0; i < runs; i++) {
		const double scatter = 1 + .002 * (double)(i % 5), pages = i < odd ? 1.1 : 0;
		const struct sample one = {.wall = 1, .user = 1},
				    two = {.wall = .55 + pages / 2, .user = 1.1, .system = pages};

		record_sample(&r, 0, &one, scatter);
		record_sample(&r, 1, &two, scatter);
	}
	assert_int_equal(sd_analyse(&r, NULL, NULL, &a), 0);
	growth = a.point[1].stack[SD_COMPONENT_GROWTH];
	assert_near(stack_sum(&a.point[1]), 2, 1e-9);
	*outlying = a.point[1].runs_outlying;
	assert_int_equal(a.point[0].runs_outlying, 0);
	sd_analysis_free(&a);
	sd_record_free(&r);
	return growth;
}

/* The median time is that of the runs that no hypervisor kept waiting for pages, and so is what the
 * cores did in it. */
static void the_stack_is_that_of_the_runs_the_median_is_of(void **state)
{
	struct sd_interval growth;
	size_t outlying;

	(void)state;
	growth = growth_beside_long_runs(20, 3, &outlying);
	assert_int_equal(outlying, 3);
	assert_near(growth.value, .1 / .55, .004);
	assert_true(growth.low > .15 && growth.high < .21); /* nor do they widen it */
	/* where every third run is long that is how the program is */
	growth_beside_long_runs(21, 7, &outlying);
	assert_int_equal(outlying, 0);
	/* five runs have no outliers */
	growth_beside_long_runs(5, 1, &outlying);
	assert_int_equal(outlying, 0);
}

static void a_reference_without_runs_gives_way_to_the_next_count(void **state)
{
	static const struct sample s = {.wall = 8, .user = 16};
	static const unsigned cores[] = {1, 2, 4};
	struct sd_analysis a;
	struct sd_record r;

	(void)state;
	record_make(&r, cores, 3);
	record_samples(&r, 1, &s, 6, 0, 1);
	record_samples(&r, 2, &s, 6, 0, 1);
	assert_int_equal(sd_analyse(&r, NULL, NULL, &a), 0);
	assert_int_equal(a.n_point, 2);
	assert_int_equal(a.point[0].cores, 2);
	assert_near(a.point[1].speedup.value, 1, 1e-12);
	assert_near(a.point[1].efficiency.value, .5, 1e-12);
	assert_non_null(strstr(a.warnings.text[0], "no usable run at 1 core"));
	sd_analysis_free(&a);
	sd_record_free(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_record_full_of_nonsense_is_survived),
		cmocka_unit_test(strong_scaling_measures_against_the_reference_count),
		cmocka_unit_test(active_cores_are_no_more_than_there_are),
		cmocka_unit_test(weak_scaling_counts_work_that_grows_with_the_cores),
		cmocka_unit_test(a_throughput_replaces_the_time),
		cmocka_unit_test(more_threads_than_cpus_have_the_cpus_as_their_cores),
		cmocka_unit_test(a_reference_without_runs_gives_way_to_the_next_count),
		cmocka_unit_test(the_stack_is_that_of_the_runs_the_median_is_of),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
