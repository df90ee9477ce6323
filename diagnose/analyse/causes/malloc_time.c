/*
 * Allocator: threads meet in malloc, free and their like.
 */
#include "case/stated.h"
#include "causes/cause_row.h"
#include "causes/grown_time.h"
#include "causes/simulated_growth.h"

#define ALL                                                                                \
	(SD_BIT(GROWTH) | SD_BIT(CPI_OTHER) | SD_BIT(INSTRUCTIONS) | SD_BIT(CPI_SHARING) | \
		SD_BIT(SYSTEM) | SD_BIT(LOCK))

static int has_stacks(const struct sd_case *c)
{
	return c->spread->now && !c->fixed_time && sd_status_bounded(c->spread->allocated);
}

/* Stacks below malloc and its like say how much user time, kernel time and waiting is there. */
static void state_stacks(struct sd_case *c, struct sd_finding *f)
{
	const struct sd_statement s = {.cause = SD_CAUSE_ALLOCATOR,
		.kind = SD_STATEMENT_OBSERVATION,
		.at_least = c->spread->allocated,
		.at_most = c->spread->allocated,
		.sees = SD_SEES_WHOLE,
		.disturbed_by = sd_stated_disturbed(c, ALL),
		.id = "allocator-stacks"};

	if (!has_stacks(c))
		return;
	sd_stated_keep(c, &s);
	sd_stated_say(
		c, f, &s.at_most, "go to malloc, free and their like, and to locks held there");
}

/* Without stacks it may be anywhere in what grew. */
static void state_growth(struct sd_case *c, struct sd_finding *f)
{
	if (!has_stacks(c))
		sd_grown_time_state(c, f, "allocator-growth", ALL, 0,
			"go to user time, kernel time and locks, where its cost would be");
}

/* States the cost of moving malloc's own words between cores as a part of the allocator's. */
static void state_simulated(struct sd_case *c, struct sd_finding *f)
{
	struct sd_simulated_costs_counts after;

	sd_simulated_costs_counts(c->record, c->last->plan, &after);
	if (!has_stacks(c) && after.hitm_allocator > 0)
		sd_simulated_growth_least(c, f, SD_CASE_GROWTH | SD_BIT(CPI_SHARING));
}

static sd_cause_row_state *const states[] = {state_stacks, state_growth, state_simulated, NULL};

const struct sd_cause_row sd_cause_row_ALLOCATOR = {
	.components = ALL,
	.mechanism = SD_SEES_USER_CODE | SD_SEES_KERNEL_CODE,
	.hides = 1,
	.state = states,
	.finds = " # needs libjemalloc2",
	.advice = {"allocate per thread and less often; another allocator"},
};
