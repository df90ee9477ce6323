/*
 * Which code did two threads run at the same time? Where one runner's peers wait, its code may be
 * serial or a share of parallel work that took longer; a share as uneven as nine to one runs alone
 * for nearly all of its time, too, but not for all: while the short share lasts, both run it. Of
 * serial code there is never a second runner.
 *
 * A sample of a thread counts when another one was sampled in the same function on the same path at
 * the same moment; where no two samples are of one moment, before and after, if it did not leave
 * its CPU between. A few such samples may be anything (code that is handed on faster than samples
 * come): serial_paths.c says how many are believed.
 */
#ifndef SD_CONCURRENT_CODE_H
#define SD_CONCURRENT_CODE_H

#include <stddef.h>
#include <stdint.h>

#include "record/stacks.h"

/* Of each thread; zeroed: not sampled since it came to its CPU. */
struct sd_twin {
	uint64_t place; /* function and path of its last sample; 0: none, or not useful work */
	unsigned met;   /* node of another's sample there since; 0: none */
};

struct sd_concurrent_code {
	uint64_t *place; /* owned; function and path, by node */
	unsigned *met;   /* owned; samples that were met, by node */
	size_t n;
};

/* `stacks` NULL: no node is known. 0 or -ENOMEM; to be freed in either case. */
int sd_concurrent_code_open(struct sd_concurrent_code *t, const struct sd_stacks *stacks);

/* A sample of a thread; node 0 where it was no useful work. */
void sd_concurrent_code_sample(struct sd_concurrent_code *t, struct sd_twin *of, unsigned node);

/* The same sample, as another thread that is on a CPU sees it. */
void sd_concurrent_code_meet(
	const struct sd_concurrent_code *t, struct sd_twin *other, unsigned node);

/* Samples of one moment (joint_samples.h): whether two nodes are of one function and path, and that
 * a sample of the node met another. */
int sd_concurrent_code_are(const struct sd_concurrent_code *t, unsigned a, unsigned b);
void sd_concurrent_code_note(struct sd_concurrent_code *t, unsigned node);

unsigned sd_concurrent_code_met(const struct sd_concurrent_code *t, unsigned node);

/* Its function and path as a number; 0 unknown. */
uint64_t sd_concurrent_code_place(const struct sd_concurrent_code *t, unsigned node);

void sd_concurrent_code_free(struct sd_concurrent_code *t); /* accepts the zeroed value */

#endif
