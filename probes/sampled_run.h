/*
 * Turns a finished recording into its run's account: replays it, resolves it to a timeline and
 * passes that to the accountant. Works the same for a run that just ended and for one kept in a
 * file.
 */
#ifndef SD_SAMPLED_RUN_H
#define SD_SAMPLED_RUN_H

#include "probe/accountant.h"
#include "record/run.h"
#include "resolve/stack_resolve.h"
#include "trace/timeline.h"
#include "trace/trace.h"

struct sd_code_copies;
struct sd_heap_blocks;
struct sd_line_watch;

struct sd_sampled_run {
	struct sd_stack_resolve *placing;
	const struct sd_accountant *accountant;
	struct sd_stacks *stacks;            /* that `placing` names places in */
	const struct sd_code_copies *code;   /* of code that is in no file; NULL: none */
	const struct sd_line_watch *proof;   /* lines that were watched; NULL: none */
	const struct sd_heap_blocks *blocks; /* of its heap; NULL: nobody asked for them */
	unsigned cores;                      /* the N of the stack */
	unsigned lane_steps;                 /* of run->lanes at most; 0: none */
	int first;                           /* pid of the program: its exec is the start */
	int running;                         /* it ran already: no exec of its is the start */
	uint64_t start;                      /* ns, if its exec was not seen */
};

/* The kernel's boot id as stored in recordings; "" unknown. */
#define SD_SAMPLED_RUN_BOOT 40
void sd_sampled_run_boot(const char *root, char boot[SD_SAMPLED_RUN_BOOT]);

/* The recording as a bounded timeline; `accountant`, `stacks` and `cores` of *how are not needed.
 * *t starts as zero and is to be freed in every case. 0 or -errno. */
int sd_sampled_run_timeline(
	const struct sd_sampled_run *how, struct sd_capture *c, struct sd_timeline *t);

/* Fills run->sampled except sample_s, run->native, and idle[], concurrency[] and foreign CPU time
 * where the recording has better values than *run. 0; -ENOMEM or another -errno: run->sampled is
 * then empty and unsupported. */
int sd_sampled_run_account(
	const struct sd_sampled_run *how, struct sd_capture *c, struct sd_run *run);

#endif
