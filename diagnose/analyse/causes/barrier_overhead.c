/*
 * Barrier overhead: making threads and tasks, waking and ending them, and waits no longer than
 * that take a large part of what they do in between.
 */
#include <math.h>

#include "case/stated.h"
#include "causes/cause_row.h"
#include "causes/grown_time.h"
#include "causes/idle_waits.h"
#include "evidence/cause_places.h"
#include "evidence/evidence_os.h"

#define ALL                                                                                 \
	(SD_BIT(GROWTH) | SD_BIT(CPI_OTHER) | SD_BIT(THREADS) | SD_BIT(IMBALANCE) |         \
		SD_BIT(SPINNING) | SD_BIT(SYSTEM) | SD_BIT(INSTRUCTIONS) | SD_BIT(SERIAL) | \
		SD_BIT(RUN_QUEUE) | SD_BIT(LOCK))

/* Components that may contain its cost, as far as they were told apart: spinning and the kernel's
 * work for threads by samples, what hides them without, short waits. Small tasks: all of them. */
static unsigned long carriers(const struct sd_case *c)
{
	const unsigned known = c->loss->known_ref & c->loss->known;
	unsigned long set = SD_BIT(GROWTH) | SD_BIT(SYSTEM);

	if (sd_cause_places_is_tasking(c))
		return ALL & c->loss->components;
	if (known & SD_RUN_PARTS_SAMPLED)
		set = SD_BIT(SPINNING) | SD_BIT(THREADS);
	else if (c->loss->components & SD_BIT(INSTRUCTIONS))
		set = SD_BIT(INSTRUCTIONS) | SD_BIT(CPI_OTHER) | SD_BIT(SYSTEM);
	return (set | sd_evidence_barriers_more(c) | sd_evidence_barriers_own(c)) &
	       c->loss->components;
}

/* Tasks so small that a runtime takes longer to make them, hand them out and wait for the next. */
static void state_tasks(struct sd_case *c, struct sd_finding *f)
{
	const struct sd_statement s = {.cause = SD_CAUSE_BARRIER_OVERHEAD,
		.kind = SD_STATEMENT_OBSERVATION,
		.at_least = c->spread->dispatch,
		.sees = SD_SEES_WHOLE,
		.disturbed_by = sd_stated_disturbed(c, SD_BIT(GROWTH) | SD_BIT(SPINNING)),
		.at_most = SD_STATEMENT_OPEN,
		.id = "barrier-tasks"};

	if (!sd_cause_places_is_tasking(c))
		return;
	sd_stated_keep(c, &s);
	sd_stated_say(
		c, f, &s.at_least, "go to making tasks, handing them out and waiting for them");
	sd_case_say(c, f,
		"%.2f of them in the runtime's own code that makes tasks and hands them out, below no task",
		c->spread->tasking.value);
	for (size_t i = 0; i < c->spread->places.n_spot; i++)
		if (c->spread->places.spot[i].tasks)
			c->explained += SD_LOSS_BY_STACK(c->spread, i, SD_PART_USER);
}

static void keep_own(struct sd_case *c, unsigned long set)
{
	struct sd_statement s =
		sd_stated_components(c, SD_CAUSE_BARRIER_OVERHEAD, "barrier-own", set);

	s.at_most = SD_STATEMENT_OPEN; /* the other source says it */
	if (c->no_loss)
		s.at_least.low = fmin(0, s.at_least.low);
	sd_stated_keep(c, &s);
}

/* The kernel's work for threads, and waits no longer than a wake-up, are nothing else. What others
 * took of the CPUs may be a part of the waits, and none of that work. */
static void state_own(struct sd_case *c, struct sd_finding *f)
{
	const unsigned long set = sd_evidence_barriers_own(c) & c->loss->components;
	const struct sd_interval cores = sd_stated_added(c, set);

	if (!set || !sd_idle_waits_known(c, f, set) || c->fixed_time)
		return;
	keep_own(c, set);
	if (set & SD_BIT(THREADS) && set != SD_BIT(THREADS))
		keep_own(c, SD_BIT(THREADS));
	sd_stated_say(c, f, &cores,
		"go to starting, waking and ending threads, and to waits no longer than that");
}

static void state_growth(struct sd_case *c, struct sd_finding *f)
{
	const unsigned long set = carriers(c);

	if (!sd_idle_waits_known(c, f, set))
		return;
	/* the growth is what is left when other code got faster: it bounds no task's cost */
	if (!sd_cause_places_is_tasking(c))
		sd_grown_time_state(c, f, "barrier-growth", set, 0,
			"go to user time, kernel time and short waits, where its cost would be");
	if (sd_stated_speaks(c, SD_CAUSE_BARRIER_OVERHEAD))
		sd_evidence_barrier(c, f);
}

static sd_cause_row_state *const states[] = {state_tasks, state_own, state_growth, NULL};

const struct sd_cause_row sd_cause_row_BARRIER_OVERHEAD = {
	.components = ALL,
	.mechanism = SD_SEES_USER_CODE | SD_SEES_KERNEL_CODE,
	.carriers = carriers,
	.hides = 1,
	.state = states,
	.finds = " # less CPU time means waiting in loops",
	.advice = {"fewer waits for each other, with more work between them"},
};
