/*
 * The program has more threads ready to run than there are CPUs: by a number that is written into
 * it, by one pool below another, by a process for each item.
 */
#include <math.h>

#include "case/cause_weights.h"
#include "case/stated.h"
#include "causes/cause_row.h"
#include "metrics/os_metrics.h"

/* Components in which threads that take each other's CPUs cost time: they wait for a CPU, are
 * switched, and whoever waits for a thread without a CPU waits longer. */
#define CARRIERS                                                                      \
	(SD_BIT(RUN_QUEUE) | SD_BIT(THREADS) | SD_BIT(IMBALANCE) | SD_BIT(SPINNING) | \
		SD_BIT(LOCK) | SD_BIT(SYSTEM))

/* Share of the time; less is the moment in which a thread has woken another and still runs. */
#define NEVER .01

/* The waits for a CPU that nobody else had, while there were more threads than CPUs. */
static double surely(const struct sd_case *c, const double *added)
{
	const struct sd_disturbance_facts *const d = &c->facts;
	unsigned most;
	const double others = (sd_has(d->others) ? d->others.value : c->last->n) +
			      (sd_has(d->stolen) ? d->stolen.value : 0);
	const double by_threads = sd_os_metrics_crowded(c->last, &most).value * c->last->n;

	return fmin(by_threads, fmax(0, added[SD_COMPONENT_RUN_QUEUE] - others));
}

/* No more than all that it can cost, and no more than these threads were. */
static double at_most(const struct sd_case *c, const double *added)
{
	unsigned most;
	const double by_threads = sd_os_metrics_crowded(c->last, &most).value * c->last->n;

	return fmin(by_threads, fmax(0, sd_cause_weights_sum(added, CARRIERS)));
}

/* How many threads are ready is the kernel's own account: where they were never more than the CPUs,
 * nothing that is hidden can be their doing. */
static unsigned disturbed(const struct sd_case *c, double share)
{
	return share < NEVER ? SD_DISTURBANCE_BIT(FEW_RUNS) | SD_DISTURBANCE_BIT(SHORT_RUNS)
			     : sd_stated_disturbed(c, CARRIERS);
}

static void state_crowded(struct sd_case *c, struct sd_finding *f)
{
	struct sd_statement s = {.cause = SD_CAUSE_OVERSUBSCRIPTION,
		.kind = SD_STATEMENT_OBSERVATION,
		.sees = SD_SEES_WHOLE,
		.id = "oversubscription-crowded"};
	const unsigned usable = (unsigned)sd_os_metrics_usable(c->last);
	unsigned most;
	const struct sd_value share = sd_os_metrics_crowded(c->last, &most);

	if (!sd_has(share) || c->a->n_point < 2 || !(c->loss->components & SD_BIT(RUN_QUEUE))) {
		sd_case_say(c, f, "needs thread states at two core counts");
		return;
	}
	s.at_least = sd_stated_of(c, surely);
	s.at_most = sd_stated_of(c, at_most);
	s.disturbed_by = disturbed(c, share.value);
	sd_stated_keep(c, &s);
	if (share.value < NEVER) {
		sd_case_say(c, f, "at %u cores no more than %u threads were ready to run",
			c->last->n, c->last->n);
		return;
	}
	if (usable < c->last->n)
		sd_case_say(c, f,
			"the program's threads may run on %u of the %u CPUs only, by their own affinity",
			usable, c->last->n);
	sd_case_say(c, f,
		"up to %u threads of the program were ready at a time on %u CPUs, more than these "
		"during %.0f %% of the time",
		most, usable, 100 * share.value);
	sd_stated_say(c, f, &s.at_least, "wait for a CPU that another thread of the program has");
}

static sd_cause_row_state *const states[] = {state_crowded, NULL};

const struct sd_cause_row sd_cause_row_OVERSUBSCRIPTION = {
	.components = CARRIERS,
	.state = states,
	.next = "give it as many threads as cores ({n}, the size of its pools) and measure "
		"again",
	.advice = {"make as many threads as there are CPUs to run on "
		   "(sched_getaffinity, nproc), not a fixed number"},
};
