/*
 * Simulations of a part, of processes, of another machine: how much they may say.
 */
#include "diagnose/analyse/simulated/simulated_record.h"
#include "analysis/contested_lines.h"
#include "simulated/line_words.h"

static void a_partial_simulation_rules_nothing_out_and_names_nothing_likely(void **state)
{
	struct sd_record r;
	struct sd_analysis a;
	struct sd_simulated *one, *eight;

	(void)state;
	make(&r, &one, &eight);
	set_hitm(eight, 50e6);
	make_false_line(&r, eight, 50e6);
	eight->partial = 1;
	snprintf(eight->why, sizeof eight->why, "it was killed");
	analyse(&r, &a);
	assert_int_equal(finding_of(&a, SD_CAUSE_FALSE_SHARING)->verdict, SD_VERDICT_POSSIBLE);
	assert_int_equal(finding_of(&a, SD_CAUSE_DTLB)->verdict, SD_VERDICT_POSSIBLE);
	assert_true(says(finding_of(&a, SD_CAUSE_DTLB), "only a part"));
	done(&r, &a);
}

/* A longer run of the model would see no more of them. */
static void of_several_processes_no_more_can_be_simulated(void **state)
{
	struct sd_record r;
	struct sd_analysis a;
	struct sd_simulated *one, *eight;
	int longer[2] = {0};

	(void)state;
	for (size_t k = 0; k < 2; k++) {
		const char *next;

		make(&r, &one, &eight);
		eight->partial = 1;
		eight->processes = k + 1;
		analyse(&r, &a);
		next = finding_of(&a, SD_CAUSE_EXTRA_WORK)->next;
		longer[k] = next && strstr(next, "simulates all of it") != NULL;
		done(&r, &a);
	}
	assert_true(longer[0]);
	assert_false(longer[1]);
}

/* The moves that were seen are there, whatever the rest of the program does. */
static void half_of_the_growth_in_a_part_is_enough(void **state)
{
	(void)state;
	for (int few = 0; few < 2; few++) {
		struct sd_record r;
		struct sd_analysis a;
		struct sd_simulated *one, *eight;

		make(&r, &one, &eight);
		set_hitm(eight, few ? 5e6 : 5e9);
		make_false_line(&r, eight, few ? 5e6 : 5e9);
		one->partial = eight->partial = 1;
		analyse(&r, &a);
		assert_int_equal(finding_of(&a, SD_CAUSE_FALSE_SHARING)->verdict,
			few ? SD_VERDICT_POSSIBLE : SD_VERDICT_LIKELY);
		/* what one surely has is not left for the other */
		assert_int_equal(finding_of(&a, SD_CAUSE_TRUE_SHARING)->verdict,
			few ? SD_VERDICT_POSSIBLE : SD_VERDICT_RULED_OUT);
		done(&r, &a);
	}
}

/* Nobody knows which parts of the work two runs are that were both ended early. */
static void parts_of_unknown_size_are_not_subtracted_from_each_other(void **state)
{
	struct sd_record r;
	struct sd_analysis a;
	struct sd_simulated *one, *eight;
	const struct sd_finding *f;

	(void)state;
	make(&r, &one, &eight);
	for (size_t i = 0; i < EIGHT; i++) {
		eight->thread[i].stlb_misses = 30e6;
		eight->thread[i].lines_in = 10e6;
	}
	one->partial = eight->partial = 1;
	analyse(&r, &a);
	f = finding_of(&a, SD_CAUSE_DTLB);
	assert_int_equal(f->verdict, SD_VERDICT_POSSIBLE);
	assert_int_not_equal(f->cores.status, SD_STATUS_OK);
	assert_true(says(f, "page walks") && !says(f, "cores, if nothing"));
	/* nor are a part's lines the traffic of the whole time */
	f = finding_of(&a, SD_CAUSE_MEMORY_BANDWIDTH);
	assert_int_equal(f->verdict, SD_VERDICT_POSSIBLE);
	assert_true(says(f, "lines to and from memory") && !says(f, "GB/s"));
	done(&r, &a);
}

