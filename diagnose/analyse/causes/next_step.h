/*
 * The next step that would decide about an open cause: an experiment that has not been made, or one
 * beyond experiments.
 */
#ifndef SD_NEXT_STEP_H
#define SD_NEXT_STEP_H

#include "causes/cause_row.h"

/* Owned by the caller; NULL: nothing is known to, or no memory (then c->rc is -ENOMEM). */
char *sd_next_step(struct sd_case *c, const struct sd_cause_row *r, enum sd_cause cause);

/* Replaces the next step by the option that makes a runtime tell names, where the place of the
 * cause is nameless code that this runtime made. */
void sd_next_step_names(struct sd_case *c, struct sd_finding *f);

#endif
