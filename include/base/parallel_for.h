/*
 * A loop whose iterations do not depend on each other, shared among threads. What comes out must
 * not depend on who does which: iterations write to places of their own.
 */
#ifndef SD_PARALLEL_FOR_H
#define SD_PARALLEL_FOR_H

#include <stddef.h>

#define SD_PARALLEL_FOR_MOST 32u

/* The most threads that work on a loop: the CPUs that this thread may use, at most
 * SD_PARALLEL_FOR_MOST. */
unsigned sd_parallel_for_threads(void);

/* So many instead, whatever CPUs there are; 0: as before. */
void sd_parallel_for_limit(unsigned threads);

/*
 * Calls one(ctx, i, thread) once for each i < n, in any order. Calls with the same `thread`, which
 * is below `threads` and below SD_PARALLEL_FOR_MOST, never overlap: each may have working memory of
 * its own. The calling thread works too, and does alone what no thread could be made for.
 */
void sd_parallel_for(
	size_t n, unsigned threads, void (*one)(void *ctx, size_t i, unsigned thread), void *ctx);

#endif
