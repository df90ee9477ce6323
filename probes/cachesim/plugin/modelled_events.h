/*
 * Writes the core model's counts as a line of the file, in the order of record/modelled_count.h.
 */
#ifndef SIM_MODELLED_EVENTS_H
#define SIM_MODELLED_EVENTS_H

#include <stdio.h>

#include "threads/guest_run.h"

void sim_modelled_events_put(FILE *f, const struct sim_run *r);

#endif
