/*
 * Does this code spin? Recognises wait loops that are in no table by the code around a sample
 * (METHODS 2.4).
 */
#ifndef SD_SPIN_LOOP_H
#define SD_SPIN_LOOP_H

#include <stddef.h>

#include "instruction/insn_decode.h"

/* The size of code that samples of a spin loop lie within, and of the window to inspect, both in
 * bytes. */
#define SD_SPIN_LOOP_BYTES 64
#define SD_SPIN_LOOP_WINDOW (3 * SD_SPIN_LOOP_BYTES)

enum sd_spin_loop {
	SD_SPIN_LOOP_NONE,
	SD_SPIN_LOOP_WAITS, /* for a flag, a turn, another thread's work */
	SD_SPIN_LOOP_TAKES, /* a lock */
};

/*
 * `code` has n bytes, at most SD_SPIN_LOOP_WINDOW, around a sampled instruction at `ip`. It spins
 * if its shortest path back to itself, without other stores to memory or calls,
 *   - has a pause (PAUSE; YIELD, WFE, ISB), or
 *   - has a locked compare-and-exchange or an exchange, and counts and computes nothing, or
 *   - is straight-line code of loads, compares and branches with constant addresses, or addresses
 *     reloaded in each round from constant ones: only another thread can end it.
 * It waits for a lock if a path back contains an exchange whose result decides whether the loop
 * continues: test-and-set or compare-and-exchange, also with a preceding test. Waiting for a ticket
 * is not distinguished from other waits. NONE: no such loop, or an unknown instruction; in doubt
 * the code counts as useful.
 */
enum sd_spin_loop sd_spin_loop(
	enum sd_insn_decode_machine machine, const unsigned char *code, size_t n, size_t ip);

#endif
