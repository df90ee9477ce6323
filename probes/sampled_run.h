/*
 * From a recording that has ended to the account of its run: replayed, resolved to a timeline, and
 * handed to the accountant. The same for a run just over and for one kept in a file.
 */
#ifndef SD_SAMPLED_RUN_H
#define SD_SAMPLED_RUN_H

#include "probe/accountant.h"
#include "record/run.h"
#include "resolve/stack_resolve.h"
#include "trace/trace.h"

struct sd_sampled_run {
	struct sd_stack_resolve *placing;
	const struct sd_accountant *accountant;
	struct sd_stacks *stacks; /* that `placing` names places in */
	unsigned cores;           /* the N of the stack */
	int first;                /* pid of the program: its exec is the start */
	uint64_t start;           /* ns, where its exec was not seen */
};

/* Of this boot of the kernel, as it is written in recordings; "" unknown. */
#define SD_SAMPLED_RUN_BOOT 40
void sd_sampled_run_boot(const char *root, char boot[SD_SAMPLED_RUN_BOOT]);

/* Fills run->sampled but for sample_s, which stays; idle[], concurrency[] and foreign CPU time
 * where the recording knows them better than *run has them. 0; -ENOMEM or another -errno:
 * run->sampled is then empty and unsupported. */
int sd_sampled_run_account(
	const struct sd_sampled_run *how, struct sd_capture *c, struct sd_run *run);

#endif
