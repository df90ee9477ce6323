/*
 * Clock frequency: with more cores busy each runs slower.
 */
#include "causes/cause_row.h"
#include "causes/grown_time.h"
#include "evidence/evidence_counts.h"

#define OWN SD_BIT(FREQUENCY)
#define ALL (SD_BIT(GROWTH) | SD_BIT(CPI_OTHER) | OWN)

static void state_counted(struct sd_case *c, struct sd_finding *f)
{
	if (sd_grown_time_counted(c, f, "frequency-counted", OWN, "go to a lower clock"))
		sd_evidence_counts_clock(c, f);
}

static void state_growth(struct sd_case *c, struct sd_finding *f)
{
	if (c->loss->known & SD_RUN_PARTS_BY_CYCLES) {
		sd_case_say(c, f, "needs CPU times: cycles alone are the same at any clock");
		return;
	}
	sd_grown_time_state(c, f, "frequency-growth", ALL, OWN,
		"go to user time, which a lower clock would lengthen");
}

static sd_cause_row_state *const states[] = {state_counted, state_growth, NULL};

const struct sd_cause_row sd_cause_row_FREQUENCY = {
	.components = ALL,
	.mechanism = SD_SEES_USER_CODE,
	.hides = 1,
	.state = states,
	.next = "perf stat -e cycles:u,task-clock PROGRAM # at both core counts, on a machine with a PMU",
	.advice = {"compare with a fixed clock; lighter vector instructions"},
};
