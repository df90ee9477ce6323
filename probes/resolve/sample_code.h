/*
 * Reads the code at a sample: does it spin in a loop that only another thread can end, and does it
 * stand at an atomic instruction?
 */
#ifndef SD_SAMPLE_CODE_H
#define SD_SAMPLE_CODE_H

#include "symbols/symbols.h"
#include "trace/event.h"
#include "trace/timeline.h"

/* Cache of sampled instructions whose code was inspected; new entries replace old ones. */
#define SD_SAMPLE_CODES 1024
struct sd_sample_code_at {
	uint64_t ip; /* 0 free */
	int pid;
	enum sd_activity activity; /* what a thread does there */
	int atomic;                /* at or just behind an atomic instruction */
};

/* Initially zero. */
struct sd_sample_code {
	struct sd_sample_code_at code[SD_SAMPLE_CODES];
};

/* Refines the moment of a sample that its stack calls useful. */
void sd_sample_code_look(struct sd_sample_code *c, struct sd_symbols *symbols,
	const struct sd_event *e, struct sd_moment *m);

#endif
