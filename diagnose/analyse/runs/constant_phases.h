/*
 * Phases that are the same at every count, and that no count is the slower for: the set-up of a
 * program whose work grows with the cores, and what a benchmark that prints a rate does before and
 * after the phase that the rate is of.
 */
#ifndef SD_CONSTANT_PHASES_H
#define SD_CONSTANT_PHASES_H

#include "runs/run_selection.h"

/*
 * Changes the parts of the chosen runs, which still sum to 1 (METHODS 2.1.1). Weak scaling:
 * core-seconds that waited for code which takes as long as at the reference, and not omega times as
 * long, become useful, as omega times the reference's work has it in them. Rates: seconds in which
 * no thread ran at any count leave. 0 or -ENOMEM.
 */
int sd_constant_phases_settle(const struct sd_record *record, struct sd_run_selection *c);

#endif
