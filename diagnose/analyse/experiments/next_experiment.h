/*
 * Which experiment says most next: a pure function of the record and what is known from it.
 */
#ifndef SD_NEXT_EXPERIMENT_H
#define SD_NEXT_EXPERIMENT_H

#include "analysis/analysis.h"
#include "ledger/narrowing.h"
#include "record/record.h"

/* Auto may spend SD_EXPERIMENTS_SHARE of the plain runs' time, 2.5 times it with these. Where those
 * were few it may take so many seconds: pairs that scatter say something only when there are more
 * of them. It also ends in time for what else belongs into the whole (short_budget.h). */

/* The plan's first experiment that was asked for and can go on; a->n_tested: there is none. */
size_t sd_next_experiment_asked(const struct sd_record *r, const struct sd_analysis *a);

/*
 * The plan's experiment of which a pair of runs is to be made next: one that was asked for; one
 * whose pairs are too few to say anything; else the one that is expected to narrow the bounds of
 * the causes that are open most for each second (METHODS 4.5), of those that can be done in the
 * time there is. GO_ON with its *index and the cores that it is expected to narrow for each second,
 * INFINITY where it was asked for or begun, and what is expected of it in *is; or why there is
 * none, with *rate 0.
 */
enum sd_narrowing_end sd_next_experiment(const struct sd_record *r, const struct sd_analysis *a,
	const struct sd_ledger *l, size_t *index, struct sd_run_choice *is, double *rate);

/* Says of each experiment that was never begun why (tested[].skipped), for a finished record. 0 or
 * -ENOMEM. */
int sd_next_experiment_undone(const struct sd_record *r, const struct sd_ledger *l,
	enum sd_narrowing_end end, struct sd_analysis *a);

#endif
