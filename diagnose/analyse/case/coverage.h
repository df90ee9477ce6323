/*
 * The part of a cause that this CPU's counters see: its absence inside the part that they do not
 * see is no evidence (METHODS 4.1).
 */
#ifndef SD_COVERAGE_H
#define SD_COVERAGE_H

#include "case/case.h"

/* Fills c->blind from the counts at the judged point; c->model and c->after must be there. */
void sd_coverage_make(struct sd_case *c);

/* Says what the counts miss of the cause; nothing where they see all of it. */
void sd_coverage_say(struct sd_case *c, struct sd_finding *f);

#endif
