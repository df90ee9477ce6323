/*
 * Synthetic programs of known behaviour: what is said about them, and above all what is not.
 */
#include <stdlib.h>

#include "diagnose/analyse/causes/two_points.h"
#include "support/counted_record.h"

static void no_cause_is_named_for_a_program_that_scales(void **state)
{
	static const double noise[] = {.002, .01, .03, .08};
	static const unsigned cores[] = {2, 8, 64};

	(void)state;
	for (uint64_t seed = 0; seed < 240; seed++) {
		unsigned n = cores[seed % 3];
		/* 10 s of work, and on n cores 0.2 % of the capacity idle in many ways */
		const double idle = .002 * 10 / SD_IDLE_COUNT;
		struct sample one = {.wall = 10, .user = 9.9, .system = .1};
		struct sample many = {.wall = (10 + .02) / n, .user = 9.9, .system = .1};
		struct sd_analysis a;
		struct sd_record r;

		for (int k = 0; k < SD_IDLE_COUNT; k++)
			many.idle[k] = idle;
		two_points(&r, n, &one, &many, 5 + seed % 7, noise[seed % 4], seed);
		assert_int_equal(sd_analyse(&r, NULL, NULL, &a), 0);
		assert_int_not_equal(a.scales, SD_SCALES_NO);
		assert_int_equal(named(&a), 0);
		if (seed % 4 < 2)
			assert_int_equal(a.scales, SD_SCALES_YES);
		sd_analysis_free(&a);
		sd_record_free(&r);
	}
}

/* Programs that lose cores in one known way, at 4 cores; 8 s of work. */
static void a_measured_wait_is_likely_and_comes_first(void **state)
{
	static const struct {
		enum sd_cause cause;
		enum sd_component component;
		struct sample many;
		double cores;
	} row[] = {
		/* half serial: 4 s alone, then 1 s on four */
		{SD_CAUSE_SERIAL_CODE, SD_COMPONENT_SERIAL,
			{.wall = 5, .user = 8, .idle = {[SD_IDLE_SERIAL] = 12}}, 2.4},
		{SD_CAUSE_LOAD_IMBALANCE, SD_COMPONENT_IMBALANCE,
			{.wall = 4, .user = 8, .idle = {[SD_IDLE_IMBALANCE] = 8}}, 2},
		{SD_CAUSE_LOCK_CONTENTION, SD_COMPONENT_LOCK,
			{.wall = 4, .user = 8, .idle = {[SD_IDLE_LOCK] = 8}}, 2},
		{SD_CAUSE_DISK, SD_COMPONENT_DISK,
			{.wall = 8, .user = 8, .idle = {[SD_IDLE_DISK] = 24}}, 3},
		{SD_CAUSE_KERNEL_MEMORY, SD_COMPONENT_SYSTEM, {.wall = 4, .user = 8, .system = 8},
			2},
		{SD_CAUSE_CPU_QUOTA, SD_COMPONENT_THROTTLED,
			{.wall = 4, .user = 8, .throttled = 8, .idle = {[SD_IDLE_THROTTLED] = 8}},
			2},
	};
	static const struct sample one = {.wall = 8, .user = 8};

	(void)state;
	for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
		struct sd_analysis a;
		struct sd_record r;
		const struct sd_finding *f;

		two_points(&r, 4, &one, &row[i].many, 8, .01, i);
		assert_int_equal(sd_analyse(&r, NULL, NULL, &a), 0);
		f = &a.finding[0];
		assert_int_equal(f->cause, row[i].cause);
		assert_int_equal(f->verdict, SD_VERDICT_LIKELY);
		assert_near(f->cores.value, row[i].cores, .03);
		assert_near(f->cores.value, a.point[1].stack[row[i].component].value, 1e-12);
		/* all of the loss is this */
		assert_near(4 * (1 - 1 / f->worth.value), f->cores.value, .03);
		assert_true(f->evidence.n > 0 && f->advice.n > 0 && f->next);
		assert_int_equal(finding_of(&a, SD_CAUSE_NOISE)->verdict, SD_VERDICT_RULED_OUT);
		assert_int_equal(
			finding_of(&a, SD_CAUSE_MEMORY_BANDWIDTH)->verdict, SD_VERDICT_RULED_OUT);
		/* nobody measured it, and nothing is left for it */
		assert_int_equal(finding_of(&a, SD_CAUSE_MPI)->verdict, SD_VERDICT_RULED_OUT);
		assert_int_equal(a.scales,
			row[i].cause == SD_CAUSE_CPU_QUOTA ? SD_SCALES_UNKNOWN : SD_SCALES_NO);
		sd_analysis_free(&a);
		sd_record_free(&r);
	}
}

