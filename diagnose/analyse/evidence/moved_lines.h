/*
 * Lines that go from core to core as counts alone show them, and locked accesses beside them: the
 * origin paper's signs of sharing and of a lock that threads contend for.
 */
#ifndef SD_MOVED_LINES_H
#define SD_MOVED_LINES_H

#include "case/case.h"

/* Do lines that other caches held modified come with the cores, so many that they may matter where
 * nobody knows what one costs? */
int sd_moved_lines_matter(const struct sd_case *c);

/*
 * Locked accesses that found their line exclusive or modified, per line that another cache held
 * modified, at the last point. 0: they were not counted, did not grow with these lines, or are too
 * few to be what moves.
 */
double sd_moved_lines_locked(const struct sd_case *c);

/* Says both at the reference and at the last point. */
void sd_moved_lines_say_locked(struct sd_case *c, struct sd_finding *f);

#endif
