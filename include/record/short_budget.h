/*
 * The time that a diagnosis takes without a given budget: 20 s for programs of half a second a run
 * or less, then longer, 100 s at five seconds, and 14 runs' time from 20 s on, what a run takes
 * being the mean over the counts of their median runs; for one core and two, and more for more
 * counts. The fastest run of a machine that is slow half of the time would leave no experiment what
 * a pair takes there. Everything shares
 * it except the minimum runs of every count, which are made whatever they take.
 */
#ifndef SD_SHORT_BUDGET_H
#define SD_SHORT_BUDGET_H

#include "record/record.h"

/* s from the first run of a program of half a second to the last; the rest of the 20 s is for the
 * work before and after. */
#define SD_SHORT_BUDGET_S 19.0
/* Experiments together may take this many times the plain runs' time, but always these seconds. */
#define SD_EXPERIMENTS_SHARE 1.5
#define SD_EXPERIMENTS_S 20.0
/* s that a brief calibration of three kernels takes. */
#define SD_SHORT_BUDGET_NODE_S 3.0

/* Runs of every count of a program whose answer is known, and its loss to a fifth: with two no run
 * is told from another that was disturbed. */
#define SD_SHORT_BUDGET_FEWEST 3u

/* Runs that a count gets in any case, unless their number was given, of a program whose runs take
 * so long; NAN: nobody knows yet. */
unsigned sd_short_budget_runs(double wall);

/* s that it is for so many counts, of a program that takes so long on average. */
double sd_short_budget_of(double wall, size_t counts);

/*
 * Seconds of it left after the record's runs, including runs that were not kept but not a pause of
 * the whole measurement, or of one run: a plain one that took 20 s more than three usual ones
 * counts as a usual one. Times of day that jump back are no time. Never below 0. INFINITY: the plan
 * has a budget of its own, or nobody knows yet how long a run takes.
 */
double sd_short_budget_left(const struct sd_record *r);

/* s of it that runs which only narrow an interval leave to experiments. */
double sd_short_budget_experiments(const struct sd_record *r);

/* s kept for the software PMU where it is to decide. */
double sd_short_budget_counts(const struct sd_record *r);

/* The least of the largest point under the software PMU, s: a shorter run seldom says anything; and
 * of the reference, which on one core has no moves of lines, however little of it is simulated. */
double sd_short_budget_simulated(const struct sd_record *r);
double sd_short_budget_reference(const struct sd_record *r);

/* s reserved at its end for calibrating the node; 0 if it is calibrated, or there is no time for
 * that. */
double sd_short_budget_node(const struct sd_record *r);

/* s of the runs that every count gets in any case and the record lacks, and of the first count once
 * more. */
double sd_short_budget_plain(const struct sd_record *r);

/* s reserved for neither the program's runs nor experiments: of a calibration, and of counting what
 * was simulated only in part. */
double sd_short_budget_kept(const struct sd_record *r);

#endif
