/*
 * The model of a whole core and its bus, where a machine is modelled with its times (option core):
 * a core goes on behind a store that waits for its line, as far as its window of instructions
 * reaches; loads of what it has just written get it from the store; a line that it reads and writes
 * within the window is requested to be written at once; requests for a line under way wait for that
 * one; lines pass one bus, one after the other; a prefetcher runs ahead of streams. What happens is
 * counted in the thread's modelled[] (record/modelled_count.h).
 */
#ifndef SIM_CORE_MODEL_H
#define SIM_CORE_MODEL_H

#include "threads/shared_levels.h"

/* A demand access; returns the cycles that its thread stands still. */
uint64_t sim_core_access(struct sim_machine *m, struct sim_thread *t, const struct sim_event *e,
	struct sim_moved *moved);

/* Lines that went to memory by then, written back or past the caches: they take the bus, and nobody
 * waits for them. */
void sim_core_left(struct sim_machine *m, struct sim_thread *t, uint64_t now, uint64_t written_back,
	int streamed);

#endif
