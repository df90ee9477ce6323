/*
 * The prediction for core counts that were not measured (METHODS 6.1): an envelope of several laws,
 * bounded by what is known of the limits, or why there is none.
 */
#ifndef SD_PREDICT_H
#define SD_PREDICT_H

#include "analysis/analysis.h"
#include "runs/run_selection.h"
#include "record/record.h"

/* Counts that use cores in the same way, each with two runs at least, that a prediction needs: with
 * fewer no law can be tried on the last of them. */
#define SD_PREDICT_POINTS 4u

/*
 * Fills out->outlook from the points, their runs and the locks of *out. Laws fitted to the counts
 * that use cores as the last one does: the parts' core-seconds, each by the law of least AICc (five
 * counts or more; with fewer, three laws of the whole), Amdahl's law, the USL (six or more). Each
 * as it is and moved through the last point, from resamples of whole runs; the envelope holds them
 * all and is widened by what the best of them missed the last count by, when it was fitted without
 * it. 0 or -ENOMEM.
 */
int sd_predict_fill(
	const struct sd_record *r, const struct sd_run_selection *choice, struct sd_analysis *out);

/* Takes the prediction back where out->no_verdict says that the runs decide nothing: nor do they
 * tell whether more cores pay. 0 or -ENOMEM. */
int sd_predict_withdraw(struct sd_analysis *out);

#endif
