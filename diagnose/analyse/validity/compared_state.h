/*
 * The machine's states (runs/kept_state.h): which runs are compared, and what the program does in
 * the other state.
 */
#ifndef SD_COMPARED_STATE_H
#define SD_COMPARED_STATE_H

#include "case/case.h"

/* Fills c->a->states, state_line, state_speedup, state_runs and other.state, and says so where
 * there are two. */
void sd_compared_state_check(struct sd_case *c);

/* Does the state that is not compared say what the cause is, by enough runs of every count, where
 * the compared one says neither that nor that the program scales? */
int sd_compared_state_is_other(const struct sd_analysis *other, const struct sd_analysis *a);

/* Puts beside the answer of the compared state, *a, what an analysis of the other one's runs says:
 * a->other, and a sentence. 0 or -ENOMEM. */
int sd_compared_state_beside(const struct sd_analysis *other, struct sd_analysis *a);

#endif
