/*
 * When `run` asks what this node can do: last, once, and only where causes are open by then.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "support/analyse_record.h"
#include "run/experiment_plan.h"

static const unsigned counts[] = {1, 2};
static const struct sample one = {.wall = 4, .user = 4}, slow = {.wall = 3.2, .user = 6.4},
			   good = {.wall = 2, .user = 4};

struct asked {
	int times, rc;
};

static int calibrate(void *ctx)
{
	struct asked *const a = ctx;

	a->times++;
	return a->rc;
}

/* A run under the software PMU, whose counts a calibration says the cost of. */
static void simulate(struct sd_record *r, size_t point)
{
	struct sd_run *const run = record_sample(r, point, &one, 1);

	run->kind = SD_RUN_SIMULATED;
	run->simulated = calloc(1, sizeof *run->simulated);
	assert_non_null(run->simulated);
}

/* One experiment, and it cannot be done. */
static void fill(struct sd_record *r, const struct sample *at_two, size_t runs)
{
	record_make(r, counts, 2);
	record_samples(r, 0, &one, runs, .002, 1);
	record_samples(r, 1, at_two, runs, .002, 2);
	simulate(r, 0);
	simulate(r, 1);
	r->plan.experiment = calloc(1, sizeof *r->plan.experiment);
	assert_non_null(r->plan.experiment);
	r->plan.n_experiment = 1;
	r->plan.experiment[0].skipped = strdup("not here");
}

static enum sd_step_kind kind_after(size_t runs, unsigned repeats)
{
	struct sd_experiment_plan x = {.calibrate = NULL};
	struct sd_record r;
	struct sd_step step;

	fill(&r, &good, runs);
	r.plan.min_repeats = repeats;
	assert_int_equal(sd_experiment_plan_choose(&x, &r, &step), 0);
	sd_record_free(&r);
	return step.kind;
}

/* More runs would not change an answer that is known; a number that was asked for is made. */
static void no_run_is_due_once_the_answer_is_known(void **state)
{
	(void)state;
	assert_int_equal(kind_after(4, 0), SD_STEP_END);
	assert_int_equal(kind_after(5, 0), SD_STEP_ENOUGH);
	assert_int_equal(kind_after(5, 10), SD_STEP_END);
}

/* Windows of a program that is only looked at, `cv` apart: half of its two CPUs compute. */
static struct sd_step look_at(size_t windows, double cv)
{
	static const unsigned two[] = {2};
	static const struct sample s = {.wall = 2, .user = 2};
	struct sd_experiment_plan x = {.calibrate = NULL};
	struct sd_record r;
	struct sd_step step;

	record_make(&r, two, 1);
	r.program.attached = strdup("process 1");
	for (size_t i = 0; i < windows; i++)
		record_sample(&r, 0, &s, 1)->metric[SD_METRIC_USER] =
			SD_OK(2 * (1 + cv * ((double)(i % 3) - 1)));
	assert_int_equal(sd_experiment_plan_choose(&x, &r, &step), 0);
	sd_record_free(&r);
	return step;
}

/* The windows of a look are chosen as runs are: until they agree on where the CPUs go. */
static void a_look_ends_when_its_windows_agree(void **state)
{
	const struct sd_step early = look_at(4, .3);

	(void)state;
	assert_int_equal(look_at(2, .001).kind, SD_STEP_RUNS);
	assert_int_equal(look_at(3, .001).kind, SD_STEP_ENOUGH);
	assert_int_equal(early.kind, SD_STEP_RUNS);
	assert_true(early.expects.narrows > 0 && early.expects.takes > 1.9);
	assert_int_equal(look_at(40, .05).kind, SD_STEP_ENOUGH);
}

/* Three windows a count, whose rates say that it does not scale. */
static void windows_at_several_counts_end_with_the_verdict(void **state)
{
	struct sd_experiment_plan x = {.calibrate = NULL};

	(void)state;
	for (int attached = 0; attached < 2; attached++) {
		struct sd_record r;
		struct sd_step step;

		record_make(&r, counts, 2);
		r.program.attached = attached ? strdup("process 1") : NULL;
		for (size_t i = 0; i < 6; i++) {
			static const struct sample s = {.wall = 2, .user = 2};
			const size_t point = i % 2;

			r.program.rate = r.program.rate ? r.program.rate : strdup("x");
			record_sample(&r, point, &s, 1)->metric[SD_METRIC_RATE] =
				SD_OK((point ? 1.2 : 1) * (1000 + (double)i));
		}
		assert_int_equal(sd_experiment_plan_choose(&x, &r, &step), 0);
		assert_int_equal(step.kind, attached ? SD_STEP_ENOUGH : SD_STEP_END);
		sd_record_free(&r);
	}
}

static int choose(struct sd_experiment_plan *x, const struct sample *at_two, double made)
{
	struct sd_record r;
	struct sd_step step;
	int rc;

	fill(&r, at_two, 10);
	r.calibration.made = made;
	rc = sd_experiment_plan_choose(x, &r, &step);
	if (!rc) {
		assert_int_equal(step.kind, at_two == &good ? SD_STEP_ENOUGH : SD_STEP_END);
		assert_true(step.experiment == SD_STEP_NONE);
	}
	sd_record_free(&r);
	return rc;
}

static void the_node_is_asked_once_when_causes_stay_open(void **state)
{
	struct asked asked = {0};
	struct sd_experiment_plan x = {.calibrate = calibrate, .calibrate_ctx = &asked};

	(void)state;
	assert_int_equal(choose(&x, &slow, 0), 0);
	assert_int_equal(asked.times, 1);
	assert_int_equal(choose(&x, &slow, 0), 0);
	assert_int_equal(asked.times, 1);
}

static void a_calibrated_node_and_a_program_that_scales_are_not_asked(void **state)
{
	struct asked asked = {0};
	struct sd_experiment_plan x = {.calibrate = calibrate, .calibrate_ctx = &asked};

	(void)state;
	assert_int_equal(choose(&x, &slow, 1e9), 0);
	assert_int_equal(choose(&x, &good, 0), 0);
	assert_int_equal(asked.times, 0);
	/* nor where nobody wants it */
	x.calibrate = NULL;
	assert_int_equal(choose(&x, &slow, 0), 0);
}

static void ctrl_c_meanwhile_ends_the_run(void **state)
{
	struct asked asked = {.rc = -EINTR};
	struct sd_experiment_plan x = {.calibrate = calibrate, .calibrate_ctx = &asked};

	(void)state;
	assert_int_equal(choose(&x, &slow, 0), -EINTR);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(no_run_is_due_once_the_answer_is_known),
		cmocka_unit_test(a_look_ends_when_its_windows_agree),
		cmocka_unit_test(windows_at_several_counts_end_with_the_verdict),
		cmocka_unit_test(the_node_is_asked_once_when_causes_stay_open),
		cmocka_unit_test(a_calibrated_node_and_a_program_that_scales_are_not_asked),
		cmocka_unit_test(ctrl_c_meanwhile_ends_the_run),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
