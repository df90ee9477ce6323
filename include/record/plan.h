/*
 * The plan: core counts, CPUs, number of runs and their order. A pure function of options and
 * topology.
 */
#ifndef SD_PLAN_H
#define SD_PLAN_H

#include <stddef.h>
#include <stdint.h>

#include "base/cpulist.h"
#include "record/experiment.h"
#include "record/options.h"
#include "record/role.h"
#include "record/simulated.h"

struct sd_plan_point {
	unsigned
		cores; /* the count passed to the program; may exceed cpus.n with --oversubscribe */
	struct sd_cpulist cpus; /* the CPUs it is bound to, in placement order; owned */
	struct sd_rank_shape
		shape; /* of an MPI program started by --ranks or --points; ranks 0: not */
	int simulated; /* run only under the software PMU: more cores than are granted */
};

/* How the program is run under the software PMU, once at every point or as an experiment. NULL: not
 * at all. */
struct sd_plan_simulation {
	struct sd_sim_machine machine; /* cores 0: the point's */
	struct sd_sim_costs costs;
	char from[256], length[256]; /* --sim from=, for=: seconds or "@function", of the latter
					  "10%" and "all", too; "" as the counts need it */
	unsigned runs;               /* of each point, so that a count has a spread; 0: one */
	int tried; /* only by the experiment software-pmu, if that can decide something */
	int whole; /* every run is one of the modelled machine, with its times and counters */
};

/* The roles one run counts. Cycles and instructions are in every pass if the CPU has them. */
struct sd_plan_pass {
	enum sd_role *role; /* owned; each once */
	size_t n_role;
};

/* The passes that one formula needs, by index, each once. */
#define SD_PASS_LIST 16
struct sd_pass_list {
	unsigned pass[SD_PASS_LIST];
	size_t n;
};

/* An experiment that was considered; in the order they are tried. */
struct sd_plan_experiment {
	enum sd_experiment experiment;
	size_t point; /* index of its point in the plan; of two points the larger */
	int asked;    /* requested by name or by `all`: done even if it can decide nothing */
	struct sd_cpulist cpus; /* owned; CPUs of the changed runs, if these are what changes; for
				   copies and thieves all CPUs used beside the program */
	char *skipped;          /* owned; why it is not done, or stopped; NULL */
	double unended_s;       /* the changed program was killed after so long; 0: it was not */
};

/*
 * s of CPU time from which on an event that takes turns with others was counted long enough to be
 * compared: 400 turns of 4 ms (perf_event_mux_interval_ms). What happens in a fifth of the time
 * alone is then known to a tenth, sqrt(4 / 400); costs of counts are good to a quarter (METHODS
 * 4.5).
 */
#define SD_COUNTER_TURNS_S 1.6

struct sd_plan {
	struct sd_plan_point *point; /* owned; cores rising; point[0] is the reference */
	size_t n_point;
	unsigned min_repeats; /* 0 = automatic: 5, 7 if a run takes less than 2 s, 10 below 0.2 s
			       * (METHODS 5)
			       */
	unsigned max_repeats; /* limit for a point, however wide its interval */
	double budget_s;      /* 0 = none */
	int quick;            /* --quick: nothing but the warm-up and min_repeats runs a point */
	uint64_t seed;
	int no_samples;    /* --samples none */
	int no_shield;     /* --no-shield */
	unsigned *skipped; /* owned; requested counts beyond the granted CPUs */
	size_t n_skipped;
	/*
	 * Passes of hardware counting, most informative first. The runs of a point count those
	 * that tell open causes apart (sd_pass_list), twice each; else they cycle twice through the
	 * first pass_turn of them, which every point gets, then twice through the next ones. None
	 * without a PMU.
	 */
	struct sd_plan_pass *pass; /* owned */
	size_t n_pass;
	unsigned pass_turn;                    /* 0: all */
	int multiplex;                         /* all roles in every run, multiplexed: one pass */
	struct sd_plan_simulation *simulation; /* owned; NULL: the program is not simulated */
	struct sd_plan_experiment *experiment; /* owned; none with --experiments none */
	size_t n_experiment;
};

/* The N of the stack of a point's runs. */
static inline unsigned sd_plan_stack_cores(const struct sd_plan_point *p)
{
	/* CPUs of other nodes are not in the list */
	if (p->shape.nodes > 1)
		return p->cores;
	return p->cores < p->cpus.n ? p->cores : (unsigned)p->cpus.n;
}

/* How many passes are cycled through at first; every point gets these. */
static inline size_t sd_plan_turn(const struct sd_plan *p)
{
	return p->pass_turn && p->pass_turn < p->n_pass ? p->pass_turn : p->n_pass;
}

void sd_plan_free(struct sd_plan *p); /* accepts the zeroed value */

#endif
