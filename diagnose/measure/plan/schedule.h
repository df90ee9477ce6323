/*
 * Which runs the plan still lacks, given the record. Pure.
 */
#ifndef SD_SCHEDULE_H
#define SD_SCHEDULE_H

#include <stddef.h>

#include "record/record.h"

/* Target half width of the efficiency's interval, as a fraction (DESIGN 9). */
#define SD_SCHEDULE_PRECISION 0.02

/* The efficiency from which a program counts as scaling. To decide on which side of it a program
 * is, twice as many runs are spent as for the efficiency itself. */
#define SD_SCHEDULE_SCALES 0.95

/* Good runs of a point in the blocks. */
unsigned sd_schedule_runs(const struct sd_record *r, size_t point);

/* The pass that a run of this point and kind counts: of `first` the one that the point has least
 * often, until it has each twice. Then runs of blocks cycle twice through the first sd_plan_turn()
 * passes, then twice through the next ones. Others than those of blocks count the first. */
unsigned sd_schedule_pass(
	const struct sd_record *r, const struct sd_run *run, const struct sd_pass_list *first);

/* Does block `block` have a run of the point, however it ended? */
int sd_schedule_has(const struct sd_record *r, size_t point, unsigned block);

/* How often the point was run under the software PMU, however that ended, unless it was stopped. */
unsigned sd_schedule_simulated(const struct sd_record *r, size_t point);

/* The point that the counters sample in runs of their own (SD_RUN_MEMORY, SD_RUN_EVENTS): the one
 * with most cores, where what costs most is most visible; n_point: none has two or more. The second
 * tells whether such a run was done. */
size_t sd_schedule_sampled_point(const struct sd_plan *plan);
int sd_schedule_sampled_done(const struct sd_record *r, enum sd_run_kind kind);

/* The last block that was started; 0: none, or the first. */
unsigned sd_schedule_block(const struct sd_record *r);

/* Was a run of a block made, of whatever count? */
int sd_schedule_block_begun(const struct sd_record *r);

/* Was the first count run again after the last block? A quick look has no time for that. */
int sd_schedule_drift_done(const struct sd_record *r);

/* Median wall time of the point's good runs under plain conditions, s; NAN: none.
 */
double sd_schedule_wall(const struct sd_record *r, size_t point);

/* The minimum number of runs of a point, whatever its interval: min_repeats; or automatically 5, 7
 * below 2 s, 10 below 0.2 s (METHODS 5), and each pass of the first turn twice. */
unsigned sd_schedule_least(const struct sd_record *r, size_t point);

/*
 * Sets need[n_point] to 1 for points that need a run in the next block, else 0; returns how many, 0
 * also if out of memory. first: those without two runs, which is the least that has an interval;
 * only as many as were asked for. least: those without the minimum of runs, unless all lose so much
 * that fewer are enough (METHODS 5).
 */
size_t sd_schedule_need_first(const struct sd_record *r, unsigned char *need);
size_t sd_schedule_need_least(const struct sd_record *r, unsigned char *need);

/* The same, of the largest point alone; 0 where none has more than one core. */
size_t sd_schedule_need_largest(const struct sd_record *r, unsigned char *need);

/*
 * The same, and what only narrows. First all points
 * get their minimum of runs. Then, unless the number was given, those that do not have the passes
 * of `first` twice; and the largest one, together with the reference, if its efficiency is not
 * known precisely enough; without a budget only until this has
 * taken as long as the first part, or 20 s in all. A program that ran already and has one count
 * gets a window more each time, up to max_repeats. Returns how many, 0 also if out of memory;
 * *worst is the largest half width (0 while minimum runs are missing).
 */
size_t sd_schedule_need(const struct sd_record *r, const struct sd_pass_list *first,
	unsigned char *need, double *worst);

#endif
