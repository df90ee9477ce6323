/*
 * Does the master, alone now, run the code it ran beside its peers? Serial code and the master's
 * own share of a parallel part look alike to the scheduler; their instructions do not.
 *
 * A sample is known again by its instruction and its stack pointer: the pair stands for the call
 * path (Mytkowicz, Coughlin, Diwan, "Inferred call path profiling", OOPSLA 2009), so that a
 * function called from both is two places. Large code is never sampled twice at the same
 * instruction; then cache lines of code are compared, and without the stack pointer where that
 * varies. How often samples of the parallel parts are known again among themselves says which
 * comparison is sharp enough.
 */
#ifndef SD_SAME_CODE_H
#define SD_SAME_CODE_H

#include <stddef.h>

#include "trace/thread_view.h"

#define SD_SAME_CODE_LEVELS 3
#define SD_SAME_CODE_ROOM 4096 /* places known at one level */

struct sd_same_code_place {
	uint64_t key;           /* 0 free */
	unsigned beside, alone; /* samples while peers ran, and alone */
};

/* Zeroed is empty. */
struct sd_same_code {
	struct {
		struct sd_same_code_place place[SD_SAME_CODE_ROOM]; /* hash set */
		size_t n;
		size_t again; /* samples beside peers whose place was known from such */
	} level[SD_SAME_CODE_LEVELS];
	size_t beside;
};

/* A sample of the master beside running threads of its process. */
void sd_same_code_beside(struct sd_same_code *a, const struct sd_code *code);

/*
 * A sample of the master alone. 1: it is where it was beside its peers for a twentieth of the time
 * it was there alone, or more (less is what is left of moments when that changed); 0: elsewhere;
 * -1: too little is known.
 */
int sd_same_code_alone(struct sd_same_code *a, const struct sd_code *code);

#endif
