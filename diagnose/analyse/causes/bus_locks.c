/*
 * Bus locks: an atomic instruction on a word that lies in two lines stops every core's accesses.
 */
#include <math.h>

#include "case/stated.h"
#include "causes/cause_row.h"
#include "evidence/atomic_time.h"
#include "metrics/metric_eval.h"
#include "native/native_causes.h"

#define CARRIERS (SD_BIT(GROWTH) | SD_BIT(CPI_OTHER) | SD_BIT(CPI_BANDWIDTH))

/* Split locks per 1000 instructions: fewer are not to be seen in any time (a thousand cycles each).
 */
#define NONE .0001

/* Share of the user time at atomic instructions; below it they are no program's bottleneck. */
#define HARDLY .01

/* Counted, there are none: whatever else slows the cores down. */
static void state_counted(struct sd_case *c, struct sd_finding *f)
{
	const struct sd_statement none = sd_stated_fact(SD_CAUSE_BUS_LOCKS, "bus-locks-none");
	struct sd_metric_eval_result split;

	if (!c->model->row)
		return;
	split = sd_metric_eval_named(c->model, &c->after, "split-locks-per-1000");
	if (!sd_metric_eval_usable(split))
		return;
	sd_case_say(c, f, "%.4f split locks per 1000 instructions at %u cores", split.value,
		c->last->n);
	if (split.value < NONE)
		sd_stated_keep(c, &none);
}

/* Without atomic instructions nobody locks the bus. */
static void state_atomic(struct sd_case *c, struct sd_finding *f)
{
	const struct sd_statement none = sd_stated_fact(SD_CAUSE_BUS_LOCKS, "bus-locks-no-atomics");
	const double share = sd_atomic_time_share(c);

	if (share < 0 || share >= HARDLY || sd_stated_excluded(c, SD_CAUSE_BUS_LOCKS))
		return;
	sd_stated_keep(c, &none);
	sd_case_say(c, f, "%.1f %% of user time is at atomic instructions", 100 * share);
}

/* By sampled addresses; else states the growth as its upper bound: copies decide
 * (apply_sampled_growth.c). */
static void state_growth(struct sd_case *c, struct sd_finding *f)
{
	struct sd_statement s =
		sd_stated_components(c, SD_CAUSE_BUS_LOCKS, "bus-locks-growth", CARRIERS);

	if (sd_stated_excluded(c, SD_CAUSE_BUS_LOCKS) || sd_native_causes_sharing(c, f, CARRIERS))
		return;
	if (c->a->n_point < 2 || !sd_status_bounded(s.at_most) || c->fixed_time) {
		sd_case_say(c, f, "needs CPU times at two core counts");
		return;
	}
	s.at_least = SD_STATEMENT_OPEN;
	sd_stated_keep(c, &s);
	sd_case_say(c, f,
		"at most %.2f of %u cores go to slower user code; it needs samples, and copies of the "
		"program, or a counter of split locks",
		fmax(0, s.at_most.value), c->last->n);
}

static sd_cause_row_state *const states[] = {state_counted, state_atomic, state_growth, NULL};

const struct sd_cause_row sd_cause_row_BUS_LOCKS = {
	.components = CARRIERS,
	.mechanism = SD_SEES_USER_CODE,
	.hides = 1,
	.state = states,
	.finds = " # copies that share no data, and slow each other down at atomic "
		 "instructions, lock the bus",
	.next = "perf stat -e sq_misc.bus_lock PROGRAM # on a machine with a PMU",
	.advice = {"align what atomic instructions work on, so that it lies in one cache "
		   "line"},
};
