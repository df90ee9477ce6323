/*
 * Does this code spin? The signature of a wait loop that no table knows, for a thread whose samples
 * all lie within a few instructions (METHODS 2.4).
 */
#ifndef SD_SPINLOOP_H
#define SD_SPINLOOP_H

#include <stddef.h>

/* Bytes of code that the samples of a spin loop lie within. */
#define SD_SPINLOOP_BYTES 64

enum sd_spinloop_machine { SD_SPINLOOP_X86_64, SD_SPINLOOP_AARCH64, SD_SPINLOOP_OTHER };

/* Of this build. */
enum sd_spinloop_machine sd_spinloop_here(void);

/*
 * `code` begins at a sampled instruction, `last` is the offset of the last one. 1 when, read
 * instruction by instruction, there is a branch back to `code` or to before it at or behind `last`,
 * and the instructions up to it
 *   - have a pause (PAUSE; YIELD, WFE, ISB); or a locked compare-and-exchange or an exchange and
 *     count and compute nothing; or are loads, compares and branches whose addresses do not change,
 * or are loaded anew in each round from such as do not: only another thread can end that;
 *   - write nothing else to memory, call nothing and carry nothing from round to round but a count
 *     of the tries.
 * *begin is where the loop begins: 0; or before `code`, negative: then nothing is decided, and it
 * is to be asked again with the code from there. 0: no such loop, or an instruction is not known.
 * Useful when in doubt.
 */
int sd_spinloop(enum sd_spinloop_machine machine, const unsigned char *code, size_t n, size_t last,
	long *begin);

#endif
