/*
 * An efficiency above 1: is it more than caches can explain?
 *
 * With the cores grow the caches, and user time that fits into them shrinks: that is the one way in
 * which the same work takes fewer core-seconds on more cores. Whatever else makes the reference
 * slower (a cold disk, a first run that fills somebody's cache, a machine that was busy then) is
 * none of the program's scaling, and no verdict is drawn from such a reference.
 */
#ifndef SD_SUPERLINEAR_H
#define SD_SUPERLINEAR_H

#include "case/case.h"

/*
 * The most that the efficiency of `cores` times as many cores can come to by caches that are as
 * many times as large, all of the user time being misses. Where the node is calibrated: the largest
 * step between neighbouring levels, L2 to LLC or LLC to memory. Else by the power law of misses
 * (miss rate proportional to size^-1/2; Hartstein et al., On the Nature of Cache Miss Behavior,
 * JILP 10 (2008)): sqrt(cores). When the work of a core stays as it is (weak scaling): 1.
 */
double sd_superlinear_most(const struct sd_calibration *k, double cores, int weak);

/* Sets c->a->no_verdict, and says so, when the efficiency at the last point is surely above that,
 * or its gain surely not in user time. */
void sd_superlinear_check(struct sd_case *c);

#endif
