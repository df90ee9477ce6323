/*
 * Non-temporal stores: a core collects the bytes of a line in a buffer and writes them to memory at
 * once, without reading the line first and without a copy in any cache (Intel SDM volume
 * 1, 10.4.6.2).
 */
#ifndef SIM_STREAM_H
#define SIM_STREAM_H

#include <stdint.h>

/* Lines collected at one time: the 10 line fill buffers of Intel cores since Nehalem (Optimization
 * Reference Manual); older ones and AMD's have fewer. */
#define SIM_STREAM_BUFFERS 10u

struct sim_thread;
struct sim_ins;

struct sim_stream {
	struct sim_stream_buffer {
		uint64_t line1; /* line number + 1; 0 empty */
		uint64_t bytes; /* written so far */
		uint64_t begun; /* sequence number, from 1 */
	} buffer[SIM_STREAM_BUFFERS];
	uint64_t begun;
};

/*
 * A non-temporal store of `size` bytes at an address, with their mask in the line, `bytes`. A line
 * counts as written to memory each time a buffer is begun for it; a full buffer, or one evicted to
 * make room, is begun again by the next store.
 */
void sim_stream_store(struct sim_thread *t, uint64_t address, uint64_t bytes, unsigned size,
	const struct sim_ins *ins);

#endif
