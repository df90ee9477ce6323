/* Before and after: the rule for intervals, what moved, what became of causes; and a baseline. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "support/analyse_record.h"
#include "analysis/comparison.h"
#include "analysis/requirement.h"

static struct sd_interval interval(double value, double low, double high)
{
	return (struct sd_interval){value, low, high, SD_STATUS_OK};
}

/* By hand: 5 - 3 = 2; low 2 - hypot(5 - 2, 7 - 3) = -3; high 2 + hypot(8 - 5, 3 - -1) = 7. */
static void a_difference_follows_the_mover_rule(void **state)
{
	const struct sd_interval d = sd_compare_difference(interval(5, 2, 8), interval(3, -1, 7));

	(void)state;
	assert_true(fabs(d.value - 2) < 1e-12);
	assert_true(fabs(d.low + 3) < 1e-12);
	assert_true(fabs(d.high - 7) < 1e-12);
}

static void a_ratio_of_exact_numbers_is_exact(void **state)
{
	const struct sd_interval r = sd_compare_ratio(interval(6, 6, 6), interval(4, 4, 4));

	(void)state;
	assert_true(fabs(r.value - 1.5) < 1e-12);
	assert_true(fabs(r.low - 1.5) < 1e-12 && fabs(r.high - 1.5) < 1e-12);
}

static void what_was_not_measured_has_no_difference(void **state)
{
	const struct sd_interval nothing = {.status = SD_STATUS_DENIED};

	(void)state;
	assert_int_equal(
		sd_compare_difference(nothing, interval(1, 1, 1)).status, SD_STATUS_ABSENT);
	assert_int_equal(sd_compare_ratio(interval(1, 1, 1), nothing).status, SD_STATUS_ABSENT);
	assert_int_equal(
		sd_compare_ratio(interval(1, 0, 1), interval(1, 1, 1)).status, SD_STATUS_ABSENT);
}

/* Half of the time of one core serial: 1 s on one core, .75 s on two, half a second one idle. */
static const struct sample one = {.wall = 1, .user = 1};
static const struct sample half_serial = {.wall = .75, .user = 1, .idle[SD_IDLE_SERIAL] = .5};
static const struct sample fixed = {.wall = .5, .user = 1};

static void fill(struct sd_record *r, const struct sample *two)
{
	static const unsigned cores[] = {1, 2};
	static const double noise[] = {.998, 1.001, 1, .999, 1.002, 1.0005, .9995, 1, 1.001, .999};

	record_make(r, cores, 2);
	for (size_t i = 0; i < sizeof noise / sizeof *noise; i++) {
		record_sample(r, 0, &one, noise[i]);
		record_sample(r, 1, two, noise[(i + 3) % 10]);
	}
}

struct two {
	struct sd_record r[2];
	struct sd_analysis a[2];
	struct sd_comparison c;
};

static int compare(struct two *t, const struct sample *before, const struct sample *after)
{
	*t = (struct two){0};
	fill(&t->r[0], before);
	fill(&t->r[1], after);
	assert_int_equal(sd_analyse(&t->r[0], NULL, NULL, &t->a[0]), 0);
	assert_int_equal(sd_analyse(&t->r[1], NULL, NULL, &t->a[1]), 0);
	return sd_compare(&t->r[0], &t->a[0], &t->r[1], &t->a[1], &t->c);
}

static void release(struct two *t)
{
	sd_comparison_free(&t->c);
	for (int i = 0; i < 2; i++) {
		sd_analysis_free(&t->a[i]);
		sd_record_free(&t->r[i]);
	}
}

static const struct sd_compared_part *part_of(
	const struct sd_compared_point *p, enum sd_component component)
{
	for (size_t i = 0; i < p->n_part; i++)
		if (p->part[i].component == component)
			return &p->part[i];
	fail_msg("no %s", sd_component_info[component].name);
	return NULL;
}

static void a_fix_is_seen_in_time_stack_and_cause(void **state)
{
	struct two t;
	const struct sd_compared_part *serial;

	(void)state;
	assert_int_equal(compare(&t, &half_serial, &fixed), 0);
	assert_int_equal(t.c.n_point, 2);
	assert_int_equal(t.c.point[0].time, SD_CHANGE_NOISE);
	assert_int_equal(t.c.verdict, SD_CHANGE_LESS);
	assert_true(fabs(t.c.point[1].gain.value - 1.5) < .01);
	assert_true(t.c.point[1].gain.low > 1.4 && t.c.point[1].gain.high < 1.6);
	serial = part_of(&t.c.point[1], SD_COMPONENT_SERIAL);
	assert_int_equal(serial->change, SD_CHANGE_LESS);
	assert_true(fabs(serial->difference.value + .5) < .01);
	assert_int_equal(t.c.cause[SD_CAUSE_SERIAL_CODE].fate, SD_FATE_WENT);
	assert_int_equal(t.c.cause[SD_CAUSE_LOCK_CONTENTION].fate, SD_FATE_NEVER);
	release(&t);
}

