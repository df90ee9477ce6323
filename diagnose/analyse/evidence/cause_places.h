/*
 * Locates each cause in the program's own code, and adds what samples say about it.
 */
#ifndef SD_CAUSE_PLACES_H
#define SD_CAUSE_PLACES_H

#include "case/case.h"

typedef void sd_cause_parts_tell(struct sd_case *c, struct sd_finding *f);

/* Parts that hold the cores of a cause at the last point, unless it is growth of user time, and at
 * the reference. */
struct sd_cause_parts {
	unsigned long parts;  /* SD_PARTS_BY_STACK_BIT: that hold them */
	unsigned long evened; /* of these, what a fix leaves at the reference: shares that are made
				 even and code that is made parallel take one core as long */
	int allocating;       /* only below malloc and its like */
	int locking;          /* and user time that takes and releases locks */
	int tasking;          /* or where tasks are made and handed out, if that is it */
	unsigned stalls; /* bits: at the reference, what its instructions wait for, by counts */
	int atomics;     /* there, its atomic instructions: a word in two lines is dear on one
			    core */
	int found;       /* the next step was to look where it is */
	sd_cause_parts_tell *tell; /* what samples say besides */
};
extern const struct sd_cause_parts sd_cause_parts[SD_CAUSE_COUNT];

/* Adds places and sentences to every finding that is at least possible. */
void sd_cause_places_fill(struct sd_case *c);

/*
 * share[]: the division of one group's time at the last point by activity, over its sampled runs; 0
 * for activities of other groups. Returns the group's thread-seconds per run; 0: nothing was seen.
 */
double sd_cause_places_mix(
	const struct sd_chosen *p, enum sd_activity_group group, double share[SD_ACTIVITY_COUNT]);

/* Share below malloc and similar functions, of the cores that these parts added; < 0: unknown. */
double sd_cause_places_allocating(const struct sd_case *c, unsigned long parts);

/* Share in a runtime's code that creates and dispatches tasks, of a cause's cores as located by
 * samples; < 0: unknown. */
double sd_cause_places_tasking(const struct sd_case *c, enum sd_cause cause);

/* Share where objects become messages to other processes, of a cause's cores as located by samples;
 * < 0: unknown. */
double sd_cause_places_messages(const struct sd_case *c, enum sd_cause cause);

/* The same in functions that take and release locks. */
double sd_cause_places_locking(const struct sd_case *c, enum sd_cause cause);

/* The same on stacks with a function of the program's own. */
double sd_cause_places_own(const struct sd_case *c, enum sd_cause cause);

/* Share of read-write locks in the cost of locks, as located by samples; < 0: unknown. */
double sd_cause_places_rwlock(const struct sd_case *c);

/* Is more than half of the loss at barriers and around tasks in runtime code that creates and
 * dispatches tasks, and does that matter? Then all of it is barrier overhead (too fine a grain),
 * and what the runtime loses by its own locks, lines and memory is no separate cause. */
int sd_cause_places_is_tasking(const struct sd_case *c);

/* Share of the time in which a thread waits for a future that nobody keeps, which is destroyed
 * where it is made; adds the seconds of each such wait to weight[] of its spot unless that is NULL.
 */
double sd_cause_places_discarded(const struct sd_case *c, double *weight);

#endif
