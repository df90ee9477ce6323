/* Counted work: what repeats decides a gate, what does not is undecided with its spread, and one
 * count decides nothing. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "analysis/counted_work.h"

#define RUNS 5

/* A record of one core count, simulated with these counts of moves each; nothing is owned. */
struct counted {
	struct sd_record r;
	struct sd_plan_point point;
	struct sd_run run[RUNS];
	struct sd_role_count role[RUNS][2];
	struct sd_simulated whole;
};

static void make(struct counted *c, size_t n, const double *moves)
{
	memset(c, 0, sizeof *c);
	c->point.cores = 8;
	c->r.plan.point = &c->point;
	c->r.plan.n_point = 1;
	c->r.run = c->run;
	c->r.n_run = n;
	for (size_t i = 0; i < n; i++) {
		for (int k = 0; k < 2; k++)
			c->role[i][k] = (struct sd_role_count){
				.role = k ? SD_ROLE_HITM_STORE : SD_ROLE_HITM_LOAD,
				.value = {k ? moves[i] - 1 : 1, SD_STATUS_OK},
				.running = 1};
		c->run[i] = (struct sd_run){.kind = SD_RUN_SIMULATED,
			.role = c->role[i],
			.n_role = 2,
			.simulated = &c->whole};
	}
}

static struct sd_requirement_result judged(
	const char *text, const struct counted *now, const struct counted *before)
{
	static struct sd_requirement g;
	struct sd_requirement_result out;
	char why[256];

	assert_int_equal(sd_requirements_parse(text, &g, why, sizeof why), 0);
	assert_int_equal(g.kind, SD_REQUIREMENT_COUNT);
	assert_int_equal(sd_counted_work_judge(&g, &now->r, before ? &before->r : NULL, &out), 0);
	return out;
}

static void counts_that_repeat_decide_closely(void **state)
{
	static const double base[] = {1000, 1001, 1000, 1002, 1001},
			    more[] = {1100, 1101, 1100, 1102, 1101}, none[RUNS] = {0};
	struct counted a, b, zero;
	struct sd_requirement_result x;

	(void)state;
	make(&a, RUNS, base);
	make(&b, RUNS, more);
	make(&zero, RUNS, none);
	assert_int_equal(judged("moves@8<=1.05x", &a, &a).outcome, SD_REQUIREMENT_MET);
	x = judged("moves@8<=1.05x", &b, &a);
	assert_int_equal(x.outcome, SD_REQUIREMENT_VIOLATED);
	assert_true(fabs(x.seen.value - 1.1) < .001);
	assert_non_null(strstr(x.why, "5 simulated runs"));
	assert_int_equal(judged("moves <= 1.2 x", &b, &a).outcome, SD_REQUIREMENT_MET);
	assert_int_equal(judged("moves>=1.05x", &b, &a).outcome, SD_REQUIREMENT_MET);
	assert_int_equal(judged("moves@8<=1002", &a, NULL).outcome, SD_REQUIREMENT_MET);
	assert_int_equal(judged("moves@8<=900", &a, NULL).outcome, SD_REQUIREMENT_VIOLATED);
	/* none before: as many now, or infinitely more */
	assert_int_equal(judged("moves<=1.05x", &zero, &zero).outcome, SD_REQUIREMENT_MET);
	x = judged("moves<=1.05x", &a, &zero);
	assert_int_equal(x.outcome, SD_REQUIREMENT_VIOLATED);
	assert_int_equal(x.seen.status, SD_STATUS_ABSENT);
}

static void counts_that_do_not_repeat_are_undecided_with_their_spread(void **state)
{
	static const double wild[] = {1000, 1400, 800, 1700, 1100};
	struct sd_requirement_result x;
	struct counted a;

	(void)state;
	make(&a, RUNS, wild);
	x = judged("moves@8<=1.05x", &a, &a);
	assert_int_equal(x.outcome, SD_REQUIREMENT_UNDECIDED);
	assert_non_null(strstr(x.why, "spread 82 %"));
}

static void what_was_counted_once_in_part_or_not_at_all_decides_nothing(void **state)
{
	static const double count[] = {10, 10, 10, 10, 10};
	struct counted one, all, part;

	(void)state;
	make(&one, 1, count);
	make(&all, RUNS, count);
	make(&part, RUNS, count);
	part.whole.partial = 1;
	assert_int_equal(judged("moves@8<=100", &one, NULL).outcome, SD_REQUIREMENT_UNDECIDED);
	assert_non_null(strstr(judged("moves@8<=100", &one, NULL).why, "--sim repeats"));
	assert_int_equal(judged("moves@8<=1.05x", &all, &one).outcome, SD_REQUIREMENT_UNDECIDED);
	assert_int_equal(judged("moves@8<=1.05x", &all, NULL).outcome, SD_REQUIREMENT_UNDECIDED);
	assert_int_equal(judged("moves@8<=100", &part, NULL).outcome, SD_REQUIREMENT_UNDECIDED);
	assert_int_equal(judged("moves@4<=100", &all, NULL).outcome, SD_REQUIREMENT_UNDECIDED);
	assert_int_equal(judged("locked@8<=100", &all, NULL).outcome, SD_REQUIREMENT_UNDECIDED);
	all.role[2][0].running = .5; /* a run that counted half the time is none */
	assert_non_null(strstr(judged("moves@8<=100", &all, NULL).why, "4 simulated runs"));
}

