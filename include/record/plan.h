/*
 * The plan: which core counts, on which CPUs, how often and in which order; a pure function of
 * options and topology.
 */
#ifndef SD_PLAN_H
#define SD_PLAN_H

#include <stddef.h>
#include <stdint.h>

#include "base/cpulist.h"
#include "record/experiment.h"
#include "record/role.h"
#include "record/simulated.h"

struct sd_plan_point {
	unsigned cores; /* the count the program is told; may exceed cpus.n with --oversubscribe */
	struct sd_cpulist cpus; /* the CPUs it is bound to, in placement order; owned */
	int simulated;          /* only the software PMU runs it: more cores than are granted */
};

/* How the software PMU runs the program, once at every point or as an experiment; none: NULL. */
struct sd_plan_simulation {
	struct sd_sim_machine machine; /* cores 0: the point's */
	struct sd_sim_costs costs;
	char from[256], length[256]; /* --sim-from, --sim-for: seconds or "@function"; "" all */
	int tried;                   /* by the experiment software-pmu only, where that decides */
};

/* What one run counts; cycles and instructions are in every pass where the CPU has them. */
struct sd_plan_pass {
	enum sd_role *role; /* owned; each once */
	size_t n_role;
};

/* An experiment that was considered, in the order in which they are tried. */
struct sd_plan_experiment {
	enum sd_experiment experiment;
	size_t point;           /* the plan's point that it is done at; of two the larger one */
	int asked;              /* by its name, or all: not only when it can decide something */
	struct sd_cpulist cpus; /* owned; the CPUs of the changed runs, where they are what changes;
				   of copies and thieves: all that are used beside the program */
	char *skipped;          /* owned; why it is not done, or not gone on with; NULL */
	double unended_s;       /* the program under it was ended after so long; 0: it was not */
};

struct sd_plan {
	struct sd_plan_point *point; /* owned; cores rising; point[0] is the reference */
	size_t n_point;
	unsigned min_repeats; /* 0 = automatic: 5, or 10 when a run takes less than 2 s (METHODS 5)
			       */
	unsigned max_repeats; /* no point gets more, whatever its interval */
	double budget_s;      /* 0 = none */
	uint64_t seed;
	int no_samples;    /* --samples none */
	unsigned *skipped; /* owned; the counts asked for that exceed the granted CPUs */
	size_t n_skipped;
	/*
	 * Passes over the hardware counters: the runs of a point take them in turn, so that each
	 * point gets each pass at least twice, whatever the repeats are. None without a PMU.
	 */
	struct sd_plan_pass *pass; /* owned */
	size_t n_pass;
	int multiplex; /* all roles in every run, counters taking turns: one pass */
	struct sd_plan_simulation *simulation; /* owned; NULL: the program is not simulated */
	struct sd_plan_experiment *experiment; /* owned; none with --experiments none */
	size_t n_experiment;
};

/* The N of the stack of a point's runs. */
static inline unsigned sd_plan_stack_cores(const struct sd_plan_point *p)
{
	return p->cores < p->cpus.n ? p->cores : (unsigned)p->cpus.n;
}

void sd_plan_free(struct sd_plan *p); /* accepts the zeroed value */

#endif
