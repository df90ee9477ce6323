/*
 * True sharing: threads write the same bytes, whose line goes from core to core.
 */
#include "case/stated.h"
#include "causes/sharing.h"
#include "evidence/evidence_os.h"

static void state_growth(struct sd_case *c, struct sd_finding *f)
{
	sd_sharing_growth(c, f, 0);
}

static void state_simulated(struct sd_case *c, struct sd_finding *f)
{
	sd_sharing_simulated(c, f, 0);
}

/* Says how the runs' outputs differ, which bounds nothing. */
static void say_runs(struct sd_case *c, struct sd_finding *f)
{
	if (sd_stated_speaks(c, SD_CAUSE_TRUE_SHARING))
		sd_evidence_output(c, f);
}

static sd_cause_row_state *const states[] = {
	sd_sharing_counted, state_growth, state_simulated, say_runs, NULL};

const struct sd_cause_row sd_cause_row_TRUE_SHARING = {
	.components = SD_SHARING_COMPONENTS,
	.mechanism = SD_SHARING_MECHANISM,
	.hides = 1,
	.state = states,
	.finds = " # names the lines",
	.next = "perf c2c record PROGRAM # on a machine with a PMU",
	.advice = {"count per thread and add up at the end; fewer atomic operations on the "
		   "same variable"},
};
