/*
 * Statements that the causes of idle cores have in common: components that only thread states tell,
 * and the parts of them that are another cause's.
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

/*
 * Whether nothing tells serial code from imbalance: without samples a thread for which the others
 * wait is a peer at their barrier once it was seen to wait there itself, which looks at threads
 * catch in one run and miss in the next. Runs of one program that were told apart both ways show
 * it.
 */
int sd_idle_waits_both_ways(const struct sd_case *c);

/* Says so, and that none of *v is sure. */
void sd_idle_waits_say_both_ways(
	struct sd_case *c, struct sd_finding *f, enum sd_cause other, struct sd_interval *v);

/* Spinning that hides waits: what is told apart as such, or all that user time grew by. */
unsigned long sd_idle_waits_hiding(const struct sd_case *c);

#endif
