/*
 * Which code did two threads run at the same time? If one thread runs while its peers wait, its
 * code may be serial or a longer share of parallel work. Even a share as uneven as nine to one runs
 * alone for nearly all of its time, but not for all: during the short share both run it. Serial
 * code never has a second runner.
 *
 * A sample of a thread counts if another thread was sampled in the same function on the same path
 * at the same moment or, without common moments, both before and after it while that thread stayed
 * on its CPU. A few such samples prove nothing (code handed on faster than samples come):
 * serial_paths.c says how many are required.
 */
#ifndef SD_CONCURRENT_CODE_H
#define SD_CONCURRENT_CODE_H

#include <stddef.h>
#include <stdint.h>

#include "record/stacks.h"

/* One a thread; zeroed: not sampled since it got its CPU. */
struct sd_twin {
	uint64_t place; /* function and path of its last sample; 0: none, or no useful work */
	unsigned met;   /* node of another's sample there since; 0: none */
};

struct sd_concurrent_code {
	uint64_t *place; /* owned; function and path, by node */
	unsigned *met;   /* owned; samples that met another, by node */
	size_t n;
};

/* `stacks` NULL: no nodes are known. 0 or -ENOMEM; must be freed in either case. */
int sd_concurrent_code_open(struct sd_concurrent_code *t, const struct sd_stacks *stacks);

/* A thread was sampled; node 0 if it did no useful work. */
void sd_concurrent_code_sample(struct sd_concurrent_code *t, struct sd_twin *of, unsigned node);

/* The same sample, from the view of another thread that is on a CPU. */
void sd_concurrent_code_meet(
	const struct sd_concurrent_code *t, struct sd_twin *other, unsigned node);

/* For samples of one moment (joint_samples.h): are two nodes of one function and path, and a note
 * that a sample of the node met another. */
int sd_concurrent_code_are(const struct sd_concurrent_code *t, unsigned a, unsigned b);
void sd_concurrent_code_note(struct sd_concurrent_code *t, unsigned node);

unsigned sd_concurrent_code_met(const struct sd_concurrent_code *t, unsigned node);

/* The id of a node's function and path; 0 unknown. */
uint64_t sd_concurrent_code_place(const struct sd_concurrent_code *t, unsigned node);

void sd_concurrent_code_free(struct sd_concurrent_code *t); /* accepts the zeroed value */

#endif