/* Instructions by the role, and by the metric that is made of it. */
static void count_instructions(struct counted *c, double value, double running)
{
	const enum sd_status status = running < 1 ? SD_STATUS_MULTIPLEXED : SD_STATUS_OK;

	for (size_t i = 0; i < c->r.n_run; i++) {
		c->role[i][0] = (struct sd_role_count){.role = SD_ROLE_INSTRUCTIONS,
			.value = {value * running, status},
			.running = running};
		c->run[i] = (struct sd_run){.kind = SD_RUN_BLOCK, .role = c->role[i], .n_role = 1};
		c->run[i].metric[SD_METRIC_INSTRUCTIONS] = (struct sd_value){value, status};
	}
}

static void a_multiplexed_count_is_an_estimate_by_its_metric_too(void **state)
{
	static const double moves[RUNS] = {1, 1, 1, 1, 1};
	struct sd_requirement_result x;
	struct counted c;

	(void)state;
	make(&c, RUNS, moves);
	count_instructions(&c, 1e9, .5);
	x = judged("instructions@8<=2e9", &c, NULL);
	assert_int_equal(x.outcome, SD_REQUIREMENT_UNDECIDED);
	assert_non_null(strstr(x.why, "not counted here"));
	/* nothing took turns: the ratio was rounded */
	count_instructions(&c, 1e9, .99999);
	x = judged("instructions@8<=2e9", &c, NULL);
	assert_int_equal(x.outcome, SD_REQUIREMENT_MET);
	assert_true(fabs(x.seen.value - 1e9) < 1);
	count_instructions(&c, 1e9, 1);
	for (size_t i = 0; i < RUNS; i++) /* the metric alone */
		c.run[i].n_role = 0;
	assert_int_equal(judged("instructions@8<=2e9", &c, NULL).outcome, SD_REQUIREMENT_MET);
}

/* By the kernel's count of timed runs where the software PMU has none; without either it says how.
 */
static void system_calls_are_gated_by_the_kernels_count(void **state)
{
	static const double moves[RUNS] = {1, 1, 1, 1, 1};
	struct sd_requirement_result x;
	struct counted a, b;

	(void)state;
	make(&a, RUNS, moves);
	make(&b, RUNS, moves);
	x = judged("system-calls@8<=1.05x", &b, &a);
	assert_int_equal(x.outcome, SD_REQUIREMENT_UNDECIDED);
	assert_non_null(strstr(x.why, "--system-calls"));
	for (size_t i = 0; i < RUNS; i++) {
		a.run[i].kind = b.run[i].kind = SD_RUN_BLOCK;
		a.run[i].metric[SD_METRIC_SYSTEM_CALLS] = SD_OK(1000);
		b.run[i].metric[SD_METRIC_SYSTEM_CALLS] = SD_OK(1100);
	}
	x = judged("system-calls@8<=1.05x", &b, &a);
	assert_int_equal(x.outcome, SD_REQUIREMENT_VIOLATED);
	assert_non_null(strstr(x.why, "5 timed runs"));
	assert_int_equal(judged("system-calls@8<=1.15x", &b, &a).outcome, SD_REQUIREMENT_MET);
	/* what the kernel refused is no count of none */
	for (size_t i = 0; i < RUNS; i++)
		b.run[i].metric[SD_METRIC_SYSTEM_CALLS] = SD_NOT(DENIED);
	assert_int_equal(judged("system-calls@8<=1.05x", &b, &a).outcome, SD_REQUIREMENT_UNDECIDED);
}

static void runs_most_of_which_counted_none_have_no_spread_in_percent(void **state)
{
	static const double few[RUNS] = {0, 0, 0, 0, 5};
	struct sd_requirement_result x;
	struct counted c;

	(void)state;
	make(&c, RUNS, few);
	x = judged("moves@8<=2", &c, NULL);
	assert_int_equal(x.outcome, SD_REQUIREMENT_UNDECIDED);
	assert_null(strstr(x.why, "inf"));
	assert_non_null(strstr(x.why, "most of which counted none"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(counts_that_repeat_decide_closely),
		cmocka_unit_test(counts_that_do_not_repeat_are_undecided_with_their_spread),
		cmocka_unit_test(what_was_counted_once_in_part_or_not_at_all_decides_nothing),
		cmocka_unit_test(a_multiplexed_count_is_an_estimate_by_its_metric_too),
		cmocka_unit_test(system_calls_are_gated_by_the_kernels_count),
		cmocka_unit_test(runs_most_of_which_counted_none_have_no_spread_in_percent),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
