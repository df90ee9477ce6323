/*
 * Writes the results so far in the format of probes/simfile/sim_file.
 */
#ifndef SIM_OUTPUT_H
#define SIM_OUTPUT_H

#include <stdint.h>

#include "plugin/sampled_parts.h"
#include "threads/guest_run.h"
#include "guest/allocation_sites.h"

struct sim_output {
	int pid, parent;
	const char *target, *program; /* program NULL: unknown */
	uint64_t brk_low, brk_high;
	uint64_t guest_base;     /* of host addresses */
	struct sim_sites *sites; /* borrowed; NULL: heap not tracked */
	double from_s, for_s;
	const struct sim_sampled_parts *parts; /* that were modelled; NULL: all was */
	const char *partial; /* why it does not cover the whole program; NULL: it does */
};

/* Replaces PREFIX.PID.sim atomically. 0 or -errno; the old file then stays. Caller holds the run's
 * lock. */
int sim_output_write(struct sim_run *r, const struct sim_output *o);

#endif
