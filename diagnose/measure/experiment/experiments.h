/*
 * The experiments: which ones this machine and program allow, and running a pair of one.
 */
#ifndef SD_EXPERIMENTS_H
#define SD_EXPERIMENTS_H

#include "bench/kernel.h"
#include "record/record.h"
#include "base/sink.h"
#include "bench/thief.h"
#include "machine/topology.h"
#include "trial/trial.h"

struct sd_input_files;
struct sd_prefetchers_of;

/* Facts that decide whether an experiment can be done. */
struct sd_experiments_world {
	const struct sd_options *options;
	const struct sd_topology *topology;
	char *const *envp;     /* our environment, which the program would get */
	const char *root;      /* prefix of /sys, for fake trees; "" = this machine */
	const char *pad;       /* the padding library; NULL = it was not found */
	const char *allocator; /* another allocator's library; NULL = none is installed */
	const struct sd_prefetchers_of *prefetchers; /* NULL = nothing is known of them */
	const char *unsimulated; /* why the software PMU cannot be an experiment; NULL = it can */
};

/*
 * Adds the requested experiments to a plan with points: where each is done, or why not (`skipped`).
 * None with --experiments none. 0 or -ENOMEM.
 */
int sd_experiments_plan(const struct sd_experiments_world *w, struct sd_plan *plan);

/* Inputs that rounds need besides the trial. */
struct sd_experiments {
	const struct sd_topology *topology;
	const struct sd_thief *const *thieves; /* NULL-terminated */
	const struct sd_kernel *const *kernels;
	const char *pad, *allocator;
	const struct sd_prefetchers_of *prefetchers;
	struct sd_input_files *inputs; /* extended by files the program is seen reading */
	/* Moves a finished run into the record (zeroing it). 0 or -errno. */
	int (*keep)(void *ctx, struct sd_run *run);
	void *keep_ctx;
};

/*
 * Does another run of the reference come before a pair of the plan's experiment `index`? So where
 * it compares runs of a program whose output differs between those of the reference, until three of
 * these tell that the work does not differ, or there are five, or as many as the plan allows.
 */
int sd_experiments_lacks_reference(const struct sd_record *record, size_t index);

/*
 * Makes one pair of runs of the plan's experiment `index` at each of its points, in random order.
 * If it does not work, that is no failure of the diagnosis but the experiment's `skipped`. 0;
 * -EINTR; -ECANCELED after a message: --prepare failed; another -errno: a run could not be kept.
 */
int sd_experiments_round(const struct sd_experiments *x, const struct sd_trial *t,
	struct sd_plan *plan, size_t index, double deadline);

#endif
