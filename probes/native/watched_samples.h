/*
 * State of a run's samples while it is replayed: their code, what they touch, its threads' stacks.
 */
#ifndef SD_WATCHED_SAMPLES_H
#define SD_WATCHED_SAMPLES_H

#include "native/code_plans.h"
#include "native/data_maps.h"
#include "native/native_watch.h"
#include "native/sample_touches.h"
#include "native/shared_lines.h"

struct sd_native_watch {
	struct sd_stack_resolve *placing; /* borrowed */
	struct sd_code_plans plans;
	struct sd_sample_touches touches;
	struct sd_data_maps data;
	struct sd_shared_lines shared; /* of `data`, once all events have been seen */
	struct sd_key_table processes; /* pid + 1 -> how often it was executed, and mapped code */
	struct sd_native_stack {
		uint64_t low, high; /* its stack pointers */
		unsigned samples;
	} * stack; /* owned; by thread of the timeline */
	size_t n_stack;
	uint64_t bare;   /* samples without registers */
	uint64_t narrow; /* of 32-bit code, which is not decoded */
};

#endif
