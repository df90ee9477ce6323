/*
 * Memory bandwidth: the cores ask for more lines a second than memory delivers.
 */
#include <math.h>

#include "case/stated.h"
#include "causes/cause_row.h"
#include "causes/grown_time.h"
#include "causes/simulated_growth.h"
#include "evidence/evidence_traffic.h"
#include "native/native_causes.h"

#define OWN SD_BIT(CPI_BANDWIDTH)
#define ALL (SD_BIT(GROWTH) | SD_BIT(CPI_OTHER) | OWN)
#define WHAT "go to slower user code"

/* Speed and lines a second that stop growing together, with CPU times and without: as much as
 * matters is its doing, and no curve says how much. */
static void state_plateau(struct sd_case *c, struct sd_finding *f)
{
	struct sd_statement s = {.cause = SD_CAUSE_MEMORY_BANDWIDTH,
		.kind = SD_STATEMENT_MODEL,
		.at_least = sd_stated_unsized(c),
		.sees = SD_SEES_WHOLE,
		.unsized = 1,
		.disturbed_by = sd_stated_disturbed(c, ALL),
		.id = "bandwidth-plateau"};
	int sure;

	if (!sd_evidence_traffic_plateau(c, f, &sure))
		return;
	if (sure)
		s.at_least.low = s.at_least.value;
	sd_stated_keep(c, &s);
}

/* A bus that is full at the last count, and lines that queue: seen, and not computed from prices.
 */
static void state_full(struct sd_case *c, struct sd_finding *f)
{
	struct sd_statement s = {.cause = SD_CAUSE_MEMORY_BANDWIDTH,
		.kind = SD_STATEMENT_OBSERVATION,
		.at_most = SD_STATEMENT_OPEN,
		.sees = SD_SEES_WHOLE,
		.disturbed_by = sd_stated_disturbed(c, ALL),
		.id = "bandwidth-full"};

	if (sd_evidence_traffic_full(c, f, &s.at_least)) {
		sd_stated_keep(c, &s);
		return;
	}
	if (!sd_evidence_traffic_queues(c, f))
		return;
	s.at_least = sd_stated_unsized(c);
	s.at_least.low = s.at_least.value;
	s.unsized = 1;
	s.id = "bandwidth-queues";
	sd_stated_keep(c, &s);
}

/* Bytes that still grow with the cores, or leave most of the ceiling unused, make none of the
 * counted stalls surely its own. */
static void state_counted(struct sd_case *c, struct sd_finding *f)
{
	struct sd_statement s =
		sd_stated_components(c, SD_CAUSE_MEMORY_BANDWIDTH, "bandwidth-counted", OWN);

	if (!sd_grown_time_is_counted(c, f, OWN))
		return;
	sd_stated_say(c, f, &s.at_least, WHAT);
	sd_evidence_traffic_say(c, f);
	if (s.at_least.high >= SD_CASE_GATE * c->loss->n && sd_evidence_traffic_falsified(c, f))
		c->contradicted |= 1ul << SD_CAUSE_MEMORY_BANDWIDTH;
	if (sd_grown_time_is_unsure(c, f->cause))
		s.at_least.low = fmin(0, s.at_least.low);
	sd_stated_keep(c, &s);
}

static void state_growth(struct sd_case *c, struct sd_finding *f)
{
	if (sd_native_causes_cold_lines(c, f, ALL))
		return;
	if (sd_grown_time_state(c, f, "bandwidth-growth", ALL, OWN, WHAT) && c->model->row &&
		sd_stated_speaks(c, SD_CAUSE_MEMORY_BANDWIDTH))
		sd_evidence_traffic_say(c, f);
}

static void state_simulated(struct sd_case *c, struct sd_finding *f)
{
	sd_simulated_growth_state(c, f, ALL, NULL);
}

static sd_cause_row_state *const states[] = {
	state_plateau, state_full, state_counted, state_growth, state_simulated, NULL};

const struct sd_cause_row sd_cause_row_MEMORY_BANDWIDTH = {
	.components = ALL,
	.mechanism = SD_SEES_LOADS | SD_SEES_STORES | SD_SEES_PREFETCHES | SD_SEES_USER_CODE,
	.hides = 1,
	.state = states,
	.finds = " # what one core loses beside it, cores take from each other",
	.next = "scalediag --events hw PROGRAM # on a machine with a PMU",
	.advice = {"move less memory: block loops for the cache, use smaller types, write "
		   "with non-temporal stores"},
};
