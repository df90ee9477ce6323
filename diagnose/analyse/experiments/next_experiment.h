/*
 * Which experiment says most next: a pure function of the record and what is known from it.
 */
#ifndef SD_NEXT_EXPERIMENT_H
#define SD_NEXT_EXPERIMENT_H

#include "analysis/analysis.h"
#include "record/record.h"

/* What auto may take, in the time of the plain runs: all together then take 2.5 times those. Where
 * those were few it may take so many seconds: pairs that scatter say something only when there are
 * more of them. Of a short program it also ends in time for what else belongs into the minute
 * (short_budget.h). */
#define SD_NEXT_EXPERIMENT_SHARE 1.5
#define SD_NEXT_EXPERIMENT_S 20.0

/*
 * The plan's experiment of which a pair of runs is to be made next: the first in order that can be
 * done, that was asked for or says something of a cause which is still open, and whose pairs do not
 * yet say it. One that was begun gets its least pairs, and none but copies gets more before all
 * have those: what one experiment sees at once is not left out because another sees little. 1 and
 * *index; 0: there is none.
 */
int sd_next_experiment(const struct sd_record *r, const struct sd_analysis *a, size_t *index);

/* Of a finished record: says of each experiment that was never begun why (tested[].skipped). 0 or
 * -ENOMEM. */
int sd_next_experiment_undone(const struct sd_record *r, struct sd_analysis *a);

#endif
