/*
 * Non-temporal stores: a core gathers the bytes of a line in a buffer and writes it to memory as
 * one, without reading it before and without a copy in any cache (Intel SDM volume 1, 10.4.6.2).
 */
#ifndef SIM_STREAM_H
#define SIM_STREAM_H

#include <stdint.h>

/* Lines that a core gathers at one time: the 10 line fill buffers of Intel's since Nehalem
 * (Optimization Reference Manual), fewer of older ones and of AMD's. */
#define SIM_STREAM_BUFFERS 10u

struct sim_thread;
struct sim_ins;

struct sim_stream {
	struct sim_stream_buffer {
		uint64_t line1; /* line number + 1; 0 empty */
		uint64_t bytes; /* written so far */
		uint64_t begun; /* the how manieth, from 1 */
	} buffer[SIM_STREAM_BUFFERS];
	uint64_t begun;
};

/*
 * A store past the caches to `bytes` of one line, `size` of them from an address on. A line counts
 * as written to memory once each time it is begun: what is whole, and what had to make room, is
 * begun anew.
 */
void sim_stream_store(struct sim_thread *t, uint64_t address, uint64_t bytes, unsigned size,
	const struct sim_ins *ins);

#endif
