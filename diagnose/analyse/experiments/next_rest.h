/*
 * Whether to wait until the machine changes its state before the next run: a pure function of what
 * is known so far (METHODS 4.5).
 */
#ifndef SD_NEXT_REST_H
#define SD_NEXT_REST_H

#include "case/case.h"

/*
 * A rest, where runs of one state are compared, the other one was on after the last run, and it is
 * expected to end before so many runs of it were made that it would be the compared one (`block` s
 * for a run of every count). Its expected length is the time that was seen in that state over the
 * number of its ends that were seen, which for a state that ends at any moment alike does not
 * depend on how long it has been on. {0}: none, no end was seen yet, or there is no time left for
 * it.
 */
struct sd_rest sd_next_rest(const struct sd_case *c, double block);

#endif