static void two_causes_at_once_are_both_named_in_order(void **state)
{
	static const struct sample one = {.wall = 8, .user = 8};
	static const struct sample many = {.wall = 5,
		.user = 8,
		.idle = {[SD_IDLE_LOCK] = 8, [SD_IDLE_SERIAL] = 3, [SD_IDLE_DISK] = 1}};
	struct sd_analysis a;
	struct sd_record r;

	(void)state;
	two_points(&r, 4, &one, &many, 8, .01, 3);
	assert_int_equal(sd_analyse(&r, NULL, NULL, &a), 0);
	assert_int_equal(a.finding[0].cause, SD_CAUSE_LOCK_CONTENTION);
	assert_int_equal(a.finding[1].cause, SD_CAUSE_SERIAL_CODE);
	assert_int_equal(a.finding[0].verdict, SD_VERDICT_LIKELY);
	assert_int_equal(a.finding[1].verdict, SD_VERDICT_LIKELY);
	sd_analysis_free(&a);
	sd_record_free(&r);
}

static void growth_of_user_time_is_undecided_between_its_causes(void **state)
{
	static const struct sample one = {.wall = 8, .user = 8};
	static const struct sample many = {.wall = 5, .user = 20};
	static const enum sd_cause possible[] = {SD_CAUSE_MEMORY_BANDWIDTH, SD_CAUSE_LLC_CAPACITY,
		SD_CAUSE_DTLB, SD_CAUSE_FALSE_SHARING, SD_CAUSE_TRUE_SHARING, SD_CAUSE_EXTRA_WORK,
		SD_CAUSE_SPINNING, SD_CAUSE_ALLOCATOR, SD_CAUSE_NUMA, SD_CAUSE_SMT,
		SD_CAUSE_FREQUENCY, SD_CAUSE_BARRIER_OVERHEAD};
	static const enum sd_cause out[] = {
		SD_CAUSE_DISK, SD_CAUSE_KERNEL_MEMORY, SD_CAUSE_CPU_QUOTA, SD_CAUSE_NOISE};
	/* threads that spin, or fight for a lock's line, do not idle */
	static const enum sd_cause hidden[] = {
		SD_CAUSE_SERIAL_CODE, SD_CAUSE_LOAD_IMBALANCE, SD_CAUSE_LOCK_CONTENTION};
	struct sd_analysis a;
	struct sd_record r;

	(void)state;
	two_points(&r, 4, &one, &many, 8, .01, 4);
	assert_int_equal(sd_analyse(&r, NULL, NULL, &a), 0);
	for (size_t i = 0; i < sizeof possible / sizeof *possible; i++) {
		const struct sd_finding *f = finding_of(&a, possible[i]);

		assert_int_equal(f->verdict, SD_VERDICT_POSSIBLE);
		assert_int_equal(f->cores.status, SD_STATUS_ABSENT);
		assert_true(has_evidence(f, "not yet told apart"));
		assert_non_null(f->next);
	}
	for (size_t i = 0; i < sizeof out / sizeof *out; i++)
		assert_int_equal(finding_of(&a, out[i])->verdict, SD_VERDICT_RULED_OUT);
	for (size_t i = 0; i < sizeof hidden / sizeof *hidden; i++)
		assert_int_equal(finding_of(&a, hidden[i])->verdict, SD_VERDICT_NOT_MEASURABLE);
	assert_near(a.undecided.value, 12. / 5, .03);
	assert_int_equal(a.scales, SD_SCALES_NO);
	sd_analysis_free(&a);
	sd_record_free(&r);
}

