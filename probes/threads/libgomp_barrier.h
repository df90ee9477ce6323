/* clang-format off */
/*
 * Distinguishes libgomp's barriers by the words around the futex their threads wait at.
 *
 * Every barrier of libgomp is (config/linux/bar.h, GCC 4.9 to 14)
 *   offset 0 total, 4 generation, 64 awaited, 68 awaited_final    (unsigned, threads wait at 4)
 * and total, awaited and awaited_final are equal while nobody waits. The end of a parallel region
 * decrements awaited_final, every other barrier awaited. One barrier is not between peers: the
 * dock, where a pool's workers wait for the next region. It is the last member of the pool
 * (libgomp.h, struct gomp_thread_pool), 64 bytes behind
 *   offset 0 threads (pointer), 8 threads_size, 12 threads_used
 * with threads_used equal to the dock's total. All of this is checked; anything else is unknown:
 * another library, or another layout.
 */
/* clang-format on */
#ifndef SD_LIBGOMP_BARRIER_H
#define SD_LIBGOMP_BARRIER_H

#include <stdint.h>

#include "trace/wait.h"

/* The memory from 68 bytes before to 68 bytes after the futex's address, in words. */
#define SD_LIBGOMP_BARRIER_WORDS 34

/* Classifies these words, in host byte order; `threads` is the process's number of threads. */
enum sd_libgomp_barrier sd_libgomp_barrier_classify(
	const uint32_t word[SD_LIBGOMP_BARRIER_WORDS], unsigned threads);

/* Reads and classifies the words from process `pid` (process_vm_readv, allowed to those who may
 * trace it). Unknown if not allowed or not mapped. */
enum sd_libgomp_barrier sd_libgomp_barrier_read(int pid, uint64_t futex, unsigned threads);

#endif
