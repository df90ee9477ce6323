/*
 * Shared cache capacity: what the cores use at one time does not fit into it.
 */
#include "case/stated.h"
#include "causes/cause_row.h"
#include "causes/grown_time.h"
#include "causes/simulated_growth.h"
#include "evidence/evidence_counts.h"
#include "evidence/evidence_traffic.h"
#include "native/native_causes.h"

#define OWN SD_BIT(CPI_LLC)
#define ALL (SD_BIT(GROWTH) | SD_BIT(CPI_OTHER) | OWN)
#define WHAT "go to slower user code"

/* Lines for the same work, with CPU times and without: the time grows by no more than they do. */
static void state_lines(struct sd_case *c, struct sd_finding *f)
{
	const double times = sd_evidence_traffic_lines(c, f);
	const double most = times < 1 / (1 - SD_CASE_GATE) ? 0 : c->loss->n * (1 - 1 / times);
	struct sd_statement s = {.cause = SD_CAUSE_LLC_CAPACITY,
		.kind = SD_STATEMENT_MODEL,
		.at_least = SD_STATEMENT_OPEN,
		.at_most = {most, most, most, SD_STATUS_OK},
		.sees = SD_SEES_WHOLE,
		.id = "llc-lines-in"};

	if (times < 0)
		return;
	if (most > 0) {
		s.at_least = sd_stated_unsized(c);
		s.unsized = 1;
	}
	sd_stated_keep(c, &s);
}

static void state_counted(struct sd_case *c, struct sd_finding *f)
{
	sd_grown_time_counted(c, f, "llc-counted", OWN, WHAT);
}

static void state_growth(struct sd_case *c, struct sd_finding *f)
{
	if (sd_native_causes_cold_lines(c, f, ALL))
		return;
	sd_grown_time_state(c, f, "llc-growth", ALL, OWN, WHAT);
	if (c->model->row && sd_stated_speaks(c, SD_CAUSE_LLC_CAPACITY))
		sd_evidence_counts_llc(c, f);
}

static void state_simulated(struct sd_case *c, struct sd_finding *f)
{
	sd_simulated_growth_state(c, f, ALL, NULL);
}

static sd_cause_row_state *const states[] = {
	state_lines, state_counted, state_growth, state_simulated, NULL};

const struct sd_cause_row sd_cause_row_LLC_CAPACITY = {
	.components = ALL,
	.mechanism = SD_SEES_LOADS | SD_SEES_STORES | SD_SEES_PREFETCHES | SD_SEES_USER_CODE,
	.hides = 1,
	.state = states,
	.finds = " # what one core loses beside it, cores take from each other",
	.next = "scalediag --events hw PROGRAM # on a machine with a PMU",
	.advice = {"make what the cores use at one time fit into the shared cache: smaller "
		   "blocks, data used by several cores at the same time"},
};
