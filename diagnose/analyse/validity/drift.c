#include "validity/drift.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "base/statistics.h"

/* The plan asks for efficiencies to within 2 % (DESIGN 9): less drift than that does no harm. */
#define DRIFT_HARMLESS .02

/* How many times as long at most the drift runs took as the reference's because others used their
 * core, or did not any more: by the widths. 1 unknown. */
static double shared_drift(const struct sd_case *c)
{
	const struct sd_run_selection *choice = c->choice;
	double sum = 0;

	for (size_t i = 0; i < choice->n_drift; i++) {
		const struct sd_value w = choice->drift[i]->metric[SD_METRIC_WIDTH];

		if (!sd_has(w) || !(w.value > 0))
			return 1;
		sum += w.value / (double)choice->n_drift;
	}
	return c->neighbours.known && sum > 0 ? c->neighbours.ref / sum : 1;
}

int sd_drift_measure(const struct sd_case *c, struct sd_drift *out)
{
	const struct sd_run_selection *choice = c->choice;
	const size_t most = c->ref->n_run > choice->n_drift ? c->ref->n_run : choice->n_drift;
	double *const v = calloc(most ? most : 1, sizeof *v);
	double cv, before, shared;
	size_t n_ref, n;

	*out = (struct sd_drift){.status = SD_STATUS_ABSENT};
	if (!v)
		return -ENOMEM;
	n_ref = sd_run_selection_times(c->record, choice, c->ref->run, c->ref->n_run, v);
	cv = sd_statistics_cv(v, n_ref);
	before = n_ref ? sd_statistics_median(v, n_ref) : 0;
	n = sd_run_selection_times(c->record, choice, choice->drift, choice->n_drift, v);
	if (n && c->ref->plan == 0 && before > 0) {
		shared = shared_drift(c);
		out->status = SD_STATUS_OK;
		out->all = sd_statistics_median(v, n) / before - 1;
		/* what the core's other users may have done is no drift of the machine */
		out->own = out->all > 0 ? fmax(0, (1 + out->all) / fmax(1, shared) - 1)
					: fmin(0, (1 + out->all) / fmin(1, shared) - 1);
		out->noise = sd_statistics_smallest(cv, n_ref, cv, n);
	}
	free(v);
	return 0;
}

/* So many runs in any order are in that of their times once in 24. */
#define RISING_RUNS 4

/* Did each run of the point, which are sorted by their time, start after the shorter ones? */
static int rises(const struct sd_chosen *p)
{
	for (size_t j = 1; j < p->n_run; j++)
		if (!(p->run[j]->start > p->run[j - 1]->start))
			return 0;
	return p->n_run >= RISING_RUNS;
}

/* Warns of a program that takes longer each time: its work is not the same. */
static void check_rising(struct sd_case *c)
{
	const double shortest = c->ref->parts[0].time,
		     longest = c->ref->parts[c->ref->n_run - 1].time;

	if (c->ref == c->last || !rises(c->ref) || !rises(c->last) ||
		longest < (1 + 2 * SD_CASE_GATE) * shortest)
		return;
	sd_case_warn(c,
		"every run took longer than the one before (%.3g to %.3g s at %u core%s): does "
		"the program leave files that it reads again? --prepare COMMAND puts them back "
		"before each run",
		shortest, longest, c->ref->cores, c->ref->cores == 1 ? "" : "s");
	if (!c->a->no_verdict)
		c->a->no_verdict = "every run took longer than the one before: with the same work "
				   "each time (--prepare) runs would decide";
}

void sd_drift_check(struct sd_case *c)
{
	const double e = c->a->point[c->a->n_point - 1].efficiency.value;
	struct sd_drift d;
	double least;
	int matters;

	check_rising(c);
	c->rc |= sd_drift_measure(c, &d);
	if (d.status != SD_STATUS_OK)
		return;
	c->a->drift = SD_OK(d.all);
	least = fmax(DRIFT_HARMLESS, d.noise);
	/* a program whose work differs tells nothing about the machine */
	if (fabs(d.own) <= least || sd_status_measured(c->a->varied))
		return;
	/* of the cores, as much as a cause must have */
	matters = fabs(d.own) * e >= SD_CASE_GATE;
	sd_case_warn(c,
		"the machine drifted: %u core%s took %.1f %% %s at the end than "
		"before (more than %.1f %% is not noise)%s",
		c->ref->cores, c->ref->cores == 1 ? "" : "s", 100 * fabs(d.own),
		d.own > 0 ? "longer" : "shorter", 100 * least,
		matters ? "; bounds are that much wider: measure again on a steady machine"
			: "; that is little against what is lost");
	if (matters && !c->a->no_verdict)
		c->a->no_verdict = "the machine drifted while it was measured: measuring again on "
				   "a steady one would decide";
}
