/*
 * DTLB: pages are walked for more often as more cores run.
 */
#include "case/stated.h"
#include "causes/cause_row.h"
#include "causes/grown_time.h"
#include "causes/simulated_growth.h"
#include "evidence/evidence_counts.h"
#include "native/native_causes.h"

#define OWN SD_BIT(CPI_DTLB)
#define ALL (SD_BIT(GROWTH) | SD_BIT(CPI_OTHER) | OWN)
#define WHAT "go to slower user code"

static void state_counted(struct sd_case *c, struct sd_finding *f)
{
	sd_grown_time_counted(c, f, "dtlb-counted", OWN, WHAT);
}

static void state_growth(struct sd_case *c, struct sd_finding *f)
{
	if (sd_native_causes_cold_pages(c, f, ALL))
		return;
	sd_grown_time_state(c, f, "dtlb-growth", ALL, OWN, WHAT);
	if (c->model->row && sd_stated_speaks(c, SD_CAUSE_DTLB))
		sd_evidence_counts_dtlb(c, f);
}

static void state_simulated(struct sd_case *c, struct sd_finding *f)
{
	sd_simulated_growth_state(c, f, ALL, NULL);
}

static sd_cause_row_state *const states[] = {state_counted, state_growth, state_simulated, NULL};

const struct sd_cause_row sd_cause_row_DTLB = {
	.components = ALL,
	.mechanism = SD_SEES_LOADS | SD_SEES_STORES,
	.hides = 1,
	.state = states,
	.next = "scalediag --events hw PROGRAM # on a machine with a PMU",
	.advice = {"use huge pages, or touch fewer pages at a time"},
};
