/*
 * Functions that wait or spin for locks, or are waited for: what they write may be written under
 * one.
 */
#ifndef SD_LOCK_USERS_H
#define SD_LOCK_USERS_H

#include "hotspots/code_places.h"
#include "runs/run_selection.h"

/* Marks with 1 those functions of `places` in uses[places->n_function] that waited or spun for
 * locks, or were waited for, in 5 % of the point's cores and more. 0 or -ENOMEM. */
int sd_lock_users_mark(
	const struct sd_chosen *p, const struct sd_code_places *places, unsigned char *uses);

#endif
