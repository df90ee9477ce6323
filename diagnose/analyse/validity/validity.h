/*
 * Reasons against believing the numbers: too few runs, a drifting or busy machine, waits that
 * nobody can explain. Said as warnings; some of it caps every verdict at possible (METHODS 5).
 */
#ifndef SD_VALIDITY_H
#define SD_VALIDITY_H

#include "case/case.h"

/* Fills warnings, drift, smallest, noise, states, scales and lost of c->a, c->lost and
 * c->scales. The points must be there. 0 or -ENOMEM. */
int sd_validity_check(struct sd_case *c);

/* Warnings about points that no run is left of: all there is to say without any. 0 or -ENOMEM. */
int sd_validity_missing(const struct sd_record *record, const struct sd_run_selection *choice,
	struct sd_analysis *a);

#endif
