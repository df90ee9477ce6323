/*
 * What would decide about a cause that is still open: an experiment, as long as it has not been
 * made, or what lies beyond it.
 */
#ifndef SD_NEXT_STEP_H
#define SD_NEXT_STEP_H

#include "causes/cause_row.h"

/* Owned by the caller; NULL: nothing is known to, or no memory (then c->rc is -ENOMEM). */
char *sd_next_step(struct sd_case *c, const struct sd_cause_row *r, enum sd_cause cause);

/* Where the place of a cause is code that a runtime made and has told no names of: what makes it
 * tell them, instead of what would decide. */
void sd_next_step_names(struct sd_case *c, struct sd_finding *f);

#endif
