/*
 * How long runs under the software PMU that nobody asked for may take: pure functions of the
 * record. `largest` is the experiment's point; the other one is the reference, and comes after it.
 */
#ifndef SD_SIMULATION_TIME_H
#define SD_SIMULATION_TIME_H

#include <stddef.h>

#include "record/record.h"

/* s that a run of the point may take; what is counted until then is kept. Three times what its CPU
 * time makes of it: as many times that as the record's slowest run under the software PMU took,
 * and at least what is usual. */
double sd_simulation_time_limit(const struct sd_record *r, size_t point);

/* s, estimated, that counting the instructions of all of the program takes, without a model. */
double sd_simulation_time_count(const struct sd_record *r);

/* The most s for that, without a time limit of the user's. */
#define SD_SIMULATION_TIME_COUNT 15.0

/*
 * Do the moves of lines in the part that was simulated take more than half of what is lost? Then
 * sharing is the cause whatever the rest does, and neither a reference on one core, which has no
 * moves, nor the instructions of all of it say more (METHODS 6.2). `part` is of the largest point;
 * NULL: what the record has of it.
 */
int sd_simulation_time_is_sharing(
	const struct sd_record *r, size_t largest, const struct sd_simulated *part);

/* s of a first look at the largest point: code that shares lines moves ten million of them in that
 * time, which is more than half of any loss of a second. What shares none is simulated for longer
 * after it. */
#define SD_SIMULATION_TIME_LOOK 2.0

/* s for a run of `point`: its limit, or what the time there is has left for it, less what counting
 * all of it takes where that fits. `gone`: s since the record's last run, which that does not know
 * of. */
double sd_simulation_time_run(const struct sd_record *r, size_t largest, size_t point, double gone);

/* s for counting all of what was simulated only in part, after a run of `point` that took so long:
 * what is left, besides the reference if that is still to come. */
double sd_simulation_time_after(const struct sd_record *r, size_t point, double took);

#endif
