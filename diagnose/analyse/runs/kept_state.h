/*
 * Which of a machine's two states (machine_states.h) the compared runs are in: runs of different
 * states are not compared where these differ in what they do to the program (METHODS 5).
 */
#ifndef SD_KEPT_STATE_H
#define SD_KEPT_STATE_H

#include "record/record.h"
#include "runs/run_selection.h"

/* Runs of a count from which on those of a state stand for it; of a count with fewer, all. */
#define SD_KEPT_STATE_RUNS 3u

/* Finds the states in the selection's runs and the record's experiments. 0 or -ENOMEM. */
int sd_kept_state_find(const struct sd_record *record, struct sd_run_selection *c);

/* A run's time, s: what it is compared by. */
typedef double sd_kept_state_time(const struct sd_record *record, const struct sd_run *run);

/*
 * Which runs are used together. Where runs take as long in both states at every count that has two
 * of each, all are (`alike`). Else those of the state that has SD_KEPT_STATE_RUNS at every count;
 * if both have, of the one with more runs, those of pairs of experiments among them. If neither
 * has, all (`pooled`, with what the states change as a disturbance). Of a selection that `asked`
 * for a state, those of that one, which may be none. Fills each point's median time and runs by
 * state. 0 or -ENOMEM.
 */
int sd_kept_state_keep(
	const struct sd_record *record, struct sd_run_selection *c, sd_kept_state_time *time);

/* The state that a pair of runs measures: NEAR or FAR; NONE: no state is known; MIXED: two
 * states. */
enum sd_label sd_kept_state_of_pair(
	const struct sd_run_selection *c, const struct sd_run *plain, const struct sd_run *changed);

#endif
