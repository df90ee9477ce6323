/*
 * The options of `scalediag run`: parsed and checked, but independent of the machine.
 */
#ifndef SD_OPTIONS_H
#define SD_OPTIONS_H

#include <stddef.h>
#include <stdint.h>

/* How an MPI program is started at a point: --ranks and --points. */
struct sd_rank_shape {
	unsigned ranks, threads, nodes; /* ranks in all, threads of each; ranks 0: not by ranks */
};

enum sd_placement { SD_PLACEMENT_COMPACT, SD_PLACEMENT_SPREAD, SD_PLACEMENT_SMT };

/* The form of --cores; all but a list become one only with the topology. ENDS: one, and all granted
 * CPUs. */
enum sd_cores { SD_CORES_LIST, SD_CORES_POWERS, SD_CORES_ALL, SD_CORES_ENDS };

enum sd_scaling { SD_SCALING_STRONG, SD_SCALING_WEAK };

/* Sources of counts. auto: hardware counters if there are any; sim: as auto, plus one run at every
 * count under the software PMU. */
enum sd_events {
	SD_EVENTS_AUTO,
	SD_EVENTS_HW,
	SD_EVENTS_ALL,
	SD_EVENTS_OS,
	SD_EVENTS_SIM,
	SD_EVENTS_MODEL
};

enum sd_experiment_choice { SD_EXPERIMENTS_AUTO, SD_EXPERIMENTS_NONE, SD_EXPERIMENTS_LIST };

struct sd_options {
	char **argv; /* the program and its arguments; argv[argc] is NULL; borrowed from main */
	size_t argc;
	enum sd_cores cores;
	unsigned *count; /* owned; for SD_CORES_LIST: ascending, without duplicates */
	size_t n_count;
	struct sd_rank_shape
		*shape; /* owned; of each count, by --ranks or --points; NULL: neither */
	enum sd_placement placement;
	enum sd_scaling scaling;
	unsigned repeats; /* runs a point; 0 = 5, 7 if a run takes less than 2 s, 10 below 0.2 s,
			     and more until +-2 % */
	int quick; /* the warm-up and two runs a count, of the first and the largest unless counts
		      are given; no experiments */
	double budget_s;  /* 0 = none given */
	double timeout_s; /* of one run; 0 = none */
	double poll_s;    /* period of the thread-state poller, 0 = automatic */
	uint64_t seed;    /* of the run order and the bootstrap */
	enum sd_events events;
	int multiplex;        /* all hardware events in every run, multiplexed */
	const char *machine;  /* machine for the software PMU, a name or file; NULL = this host */
	const char *sim_from; /* where its counting starts, seconds or @function; NULL = at once */
	const char *sim_for;  /* and how long it lasts; NULL = to the end */
	unsigned sim_repeats; /* simulated runs a point; 0 = one */
	enum sd_experiment_choice experiments;
	unsigned long experiment; /* for SD_EXPERIMENTS_LIST: a bit for each enum sd_experiment */
	int isolate;              /* concurrent copies get folders of their own */
	int oversubscribe;        /* allow counts above the granted CPUs */
	int no_shield;            /* give it no precedence over other work */
	int no_env;               /* do not set OMP_NUM_THREADS and its like */
	int show_output;          /* the program's output goes to ours as well */
	int dry_run;
	int json, brief;  /* the report on stdout is JSON; the brief one */
	const char *html; /* file for the report as a page; or NULL */
	int resume;
	int no_samples;          /* --samples none */
	int keep_samples;        /* keep the raw samples in this folder: */
	const char *keep_folder; /* NULL: beside the record */
	char **env; /* NAME=value with {n} not yet replaced; owned array, borrowed strings */
	size_t n_env;
	const char *rate; /* extended regular expression with one group, the throughput the program
			     prints; or NULL */
	const char *region;  /* the region that is judged alone; or NULL */
	const char *latency; /* the region whose slow entries are explained; or NULL */
	int with_launch;     /* judge MPI programs with their launch */
	int ignore_failure;  /* a run that exits with another status than 0 counts, too */
	int no_omp_tool;     /* leave OpenMP's runtime alone */
	int system_calls;    /* count them */
	const char *cwd;     /* or NULL */
	const char *prepare; /* command before every run, split into words like a shell does, but
				run directly; or NULL */
	const char *record;  /* path of the record; NULL = PROGRAM.scalediag.json in the current
				folder */
};

void sd_options_free(struct sd_options *o);

#endif
