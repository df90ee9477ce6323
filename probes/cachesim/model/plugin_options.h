/*
 * The plugin's options (listed in probes/simfile/sim_file.h): the modelled machine, the part of the
 * run to simulate, and the output file.
 */
#ifndef SIM_OPTIONS_H
#define SIM_OPTIONS_H

#include <stddef.h>
#include <stdint.h>

#include "record/simulated.h"

#define SIM_CORES 1024

/* Cycles of an access beyond those of an L1 hit. */
struct sim_latency {
	uint64_t l2, llc, memory, transfer, stlb, walk;
};

struct sim_options {
	char out[1024];
	struct sd_sim_machine machine;
	struct sim_latency latency;
	uint64_t window;
	/* the core model (threads/core_model.h): instructions that a core goes on behind a store
	 * that waits, 0: there is none; hundredths of a cycle that a line takes the bus; lines that
	 * a prefetcher runs ahead; cycles of a line from another cluster */
	uint64_t instructions, bus, ahead, far;
	uint64_t from, count;       /* instructions; count 0: to the end */
	uint64_t from_ms, count_ms; /* of wall time */
	unsigned share; /* percent of the instructions, in parts all over; 0: all, or as `settle` */
	unsigned settle; /* percent that counts must be known to before only parts are modelled; 0:
			    all are */
	char function[256]; /* "" none */
	int total;          /* only count instructions, simulate nothing */
};

void sim_options_default(struct sim_options *o);

/* Parses one "name=value" into *o. 0, or -EINVAL with the reason in `why`. */
int sim_options_take(struct sim_options *o, const char *text, char *why, size_t n);

/* After the last option: checks that they are consistent. 0, or -EINVAL with the reason in `why`.
 */
int sim_options_check(const struct sim_options *o, char *why, size_t n);

#endif