static void the_other_way_round_the_cause_came(void **state)
{
	struct two t;

	(void)state;
	assert_int_equal(compare(&t, &fixed, &half_serial), 0);
	assert_int_equal(t.c.verdict, SD_CHANGE_MORE);
	assert_int_equal(t.c.cause[SD_CAUSE_SERIAL_CODE].fate, SD_FATE_CAME);
	release(&t);
}

static void what_is_at_most_half_of_before_is_less(void **state)
{
	static const struct sample little = {.wall = .55, .user = 1, .idle[SD_IDLE_SERIAL] = .1},
				   most = {.wall = .65, .user = 1, .idle[SD_IDLE_SERIAL] = .3};
	struct two t;
	const struct sd_compared_cause *const serial = &t.c.cause[SD_CAUSE_SERIAL_CODE];

	(void)state;
	assert_int_equal(compare(&t, &half_serial, &little), 0);
	assert_int_equal(serial->fate, SD_FATE_SHRANK);
	assert_true(serial->most_after < serial->cores_before.low / 2);
	/* of a cause that was never sure nothing shrinks */
	assert_int_not_equal(t.c.cause[SD_CAUSE_LOCK_CONTENTION].fate, SD_FATE_SHRANK);
	release(&t);
	assert_int_equal(compare(&t, &half_serial, &most), 0);
	assert_int_equal(serial->fate, SD_FATE_STAYED);
	release(&t);
}

static void the_same_again_is_noise(void **state)
{
	struct two t;

	(void)state;
	assert_int_equal(compare(&t, &half_serial, &half_serial), 0);
	assert_int_equal(t.c.verdict, SD_CHANGE_NOISE);
	for (size_t i = 0; i < t.c.point[1].n_part; i++)
		assert_int_equal(t.c.point[1].part[i].change, SD_CHANGE_NOISE);
	assert_int_equal(t.c.cause[SD_CAUSE_SERIAL_CODE].fate, SD_FATE_STAYED);
	assert_int_equal(t.c.warnings.n, 0);
	release(&t);
}

/* A service is looked at for as long before and after: what differs is what it got done. */
static void throughputs_are_compared_by_the_work_done(void **state)
{
	static const double done[2] = {100, 250};
	struct two t = {0};

	(void)state;
	for (int v = 0; v < 2; v++) {
		fill(&t.r[v], &one);
		t.r[v].program.rate = strdup("requests");
		for (size_t i = 0; i < t.r[v].n_run; i++)
			t.r[v].run[i].metric[SD_METRIC_RATE] = (struct sd_value){
				done[v] * (1 + .001 * (double)(i % 5)), SD_STATUS_OK};
		assert_int_equal(sd_analyse(&t.r[v], NULL, NULL, &t.a[v]), 0);
	}
	assert_int_equal(sd_compare(&t.r[0], &t.a[0], &t.r[1], &t.a[1], &t.c), 0);
	assert_true(t.c.work > 0);
	for (size_t i = 0; i < t.c.n_point; i++) {
		assert_int_equal(t.c.point[i].time, SD_CHANGE_LESS);
		assert_true(fabs(t.c.point[i].gain.value - 2.5) < .02);
		assert_true(t.c.point[i].gain.low > 2.4 && t.c.point[i].gain.high < 2.6);
		assert_true(fabs(t.c.point[i].wall_before.value / t.c.point[i].wall_after.value -
				    2.5) < .02);
	}
	sd_comparison_free(&t.c);

	/* each count by its own: what the second gains is not seen at the first */
	for (size_t i = 0; i < t.r[1].n_run; i++)
		if (t.r[1].run[i].point == 1)
			t.r[1].run[i].metric[SD_METRIC_RATE].value *= 2;
	sd_analysis_free(&t.a[1]);
	assert_int_equal(sd_analyse(&t.r[1], NULL, NULL, &t.a[1]), 0);
	assert_int_equal(sd_compare(&t.r[0], &t.a[0], &t.r[1], &t.a[1], &t.c), 0);
	assert_true(fabs(t.c.point[0].gain.value - 2.5) < .02);
	assert_true(fabs(t.c.point[1].gain.value - 5) < .04);
	assert_true(t.c.point[1].gain.low > 4.8 && t.c.point[1].gain.high < 5.2);
	sd_comparison_free(&t.c);

	/* a throughput and a time have nothing to compare */
	t.a[1].work = 0;
	assert_int_equal(sd_compare(&t.r[0], &t.a[0], &t.r[1], &t.a[1], &t.c), 0);
	assert_true(t.c.work == 0);
	assert_int_equal(t.c.warnings.n, 1);
	release(&t);
}

