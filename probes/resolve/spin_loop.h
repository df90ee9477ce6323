/*
 * Does this code spin? The signature of a wait loop that no table knows, for a thread that was
 * sampled in it (METHODS 2.4).
 */
#ifndef SD_SPIN_LOOP_H
#define SD_SPIN_LOOP_H

#include <stddef.h>

#include "instruction/insn_decode.h"

/* Bytes of code that the samples of a spin loop lie within; and to look at, with those before. */
#define SD_SPIN_LOOP_BYTES 64
#define SD_SPIN_LOOP_WINDOW (3 * SD_SPIN_LOOP_BYTES)

enum sd_spin_loop {
	SD_SPIN_LOOP_NONE,
	SD_SPIN_LOOP_WAITS, /* for a flag, a turn, somebody's work */
	SD_SPIN_LOOP_TAKES, /* a lock */
};

/*
 * `code` has n bytes, at most SD_SPIN_LOOP_WINDOW, around a sampled instruction at `ip`. It spins
 * when its shortest way back to itself, over instructions that write nothing else to memory and
 * call nothing,
 *   - has a pause (PAUSE; YIELD, WFE, ISB), or
 *   - has a locked compare-and-exchange or an exchange, and counts and computes nothing, or
 *   - is straight, and loads, compares and branches whose addresses do not change, or are loaded
 *     anew in each round from such as do not: only another thread can end that.
 * It waits for a lock when a way back to it leads over an exchange whose result decides whether the
 * loop goes on: test-and-set, compare-and-exchange, both with a look before. The wait for one's
 * ticket is like any other. None: no such loop, or an instruction is not known. Useful when in
 * doubt.
 */
enum sd_spin_loop sd_spin_loop(
	enum sd_insn_decode_machine machine, const unsigned char *code, size_t n, size_t ip);

#endif
