/*
 * The experiments: which of them this machine and this program allow, and one pair of runs of one.
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

/* What decides whether an experiment can be done. */
struct sd_experiments_world {
	const struct sd_options *options;
	const struct sd_topology *topology;
	char *const *envp;     /* ours: what the program would get */
	const char *root;      /* prefix of /sys, for fake trees; "" = this machine */
	const char *pad;       /* the padding library; NULL = it was not found */
	const char *allocator; /* another allocator's library; NULL = none is installed */
	const struct sd_prefetchers_of *prefetchers; /* NULL = nothing is known of them */
	const char *unsimulated; /* why the software PMU is not for an experiment; NULL = it is */
};

/*
 * Writes the experiments that are asked for into the plan, whose points are made: where each is
 * done, or why it is not (`skipped`). Nothing with --experiments none. 0 or -ENOMEM.
 */
int sd_experiments_plan(const struct sd_experiments_world *w, struct sd_plan *plan);

/* What the rounds need beside the trial. */
struct sd_experiments {
	const struct sd_topology *topology;
	const struct sd_thief *const *thieves; /* NULL-terminated */
	const struct sd_kernel *const *kernels;
	const char *pad, *allocator;
	const struct sd_prefetchers_of *prefetchers;
	struct sd_input_files *inputs; /* grows by what the program is seen to read */
	/* Takes a finished run (which is zeroed) into the record; 0 or -errno. */
	int (*keep)(void *ctx, struct sd_run *run);
	void *keep_ctx;
};

/*
 * One pair of runs of the plan's experiment `index`, at each of its points, in random order. What
 * does not work is no failure of the diagnosis: the experiment's `skipped` says it. 0; -EINTR;
 * -ECANCELED (--prepare failed, said); -errno of what could not be kept.
 */
int sd_experiments_round(const struct sd_experiments *x, const struct sd_trial *t,
	struct sd_plan *plan, size_t index, double deadline);

#endif
