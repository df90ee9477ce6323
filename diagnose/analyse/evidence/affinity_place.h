/*
 * Finds the place at which a program sets the affinity of a thread, as far as a stack shows it: one
 * that moves itself to another CPU waits in the call until it is there.
 */
#ifndef SD_AFFINITY_PLACE_H
#define SD_AFFINITY_PLACE_H

#include "record/stacks.h"

/* The innermost frame that calls what sets it; NULL: no stack shows one. */
const struct sd_frame *sd_affinity_place(const struct sd_stacks *s);

#endif
