/*
 * SMT: two threads share one core.
 */
#include "case/stated.h"
#include "causes/cause_row.h"
#include "causes/grown_time.h"
#include "evidence/evidence_counts.h"
#include "evidence/evidence_os.h"

#define OWN SD_BIT(CPI_SMT)
#define ALL (SD_BIT(GROWTH) | SD_BIT(CPI_OTHER) | OWN)
#define WHAT "go to slower user code"

/* No core has two threads: however many runs. */
static void state_no_siblings(struct sd_case *c, struct sd_finding *f)
{
	const struct sd_statement s = sd_stated_fact(SD_CAUSE_SMT, "smt-no-siblings");

	if (sd_evidence_smt_excluded(c, f))
		sd_stated_keep(c, &s);
}

static void state_counted(struct sd_case *c, struct sd_finding *f)
{
	if (sd_grown_time_counted(c, f, "smt-counted", OWN, WHAT) &&
		!sd_stated_excluded(c, SD_CAUSE_SMT))
		sd_evidence_counts_smt(c, f);
}

static void state_growth(struct sd_case *c, struct sd_finding *f)
{
	sd_grown_time_state(c, f, "smt-growth", ALL, OWN, WHAT);
}

static sd_cause_row_state *const states[] = {state_no_siblings, state_counted, state_growth, NULL};

const struct sd_cause_row sd_cause_row_SMT = {
	.components = ALL,
	.mechanism = SD_SEES_USER_CODE,
	.hides = 1,
	.state = states,
	.next = "measure --place spread with as many cores as the machine has",
	.advice = {"use one thread a core"},
};
