/*
 * Parts of equal length spread over the whole run, a share of its instructions, stand for the rest,
 * which is only counted. Each lies anywhere in a stretch of the run, the first at its beginning: a
 * program of one part is simulated whole. How precise rates are is told by how the parts differ.
 */
#ifndef SIM_SAMPLED_PARTS_H
#define SIM_SAMPLED_PARTS_H

#include <stddef.h>
#include <stdint.h>

#include "threads/guest_run.h"

#define SIM_SAMPLED_PART 10000000u /* instructions of all threads */

enum sim_sampled_rate { SIM_SAMPLED_L1, SIM_SAMPLED_LLC, SIM_SAMPLED_MOVES, SIM_SAMPLED_RATES };

struct sim_sampled_parts {
	uint64_t n;       /* parts that have ended */
	uint64_t next;    /* instructions at which the part ends, or the next begins */
	uint64_t stretch; /* of the run that the part stands for: how many have begun */
	uint64_t random;
	/* totals at the end of the part before */
	double instructions, count[SIM_SAMPLED_RATES];
	/* sums over parts: of squares and products with its instructions */
	double sum_squares, sum_count[SIM_SAMPLED_RATES], sum_count_squares[SIM_SAMPLED_RATES],
		sum_products[SIM_SAMPLED_RATES];
};

/* At the beginning of the first part. */
void sim_sampled_parts_open(struct sim_sampled_parts *s);

/* A part has ended, or begins, when all threads together have done so many instructions. Under the
 * run's lock. `share`: percent. */
void sim_sampled_parts_end(struct sim_sampled_parts *s, const struct sim_run *r, unsigned share);
void sim_sampled_parts_begin(struct sim_sampled_parts *s, uint64_t instructions);

/* Half of the 95 % interval of the rate, relative to it; below 0: not known: fewer than five parts,
 * or nothing was counted. */
double sim_sampled_parts_half(const struct sim_sampled_parts *s, enum sim_sampled_rate rate);

/* What is said of the counts, as a reason why they are not of the whole program, which has done so
 * many instructions. */
void sim_sampled_parts_say(
	const struct sim_sampled_parts *s, double instructions, char *text, size_t n);

#endif
