/*
 * The experiments of `scalediag run`: their resources, the plan, and the choice of the next one by
 * analysing the record so far.
 */
#ifndef SD_EXPERIMENT_PLAN_H
#define SD_EXPERIMENT_PLAN_H

#include "context/context.h"
#include "experiment/experiments.h"
#include "run/config_tables.h"
#include "experiment/input_files.h"
#include "experiment/prefetchers.h"

struct sd_experiment_plan {
	struct sd_config_tables tables;
	char *pad, *allocator; /* owned; libraries to preload; NULL = not available */
	struct sd_prefetchers_of prefetchers;
	char *old_bits; /* owned; the file for their saved bits */
	struct sd_input_files inputs;
	const struct sd_sink *sink;
	int bursts; /* this machine can sample loads and stores */
	/* Called once, if open causes need this node's costs and the record has none; 0 or -errno.
	 * NULL: never. */
	int (*calibrate)(void *ctx);
	void *calibrate_ctx;
};

/* Loads the tables of the analysis and finds the libraries. 0, or -errno after a message. */
int sd_experiment_plan_open(struct sd_experiment_plan *x, const struct sd_sink *sink);
void sd_experiment_plan_close(struct sd_experiment_plan *x); /* accepts the zeroed value */

/* Fills in the plan's experiments; `unsimulated` says why the software PMU cannot be one, or NULL.
 * 0 or -ENOMEM.
 */
int sd_experiment_plan_fill(const struct sd_experiment_plan *x, const struct sd_options *o,
	const struct sd_topology *t, const char *unsimulated, struct sd_plan *plan);

/* Call before the first run: turns prefetchers on again that a killed scalediag left off. 0 or
 * -ENOMEM. */
int sd_experiment_plan_begin(struct sd_experiment_plan *x, const struct sd_options *o);

/* The inputs that the runs of experiments need; borrows from all three. */
struct sd_experiments sd_experiment_plan_needs(
	struct sd_experiment_plan *x, const struct sd_cli *cli, const struct sd_topology *t);

/* For struct sd_measure: `ctx` is a struct sd_experiment_plan. */
int sd_experiment_plan_choose(void *ctx, const struct sd_record *record, struct sd_step *step);

#endif
