/*
 * The machine's states (runs/kept_state.h): which runs are compared, and what the program does in the
 * other state.
 */
#ifndef SD_COMPARED_STATE_H
#define SD_COMPARED_STATE_H

#include "case/case.h"

/* Fills c->a->states, state_line, state_speedup and state_runs, and says so where there are two. */
void sd_compared_state_check(struct sd_case *c);

#endif
