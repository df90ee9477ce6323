/*
 * A thread while it is the only one of its process: nobody can want its lines, so its misses go
 * straight to its L2 and LLC, without log, directory or order. The counts are those that the
 * directory would give.
 */
#ifndef SIM_SOLO_H
#define SIM_SOLO_H

#include <stdint.h>

#include "simmachine.h"
#include "simthread.h"

/*
 * L1 misses a line, and gave up `victim1` (line number + 1; 0 none) for it, modified or not: its
 * place is empty when this is called. The cycles that it costs.
 */
uint64_t sim_solo_miss(struct sim_machine *m, struct sim_thread *t, uint64_t line, int store,
	uint64_t victim1, int dirty);

/* It is no longer alone: the directory learns what its caches hold. */
void sim_solo_end(struct sim_machine *m, struct sim_thread *t);

#endif
