/*
 * Profile of each core count's sampled runs, stack by stack, as profile viewers take it: thread
 * time, mean of a run.
 */
#ifndef SD_STACK_PROFILE_H
#define SD_STACK_PROFILE_H

#include <stddef.h>

#include "record/sampled.h"

struct sd_stack_profile_row {
	unsigned node; /* of the record's stacks; 0 unknown */
	enum sd_activity activity;
	double seconds; /* thread time, mean of a run */
};

struct sd_stack_profile_point {
	unsigned cores;
	size_t runs;                      /* that were sampled */
	struct sd_stack_profile_row *row; /* owned; by node, then activity, each pair once */
	size_t n;
};

struct sd_stack_profile {
	struct sd_stack_profile_point *point; /* owned; cores rising */
	size_t n;
};

void sd_stack_profile_free(struct sd_stack_profile *p); /* accepts the zeroed value, leaves it */

#endif
