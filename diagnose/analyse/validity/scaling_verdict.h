/*
 * Does the program scale? And may causes be named?
 */
#ifndef SD_SCALING_VERDICT_H
#define SD_SCALING_VERDICT_H

#include "case/case.h"

/* Fills c->lost, the difference of the two points' times beyond their noise, and the smallest one
 * that could have been seen. 0 or -ENOMEM. */
int sd_scaling_verdict_compare(struct sd_case *c);

/* Fills c->a->scales, c->scales and c->lost, and says why where it is not known. c->lost of the
 * above and c->a->whole must be there. */
void sd_scaling_verdict_decide(struct sd_case *c);

#endif
