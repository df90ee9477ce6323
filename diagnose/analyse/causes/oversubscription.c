/*
 * The program has more threads ready to run than there are CPUs that they may use: by a number that
 * is written into it, by one pool below another, by a process for each item; or since several are
 * bound to one CPU.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "case/cause_weights.h"
#include "case/stated.h"
#include "causes/cause_row.h"
#include "evidence/affinity_place.h"
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

/* 0 where it is not known. */
static double bound(const struct sd_case *c)
{
	const struct sd_value v = sd_os_metrics_bound(c->last);

	return sd_has(v) ? v.value : 0;
}

/* Cores that idled while a thread was bound to one that another thread of the program had. */
static double surely_bound(const struct sd_case *c, const double *added)
{
	return fmin(bound(c), fmax(0, added[SD_COMPONENT_RUN_QUEUE]));
}

/* No more than all that it can cost, and no more than these threads were: while one that is bound
 * waits for its CPU, all cores may wait for it. */
static double at_most(const struct sd_case *c, const double *added)
{
	unsigned most;
	const double by_threads =
		(sd_os_metrics_crowded(c->last, &most).value + bound(c)) * c->last->n;

	return fmin(by_threads, fmax(0, sd_cause_weights_sum(added, CARRIERS)));
}

/* How many threads are ready is the kernel's own account: where they were never more than the CPUs,
 * nothing that is hidden can be their doing. */
static unsigned disturbed(const struct sd_case *c, double share)
{
	return share < NEVER && bound(c) < NEVER * c->last->n
		       ? SD_DISTURBANCE_BIT(FEW_RUNS) | SD_DISTURBANCE_BIT(SHORT_RUNS)
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
		if (bound(c) < NEVER * c->last->n)
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

/* Disturbances left out: whose threads had the CPU is what is stated. */
#define OTHERS                                                               \
	(SD_DISTURBANCE_BIT(OTHERS_CPU) | SD_DISTURBANCE_BIT(OTHERS_PEERS) | \
		SD_DISTURBANCE_BIT(OTHERS_APART))

/* Names the place that sets an affinity, as far as a stack shows it, and how to see who is bound.
 */
static void say_where(struct sd_case *c, struct sd_finding *f)
{
	const struct sd_stacks *const s = &c->record->stacks;
	const struct sd_frame *const at = sd_affinity_place(s);

	if (!f->next)
		f->next = strdup("grep Cpus_allowed_list /proc/PID/task/*/status # while it runs: "
				 "which threads share a CPU");
	c->rc |= f->next ? 0 : -ENOMEM;
	if (!at || f->where)
		return;
	f->where = calloc(1, sizeof *f->where);
	c->rc |= f->where ? 0 : -ENOMEM;
	if (!f->where)
		return;
	f->n_where = 1;
	f->where->share = 1;
	f->where->line = at->line;
	f->where->function = strdup(s->text[at->function]);
	if (at->file && at->file < s->n_text)
		f->where->file = strdup(s->text[at->file]);
	c->rc |= f->where->function ? 0 : -ENOMEM;
}

static void state_bound(struct sd_case *c, struct sd_finding *f)
{
	struct sd_statement s = {.cause = SD_CAUSE_OVERSUBSCRIPTION,
		.kind = SD_STATEMENT_OBSERVATION,
		.sees = SD_SEES_WHOLE,
		.disturbed_by = sd_stated_disturbed(c, SD_BIT(RUN_QUEUE)) & ~OTHERS,
		.id = "oversubscription-bound"};

	if (!(bound(c) > 0) || c->a->n_point < 2 || !(c->loss->components & SD_BIT(RUN_QUEUE)))
		return;
	s.at_least = sd_stated_of(c, surely_bound);
	sd_stated_keep(c, &s);
	if (bound(c) < SD_CASE_GATE * c->last->n)
		return;
	sd_stated_say(c, f, &s.at_least,
		"idle while threads wait for the one CPU that their own affinity lets them use, and "
		"that another thread of the program has");
	say_where(c, f);
}

static sd_cause_row_state *const states[] = {state_bound, state_crowded, NULL};

const struct sd_cause_row sd_cause_row_OVERSUBSCRIPTION = {
	.components = CARRIERS,
	.state = states,
	.next = "give it as many threads as cores ({n}, the size of its pools) and measure "
		"again",
	.advice = {"make as many threads as there are CPUs to run on "
		   "(sched_getaffinity, nproc), not a fixed number"},
};
