/*
 * Sleep, and waits for pipes and sockets, that cores do not shorten: no cause is listed for them.
 */
#ifndef SD_OWN_WAITS_H
#define SD_OWN_WAITS_H

#include "case/case.h"

/* Fills c->a->own_wait: absent unless one of them is surely half of the loss at the last point. */
void sd_own_waits_find(struct sd_case *c);

#endif
