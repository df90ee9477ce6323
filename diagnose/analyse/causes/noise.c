/*
 * A noisy machine: the program's threads wait for CPUs that other processes or the hypervisor have.
 */
#include <math.h>

#include "case/cause_weights.h"
#include "case/stated.h"
#include "causes/cause_row.h"
#include "evidence/evidence_os.h"
#include "metrics/os_metrics.h"

#define QUEUE (SD_BIT(RUN_QUEUE) | SD_BIT(STOLEN))

/* Disturbances left out: the cores that others took are what is stated, and the kernel itself
 * accounts for the time that threads were ready. */
#define NOT_OF_IT                                                     \
	(SD_DISTURBANCE_BIT(OTHERS_CPU) | SD_DISTURBANCE_BIT(QUOTA) | \
		SD_DISTURBANCE_BIT(SHORT_RUNS) | SD_DISTURBANCE_BIT(NOT_ACCOUNTED))

/* Waits for other threads of the program. */
#define PEERS (SD_BIT(LOCK) | SD_BIT(IMBALANCE) | SD_BIT(SERIAL) | SD_BIT(MPI) | SD_BIT(SPINNING))

/* Cores whose threads were ready beside as many others as there are CPUs that they may use, or
 * bound to one that another had: the program has more threads than those, and that is nobody
 * else's doing. Mean of the runs. */
static double oversubscribed(const struct sd_case *c)
{
	const size_t n = (size_t)sd_os_metrics_usable(c->last);
	const struct sd_value bound = sd_os_metrics_bound(c->last);
	double sum = 0;

	for (size_t j = 0; j < c->last->n_run; j++) {
		const struct sd_run *const r = c->last->run[j];

		for (size_t k = n + 1; k < r->n_concurrency; k++)
			sum += (double)(k - n) * r->concurrency[k] /
			       r->metric[SD_METRIC_WALL].value;
	}
	return fmax(
		c->last->n_run ? sum / (double)c->last->n_run : 0, sd_has(bound) ? bound.value : 0);
}

/* No longer than others ran; where nobody knows how long, all of it may be theirs. */
static double taken(const struct sd_case *c, const double *added)
{
	const struct sd_disturbance_facts *const f = &c->facts;
	const double queue = fmax(0, sd_cause_weights_sum(added, QUEUE) - oversubscribed(c));

	if (!sd_has(f->others))
		return queue;
	return fmin(queue, f->others.value + (sd_has(f->stolen) ? f->stolen.value : 0));
}

/* A thread that had its CPU might have waited for another one instead, for as long as they do. */
static double surely_taken(const struct sd_case *c, const double *added)
{
	const double had =
		sd_has(c->facts.others) ? taken(c, added) : fmax(0, added[SD_COMPONENT_STOLEN]);

	return fmax(0, had - fmax(0, sd_cause_weights_sum(added, PEERS)));
}

static void say(struct sd_case *c, struct sd_finding *f, double cores)
{
	const struct sd_disturbance_facts *const d = &c->facts;
	const double over = oversubscribed(c);
	const double queue = sd_cause_weights_sum(c->loss->added, QUEUE);

	sd_case_say(c, f,
		"up to %.2f of %u cores wait for CPUs that others had, or are stolen by the hypervisor",
		cores, c->last->n);
	sd_evidence_noise(c, f);
	if (over >= SD_CASE_GATE * c->loss->n)
		sd_case_say(c, f,
			"against it: %.2f cores wait for CPUs that other threads of the program "
			"have",
			over);
	else if (sd_has(d->others) && queue - cores >= SD_CASE_GATE * c->loss->n)
		sd_case_say(c, f,
			"against it: others, the hypervisor and measuring took %.2f of %u cores; "
			"threads that are ready for longer wait to be woken",
			d->others.value + (sd_has(d->stolen) ? d->stolen.value : 0), c->last->n);
}

static void state_taken(struct sd_case *c, struct sd_finding *f)
{
	struct sd_statement s = {.cause = SD_CAUSE_NOISE,
		.kind = SD_STATEMENT_OBSERVATION,
		.sees = SD_SEES_WHOLE,
		.disturbed_by = sd_stated_disturbed(c, QUEUE) & ~NOT_OF_IT,
		.id = "noise-taken"};

	if (!(c->loss->components & QUEUE) || c->a->n_point < 2) {
		sd_case_say(c, f, "needs steal times or thread states at two core counts");
		return;
	}
	s.at_most = s.at_least = sd_stated_of(c, taken);
	s.at_least.low = 0;
	if (!(c->loss->components & SD_BIT(RUN_QUEUE)))
		s.at_most = SD_STATEMENT_OPEN;
	sd_stated_keep(c, &s);
	say(c, f, fmax(0, s.at_least.value));
}

static void state_surely_taken(struct sd_case *c, struct sd_finding *f)
{
	const struct sd_statement s = {.cause = SD_CAUSE_NOISE,
		.kind = SD_STATEMENT_OBSERVATION,
		.at_least = sd_stated_of(c, surely_taken),
		.sees = SD_SEES_WHOLE,
		.disturbed_by =
			sd_stated_disturbed(c, QUEUE | PEERS) &
			~(SD_DISTURBANCE_BIT(OTHERS_CPU) | SD_DISTURBANCE_BIT(OTHERS_PEERS) |
				SD_DISTURBANCE_BIT(UNEVEN_CORES) | SD_DISTURBANCE_BIT(QUOTA)),
		.id = "noise-beside-peers"};

	(void)f;
	if (c->loss->components & QUEUE && c->a->n_point > 1)
		sd_stated_keep(c, &s);
}

static sd_cause_row_state *const states[] = {state_taken, state_surely_taken, NULL};

const struct sd_cause_row sd_cause_row_NOISE = {
	.components = QUEUE,
	.of_others = 1,
	.state = states,
	.next = "measure again on a quiet machine",
	.advice = {"measure on a machine that runs nothing else"},
};
