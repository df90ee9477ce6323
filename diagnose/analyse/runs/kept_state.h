/*
 * Which of a machine's two states (machine_states.h) the compared runs are in: runs of different
 * states are not compared (METHODS 5).
 */
#ifndef SD_KEPT_STATE_H
#define SD_KEPT_STATE_H

#include "record/record.h"
#include "runs/run_selection.h"

/* Finds the states in the selection's runs and the record's experiments. 0 or -ENOMEM. */
int sd_kept_state_find(const struct sd_record *record, struct sd_run_selection *c);

/* Keeps the state seen at all points; if both were, the one with more runs. If neither was, all
 * runs are used together (`pooled`). */
void sd_kept_state_keep(struct sd_run_selection *c);

#endif
