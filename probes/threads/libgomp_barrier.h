/*
 * libgomp's barriers, told apart by the words around the futex their threads wait at.
 *
 * Every barrier of libgomp is (config/linux/bar.h, GCC 4.9 to 14)
 *   offset 0 total, 4 generation, 64 awaited, 68 awaited_final    (unsigned, threads wait at 4)
 * and total, awaited and awaited_final are equal when nobody waits. The end of a parallel region
 * counts awaited_final down, every other barrier counts awaited. One barrier is not between peers:
 * the dock, where the workers of a pool wait for the next region. It is the last member of the pool
 * (libgomp.h, struct gomp_thread_pool), 64 bytes behind
 *   offset 0 threads (pointer), 8 threads_size, 12 threads_used
 * with threads_used equal to the dock's total. All of it is checked, and what does not fit is
 * unknown: another library, or another layout.
 */
#ifndef SD_LIBGOMP_BARRIER_H
#define SD_LIBGOMP_BARRIER_H

#include <stdint.h>

#include "trace/wait.h"

/* The memory from 68 bytes before the futex to 68 behind its beginning. */
#define SD_LIBGOMP_BARRIER_WORDS 34

/* From those words, in the byte order of this machine; `threads` is how many the process has. */
enum sd_libgomp_barrier sd_libgomp_barrier_classify(
	const uint32_t word[SD_LIBGOMP_BARRIER_WORDS], unsigned threads);

/* Reads the words out of process `pid` (process_vm_readv: allowed for those who may trace it).
 * Unknown when it may not, or when they are not there. */
enum sd_libgomp_barrier sd_libgomp_barrier_read(int pid, uint64_t futex, unsigned threads);

#endif
