/*
 * A witness that what was changed for a program took place in the process that mattered, the one
 * with most CPU time: looked at in /proc while it runs. A loader may ignore what is to be preloaded
 * (static programs, other rights, another loader's machine), a script may clear the environment, a
 * launcher may set affinities of its own; then there was no change, and nothing to conclude from.
 */
#ifndef SD_WITNESS_H
#define SD_WITNESS_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "witness/process_sign.h"

/* Processes remembered at once; of more the first ones are. */
#define SD_WITNESS_PROCESSES 512u

struct sd_witness_process {
	pid_t pid;
	/* of its program, and where its stack begins: an exec makes it another process */
	unsigned long long device, inode, stack;
	uint64_t since_ns, cpu_ns; /* CPU time at its exec, and when it was last seen */
	unsigned lacks;            /* signs not seen yet */
	unsigned looks;            /* for what it lacks */
	unsigned last;             /* the witness's look that saw it last */
	int unreadable;            /* its /proc could not be read: another user's */
	char name[16];
	char *program; /* owned; path */
};

struct sd_witness {
	struct sd_process_sign ask;
	struct sd_witness_process *process; /* owned */
	size_t n_process;
	unsigned looks;
	uint64_t next_ns, every_ns;
};

/* Looks at the processes below `parent`; ctx is a struct sd_witness. To be called every few
 * milliseconds while they run: it looks after 2 ms, then after twice as long each time, up to a
 * second, so that short programs are seen and long ones not disturbed. */
void sd_witness_look(void *ctx, pid_t parent);

enum sd_witnessed { SD_WITNESSED, SD_WITNESSED_NOT, SD_WITNESSED_UNSEEN };

/*
 * After the run, which took cpu_s of CPU time (0 unknown). WITNESSED: the process with most of it
 * had every sign, and none of those that lack one and ran until the end can have had more of what
 * nobody saw. Else *why says in a clause, without a full stop, which process lacked what, or why
 * nobody could see: the processes ended too soon, or are another user's.
 */
enum sd_witnessed sd_witness_judge(
	const struct sd_witness *w, double cpu_s, char *why, size_t size);

void sd_witness_free(struct sd_witness *w); /* what it has seen; the question stays */

#endif
