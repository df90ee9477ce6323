/*
 * Between simulated/ and causes/judge_simulated.c: both points' simulated counts as costs, and
 * their words.
 */
#ifndef SD_COST_MODEL_H
#define SD_COST_MODEL_H

#include "case/case.h"
#include "simulated/simulated_costs.h"

/* Both points, and what each cause costs at the last more than at the reference, in cores. */
struct sd_cost_model {
	struct sd_simulated_costs_counts before, after;
	double work;                          /* of the last point, against the reference */
	struct sd_value cost[SD_CAUSE_COUNT]; /* cores; absent: not to be told */
	double all;                           /* their sum */
	double used, ceiling;                 /* bytes/s at the last point; 0 unknown */
	double part;   /* of the work, that was simulated, where it is less; 0 all or unknown */
	double scaled; /* by so much the last point's counts are more than those simulated */
};

/* The counts of the reference and the last point, and their costs; `set`: the components of the
 * growth. 1; 0: one of them was not simulated. */
int sd_cost_model_make(const struct sd_case *c, unsigned long set, struct sd_cost_model *out);

/* Was only a part of the program simulated at either point? */
int sd_cost_model_partial(const struct sd_cost_model *m);
/* Are both points' counts of the same work, or scaled to it? */
int sd_cost_model_comparable(const struct sd_cost_model *m);
/* Was it to be a part (--sim-from, --sim-for)? */
int sd_cost_model_region(const struct sd_record *r);

/* A modified line's way from core to core, s: calibrated, else as the runs' own probe saw it. */
struct sd_value sd_cost_model_transfer(const struct sd_case *c);
/* Counts times seconds as cores of the last point; what the reference had too is none of it. */
struct sd_value sd_cost_model_cores(const struct sd_case *c, const struct sd_cost_model *m,
	double before, double after, struct sd_value seconds);

/* Evidence: what was counted for the cause, and what that costs. */
void sd_simulated_evidence_say(struct sd_case *c, struct sd_finding *f,
	const struct sd_cost_model *m, enum sd_cause cause);

#endif
