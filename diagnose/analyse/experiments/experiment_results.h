/*
 * The effect of each experiment on the time: its pairs, as ratios with their intervals.
 */
#ifndef SD_EXPERIMENT_RESULTS_H
#define SD_EXPERIMENT_RESULTS_H

#include "analysis/analysis.h"
#include "runs/run_selection.h"
#include "record/record.h"

/* With fewer pairs than this nothing is said: two agree by chance too often. */
#define SD_EXPERIMENT_RESULTS_LEAST 3u

/*
 * Fills out->tested (n_tested of the plan's experiments) but for `loss` and `seen`. A pair counts
 * when both its runs ended well in one state of the machine, whichever: pairs of both states
 * together, of what concerns software alone, unless three or more of each contradict each other;
 * else those of the compared state, or where these are fewer than three and those of the other are
 * not, the other's (`elsewhere`). 0 or -ENOMEM.
 */
int sd_experiment_results_fill(const struct sd_record *record,
	const struct sd_run_selection *choice, struct sd_analysis *out);

/*
 * Calls `each` with every pair that counts of the plan's experiment `index` at a point; of one
 * without the program in it `plain` is NULL. Returns how many.
 */
size_t sd_experiment_results_pairs(const struct sd_record *record,
	const struct sd_run_selection *choice, size_t index, size_t point,
	void (*each)(void *ctx, const struct sd_run *plain, const struct sd_run *changed),
	void *ctx);

/* Mean share of the bytes of the program's files that was in the page cache before its runs in this
 * arm of the experiment about it, 0..1; absent without such runs. */
struct sd_value sd_experiment_results_cached(const struct sd_record *record, enum sd_arm arm);

/* The seconds that stand for a run of an experiment: of copies the mean of theirs; 0 unknown. */
double sd_experiment_results_time(const struct sd_record *record, const struct sd_run *run);

#endif