/* Moves that the reference has as well are none of the growth, and of a part of it not known. */
static void a_part_of_a_reference_with_moves_of_its_own_is_not_enough(void **state)
{
	(void)state;
	for (int cores = 1; cores < 3; cores++) {
		struct sd_record r;
		struct sd_analysis a;
		struct sd_simulated *one, *eight;

		make(&r, &one, &eight);
		/* as much work on two cores, in half the time */
		r.plan.point[0].cores = (unsigned)cores;
		for (size_t i = 0; i < r.n_run; i++)
			if (r.run[i].point == 0)
				r.run[i].metric[SD_METRIC_WALL].value /= cores;
		set_hitm(eight, 5e9);
		make_false_line(&r, eight, 5e9);
		one->partial = eight->partial = 1;
		analyse(&r, &a);
		assert_int_equal(finding_of(&a, SD_CAUSE_FALSE_SHARING)->verdict,
			cores > 1 ? SD_VERDICT_POSSIBLE : SD_VERDICT_LIKELY);
		done(&r, &a);
	}
}

/* Nobody knows all of the work, but it is at least what was simulated of the reference: a part of
 * the last point that is a tenth of that at most stands for ten times as much. */
static void work_is_at_least_what_was_simulated_of_the_reference(void **state)
{
	double cores[2];

	(void)state;
	for (int more = 0; more < 2; more++) {
		struct sd_record r;
		struct sd_analysis a;
		struct sd_simulated *one, *eight;
		const struct sd_finding *f;
		double all = 0;

		make(&r, &one, &eight);
		/* 2.4 of the four cores that the growth takes, in the part alone */
		set_hitm(eight, 60e6);
		make_false_line(&r, eight, 60e6);
		for (size_t i = 0; i < EIGHT; i++)
			all += eight->thread[i].instructions;
		one->thread[0].instructions = more ? 10 * all : all;
		one->partial = eight->partial = 1;
		analyse(&r, &a);
		f = finding_of(&a, SD_CAUSE_FALSE_SHARING);
		assert_int_equal(f->verdict, SD_VERDICT_LIKELY);
		assert_int_equal(says(f, "at most 10.0 % of the program"), more);
		cores[more] = f->cores.value;
		done(&r, &a);
	}
	assert_near(cores[0], 2.4, .1);
	assert_near(cores[1], 4, .1);
}

/* A tenth of the work with a tenth of the moves is worth what all of both are. */
static void counts_of_a_part_stand_for_the_whole_when_the_reference_is_whole(void **state)
{
	double cores[2];

	(void)state;
	for (int part = 0; part < 2; part++) {
		struct sd_record r;
		struct sd_analysis a;
		struct sd_simulated *one, *eight;
		const struct sd_finding *f;

		make(&r, &one, &eight);
		set_hitm(eight, part ? 2e6 : 20e6);
		make_false_line(&r, eight, part ? 2e6 : 20e6);
		for (size_t i = 0; part && i < EIGHT; i++)
			eight->thread[i].instructions /= 10;
		eight->partial = part;
		analyse(&r, &a);
		f = finding_of(&a, SD_CAUSE_FALSE_SHARING);
		cores[part] = f->cores.value;
		assert_int_equal(f->verdict, part ? SD_VERDICT_POSSIBLE : SD_VERDICT_LIKELY);
		assert_int_equal(says(f, "only 10.0 % of the program"), part);
		f = finding_of(&a, SD_CAUSE_EXTRA_WORK);
		assert_int_equal(f->verdict == SD_VERDICT_RULED_OUT, !part);
		done(&r, &a);
	}
	assert_true(cores[0] > 0);
	assert_near(cores[1], cores[0], .01 * cores[0]);
}

static void another_machine_than_this_names_nothing_likely(void **state)
{
	struct sd_record r;
	struct sd_analysis a;
	struct sd_simulated *one, *eight;

	(void)state;
	make(&r, &one, &eight);
	set_hitm(eight, 50e6);
	make_false_line(&r, eight, 50e6);
	snprintf(eight->machine.name, sizeof eight->machine.name, "core2-quad");
	analyse(&r, &a);
	assert_int_equal(finding_of(&a, SD_CAUSE_FALSE_SHARING)->verdict, SD_VERDICT_POSSIBLE);
	done(&r, &a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(half_of_the_growth_in_a_part_is_enough),
		cmocka_unit_test(work_is_at_least_what_was_simulated_of_the_reference),
		cmocka_unit_test(parts_of_unknown_size_are_not_subtracted_from_each_other),
		cmocka_unit_test(a_part_of_a_reference_with_moves_of_its_own_is_not_enough),
		cmocka_unit_test(counts_of_a_part_stand_for_the_whole_when_the_reference_is_whole),
		cmocka_unit_test(a_partial_simulation_rules_nothing_out_and_names_nothing_likely),
		cmocka_unit_test(of_several_processes_no_more_can_be_simulated),
		cmocka_unit_test(another_machine_than_this_names_nothing_likely),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
