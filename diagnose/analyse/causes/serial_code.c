/*
 * Serial code: cores idle while one thread runs.
 */
#include <math.h>

#include "case/cause_weights.h"
#include "case/stated.h"
#include "causes/cause_row.h"
#include "causes/idle_law.h"
#include "causes/idle_waits.h"
#include "evidence/evidence_os.h"
#include "evidence/rank_waits.h"
#include "evidence/rates.h"
#include "evidence/stack_shares.h"

/* Cores idle beside one thread for no longer than one thread ran; those that spin count as running.
 */
static double surely_alone(const struct sd_case *c, const double *added)
{
	const double alone = sd_evidence_alone(c->last);
	const double spun = sd_rates_cores_spun(c, SD_PART_SPIN_SERIAL);

	if (alone < 0 || !(c->last->mean.time > 0))
		return added[SD_COMPONENT_SERIAL];
	return fmin(
		added[SD_COMPONENT_SERIAL], (c->loss->n - 1) * alone / c->last->median_time + spun);
}

static int is_brief(const struct sd_case *c)
{
	return (sd_evidence_brief_threads(c) & SD_BIT(SERIAL)) != 0;
}

static unsigned long imbalance_too(const struct sd_case *c)
{
	return sd_idle_waits_both_ways(c) ? SD_BIT(IMBALANCE) : 0;
}

static void state_idle(struct sd_case *c, struct sd_finding *f)
{
	struct sd_statement s =
		sd_stated_components(c, SD_CAUSE_SERIAL_CODE, "serial-idle", SD_BIT(SERIAL));

	if (sd_rank_waits_divided(c) || !sd_idle_waits_known(c, f, SD_BIT(SERIAL)))
		return;
	sd_stated_say(c, f, &s.at_most, "wait while one thread runs alone");
	if (sd_evidence_serial_excluded(c, f)) {
		s.at_least = SD_STATEMENT_OPEN; /* the waits are what starting threads takes */
		s.at_most = (struct sd_interval){.status = SD_STATUS_OK};
	} else {
		/* threads that spin do not idle, and wait as much */
		s.at_most = sd_stated_added(
			c, SD_BIT(SERIAL) | imbalance_too(c) | sd_idle_waits_hiding(c));
		s.disturbed_by |= sd_stated_disturbed(c, sd_idle_waits_hiding(c));
		s.at_least.low =
			fmin(0, s.at_least.low); /* how much of it is sure, the other source says */
	}
	sd_stated_keep(c, &s);
}

/* Ranks that wait for each other in turn, although none has more to do: by the replay of their
 * calls. */
static void state_ranks(struct sd_case *c, struct sd_finding *f)
{
	const struct sd_statement s =
		sd_stated_components(c, SD_CAUSE_SERIAL_CODE, "serial-ranks", SD_BIT(SERIAL));

	if (!sd_rank_waits_divided(c) || !sd_status_bounded(s.at_most))
		return;
	sd_stated_say(c, f, &s.at_most, "wait for ranks that wait themselves");
	sd_stated_keep(c, &s);
	sd_rank_waits_say(c, f);
}

static void state_alone(struct sd_case *c, struct sd_finding *f)
{
	struct sd_statement s = {.cause = SD_CAUSE_SERIAL_CODE,
		.kind = SD_STATEMENT_OBSERVATION,
		.sees = SD_SEES_WHOLE,
		.disturbed_by = sd_stated_disturbed(c, SD_BIT(SERIAL)),
		.id = "serial-alone"};

	if (sd_rank_waits_divided(c) || !sd_status_bounded(sd_stated_added(c, SD_BIT(SERIAL))) ||
		is_brief(c))
		return;
	s.at_least = sd_idle_waits_part(sd_stated_of(c, surely_alone),
		sd_idle_waits_own(c, f, 0) * (1 - sd_stack_shares_serial(c)));
	if (sd_stack_shares_serial(c) > 0)
		sd_case_say(c, f, "%.0f %% of it is while one thread is in the kernel: see %s",
			100 * sd_stack_shares_serial(c),
			sd_cause_info[SD_CAUSE_KERNEL_MEMORY].label);
	if (imbalance_too(c))
		sd_idle_waits_say_both_ways(c, f, SD_CAUSE_LOAD_IMBALANCE, &s.at_least);
	sd_stated_keep(c, &s);
	sd_evidence_serial(c, f);
}

static sd_cause_row_state *const states[] = {
	state_ranks, state_idle, state_alone, sd_idle_law_state, NULL};

const struct sd_cause_row sd_cause_row_SERIAL_CODE = {
	.components = SD_BIT(SERIAL) | SD_BIT(SPINNING) | SD_BIT(MPI),
	.also = imbalance_too,
	.mechanism = SD_SEES_USER_CODE,
	.state = states,
	.next = "perf record -g PROGRAM # what runs alone; or gdb's `thread apply all bt` while "
		"one thread runs",
	.advice =
		{"make the part that one thread does alone parallel, or overlap it with the rest"},
};