static void the_same_time_with_all_cores_busy_may_be_a_fixed_time(void **state)
{
	static const struct {
		struct sample one, many;
		enum sd_scaling scaling;
		int warned;
		double cv; /* 0: a timer's */
	} row[] = {
		{{.wall = 2, .user = 2}, {.wall = 2, .user = 8}, SD_SCALING_STRONG, 1, 0},
		/* spinning for one lock takes the same time too, but not always */
		{{.wall = 2, .user = 2}, {.wall = 2, .user = 8}, SD_SCALING_STRONG, 0, .01},
		{{.wall = 2, .user = 2}, {.wall = 2, .user = 8}, SD_SCALING_WEAK, 0, 0},
		{{.wall = 2, .user = 2}, {.wall = 2.2, .user = 8.8}, SD_SCALING_STRONG, 0, 0},
		{{.wall = 2, .user = 2}, {.wall = 2, .user = 6}, SD_SCALING_STRONG, 1, 0},
		{{.wall = 2, .user = 2}, {.wall = 2, .user = 4}, SD_SCALING_STRONG, 0, 0},
		{{.wall = 2, .user = .01}, {.wall = 2, .user = .04}, SD_SCALING_STRONG, 0, 0},
	};

	(void)state;
	for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
		struct sd_analysis a;
		struct sd_record r;

		two_points(
			&r, 4, &row[i].one, &row[i].many, 8, row[i].cv > 0 ? row[i].cv : .001, 4);
		r.program.scaling = row[i].scaling;
		assert_int_equal(sd_analyse(&r, NULL, NULL, &a), 0);
		assert_int_equal(warned(&a, "--rate"), row[i].warned);
		if (row[i].warned) {
			assert_int_equal(named(&a), 0);
			assert_int_equal(a.scales, SD_SCALES_UNKNOWN);
		}
		sd_analysis_free(&a);
		sd_record_free(&r);
	}
}

/* Work that moves the same lines, or has the same instructions, did not run until a timer rang. */
static void counts_that_stay_say_that_the_work_is_fixed(void **state)
{
	static const struct sample one = {.wall = 2, .user = 2}, many = {.wall = 2, .user = 8};
	static const struct {
		enum sd_role role;
		double one, many;
		int warned;
	} row[] = {
		{SD_ROLE_INSTRUCTIONS, 4e9, 4.1e9, 0}, {SD_ROLE_INSTRUCTIONS, 4e9, 16e9, 1},
		{SD_ROLE_LLC_LINES_IN, 1e8, 1.02e8, 0}, {SD_ROLE_LLC_LINES_IN, 1e8, 4e8, 1},
		{SD_ROLE_LLC_LINES_IN, 1e5, 1e5, 1}, /* those of its start */
	};

	(void)state;
	for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
		struct sd_analysis a;
		struct sd_record r;

		two_points(&r, 4, &one, &many, 8, .001, 4);
		for (size_t j = 0; j < r.n_run; j++)
			count(&r.run[j], "skx", row[i].role,
				r.run[j].point ? row[i].many : row[i].one);
		assert_int_equal(sd_analyse(&r, NULL, NULL, &a), 0);
		assert_int_equal(warned(&a, "--rate"), row[i].warned);
		sd_analysis_free(&a);
		sd_record_free(&r);
	}
}

static void a_machine_without_numa_and_smt_rules_them_out(void **state)
{
	static const struct sample one = {.wall = 8, .user = 8};
	static const struct sample many = {.wall = 5, .user = 20};
	struct sd_analysis a;
	struct sd_record r;

	(void)state;
	two_points(&r, 4, &one, &many, 8, .01, 5);
	r.host = (struct sd_host){.allowed = 8, .cores = 4, .numa = 1, .granted = 8};
	assert_int_equal(sd_analyse(&r, NULL, NULL, &a), 0);
	assert_int_equal(finding_of(&a, SD_CAUSE_NUMA)->verdict, SD_VERDICT_RULED_OUT);
	assert_int_equal(finding_of(&a, SD_CAUSE_SMT)->verdict, SD_VERDICT_RULED_OUT);
	sd_analysis_free(&a);
	r.program.placement = SD_PLACEMENT_SMT;
	assert_int_equal(sd_analyse(&r, NULL, NULL, &a), 0);
	assert_int_equal(finding_of(&a, SD_CAUSE_SMT)->verdict, SD_VERDICT_POSSIBLE);
	sd_analysis_free(&a);
	sd_record_free(&r);
}

