/*
 * The next step of a diagnosis that costs time, and its purpose.
 */
#ifndef SD_STEP_H
#define SD_STEP_H

#include <stddef.h>

#include "record/plan.h"
#include "record/run.h"

enum sd_step_kind {
	SD_STEP_END,       /* no more is expected to change the answer */
	SD_STEP_ENOUGH,    /* nor would the runs that every count gets in any case */
	SD_STEP_RUNS,      /* a run of every count that needs one; of the largest alone where
			      its purpose is to watch lines */
	SD_STEP_BURST,     /* a run in which the counters sample loads and stores */
	SD_STEP_EXPERIMENT /* a pair of one, or what it has instead of pairs */
};

struct sd_step {
	enum sd_step_kind kind;
	/* The plan's experiment that would tell most: the step, or what comes instead where no run
	 * is left to make; SD_STEP_NONE: there is none. */
	size_t experiment;
	struct sd_run_choice expects; /* of it */
	struct sd_run_choice instead; /* of that experiment, where it comes instead */
	struct sd_pass_list first;    /* passes that runs count before others */
	struct sd_rest rest;          /* before runs */
};
#define SD_STEP_NONE ((size_t)-1)

#endif
