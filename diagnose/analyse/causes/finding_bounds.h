/*
 * The findings of the ledger: all sources state their bounds, and what these amount to becomes the
 * verdicts, their order, whether the program scales, and the gains (METHODS 4).
 */
#ifndef SD_FINDING_BOUNDS_H
#define SD_FINDING_BOUNDS_H

#include "case/case.h"
#include "ledger/ledger.h"

/* Fills c->said, then c->a->finding, which are by cause, and
 * c->a->scales. The ledger borrows from the case. 0 or -ENOMEM. */
int sd_finding_bounds_fill(struct sd_case *c, struct sd_ledger *l);

/* Then advice and next steps of each, and a->undecided. */
void sd_finding_bounds_advise(struct sd_case *c);

/* Brings the findings into the order of their bounds, those that nothing is claimed of last. */
void sd_finding_bounds_sort(struct sd_case *c, const struct sd_ledger *l);

#endif
