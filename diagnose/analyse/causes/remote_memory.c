/*
 * Remote memory: threads use memory of another NUMA node.
 */
#include "case/stated.h"
#include "causes/cause_row.h"
#include "causes/grown_time.h"
#include "evidence/evidence_os.h"
#include "evidence/evidence_traffic.h"

#define OWN SD_BIT(CPI_NUMA)
#define ALL (SD_BIT(GROWTH) | SD_BIT(CPI_OTHER) | OWN)
#define WHAT "go to slower user code"

/* There is one node: however many runs. */
static void state_one_node(struct sd_case *c, struct sd_finding *f)
{
	const struct sd_statement s = sd_stated_fact(SD_CAUSE_NUMA, "numa-one-node");

	if (sd_evidence_numa_excluded(c, f))
		sd_stated_keep(c, &s);
}

static void state_counted(struct sd_case *c, struct sd_finding *f)
{
	sd_grown_time_counted(c, f, "numa-counted", OWN, WHAT);
}

static void state_growth(struct sd_case *c, struct sd_finding *f)
{
	sd_grown_time_state(c, f, "numa-growth", ALL, OWN, WHAT);
}

/* Lines a second still grow while the program gets no faster: with or without CPU times. */
static void state_plateau(struct sd_case *c, struct sd_finding *f)
{
	const struct sd_statement s = {.cause = SD_CAUSE_NUMA,
		.kind = SD_STATEMENT_MODEL,
		.at_least = sd_stated_unsized(c),
		.sees = SD_SEES_WHOLE,
		.unsized = 1,
		.disturbed_by = SD_DISTURBANCE_OF_LOSS,
		.id = "numa-plateau"};

	if (!sd_stated_excluded(c, SD_CAUSE_NUMA) && sd_evidence_traffic_remote(c, f))
		sd_stated_keep(c, &s);
}

static sd_cause_row_state *const states[] = {
	state_one_node, state_counted, state_growth, state_plateau, NULL};

const struct sd_cause_row sd_cause_row_NUMA = {
	.components = ALL,
	.mechanism = SD_SEES_LOADS | SD_SEES_BETWEEN_SOCKETS,
	.hides = 1,
	.state = states,
	.next = "numactl --interleave=all PROGRAM # at the largest core count: faster means "
		"memory on one node",
	.advice = {"let each thread touch its own data first"},
};