/* System time is the cause's that the kernel was called for, as far as samples in it say. */
static void kernel_time_belongs_to_what_it_was_for(void **state)
{
	static const struct {
		enum sd_activity activity;
		enum sd_component component;
		enum sd_cause cause;
	} row[] = {
		{SD_ACTIVITY_KERNEL_LOCKING, SD_COMPONENT_LOCK, SD_CAUSE_LOCK_CONTENTION},
		{SD_ACTIVITY_KERNEL_THREADS, SD_COMPONENT_THREADS, SD_CAUSE_BARRIER_OVERHEAD},
		{SD_ACTIVITY_KERNEL_FAULT, SD_COMPONENT_SYSTEM, SD_CAUSE_KERNEL_MEMORY},
		{SD_ACTIVITY_KERNEL_FORK, SD_COMPONENT_SYSTEM, SD_CAUSE_KERNEL_MEMORY},
		{SD_ACTIVITY_KERNEL_SHOOTDOWN, SD_COMPONENT_SYSTEM, SD_CAUSE_KERNEL_MEMORY},
		{SD_ACTIVITY_KERNEL_NAMES, SD_COMPONENT_SYSTEM, SD_CAUSE_KERNEL_MEMORY},
		{SD_ACTIVITY_KERNEL_DESCRIPTORS, SD_COMPONENT_SYSTEM, SD_CAUSE_KERNEL_MEMORY},
		{SD_ACTIVITY_KERNEL_FILE, SD_COMPONENT_SYSTEM, SD_CAUSE_KERNEL_MEMORY},
	};
	const struct sample one = {.wall = 8, .user = 8},
			    many = {.wall = 3, .user = 8, .system = 4};

	(void)state;
	for (size_t k = 0; k < sizeof row / sizeof *row; k++)
		for (int denied = 0; denied < 2; denied++) {
			enum sd_component component =
				denied ? SD_COMPONENT_SYSTEM : row[k].component;
			const struct sd_finding *f;
			struct sd_analysis a;
			struct sd_record r;

			two_points(&r, 4, &one, &many, 6, .005, 3);
			for (size_t i = 0; i < r.n_run; i++) {
				make_use(&r.run[i], 0, SD_ACTIVITY_USEFUL, 8);
				if (denied)
					r.run[i].sampled.kernel = SD_STATUS_DENIED;
				else if (r.run[i].point)
					make_use(&r.run[i], 0, row[k].activity, 3.9);
			}
			assert_int_equal(sd_analyse(&r, NULL, NULL, &a), 0);
			assert_near(a.point[1].stack[component].value, 4. / 3, .02);
			assert_near(stack_sum(&a.point[1]), 4, 1e-9);
			f = &a.finding[0];
			assert_int_equal(f->cause, denied ? SD_CAUSE_KERNEL_MEMORY : row[k].cause);
			if (!denied)
				assert_string_equal(sd_verdict_name[f->verdict],
					row[k].activity == SD_ACTIVITY_KERNEL_FILE ? "possible"
										   : "likely");
			/* no advice on memory where the samples speak against it */
			assert_int_equal(f->advice.n == 0,
				!denied && row[k].activity == SD_ACTIVITY_KERNEL_FILE);
			sd_analysis_free(&a);
			sd_record_free(&r);
		}
}

