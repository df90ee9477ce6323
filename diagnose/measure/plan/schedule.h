/*
 * Which runs the plan still lacks, from what the record holds. Pure.
 */
#ifndef SD_SCHEDULE_H
#define SD_SCHEDULE_H

#include <stddef.h>

#include "record/record.h"

/* Half width of the efficiency's interval that is aimed at, in parts of 1 (DESIGN 9). */
#define SD_SCHEDULE_PRECISION 0.02

/* What is held to scale, as an efficiency: on which side of it a program is, is worth twice as many
 * runs as its distance from it. */
#define SD_SCHEDULE_SCALES 0.95

/* A line-transfer time this much longer or shorter is another state of the machine (DESIGN 9: seen
 * were factors of 2 to 5; the probe itself repeats to some percent). */
#define SD_SCHEDULE_STATE 1.6

/* True when the program ended well in this run. */
int sd_schedule_good(const struct sd_run *run);

/* True when the machine was in another state after the run than before. */
int sd_schedule_mixed(const struct sd_run *run);

/* Good runs of a point in the blocks. */
unsigned sd_schedule_runs(const struct sd_record *r, size_t point);

/* The pass that a run of its point and kind is to count: the runs of the blocks take them in turn,
 * the others count the first. */
unsigned sd_schedule_pass(const struct sd_record *r, const struct sd_run *run);

/* True when block `block` has a run of the point, however it ended. */
int sd_schedule_has(const struct sd_record *r, size_t point, unsigned block);

/* True when the software PMU has run the point, however that ended, unless it was stopped. */
int sd_schedule_simulated(const struct sd_record *r, size_t point);

/* The point whose loads and stores are sampled: the one with most cores, where sharing shows most;
 * n_point: there is none with two or more. And whether that was done. */
size_t sd_schedule_memory_point(const struct sd_plan *plan);
int sd_schedule_memory_done(const struct sd_record *r);

/* The last block that was begun; 0 when none was. */
unsigned sd_schedule_block(const struct sd_record *r);

/* True when the first count was run again after the last block. */
int sd_schedule_drift_done(const struct sd_record *r);

/* Median wall time of the point's good runs under plain conditions, in s; NAN when there is none.
 */
double sd_schedule_wall(const struct sd_record *r, size_t point);

/* The minimum number of runs of a point, whatever its interval: min_repeats; or automatically 5, 7
 * below 2 s, 10 below 0.5 s (METHODS 5), and each pass of the hardware counters twice. */
unsigned sd_schedule_least(const struct sd_record *r, size_t point);

/*
 * Half the width of the 95 % interval of the point's efficiency, in parts of 1: 0 for the reference
 * point, INFINITY when a point has too few runs to say. Runs are compared within the state of the
 * machine that most runs were in; mixed and disturbed ones are left out.
 */
double sd_schedule_halfwidth(const struct sd_record *r, size_t point);

/*
 * The points that need a run in the next block: need[n_point] becomes 0 or 1. First all get their
 * least number of runs; then, unless the number was given, those whose efficiency is not yet known
 * get more, and the reference with them; without a budget, until this has taken as long as the
 * first did, or 25 s in all. Returns how many; *worst is the largest half width (0 while the least
 * runs are missing).
 */
size_t sd_schedule_need(const struct sd_record *r, unsigned char *need, double *worst);

#endif
