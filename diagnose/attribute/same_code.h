/*
 * Does the master, now alone, run the code it ran beside its peers? The scheduler cannot
 * distinguish serial code from the master's share of a parallel part, but their instructions
 * differ.
 *
 * A place is identified by instruction and stack pointer. The pair represents the call path
 * (Mytkowicz, Coughlin, Diwan, "Inferred call path profiling", OOPSLA 2009), so a function called
 * from both parts is two places. Large code is hardly ever sampled twice at the same instruction;
 * then cache lines of code are compared, and without the stack pointer if that varies. How often
 * samples of the parallel parts recur among themselves tells which comparison is sharp enough.
 */
#ifndef SD_SAME_CODE_H
#define SD_SAME_CODE_H

#include <stddef.h>

#include "trace/thread_view.h"

#define SD_SAME_CODE_LEVELS 3
#define SD_SAME_CODE_ROOM 4096 /* places known at one level */

struct sd_same_code_place {
	uint64_t key;           /* 0 free */
	unsigned beside, alone; /* samples beside running peers, and alone */
};

/* Zeroed is empty. */
struct sd_same_code {
	struct {
		struct sd_same_code_place place[SD_SAME_CODE_ROOM]; /* hash set */
		size_t n;
		size_t again; /* samples beside peers at a place seen before beside peers */
	} level[SD_SAME_CODE_LEVELS];
	size_t beside;
};

/* A sample of the master beside running threads of its process. */
void sd_same_code_beside(struct sd_same_code *a, const struct sd_code *code);

/*
 * A sample of the master alone. 1: at a place where it was also beside its peers, for at least 5 %
 * of its time there alone (less is an artefact of transitions); 0: elsewhere; -1: too little is
 * known.
 */
int sd_same_code_alone(struct sd_same_code *a, const struct sd_code *code);

#endif