static void every_cause_is_there_once_whatever_was_measured(void **state)
{
	static const struct sample one = {.wall = 8, .user = 8};
	static const struct sample many = {.wall = 5, .user = 8, .idle = {[SD_IDLE_SERIAL] = 12}};

	(void)state;
	for (unsigned lack = 0; lack < 64; lack++) {
		struct sd_analysis a;
		struct sd_record r;
		unsigned seen = 0;

		two_points(&r, 4, &one, &many, 6, .01, 12);
		for (size_t j = 0; j < r.n_run; j++) {
			struct sd_value *m = r.run[j].metric;

			if (lack & 1)
				m[SD_METRIC_USER] = SD_NOT(DENIED);
			if (lack & 2)
				for (int k = 0; k < SD_IDLE_COUNT; k++)
					r.run[j].idle[k] = SD_NOT(UNSUPPORTED);
			if (lack & 4)
				m[SD_METRIC_STEAL] = SD_NOT(ABSENT);
			if (lack & 8)
				m[SD_METRIC_THROTTLED] = SD_NOT(UNSUPPORTED);
			if (lack & 16)
				m[SD_METRIC_TASK_CLOCK] = SD_OK(m[SD_METRIC_WALL].value);
			if ((lack & 32) && r.run[j].point == 0)
				m[SD_METRIC_SYSTEM] = SD_NOT(DENIED);
		}
		assert_int_equal(sd_analyse(&r, NULL, NULL, &a), 0);
		for (int i = 0; i < SD_CAUSE_COUNT; i++) {
			seen |= 1u << a.finding[i].cause;
			assert_true(a.finding[i].evidence.n > 0);
			assert_true(i == 0 || a.finding[i - 1].verdict <= a.finding[i].verdict);
		}
		assert_int_equal(seen, (1u << SD_CAUSE_COUNT) - 1);
		assert_near(stack_sum(&a.point[1]), 4, 1e-9);
		if (lack & 2)
			assert_int_equal(finding_of(&a, SD_CAUSE_SERIAL_CODE)->verdict,
				SD_VERDICT_NOT_MEASURABLE);
		sd_analysis_free(&a);
		sd_record_free(&r);
	}
}

static void one_core_count_alone_decides_nothing(void **state)
{
	static const struct sample many = {.wall = 5, .user = 8, .idle = {[SD_IDLE_SERIAL] = 12}};
	static const unsigned cores[] = {4};
	struct sd_analysis a;
	struct sd_record r;

	(void)state;
	record_make(&r, cores, 1);
	record_samples(&r, 0, &many, 8, .01, 13);
	assert_int_equal(sd_analyse(&r, NULL, NULL, &a), 0);
	assert_int_equal(a.scales, SD_SCALES_UNKNOWN);
	assert_int_equal(named(&a), 0);
	assert_near(a.point[0].stack[SD_COMPONENT_SERIAL].value, 2.4, .01);
	assert_near(stack_sum(&a.point[0]), 4, 1e-9);
	sd_analysis_free(&a);
	sd_record_free(&r);
}

static void without_any_usable_run_there_is_no_data(void **state)
{
	static const unsigned cores[] = {1, 2};
	struct sd_analysis a;
	struct sd_record r;
	unsigned seen = 0;

	(void)state;
	record_make(&r, cores, 2);
	record_run(&r, 0, 1)->code = 3;
	record_run(&r, 1, 1)->end = SD_END_SIGNALLED;
	record_run(&r, 1, 1)->kind = SD_RUN_WARMUP;
	record_run(&r, 1, NAN);
	record_run(&r, 1, -1);
	record_run(&r, 7, 1); /* a point that the plan does not have */
	assert_int_equal(sd_analyse(&r, NULL, NULL, &a), -ENODATA);
	assert_true(warned(&a, "no usable run at 1 core"));
	assert_true(warned(&a, "no usable run at 2 cores"));
	for (int i = 0; i < SD_CAUSE_COUNT; i++) {
		seen |= 1u << a.finding[i].cause;
		assert_int_equal(a.finding[i].verdict, SD_VERDICT_NOT_MEASURABLE);
	}
	assert_int_equal(seen, (1u << SD_CAUSE_COUNT) - 1);
	sd_analysis_free(&a);
	sd_record_free(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(no_cause_is_named_for_a_program_that_scales),
		cmocka_unit_test(a_measured_wait_is_likely_and_comes_first),
		cmocka_unit_test(two_causes_at_once_are_both_named_in_order),
		cmocka_unit_test(growth_of_user_time_is_undecided_between_its_causes),
		cmocka_unit_test(the_same_time_with_all_cores_busy_may_be_a_fixed_time),
		cmocka_unit_test(counts_that_stay_say_that_the_work_is_fixed),
		cmocka_unit_test(a_machine_without_numa_and_smt_rules_them_out),
		cmocka_unit_test(kernel_time_belongs_to_what_it_was_for),
		cmocka_unit_test(every_cause_is_there_once_whatever_was_measured),
		cmocka_unit_test(one_core_count_alone_decides_nothing),
		cmocka_unit_test(without_any_usable_run_there_is_no_data),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
