/*
 * The prediction for core counts that were not measured (METHODS 6.1): an envelope of several laws
 * bounded by known limits, or the reason why there is none.
 */
#ifndef SD_PREDICT_H
#define SD_PREDICT_H

#include "analysis/analysis.h"
#include "runs/run_selection.h"
#include "record/record.h"

/* Core counts that a prediction needs, which use cores in the same way and have at least two runs
 * each. With fewer no law can be tested on the last of them. */
#define SD_PREDICT_POINTS 4u

/*
 * Fills out->outlook from the points, their runs and the locks of *out. Laws are fitted to the
 * counts that use cores like the last one: each part's core-seconds by the law of least AICc (from
 * five counts on; with fewer, three laws of the total), Amdahl's law, and the USL (from six on),
 * each as fitted and moved through the last point, on resamples of whole runs. The envelope
 * contains them all and is widened by the error of the best law at the last count when fitted
 * without it. 0 or -ENOMEM.
 */
int sd_predict_fill(
	const struct sd_record *r, const struct sd_run_selection *choice, struct sd_analysis *out);

/* Withdraws the prediction if out->no_verdict says that the runs decide nothing, since then they do
 * not tell whether more cores pay either. 0 or -ENOMEM. */
int sd_predict_withdraw(struct sd_analysis *out);

#endif