static void another_machine_is_said(void **state)
{
	struct two t;

	(void)state;
	assert_int_equal(compare(&t, &fixed, &fixed), 0);
	sd_comparison_free(&t.c);
	strcpy(t.r[1].host.name, "elsewhere");
	assert_int_equal(sd_compare(&t.r[0], &t.a[0], &t.r[1], &t.a[1], &t.c), 0);
	assert_int_equal(t.c.warnings.n, 1);
	assert_non_null(strstr(t.c.warnings.text[0], "elsewhere"));
	release(&t);
}

/* A version elsewhere is what one compares; other arguments are another amount of work. */
static void other_arguments_and_another_program_are_said(void **state)
{
	static const char *const words[][2] = {
		{"./app", "{n}"}, {"/old/app", "{n}"}, {"./app", "8"}, {"./pigz", "{n}"}};
	static const char *const said[] = {NULL, NULL, "arguments differ", "different programs"};

	(void)state;
	for (size_t i = 1; i < 4; i++) {
		struct two t;

		assert_int_equal(compare(&t, &fixed, &fixed), 0);
		sd_comparison_free(&t.c);
		for (size_t word = 0; word < 2; word++) {
			sd_texts_add(&t.r[0].program.argv, "%s", words[0][word]);
			sd_texts_add(&t.r[1].program.argv, "%s", words[i][word]);
		}
		assert_int_equal(sd_compare(&t.r[0], &t.a[0], &t.r[1], &t.a[1], &t.c), 0);
		assert_int_equal(t.c.warnings.n, said[i] != NULL);
		if (said[i])
			assert_non_null(strstr(t.c.warnings.text[0], said[i]));
		release(&t);
	}
}

static void nothing_in_common_is_an_error(void **state)
{
	struct two t;

	(void)state;
	assert_int_equal(compare(&t, &fixed, &fixed), 0);
	sd_comparison_free(&t.c);
	t.a[1].point[0].cores = 3;
	t.a[1].point[1].cores = 5;
	assert_int_equal(sd_compare(&t.r[0], &t.a[0], &t.r[1], &t.a[1], &t.c), -ENODATA);
	release(&t);
}

/* ---- requirements ---------------------------------------------------------------------------- */

static void a_baseline_is_judged_on_the_slowdown(void **state)
{
	struct two t;
	struct sd_requirement g;
	struct sd_requirement_result out;

	(void)state;
	assert_int_equal(compare(&t, &fixed, &half_serial), 0);
	sd_requirements_baseline(&t.c.point[0], .03, &g, &out);
	assert_int_equal(out.outcome, SD_REQUIREMENT_MET);
	sd_requirements_baseline(&t.c.point[1], .03, &g, &out);
	assert_int_equal(out.outcome, SD_REQUIREMENT_VIOLATED);
	sd_requirements_baseline(&t.c.point[1], .6, &g, &out);
	assert_int_equal(out.outcome, SD_REQUIREMENT_MET);
	sd_requirements_baseline(&t.c.point[1], .5, &g, &out);
	assert_int_equal(out.outcome, SD_REQUIREMENT_UNDECIDED);
	release(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_difference_follows_the_mover_rule),
		cmocka_unit_test(a_ratio_of_exact_numbers_is_exact),
		cmocka_unit_test(what_was_not_measured_has_no_difference),
		cmocka_unit_test(a_fix_is_seen_in_time_stack_and_cause),
		cmocka_unit_test(the_other_way_round_the_cause_came),
		cmocka_unit_test(what_is_at_most_half_of_before_is_less),
		cmocka_unit_test(the_same_again_is_noise),
		cmocka_unit_test(throughputs_are_compared_by_the_work_done),
		cmocka_unit_test(another_machine_is_said),
		cmocka_unit_test(other_arguments_and_another_program_are_said),
		cmocka_unit_test(nothing_in_common_is_an_error),
		cmocka_unit_test(a_baseline_is_judged_on_the_slowdown),
	};

	return cmocka_run_group_tests_name("compare", tests, NULL, NULL);
}
