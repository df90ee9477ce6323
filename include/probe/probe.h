/*
 * The interface of a probe, which measures one thing while the program runs. A probe is one file
 * and one row of the registry.
 */
#ifndef SD_PROBE_H
#define SD_PROBE_H

#include <stdint.h>
#include <sys/types.h>

#include "base/cpulist.h"
#include "record/run.h"
#include "base/sink.h"

struct sd_accountant;
struct sd_counting;
struct sd_diagnosis_cache;
struct sd_memsource;
struct sd_running;
struct sd_stacks;
struct sd_target_trees;

/* A run under the software PMU; its plugin writes `path` while the program runs. */
struct sd_probe_simulation {
	const char *path;
	const struct sd_sim_machine *machine; /* as modelled, with its cores */
	int total; /* only instructions are counted (struct sd_simulated, `whole`) */
	struct sd_probe_modelled *modelled; /* filled; NULL: the machine is not modelled whole */
};

/* Cycles of a run of a machine that is modelled whole (core_model.h); 0: none were counted. */
struct sd_probe_modelled {
	double hz;             /* given: of its clock */
	double clock, running; /* of the run; of all threads while they ran */
	/* of all threads while they stood still for lines of other cores, from memory, for the bus
	 */
	double wait_transfer, wait_memory, wait_bus;
};

/* The program about to run, whose process exists, is bound to its CPUs and waits before exec; or
 * one that runs already (`running`). */
struct sd_probe_target {
	pid_t pid;
	pid_t subreaper; /* every process of the tree descends from this one (it is not part of the
			    tree); 0: of a program that runs already */
	const struct sd_running *running; /* pid is one of these; NULL: it waits before its exec */
	const struct sd_cpulist *cpus;    /* what it is bound to */
	unsigned cores;                   /* the N of the stack: min(cores asked for, CPUs bound) */
	unsigned lane_steps; /* of the lanes made from samples, at most; 0: none (binned_lanes.h) */
	double poll_s;       /* requested tick period; 0 = the probe's choice */
	const struct sd_counting *counting; /* hardware counters (counter_plan.h); NULL = none */
	int os_only; /* hardware counters are left alone (--events os); 2: all of its processes */
	int system_calls; /* count them, too */
	unsigned pass;    /* which of the counting's passes this run counts */
	int no_samples;   /* --samples none */
	double thin;      /* so many times fewer samples and recorded switches; 0 = 1: all */
	const struct sd_memsource *memory; /* sample loads and stores, or the events of roles, in
					      this run; NULL: do not */
	double expect_s;                   /* how long such a run took before; 0 unknown */
	double expect_switches;   /* switches a second in earlier runs, the most; 0 unknown */
	const char *keep_samples; /* file to keep the raw samples in, or NULL */
	int *keep_error;          /* set to -errno if that failed; or NULL */
	struct sd_stacks *stacks; /* of the record; sampled places are added */
	struct sd_diagnosis_cache *kept; /* of the session: symbols from earlier runs; NULL: none */
	struct sd_target_trees *trees; /* of the session: processes that are met are added; NULL */
	const struct sd_probe_simulation *simulation; /* NULL: the program runs by itself */
	const struct sd_accountant *accountant; /* receives what is seen of threads; NULL: none */
	const char *markers; /* file of the program's own regions; NULL: they are not asked for */
	const char *region;  /* the one that is judged alone; NULL: all of the program */
	const char
		*log_folder; /* where libraries preloaded into it leave their logs; NULL: none is */
	const char *mpi_folder; /* where MPI ranks leave their logs; NULL: it is no MPI run */
	const char *root;       /* prefix of /proc and /sys for fake trees; "" on this machine */
};

struct sd_probe {
	const char *name;
	/*
	 * Opens what the probe needs. *state is passed to the calls below, which accept NULL. 0;
	 * -errno if nothing can be measured at all: the run continues without this probe, and its
	 * metrics are what `fail` makes them.
	 */
	int (*open)(void **state, const struct sd_probe_target *target);
	/* Just before the program is released, or the look at one that runs begins. */
	void (*start)(void *state);
	/* Called every period while the program runs; NULL: the probe is not polled. Returns the
	 * desired delay to the next tick in ns (the launcher uses the smallest of all probes). Must
	 * not block. */
	uint64_t (*tick)(void *state, uint64_t now_ns);
	/* Does it see every context switch of the process tree? NULL: no. Called before `start`; if
	 * a probe does, the polling probes' `ease` is called, and they may poll less often. */
	int (*sees_switches)(const void *state);
	void (*ease)(void *state);
	/* The program has been reaped, or the look is over: fills this probe's fields of *run, with
	 * a status where there is no number. */
	void (*stop)(void *state, struct sd_run *run);
	void (*close)(void *state);
	/* Fills the statuses in *run after open failed with `error` (-errno); NULL: it has none. */
	void (*fail)(int error, struct sd_run *run);
};

/* NULL-terminated; defined in probes/probe_registry.c, passed down by main. */
extern const struct sd_probe *const sd_probe_registry[];
/* The same for runs under the software PMU, where kernel data would describe the emulator. */
extern const struct sd_probe *const sd_probe_simulated_registry[];

#endif
