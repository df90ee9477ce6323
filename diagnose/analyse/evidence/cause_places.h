/*
 * The place of each cause in the program's own code, and what samples say about it.
 */
#ifndef SD_CAUSE_PLACES_H
#define SD_CAUSE_PLACES_H

#include "case/case.h"

/* Names places and adds sentences to every finding that is possible or stronger. */
void sd_cause_places_fill(struct sd_case *c);

/*
 * Cores of the last point by activity, over its sampled runs, as shares of those of one group;
 * share[] is 0 for the others. The group's thread-seconds a run; 0: nothing was seen.
 */
double sd_cause_places_mix(
	const struct sd_chosen *p, enum sd_activity_group group, double share[SD_ACTIVITY_COUNT]);

/* The share of the cores that these parts added which is below malloc and its like; < 0 unknown. */
double sd_cause_places_allocating(const struct sd_case *c, unsigned long parts);

/* Of the cores that a cause has, as samples place them, those in a runtime's code that makes tasks
 * and hands them out; < 0: unknown. */
double sd_cause_places_tasking(const struct sd_case *c, enum sd_cause cause);

/* Is more than half of what is lost at barriers and around tasks in the code of a runtime that
 * makes tasks and hands them out, and does that matter? Then barrier overhead (too fine a grain) is
 * all of it, and what the runtime loses by its own locks, lines and memory is no other cause's. */
int sd_cause_places_is_tasking(const struct sd_case *c);

#endif
