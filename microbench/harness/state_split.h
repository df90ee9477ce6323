/*
 * Telling the machine's states apart by the round trip of a contended line.
 */
#ifndef SD_STATE_SPLIT_H
#define SD_STATE_SPLIT_H

#include "bench/kernel.h"

/* The id of the state with this round trip, a new one when it is unlike all seen so far; -1 when it
 * is unlike SD_STATES_MAX of them. */
int sd_state_split_find(struct sd_machine_states *s, double line);

#endif
