/*
 * Who did how much of a team's work, by the totals of a run, and what follows from that for those
 * that waited in loops.
 *
 * Phases shorter than what lies between the ticks of two CPUs' clocks (trace.c) are in no
 * snapshot: the samples of one moment are of two phases. But the totals of such a run are an
 * identity. All threads of a team are on their CPUs all the time, so what thread t spun more than
 * thread m is what m did more of work: of code that m alone runs, which is serial, and of code that
 * both run, with which m is late every time, or most times.
 */
#ifndef SD_WORK_SHARES_H
#define SD_WORK_SHARES_H

#include "trace/timeline.h"
#include "attribute/concurrent_code.h"

struct sd_work_shares {
	unsigned char
		*is; /* owned; by node: its code is run by one thread alone, the same for all */
	size_t n;
	double own;    /* s of it */
	double serial; /* s that the others spun and that it explains; 0: nothing of it is so */
	double late;   /* s that was spun for one that did more of the work of all, beyond chance */
};

/* From the samples of a timeline whose nodes the twins know. 0 or -ENOMEM; to be freed in either
 * case. */
int sd_work_shares_find(struct sd_work_shares *x, const struct sd_timeline *t,
	const struct sd_concurrent_code *twins);

int sd_work_shares_own(const struct sd_work_shares *x, unsigned node);

void sd_work_shares_free(struct sd_work_shares *x); /* accepts {0} */

#endif
