/*
 * Does the program scale? And may causes be named?
 */
#ifndef SD_SCALING_VERDICT_H
#define SD_SCALING_VERDICT_H

#include "case/case.h"
#include "ledger/ledger.h"

/* Fills c->lost, the difference of the two points' times beyond their noise, and the smallest one
 * that could have been seen. 0 or -ENOMEM. */
int sd_scaling_verdict_compare(struct sd_case *c);

/* Fills c->scales and c->lost; the latter of the above and c->a->whole must be there. */
void sd_scaling_verdict_decide(struct sd_case *c);

/* Cores that were lost as it was seen, N (1 - E). Absent where the runs do not tell. */
struct sd_interval sd_scaling_verdict_loss(const struct sd_case *c);

/* Says why c->a->scales, which is the ledger's, is not known: what disturbed it by how much. */
void sd_scaling_verdict_say(struct sd_case *c, const struct sd_ledger *l);

#endif
