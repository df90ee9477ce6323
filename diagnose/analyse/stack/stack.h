/*
 * The points of the analysis: times, speedups and the stack, with their bootstrap intervals
 * (METHODS 2 and 5).
 */
#ifndef SD_STACK_H
#define SD_STACK_H

#include <stdint.h>

#include "accounting/account.h"
#include "analysis/analysis.h"
#include "runs/run_selection.h"
#include "metrics/metric_eval.h"

/* The last point against the reference, for every resample: the basis of the verdicts. */
struct sd_loss {
	double n; /* cores of the last point */
	unsigned known_ref, known;
	unsigned long components;            /* a bit for each component of its stack */
	double added[SD_COMPONENT_COUNT];    /* cores, sd_account_added of the point estimate */
	double stack[SD_COMPONENT_COUNT];    /* cores, sd_account_stack of the point estimate */
	double *added_sample, *stack_sample; /* owned; [resample][component] */
	size_t n_sample;
	size_t runs; /* of the point that has fewer; with few, the samples are all pairs of runs,
			not a bootstrap */
};

/*
 * Fills out->point (already allocated, choice->n_point entries) except for `shown`, out->bootstraps
 * and *loss. Whole runs are drawn for the reference and every point, and everything is recomputed
 * from each draw. 0 or -ENOMEM; *loss must be freed in every case.
 */
int sd_stack_fill(const struct sd_run_selection *choice, const struct sd_model *model,
	uint64_t seed, struct sd_analysis *out, struct sd_loss *loss);
void sd_loss_free(struct sd_loss *loss); /* accepts the zeroed value */

#endif
