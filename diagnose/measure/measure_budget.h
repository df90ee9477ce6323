/*
 * Costs of the runs that the record still lacks, and whether a budget allows them.
 */
#ifndef SD_MEASURE_BUDGET_H
#define SD_MEASURE_BUDGET_H

#include "measure/measure_job.h"

/* When the budget ends, by sd_clock_s(); 0: there is none. */
double sd_measure_budget_end(const struct sd_measure_job *j);

/* When plain runs of the point end: those that are more than the least leave time to what
 * follows. */
double sd_measure_budget_plain_end(const struct sd_measure_job *j, size_t point);

/* True if a run of the point, and the drift check if still to come, will end by then. */
int sd_measure_budget_fits(const struct sd_measure_job *j, size_t point, int with_drift, double by);

/* True if every point is to be simulated and this one has not been yet. */
int sd_measure_budget_lacks_simulation(const struct sd_record *r, size_t point);

/* True if such samples (SD_RUN_MEMORY, SD_RUN_EVENTS) are to be taken and have not been yet. */
int sd_measure_budget_wants_samples(const struct sd_measure_job *j, enum sd_run_kind kind);

/* Is the first count to run once more at the end, to see whether the machine drifted? Not in a
 * quick look, nor where nothing is changed that could make a program drift that ran already, nor of
 * a modelled machine. */
int sd_measure_budget_wants_drift(const struct sd_measure_job *j);

/* s that experiments may still take after as much of plain runs; 0 without any. They often end
 * before, since they stop when no other would tell more. */
double sd_measure_budget_experiments(const struct sd_measure_job *j, double plain_left);

/* Estimates the number of runs certain to come, and their time, for the progress line. */
void sd_measure_budget_look_ahead(struct sd_measure_job *j);

/* s that the next simulation may take: each point still to be simulated gets an equal share of the
 * remaining budget; what it counts until then is kept. 0: no limit. */
double sd_measure_budget_simulated(const struct sd_measure_job *j);

/* Expected seconds of a pair of the plan's experiment `index`: those of its last pair, or an
 * estimate. A partial simulated run is still of use. */
double sd_measure_budget_pair(const struct sd_measure_job *j, size_t index);

#endif
