/*
 * Does the program scale? And may causes be named?
 */
#ifndef SD_SCALES_H
#define SD_SCALES_H

#include "rules.h"

/* Fills c->a->scales, c->scales and c->lost, and says why where it is not known. What compares the
 * times (c->lost) and c->a->whole must be there. */
void sd_scales_decide(struct sd_case *c);

#endif
