/*
 * The rules as passed to the probes: an account of idle cores for the poller, the whole attribution
 * for a recorded timeline.
 */
#include "probe/accountant.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "attribute/bin_lanes.h"
#include "attribute/blame.h"
#include "attribute/fill_gaps.h"
#include "attribute/idle_account.h"
#include "attribute/lane_spans.h"
#include "attribute/own_words.h"
#include "attribute/same_code.h"
#include "mpi/mpi_account.h"
#include "requests/request_split.h"

/* ---- threads that are looked at -------------------------------------------------------------- */

struct looks {
	struct sd_idle_account account;
	struct sd_same_code codes;
};

static int begin_looks(void **state, unsigned cores, int first)
{
	struct looks *const l = calloc(1, sizeof *l);

	*state = l;
	if (!l)
		return -ENOMEM;
	l->account.cores = cores;
	l->account.codes = &l->codes;
	l->account.first = first;
	return 0;
}

static int add_look(void *state, const struct sd_thread_views *threads, const struct sd_code *code)
{
	struct looks *const l = state;

	l->account.sampled = 0;
	if (code)
		sd_idle_account_code(&l->account, threads, l->account.first, code);
	return sd_idle_account_add(&l->account, threads);
}

/* Only the cgroup knows what was throttled; to everyone else a throttled thread looks runnable. */
static void give_idle(double idle[SD_IDLE_COUNT], struct sd_run *run)
{
	const struct sd_value throttled = run->metric[SD_METRIC_THROTTLED];

	if (sd_has(throttled))
		sd_idle_classes_throttle(idle, throttled.value);
	for (int i = 0; i < SD_IDLE_COUNT; i++)
		run->idle[i] = SD_OK(idle[i]);
}

static void end_looks(void *state, struct sd_run *run)
{
	struct looks *const l = state;
	double idle[SD_IDLE_COUNT];

	sd_idle_account_total(&l->account, idle);
	give_idle(idle, run);
	run->concurrency = l->account.concurrency;
	run->n_concurrency = l->account.n_concurrency;
	l->account.concurrency = NULL;
	l->account.n_concurrency = 0;
}

static void close_looks(void *state)
{
	struct looks *const l = state;

	if (l)
		sd_idle_account_free(&l->account);
	free(l);
}

/* ---- a timeline ------------------------------------------------------------------------------ */

/* The exact account replaces the poller's. */
static int give_exact(const struct sd_blame *b, struct sd_run *run)
{
	const size_t n = b->division.n_concurrency;
	double idle[SD_IDLE_COUNT], *const concurrency = calloc(n + 1, sizeof *concurrency);

	if (!concurrency)
		return -ENOMEM;
	if (n)
		memcpy(concurrency, b->division.concurrency, n * sizeof *concurrency);
	free(run->concurrency);
	run->concurrency = concurrency;
	run->n_concurrency = n;
	sd_blame_idle(b, idle);
	give_idle(idle, run);
	run->sampled.idle = 1;
	return 0;
}

static int give_lanes(
	const struct sd_timeline *t, const struct sd_accountant_run *of, struct sd_run *run)
{
	struct sd_thread_lanes_run lanes;
	int rc;

	if (!of->lane_steps)
		return 0;
	rc = sd_lane_spans_make(t, SD_THREAD_LANES_SPANS, &lanes);
	rc = rc ? rc : sd_bin_lanes(&lanes, of->stacks, of->lane_steps, &run->lanes);
	sd_thread_lanes_run_free(&lanes);
	return rc;
}

/* The switches of short requests have to be apart: no two are merged. */
static int give_requests(
	const struct sd_timeline *t, const struct sd_accountant_run *of, struct sd_run *run)
{
	const struct sd_value *const quota = &run->metric[SD_METRIC_THROTTLED];
	struct sd_thread_lanes_run lanes;
	int rc;

	if (!run->regions || !run->regions->n_entry)
		return 0;
	rc = sd_lane_spans_make(t, SIZE_MAX, &lanes);
	if (!rc)
		rc = sd_request_split_fill(&(struct sd_request_split){.timeline = t,
						   .lanes = &lanes,
						   .stacks = of->stacks,
						   .throttled = sd_has(*quota) && quota->value > 0},
			run->regions);
	sd_thread_lanes_run_free(&lanes);
	return rc;
}

static int attribute(struct sd_timeline *t, const struct sd_accountant_run *of, struct sd_run *run)
{
	struct sd_blame blame;
	int rc = give_lanes(t, of, run); /* before the gaps are filled by what is likely */

	rc = rc ? rc : give_requests(t, of, run);
	rc = rc ? rc : sd_fill_gaps(t);
	rc = rc ? rc : sd_own_words_merge(t, of->stacks);
	if (rc)
		return rc;
	rc = sd_blame_make(&blame, t, of->stacks, of->cores);
	if (!rc && sd_has(run->metric[SD_METRIC_TASK_CLOCK]))
		sd_blame_correct(&blame, run->metric[SD_METRIC_TASK_CLOCK].value);
	if (!rc)
		rc = sd_blame_rows(&blame, of->stacks, &run->sampled);
	if (!rc && of->exact)
		rc = give_exact(&blame, run);
	sd_blame_free(&blame);
	return rc;
}

const struct sd_accountant sd_accountant_rules = {
	.begin = begin_looks,
	.look = add_look,
	.end = end_looks,
	.close = close_looks,
	.timeline = attribute,
	.ranks = sd_mpi_account,
};
