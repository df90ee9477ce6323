/*
 * Extra work: more instructions for the same work.
 */
#include "case/stated.h"
#include "causes/cause_row.h"
#include "causes/grown_time.h"
#include "causes/simulated_growth.h"
#include "evidence/collector_time.h"
#include "evidence/evidence_counts.h"

#define OWN SD_BIT(INSTRUCTIONS)
#define ALL (SD_BIT(GROWTH) | OWN)
#define WHAT "go to user time, which more instructions would lengthen"

/* Waiting in loops counts as instructions, unless it was told apart. */
static int is_told(const struct sd_case *c)
{
	return (c->loss->known_ref & c->loss->known & SD_RUN_PARTS_SPIN) != 0;
}

static void state_counted(struct sd_case *c, struct sd_finding *f)
{
	sd_grown_time_dispatched(c, f);
	if (is_told(c))
		sd_grown_time_counted(c, f, "extra-work-counted", OWN, "go to more instructions");
}

static void state_growth(struct sd_case *c, struct sd_finding *f)
{
	const int counted = (c->loss->components & OWN) != 0;

	sd_grown_time_state(
		c, f, "extra-work-growth", counted ? OWN : ALL, is_told(c) ? OWN : 0, WHAT);
	if (c->model->row && sd_stated_speaks(c, SD_CAUSE_EXTRA_WORK))
		sd_evidence_counts_work(c, f);
}

static void state_simulated(struct sd_case *c, struct sd_finding *f)
{
	sd_simulated_growth_state(c, f, ALL, NULL);
}

/* Another collector than at the reference: what it does is work that the reference has not. */
static void state_collector(struct sd_case *c, struct sd_finding *f)
{
	struct sd_collector_time t;
	struct sd_statement s = {.cause = SD_CAUSE_EXTRA_WORK,
		.kind = SD_STATEMENT_OBSERVATION,
		.at_most = SD_STATEMENT_OPEN,
		.sees = SD_SEES_WHOLE,
		.disturbed_by = sd_stated_disturbed(c, ALL),
		.id = "extra-work-collector"};

	if (!sd_collector_time_find(c, &t))
		return;
	s.at_least = t.cores;
	sd_case_warn(c,
		"the Java virtual machine took %s at %u core%s and %s at %u: name one for all "
		"(-XX:+UseParallelGC, or that of production), or the counts are of different "
		"programs",
		t.before ? t.before : "another collector of garbage", c->ref->cores,
		c->ref->cores == 1 ? "" : "s", t.after, c->last->cores);
	if (!(t.cores.value >= SD_CASE_GATE * c->loss->n))
		return;
	sd_stated_keep(c, &s);
	sd_case_say(c, f,
		"the Java virtual machine chose %s at %u core%s and %s at %u, whose own code takes "
		"%.2f of %u cores",
		t.before ? t.before : "another collector of garbage", c->ref->cores,
		c->ref->cores == 1 ? "" : "s", t.after, c->last->cores, t.cores.value,
		c->last->cores);
}

static sd_cause_row_state *const states[] = {
	state_counted, state_growth, state_collector, state_simulated, NULL};

const struct sd_cause_row sd_cause_row_EXTRA_WORK = {
	.components = ALL | SD_BIT(SYSTEM),
	.mechanism = SD_SEES_USER_CODE,
	.hides = 1,
	.state = states,
	.finds = " # counts instructions",
	.next = "perf stat -e instructions:u PROGRAM # at both core counts, on a machine with a PMU",
	.advice = {"do not repeat work on every core; larger pieces of work",
		"where each core is meant to do as much as one did alone: --weak"},
};
