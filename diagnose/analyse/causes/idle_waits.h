/*
 * What the causes of idle cores have in common: components that only thread states tell, and the
 * parts of them that are another cause's.
 */
#ifndef SD_IDLE_WAITS_H
#define SD_IDLE_WAITS_H

#include "case/case.h"

/* Were they measured, with an interval? Else says why not. */
int sd_idle_waits_known(struct sd_case *c, struct sd_finding *f, unsigned long components);

/*
 * The share of a cause's waits that is surely not another's: not below malloc and its like (parts:
 * SD_PARTS_BY_STACK_BIT; 0 none), and not where a runtime hands out tasks. Says whose the rest is.
 */
double sd_idle_waits_own(struct sd_case *c, struct sd_finding *f, unsigned long parts);

/* `v` times `share`. */
struct sd_interval sd_idle_waits_part(struct sd_interval v, double share);

/*
 * Whether the calls that put threads to sleep and wake them may be any part of the system time:
 * threads wait for locks, and there are no samples in the kernel to tell. A futex that has changed
 * by the time it is asked for returns at once, so context switches are no bound on the calls.
 */
int sd_idle_waits_of_calls(const struct sd_case *c);

/* Spinning that hides waits: what is told apart as such, or all that user time grew by. */
unsigned long sd_idle_waits_hiding(const struct sd_case *c);

#endif
