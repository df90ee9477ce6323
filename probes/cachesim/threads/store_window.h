/*
 * The window of instructions of a core that is modelled with its times (core_model.h): stores that
 * wait for their lines while the core goes on, and the loads near them.
 */
#ifndef SIM_STORE_WINDOW_H
#define SIM_STORE_WINDOW_H

#include "threads/shared_levels.h"

/* The window is full: cycles that the core stands still until its stores have their lines. */
uint64_t sim_window_wait(
	const struct sim_machine *m, const struct sim_thread *t, const struct sim_event *e);

/* The thread wrote the line; a load waited for it. */
void sim_window_store(struct sim_thread *t, const struct sim_event *e, uint64_t line);
void sim_window_miss(struct sim_thread *t, const struct sim_event *e, uint64_t line);
/* Did a load wait for the line within the window before this access? */
int sim_window_missed(const struct sim_machine *m, const struct sim_thread *t,
	const struct sim_event *e, uint64_t line);

/* A store waits for the line that arrives there. `now`: the thread's clock. */
void sim_window_behind(
	struct sim_thread *t, const struct sim_event *e, uint64_t now, const struct sim_arrival *a);

/* Is the line one that the thread is about to write, by a store that still waits? */
int sim_window_has_store(const struct sim_machine *m, const struct sim_thread *t,
	const struct sim_event *e, uint64_t line, uint64_t now);
/* Does a load read what the thread has just written? */
int sim_window_forwards(const struct sim_machine *m, const struct sim_thread *t,
	const struct sim_event *e, uint64_t line);
/* Is it a load of a line that the thread writes within its window? The store after it has asked for
 * the line before it retires. */
int sim_window_writes(const struct sim_machine *m, const struct sim_thread *t,
	const struct sim_event *e, uint64_t line);

#endif
