/*
 * Does the program scale? And may causes be named?
 */
#ifndef SD_SCALES_H
#define SD_SCALES_H

#include "causes/judge.h"

/* Fills c->lost, the difference of the two points' times beyond their noise, and the smallest one
 * that could have been seen. 0 or -ENOMEM. */
int sd_scales_compare(struct sd_case *c);

/* Fills c->a->scales, c->scales and c->lost, and says why where it is not known. c->lost of the
 * above and c->a->whole must be there. */
void sd_scales_decide(struct sd_case *c);

#endif
