/*
 * Counts of simulated runs.
 */
#ifndef SD_SIMULATED_COSTS_H
#define SD_SIMULATED_COSTS_H

#include "record/record.h"

struct sd_case;

/* Counts of the simulated runs at a point, of all threads. */
struct sd_simulated_costs_counts {
	const struct sd_simulated *simulated; /* NULL: the point was not simulated */
	double instructions, lines;           /* lines: into the LLC and back to memory */
	double whole; /* instructions of the whole program; 0: only a part was simulated, and
			 unknown */
	double misses, walks;
	double hitm, hitm_false; /* moves of modified lines; those by false sharing */
	double hitm_locks;       /* of the others, those of locks, where they are taken */
	double hitm_allocator, hitm_openmp; /* and of what malloc, an OpenMP runtime keep */
};

/* The counts at point `plan` of the record's plan; *out is zeroed if there are none. */
void sd_simulated_costs_counts(
	const struct sd_record *r, size_t plan, struct sd_simulated_costs_counts *out);

/* Share of a line's moves that are of one lock: where it is taken and released, between threads
 * that write the same bytes of the line and no others. */
double sd_simulated_costs_of_lock(const struct sd_stacks *s, const struct sd_sim_contested *l);

/* The moves of lines that a cause pays for: of true sharing those of the program's own data; < 0:
 * it pays for none. */
double sd_simulated_costs_moves(const struct sd_simulated_costs_counts *k, enum sd_cause cause);

/* The share of false sharing in the moves of modified lines of the simulated run at the last point;
 * < 0: no moves. */
double sd_simulated_costs_false(const struct sd_case *c);

#endif
