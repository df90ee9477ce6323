/*
 * State of a run's samples while it is replayed: their code, what they touch, its threads' stacks.
 */
#ifndef SD_WATCHED_SAMPLES_H
#define SD_WATCHED_SAMPLES_H

#include "native/code_plans.h"
#include "native/data_maps.h"
#include "native/line_watch.h"
#include "native/native_watch.h"
#include "native/sample_touches.h"
#include "native/shared_lines.h"

#define SD_NATIVE_STACKS 4u /* of a thread; later ones are not known as stacks */

struct sd_native_watch {
	struct sd_stack_resolve *placing;    /* borrowed */
	const struct sd_line_watch *proof;   /* borrowed; NULL: no line was watched */
	const struct sd_heap_blocks *blocks; /* borrowed; NULL: nobody asked for them */
	struct sd_stack_frames *frames;      /* borrowed: gets lines of stacks; NULL: nobody asks */
	struct sd_code_plans plans;
	struct sd_sample_touches touches;
	struct sd_data_maps data;
	struct sd_shared_lines shared; /* of `data`, once all events have been seen */
	struct sd_key_table processes; /* pid + 1 -> how often it was executed, and mapped code */
	struct sd_native_stack {
		struct {
			uint64_t low, high; /* stack pointers */
		} part[SD_NATIVE_STACKS];   /* its own, that of signal handlers, coroutines' */
		unsigned n;
	} * stack; /* owned; by thread of the timeline */
	size_t n_stack;
	uint64_t bare;    /* samples without registers */
	uint64_t narrow;  /* of 32-bit code, which is not decoded */
	uint64_t unnamed; /* of code of no file whose function no map names: where it begins, and
			     what of it is sure, is not known */
	uint64_t unread;  /* of code that could not be read, or that has no known instruction */
};

#endif
