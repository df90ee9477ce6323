/*
 * Which core each simulated thread runs on: as a kernel's scheduler spreads them. Threads that
 * sleep (in a system call) keep no core: a helper that waits for work does not force two that run
 * onto one.
 */
#ifndef SIM_CORE_PLACEMENT_H
#define SIM_CORE_PLACEMENT_H

#include "model/plugin_options.h"

struct sim_placement {
	unsigned cores, sharers;    /* of the machine; cores below one LLC, at least 1 */
	unsigned active[SIM_CORES]; /* threads that run, or could */
	unsigned asleep[SIM_CORES]; /* threads that ran there last */
};

/* `cores` at least 1; `sharers` 0: all are below one LLC. */
void sim_placement_open(struct sim_placement *p, unsigned cores, unsigned sharers);

/* A thread begins to run: the core with the fewest threads that run, then with the fewest asleep.
 */
unsigned sim_placement_begin(struct sim_placement *p);

/* A thread that ran on `core` falls asleep there. */
void sim_placement_sleep(struct sim_placement *p, unsigned core);

/* It wakes: its core when that is free, else a free one below the same LLC, else any free one, else
 * the one with the fewest threads that run, its own before others. */
unsigned sim_placement_wake(struct sim_placement *p, unsigned core);

/* It ends; `asleep`: while it slept. */
void sim_placement_end(struct sim_placement *p, unsigned core, int asleep);

/* Does `core`, now without a thread that runs, have to pull one? The core to take it from: one with
 * two or more; -1: none has. */
int sim_placement_crowded(const struct sim_placement *p, unsigned core);

/* A thread that runs moves. */
void sim_placement_move(struct sim_placement *p, unsigned from, unsigned to);

#endif
