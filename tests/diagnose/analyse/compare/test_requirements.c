/* Requirements: what is one, and that bounds decide it. */
#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "analysis/requirement.h"

static struct sd_interval interval(double value, double low, double high)
{
	return (struct sd_interval){value, low, high, SD_STATUS_OK};
}

static void requirements_are_parsed_or_refused_with_a_reason(void **state)
{
	static const struct {
		const char *text;
		int rc;
		unsigned cores;
		double bound;
		int least;
	} row[] = {
		{"efficiency@8>=0.8", 0, 8, .8, 1},
		{"efficiency@8>=80%", 0, 8, .8, 1},
		{"efficiency@8 >= 80 %", 0, 8, .8, 1},
		{"wall<=1.5", 0, 0, 1.5, 0},
		{"wall@2 <= 1.5s", 0, 2, 1.5, 0},
		{" wall @ 2 <= 1.5 s ", 0, 2, 1.5, 0},
		{"wall<=1 5", -EINVAL, 0, 0, 0},
		{"efficiency@8>=1s", -EINVAL, 0, 0, 0},
		{"wall@2<=s", -EINVAL, 0, 0, 0},
		{"serial@2<=0.25", 0, 2, .25, 0},
		{"cpi-llc<=1", 0, 0, 1, 0},
		{"efficiency@8>0.8", -EINVAL, 0, 0, 0},
		{"efficiency@>=0.8", -EINVAL, 0, 0, 0},
		{"efficiency@0>=0.8", -EINVAL, 0, 0, 0},
		{"efficiency@8>=", -EINVAL, 0, 0, 0},
		{"efficiency@8>=%", -EINVAL, 0, 0, 0},
		{"efficiency@8>=nan", -EINVAL, 0, 0, 0},
		{"efficiency@8>=0.8x", -EINVAL, 0, 0, 0},
		{"moves@8<=1.05x", 0, 8, 1.05, 0},
		{"moves @ 8 <= 1.05 x", 0, 8, 1.05, 0},
		{"instructions<=2e9", 0, 0, 2e9, 0},
		{"moves<=x", -EINVAL, 0, 0, 0},
		{"moves<=1.05xx", -EINVAL, 0, 0, 0},
		{"efficient@8>=0.8", -EINVAL, 0, 0, 0},
		{"efficiency=0.8", -EINVAL, 0, 0, 0},
		{">=0.8", -EINVAL, 0, 0, 0},
		{"", -EINVAL, 0, 0, 0},
		{"no such-thing", -EINVAL, 0, 0, 0},
		{"no ", -EINVAL, 0, 0, 0},
	};
	struct sd_requirement g;
	char why[256];

	(void)state;
	for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
		*why = '\0';
		if (sd_requirements_parse(row[i].text, &g, why, sizeof why) != row[i].rc)
			fail_msg("%s: %s", row[i].text, why);
		if (row[i].rc) {
			assert_true(*why);
			continue;
		}
		assert_int_equal(g.cores, row[i].cores);
		assert_int_equal(g.least, row[i].least);
		assert_true(fabs(g.bound - row[i].bound) < 1e-12);
	}
	assert_int_equal(sd_requirements_parse("no serial-code", &g, why, sizeof why), 0);
	assert_int_equal(g.cause, SD_CAUSE_SERIAL_CODE);
}

static enum sd_requirement_outcome judged(const char *text, const struct sd_analysis *a)
{
	struct sd_requirement_result out;
	struct sd_requirement g;
	char why[256];

	assert_int_equal(sd_requirements_parse(text, &g, why, sizeof why), 0);
	sd_requirements_judge(&g, a, &out);
	return out.outcome;
}

static void bounds_decide_not_the_value(void **state)
{
	struct sd_point p = {.cores = 8, .n = 8, .runs = 5};
	struct sd_analysis a = {.point = &p, .n_point = 1};

	(void)state;
	p.wall = interval(2, 1.9, 2.2);
	assert_int_equal(judged("wall@8<=2.2", &a), SD_REQUIREMENT_MET);
	assert_int_equal(judged("wall@8<=2.1", &a), SD_REQUIREMENT_UNDECIDED);
	assert_int_equal(judged("wall@8<=1.8", &a), SD_REQUIREMENT_VIOLATED);
	assert_int_equal(judged("wall@8>=1.9", &a), SD_REQUIREMENT_MET);
	assert_int_equal(judged("wall@8>=2", &a), SD_REQUIREMENT_UNDECIDED);
	assert_int_equal(judged("wall@8>=2.3", &a), SD_REQUIREMENT_VIOLATED);
	assert_int_equal(judged("wall@4<=9", &a), SD_REQUIREMENT_UNDECIDED);
	assert_int_equal(judged("cpi-llc<=9", &a), SD_REQUIREMENT_UNDECIDED);
	p.wall = sd_status_unbounded(2, SD_STATUS_OK);
	assert_int_equal(judged("wall@8<=9", &a), SD_REQUIREMENT_UNDECIDED);
}

static void causes_are_judged_by_their_verdict(void **state)
{
	static const enum sd_requirement_outcome expected[SD_VERDICT_COUNT] = {
		[SD_VERDICT_CONFIRMED] = SD_REQUIREMENT_VIOLATED,
		[SD_VERDICT_LIKELY] = SD_REQUIREMENT_VIOLATED,
		[SD_VERDICT_POSSIBLE] = SD_REQUIREMENT_UNDECIDED,
		[SD_VERDICT_NOT_MEASURABLE] = SD_REQUIREMENT_UNDECIDED,
		[SD_VERDICT_RULED_OUT] = SD_REQUIREMENT_MET,
	};
	struct sd_point p = {.cores = 8, .n = 8, .runs = 5};
	struct sd_analysis a = {.point = &p, .n_point = 1};

	(void)state;
	for (int i = 0; i < SD_CAUSE_COUNT; i++)
		a.finding[i].cause = (enum sd_cause)i;
	for (int v = 0; v < SD_VERDICT_COUNT; v++) {
		a.finding[SD_CAUSE_DTLB].verdict = (enum sd_verdict)v;
		assert_int_equal(judged("no dtlb", &a), expected[v]);
	}
	a.n_point = 0;
	assert_int_equal(judged("no dtlb", &a), SD_REQUIREMENT_UNDECIDED);
	assert_int_equal(judged("scales", &a), SD_REQUIREMENT_UNDECIDED);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(requirements_are_parsed_or_refused_with_a_reason),
		cmocka_unit_test(bounds_decide_not_the_value),
		cmocka_unit_test(causes_are_judged_by_their_verdict),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
