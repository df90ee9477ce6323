/*
 * Does this code spin? The signature of a wait loop that no table knows, for a thread whose samples
 * all lie within a few instructions: a pause instruction, a locked compare-and-exchange or a load
 * with a compare and a branch back, and nothing that gets on with work.
 */
#ifndef SD_SPINLOOP_H
#define SD_SPINLOOP_H

#include <stddef.h>

/* Bytes of code that a spin loop fits in, by METHODS 2.4. */
#define SD_SPINLOOP_BYTES 64

enum sd_spinloop_machine { SD_SPINLOOP_X86_64, SD_SPINLOOP_AARCH64, SD_SPINLOOP_OTHER };

/* Of this build. */
enum sd_spinloop_machine sd_spinloop_here(void);

/*
 * 1: the `n` bytes of code contain a loop (a branch back within them) that covers [low, high], the
 * offsets of the first and the last sampled instruction, and is one that spins: it has a pause or
 * yield, or an atomic compare-and-exchange; no call, no plain store, no arithmetic on vectors.
 * 0: it does not, or some instruction is not known: useful when in doubt.
 */
int sd_spinloop(enum sd_spinloop_machine machine, const unsigned char *code, size_t n, size_t low,
	size_t high);

#endif
