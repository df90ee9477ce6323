/*
 * Converts both points' simulated counts to costs, for causes/simulated_growth.c.
 */
#ifndef SD_COST_MODEL_H
#define SD_COST_MODEL_H

#include "case/case.h"
#include "simulated/simulated_costs.h"

/* s that threads of a machine that is modelled with its times stood still for lines that other
 * cores had, for lines from memory, and for the bus before these. */
struct sd_cost_waits {
	double transfer, memory, bus;
};

/* Both points, and the growth of each cause's cost from the reference to the last point, in cores.
 */
struct sd_cost_model {
	struct sd_simulated_costs_counts before, after;
	struct sd_cost_waits waited_before, waited_after; /* where the costs are exact */
	double work;                          /* of the last point, against the reference */
	struct sd_value cost[SD_CAUSE_COUNT]; /* cores; absent: unknown */
	double all;                           /* their sum */
	double used, ceiling;                 /* bytes/s at the last point; 0 unknown */
	double part;   /* simulated share of the work, if only a part was; 0: all, or unknown */
	int exact;     /* costs are waits that the machine's model charged: its times are these */
	int at_most;   /* it may be less: nobody counted all of the work */
	double scaled; /* factor by which the last point's simulated counts were scaled up */
};

/* The counts of the reference and the last point, and their costs. `set`: the components of the
 * growth. 1; 0: one of the points was not simulated. */
int sd_cost_model_make(const struct sd_case *c, unsigned long set, struct sd_cost_model *out);

/* Was only a part of the program simulated at either point? */
int sd_cost_model_partial(const struct sd_cost_model *m);
/* Do both points' counts cover the same work, or are they scaled to it? */
int sd_cost_model_comparable(const struct sd_cost_model *m);
/* Was only a part requested (--sim from=, for=)? */
int sd_cost_model_region(const struct sd_record *r);

/* The transfer time of a modified line between cores, s: calibrated, else from the runs' own probe.
 */
struct sd_value sd_cost_model_transfer(const struct sd_case *c);
/* Counts times seconds, in cores of the last point, beyond what the reference had. */
struct sd_value sd_cost_model_cores(const struct sd_case *c, const struct sd_cost_model *m,
	double before, double after, struct sd_value seconds);

/* Adds evidence: the counts for the cause, and their cost. */
void sd_simulated_evidence_say(struct sd_case *c, struct sd_finding *f,
	const struct sd_cost_model *m, enum sd_cause cause);

#endif
