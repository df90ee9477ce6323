/*
 * What a simulated run says about causes that nothing else measured: its counts times the costs
 * that this node was calibrated to, against the growth of user time they must be part of.
 */
#ifndef SD_JUDGE_SIMULATED_H
#define SD_JUDGE_SIMULATED_H

#include "causes/judge.h"

/* Counts of the simulated runs at a point, of all threads. */
struct sd_simulated_costs_counts {
	const struct sd_simulated *simulated; /* NULL: the point was not simulated */
	double instructions, lines;           /* lines: into the LLC and back to memory */
	double whole; /* instructions of all of the program; 0: only of a part, and not known */
	double misses, walks;
	double hitm, hitm_false; /* moves of modified lines; of those by false sharing */
};

/* The counts at point `plan` of the record's plan; *out is zeroed when there are none. */
void sd_simulated_costs_counts(
	const struct sd_record *r, size_t plan, struct sd_simulated_costs_counts *out);

/* Of the moves of modified lines in the simulated run at the last point, the share by false
 * sharing; < 0: none were seen. */
double sd_simulated_costs_false(const struct sd_case *c);

/*
 * A verdict on the cause from the simulated runs at the reference and the last point: 1 and
 * *verdict, with evidence, cores and places in *f; 0 when they say nothing. `set`: the components
 * that hold the growth to be explained. At most likely: a model's counts, a node's costs.
 */
int sd_judge_simulated_judge(struct sd_case *c, enum sd_cause cause, unsigned long set, int twin,
	struct sd_finding *f, enum sd_verdict *verdict);

/* Speed-ups estimated for all simulated counts (METHODS 6.2): fills a->estimate. 0 or -ENOMEM. */
int sd_simulated_speedup(
	const struct sd_record *r, const struct sd_run_selection *choice, struct sd_analysis *a);

#endif
