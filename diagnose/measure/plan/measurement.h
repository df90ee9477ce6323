/*
 * The parameters of measuring: what to measure, with what, and who watches.
 */
#ifndef SD_MEASUREMENT_H
#define SD_MEASUREMENT_H

#include <signal.h>

#include "probe/probe.h"
#include "record/options.h"
#include "record/record.h"
#include "plan/step.h"

struct sd_attach;
struct sd_experiments;
struct sd_modelled_machine;
struct sd_record_save;
struct sd_target_trees;

/* Progress for the user; all times in seconds. */
struct sd_progress {
	size_t done, planned; /* runs; planned grows if intervals require more runs */
	unsigned cores;       /* of the run in flight */
	double run_s, elapsed_s;
	double left_s;  /* estimate, at most; < 0 unknown yet */
	double spare_s; /* of these, for experiments: they end as soon as they have decided */
	const struct sd_record *record; /* so far */
	/* "warm-up", "block 3 of 5", "to know it better than ±3.1 %", "drift check" */
	const char *why;
	const char
		*glance; /* what the runs so far suggest: lines that end in newlines; NULL none */
};

struct sd_measure {
	const struct sd_options *options;
	const struct sd_attach *attach; /* the program runs already; NULL: it is started */
	const struct sd_probe *const *probes;
	const struct sd_probe *const *simulated_probes; /* for runs under the software PMU */
	const char *sim_plugin;                         /* path; NULL: the plan has no simulation */
	const struct sd_modelled_machine *model;        /* the runs are its; NULL: this machine's */
	/* Source of the plan's passes; NULL = none. */
	const struct sd_counting *counting;
	/*
	 * Called after the warm-up, whose run tells how long one takes: may change the record's
	 * passes, which no run of a count has yet, and `counting`. 0 or -errno. NULL: nothing
	 * changes.
	 */
	int (*warmed)(void *ctx, struct sd_record *record);
	void *warmed_ctx;
	const char *mpi_library;    /* path, preloaded into MPI ranks; NULL: it is no MPI run */
	const char *marker_library; /* path, preloaded into it; NULL: it has no markers of others */
	const char
		*omp_library; /* path, preloaded into it; NULL: it is of no OpenMP that is known */
	const char *heap_library; /* path, preloaded where a run asks for its heap blocks; NULL */
	const char
		*heap_refused; /* why there is none, as a clause; NULL: there is, or nobody asks */
	const struct sd_memsource *memory; /* samples loads and stores in a run; NULL = none */
	const struct sd_memsource *events; /* samples the events of roles in a run; NULL = none */
	int os_only;                       /* leave hardware counters alone */
	const char *record_path;
	const double *usual; /* s that a run of each point took before; NAN, or NULL: unknown */
	struct sd_pass_list first; /* passes that the first runs count */
	struct sd_record_save
		*save; /* for record_path; NULL: the record is written there directly */
	/*
	 * Called whenever a block of runs, or a pair of an experiment, has ended: stores what next
	 * is expected to tell most, a pure function of the record. 0 or -errno. NULL: runs only,
	 * until the plan's precision is reached.
	 */
	int (*choose)(void *ctx, const struct sd_record *record, struct sd_step *step);
	void *choose_ctx;
	/*
	 * Called after the first block of runs, again when there are twice as many, after the last,
	 * and after each pair of an experiment: a fresh text of what they suggest, for `progress`;
	 * NULL nothing. NULL = nobody looks.
	 */
	char *(*glance)(void *ctx, const struct sd_record *record);
	void *glance_ctx;
	const struct sd_experiments *experiments; /* what they need; measuring sets its `keep` */
	struct sd_target_trees *trees;            /* of the session; NULL: nobody asks */
	const volatile sig_atomic_t *stop;
	void (*progress)(void *ctx, const struct sd_progress *p); /* or NULL */
	void *progress_ctx;
};

#endif
