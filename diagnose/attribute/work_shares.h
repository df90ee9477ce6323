/*
 * How much of a team's work each thread did, by the totals of a run, and what that implies for
 * threads that spun (METHODS 2.3.5).
 *
 * Snapshots cannot resolve phases shorter than the distance between two CPUs' ticks (trace.c): the
 * samples of one moment show two phases. But the totals of a run obey an identity. All threads of a
 * team are on their CPUs all the time, so what thread t spun more than thread m is what m worked
 * more: in code that m alone runs, which is serial, and in code that both run, with which m is late
 * every time, or most times.
 */
#ifndef SD_WORK_SHARES_H
#define SD_WORK_SHARES_H

#include "trace/timeline.h"
#include "attribute/concurrent_code.h"

struct sd_work_shares {
	unsigned char *is; /* owned; by node: its code is run by one thread only, always the same */
	size_t n;
	double own;    /* s of such code */
	double serial; /* s spun by the others that it explains; 0: none */
	double late;   /* s spun for a thread that did significantly more of the shared work */
};

/* Uses the samples of a timeline whose nodes the twins know. 0 or -ENOMEM; must be freed in either
 * case. */
int sd_work_shares_find(struct sd_work_shares *x, const struct sd_timeline *t,
	const struct sd_concurrent_code *twins);

int sd_work_shares_own(const struct sd_work_shares *x, unsigned node);

void sd_work_shares_free(struct sd_work_shares *x); /* accepts {0} */

#endif
