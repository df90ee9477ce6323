/*
 * User time at atomic instructions: a counter that all threads add to, a reference count, a word
 * that says whose turn it is. Each of them needs its line for itself, and a core that waits for the
 * line stands there (METHODS 3, true sharing).
 */
#ifndef SD_ATOMIC_TIME_H
#define SD_ATOMIC_TIME_H

#include "case/case.h"

struct sd_atomic_time {
	double cores; /* of the last point, that user time at them grew by */
	double share; /* of all growth of user time; 0: unknown, or there is no growth */
};

/* Of samples at the reference and the last point. */
void sd_atomic_time_find(const struct sd_case *c, struct sd_atomic_time *out);

#endif
