/*
 * Writes what the run has seen so far in the form that probes/simfile/sim_file reads.
 */
#ifndef SIM_OUTPUT_H
#define SIM_OUTPUT_H

#include <stdint.h>

#include "threads/guest_run.h"
#include "guest/allocation_sites.h"

struct sim_output {
	int pid, parent;
	const char *target, *program; /* program NULL: unknown */
	uint64_t brk_low, brk_high;
	uint64_t guest_base;     /* of host addresses */
	struct sim_sites *sites; /* borrowed; NULL: the heap is not known */
	double from_s, for_s;
	const char *partial; /* why it is not the whole program; NULL: it is */
};

/* Under the run's lock. Replaces PREFIX.PID.sim as a whole. 0 or -errno, and the old one stays. */
int sim_output_write(struct sim_run *r, const struct sim_output *o);

#endif
