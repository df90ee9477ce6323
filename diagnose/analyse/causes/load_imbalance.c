/*
 * Load imbalance: threads wait for others that have more to do.
 */
#include <math.h>

#include "case/stated.h"
#include "causes/cause_row.h"
#include "causes/idle_law.h"
#include "causes/idle_waits.h"
#include "evidence/evidence_os.h"
#include "evidence/rank_waits.h"

/* Cores of imbalance that uneven CPU times of threads surely explain; all of it where unknown. */
static double surely_uneven(const struct sd_case *c, const double *added)
{
	const double uneven = sd_evidence_uneven(c);

	return uneven < 0 ? added[SD_COMPONENT_IMBALANCE]
			  : fmin(added[SD_COMPONENT_IMBALANCE], uneven);
}

static unsigned long serial_too(const struct sd_case *c)
{
	return sd_idle_waits_both_ways(c) ? SD_BIT(SERIAL) : 0;
}

static void state_waits(struct sd_case *c, struct sd_finding *f)
{
	struct sd_statement s = sd_stated_components(
		c, SD_CAUSE_LOAD_IMBALANCE, "imbalance-waits", SD_BIT(IMBALANCE));

	if (sd_rank_waits_divided(c) || !sd_idle_waits_known(c, f, SD_BIT(IMBALANCE)))
		return;
	sd_stated_say(c, f, &s.at_most, "wait for slower threads");
	if (sd_evidence_imbalance_excluded(c, f)) {
		s.at_least = SD_STATEMENT_OPEN; /* no wait is longer than a wake-up takes */
		s.at_most = (struct sd_interval){.status = SD_STATUS_OK};
	} else {
		/* threads that spin do not idle, and wait as much */
		s.at_most = sd_stated_added(
			c, SD_BIT(IMBALANCE) | serial_too(c) | sd_idle_waits_hiding(c));
		s.disturbed_by |= sd_stated_disturbed(c, sd_idle_waits_hiding(c));
		s.at_least.low =
			fmin(0, s.at_least.low); /* how much of it is sure, the other source says */
	}
	sd_stated_keep(c, &s);
}

/* The ranks' calls and times say it to the end. */
static void state_ranks(struct sd_case *c, struct sd_finding *f)
{
	const struct sd_statement s = sd_stated_components(
		c, SD_CAUSE_LOAD_IMBALANCE, "imbalance-ranks", SD_BIT(IMBALANCE));

	if (!sd_rank_waits_divided(c) || !sd_status_bounded(s.at_most))
		return;
	sd_stated_say(c, f, &s.at_most, "wait for ranks with more to do");
	sd_stated_keep(c, &s);
	sd_rank_waits_say(c, f);
}

static void state_uneven(struct sd_case *c, struct sd_finding *f)
{
	struct sd_statement s = {.cause = SD_CAUSE_LOAD_IMBALANCE,
		.kind = SD_STATEMENT_OBSERVATION,
		.sees = SD_SEES_WHOLE,
		.disturbed_by = sd_stated_disturbed(c, SD_BIT(IMBALANCE)),
		.id = "imbalance-uneven"};

	if (sd_rank_waits_divided(c) || !sd_status_bounded(sd_stated_added(c, SD_BIT(IMBALANCE))) ||
		(sd_evidence_wakeups(c) | sd_evidence_brief_threads(c)) & SD_BIT(IMBALANCE))
		return;
	s.at_least = sd_idle_waits_part(sd_stated_of(c, surely_uneven), sd_idle_waits_own(c, f, 0));
	if (serial_too(c))
		sd_idle_waits_say_both_ways(c, f, SD_CAUSE_SERIAL_CODE, &s.at_least);
	sd_stated_keep(c, &s);
	sd_evidence_imbalance(c, f);
	sd_evidence_imbalance_against(c, f);
}

static sd_cause_row_state *const states[] = {
	state_ranks, state_waits, state_uneven, sd_idle_law_state, NULL};

const struct sd_cause_row sd_cause_row_LOAD_IMBALANCE = {
	.components = SD_BIT(IMBALANCE) | SD_BIT(SPINNING) | SD_BIT(MPI) | SD_BIT(RUN_QUEUE),
	.also = serial_too,
	.mechanism = SD_SEES_USER_CODE,
	.state = states,
	.next = "give out the work in smaller pieces and measure again",
	.advice = {"give out smaller pieces of work, to whoever is free"},
};
