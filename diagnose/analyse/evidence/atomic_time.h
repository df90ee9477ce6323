/*
 * User time at atomic instructions: a shared counter, a reference count, a ticket. Each needs
 * exclusive ownership of its line, and a core that waits for the line is sampled there
 * (METHODS 2.3.12 and 3, true sharing).
 */
#ifndef SD_ATOMIC_TIME_H
#define SD_ATOMIC_TIME_H

#include "case/case.h"

struct sd_atomic_time {
	double cores; /* growth of user time at them, in cores of the last point */
	double share; /* share of all growth of user time; 0: unknown, or no growth */
};

/* From samples at the reference and the last point. */
void sd_atomic_time_find(const struct sd_case *c, struct sd_atomic_time *out);

/* Core-s of it in a run of the reference; 0: none, or nobody sampled it. */
double sd_atomic_time_reference(const struct sd_case *c);

/* Share of user time at the last point that was at them; < 0: nobody sampled it. */
double sd_atomic_time_share(const struct sd_case *c);

#endif
