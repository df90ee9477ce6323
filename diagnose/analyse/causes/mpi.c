/*
 * MPI: ranks wait for messages under way, when the one they wait for has done its part.
 */
#include <stdio.h>

#include "case/stated.h"
#include "causes/cause_row.h"
#include "evidence/rank_waits.h"
#include "record/probe_cost.h"

/* The replay of the ranks' calls says what messages without a duration would have saved. */
static void state_transfer(struct sd_case *c, struct sd_finding *f)
{
	struct sd_statement s = sd_stated_components(c, SD_CAUSE_MPI, "mpi-transfer", SD_BIT(MPI));

	if (!sd_rank_waits_transfer_known(c))
		return;
	if (!sd_status_bounded(s.at_most)) {
		sd_case_say(c, f, "%s", c->a->no_verdict);
		return;
	}
	sd_stated_say(c, f, &s.at_most, "wait in MPI for messages under way");
	sd_stated_keep(c, &s);
	sd_rank_waits_say_calls(c, f);
}

/* Says what a replay would have told, and why there was none. */
static void say_undivided(struct sd_case *c, struct sd_finding *f)
{
	const char *const why = sd_rank_waits_why_undivided(c);

	if (!why) {
		sd_case_say(c, f,
			"whether they wait for messages, for slower ranks or one after the other was "
			"not logged: start the program by its launcher, scalediag --ranks LIST mpirun "
			"-n {ranks} PROGRAM");
		return;
	}
	sd_case_say(c, f, "part of it may be for slower ranks or one after the other: %s", why);
	sd_rank_waits_say_calls(c, f);
}

static void say_untraced(struct sd_case *c, struct sd_finding *f)
{
	const struct sd_value cost = sd_probe_cost(c->record, SD_RUN_UNTRACED);
	char why[80] = "may cost too much, and there was no time to measure it";

	if (sd_has(cost))
		snprintf(why, sizeof why, "costs %.1f %% of the CPU time", 100 * cost.value);
	sd_case_say(c, f,
		"which rank waits for which: not measured, logging the calls %s; --ranks LIST has "
		"it done all the same",
		why);
}

/* Without a replay a wait in MPI may as well be for a slower rank. Logged calls speak for their
 * messages, and how much of the waits these have is not known. */
static void state_undivided(struct sd_case *c, struct sd_finding *f)
{
	struct sd_statement s = sd_stated_components(c, SD_CAUSE_MPI, "mpi-waits", SD_BIT(MPI));

	if (sd_rank_waits_transfer_known(c))
		return;
	if (!sd_status_bounded(s.at_most)) {
		sd_case_say(c, f, "%s",
			c->loss->known_ref & c->loss->known & SD_RUN_PARTS_MPI
				? c->a->no_verdict
				: "waiting inside MPI calls is not measured");
		return;
	}
	if (s.at_most.high > 0)
		sd_stated_say(c, f, &s.at_most, "wait in MPI");
	else
		sd_case_say(c, f, "no wait in MPI was seen");
	s.at_least =
		sd_rank_waits_why_undivided(c) ? sd_stated_unsure(s.at_most) : SD_STATEMENT_OPEN;
	sd_stated_keep(c, &s);
	if (sd_probe_cost_left_out(c->record) & SD_RUN_UNTRACED)
		say_untraced(c, f);
	else if (sd_rank_waits_undivided(c))
		say_undivided(c, f);
}

static sd_cause_row_state *const states[] = {state_transfer, state_undivided, NULL};

const struct sd_cause_row sd_cause_row_MPI = {
	.components = SD_BIT(MPI),
	.mechanism = SD_SEES_USER_CODE,
	.state = states,
	.next = "scalediag --ranks LIST mpirun -n {ranks} PROGRAM # logs what the ranks "
		"call",
	.advice = {"fewer and larger messages, started early and waited for late"},
};
